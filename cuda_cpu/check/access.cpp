// One access of a thread: does it exist, was it written, who else was here. The functions that
// -fsanitize=thread makes the compiler call are in hooks.cpp.
#include "access.h"

#include <algorithm>
#include <cstring>

#include "../count/count.h"
#include "../src/launch/block.h"
#include "../src/clusters/cluster.h"
#include "../src/diagnosis/check.h"

namespace cuda_cpu::check {

// ---- two writes that may be of the same value ---------------------------------------------------

namespace {

struct Undecided {
  Access access = {0, 0, false, 0};
  Stamp me, earlier;
  char before[16];  // the beginning of what it writes to
} undecided;

}  // namespace

bool is_undecided = false;

namespace {

// A write and an earlier one race only if they change the value, which shows later: a hook is
// called before its access.
void decide_later(const Access &access, const Stamp &me, const Stamp &earlier) {
  if (is_undecided) return;
  is_undecided = true;
  undecided.access = access;
  undecided.me = me, undecided.earlier = earlier;
  std::memcpy(undecided.before, reinterpret_cast<const void *>(access.address),
              std::min(access.bytes, sizeof undecided.before));
}

}  // namespace

void settle_now() {
  is_undecided = false;
  const Undecided decided = undecided;
  if (std::memcmp(decided.before, reinterpret_cast<const void *>(decided.access.address),
                  std::min(decided.access.bytes, sizeof decided.before)) != 0)
    report_race(decided.access, decided.me, decided.earlier, true);
}

void block_pauses() {
  settle();
  BlockState &block = state_of(*current_block);
  if constexpr (kCounts)
    if (!block.collective || block.returned == block.count) count::block_ends(block);
}

namespace {

// ---- does an access of a word race with an earlier one, and what is kept of it ------------------

// Atomic operations and volatile accesses of two threads do not race with each other, except in a
// warp: volatile is no substitute for __syncwarp(). (A flag's write counts as atomic, access.cpp.)
inline bool both_strong(const Stamp &a, const Stamp &b) {
  return a.strong() && b.strong() &&
         !(a.is_volatile() && b.is_volatile() && a.block() == b.block() &&
           a.thread() / 32 == b.thread() / 32);
}

// The loop that NVIDIA's guide makes other atomics of: `old = *a; do .. atomicCAS(a, old, ..)`. The
// swap fails if another one has come between.
inline bool begins_swap(const Stamp &read, const Stamp &write) {
  return write.is_swap() && !read.strong() && read.bytes() == 15;
}

// One access of the running thread, at words of the same memory.
struct Visit {
  const BlockShadow &block;
  const Access &access;  // a copy would be stored in halves and loaded as a whole, which stalls
  std::uint64_t grid, own, barrier;  // block.first_number and block.number as in Stamp::when, and
                                     // the clock

  Visit(const BlockShadow &running, bool shared, const Access &made)
      : block(running),
        access(made),
        // Of earlier blocks, whose shared memory was at the same place, all is old.
        grid(std::uint64_t{shared ? running.number : running.first_number} << 32),
        own(std::uint64_t{running.number} << 32),
        barrier(running.barrier) {}

  // The usual reasons for order: there is none, or it is before a barrier of the grid or the block.
  bool is_old(const Stamp &earlier) const {
    return earlier.when < grid || earlier.when - own < barrier;
  }
  bool ordered(const Stamp &me, const Stamp &earlier, bool earlier_is_write) const {
    if (is_old(earlier) || me.is_by_thread_of(earlier)) return true;
    const bool one_warp =
        ((me.access ^ earlier.access) >> 48 & 1023) < 32 && me.block() == earlier.block();
    const std::vector<Lanes> &seen = earlier_is_write ? block.lanes : block.reads;
    if (one_warp && seen[me.thread()][earlier.thread() % 32] >= earlier.clock()) return true;
    return block.knows && is_known(block, earlier, me.thread());
  }

  void compare(const Stamp &me, const Stamp &earlier, bool earlier_is_write) const {
    if (!ordered(me, earlier, earlier_is_write)) compare_further(me, earlier, earlier_is_write);
  }
  [[gnu::noinline]] void compare_further(const Stamp &me, const Stamp &earlier,
                                         bool earlier_is_write) const {
    if ((earlier.bytes() & me.bytes()) == 0 || both_strong(me, earlier) ||
        race_is_known(me.pc(), earlier.pc()) || (!access.is_write && begins_swap(me, earlier)) ||
        (!earlier_is_write && begins_swap(earlier, me)))
      return;
    if (access.is_write && earlier_is_write && !me.is_atomic() && !earlier.is_atomic())
      decide_later(access, me, earlier);
    else
      report_race(access, me, earlier, earlier_is_write);
  }

