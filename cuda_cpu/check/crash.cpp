// A kernel's access that the operating system refuses: a wild address, where no shadow is.
#include <cuda_cpu/thread.h>

#include "access.h"
#include "../src/diagnosis/check.h"

namespace cuda_cpu::check {

void report_fault(const void *fault) {
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(fault);
  // A general protection fault is reported with a null address: here that of an address that is
  // not canonical, else of a misaligned vector.
  const bool is_wild = address == 0 && last_access.address >> 47 != 0;
  if (current != nullptr && (is_wild || address - last_access.address < last_access.bytes))
    report_crash(last_access);
}

}  // namespace cuda_cpu::check
