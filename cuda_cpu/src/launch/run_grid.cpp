// The blocks of one launch, dealt out to OpenMP's threads, and the launches that kernels make.
#include "grid.h"

#include <omp.h>
#include <sched.h>

#include <algorithm>

#include <cuda_cpu/errors.h>
#include <cuda_cpu/launch_calls.h>
#include <cuda_cpu/memory.h>

#include "../diagnosis/check.h"
#include "block.h"
#include "../diagnosis/diagnose.h"
#include "../diagnosis/limits.h"
#include "../memory/pages.h"
#include "preempt.h"
#include "schedule.h"

namespace cuda_cpu {

namespace {

std::atomic<std::uint64_t> launches{0};

}  // namespace

Grid::Grid(const Launch &configured, const KernelCall &kernel_call)
    : launch(configured),
      call(&kernel_call),
      number(launches++),
      blocks(static_cast<std::uint64_t>(launch.grid.x) * launch.grid.y * launch.grid.z) {
  if constexpr (check::kOn) first_number = check::reserve_numbers(blocks);
}

namespace {

// Kept from grid to grid: its memory is laid out for blocks of one shape.
std::unique_ptr<BlockState> &block_of_this_thread() {
  static thread_local std::unique_ptr<BlockState> block;
  if (block == nullptr) block = std::make_unique<BlockState>();
  return block;
}

// ---- ordinary and cooperative grids

// The blocks that one thread of the system runs, in index order: a block that waits for an earlier
// one waits for a block that has begun, or that another thread of the system comes to without
// waiting for this one. Several at a time, because neighbouring blocks read neighbouring memory.
class Indices {
 public:
  explicit Indices(Grid &grid)
      : grid_(grid), several_(std::min<std::uint64_t>(1 + grid.blocks / 256, 16)) {}
  bool take(std::uint64_t *index) {
    if (grid_.refused || grid_.bound > 0) return false;
    if (next_ == end_) {
      next_ = grid_.next_block.fetch_add(several_);
      end_ = std::min(next_ + several_, grid_.blocks);
    }
    if (next_ >= end_) {
      next_ = end_;
      return false;
    }
    *index = next_++;
    return true;
  }

