// Whether an access of a word races with an earlier one, and what is kept of it. Included by
// access.cpp alone: nearly all the time of a CHECK build is spent here.
#ifndef CUDA_CPU_CHECK_RACE_H
#define CUDA_CPU_CHECK_RACE_H

#include "access.h"

namespace cuda_cpu::check {

// Atomic operations and volatile accesses of two threads do not race with each other, except in a
// warp: volatile is no substitute for __syncwarp(). (A flag's write counts as atomic, access.cpp.)
inline bool both_strong(const Stamp &a, const Stamp &b) {
  return a.strong() && b.strong() &&
         !(a.is_volatile() && b.is_volatile() && a.block() == b.block() &&
           a.thread() / 32 == b.thread() / 32);
}

// A write and an earlier one race only if they change the value, which shows later: a hook is
// called before its access.
void decide_later(const Access &access, const Stamp &me, const Stamp &earlier);

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
        race_is_known(me.pc(), earlier.pc()))
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

  // Two reads are kept. A later write is compared with both, so they should not be its own
  // thread's, warp's or block's.
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

}  // namespace cuda_cpu::check
#endif
