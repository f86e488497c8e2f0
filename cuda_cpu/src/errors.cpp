#include <cuda_cpu/errors.h>

#include "block.h"

namespace cuda_cpu {

namespace {

thread_local cudaError_t host_error = cudaSuccess;  // in CUDA too each host thread has its own

cudaError_t &last_error() { return current != nullptr ? current->last_error : host_error; }

}  // namespace

void set_last_error(cudaError_t error) {
  last_error() = error;
  if (current != nullptr) state_of(*current_block).launch_failed = true;
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
  return error;
}

#define CUDA_CPU_ERRORS(X)                                                       \
  X(cudaSuccess, "no error")                                                     \
  X(cudaErrorInvalidValue, "invalid argument")                                   \
  X(cudaErrorMemoryAllocation, "out of memory")                                  \
  X(cudaErrorInvalidConfiguration, "invalid configuration argument")             \
  X(cudaErrorInvalidSymbol, "invalid device symbol")                             \
  X(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy")        \
  X(cudaErrorLaunchPendingCountExceeded, "too many launches pending")            \
  X(cudaErrorInvalidDeviceFunction, "invalid device function")                   \
  X(cudaErrorInvalidDevice, "invalid device ordinal")                            \
  X(cudaErrorInvalidResourceHandle, "invalid resource handle")                   \
  X(cudaErrorNotReady, "device not ready")                                       \
  X(cudaErrorLaunchOutOfResources, "too many resources requested for launch")    \
  X(cudaErrorLaunchFailure, "unspecified launch failure")                        \
  X(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch") \
  X(cudaErrorNotPermitted, "operation not permitted")                            \
  X(cudaErrorNotSupported, "operation not supported")

const char *cudaGetErrorName(cudaError_t error) {
#define X(code, text) \
  if (error == code) return #code;
  CUDA_CPU_ERRORS(X)
#undef X
  return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
#define X(code, text) \
  if (error == code) return text;
  CUDA_CPU_ERRORS(X)
#undef X
  return "unrecognized error code";
}

}  // extern "C"
