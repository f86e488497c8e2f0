// One launch that runs: its blocks, and the launches that its threads make.
#ifndef CUDA_CPU_GRID_H
#define CUDA_CPU_GRID_H

#include <cuda_cpu/launch.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "../streams/streams.h"

namespace cuda_cpu {

struct BlockState;

// A launch that waits for the launching grid to end.
struct PendingLaunch {
  Launch launch;
  std::unique_ptr<KernelCall> call;
};

// A search for loops that cannot end (preempt.h).
struct LoopRounds {
  double since = 0;                  // seconds; 0: none is suspected
  std::vector<int> threads;          // of the system, that have found only such loops in this round
  std::vector<BlockState *> blocks;  // of these threads
};

struct Grid {
  Grid(const Launch &configured, const KernelCall &kernel_call);
  const Launch launch;
  const KernelCall *const call;
  const std::uint64_t number;  // launches are counted, so that a shuffled run can be repeated
  const std::uint64_t blocks;
  std::atomic<std::uint64_t> next_block{0};
  std::atomic<bool> refused{false};  // too much shared memory (shared_memory.cpp)
  std::atomic<unsigned> bound{0};    // __launch_bounds__, if it is exceeded
  std::uint32_t first_number = 0;    // check::reserve_numbers(), in CHECK builds
  std::atomic<unsigned> runners{1};  // threads of the system that still run its blocks
  std::mutex loops_mutex;
  LoopRounds loops;
  std::mutex children_mutex;
  std::vector<PendingLaunch> children;
  // Grid barrier of a cooperative launch, in blocks:
  std::atomic<std::uint64_t> generation{0}, arrived{0}, finished{0};
};

// How clusters are checked and run: ../clusters.
struct Clusters {
  cudaError_t (*find_problem)(const Launch &launch);
  // Runs clusters of the grid until none is left that no other thread of the system has taken.
  void (*run)(Grid &grid);
};

// Runs a grid and everything that its threads launch. cudaErrorInvalidValue, also as the last
// error, if it was refused.
cudaError_t run_grid(const Launch &launch, const KernelCall &call);
// Runs the grid each time it is called (launch.cpp).
Work grid_work(const Launch &launch, std::unique_ptr<KernelCall> call);

}  // namespace cuda_cpu
#endif
