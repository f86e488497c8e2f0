// Thread block clusters: launching them, their barrier, shared memory of other blocks.
#include "order.h"

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

TEST(shared_memory_of_others) {
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

TEST(places) {
  DeviceArray<unsigned> out(4 * 3 * 2);
  DeviceArray<int> wrong(1);
  CUDA_OK(
      launch(places, dim3(4, 3, 2), dim3(5, 2), dim3(2, 1, 2), 0, (unsigned *)out, (int *)wrong));
  assert_int_equal(wrong.read()[0], 0);
  std::vector<unsigned> expected;
  for (unsigned i = 0; i < 24; i++) expected.push_back(i / 12 * 2 + i % 2);
  ASSERT_SAME(out.read(), expected);
  places<<<dim3(2, 1), dim3(5, 2)>>>(out, wrong);  // a cluster of one block each
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

TEST(returned_threads) {
  DeviceArray<unsigned> arrived(2);
  CUDA_OK(launch(leave_early, dim3(4), dim3(30), dim3(4), 0, (unsigned *)arrived));
  ASSERT_SAME(arrived.read(), (std::vector<unsigned>{60, 0}));
}

TEST(refused) {
  DeviceArray<unsigned> out(64);
  DeviceArray<int> wrong(1);
  for (const dim3 cluster : {dim3(3), dim3(1, 2), dim3(0), dim3(32)}) {
    CUDA_FAILS(cudaErrorInvalidClusterSize,
               launch(places, dim3(32), dim3(32), cluster, 0, (unsigned *)out, (int *)wrong));
  }
}

static __global__ void beyond(unsigned *out) {
  __shared__ unsigned value;
  value = 1;
  const cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  *out = *cluster.map_shared_rank(&value, 2);
}
MISTAKE(beyond) { (void)launch(beyond, dim3(2), dim3(1), dim3(2), 0, zeros(1)); }
static __global__ void not_shared(unsigned *out) {
  *out = *cg::this_cluster().map_shared_rank(out, 1);
}
MISTAKE(not_shared) { (void)launch(not_shared, dim3(2), dim3(1), dim3(2), 0, zeros(1)); }

TEST(mistakes) {
  expect_report("beyond", {"memcheck: ", "block 2: the cluster has 2"});
  expect_report("not_shared", {"memcheck: ", "not in shared memory"});
}

// ---- order by a cluster's barrier ---------------------------------------------------------------

// Two clusters of four blocks, in two dimensions: the numbers of one cluster's blocks lie between
// those of the other's.
template <class... P>
static void run_clusters(void (*kernel)(int, P...), int missing, P... arguments) {
  (void)launch(kernel, dim3(4, 2), dim3(64), dim3(2, 2), 64 * sizeof(unsigned), missing,
               arguments...);
}

static __device__ unsigned next_rank() {
  const cg::cluster_group cluster = cg::this_cluster();
  return (cluster.block_rank() + 1) % cluster.num_blocks();
}

// Each block reads the next one's array, which is written again afterwards.
static __global__ void read_next(int missing, unsigned *out) {
  __shared__ unsigned fixed[64];
  const cg::cluster_group cluster = cg::this_cluster();
  fixed[threadIdx.x] = threadIdx.x; /*next, written*/
  if (missing != 1) cluster.sync();
  const unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
  out[block * 64 + threadIdx.x] =
      cluster.map_shared_rank(fixed, next_rank())[63 - threadIdx.x]; /*next, read*/
  if (missing != 2) cluster.sync();
  fixed[threadIdx.x] = block; /*next, written again*/
}
PATTERN(read_next, {{1}, "next, written", "next, read"},
        {{2}, "next, read", "next, written again"}) {
  run_clusters(read_next, missing, zeros(8 * 64));
}

// Each block writes the next one's dynamic array, and counts in a word of rank 0's.
static __global__ void write_next(int missing, unsigned *out) {
  extern __shared__ unsigned sized[];
  __shared__ unsigned count;
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) count = 0;
  cluster.sync();
  cluster.map_shared_rank(sized, next_rank())[threadIdx.x] = threadIdx.x; /*sized, written*/
  atomicAdd(cluster.map_shared_rank(&count, 0), 1u);
  if (missing != 1) cluster.sync();
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 64 + threadIdx.x] =
      sized[threadIdx.x]; /*sized, read*/
  if (cluster.block_rank() == 0 && threadIdx.x == 0) out[0] = count;
  cluster.sync();
}
PATTERN(write_next, {{1}, "sized, written", "sized, read"}) {
  run_clusters(write_next, missing, zeros(8 * 64));
}

// Global memory: the barrier is the cluster's, not the grid's.
static __global__ void in_global(int missing, unsigned *data, unsigned *out) {
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned first = blockIdx.x / 2 * 4;                    // of the cluster's words
  if (threadIdx.x == 0) data[first + cluster.block_rank()] = 1; /*global, written*/
  if (missing != 1) cluster.sync();
  const unsigned other = missing == 2 ? (first + 4) % 8 : first;
  if (threadIdx.x == 0)
    out[blockIdx.y * gridDim.x + blockIdx.x] = data[other + next_rank()]; /*global, read*/
}
PATTERN(in_global, {{1, 2}, "global, written", "global, read"}) {
  run_clusters(in_global, missing, zeros(8), zeros(8));
}
