// Streams and events. Launches are complete when they return, so a stream holds only its capture
// (capture.cpp, which also has the calls of events in a capture).
#include "streams.h"

#include <cuda_cpu/errors.h>

#include "diagnose.h"
#include "host_only.h"

using namespace cuda_cpu;

// Does the event wait for work that its stream has not done?
static bool is_delayed(const CUevent_st &event) {
  return event.delayed != nullptr && event.delayed->first < event.end;
}

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags) {
  if (stream == nullptr || (flags & ~cudaStreamNonBlocking) != 0)
    return fail(cudaErrorInvalidValue);
  *stream = new CUstream_st;
  (*stream)->blocking = (flags & cudaStreamNonBlocking) == 0;
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
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
  const cudaError_t error = refuse_while_capturing(stream);
  if (error != cudaSuccess) return error;
  (void)finish_stream(stream);
  callback(stream, cudaSuccess, data);
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
  return in_stream(stream, cudaGraphNodeTypeHost, [function, data] {
    function(data);
    return cudaSuccess;
  });
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (!is_object(stream)) return fail(cudaErrorInvalidResourceHandle);
  (void)finish_stream(stream);
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  refuse_in_kernel("cudaStreamSynchronize");
  const cudaError_t error = refuse_while_capturing(stream);
  return error == cudaSuccess ? finish_stream(stream) : error;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  const cudaError_t error = refuse_while_capturing(stream);
  return error == cudaSuccess ? finish_stream(stream) : error;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  if (event == nullptr) return fail(cudaErrorInvalidValue);
  *event = new CUevent_st{};
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int) {
  return cudaEventCreate(event);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (event == nullptr) return fail(cudaErrorInvalidResourceHandle);
  (void)finish_delayed(event->delayed, event->end);
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int) {
  return cudaEventRecord(event, stream);
}
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  if (start != nullptr && stop != nullptr && (is_delayed(*start) || is_delayed(*stop)))
    return fail(cudaErrorNotReady);
  if (start == nullptr || stop == nullptr || !start->recorded || !stop->recorded)
    return fail(cudaErrorInvalidResourceHandle);
  *milliseconds =
      static_cast<float>(static_cast<double>(stop->when.tv_sec - start->when.tv_sec) * 1e3 +
                         static_cast<double>(stop->when.tv_nsec - start->when.tv_nsec) / 1e6);
  return cudaSuccess;
}

}  // extern "C"
