// One block: preparing it, its workers, and running it to its end or as far as it gets.
#include "block.h"

#include <cuda_cpu/launch.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "../diagnosis/check.h"
#include "../diagnosis/diagnose.h"
#include "../diagnosis/lines.h"
#include "grid.h"
#include "preempt.h"
#include "schedule.h"
#include "../diagnosis/settings.h"

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
  block.thread_memory.assign(block.count + 1, Thread{});  // one more, for prefetch_stack()
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
  block.kernel = grid.launch.name;
  block.index = unflatten(index, grid.launch.grid);
  block.cluster = nullptr;
  block.started = block.returned = 0;
  block.collective = false;
  block.generation = 0;
  std::fill(std::begin(block.named), std::end(block.named), 0);
  for (Warp &warp : block.warp_memory) warp.returned = 0;
  block.warp = block.ready_warps = 0;
  block.wave = BlockState::kNoWave;
  block.ending = false;
  block.turns = 0;
  block.found.clear();
  if (block.launch_failed)
    for (Thread &thread : block.thread_memory) thread.last_error = cudaSuccess;
  block.launch_failed = false;
  block.shared.reset(grid.launch.shared_bytes);
  if constexpr (check::kOn) check::block_begins(block, grid.first_number, index, false);
  if (settings().shuffle) shuffle_order(block, grid.number, index);
}

// ---- threads that wait for each other -----------------------------------------------------------

void begin_collectives(BlockState &block) {
  block.collective = true;
  block.worker->thread = current;
  if (!check::kOn && current->number == 0) block.wave = BlockState::kAtBarrier;
  block.started = current->number + 1;
  block.returned = current->number;
  for (unsigned i = 0; i < current->number; i++) block.warps[i / 32].returned |= 1u << (i % 32);
}

namespace {

// A returned thread counts as arrived wherever others wait for it.
void count_returned(BlockState &block, const Thread &thread) {
  leave_wave(block);
  const unsigned warp_index = thread.number / 32;
  Warp &warp = block.warps[warp_index];
  warp.returned |= 1u << thread.number % 32;
  block.returned++;
  if (warp.waiting != 0) complete_without(block, warp_index, thread.number % 32);
  if (block.at_barrier > 0 && block.at_barrier + block.returned == block.count)
    release_barrier(block, block.at_barrier);
}

// The thread of a wave's end has returned: the one behind it goes on.
Target target_behind(BlockState &block, const Thread &thread) {
  block.wave = BlockState::kNoWave;
  block.returned++;
  block.ending = block.returned < block.count;
  if (!block.ending) {
    block.ready_warps = 0;
    return outside(block);
  }
  return go_on_with(block.threads + thread.number + 1);
}

}  // namespace

void thread_returned(Block &block, const Thread &thread) {
  count_returned(state_of(block), thread);
}

Target after_thread(Block &running_block, const Thread &thread, WorkerBase *base) {
  Worker *const worker = static_cast<Worker *>(base);
  BlockState &block = state_of(running_block);
  const bool ends = block.ending || (block.wave && thread.number == 0);
  if (ends && block.started == block.count) {
    return_worker(worker, block.grid->number);
    return target_behind(block, thread);
  }
  count_returned(block, thread);
  if (block.started < block.count) return {nullptr, 0};
  return_worker(worker, block.grid->number);
  return next_target(block);
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
  Ticks ticks;
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

// Where a thread waits: of a loop, the line at which it was interrupted.
static std::string place_of(const Thread &thread) {
  const Site &site = *thread.site;
  if (&site == &kLoop) return std::string(" in ") + site.what + " at " + line_of(thread.value + 1);
  return std::string(" at ") + site.what + ", " + site.file + ":" + std::to_string(site.line);
}

void diagnose_waiting(const std::vector<BlockState *> &blocks, const char *problem) {
  struct Group {
    std::string place;
    unsigned threads;
    const BlockState *block;
    uint3 first;
  };
  std::vector<Group> groups;
  unsigned returned = 0;
  for (const BlockState *block : blocks)
    for (unsigned i = 0; i < block->count; i++) {
      const Thread &thread = block->threads[i];
      if ((block->warps[i / 32].returned >> (i % 32) & 1u) != 0) {
        returned++;
        continue;
      }
      const std::string place = place_of(thread);
      Group *group = nullptr;
      for (Group &g : groups)
        if (g.place == place) group = &g;
      if (group == nullptr) {
        groups.push_back({place, 0, block, thread.index});
        group = &groups.back();
      }
      group->threads++;
    }
  const bool several = blocks.size() > 1;
  const BlockState &one = *blocks.front();
  char text[512];
  std::snprintf(text, sizeof text, "kernel %s, block (%u,%u,%u)", one.kernel, one.index.x,
                one.index.y, one.index.z);
  std::string message = text;
  if (several) message += " and " + std::to_string(blocks.size() - 1) + " more";
  message += std::string(several ? ": their" : ": its") + " threads " + problem;
  for (const Group &g : groups) {
    const uint3 &t = g.first, &b = g.block->index;
    char first[128];
    std::snprintf(first, sizeof first, ", the first is thread (%u,%u,%u)", t.x, t.y, t.z);
    message += "\n  " + std::to_string(g.threads) + g.place + first;
    std::snprintf(first, sizeof first, " of block (%u,%u,%u)", b.x, b.y, b.z);
    if (several) message += first;
  }
  if (returned > 0) message += "\n  " + std::to_string(returned) + " have returned";
  end_program("synccheck", message);
}

Outcome run_block(BlockState &block) {
  set_inside(true);
  blockIdx = block.index;
  current_block = &block;
  blockDim = block.grid->launch.block;
  gridDim = block.grid->launch.grid;
  Outcome outcome = Outcome::kDone;
  for (;;) {
    if (block.started < block.count || has_ready(block)) {
      switch_to_other_warp(block, &block.stack_outside);  // returns when no thread can run
      continue;
    }
    if (!block.collective || block.returned == block.count) break;
    if (release_phases(block) || release_active_masks(block)) continue;
    if (block.misplaced.length > 0) diagnose_waiting({&block}, "wait at different barriers");
    if (block.yielded.length > 0 || waits_for_other_blocks(block)) {
      block.in_loops = all_in_loops(block);
      make_ready(block, block.yielded);
      outcome = Outcome::kYielded;
      break;
    }
    if (block.grid_barrier.length > 0 &&
        block.grid_barrier.length + block.returned == block.count) {
      outcome = Outcome::kAtGridBarrier;
      break;
    }
    diagnose_waiting({&block}, "wait for each other and none can go on");
  }
  if constexpr (check::kOn) check::block_pauses();
  current = nullptr;
  current_block = nullptr;
  if (outcome == Outcome::kDone) set_inside(false);
  return outcome;
}

}  // namespace cuda_cpu
