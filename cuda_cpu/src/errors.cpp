// The last error, and the names and texts of errors.
#include <cuda_cpu/errors.h>

#include <execinfo.h>

#include <cstdio>
#include <string>

#include "block.h"
#include "lines.h"

namespace cuda_cpu {

namespace {

thread_local cudaError_t host_error = cudaSuccess;  // in CUDA too each host thread has its own

struct ErrorText {
  cudaError_t code;
  const char *name, *text;
};
#define CODE(code) (code), #code
const ErrorText errors[] = {
    {CODE(cudaSuccess), "no error"},
    {CODE(cudaErrorInvalidValue), "invalid argument"},
    {CODE(cudaErrorMemoryAllocation), "out of memory"},
    {CODE(cudaErrorInitializationError), "initialization error"},
    {CODE(cudaErrorInvalidConfiguration), "invalid configuration argument"},
    {CODE(cudaErrorInvalidPitchValue), "invalid pitch argument"},
    {CODE(cudaErrorInvalidSymbol), "invalid device symbol"},
    {CODE(cudaErrorInvalidMemcpyDirection), "invalid copy direction for memcpy"},
    {CODE(cudaErrorLaunchPendingCountExceeded), "too many launches pending"},
    {CODE(cudaErrorInvalidDeviceFunction), "invalid device function"},
    {CODE(cudaErrorNoDevice), "no CUDA-capable device is detected"},
    {CODE(cudaErrorInvalidDevice), "invalid device ordinal"},
    {CODE(cudaErrorInvalidResourceHandle), "invalid resource handle"},
    {CODE(cudaErrorIllegalState), "the operation cannot be performed in the present state"},
    {CODE(cudaErrorNotReady), "device not ready"},
    {CODE(cudaErrorIllegalAddress), "an illegal memory access was encountered"},
    {CODE(cudaErrorLaunchOutOfResources), "too many resources requested for launch"},
    {CODE(cudaErrorPeerAccessNotEnabled), "peer access has not been enabled"},
    {CODE(cudaErrorAssert), "device-side assert triggered"},
    {CODE(cudaErrorHostMemoryAlreadyRegistered),
     "part or all of the requested memory range is already mapped"},
    {CODE(cudaErrorHostMemoryNotRegistered),
     "pointer does not correspond to a registered memory region"},
    {CODE(cudaErrorLaunchFailure), "unspecified launch failure"},
    {CODE(cudaErrorCooperativeLaunchTooLarge), "too many blocks in cooperative launch"},
    {CODE(cudaErrorNotPermitted), "operation not permitted"},
    {CODE(cudaErrorNotSupported), "operation not supported"},
    {CODE(cudaErrorStreamCaptureUnsupported), "operation not permitted when stream is capturing"},
    {CODE(cudaErrorStreamCaptureInvalidated),
     "operation failed due to a previous error during capture"},
    {CODE(cudaErrorStreamCaptureMerge),
     "operation would result in a merge of separate capture sequences"},
    {CODE(cudaErrorStreamCaptureUnmatched), "capture was not ended in the same stream as it began"},
    {CODE(cudaErrorStreamCaptureUnjoined), "capturing stream has unjoined work"},
    {CODE(cudaErrorStreamCaptureImplicit),
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {CODE(cudaErrorCapturedEvent),
     "operation not permitted on an event last recorded in a capturing stream"},
    {CODE(cudaErrorGraphExecUpdateFailure),
     "the graph update was not performed because it included changes which violated constraints "
     "specific to instantiated graph update"},
    {CODE(cudaErrorUnknown), "unknown error"},
};
#undef CODE

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
  const char *kernel;
  int frames;
  void *frame[24];
};
thread_local Origin origin = {nullptr, 0, {}};

}  // namespace

void set_last_error(cudaError_t error, const char *kernel) {
  last_error() = error;
  if (current != nullptr) {
    state_of(*current_block).launch_failed = true;
    return;
  }
  origin.kernel = kernel;
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
  if (origin.kernel != nullptr)
    std::snprintf(text, size, "kernel %s, %s", origin.kernel, line.c_str());
  else
    std::snprintf(text, size, "%s", line.c_str());
}

}  // extern "C"
