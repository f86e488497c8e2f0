// Thread block clusters: launching them, their barrier, shared memory of other blocks.
#include "mistakes.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

template <class... P>
static cudaError_t launch(void (*kernel)(P...), dim3 grid, dim3 block, dim3 cluster, size_t shared,
                          P... arguments) {
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster.x;
  attribute.val.clusterDim.y = cluster.y;
  attribute.val.clusterDim.z = cluster.z;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

// Each thread passes its value on to the same thread of the next block, by static and by dynamic
// shared memory, over several rounds.
static __global__ void rotate(int rounds, unsigned *values) {
  __shared__ unsigned fixed[2][64];
  extern __shared__ unsigned sized[];
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned value = values[i], copy = value;
  cluster.sync();
  for (int round = 0; round < rounds; round++) {
    cluster.map_shared_rank(fixed[round % 2], next)[threadIdx.x] = value;
    *cluster.map_shared_rank(&sized[round % 2 * 64 + threadIdx.x], next) = copy + 1;
    cluster.sync();
    value = fixed[round % 2][threadIdx.x];
    copy = sized[round % 2 * 64 + threadIdx.x] - 1;
  }
  values[i] = value == copy ? value : ~0u;
  cluster.sync();  // no block may return before others have written to its memory
}

static void test_shared_memory_of_others(void **) {
  enum { kThreads = 48 };
  for (const unsigned size : {1u, 2u, 4u, 8u}) {
    const unsigned blocks = 5 * size, rounds = 7;
    std::vector<unsigned> values(blocks * kThreads), expected(values.size());
    for (unsigned b = 0; b < blocks; b++)
      for (unsigned t = 0; t < kThreads; t++) {
        const unsigned to = b / size * size + (b % size + rounds) % size;
        expected[to * kThreads + t] = values[b * kThreads + t] = b * 1000 + t;
      }
    DeviceArray<unsigned> d_values(values);
    CUDA_OK(launch(rotate, dim3(blocks), dim3(kThreads), dim3(size), 2 * 64 * sizeof(unsigned),
                   (int)rounds, (unsigned *)d_values));
    KERNEL_OK();
    ASSERT_SAME(d_values.read(), expected);
  }
}

// Where each thread is: in three dimensions.
static __global__ void places(unsigned *out, int *wrong) {
  const cg::cluster_group cluster = cg::this_cluster();
  const cg::grid_group grid = cg::this_grid();
  const dim3 index = cluster.block_index(), shape = cluster.dim_blocks();
  if (index.x != blockIdx.x % shape.x || index.y != blockIdx.y % shape.y ||
      index.z != blockIdx.z % shape.z || cluster.num_blocks() != shape.x * shape.y * shape.z ||
      cluster.num_threads() != cluster.num_blocks() * blockDim.x * blockDim.y)
    *wrong = 1;
  out[grid.block_rank()] = cluster.block_rank();
  if (threadIdx.x == 0 && threadIdx.y == 1 &&
      cluster.thread_rank() != cluster.block_rank() * blockDim.x * blockDim.y + blockDim.x)
    *wrong = 2;
}

static void test_places(void **) {
  DeviceArray<unsigned> out(4 * 3 * 2);
  DeviceArray<int> wrong(1);
  CUDA_OK(
      launch(places, dim3(4, 3, 2), dim3(5, 2), dim3(2, 1, 2), 0, (unsigned *)out, (int *)wrong));
  KERNEL_OK();
  assert_int_equal(wrong.read()[0], 0);
  std::vector<unsigned> expected;
  for (unsigned i = 0; i < 24; i++) expected.push_back(i / 12 * 2 + i % 2);
  ASSERT_SAME(out.read(), expected);
  places<<<dim3(2, 1), dim3(5, 2)>>>(out, wrong);  // a cluster of one block each
  KERNEL_OK();
  assert_int_equal(wrong.read()[0], 0);
  assert_int_equal(out.read()[1], 0);
}

// Threads and a whole block return before the others meet.
static __global__ void leave_early(unsigned *arrived) {
  const cg::cluster_group cluster = cg::this_cluster();
  if (cluster.block_rank() == 1 || threadIdx.x % 3 == 0) return;
  atomicAdd(arrived, 1u);
  cluster.barrier_arrive();
  cluster.barrier_wait();
  if (*(volatile unsigned *)arrived != 3 * 20) arrived[1] = 1;
}

static void test_returned_threads(void **) {
  DeviceArray<unsigned> arrived(2);
  CUDA_OK(launch(leave_early, dim3(4), dim3(30), dim3(4), 0, (unsigned *)arrived));
  KERNEL_OK();
  ASSERT_SAME(arrived.read(), (std::vector<unsigned>{60, 0}));
}

static void test_refused(void **) {
  DeviceArray<unsigned> out(64);
  DeviceArray<int> wrong(1);
  for (const dim3 cluster : {dim3(3), dim3(1, 2), dim3(0), dim3(32)}) {
    ASSERT_CUDA(cudaErrorInvalidClusterSize,
                launch(places, dim3(32), dim3(32), cluster, 0, (unsigned *)out, (int *)wrong));
    ASSERT_CUDA(cudaErrorInvalidClusterSize, cudaGetLastError());
  }
}

static __global__ void beyond(unsigned *out) {
  __shared__ unsigned value;
  value = 1;
  const cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  *out = *cluster.map_shared_rank(&value, 2);
}
static void run_beyond(void) {
  DeviceArray<unsigned> out(1);
  (void)launch(beyond, dim3(2), dim3(1), dim3(2), 0, (unsigned *)out);
}
static __global__ void not_shared(unsigned *out) {
  *out = *cg::this_cluster().map_shared_rank(out, 1);
}
static void run_not_shared(void) {
  DeviceArray<unsigned> out(1);
  (void)launch(not_shared, dim3(2), dim3(1), dim3(2), 0, (unsigned *)out);
}

static void test_mistakes(void **) {
  expect_report("beyond", {"memcheck: ", "block 2: the cluster has 2"});
  expect_report("not_shared", {"memcheck: ", "not in shared memory"});
}

int main(int argc, char **argv) {
  const Mistake mistakes[] = {MISTAKE(beyond), MISTAKE(not_shared)};
  make_mistake_if_child(argc, argv, mistakes);
  const CMUnitTest tests[] = {
      cmocka_unit_test(test_shared_memory_of_others),
      cmocka_unit_test(test_places),
      cmocka_unit_test(test_returned_threads),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_mistakes),
  };
  return cmocka_run_group_tests_name("clusters", tests, nullptr, nullptr);
}