 private:
  Grid &grid_;
  const std::uint64_t several_;
  std::uint64_t next_ = 0, end_ = 0;
};

// The block of this thread waits for others in a loop. As on a GPU, those run beside it that fit
// the device together; here at once if it had to be interrupted, else after some turns.
void run_together(Grid &grid, Indices &indices, std::uint64_t most) {
  constexpr int kTurns = 64;
  std::vector<std::unique_ptr<BlockState>> blocks;
  blocks.push_back(std::move(block_of_this_thread()));
  for (int turns = 0; !blocks.empty(); turns++) {
    bool interrupted = !blocks.front()->found.empty();
    std::uint64_t index;
    if ((interrupted || turns >= kTurns) && blocks.size() < most && indices.take(&index)) {
      blocks.push_back(std::make_unique<BlockState>());
      prepare(*blocks.back(), grid, index);
    } else {
      check_loops(grid, blocks);
      sched_yield();
    }
    for (auto &block : blocks)
      if (run_block(*block) == Outcome::kDone) block.reset();
    blocks.erase(std::remove(blocks.begin(), blocks.end(), nullptr), blocks.end());
  }
}

void run_ordinary(Grid &grid) {
  const std::uint64_t fit =
      std::max(1u, resident_blocks(grid.launch.block.x * grid.launch.block.y * grid.launch.block.z,
                                   grid.launch.shared_bytes));
  const std::uint64_t most =
      grid.runners == 1 ? fit * static_cast<unsigned>(multiprocessors()) : fit;
  Indices indices(grid);
  std::uint64_t index;
  while (indices.take(&index)) {
    BlockState &block = *block_of_this_thread();
    prepare(block, grid, index);
    if (run_block(block) == Outcome::kYielded) run_together(grid, indices, most);
  }
}

// A block that waits for all others cannot keep its OpenMP thread. So each thread holds its share
// of the blocks at once, and takes turns among them.
void run_cooperative(Grid &grid, std::uint64_t first, std::uint64_t step) {
  std::vector<std::unique_ptr<BlockState>> blocks;
  for (std::uint64_t index = first; index < grid.blocks; index += step) {
    blocks.push_back(std::make_unique<BlockState>());
    prepare(*blocks.back(), grid, index);
  }
  while (!blocks.empty()) {
    bool progress = false;
    for (auto &block : blocks) {
      if (block->at_grid_barrier) {  // perhaps it has been released
        if (grid.generation.load() == block->generation) continue;
        make_ready(*block, block->grid_barrier);
        if constexpr (check::kOn)
          check::block_begins(*block, grid.first_number, flatten(block->index, grid.launch.grid),
                              true);
      }
      progress = true;
      block->generation = grid.generation.load();
      const Outcome outcome = run_block(*block);
      block->at_grid_barrier = outcome == Outcome::kAtGridBarrier;
      if (outcome == Outcome::kDone) {
        grid.finished++;
        block.reset();
      } else if (outcome == Outcome::kAtGridBarrier && ++grid.arrived == grid.blocks) {
        grid.arrived = 0;
        if constexpr (check::kOn) grid.first_number = check::reserve_numbers(grid.blocks);
        grid.generation++;
      }
    }
    if (!progress) {
      const std::uint64_t finished = grid.finished.load();
      if (finished > 0 && grid.arrived.load() + finished == grid.blocks) {
        diagnose_waiting({blocks.front().get()},
                         "wait at grid.sync() for blocks that have returned");
      }
      sched_yield();
    }
    blocks.erase(std::remove(blocks.begin(), blocks.end(), nullptr), blocks.end());
  }
}

// Runs all blocks. Puts the kernel's own launches on top of `pending`, the next one last. False if
// the grid was refused.
bool run_blocks(const Launch &launch, const KernelCall &call, std::vector<PendingLaunch> &pending) {
  Grid grid(launch, call);
  // All of OpenMP's threads even for a few blocks: when a team is smaller than the one before, the
  // runtime ends threads, only to make new ones, with new stacks for CUDA threads, for the next.
  // A grid with little to do is done before other threads of the system have woken up.
  const bool tiny = grid.blocks * launch.block.x * launch.block.y * launch.block.z <= 2048;
  const bool alone = grid.blocks == 1 || (tiny && !launch.cooperative) || check::kOn;
  const int threads = alone ? 1 : multiprocessors();
  {
    const DeviceScope device(DeviceScope::kRuntime);
    const bool clusters = launch.cluster.x * launch.cluster.y * launch.cluster.z > 1;
    if (threads == 1 && clusters) {
      launch.clusters->run(grid);
    } else if (threads == 1 && !launch.cooperative) {
      run_ordinary(grid);
      grid_ends();
    } else {
      grid.runners = static_cast<unsigned>(threads);
#pragma omp parallel num_threads(threads)
      {
        pages::worker_enters();
        if (launch.cooperative)
          run_cooperative(grid, static_cast<std::uint64_t>(omp_get_thread_num()),
                          static_cast<std::uint64_t>(omp_get_num_threads()));
        else if (clusters)
          launch.clusters->run(grid);
        else
          run_ordinary(grid);
        grid_ends();
        grid.runners--;
        pages::worker_leaves();
      }
    }
  }
  for (const bool tail : {true, false})
    for (auto child = grid.children.rbegin(); child != grid.children.rend(); ++child)
      if ((child->launch.stream == cudaStreamTailLaunch) == tail)
        pending.push_back(std::move(*child));
  if (grid.bound > 0)
    note("launch",
         "kernel %s is launched with %u threads in a block, its __launch_bounds__ allow %u: the "
         "launch fails",
         launch.name, launch.block.x * launch.block.y * launch.block.z, grid.bound.load());
  return !grid.refused && grid.bound == 0;
}

}  // namespace

// A grid is complete only when all that its threads launched is complete. CUDA leaves open when a
// child begins; here it begins after its parent's last block, tail launches last.
cudaError_t run_grid(const Launch &launch, const KernelCall &call) {
  if constexpr (check::kOn) check::is_not_the_hosts(&call);
  std::vector<PendingLaunch> pending;
  cudaError_t error = cudaSuccess;
  if (!run_blocks(launch, call, pending)) error = refuse(launch, cudaErrorInvalidValue);
  while (!pending.empty()) {
    const PendingLaunch next = std::move(pending.back());
    pending.pop_back();
    run_blocks(next.launch, *next.call, pending);
  }
  return error;
}

}  // namespace cuda_cpu
