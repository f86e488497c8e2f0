// Streams and events. Launches are complete when they return, so a stream holds only its capture
// (capture.cpp, which also has the calls of events in a capture).
#include "streams.h"

#include <cuda_cpu/errors.h>

#include "../diagnosis/diagnose.h"
#include "../diagnosis/host_only.h"

using namespace cuda_cpu;

// Does the event wait for work that its stream has not done?
static bool is_delayed(const CUevent_st &event) {
  return event.point.stream != nullptr && event.point.stream->first < event.point.end;
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
                                  unsigned int flags) {
  if (callback == nullptr || flags != 0) return fail(cudaErrorInvalidValue);
  const cudaError_t error = refuse_while_capturing(stream);
  if (error != cudaSuccess) return error;
  (void)finish_stream(stream);
  callback(stream, cudaSuccess, data);
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
  if (function == nullptr) return fail(cudaErrorInvalidValue);
  return in_stream(stream, cudaGraphNodeTypeHost, [function, data] {
    function(data);
    return cudaSuccess;
  });
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (!is_object(stream)) return fail(cudaErrorInvalidResourceHandle);
  (void)finish_stream(stream);
  if (captures > 0) leave_capture(stream);
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
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
  constexpr unsigned int kInterprocess = 4;
  if (event == nullptr ||
      (flags & ~(cudaEventBlockingSync | cudaEventDisableTiming | kInterprocess)) != 0)
    return fail(cudaErrorInvalidValue);
  *event = new CUevent_st{};
  (*event)->timed = (flags & cudaEventDisableTiming) == 0;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (event == nullptr) return fail(cudaErrorInvalidResourceHandle);
  (void)finish_until(event->point);
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  if (flags > 1) return fail(cudaErrorInvalidValue);  // 1: cudaEventRecordExternal
  return cudaEventRecord(event, stream);
}
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  if (milliseconds == nullptr) return fail(cudaErrorInvalidValue);
  if (start == nullptr || stop == nullptr) return fail(cudaErrorInvalidResourceHandle);
  if (start->capture != nullptr || stop->capture != nullptr) return fail(cudaErrorCapturedEvent);
  if (is_delayed(*start) || is_delayed(*stop)) return fail(cudaErrorNotReady);
  if (!start->recorded || !stop->recorded || !start->timed || !stop->timed)
    return fail(cudaErrorInvalidResourceHandle);
  *milliseconds =
      static_cast<float>(static_cast<double>(stop->when.tv_sec - start->when.tv_sec) * 1e3 +
                         static_cast<double>(stop->when.tv_nsec - start->when.tv_nsec) / 1e6);
  return cudaSuccess;
}

}  // extern "C"
