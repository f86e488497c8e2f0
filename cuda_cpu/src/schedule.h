// Switching between the threads of a block: which one runs next. Inline, because every barrier of
// every thread passes here.
#ifndef CUDA_CPU_SCHEDULE_H
#define CUDA_CPU_SCHEDULE_H

#include <algorithm>
#include <cstring>

#include "block.h"
#include "fiber.h"

namespace cuda_cpu {

// A worker's two pieces of code: running the threads that have not started, and stepping aside when
// there are none.
void run_unstarted();
void go_idle();

// The worker of the next thread that can run, or null. A shuffled block picks at random.
[[gnu::always_inline]] inline Worker *next_worker(BlockState &block) {
  const bool can_start = block.started < block.count;
  if (block.shuffled && block.ready.length > 0) {
    if (can_start && block.random.below(2) == 0) return take_worker(run_unstarted, go_idle);
    for (unsigned turns = block.random.below(std::min(block.ready.length, 8u)); turns > 0; turns--)
      block.ready.push(block.ready.pop());
  }
  if (Thread *const thread = block.ready.pop()) {
    if (const Thread *const next = thread->next) {
      prefetch_stack(next->worker);
      if (next->next != nullptr) __builtin_prefetch(next->next->worker);
    }
    current = thread;
    threadIdx = thread->index;
    return thread->worker;
  }
  return can_start ? take_worker(run_unstarted, go_idle) : nullptr;
}

[[gnu::always_inline]] inline void switch_to_next(BlockState &block) {
  Worker *const next = next_worker(block);
  switch_to(next != nullptr ? next : &pool().main);
}

// The running thread waits in `queue` (or, for a warp collective, in its warp).
[[gnu::always_inline]] inline void suspend(BlockState &block, const Site *site, Queue *queue) {
  Thread *const self = current;
  self->site = site;
  self->worker = pool().running;
  if (queue != nullptr) queue->push(self);
  switch_to_next(block);
}

// The first barrier or collective of a block: from here on started and returned threads are
// counted.
void begin_collectives(BlockState &block);

[[gnu::always_inline]] inline BlockState &enter_collective() {
  BlockState &block = state_of(*current_block);
  if (!block.collective) begin_collectives(block);
  return block;
}

inline bool same_site(const Site *a, const Site *b) {
  const auto same = [](const char *s, const char *t) { return s == t || std::strcmp(s, t) == 0; };
  return a == b || (a->line == b->line && same(a->file, b->file) && same(a->what, b->what));
}

// The next steps when the last thread that others wait for has come or returned.
void release_barrier(BlockState &block, int arrived);
// If all lanes of `mask` that have not returned wait for the same collective: computes it and makes
// them ready, except for `running`, which goes on by itself. False if a lane is missing.
bool complete_collective(BlockState &block, unsigned warp_index, unsigned mask, int operation,
                         const Thread *running);
// Answers the threads that wait in __activemask(); false if there are none.
bool release_active_masks(BlockState &block);
// Makes threads ready whose cuda::barrier has gone on to its next phase; false if there are none.
bool release_phases(BlockState &block);
bool waits_for_other_blocks(const BlockState &block);  // in a cuda::barrier

}  // namespace cuda_cpu
#endif
