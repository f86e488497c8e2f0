// The memory calls: allocation, copies, sets.
#include <cuda_cpu/memory.h>

#include <cstring>

#include "../check/check.h"
#include "regions.h"
#include "settings.h"

using namespace cuda_cpu;

namespace {

bool may_be(const void *pointer, Place wanted) {
  const Place place = place_of(pointer);
  return place == wanted || place == Place::kPinned;
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void **memory, size_t bytes) {
  return allocate(memory, bytes, Place::kDevice);
}
cudaError_t cudaFree(void *memory) { return release(memory, Place::kDevice); }
cudaError_t cudaMallocAsync(void **memory, size_t bytes, cudaStream_t) {
  return allocate(memory, bytes, Place::kDevice);
}
cudaError_t cudaFreeAsync(void *memory, cudaStream_t) { return release(memory, Place::kDevice); }
cudaError_t cudaMallocHost(void **memory, size_t bytes) {
  return allocate(memory, bytes, Place::kPinned);
}
cudaError_t cudaFreeHost(void *memory) { return release(memory, Place::kPinned); }

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
  *total_bytes = settings().memory_limit;
  *free_bytes = settings().memory_limit - allocated_bytes();
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer) {
  const Place place = place_of(pointer);
  void *const address = const_cast<void *>(pointer);
  attributes->type = place == Place::kDevice   ? cudaMemoryTypeDevice
                     : place == Place::kPinned ? cudaMemoryTypeHost
                                               : cudaMemoryTypeUnregistered;
  attributes->device = 0;
  attributes->devicePointer = place == Place::kHost ? nullptr : address;
  attributes->hostPointer = place == Place::kDevice ? nullptr : address;
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
    return fail(cudaErrorInvalidMemcpyDirection);
  if (bytes == 0) return cudaSuccess;
  if (to == nullptr || from == nullptr || !fits(to, bytes) || !fits(from, bytes))
    return fail(cudaErrorInvalidValue);
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (kind != cudaMemcpyDefault && (!may_be(to, to_device ? Place::kDevice : Place::kHost) ||
                                    !may_be(from, from_device ? Place::kDevice : Place::kHost)))
    return fail(cudaErrorInvalidValue);
  const DeviceScope device(DeviceScope::kRuntime);
  std::memmove(to, from, bytes);
  if constexpr (check::kOn) check::heap_copied(to, from, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t) {
  return cudaMemcpy(to, from, bytes, kind);
}

cudaError_t cudaMemset(void *memory, int value, size_t bytes) {
  if (bytes == 0) return cudaSuccess;
  if (memory == nullptr || !may_be(memory, Place::kDevice) || !fits(memory, bytes))
    return fail(cudaErrorInvalidValue);
  const DeviceScope device(DeviceScope::kRuntime);
  std::memset(memory, value, bytes);
  if constexpr (check::kOn) check::heap_written(memory, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t) {
  return cudaMemset(memory, value, bytes);
}

}  // extern "C"
