// Inside the checks: what the parts of this folder tell each other about one access.
#ifndef CUDA_CPU_CHECK_ACCESS_H
#define CUDA_CPU_CHECK_ACCESS_H

#include <cstddef>
#include <cstdint>

#include "shadow.h"

namespace cuda_cpu::check {

// Whether access `earlier` of the same word is ordered before what `thread` of the running block
// does now.
bool is_ordered(const BlockShadow &block, const Stamp &earlier, unsigned thread, bool in_shared);

// What the running thread's atomic or volatile access of a word tells it and others.
void take_knowledge(BlockShadow &block, std::uintptr_t word, unsigned thread);
void give_knowledge(BlockShadow &block, std::uintptr_t word, unsigned thread, bool replaces);
void fence(BlockShadow &block, unsigned thread, bool in_its_block_only);

// Decides about a pair of writes that is only a race if they write different values: call before
// anything else happens to the memory.
void settle();

bool is_open_to_host();  // check.h, open_to_host()

// ---- reports (report.cpp) -----------------------------------------------------------------------

struct Access {
  std::uintptr_t address;
  std::size_t bytes;
  bool is_write;
  std::uintptr_t pc;
};

extern Access last_access;  // of a kernel

bool reports_races();
void report_race(const Access &access, const Stamp &me, const Stamp &earlier,
                 bool earlier_is_write);
bool race_is_known(std::uintptr_t pc, std::uintptr_t earlier_pc);
void report_outside(const Access &access);    // memcheck
void report_unwritten(const Access &access);  // initcheck
void report_host(const Access &access);
[[noreturn]] void report_crash(const Access &access);  // ends the program

}  // namespace cuda_cpu::check
#endif
