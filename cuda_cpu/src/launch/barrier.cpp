// Barriers: of a block, of a grid, and the pause in a spin loop.
#include <cuda_cpu/barrier.h>
#include <cuda_cpu/phase_barrier.h>

#include <sched.h>

#include <iterator>

#include "../diagnosis/check.h"
#include "../diagnosis/diagnose.h"
#include "grid.h"
#include "schedule.h"

namespace cuda_cpu {

namespace {

void set_result(BlockState &block, unsigned arrived) {
  block.barrier_result = block.barrier_true;
  block.barrier_arrived = static_cast<int>(arrived);
  block.barrier_true = 0;
}

}  // namespace

// All threads that have not returned have come to the barrier: those that wait there go on.
void release_barrier(BlockState &block, unsigned arrived) {
  set_result(block, arrived);
  block.at_barrier = 0;
  if constexpr (check::kOn) check::block_synchronised(block);
  for (unsigned i = 0; i < block.warp_memory.size(); i++) {
    const unsigned lanes = block.warps[i].at_barrier;
    block.warps[i].at_barrier = 0;
    make_ready(block, i, lanes);
  }
  // The first warp goes on first. No other one may be in ready_warps without ready lanes.
  if (block.warps[block.warp].ready == 0) block.ready_warps &= ~(1u << block.warp);
  block.warp = 0;
}

namespace {

// All threads of the block wait at the barrier, the running one as the last: the first one goes on.
Target start_wave(BlockState &block) {
  set_result(block, block.count);
  block.at_barrier = 0;
  block.wave = BlockState::kAtBarrier;
  block.turns = 0;
  Thread *const first = block.threads;
  if (current == first) return {nullptr, 0};
  current = first;
  threadIdx = first->index;
  return {first->stack, 0};
}

[[gnu::noinline]] Target arrive(const Site *site) {
  if (!state_of(*current_block).collective) {
    begin_collectives(state_of(*current_block));
    return come_to_barrier(site);
  }
  BlockState &block = enter_collective();
  current->site = site;
  if (block.at_barrier == 0) block.barrier_site = site;
  // Waits without end: run_block() reports it, with all places, once all others wait too.
  if (!same_site(block.barrier_site, site)) suspend(block, site, block.misplaced);
  const unsigned arrived = block.at_barrier + 1;
  if (arrived == block.count && !check::kOn && !block.shuffled) {
    for (Warp &warp : block.warp_memory) warp.at_barrier = 0;
    return start_wave(block);
  }
  if (arrived + block.returned == block.count) {
    release_barrier(block, arrived);
    return {nullptr, 0};
  }
  block.at_barrier = arrived;
  const unsigned self = current->number;
  block.warps[self / 32].at_barrier |= 1u << self % 32;
  return next_target(block);
}

}  // namespace

Target come_to_barrier(const Site *site) {
  BlockState &block = state_of(*current_block);
  Thread *const self = current;
  if (block.wave != BlockState::kAtBarrier) return arrive(site);
  if (block.barrier_site != site) {
    if (self == block.threads)
      block.barrier_site = site;
    else if (!same_line(block.barrier_site, site))
      return arrive(site);
  }
  self->site = site;
  Thread *const next = self + 1;
  if (next == block.threads + block.started)
    return block.started == block.count ? start_wave(block) : new_target(block);
  return go_on_with(next);
}

void wait_at_barrier(const Site *site) {
  Thread *const self = current;
  const Target next = come_to_barrier(site);
  if (next.stack != nullptr) switch_stacks(&self->stack, next.stack, next.value);
}

int block_barrier(const Site *site, int predicate, Vote vote) {
  BlockState &block = state_of(*current_block);
  block.barrier_true += predicate;
  block_barrier(site);
  // The next barrier cannot complete before this thread has read the result of this one.
  if (vote == Vote::kCount) return block.barrier_result;
  return vote == Vote::kAnd ? block.barrier_result == block.barrier_arrived
                            : block.barrier_result > 0;
}

void grid_barrier(const Site *site) {
  BlockState &block = enter_collective();
  if (!block.grid->launch.cooperative)
    diagnose("synccheck", "grid.sync() in a kernel that was not launched cooperatively");
  suspend(block, site, block.grid_barrier);
}

namespace {

bool has_phase(const Thread &thread) {
  const auto *const state = reinterpret_cast<const std::uint64_t *>(thread.value);
  return __atomic_load_n(state, __ATOMIC_ACQUIRE) >> 32 == static_cast<unsigned>(thread.argument);
}

}  // namespace

void phase_wait(const Site *site, const std::uint64_t *state, std::uint32_t phase,
                bool within_block) {
  if (current == nullptr) {  // host code
    while (__atomic_load_n(state, __ATOMIC_ACQUIRE) >> 32 == phase) sched_yield();
    return;
  }
  BlockState &block = enter_collective();
  current->value = reinterpret_cast<std::uint64_t>(state);
  current->argument = static_cast<int>(phase);
  current->mask = within_block;
  if (has_phase(*current)) suspend(block, site, block.phases);
  if constexpr (check::kOn) check::phase_waited(block, state, phase);
}

void phase_completed(const std::uint64_t *state, std::uint32_t phase) {
  if constexpr (check::kOn)
    if (current != nullptr) check::phase_completed(state_of(*current_block), state, phase);
}

void named_barrier(const Site *site, unsigned id, unsigned count, bool wait) {
  BlockState &block = enter_collective();
  if (id >= std::size(block.named) || count == 0 || count % 32 != 0 || count > 1024)
    diagnose("synccheck",
             "%s:%d: %s with barrier %u and %u threads: there are 16, for multiples of 32",
             site->file, site->line, site->what, id, count);
  std::uint64_t &state = block.named[id];  // phase << 32 | arrived
  const std::uint32_t phase = static_cast<std::uint32_t>(state >> 32);
  const std::uint32_t arrived = static_cast<std::uint32_t>(++state);
  if constexpr (check::kOn) check::phase_arrived(block, &state, arrived == 1);
  if (arrived == count) {
    state = static_cast<std::uint64_t>(phase + 1) << 32;
    phase_completed(&state, phase);
  }
  if (wait && (check::kOn || arrived < count)) phase_wait(site, &state, phase, true);
}

bool release_phases(BlockState &block) {
  bool any = false;
  for (unsigned waiting = block.phases.length; waiting > 0; waiting--) {
    Thread *const thread = block.phases.pop();
    const bool waits = has_phase(*thread);
    if (waits)
      block.phases.push(thread);
    else
      make_ready(block, thread->number / 32, 1u << thread->number % 32);
    any = any || !waits;
  }
  return any;
}

bool waits_for_other_blocks(const BlockState &block) {
  for (const Thread *thread = block.phases.head; thread != nullptr; thread = thread->next)
    if (thread->mask == 0) return true;
  return false;
}

void spin_yield(const Site *site) {
  if (current == nullptr) {  // host code
    sched_yield();
    return;
  }
  BlockState &block = enter_collective();
  suspend(block, site, block.yielded);
}

}  // namespace cuda_cpu
