// Diagnoses of mistakes in kernels, in the manner of compute-sanitizer: a message on stderr, then
// exit code 3.
#ifndef CUDA_CPU_DIAGNOSE_H
#define CUDA_CPU_DIAGNOSE_H

#include <cuda_cpu/thread.h>

#include <cstddef>
#include <string>

namespace cuda_cpu {

struct Launch;

// `tool` is synccheck, racecheck, initcheck or memcheck. Names the running kernel, block and thread
// if there are any.
[[noreturn]] void diagnose(const char *tool, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// The same without the end of the program, and with the line of host code that is running.
void note(const char *tool, const char *format, ...) __attribute__((format(printf, 2, 3)));

// What diagnose() ends with: the whole text, and how a shuffled run is repeated.
[[noreturn]] void end_program(const char *tool, const std::string &text);

// Calls that CUDA forbids in kernels.
inline void refuse_in_kernel(const char *call) {
  if (current != nullptr) diagnose("memcheck", "%s cannot be called from a kernel", call);
}

// ", in kernel k, block (0,0,0), thread (1,0,0)", or empty outside kernels.
void running_thread_text(char *text, std::size_t size);

// ", at file:line" of the host code that called the runtime, or empty if it is not known.
std::string host_line();

// ---- launches of host code that failed (errors.cpp) ---------------------------------------------

// Sets and returns the error. Keeps "kernel k<<<1, 2000>>>, more than 1024 threads in a block
// (invalid argument)" for a crash that follows, until a cudaGetLastError() of host code asks.
cudaError_t refuse(const Launch &launch, cudaError_t error);

// That text, or null. Takes no lock, because it is for a crash.
const char *pending_refusal();

}  // namespace cuda_cpu
#endif
