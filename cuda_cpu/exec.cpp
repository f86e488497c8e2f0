#include "cuda_cpu/exec.h"

#include <sched.h>

#include <algorithm>
#include <cstring>

#include "cuda_cpu/fiber.h"
#include "cuda_cpu/grid.h"
#include "cuda_cpu/settings.h"
#include "cuda_cpu/warp.h"

namespace cuda_cpu {

__thread Thread *current = nullptr;
__thread Block *current_block = nullptr;
__thread uint3 threadIdx, blockIdx;
__thread dim3 blockDim, gridDim;

// ---- one block: which thread runs next ---------------------------------------------------------

namespace {

BlockState &state_of(Block &block) { return static_cast<BlockState &>(block); }

void run_threads() { current_block->grid->call->run_threads(*current_block); }
void go_idle();

// The worker of the next thread that can run, or null. A shuffled block picks at random.
[[gnu::always_inline]] inline Worker *next_worker(Block &block) {
  const bool can_start = block.started < block.count;
  if (block.shuffled && block.ready.length > 0) {
    Random &random = state_of(block).random;
    if (can_start && random.below(2) == 0) return take_worker(run_threads, go_idle);
    for (unsigned turns = random.below(std::min(block.ready.length, 8u)); turns > 0; turns--)
      block.ready.push(block.ready.pop());
  }
  if (Thread *const thread = block.ready.pop()) {
    current = thread;
    threadIdx = thread->index;
    return thread->worker;
  }
  return can_start ? take_worker(run_threads, go_idle) : nullptr;
}

[[gnu::always_inline]] inline void switch_to_next(Block &block) {
  Worker *const next = next_worker(block);
  switch_to(next != nullptr ? next : &pool().main);
}

// A worker that has no thread left to start steps aside.
void go_idle() {
  return_worker(pool().running);
  switch_to_next(*current_block);
}

// The first barrier or collective of a block: from here on it counts who has started and returned.
void begin_collectives(Block &block) {
  block.collective = true;
  block.started = current->number + 1;
  block.returned = current->number;
  for (unsigned i = 0; i < current->number; i++) block.warps[i / 32].returned |= 1u << (i % 32);
}

[[gnu::always_inline]] inline Block &enter_collective() {
  Block &block = *current_block;
  if (!block.collective) begin_collectives(block);
  return block;
}

// The running thread waits in `queue` (or, for a warp collective, in its warp).
[[gnu::always_inline]] inline void suspend(Block &block, const Site *site, Queue *queue) {
  Thread *const self = current;
  self->site = site;
  self->worker = pool().running;
  if (queue != nullptr) queue->push(self);
  switch_to_next(block);
}

}  // namespace

// ---- barriers

namespace {

inline bool same_site(const Site *a, const Site *b) {
  const auto same = [](const char *s, const char *t) { return s == t || std::strcmp(s, t) == 0; };
  return a == b || (a->line == b->line && same(a->file, b->file) && same(a->what, b->what));
}

// All threads that have not returned have come to the barrier; those in the queue go on.
void release_barrier(Block &block, int arrived) {
  block.barrier_result = block.barrier_true;
  block.barrier_arrived = arrived;
  block.barrier_true = 0;
  block.ready.append(block.barrier);
}

}  // namespace

int block_barrier(const Site *site, int predicate, int kind) {
  Block &block = enter_collective();
  block.barrier_true += predicate;
  if (block.barrier.length == 0) block.barrier_site = site;
  // For good: run_block() reports it once all others wait too, so that it can say where.
  if (!same_site(block.barrier_site, site)) suspend(block, site, &block.misplaced);
  const unsigned arrived = block.barrier.length + 1;
  if (arrived + block.returned == block.count)
    release_barrier(block, static_cast<int>(arrived));
  else
    suspend(block, site, &block.barrier);
  // Nobody can complete the next barrier before this thread has read the result of this one.
  if (kind == 1) return block.barrier_result;
  return kind == 2 ? block.barrier_result == block.barrier_arrived : block.barrier_result > 0;
}

void grid_barrier(const Site *site) {
  Block &block = enter_collective();
  if (!block.grid->launch.cooperative)
    diagnose("synccheck", "grid.sync() in a kernel that was not launched cooperatively");
  suspend(block, site, &block.grid_barrier);
}

void spin_yield(const Site *site) {
  if (current == nullptr) {  // host code
    sched_yield();
    return;
  }
  Block &block = enter_collective();
  suspend(block, site, &block.yielded);
}

// ---- warps

namespace {

// If all lanes of `mask` that have not returned wait for the same collective: computes it and
// makes them ready, except for `running`, which goes on by itself. False if somebody is missing.
bool complete_collective(Block &block, unsigned warp_index, unsigned mask, int operation,
                         const Thread *running) {
  Warp &warp = block.warps[warp_index];
  const unsigned lanes = mask & warp.present & ~warp.returned;
  if ((warp.waiting & lanes) != lanes || lanes == 0) return false;
  Thread *const threads = &block.threads[warp_index * 32];
  std::uint64_t values[32], results[32];
  int arguments[32];
  for (unsigned left = lanes; left != 0; left &= left - 1) {
    const int lane = __builtin_ctz(left);
    const Thread &thread = threads[lane];
    if (thread.mask != mask || thread.operation != operation) return false;
    values[lane] = thread.value;
    arguments[lane] = thread.argument;
    results[lane] = 0;
  }
  warp_results(operation, lanes, values, arguments, results);
  warp.waiting &= ~lanes;
  for (unsigned left = lanes; left != 0; left &= left - 1) {
    const int lane = __builtin_ctz(left);
    threads[lane].result = results[lane];
    if (&threads[lane] != running) block.ready.push(&threads[lane]);
  }
  return true;
}

}  // namespace

std::uint64_t warp_collective(int operation, const Site *site, unsigned mask, std::uint64_t value,
                              int argument) {
  Block &block = enter_collective();
  Thread *const self = current;
  const unsigned lane = self->number % 32;
  if ((mask >> lane & 1u) == 0)
    diagnose("synccheck", "%s:%d: lane %u calls %s with mask 0x%08x, which does not name it",
             site->file, site->line, lane, site->what, mask);
  self->operation = operation;
  self->mask = mask;
  self->value = value;
  self->argument = argument;
  self->site = site;
  block.warps[self->number / 32].waiting |= 1u << lane;
  if (!complete_collective(block, self->number / 32, mask, operation, self))
    suspend(block, site, nullptr);
  return self->result;
}

unsigned active_mask(const Site *site) {
  Block &block = enter_collective();
  Thread *const self = current;
  block.warps[self->number / 32].gathered |= 1u << (self->number % 32);
  suspend(block, site, &block.active_mask);
  return static_cast<unsigned>(self->result);
}

namespace {

// __activemask() asks which lanes are here together. The best answer is known once nobody else
// can run: all lanes of a warp that have gathered at the same place.
bool release_active_masks(Block &block) {
  if (block.active_mask.length == 0) return false;
  for (Thread *thread = block.active_mask.head; thread != nullptr; thread = thread->next) {
    thread->result = 0;
    const unsigned warp_index = thread->number / 32;
    for (unsigned left = block.warps[warp_index].gathered; left != 0; left &= left - 1) {
      const unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
      if (same_site(block.threads[warp_index * 32 + lane].site, thread->site))
        thread->result |= 1u << lane;
    }
  }
  for (const Thread *thread = block.active_mask.head; thread != nullptr; thread = thread->next)
    block.warps[thread->number / 32].gathered = 0;
  block.ready.append(block.active_mask);
  return true;
}

}  // namespace

// A returned thread counts as arrived wherever others wait for it.
void thread_returned(Block &block, Thread &thread) {
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

// ---- running a block to its end, or as far as it gets

Outcome run_block(Block &block) {
  current_block = &block;
  blockIdx = block.index;
  blockDim = block.grid->shape.block;
  gridDim = block.grid->shape.grid;
  Outcome outcome = Outcome::kDone;
  for (;;) {
    if (Worker *const worker = next_worker(block)) {
      switch_to(worker);  // returns when no thread of the block can run
      continue;
    }
    if (!block.collective || block.returned == block.count) break;
    if (release_active_masks(block)) continue;
    if (block.misplaced.length > 0) diagnose_waiting(block, "wait at different barriers");
    if (block.yielded.length > 0) {
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
  current = nullptr;
  current_block = nullptr;
  return outcome;
}

}  // namespace cuda_cpu
