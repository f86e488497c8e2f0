// A kernel's access that the operating system refuses: a wild address, where no shadow is.
#include <signal.h>
#include <sys/mman.h>

#include <cuda_cpu/thread.h>

#include "access.h"

namespace cuda_cpu::check {

namespace {

constexpr std::size_t kStackBytes = 256 * 1024;  // the CUDA thread's own may be full

void handle(int number, siginfo_t *info, void *) {
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  // A general protection fault, of an address that is none, comes without it.
  if (current != nullptr &&
      (info->si_code == SI_KERNEL || address - last_access.address < last_access.bytes))
    report_crash(last_access);
  signal(number, SIG_DFL);  // something else: happens again when this returns
}

// After report.cpp's. Kernels of CHECK builds run on the thread that launches them; only the main
// thread has the stack.
[[gnu::constructor(103)]] void catch_crashes() {
  stack_t stack = {};
  stack.ss_sp = reserve(kStackBytes);
  stack.ss_size = kStackBytes;
  struct sigaction action = {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  if (sigaltstack(&stack, nullptr) != 0) return;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace

}  // namespace cuda_cpu::check
