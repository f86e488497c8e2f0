// One access of a thread: does it exist, was it written, who else was here. The functions that
// -fsanitize=thread makes the compiler call are in hooks.cpp.
#include "access.h"

#include <algorithm>
#include <cstring>

#include "../src/block.h"
#include "check.h"
#include "hooks.h"

namespace cuda_cpu::check {

namespace {

// ---- two writes that may be of the same value ---------------------------------------------------

// A hook is called before its access, so whether a write changes the value shows only later.
struct Undecided {
  Access access = {0, 0, false, 0};
  Stamp me, earlier;
  char before[16];  // the beginning of what it writes to
} undecided;

void decide_later(const Access &access, const Stamp &me, const Stamp &earlier) {
  if (is_undecided) return;
  is_undecided = true;
  undecided.access = access;
  undecided.me = me, undecided.earlier = earlier;
  std::memcpy(undecided.before, reinterpret_cast<const void *>(access.address),
              std::min(access.bytes, sizeof undecided.before));
}

// ---- races --------------------------------------------------------------------------------------

// Atomic operations and volatile accesses of two threads do not race with each other, except in a
// warp: volatile is no substitute for __syncwarp().
bool both_strong(const Stamp &a, const Stamp &b) {
  return a.strong() && b.strong() &&
         !(a.is_volatile() && b.is_volatile() && a.block() == b.block() &&
           a.thread() / 32 == b.thread() / 32);
}

bool of_same_thread(const Stamp &a, const Stamp &b) {
  return a.block() == b.block() && a.thread() == b.thread();
}

struct Visit {
  const BlockShadow &block;
  unsigned thread;
  bool in_shared;
  const Access &access;  // a copy would be stored in halves and loaded as a whole, which stalls

  bool ordered(const Stamp &earlier) const { return is_ordered(block, earlier, thread, in_shared); }

  void compare(const Stamp &me, const Stamp &earlier, bool earlier_is_write) const {
    if (earlier.block() < block.first_number || (earlier.bytes() & me.bytes()) == 0 ||
        both_strong(me, earlier) || ordered(earlier) || race_is_known(me.pc(), earlier.pc()))
      return;
    if (access.is_write && earlier_is_write && !me.is_atomic() && !earlier.is_atomic())
      decide_later(access, me, earlier);
    else
      report_race(access, me, earlier, earlier_is_write);
  }

  [[gnu::always_inline]] void write(Cell &cell, Stamp me) const {
    compare(me, cell.write, true);
    compare(me, cell.strong, true);
    compare(me, cell.read[0], false);
    compare(me, cell.read[1], false);
    // Reads of other bytes stay.
    for (Stamp &read : cell.read)
      if ((read.bytes() & ~me.bytes()) == 0) read = Stamp{};
    // An atomic write does not hide a plain one of the same thread, with which others may race.
    Stamp &last = me.strong() ? cell.strong : cell.write;
    if (of_same_thread(me, last) && me.clock() == last.clock()) me.add_bytes(last.bytes());
    last = me;
    if (!me.strong()) cell.strong = Stamp{};
  }

