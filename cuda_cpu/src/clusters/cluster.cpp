// Running clusters, and what their threads ask for.
#include "cluster.h"

#include <cuda_cpu/barrier.h>
#include <cuda_cpu/cluster.h>
#include <cuda_cpu/launch_calls.h>

#include <sched.h>

#include "../diagnosis/check.h"
#include "../diagnosis/diagnose.h"
#include "../launch/grid.h"
#include "../launch/schedule.h"

namespace cuda_cpu {

namespace {

// Block `rank` of cluster `number`, as an index in the grid.
std::uint64_t index_of(const Launch &launch, std::uint64_t number, unsigned rank) {
  const dim3 &c = launch.cluster, &g = launch.grid;
  const uint3 origin = unflatten(number, dim3(g.x / c.x, g.y / c.y, g.z / c.z));
  const uint3 inside = unflatten(rank, c);
  return flatten({origin.x * c.x + inside.x, origin.y * c.y + inside.y, origin.z * c.z + inside.z},
                 g);
}

// All blocks that have not returned wait at the cluster's barrier: they go on.
void release(Cluster &cluster) {
  if constexpr (check::kOn) check::phase_completed(*cluster.blocks[0], &cluster, cluster.phase);
  cluster.phase++;
  cluster.some_wait = false;
  for (auto &block : cluster.blocks) {
    block->at_grid_barrier = false;
    make_ready(*block, block->grid_barrier);
  }
}

void run_cluster(Cluster &cluster) {
  std::size_t left = cluster.blocks.size(), waiting = 0;
  while (left > 0) {
    bool yielded = false;
    for (std::size_t i = 0; i < cluster.blocks.size(); i++) {
      BlockState &block = *cluster.blocks[i];
      if (cluster.finished[i] || block.at_grid_barrier) continue;
      const Outcome outcome = run_block(block);
      block.at_grid_barrier = outcome == Outcome::kAtGridBarrier;
      if (block.at_grid_barrier) waiting++;
      if (outcome == Outcome::kYielded) yielded = true;
      if (outcome != Outcome::kDone) continue;
      cluster.finished[i] = true;  // a block that has returned counts as arrived
      left--;
    }
    if (waiting == left) {
      release(cluster);
      waiting = 0;
    } else if (yielded) {
      sched_yield();
    }
  }
}

// At most 8 blocks, or 16, a Hopper GPU's limit, with the attribute that allows more.
cudaError_t find_problem(const Launch &launch) {
  const dim3 &g = launch.grid, &c = launch.cluster;
  const std::uint64_t blocks = static_cast<std::uint64_t>(c.x) * c.y * c.z;
  if (blocks == 0 || blocks > kernel_limits(launch.kernel).cluster_blocks || g.x % c.x != 0 ||
      g.y % c.y != 0 || g.z % c.z != 0)
    return cudaErrorInvalidClusterSize;
  return blocks > 1 && launch.cooperative ? cudaErrorNotSupported : cudaSuccess;  // no grid barrier
}

void run_clusters(Grid &grid) {
  const dim3 &c = grid.launch.cluster;
  const unsigned size = c.x * c.y * c.z;
  Cluster cluster;
  for (unsigned rank = 0; rank < size; rank++)
    cluster.blocks.push_back(std::make_unique<BlockState>());
  const std::uint64_t clusters = size == 0 ? 0 : grid.blocks / size;
  std::uint64_t number;
  while ((number = grid.next_block.fetch_add(1)) < clusters) {
    cluster.finished.assign(size, false);
    for (unsigned rank = 0; rank < size; rank++) {
      BlockState &block = *cluster.blocks[rank];
      prepare(block, grid, index_of(grid.launch, number, rank));
      block.cluster = &cluster;
      block.at_grid_barrier = false;
    }
    run_cluster(cluster);
  }
}

// ---- what threads ask for -----------------------------------------------------------------------

// The block's memory of the shared variable that `address` is in.
char *translate(BlockState &own, BlockState &other, const char *address) {
  const char *const dynamic = own.shared.arena.get() + check::kSharedGuard;
  for (int i = 0; i < own.shared.arrays; i++) {
    const SharedMemory::Array &array = own.shared.array[i];
    const std::ptrdiff_t offset = address - array.memory;
    if (offset >= 0 && static_cast<std::size_t>(offset) <= array.bytes) {
      void *const memory = static_shared_in(other, array.key, array.bytes, array.alignment);
      if constexpr (check::kOn) check::shared_array_of_peer(own, other, array.memory, memory);
      return static_cast<char *>(memory) + offset;
    }
  }
  const std::ptrdiff_t offset = address - dynamic;
  if (offset < 0 || static_cast<std::size_t>(offset) > own.grid->launch.shared_bytes)
    diagnose("memcheck", "cluster.map_shared_rank() of an address that is not in shared memory");
  return other.shared.arena.get() + check::kSharedGuard + offset;
}

}  // namespace

const Clusters clusters = {find_problem, run_clusters};

dim3 cluster_shape() { return state_of(*current_block).grid->launch.cluster; }

dim3 cluster_block_index() {
  const dim3 c = cluster_shape();
  return dim3(blockIdx.x % c.x, blockIdx.y % c.y, blockIdx.z % c.z);
}

void cluster_barrier(const Site *site) {
  BlockState &block = enter_collective();
  if (block.cluster == nullptr) {
    block_barrier(site);
    return;
  }
  Cluster &cluster = *block.cluster;
  [[maybe_unused]] const std::uint32_t phase = cluster.phase;
  if constexpr (check::kOn) check::phase_arrived(block, &cluster, !cluster.some_wait);
  cluster.some_wait = true;
  suspend(block, site, block.grid_barrier);
  if constexpr (check::kOn) check::phase_waited(block, &cluster, phase);
}

void *map_shared(const void *address, unsigned rank) {
  BlockState &own = state_of(*current_block);
  const dim3 c = cluster_shape();
  if (rank >= c.x * c.y * c.z)
    diagnose("memcheck", "cluster.map_shared_rank() of block %u: the cluster has %u", rank,
             c.x * c.y * c.z);
  BlockState &other = own.cluster == nullptr ? own : *own.cluster->blocks[rank];
  return translate(own, other, static_cast<const char *>(address));
}

}  // namespace cuda_cpu
