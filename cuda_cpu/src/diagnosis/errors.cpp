// The last error, and the names and texts of errors.
#include <cuda_cpu/errors.h>

#include <execinfo.h>

#include <cstdio>
#include <string>

#include "../launch/block.h"
#include "lines.h"
#include "refusal.h"

namespace cuda_cpu {

namespace {

thread_local cudaError_t host_error = cudaSuccess;  // in CUDA too each host thread has its own

struct ErrorText {
  cudaError_t code;
  const char *name, *text;
};
#define ROW(name, value, text) {name, #name, text},
const ErrorText errors[] = {CUDA_CPU_ERRORS(ROW)};
#undef ROW

// Null if there is no such error.
const ErrorText *find(cudaError_t error) {
  for (const ErrorText &known : errors)
    if (known.code == error) return &known;
  return nullptr;
}

cudaError_t &last_error() { return current != nullptr ? current->last_error : host_error; }

}  // namespace

namespace {

// The call that set this host thread's error: looked up only on request.
struct Origin {
  char launch[200];  // "kernel k<<<1, 2000>>>" or empty
  int frames;
  void *frame[24];
};
thread_local Origin origin = {"", 0, {}};

}  // namespace

void set_last_error(cudaError_t error, const char *launch) {
  last_error() = error;
  if (current != nullptr) {
    state_of(*current_block).launch_failed = true;
    return;
  }
  std::snprintf(origin.launch, sizeof origin.launch, "%s", launch);
  origin.frames = backtrace(origin.frame, sizeof origin.frame / sizeof *origin.frame);
}

cudaError_t fail(cudaError_t error) {
  set_last_error(error);
  return error;
}

}  // namespace cuda_cpu

using namespace cuda_cpu;

extern "C" {

cudaError_t cudaPeekAtLastError(void) { return last_error(); }

cudaError_t cudaGetLastError(void) {
  const cudaError_t error = last_error();
  last_error() = cudaSuccess;
  if (current == nullptr) forget_refusal();
  return error;
}

const char *cudaGetErrorName(cudaError_t error) {
  const ErrorText *const known = find(error);
  return known != nullptr ? known->name : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
  const ErrorText *const known = find(error);
  return known != nullptr ? known->text : "unrecognized error code";
}

void cuda_cpu_error_origin(char *text, size_t size) {
  const std::string line = line_of_user(origin.frame, origin.frames, nullptr);
  std::snprintf(text, size, "%s%s%s", origin.launch, origin.launch[0] != '\0' ? ", " : "",
                line.c_str());
}

}  // extern "C"
