// Inside the checks: what the parts of this folder tell each other about one access.
#ifndef CUDA_CPU_CHECK_ACCESS_H
#define CUDA_CPU_CHECK_ACCESS_H

#include <cstddef>
#include <cstdint>

#include "shadow.h"

namespace cuda_cpu::check {

// ---- what atomics, volatile accesses and fences pass on (publish.cpp) ---------------------------

struct Order {
  bool acquires, releases;  // as memory orders of C++ do; a relaxed or volatile access does neither
};
// Before the running thread's atomic or volatile read, and behind its write, which either adds to
// what the word's earlier writes have published (a read-modify-write) or replaces it.
void take_knowledge(BlockShadow &block, std::uintptr_t address, unsigned thread, bool acquires);
void give_knowledge(BlockShadow &block, std::uintptr_t address, unsigned thread, bool releases,
                    bool replaces);
void fence(BlockShadow &block, unsigned thread, bool in_its_block_only);
// Whether `thread` of the running block has learnt that `earlier` had been done.
bool is_known(const BlockShadow &block, const Stamp &earlier, unsigned thread);
// Whether only a fence of the reader is missing: it saw that the other thread had come further.
bool has_seen(const BlockShadow &block, const Stamp &earlier, unsigned thread);
// Grid barriers order everything: what was published before block `first_number` is forgotten.
void forget_published(std::uint32_t first_number);

// The block, the running one or another of its cluster, in whose shared memory an address is; null
// for other memory.
const BlockShadow *owner_of(std::uintptr_t address);

// ---- what the hooks of -fsanitize=thread call (access.cpp) --------------------------------------

struct Kind {
  bool reads, writes, is_atomic, is_volatile;
};

// Called before the access. `pc` is the hook's return address.
void visit(std::uintptr_t address, std::size_t bytes, Kind kind, std::uintptr_t pc);
// As above, for the most frequent kinds of access.
void visit_read4(std::uintptr_t address, std::uintptr_t pc);
void visit_write4(std::uintptr_t address, std::uintptr_t pc);
void visit_volatile(std::uintptr_t address, std::size_t bytes, bool writes, std::uintptr_t pc);
// `order` is one of GCC's __ATOMIC_... .
void visit_atomic(std::uintptr_t address, std::size_t bytes, bool reads, bool writes, bool is_swap,
                  int order, std::uintptr_t pc);
void visit_fence(bool in_its_block_only);
// Besides: the address is no multiple of the type's alignment.
void visit_misaligned(std::uintptr_t address, std::size_t alignment, bool writes,
                      std::uintptr_t pc);

// ---- reports (report.cpp) -----------------------------------------------------------------------

struct Access {
  std::uintptr_t address;
  std::size_t bytes;
  bool is_write;
  std::uintptr_t pc;
};

extern Access last_access;  // of a kernel

// Memory that only the host may use: an array of the line `pc`, or with pc 0 its stack.
struct HostArray {
  std::uintptr_t begin;
  std::size_t bytes;
  std::uintptr_t pc;
};
bool find_host_array(std::uintptr_t address, HostArray *found);

constexpr bool is_selected([[maybe_unused]] const char *tool) {
#ifdef CUDA_CPU_CHECK
  return __builtin_strcmp(CUDA_CPU_CHECK, "all") == 0 ||
         __builtin_strcmp(CUDA_CPU_CHECK, tool) == 0;
#else
  return true;  // for tools that analyse this folder alone
#endif
}
inline constexpr bool kRaceSelected = is_selected("race"), kInitSelected = is_selected("init"),
                      kMemSelected = is_selected("mem");

void report_race(const Access &access, const Stamp &me, const Stamp &earlier,
                 bool earlier_is_write);
extern bool is_reporting;  // accesses are not watched meanwhile
bool race_is_known(std::uintptr_t pc, std::uintptr_t earlier_pc);
void report_outside(const Access &access);  // memcheck
// The address is no multiple of `alignment`, which the type of what is accessed has (memcheck).
void report_misaligned(const Access &access, std::size_t alignment);
void report_host_memory(const Access &access, const HostArray &array);
void report_unwritten(const Access &access);  // initcheck
void report_host(const Access &access);
[[noreturn]] void report_crash(const Access &access);  // ends the program

}  // namespace cuda_cpu::check
#endif
