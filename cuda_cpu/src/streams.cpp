// Streams and events. Launches are complete when they return, so a stream is only a name.
#include <cuda_runtime_api.h>

#include <cstdint>
#include <ctime>

#include <cuda_cpu/errors.h>

#include "diagnose.h"
#include "host_only.h"

using namespace cuda_cpu;

struct CUstream_st {};
struct CUevent_st {
  bool recorded;
  timespec when;
};

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  *stream = new CUstream_st;
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int) {
  return cudaStreamCreate(stream);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int, int) {
  return cudaStreamCreate(stream);
}
cudaError_t cudaStreamGetPriority(cudaStream_t, int *priority) {
  *priority = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  *least = *greatest = 0;  // CUDA's answer where priorities are not supported
  return cudaSuccess;
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                  unsigned int) {
  callback(stream, cudaSuccess, data);
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t function, void *data) {
  function(data);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  // The streams that CUDA itself names are small numbers.
  if (reinterpret_cast<std::uintptr_t>(stream) <=
      reinterpret_cast<std::uintptr_t>(cudaStreamFireAndForget))
    return fail(cudaErrorInvalidResourceHandle);
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) {
  refuse_in_kernel("cudaStreamSynchronize");
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned int) { return cudaSuccess; }

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  *event = new CUevent_st{};
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int) {
  return cudaEventCreate(event);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (event == nullptr) return fail(cudaErrorInvalidResourceHandle);
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  if (event == nullptr) return fail(cudaErrorInvalidResourceHandle);
  event->recorded = true;
  clock_gettime(CLOCK_MONOTONIC, &event->when);
  return cudaSuccess;
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int) {
  return cudaEventRecord(event, stream);
}
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  if (start == nullptr || stop == nullptr || !start->recorded || !stop->recorded)
    return fail(cudaErrorInvalidResourceHandle);
  *milliseconds =
      static_cast<float>(static_cast<double>(stop->when.tv_sec - start->when.tv_sec) * 1e3 +
                         static_cast<double>(stop->when.tv_nsec - start->when.tv_nsec) / 1e6);
  return cudaSuccess;
}

}  // extern "C"
