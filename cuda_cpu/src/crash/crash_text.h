// The sentence that a crash ends with.
#ifndef CUDA_CPU_CRASH_TEXT_H
#define CUDA_CPU_CRASH_TEXT_H

#include <string>

namespace cuda_cpu {

struct Crash {
  int number;
  bool is_memory;  // and `address` what was touched
  const void *address;
  void *pc;  // of the instruction, or null where that is not known
  bool is_write;
  bool in_kernel;
  bool stack_overflowed;
};

// `thread` is running_thread_text()'s. Called in a copy of the process, on the stack of the
// handler.
std::string crash_text(const Crash &crash, const char *thread);

}  // namespace cuda_cpu
#endif
