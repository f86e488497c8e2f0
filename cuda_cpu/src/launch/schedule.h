// Switching between the threads of a block: which one runs next. Inline, because every barrier of
// every thread passes here.
//
// The lanes of a warp take turns until none of them can go on, then the lanes of the next warp: the
// stacks of 32 threads stay in the first level of the cache. A thread that has not started yet
// starts when no other can go on.
#ifndef CUDA_CPU_SCHEDULE_H
#define CUDA_CPU_SCHEDULE_H

#include <cstring>

#include "block.h"
#include "fiber.h"

namespace cuda_cpu {

// Moves block.warp on to another warp with ready lanes. False if there is none.
bool find_ready_warp(BlockState &block);

inline bool has_ready(BlockState &block) {
  return block.warps[block.warp].ready != 0 || find_ready_warp(block);
}

// These lanes of a warp can go on; all of a queue, which is empty then.
inline void make_ready(BlockState &block, unsigned warp, unsigned lanes) {
  if (lanes == 0) return;
  block.warps[warp].ready |= lanes;
  block.ready_warps |= 1u << warp;
}
void make_ready(BlockState &block, Queue &queue);

// The first ready lane of block.warp, which has one, is the running thread from here on.
[[gnu::always_inline]] inline Thread *take_lane(BlockState &block) {
  Warp &warp = block.warps[block.warp];
  Thread *const thread =
      &block.threads[block.warp * 32 + static_cast<unsigned>(__builtin_ctz(warp.ready))];
  warp.ready &= warp.ready - 1;
  prefetch_stack(thread[1].stack);
  current = thread;
  threadIdx = thread->index;
  return thread;
}

// In a wave and at its end: `next`, which has started, is the running thread from here on.
[[gnu::always_inline]] inline Target go_on_with(Thread *next) {
  current = next;
  threadIdx = next->index;
  prefetch_stack(next[1].stack);
  return {next->stack, 0};
}

// Suspends the running stack, stored in *from, and goes on with the next thread that can run or,
// without one, with run_block().
std::uint64_t switch_to_other_warp(BlockState &block, void **from);
// What such a switch goes on with: the next thread that can run, one that has not started, or
// run_block().
Target next_target(BlockState &block);
// ... a thread that has not started.
Target new_target(BlockState &block);
// ... run_block(). Until another thread runs there is no current one.
inline Target outside(BlockState &block) {
  current = nullptr;
  return {block.stack_outside, 0};
}
[[gnu::always_inline]] inline std::uint64_t switch_to_next(BlockState &block, void **from) {
  if (block.warps[block.warp].ready == 0 || block.shuffled)
    return switch_to_other_warp(block, from);
  const Thread *const next = take_lane(block);
  return switch_stacks(from, next->stack, next->value);
}

// Ends the wave or its end, if there is one: brings the sets of lanes up to date.
void leave_wave(BlockState &block);

// The running thread waits at `site` until make_ready() names it. Returns its `value`.
[[gnu::always_inline]] inline std::uint64_t suspend(BlockState &block, const Site *site) {
  Thread *const self = current;
  self->site = site;
  return switch_to_next(block, &self->stack);
}
inline std::uint64_t suspend(BlockState &block, const Site *site, Queue &queue) {
  queue.push(current);
  return suspend(block, site);
}

// The first barrier or collective of a block: from here on started and returned threads are
// counted.
void begin_collectives(BlockState &block);

// What begins each wait outside a wave.
[[gnu::always_inline]] inline BlockState &enter_collective() {
  BlockState &block = state_of(*current_block);
  if (__builtin_expect(!block.collective, false)) begin_collectives(block);
  if (block.wave || block.ending) leave_wave(block);
  return block;
}

inline bool same_line(const Site *a, const Site *b) {
  return a->line == b->line && a->file == b->file && a->what == b->what;
}
inline bool same_site(const Site *a, const Site *b) {
  const auto same = [](const char *s, const char *t) { return s == t || std::strcmp(s, t) == 0; };
  return a == b || (a->line == b->line && same(a->file, b->file) && same(a->what, b->what));
}

// racecheck: shuffles the start order of the block's threads, so that a missing barrier shows. The
// order depends only on the seed (CUDA_CPU_RACECHECK), the number of the launch in this program and
// the index of the block.
void shuffle_order(BlockState &block, std::uint64_t launch_number, std::uint64_t block_index);

// The next steps when the last thread that others wait for has come or returned.
void release_barrier(BlockState &block, unsigned arrived);
// A lane has returned: the collective that waits only for it is complete.
void complete_without(BlockState &block, unsigned warp_index, unsigned lane);
// Answers the threads that wait in __activemask(); false if there are none.
bool release_active_masks(BlockState &block);
// Makes threads ready whose cuda::barrier has gone on to its next phase; false if there are none.
bool release_phases(BlockState &block);
bool waits_for_other_blocks(const BlockState &block);  // in a cuda::barrier

}  // namespace cuda_cpu
#endif
