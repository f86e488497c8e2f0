// A kernel's access that the operating system refuses: a wild address, where no shadow is.
#include <cuda_cpu/thread.h>

#include "access.h"
#include "check.h"

namespace cuda_cpu::check {

void report_fault(const void *fault) {
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(fault);
  // A general protection fault (a non-canonical address) is reported with a null address.
  if (current != nullptr && (address == 0 || address - last_access.address < last_access.bytes))
    report_crash(last_access);
}

}  // namespace cuda_cpu::check
