// Order by a cluster's barrier, in shared memory of other blocks too: CHECK builds are silent about
// these patterns, and name both accesses once a part is missing (order.h).
#include "order.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// Two clusters of four blocks, in two dimensions: the numbers of one cluster's blocks lie between
// those of the other's.
template <class... P>
static void run_clusters(void (*kernel)(int, P...), int missing, P... arguments) {
  cudaLaunchAttribute shape = {};
  shape.id = cudaLaunchAttributeClusterDimension;
  shape.val.clusterDim = {2, 2, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(4, 2);
  config.blockDim = 64;
  config.dynamicSmemBytes = 64 * sizeof(unsigned);
  config.attrs = &shape;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, kernel, missing, arguments...);
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
static void run_read_next(int missing) { run_clusters(read_next, missing, zeros(8 * 64)); }

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
static void run_write_next(int missing) { run_clusters(write_next, missing, zeros(8 * 64)); }

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
static void run_in_global(int missing) { run_clusters(in_global, missing, zeros(8), zeros(8)); }

static const std::vector<Pattern> kPatterns = {
    {"read_next",
     run_read_next,
     {{1, "next, written", "next, read"}, {2, "next, read", "next, written again"}}},
    {"write_next", run_write_next, {{1, "sized, written", "sized, read"}}},
    {"in_global",
     run_in_global,
     {{1, "global, written", "global, read"}, {2, "global, written", "global, read"}}},
};

static void test_pattern(void **state) {
  expect_pattern(*static_cast<const Pattern *>(*state), __FILE__);
}

int main(int argc, char **argv) {
  run_pattern_if_child(argc, argv, kPatterns);
  return run_patterns(kPatterns, test_pattern);
}
