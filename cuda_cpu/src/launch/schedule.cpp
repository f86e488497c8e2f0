// Which thread of a block runs next.
#include "schedule.h"

#include <cuda_cpu/launch.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "grid.h"

namespace cuda_cpu {

namespace {

// Runs the threads that have not started, then steps aside.
void run_unstarted(Worker *worker) {
  for (;;) {
    try {
      state_of(*current_block).grid->call->run_threads(*current_block);
    } catch (const LaunchRefused &) {  // no other thread has begun and not returned
      current_block->started = state_of(*current_block).returned = current_block->count;
    }
    return_worker(worker);
    switch_to_next(state_of(*current_block), &worker->stack);
  }
}

}  // namespace

void make_ready(BlockState &block, Queue &queue) {
  while (const Thread *const thread = queue.pop())
    make_ready(block, thread->number / 32, 1u << thread->number % 32);
}

bool find_ready_warp(BlockState &block) {
  const unsigned own = 1u << block.warp;
  if (block.warps[block.warp].ready == 0) block.ready_warps &= ~own;
  const unsigned others = block.ready_warps & ~own;
  if (others == 0) return false;
  const unsigned behind = others & ~(own - 1);
  block.warp = static_cast<unsigned>(__builtin_ctz(behind != 0 ? behind : others));
  return true;
}

void leave_wave(BlockState &block) {
  if (!block.wave && !block.ending) return;
  const bool ending = block.ending, at_collective = block.wave == BlockState::kAtCollective;
  block.wave = BlockState::kNoWave;
  block.ending = false;
  block.ready_warps = 0;
  block.warp = current->number / 32;
  block.at_barrier = ending ? 0 : at_collective ? block.warp * 32 : current->number;
  const auto lanes_before = [](unsigned number, unsigned warp) {
    const unsigned lanes = number > warp * 32 ? std::min(number - warp * 32, 32u) : 0;
    return static_cast<unsigned>((1ULL << lanes) - 1);
  };
  for (unsigned i = 0; i <= (block.started - 1) / 32; i++) {
    const unsigned before = lanes_before(current->number, i);
    const bool in_collective = at_collective && i == block.warp;
    block.warps[i].at_barrier = ending || in_collective ? 0 : before;
    if (ending) block.warps[i].returned = before;
    if (in_collective) block.warps[i].waiting = before;
    make_ready(block, i, lanes_before(block.started, i) & ~lanes_before(current->number + 1, i));
  }
}

namespace {

// Takes a ready thread at random, or null to start one before.
Thread *take_at_random(BlockState &block) {
  unsigned ready = 0;
  for (const Warp &warp : block.warp_memory)
    ready += static_cast<unsigned>(__builtin_popcount(warp.ready));
  if (ready == 0 || (block.started < block.count && block.random.below(2) == 0)) return nullptr;
  unsigned before = block.random.below(ready);
  for (unsigned i = 0;; i++) {
    Warp &warp = block.warps[i];
    for (unsigned left = warp.ready; left != 0; left &= left - 1) {
      if (before-- > 0) continue;
      warp.ready &= ~(left & -left);
      if (warp.ready == 0) block.ready_warps &= ~(1u << i);
      return &block.threads[i * 32 + static_cast<unsigned>(__builtin_ctz(left))];
    }
  }
}

// Null if there is none.
Thread *take_ready(BlockState &block) {
  if (!block.shuffled) return has_ready(block) ? take_lane(block) : nullptr;
  Thread *const thread = take_at_random(block);
  if (thread == nullptr) return nullptr;
  current = thread;
  threadIdx = thread->index;
  return thread;
}

}  // namespace

void shuffle_order(BlockState &block, std::uint64_t launch_number, std::uint64_t block_index) {
  block.random.state = settings().seed;
  block.random.state = block.random.next() + launch_number;
  block.random.state = block.random.next() + block_index;
  block.order_memory.resize(block.count);
  std::iota(block.order_memory.begin(), block.order_memory.end(), 0u);
  for (unsigned i = block.count; i > 1; i--)
    std::swap(block.order_memory[i - 1], block.order_memory[block.random.below(i)]);
  block.order = block.order_memory.data();
  block.shuffled = true;
  block.collective = true;  // start and return are counted from the first thread on
}

std::uint64_t switch_to_other_warp(BlockState &block, void **from) {
  const Target next = next_target(block);
  return switch_stacks(from, next.stack, next.value);
}

Target next_target(BlockState &block) {
  if (const Thread *const thread = take_ready(block)) return {thread->stack, thread->value};
  return block.started < block.count ? new_target(block) : outside(block);
}

Target new_target(BlockState &block) {
  // The first thread of a block runs in a loop that expects no barrier.
  current = nullptr;  // nothing is interrupted here
  block.worker =
      take_worker(run_unstarted, block.collective ? block.grid->number : Worker::kNoLoop);
  return {block.worker->stack, 0};
}

}  // namespace cuda_cpu
