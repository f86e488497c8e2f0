// Diagnoses of mistakes in kernels, in the manner of compute-sanitizer: a message on stderr, then
// exit code 3.
#ifndef CUDA_CPU_DIAGNOSE_H
#define CUDA_CPU_DIAGNOSE_H

namespace cuda_cpu {

struct BlockState;

// `tool` is synccheck, racecheck, initcheck or memcheck. Names the running kernel, block and thread
// if there are any.
[[noreturn]] void diagnose(const char *tool, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// synccheck, with a list of the places where the threads of the block wait.
[[noreturn]] void diagnose_waiting(const BlockState &block, const char *problem);

}  // namespace cuda_cpu
#endif
