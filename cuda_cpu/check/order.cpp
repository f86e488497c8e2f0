// Which accesses are ordered by barriers, warp collectives and grid barriers; publish.cpp has
// fences and atomics.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <cuda_cpu/warp.h>

#include "../count/count.h"
#include "../src/launch/block.h"
#include "../src/launch/grid.h"
#include "access.h"
#include "../src/diagnosis/check.h"

namespace cuda_cpu::check {

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
    shadow.reads.assign(block.count, Lanes{});
    for (BlockShadow::Pointers *p : shadow.all_knowledge()) p->assign(block.count, nullptr);
    shadow.fence_is_last.assign(block.count, 0);
    shadow.latest = 0;
  }
  // Clocks go on from block to block, so that nothing has to be cleared.
  shadow.barrier = ++shadow.latest;
  if (shadow.knows) {
    for (BlockShadow::Pointers *p : shadow.all_knowledge())
      std::fill(p->begin(), p->end(), nullptr);
    std::fill(shadow.fence_is_last.begin(), shadow.fence_is_last.end(), 0);
    shadow.knows = false;
  }
  forget_published(first_number);
  if (resumes) return;
  if constexpr (kCounts) count::block_begins(block);
  const SharedMemory &memory = block.shared;
  shadow.shared.begin = reinterpret_cast<std::uintptr_t>(memory.arena.get());
  shadow.shared.bytes = memory.bytes();
  const dim3 &cluster = block.grid->launch.cluster;
  shadow.in_cluster = cluster.x * cluster.y * cluster.z > 1;
  // Its numbers do not show which accesses are of the cluster before, whose memory was here too.
  if (shadow.in_cluster)
    std::fill_n(shadow.shared.cells, std::max(shadow.shared_used, memory.used) / 4 + 1, Cell{});
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

void shared_array_of_peer(BlockState &own, BlockState &other, const void *memory, void *same) {
  for (const SharedArray &array : own.shadow->arrays)
    if (array.begin == reinterpret_cast<std::uintptr_t>(memory)) {
      const SharedArray known = array;  // `other` may be `own`
      shared_array(other, same, known.bytes, known.name, known.element_bytes);
      return;
    }
}

// ---- barriers -----------------------------------------------------------------------------------

void block_synchronised(BlockState &block) {
  if constexpr (kCounts) return count::block_synchronised(block);
  settle();
  BlockShadow &shadow = *block.shadow;
  shadow.barrier = ++shadow.latest;
  if (!shadow.knows) return;
  std::fill(shadow.fence_is_last.begin(), shadow.fence_is_last.end(), 0);
  // Behind the barrier, what an atomic has shown to one thread is known to all: lenient.
  for (unsigned i = 0; i < block.count; i++) {
    Knowledge::Pointer &known = shadow.known[i];
    known = Knowledge::join(Knowledge::join(known, shadow.seen[i]), shadow.seen_in_its_block[i]);
    shadow.seen[i] = shadow.seen_in_its_block[i] = nullptr;
  }
  for (BlockShadow::Pointers *p : {&shadow.known, &shadow.fenced, &shadow.fenced_in_its_block}) {
    Knowledge::Pointer all;
    for (unsigned i = 0; i < block.count; i++) all = Knowledge::join(all, (*p)[i]);
    std::fill(p->begin(), p->end(), all);
  }
}

namespace {

// All these lanes get what any of them has.
void join_lanes(const BlockShadow &shadow, std::vector<Lanes> &known, unsigned first,
                unsigned lanes) {
  Lanes all = {};
  for (unsigned left = lanes; left != 0; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    Lanes &seen = known[first + lane];
    seen[lane] = shadow.now(first + lane);
    for (unsigned i = 0; i < 32; i++) all[i] = std::max(all[i], seen[i]);
  }
  for (unsigned left = lanes; left != 0; left &= left - 1)
    known[first + static_cast<unsigned>(__builtin_ctz(left))] = all;
}

}  // namespace

void warp_called(BlockState &block, unsigned warp, unsigned lanes, int operation) {
  if constexpr (kCounts) return count::warp_called(block, warp, lanes, operation);
  settle();
  BlockShadow &shadow = *block.shadow;
  const unsigned first = warp * 32;
  join_lanes(shadow, shadow.reads, first, lanes);
  if (operation == kSyncWarp) join_lanes(shadow, shadow.lanes, first, lanes);
  for (unsigned left = lanes; left != 0; left &= left - 1) {
    const unsigned thread = first + static_cast<unsigned>(__builtin_ctz(left));
    shadow.clock[thread] = shadow.now(thread) + 1;
    shadow.latest = std::max(shadow.latest, shadow.clock[thread]);
  }
  if (!shadow.knows) return;
  for (unsigned i = 0; i < 32; i++)
    if ((lanes >> i & 1u) != 0) shadow.fence_is_last[first + i] = 0;
  for (BlockShadow::Pointers *p : shadow.all_knowledge()) {
    Knowledge::Pointer joined;
    for (unsigned i = 0; i < 32; i++)
      if ((lanes >> i & 1u) != 0) joined = Knowledge::join(joined, (*p)[first + i]);
    for (unsigned i = 0; i < 32; i++)
      if ((lanes >> i & 1u) != 0) (*p)[first + i] = joined;
  }
}

}  // namespace cuda_cpu::check
