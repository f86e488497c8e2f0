// One block: preparing it, its workers, and running it to its end or as far as it gets.
#include "block.h"

#include <cuda_cpu/launch.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>

#include "../check/check.h"
#include "diagnose.h"
#include "grid.h"
#include "schedule.h"
#include "settings.h"

namespace cuda_cpu {

__thread Thread *current = nullptr;
__thread Block *current_block = nullptr;
__thread uint3 threadIdx, blockIdx;
__thread dim3 blockDim, gridDim;

// ---- preparing a block --------------------------------------------------------------------------

uint3 unflatten(std::uint64_t i, const dim3 &shape) {
  return {static_cast<unsigned>(i % shape.x), static_cast<unsigned>(i / shape.x % shape.y),
          static_cast<unsigned>(i / shape.x / shape.y)};
}

namespace {

void lay_out_threads(BlockState &block, const dim3 &shape) {
  if (block.count > 0 && std::memcmp(&block.shape, &shape, sizeof shape) == 0) return;
  block.shape = shape;
  block.count = shape.x * shape.y * shape.z;
  block.thread_memory.assign(block.count, Thread{});
  block.warp_memory.assign((block.count + 31) / 32, Warp{});
  for (unsigned i = 0; i < block.count; i++) {
    block.thread_memory[i].index = unflatten(i, shape);
    block.thread_memory[i].number = i;
    block.warp_memory[i / 32].present |= 1u << (i % 32);
  }
  block.threads = block.thread_memory.data();
  block.warps = block.warp_memory.data();
}

}  // namespace

void prepare(BlockState &block, Grid &grid, std::uint64_t index) {
  lay_out_threads(block, grid.launch.block);
  block.grid = &grid;
  block.index = unflatten(index, grid.launch.grid);
  block.cluster = nullptr;
  block.started = block.returned = 0;
  block.collective = false;
  block.generation = 0;
  std::fill(std::begin(block.named), std::end(block.named), 0);
  for (Warp &warp : block.warp_memory) warp.returned = 0;
  if (block.launch_failed)
    for (Thread &thread : block.thread_memory) thread.last_error = cudaSuccess;
  block.launch_failed = false;
  block.shared.reset(grid.launch.shared_bytes);
  if constexpr (check::kOn) check::block_begins(block, grid.first_number, index, false);
  if (settings().shuffle) shuffle_order(block, grid.number, index);
}

// ---- what workers do (schedule.h) ---------------------------------------------------------------

void run_unstarted() {
  try {
    state_of(*current_block).grid->call->run_threads(*current_block);
  } catch (const SharedLimitExceeded &) {  // no other thread has begun and not returned
    BlockState &block = state_of(*current_block);
    block.started = block.returned = block.count;
  }
}

void go_idle() {
  return_worker(pool().running);
  switch_to_next(state_of(*current_block));
}

void begin_collectives(BlockState &block) {
  block.collective = true;
  block.started = current->number + 1;
  block.returned = current->number;
  for (unsigned i = 0; i < current->number; i++) block.warps[i / 32].returned |= 1u << (i % 32);
}

// A returned thread counts as arrived wherever others wait for it.
void thread_returned(Block &running_block, const Thread &thread) {
  BlockState &block = state_of(running_block);
  const unsigned warp_index = thread.number / 32, bit = 1u << (thread.number % 32);
  Warp &warp = block.warps[warp_index];
  warp.returned |= bit;
  block.returned++;
  for (unsigned left = warp.waiting; left != 0;) {
    const Thread &waiting =
        block.threads[warp_index * 32 + static_cast<unsigned>(__builtin_ctz(left))];
    left &= ~waiting.mask & (left - 1);
    if ((waiting.mask & bit) != 0)
      complete_collective(block, warp_index, waiting.mask, waiting.operation, nullptr);
  }
  const unsigned arrived = block.barrier.length;
  if (arrived > 0 && arrived + block.returned == block.count)
    release_barrier(block, static_cast<int>(arrived));
}

// ---- which threads of the system run blocks: for a report about a kernel that hangs

namespace {

constexpr unsigned kMostRunners = 256;  // more are not reported
struct Runner {
  std::atomic<int> thread{0};
  std::atomic<bool> is_inside{false};
} runners[kMostRunners];

// The calling thread's, or null.
Runner *make_runner() {
  const int self = gettid();
  for (Runner &runner : runners) {
    int none = 0;
    if (runner.thread.compare_exchange_strong(none, self)) return &runner;
  }
  return nullptr;
}

struct RunnerOwner {
  Runner *const runner = make_runner();
  ~RunnerOwner() {
    if (runner == nullptr) return;
    runner->is_inside = false;
    runner->thread = 0;
  }
};

void set_inside(bool inside) {
  static thread_local RunnerOwner owner;
  if (owner.runner != nullptr) owner.runner->is_inside.store(inside, std::memory_order_relaxed);
}

}  // namespace

int thread_in_kernel() {
  for (const Runner &runner : runners)
    if (runner.is_inside) return runner.thread;
  return 0;
}

// ---- running a block to its end, or as far as it gets

Outcome run_block(BlockState &block) {
  set_inside(true);
  current_block = &block;
  blockIdx = block.index;
  blockDim = block.grid->launch.block;
  gridDim = block.grid->launch.grid;
  Outcome outcome = Outcome::kDone;
  for (;;) {
    if (Worker *const worker = next_worker(block)) {
      switch_to(worker);  // returns when no thread of the block can run
      continue;
    }
    if (!block.collective || block.returned == block.count) break;
    if (release_phases(block) || release_active_masks(block)) continue;
    if (block.misplaced.length > 0) diagnose_waiting(block, "wait at different barriers");
    if (block.yielded.length > 0 || waits_for_other_blocks(block)) {
      block.ready.append(block.yielded);
      outcome = Outcome::kYielded;
      break;
    }
    if (block.grid_barrier.length > 0 &&
        block.grid_barrier.length + block.returned == block.count) {
      outcome = Outcome::kAtGridBarrier;
      break;
    }
    diagnose_waiting(block, "wait for each other and none can go on");
  }
  if constexpr (check::kOn) check::block_pauses();
  current = nullptr;
  current_block = nullptr;
  set_inside(false);
  return outcome;
}

}  // namespace cuda_cpu
