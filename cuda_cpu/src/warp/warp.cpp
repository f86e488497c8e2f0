// Warp collectives: threads that wait for their lanes, and what they get.
#include <cuda_cpu/warp.h>

#include <algorithm>

#include "../diagnosis/check.h"
#include "../diagnosis/diagnose.h"
#include "../launch/schedule.h"
#include "../diagnosis/settings.h"

namespace cuda_cpu {

namespace {

// ---- results: the scalar model ------------------------------------------------------------------

// Result of a shuffle whose source lane takes no part. CUDA leaves it undefined. Some programs,
// such as cuda-samples' reduction, need 0; in shuffled order it is a value that shows. A mask that
// names the source claims its value; without that, sums over part of a warp ignore what they get.
std::uint64_t undefined(const Thread &thread, unsigned source) {
  if constexpr (check::kOn)
    if ((thread.mask >> source & 1u) != 0) check::shuffled_from_nobody(thread, source);
  return settings().shuffle ? 0xdeadbeefdeadbeefULL : 0;
}

template <WarpOperation Operation>
unsigned shuffle_source(unsigned lane, int argument) {
  const unsigned distance = static_cast<unsigned>(argument) & 31,
                 width = static_cast<unsigned>(argument) >> 8;
  const unsigned first = lane & ~(width - 1), last = first + width - 1;
  if (Operation == kShuffle) return first + (distance & (width - 1));
  if (Operation == kShuffleUp) return lane < first + distance ? lane : lane - distance;
  const unsigned source = Operation == kShuffleDown ? lane + distance : lane ^ distance;
  return source > last ? lane : source;
}

template <WarpOperation Operation>
void shuffle(unsigned lanes, Thread *threads) {
  std::uint64_t values[32];
  const unsigned end = 32 - static_cast<unsigned>(__builtin_clz(lanes));
  for (unsigned lane = 0; lane < end; lane++) values[lane] = threads[lane].value;
  for (unsigned lane = 0; lane < end; lane++) {
    if ((lanes >> lane & 1u) == 0) continue;
    const unsigned source = shuffle_source<Operation>(lane, threads[lane].argument);
    threads[lane].value =
        (lanes >> source & 1u) != 0 ? values[source] : undefined(threads[lane], source);
  }
}

std::uint64_t combine(int operation, std::uint64_t a, std::uint64_t b) {
  const unsigned ua = static_cast<unsigned>(a), ub = static_cast<unsigned>(b);
  const int sa = static_cast<int>(ua), sb = static_cast<int>(ub);
  switch (operation) {
    case kReduceAdd: return ua + ub;
    case kReduceMin: return std::min(ua, ub);
    case kReduceMax: return std::max(ua, ub);
    case kReduceMinSigned: return static_cast<unsigned>(std::min(sa, sb));
    case kReduceMaxSigned: return static_cast<unsigned>(std::max(sa, sb));
    case kReduceAnd: return ua & ub;
    case kReduceOr: return ua | ub;
    default: return ua ^ ub;  // kReduceXor
  }
}

// What the lanes of `lanes`, which is not 0, get from a collective that all of them have called:
// threads[lane].value and .argument hold what lane gives; its result replaces .value.
void warp_results(int operation, unsigned lanes, Thread *threads) {
  const auto for_each_lane = [lanes](auto visit) {
    for (unsigned left = lanes; left != 0; left &= left - 1) visit(__builtin_ctz(left));
  };
  switch (operation) {
    case kSyncWarp: return;
    case kShuffle: return shuffle<kShuffle>(lanes, threads);
    case kShuffleUp: return shuffle<kShuffleUp>(lanes, threads);
    case kShuffleDown: return shuffle<kShuffleDown>(lanes, threads);
    case kShuffleXor: return shuffle<kShuffleXor>(lanes, threads);
    default: break;
  }
  std::uint64_t values[32] = {};
  for_each_lane([&](int lane) { values[lane] = threads[lane].value; });
  switch (operation) {
    case kMatchAny:
      for_each_lane([&](int lane) {
        threads[lane].value = 0;
        for_each_lane([&](int other) {
          if (values[other] == values[lane]) threads[lane].value |= 1ULL << other;
        });
      });
      return;
    default: break;
  }
  // The others have one result for all lanes.
  const int first = __builtin_ctz(lanes);
  unsigned truths = 0;
  bool equal = true;
  std::uint64_t common = values[first];
  for_each_lane([&](int lane) {
    if (values[lane] != 0) truths |= 1u << lane;
    equal = equal && values[lane] == values[first];
    if (lane != first) common = combine(operation, common, values[lane]);
  });
  if (operation == kBallot) common = truths;
  if (operation == kAny) common = truths != 0;
  if (operation == kAll) common = truths == lanes;
  if (operation == kMatchAll) common = equal ? lanes : 0;
  for_each_lane([&](int lane) { threads[lane].value = common; });
}

// ---- completing a collective --------------------------------------------------------------------

// All of `lanes` wait for this collective: gives each its result. They are ready, except for
// `running`, which goes on by itself.
void complete(BlockState &block, unsigned warp_index, unsigned lanes, int operation,
              const Thread *running) {
  Warp &warp = block.warps[warp_index];
  warp_results(operation, lanes, &block.threads[warp_index * 32]);
  warp.waiting &= ~lanes;
  if constexpr (check::kOn) check::warp_called(block, warp_index, lanes, operation);
  make_ready(block, warp_index, running == nullptr ? lanes : lanes & ~(1u << running->number % 32));
  // A loop that waits for what another warp writes must not keep that warp from running. In CHECK
  // builds, where time matters less, warps take turns as on a GPU.
  constexpr unsigned kMostTurns = check::kOn ? 1 : 64;
  if (++block.turns % kMostTurns == 0) find_ready_warp(block);
}

// ---- lanes that wait with different masks or for different operations

// The collective of `thread` is complete if all lanes of its mask that have not returned wait with
// this mask for this operation.
bool complete_if_all_wait(BlockState &block, unsigned warp_index, const Thread &thread,
                          const Thread *running) {
  const Warp &warp = block.warps[warp_index];
  const unsigned lanes = thread.mask & warp.present & ~warp.returned;
  if ((warp.waiting & lanes) != lanes || lanes == 0) return false;
  for (unsigned left = lanes; left != 0; left &= left - 1) {
    const Thread &other =
        block.threads[warp_index * 32 + static_cast<unsigned>(__builtin_ctz(left))];
    if (other.mask != thread.mask || other.operation != thread.operation) return false;
  }
  complete(block, warp_index, lanes, thread.operation, running);
  return true;
}

// From now on the waiting lanes have separate masks and operations.
void mix(BlockState &block, Warp &warp) {
  if (warp.mixed) return;
  warp.mixed = true;
  Thread *const threads = &block.threads[(&warp - block.warps) * 32];
  for (unsigned left = warp.waiting; left != 0; left &= left - 1) {
    Thread &thread = threads[__builtin_ctz(left)];
    thread.mask = warp.mask;
    thread.operation = warp.operation;
  }
}

[[gnu::noinline]] Target mixed_collective(BlockState &block, int operation, unsigned mask) {
  Thread *const self = current;
  const unsigned warp_index = self->number / 32;
  Warp &warp = block.warps[warp_index];
  mix(block, warp);
  self->operation = operation;
  self->mask = mask;
  warp.waiting |= 1u << self->number % 32;
  if (complete_if_all_wait(block, warp_index, *self, self)) return {nullptr, 0};
  return next_target(block);
}

}  // namespace

void complete_without(BlockState &block, unsigned warp_index, unsigned lane) {
  Warp &warp = block.warps[warp_index];
  mix(block, warp);
  for (unsigned left = warp.waiting; left != 0;) {
    const Thread &waiting =
        block.threads[warp_index * 32 + static_cast<unsigned>(__builtin_ctz(left))];
    left &= ~waiting.mask & (left - 1);
    if ((waiting.mask >> lane & 1u) != 0) complete_if_all_wait(block, warp_index, waiting, nullptr);
  }
}

// ---- what threads call --------------------------------------------------------------------------

namespace {

[[noreturn, gnu::noinline]] void lane_not_named(const Site *site, unsigned mask) {
  diagnose("synccheck", "%s:%d: lane %u calls %s with mask 0x%08x, which does not name it",
           site->file, site->line, current->number % 32, site->what, mask);
}

// Outside a wave, or where lanes do not call the same.
[[gnu::noinline]] Target uncommon_collective(int operation, unsigned mask) {
  BlockState &block = enter_collective();
  Thread *const self = current;
  const unsigned warp_index = self->number / 32, lane = self->number % 32;
  Warp &warp = block.warps[warp_index];
  if ((mask >> lane & 1u) == 0) lane_not_named(self->site, mask);
  if (warp.waiting == 0) {
    warp.mask = mask;
    warp.operation = operation;
    warp.mixed = false;
  } else if (warp.mixed || warp.mask != mask || warp.operation != operation) {
    return mixed_collective(block, operation, mask);
  }
  warp.waiting |= 1u << lane;
  const unsigned lanes = mask & warp.present & ~warp.returned;
  if ((lanes & ~warp.waiting) != 0) return next_target(block);
  complete(block, warp_index, lanes, operation, self);
  return {nullptr, 0};
}

// These are not inlined, so that the common way through come_to_collective() needs no registers
// that have to be saved.

[[gnu::noinline]] Target first_lane(BlockState &block, int operation, unsigned mask) {
  Thread *const self = current;
  Warp &warp = block.warps[self->number / 32];
  // Warps take turns where collectives stand in a loop that may wait for what another one writes.
  constexpr unsigned kMostTurns = 4096;
  if (!block.collective) begin_collectives(block);
  if (block.wave != BlockState::kAtBarrier || (~mask & warp.present) != 0 || warp.present == 1 ||
      ++block.turns > kMostTurns)
    return uncommon_collective(operation, mask);
  block.wave = BlockState::kAtCollective;
  warp.mask = block.wave_mask = mask;
  warp.operation = block.wave_operation = operation;
  warp.mixed = false;
  block.wave_last = self + (31 - __builtin_clz(warp.present));
  return self + 1 == block.threads + block.started ? new_target(block) : go_on_with(self + 1);
}

[[gnu::noinline]] Target last_lane(BlockState &block) {
  Thread *const first = &block.threads[current->number / 32 * 32];
  warp_results(block.wave_operation, block.warps[current->number / 32].present, first);
  block.wave = BlockState::kAtBarrier;
  return go_on_with(first);
}

}  // namespace

Target come_to_collective(int operation, const Site *site, unsigned mask, std::uint64_t value,
                          int argument) {
  BlockState &block = state_of(*current_block);
  Thread *const self = current;
  self->site = site;
  self->value = value;
  self->argument = argument;
  if constexpr (check::kOn) self->mask = mask;
  if (block.wave != BlockState::kAtCollective)
    return self->number % 32 == 0 ? first_lane(block, operation, mask)
                                  : uncommon_collective(operation, mask);
  if (block.wave_mask != mask || block.wave_operation != operation)
    return uncommon_collective(operation, mask);
  if (self == block.wave_last) return last_lane(block);
  return self + 1 == block.threads + block.started ? new_target(block) : go_on_with(self + 1);
}

std::uint64_t wait_in_collective(int operation, const Site *site, unsigned mask,
                                 std::uint64_t value, int argument) {
  Thread *const self = current;
  const Target next = come_to_collective(operation, site, mask, value, argument);
  if (next.stack != nullptr) switch_stacks(&self->stack, next.stack, next.value);
  return self->value;
}

unsigned active_mask(const Site *site) {
  BlockState &block = enter_collective();
  Thread *const self = current;
  block.warps[self->number / 32].gathered |= 1u << (self->number % 32);
  return static_cast<unsigned>(suspend(block, site, block.active_mask));
}

// __activemask() asks which lanes are here together. The best answer is known once no other thread
// can run: all lanes of a warp that have gathered at the same place.
bool release_active_masks(BlockState &block) {
  if (block.active_mask.length == 0) return false;
  for (Thread *thread = block.active_mask.head; thread != nullptr; thread = thread->next) {
    thread->value = 0;
    const unsigned warp_index = thread->number / 32;
    for (unsigned left = block.warps[warp_index].gathered; left != 0; left &= left - 1) {
      const unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
      if (same_site(block.threads[warp_index * 32 + lane].site, thread->site))
        thread->value |= 1u << lane;
    }
  }
  for (const Thread *thread = block.active_mask.head; thread != nullptr; thread = thread->next)
    block.warps[thread->number / 32].gathered = 0;
  make_ready(block, block.active_mask);
  return true;
}

}  // namespace cuda_cpu
