// Shadow memory: for every 4 bytes that kernels can share, who accessed them last.
#ifndef CUDA_CPU_CHECK_SHADOW_H
#define CUDA_CPU_CHECK_SHADOW_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "clocks.h"

namespace cuda_cpu::check {

// One access; all zero if there is none. Two integers, not bit fields, so that it stays in
// registers: loading a value that was just stored in parts would stall.
struct Stamp {
  std::uint64_t access = 0;  // from the lowest bit: pc 48, thread 10, bytes 4, is_atomic,
                             // is_volatile; the last two: a compare-and-swap that has written
  std::uint64_t when = 0;    // clock 32, block 32

  Stamp() = default;
  Stamp(std::uintptr_t pc, unsigned thread, unsigned bytes, bool is_atomic, bool is_volatile,
        Clock clock, std::uint32_t block)
      : access((pc & kPcMask) | std::uint64_t{thread} << 48 | std::uint64_t{bytes} << 58 |
               std::uint64_t{is_atomic} << 62 | std::uint64_t{is_volatile} << 63),
        when(clock | std::uint64_t{block} << 32) {}

  static constexpr std::uint64_t kPcMask = (std::uint64_t{1} << 48) - 1;
  std::uintptr_t pc() const { return access & kPcMask; }                          // of the hook
  unsigned thread() const { return static_cast<unsigned>(access >> 48) & 1023; }  // in its block
  unsigned bytes() const { return static_cast<unsigned>(access >> 58) & 15; }     // a mask
  bool is_atomic() const { return (access >> 62 & 1) != 0; }
  bool is_volatile() const { return access >> 62 == 2; }
  bool is_swap() const { return access >> 62 == 3; }
  bool strong() const { return access >> 62 != 0; }
  Clock clock() const { return static_cast<Clock>(when); }                        // its thread's
  std::uint32_t block() const { return static_cast<std::uint32_t>(when >> 32); }  // its number
  bool is_by_thread_of(const Stamp &other) const {
    return ((access ^ other.access) >> 48 & 1023) == 0 && (when ^ other.when) >> 32 == 0;
  }
  // The same but for the line.
  bool repeats(const Stamp &other) const {
    return when == other.when && (access ^ other.access) >> 48 == 0;
  }
  void add_bytes(unsigned mask) { access |= std::uint64_t{mask} << 58; }
};
static_assert(sizeof(Stamp) == 16);

struct Cell {
  Stamp write;    // the last one that is neither atomic nor volatile
  Stamp strong;   // the last one that is, since then
  Stamp read[2];  // since the last write, of threads as far from each other as possible
};

// A word's state: bytes that exist (high half) and bytes that were written (low half).
using State = std::uint8_t;
constexpr State kExists = 0xf0, kWritten = 0x0f;

// A range of addresses with its shadow.
struct Area {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  Cell *cells = nullptr;
  State *states = nullptr;
};

// Address space that reads as zeros and takes memory only where it is written. Ends the program if
// there is none.
void *reserve(std::size_t bytes);
// Whether the address is in such a range.
bool is_reserved(std::uintptr_t address);

// Sets what [memory, memory + bytes) is; begins at a word.
void set_state(const Area &area, const void *memory, std::size_t bytes, State state);

// Global memory: all that cudaMalloc has given out, at addresses that are never used again.
extern Area heap;

struct Allocation {
  std::size_t bytes;
  bool pinned, released;
  int frames;
  void *frame[12];  // return addresses of the calls that led to it
};
// The allocation that an address is in or nearest to, or null. `begin` gets its address.
const Allocation *find_allocation(std::uintptr_t address, std::uintptr_t *begin);
// In global memory, and further away than the guards of other builds, in which such an access
// crashes.
bool is_far_from_arrays(std::uintptr_t address);

// Which argument of the kernel an allocation was last, counted from 1, or 0.
int argument_number(const char *kernel, std::uintptr_t allocation);

// Decides about a pair of writes that is only a race if they write different values: call before
// anything else happens to the memory.
void settle_now();
extern bool is_undecided;  // there is such a pair
inline void settle() {
  if (is_undecided) settle_now();
}

bool is_open_to_host();  // ../src/diagnosis/check.h, open_to_host()

// __device__ variables: the cell of an address in a program's or library's data, else null.
Cell *static_cell(std::uintptr_t address);

struct SharedArray {
  std::uintptr_t begin;
  std::size_t bytes, element_bytes;
  const char *name;
};

// What checking adds to a block. Its memory is used again by the next block.
struct BlockShadow {
  Area shared;
  std::size_t shared_used = 0;
  std::vector<SharedArray> arrays;

  std::uint32_t first_number = 0;  // of the grid's blocks since the last grid barrier
  std::uint32_t number = 0;        // of this one
  std::uint64_t index = 0;         // of this one in its grid
  bool in_cluster = false;         // other blocks may access its shared memory

  // A thread's clock is the larger of its last and the last barrier's.
  Clock barrier = 1, latest = 1;
  std::vector<Clock> clock;
  // Of its warp's lanes, the clock up to which a thread sees their writes, and up to which their
  // reads are complete: what __syncwarp() orders, and what any collective does.
  std::vector<Lanes> lanes, reads;
  bool knows = false;  // some pointer below is not null
  using Pointers = std::vector<Knowledge::Pointer>;
  Pointers known;                   // of others, by a thread
  Pointers seen;                    // by relaxed reads; known from its next __threadfence on
  Pointers seen_in_its_block;       // ... or __threadfence_block
  Pointers fenced;                  // what it knew, its accesses too, at its last __threadfence
  Pointers fenced_in_its_block;     // ... or __threadfence_block
  std::vector<char> fence_is_last;  // no barrier, atomic or volatile access since its last fence
  std::array<Pointers *, 5> all_knowledge() {
    return {&known, &seen, &seen_in_its_block, &fenced, &fenced_in_its_block};
  }

  BlockShadow();
  ~BlockShadow();
  BlockShadow(const BlockShadow &) = delete;
  BlockShadow &operator=(const BlockShadow &) = delete;
  bool holds(std::uintptr_t address) const { return address - shared.begin < shared.bytes; }
  Clock now(unsigned thread) const { return clock[thread] > barrier ? clock[thread] : barrier; }
};

}  // namespace cuda_cpu::check
#endif
