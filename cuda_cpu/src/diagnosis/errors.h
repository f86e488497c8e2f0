// Launches of host code that failed: what was asked for, and why a GPU does not take it.
#ifndef CUDA_CPU_SRC_ERRORS_H
#define CUDA_CPU_SRC_ERRORS_H

#include <string>

#include <cuda_cpu/launch.h>

namespace cuda_cpu {

// "kernel k<<<1, 2000>>>, more than 1024 threads in a block".
std::string refusal_text(const Launch &launch);

// Keeps the text for a crash that follows, until a cudaGetLastError() of host code asks.
void note_refusal(const std::string &text);
void forget_refusal();

// That text, or null. Takes no lock, because it is for a crash.
const char *pending_refusal();

}  // namespace cuda_cpu
#endif
