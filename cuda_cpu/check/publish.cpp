// What orders accesses without a barrier of the block: fences with atomic or volatile accesses,
// memory orders, and barriers that only some threads meet at.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "../src/launch/block.h"
#include "access.h"
#include "../src/diagnosis/check.h"

namespace cuda_cpu::check {

namespace {

struct Published {
  Knowledge::Pointer to_all;
  Knowledge::Pointer to_block;  // for the threads of the block that published it last
  std::uint32_t block = 0;
};
// What atomic and volatile writes of a word have published since the last grid barrier.
std::unordered_map<std::uint64_t, Published> published;
std::uint32_t published_since = 0;  // number of the first block that it is about

// Completed phases of a barrier, by the key of its address. Threads that run ahead complete some
// before others have waited for the first.
constexpr std::uint32_t kPhases = 8;  // the last ones are kept
struct Phase {
  std::uint32_t number;
  Published arrived;
};
std::unordered_map<std::uint64_t, std::array<Phase, kPhases>> phases;

// Of a word. Blocks have their shared memory at the same addresses.
std::uint64_t key_of(const BlockShadow &running, std::uintptr_t address) {
  const BlockShadow *const owner =
      running.in_cluster && current != nullptr ? owner_of(address) : &running;
  if (owner == nullptr || !owner->holds(address)) return address / 4;
  return std::uint64_t{1} << 63 | std::uint64_t{owner->number} << 20 |
         (address - owner->shared.begin) / 4;
}

// What `thread` knows now: its accesses, its warp's, its block's and other threads'. Its later
// accesses do not belong to that.
Knowledge::Pointer snapshot(BlockShadow &block, unsigned thread) {
  const Clock now = block.now(thread);
  Lanes seen = block.lanes[thread];
  seen[thread % 32] = now;
  const Knowledge::Pointer own =
      std::make_shared<Knowledge>(block.number, block.barrier - 1, thread / 32, seen);
  block.clock[thread] = now + 1;
  block.latest = std::max(block.latest, now + 1);
  block.knows = true;
  return Knowledge::join(own, block.known[thread]);
}

void learn(BlockShadow &block, const Published &from, unsigned thread, bool acquires) {
  Knowledge::Pointer &of_all = acquires ? block.known[thread] : block.seen[thread];
  Knowledge::Pointer &of_block = acquires ? of_all : block.seen_in_its_block[thread];
  of_all = Knowledge::join(of_all, from.to_all);
  if (from.block == block.number) of_block = Knowledge::join(of_block, from.to_block);
  block.knows = true;
}

}  // namespace

void forget_published(std::uint32_t first_number) {
  if (published_since == first_number) return;
  published.clear();
  phases.clear();
  published_since = first_number;
}

bool is_known(const BlockShadow &block, const Stamp &earlier, unsigned thread) {
  const Knowledge::Pointer &known = block.known[thread];
  return known != nullptr && known->covers(earlier.block(), earlier.thread(), earlier.clock());
}

bool has_seen(const BlockShadow &block, const Stamp &earlier, unsigned thread) {
  if (!block.knows) return false;
  for (const auto *seen : {&block.seen[thread], &block.seen_in_its_block[thread]})
    if (*seen != nullptr && (*seen)->covers(earlier.block(), earlier.thread(), earlier.clock()))
      return true;
  return false;
}

// ---- fences and atomics -------------------------------------------------------------------------

void fence(BlockShadow &block, unsigned thread, bool in_its_block_only) {
  Knowledge::Pointer &known = block.known[thread], &seen = block.seen[thread],
                     &seen_in_its_block = block.seen_in_its_block[thread];
  known = Knowledge::join(known, seen_in_its_block);
  seen_in_its_block = nullptr;
  if (!in_its_block_only) {
    known = Knowledge::join(known, seen);
    seen = nullptr;
  }
  const Knowledge::Pointer now = snapshot(block, thread);
  block.fenced_in_its_block[thread] = now;
  block.fence_is_last[thread] = 1;
  if (!in_its_block_only) block.fenced[thread] = now;
}

void take_knowledge(BlockShadow &block, std::uintptr_t address, unsigned thread, bool acquires) {
  block.fence_is_last[thread] = 0;
  if (published.empty()) return;
  const auto found = published.find(key_of(block, address));
  if (found != published.end()) learn(block, found->second, thread, acquires);
}

void give_knowledge(BlockShadow &block, std::uintptr_t address, unsigned thread, bool releases,
                    bool replaces) {
  block.fence_is_last[thread] = 0;
  const std::uint64_t key = key_of(block, address);
  if (replaces && !published.empty()) published.erase(key);
  if (!block.knows && !releases) return;
  Knowledge::Pointer to_all = block.fenced[thread], to_block = block.fenced_in_its_block[thread];
  if (releases) to_all = to_block = snapshot(block, thread);
  if (to_all == nullptr && to_block == nullptr) return;
  Published &at = published[key];
  at.to_all = Knowledge::join(at.to_all, to_all);
  if (at.block != block.number) at.to_block = nullptr;
  at.to_block = Knowledge::join(at.to_block, to_block);
  at.block = block.number;
}

// ---- barriers with phases -----------------------------------------------------------------------

void phase_arrived(BlockState &block, const void *state, bool is_first) {
  settle();
  give_knowledge(*block.shadow, reinterpret_cast<std::uintptr_t>(state), current->number, true,
                 is_first);
}

void phase_completed(BlockState &block, const void *state, std::uint32_t phase) {
  const std::uint64_t key = key_of(*block.shadow, reinterpret_cast<std::uintptr_t>(state));
  phases[key][phase % kPhases] = {phase, published[key]};
}

void phase_waited(BlockState &block, const void *state, std::uint32_t phase) {
  settle();
  const std::uint64_t key = key_of(*block.shadow, reinterpret_cast<std::uintptr_t>(state));
  const Phase &kept = phases[key][phase % kPhases];
  const bool is_kept = kept.number == phase && kept.arrived.to_all != nullptr;
  learn(*block.shadow, is_kept ? kept.arrived : published[key], current->number, true);
}

}  // namespace cuda_cpu::check
