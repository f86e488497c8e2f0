// Which accesses are ordered: barriers, warp collectives, grid barriers, fences with atomics.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <unordered_map>

#include "../src/block.h"
#include "access.h"
#include "check.h"

namespace cuda_cpu::check {

namespace {

// What atomic and volatile writes of a word have published since the last grid barrier.
struct Published {
  Knowledge::Pointer to_all;
  Knowledge::Pointer to_block;  // for the threads of the block that published it last
  std::uint32_t block = 0;
};
std::unordered_map<std::uintptr_t, Published> published;
std::uint32_t published_since = 0;  // number of the first block that it is about

}  // namespace

// ---- numbers ------------------------------------------------------------------------------------

std::uint32_t reserve_numbers(std::uint64_t blocks) {
  static std::uint64_t next = 1;
  const std::uint64_t first = next;
  next += blocks;
  if (next > UINT32_MAX) {
    std::fprintf(stderr, "check: more than 2^32 blocks in one run; take a smaller n\n");
    std::_Exit(3);
  }
  return static_cast<std::uint32_t>(first);
}

void block_begins(BlockState &block, std::uint32_t first_number, std::uint64_t index,
                  bool resumes) {
  if (block.shadow == nullptr) block.shadow = std::make_shared<BlockShadow>();
  BlockShadow &shadow = *block.shadow;
  shadow.first_number = first_number;
  shadow.number = first_number + static_cast<std::uint32_t>(index);
  shadow.index = index;
  if (shadow.clock.size() < block.count || shadow.latest > UINT32_MAX / 2) {
    shadow.clock.assign(block.count, 0);
    shadow.lanes.assign(block.count, Lanes{});
    for (BlockShadow::Pointers *p : {&shadow.foreign, &shadow.fenced, &shadow.fenced_in_its_block})
      p->assign(block.count, nullptr);
    shadow.latest = 0;
  }
  // Clocks go on from block to block, so that nothing has to be cleared.
  shadow.barrier = ++shadow.latest;
  if (shadow.knows) {
    for (BlockShadow::Pointers *p : {&shadow.foreign, &shadow.fenced, &shadow.fenced_in_its_block})
      std::fill(p->begin(), p->end(), nullptr);
    shadow.knows = false;
  }
  if (published_since != first_number) {
    published.clear();
    published_since = first_number;
  }
  if (resumes) return;
  const SharedMemory &memory = block.shared;
  shadow.shared.begin = reinterpret_cast<std::uintptr_t>(memory.arena.get());
  shadow.shared.bytes = memory.bytes();
  set_state(shadow.shared, memory.arena.get(), std::max(shadow.shared_used, memory.used), 0);
  shadow.shared_used = memory.used;
  shadow.arrays.clear();
  if (memory.used > kSharedGuard)
    shared_array(block, memory.arena.get() + kSharedGuard, memory.used - kSharedGuard, nullptr, 1);
}

void shared_array(BlockState &block, void *memory, std::size_t bytes, const char *name,
                  std::size_t element_bytes) {
  BlockShadow &shadow = *block.shadow;
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(memory);
  for (SharedArray &array : shadow.arrays)
    if (array.begin == begin) {  // the dynamic array, which a kernel may give several names
      if (array.name == nullptr) array.name = name, array.element_bytes = element_bytes;
      return;
    }
  shadow.arrays.push_back({begin, bytes, element_bytes, name});
  set_state(shadow.shared, memory, bytes, kExists);
  shadow.shared_used = std::max(shadow.shared_used, begin + bytes - shadow.shared.begin);
}

// ---- barriers -----------------------------------------------------------------------------------

void block_synchronised(BlockState &block) {
  settle();
  BlockShadow &shadow = *block.shadow;
  shadow.barrier = ++shadow.latest;
  if (!shadow.knows) return;
  for (BlockShadow::Pointers *p : {&shadow.foreign, &shadow.fenced, &shadow.fenced_in_its_block}) {
    Knowledge::Pointer all;
    for (unsigned i = 0; i < block.count; i++) all = Knowledge::join(all, (*p)[i]);
    std::fill(p->begin(), p->end(), all);
  }
}

void warp_synchronised(BlockState &block, unsigned warp, unsigned lanes) {
  settle();
  BlockShadow &shadow = *block.shadow;
  const unsigned first = warp * 32;
  Lanes all = {};
  for (unsigned left = lanes; left != 0; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    Lanes &seen = shadow.lanes[first + lane];
    seen[lane] = shadow.now(first + lane);
    for (unsigned i = 0; i < 32; i++) all[i] = std::max(all[i], seen[i]);
  }
  for (unsigned left = lanes; left != 0; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    shadow.lanes[first + lane] = all;
    shadow.clock[first + lane] = all[lane] + 1;
    shadow.latest = std::max(shadow.latest, all[lane] + 1);
  }
  if (!shadow.knows) return;
  for (BlockShadow::Pointers *p : {&shadow.foreign, &shadow.fenced, &shadow.fenced_in_its_block}) {
    Knowledge::Pointer joined;
    for (unsigned i = 0; i < 32; i++)
      if ((lanes >> i & 1u) != 0) joined = Knowledge::join(joined, (*p)[first + i]);
    for (unsigned i = 0; i < 32; i++)
      if ((lanes >> i & 1u) != 0) (*p)[first + i] = joined;
  }
}

// ---- fences and atomics -------------------------------------------------------------------------

void fence(BlockShadow &block, unsigned thread, bool in_its_block_only) {
  Lanes seen = block.lanes[thread];
  seen[thread % 32] = block.now(thread);
  Knowledge::Pointer now =
      std::make_shared<Knowledge>(block.number, block.barrier - 1, thread / 32, seen);
  now = Knowledge::join(now, block.foreign[thread]);
  block.fenced_in_its_block[thread] = now;
  if (!in_its_block_only) block.fenced[thread] = now;
  block.knows = true;
  block.clock[thread] = block.now(thread) + 1;  // accesses from here on are not published
  block.latest = std::max(block.latest, block.clock[thread]);
}

void take_knowledge(BlockShadow &block, std::uintptr_t word, unsigned thread) {
  if (published.empty()) return;
  const auto found = published.find(word);
  if (found == published.end()) return;
  Knowledge::Pointer &mine = block.foreign[thread];
  mine = Knowledge::join(mine, found->second.to_all);
  if (found->second.block == block.number) mine = Knowledge::join(mine, found->second.to_block);
  block.knows = block.knows || mine != nullptr;
}

void give_knowledge(BlockShadow &block, std::uintptr_t word, unsigned thread, bool replaces) {
  if (replaces && !published.empty()) published.erase(word);
  if (!block.knows) return;
  const Knowledge::Pointer &to_all = block.fenced[thread],
                           &to_block = block.fenced_in_its_block[thread];
  if (to_all == nullptr && to_block == nullptr) return;
  Published &at = published[word];
  at.to_all = Knowledge::join(at.to_all, to_all);
  if (at.block != block.number) at.to_block = nullptr;
  at.to_block = Knowledge::join(at.to_block, to_block);
  at.block = block.number;
}

}  // namespace cuda_cpu::check