  [[gnu::always_inline]] void write(Cell &cell, Stamp me) const {
    if (me.repeats(cell.write) && cell.strong.when == 0 && cell.read[0].when == 0 &&
        cell.read[1].when == 0)
      return;
    compare(me, cell.write, true);
    compare(me, cell.strong, true);
    compare(me, cell.read[0], false);
    compare(me, cell.read[1], false);
    // Reads of other bytes stay.
    for (Stamp &read : cell.read)
      if ((read.bytes() & ~me.bytes()) == 0) read = Stamp{};
    // An atomic write does not hide a plain one of the same thread, with which others may race.
    Stamp &last = me.strong() ? cell.strong : cell.write;
    if (me.is_by_thread_of(last) && me.when == last.when) me.add_bytes(last.bytes());
    last = me;
    if (!me.strong()) cell.strong = Stamp{};
  }

  // Two reads are kept. A later write is compared with both, so they should not come from the
  // thread, warp or block of that write.
  [[gnu::always_inline]] void read(Cell &cell, Stamp me) const {
    if (me.repeats(cell.read[0])) return;  // a write in between would have removed it
    compare(me, cell.write, true);
    compare(me, cell.strong, true);
    for (Stamp &read : cell.read) {
      if (!ordered(me, read, false)) continue;
      const bool at_once = me.is_by_thread_of(read) && me.when == read.when;
      if (at_once && me.strong() && !read.strong()) return;  // races with less than the plain one
      if (at_once) me.add_bytes(read.bytes());
      read = me;
      return;
    }
    const Stamp &first = cell.read[0];
    Stamp &second = cell.read[1];
    const bool one_block = first.block() == second.block();
    if (one_block && (me.block() != first.block() || (first.thread() / 32 == second.thread() / 32 &&
                                                      me.thread() / 32 != first.thread() / 32)))
      second = me;
  }
};

// ---- other memory -------------------------------------------------------------------------------

void visit_from_host(const Access &access, Kind kind) {
  if (access.address - heap.begin >= heap.bytes) return;
  if (kind.writes) heap_written(reinterpret_cast<void *>(access.address), access.bytes);
  if (!kCounts && is_open_to_host()) return;
  std::uintptr_t begin = 0;
  const Allocation *const allocation = find_allocation(access.address, &begin);
  if (allocation != nullptr && allocation->pinned) return;
  if constexpr (kCounts) count::add(count::host_accesses, 1);
  if (!is_open_to_host()) report_host(access);
}

// Thread-local variables and the thread's own stack cannot be shared.
bool is_private(std::uintptr_t address) {
  constexpr std::uintptr_t kNear = 128 * 1024;
  const auto near = [address](const void *place) {
    return address - (reinterpret_cast<std::uintptr_t>(place) - kNear) < 2 * kNear;
  };
  return near(&current) || near(__builtin_frame_address(0));
}

// COUNT builds. False for memory that is neither global nor the block's shared memory, or not known
// to be.
[[gnu::always_inline]] inline bool count_access(const Access &access, Kind kind, bool is_static) {
  const BlockShadow &block = *state_of(*current_block).shadow;
  const bool global = is_static || access.address - heap.begin < heap.bytes;
  if (!global && !block.holds(access.address)) return false;
  count::visit(global ? count::Space::kGlobal : count::Space::kShared,
               !kind.writes ? count::Operation::kLoad
               : kind.reads ? count::Operation::kAtomic
                            : count::Operation::kStore,
               access.address, access.bytes, access.pc);
  return true;
}

[[gnu::always_inline]] inline void visit_word(const Visit &visit, Cell &cell, unsigned bytes,
                                              Kind kind) {
  const unsigned thread = current->number;
  const Stamp me(visit.access.pc, thread, bytes, kind.is_atomic, kind.is_volatile,
                 visit.block.now(thread), visit.block.number);
  if (kind.writes)
    visit.write(cell, me);
  else
    visit.read(cell, me);
}

void visit_elsewhere(const BlockShadow &block, Kind kind) {
  HostArray array;
  if (kMemSelected && find_host_array(last_access.address, &array)) {
    report_host_memory(last_access, array);
    return;
  }
  constexpr std::uintptr_t kPages = 256;
  static std::uintptr_t not_static[kPages];  // pages that hold nothing of interest
  const std::uintptr_t page = last_access.address / 4096;
  if (not_static[page % kPages] == page) return;
  Cell *const cell = static_cell(last_access.address);
  if (cell != nullptr) {  // before is_private(): static variables may be near a stack
    if constexpr (kCounts)
      count_access(last_access, kind, true);
    else
      visit_word(Visit(block, false, last_access), *cell, 15, kind);
    return;
  }
  if (is_private(last_access.address)) return;
  if (is_reserved(last_access.address))
    report_crash(last_access);  // before it changes the shadow
  else
    not_static[page % kPages] = page;
}

}  // namespace

const BlockShadow *owner_of(std::uintptr_t address) {
  const BlockState &running = state_of(*current_block);
  if (running.shadow->holds(address)) return running.shadow.get();
  if (running.cluster != nullptr)
    for (const auto &block : running.cluster->blocks)
      if (block->shadow->holds(address)) return block->shadow.get();
  return nullptr;
}

Access last_access;

// ---- one access ---------------------------------------------------------------------------------

namespace {

// Some bytes of a word that is in `area`. False if they do not exist.
[[gnu::always_inline]] inline bool visit_bytes(const Visit &here, const Area &area,
                                               std::uintptr_t word, unsigned mask, Kind kind) {
  State &state = area.states[word];
  if ((state >> 4 & mask) != mask) return false;
  if ((state & mask) != mask) {
    if (kind.reads) report_unwritten(here.access);
    state |= static_cast<State>(mask);  // reported once
  }
  if constexpr (kRaceSelected) visit_word(here, area.cells[word], mask, kind);
  return true;
}

[[gnu::always_inline]] inline void visit_any(std::uintptr_t address, std::size_t bytes, Kind kind,
                                             std::uintptr_t pc) {
  if (current == nullptr) {
    if (!is_reporting) visit_from_host({address, bytes, kind.writes, pc}, kind);
    return;
  }
  if (is_reporting) return;
  if constexpr (kCounts)
    if (!count::is_on || count_access({address, bytes, kind.writes, pc}, kind, false)) return;
  settle();
  last_access.address = address, last_access.bytes = bytes;
  last_access.is_write = kind.writes, last_access.pc = pc;
  BlockShadow &block = *state_of(*current_block).shadow;
  const bool in_shared = address - block.shared.begin < block.shared.bytes;
  const BlockShadow *const peer =
      block.in_cluster && !in_shared && address - heap.begin >= heap.bytes ? owner_of(address)
                                                                           : nullptr;
  const Area &area = in_shared ? block.shared : peer != nullptr ? peer->shared : heap;
  const std::uintptr_t begin = address - area.begin, end = begin + bytes;
  if (begin >= area.bytes) {
    visit_elsewhere(block, kind);
    return;
  }
  const Visit here(block, in_shared && !block.in_cluster, last_access);
  bool exists = true;
  if (begin % 4 == 0 && bytes % 4 == 0) {
    for (std::uintptr_t at = begin; at < end && exists; at += 4)
      exists = visit_bytes(here, area, at / 4, 15, kind);
  } else {
    for (std::uintptr_t at = begin, next; at < end && exists; at = next) {
      next = std::min(at / 4 * 4 + 4, end);
      exists = visit_bytes(here, area, at / 4, ((1u << (next - at)) - 1) << at % 4, kind);
    }
  }
  if (!exists) report_outside(last_access);
}

}  // namespace

void visit(std::uintptr_t address, std::size_t bytes, Kind kind, std::uintptr_t pc) {
  visit_any(address, bytes, kind, pc);
}
void visit_read4(std::uintptr_t address, std::uintptr_t pc) {
  visit_any(address, 4, {true, false, false, false}, pc);
}
void visit_write4(std::uintptr_t address, std::uintptr_t pc) {
  visit_any(address, 4, {false, true, false, false}, pc);
}

namespace {

// An access that other threads may learn from.
void visit_strong(std::uintptr_t address, std::size_t bytes, Kind kind, Order order,
                  std::uintptr_t pc) {
  if (current == nullptr) {
    visit(address, bytes, kind, pc);
    return;
  }
  BlockShadow &block = *state_of(*current_block).shadow;
  if (kind.reads) take_knowledge(block, address, current->number, order.acquires);
  visit(address, bytes, kind, pc);
  if (kind.writes) give_knowledge(block, address, current->number, order.releases, !kind.reads);
}

}  // namespace

void visit_volatile(std::uintptr_t address, std::size_t bytes, bool writes, std::uintptr_t pc) {
  // A volatile write directly behind a fence sets a flag: as good as an atomic one. A warp that
  // works in step without barriers reads before it writes.
  const bool is_flag = writes && current != nullptr &&
                       state_of(*current_block).shadow->fence_is_last[current->number] != 0;
  visit_strong(address, bytes, {!writes, writes, is_flag, !is_flag}, {false, false}, pc);
}

void visit_atomic(std::uintptr_t address, std::size_t bytes, bool reads, bool writes, bool is_swap,
                  int order, std::uintptr_t pc) {
  const bool both = order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
  const Order meaning = {both || order == __ATOMIC_ACQUIRE || order == __ATOMIC_CONSUME,
                         both || order == __ATOMIC_RELEASE};
  visit_strong(address, bytes, {reads, writes, true, is_swap && writes}, meaning, pc);
}

void visit_misaligned(std::uintptr_t address, std::size_t alignment, bool writes,
                      std::uintptr_t pc) {
  if (kMemSelected && current != nullptr && !is_reporting)
    report_misaligned({address, alignment, writes, pc}, alignment);
}

void visit_fence(bool in_its_block_only) {
  if (current != nullptr)
    fence(*state_of(*current_block).shadow, current->number, in_its_block_only);
}

}  // namespace cuda_cpu::check
