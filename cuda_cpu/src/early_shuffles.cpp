// Shuffles up that need not wait.
#include "early_shuffles.h"

#include <cuda_cpu/warp.h>

#include "schedule.h"

namespace cuda_cpu {

bool has_left_out_shuffle(const BlockState &block) {
  const EarlyShuffles &early = block.early;
  return early.done[current->number % 32] != early.length && early.warp == current->number / 32;
}

void lane_passed(BlockState &block) {
  EarlyShuffles &early = block.early;
  const Warp &warp = block.warps[early.warp];
  make_ready(block, early.warp, early.waiting);
  const unsigned came = early.came(early.length - 1);
  if (early.waiting == 0 && ((came | warp.returned) & warp.present) == warp.present) early.clear();
  early.waiting = 0;
}

std::uint64_t go_through(BlockState &block, const Site *site, std::uint64_t value, int argument) {
  EarlyShuffles &early = block.early;
  const unsigned lane = current->number % 32;
  const unsigned entry = early.done[lane]++;
  early.values[entry][lane] = value;
  const unsigned source = lane_above(lane, argument);
  const Warp &warp = block.warps[early.warp];
  const auto source_came = [&] { return early.done[source] > entry; };
  // Always there in a wave.
  while (!source_came() && (warp.returned >> source & 1u) == 0) {
    leave_wave(block);
    early.waiting |= 1u << lane;
    suspend(block, site);
  }
  const std::uint64_t result = source_came() ? early.values[entry][source] : 0;
  if (!block.wave)
    lane_passed(block);
  else if (lane == early.last && entry + 1 == early.length)
    early.clear();  // all lanes before it have gone through all entries
  return result;
}

// Not as most lanes call it: lane 0 opens an entry, the last lane is the last that needs them.
std::uint64_t uncommon_shuffle_up(const Site *site, unsigned mask, std::uint64_t value,
                                  int argument) {
  BlockState &block = state_of(*current_block);
  if (!block.collective) begin_collectives(block);
  EarlyShuffles &early = block.early;
  const unsigned warp = current->number / 32, lane = current->number % 32;
  const unsigned present = block.warps[warp].present;
  if (block.wave && lane == 0 && (mask & present) == present && early.done[0] == early.length &&
      early.length < EarlyShuffles::kMost) {
    early.warp = warp;
    early.last = 31 - static_cast<unsigned>(__builtin_clz(present));
    early.site[early.length] = site;
    early.mask[early.length++] = mask;
  }
  if (block.wave && early.done[lane] < early.length && early.mask[early.done[lane]] == mask)
    return go_through(block, site, value, argument);
  return uncommon_collective(kShuffleUp, site, mask, value, argument);
}

}  // namespace cuda_cpu
