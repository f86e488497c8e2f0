// Warp collectives: threads that wait for their lanes.
#include <cuda_cpu/warp.h>

#include "../check/check.h"
#include "diagnose.h"
#include "schedule.h"
#include "warp_results.h"

namespace cuda_cpu {

bool complete_collective(BlockState &block, unsigned warp_index, unsigned mask, int operation,
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
  if constexpr (check::kOn) check::warp_synchronised(block, warp_index, lanes);
  for (unsigned left = lanes; left != 0; left &= left - 1) {
    const int lane = __builtin_ctz(left);
    threads[lane].result = results[lane];
    if (&threads[lane] != running) block.ready.push(&threads[lane]);
  }
  return true;
}

std::uint64_t warp_collective(int operation, const Site *site, unsigned mask, std::uint64_t value,
                              int argument) {
  BlockState &block = enter_collective();
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
  Warp &warp = block.warps[self->number / 32];
  warp.waiting |= 1u << lane;
  // For all lanes but the last one, this saves the call.
  const bool lane_missing = (mask & warp.present & ~warp.returned & ~warp.waiting) != 0;
  if (lane_missing || !complete_collective(block, self->number / 32, mask, operation, self))
    suspend(block, site, nullptr);
  return self->result;
}

unsigned active_mask(const Site *site) {
  BlockState &block = enter_collective();
  Thread *const self = current;
  block.warps[self->number / 32].gathered |= 1u << (self->number % 32);
  suspend(block, site, &block.active_mask);
  return static_cast<unsigned>(self->result);
}

// __activemask() asks which lanes are here together. The best answer is known once no other thread
// can run: all lanes of a warp that have gathered at the same place.
bool release_active_masks(BlockState &block) {
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

}  // namespace cuda_cpu