  // Two reads are kept. A later write is compared with both, so they should not be its own
  // thread's, warp's or block's.
  [[gnu::always_inline]] void read(Cell &cell, Stamp me) const {
    compare(me, cell.write, true);
    compare(me, cell.strong, true);
    for (Stamp &read : cell.read) {
      const bool mine = of_same_thread(me, read);
      if (!mine && !ordered(read)) continue;
      const bool at_once = mine && me.clock() == read.clock();
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

[[gnu::always_inline]] inline void visit_word(const Visit &visit, Cell &cell, unsigned bytes,
                                              Kind kind) {
  const Stamp me(visit.access.pc, visit.thread, bytes, kind.is_atomic, kind.is_volatile,
                 visit.block.now(visit.thread), visit.block.number);
  if (kind.writes)
    visit.write(cell, me);
  else
    visit.read(cell, me);
}

// ---- other memory -------------------------------------------------------------------------------

void visit_from_host(const Access &access, Kind kind) {
  if (access.address - heap.begin >= heap.bytes) return;
  if (kind.writes) heap_written(reinterpret_cast<void *>(access.address), access.bytes);
  if (is_open_to_host()) return;
  std::uintptr_t begin = 0;
  const Allocation *const allocation = find_allocation(access.address, &begin);
  if (allocation == nullptr || !allocation->pinned) report_host(access);
}

// Thread-local variables and the thread's own stack cannot be shared.
bool is_private(std::uintptr_t address) {
  constexpr std::uintptr_t kNear = 128 * 1024;
  const auto near = [address](const void *place) {
    return address - (reinterpret_cast<std::uintptr_t>(place) - kNear) < 2 * kNear;
  };
  return near(&current) || near(__builtin_frame_address(0));
}

void visit_elsewhere(const Visit &visit, Kind kind) {
  if (is_private(visit.access.address)) return;
  constexpr std::uintptr_t kPages = 256;
  static std::uintptr_t not_static[kPages];  // pages that hold nothing of interest
  const std::uintptr_t page = visit.access.address / 4096;
  if (not_static[page % kPages] == page) return;
  Cell *const cell = static_cell(visit.access.address);
  if (cell == nullptr)
    not_static[page % kPages] = page;
  else
    visit_word(visit, *cell, 15, kind);
}

}  // namespace

Access last_access;

bool is_undecided = false;

void settle_now() {
  is_undecided = false;
  const Undecided decided = undecided;
  if (std::memcmp(decided.before, reinterpret_cast<const void *>(decided.access.address),
                  std::min(decided.access.bytes, sizeof decided.before)) != 0)
    report_race(decided.access, decided.me, decided.earlier, true);
}

void block_pauses() { settle(); }

// ---- one access ---------------------------------------------------------------------------------

void visit(std::uintptr_t address, std::size_t bytes, Kind kind, std::uintptr_t pc) {
  const Access access = {address, bytes, kind.writes, pc};
  if (current == nullptr) {
    if (!is_reporting) visit_from_host(access, kind);
    return;
  }
  if (is_reporting) return;
  settle();
  last_access.address = address, last_access.bytes = bytes;
  last_access.is_write = kind.writes, last_access.pc = pc;
  BlockShadow &block = *state_of(*current_block).shadow;
  const bool in_shared = address - block.shared.begin < block.shared.bytes;
  const Visit here = {block, current->number, in_shared, last_access};
  const Area &area = in_shared ? block.shared : heap;
  const std::uintptr_t begin = address - area.begin, end = begin + bytes;
  if (begin >= area.bytes) {
    visit_elsewhere(here, kind);
    return;
  }
  for (std::uintptr_t at = begin; at < end;) {
    const std::uintptr_t word = at / 4, next = word * 4 + 4 < end ? word * 4 + 4 : end;
    const unsigned mask = ((1u << (next - at)) - 1) << at % 4;
    State &state = area.states[word];
    if ((state >> 4 & mask) != mask) {
      report_outside(access);
      return;
    }
    if ((state & mask) != mask) {
      if (kind.reads) report_unwritten(access);
      state |= static_cast<State>(mask);  // reported once
    }
    if constexpr (kRaceSelected) visit_word(here, area.cells[word], mask, kind);
    at = next;
  }
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
  visit_strong(address, bytes, {!writes, writes, false, true}, {false, false}, pc);
}

void visit_atomic(std::uintptr_t address, std::size_t bytes, bool reads, bool writes, int order,
                  std::uintptr_t pc) {
  const bool both = order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
  const Order meaning = {both || order == __ATOMIC_ACQUIRE || order == __ATOMIC_CONSUME,
                         both || order == __ATOMIC_RELEASE};
  visit_strong(address, bytes, {reads, writes, true, false}, meaning, pc);
}

void visit_fence(bool in_its_block_only) {
  if (current != nullptr)
    fence(*state_of(*current_block).shadow, current->number, in_its_block_only);
}

}  // namespace cuda_cpu::check
