// Thread block clusters: launching them, and their barrier.
#include "order.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

template <class... P>
static cudaError_t launch(void (*kernel)(P...), dim3 grid, dim3 block, dim3 cluster,
                          P... arguments) {
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster.x;
  attribute.val.clusterDim.y = cluster.y;
  attribute.val.clusterDim.z = cluster.z;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
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
  CUDA_OK(launch(places, dim3(4, 3, 2), dim3(5, 2), dim3(2, 1, 2), (unsigned *)out, (int *)wrong));
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
  CUDA_OK(launch(leave_early, dim3(4), dim3(30), dim3(4), (unsigned *)arrived));
  ASSERT_SAME(arrived.read(), (std::vector<unsigned>{60, 0}));
}

TEST(refused) {
  DeviceArray<unsigned> out(64);
  DeviceArray<int> wrong(1);
  for (const dim3 cluster : {dim3(3), dim3(1, 2), dim3(0), dim3(32)}) {
    ASSERT_CUDA(cudaErrorInvalidClusterSize,
                launch(places, dim3(32), dim3(32), cluster, (unsigned *)out, (int *)wrong));
    ASSERT_CUDA(cudaErrorInvalidClusterSize, cudaGetLastError());
  }
}

// ---- order by a cluster's barrier ---------------------------------------------------------------
//
// CHECK builds are silent about this pattern, and name both accesses once a part is missing
// (order.h). Two clusters of four blocks, in two dimensions: the numbers of one cluster's blocks
// lie between those of the other's.

// The barrier is the cluster's, not the grid's. Shared memory is each block's.
static __global__ void in_global(int missing, unsigned *data, unsigned *out) {
  __shared__ unsigned first;
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank(), next = (rank + 1) % cluster.num_blocks();
  if (threadIdx.x == 0) first = blockIdx.x / 2 * 4;  // of the cluster's words
  if (threadIdx.x == 0) data[first + rank] = 1;      /*global, written*/
  if (missing != 1) cluster.sync();
  if (threadIdx.x != 0) return;
  const unsigned other = missing == 2 ? (first + 4) % 8 : first;
  out[blockIdx.y * gridDim.x + blockIdx.x] = data[other + next]; /*global, read*/
}
PATTERN(in_global, {{1, 2}, "global, written", "global, read"}) {
  launch(in_global, dim3(4, 2), dim3(64), dim3(2, 2), missing, zeros(8), zeros(8));
}
