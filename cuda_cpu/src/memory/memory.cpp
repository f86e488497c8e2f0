// The memory calls: allocation, copies, sets.
#include <cuda_cpu/memory.h>

#include <cstring>

#include "../diagnosis/check.h"
#include "regions.h"
#include "../diagnosis/settings.h"
#include "../streams/streams.h"

using namespace cuda_cpu;

namespace {

// What a GPU with unified addresses checks: a direction's device side may be any memory but the
// program's own, its host side any memory at all.
cudaError_t check_copy(const void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  if (bytes == 0) return cudaSuccess;
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
    return fail(cudaErrorInvalidMemcpyDirection);
  if (to == nullptr || from == nullptr || !fits(to, bytes) || !fits(from, bytes))
    return fail(cudaErrorInvalidValue);
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if ((to_device && place_of(to) == Place::kHost) ||
      (from_device && place_of(from) == Place::kHost)) {
    note_freed("cudaMemcpy", to);
    note_freed("cudaMemcpy", from);
    return fail(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}

cudaError_t copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  const cudaError_t error = check_copy(to, from, bytes, kind);
  if (error != cudaSuccess || bytes == 0) return error;
  if (!check_in_use("cudaMemcpy", to) || !check_in_use("cudaMemcpy", from))
    return fail(cudaErrorInvalidValue);
  const DeviceScope device(DeviceScope::kRuntime);
  std::memmove(to, from, bytes);
  if constexpr (check::kOn) check::heap_copied(to, from, bytes);
  if constexpr (check::kCounts) {
    const bool within = place_of(to) == Place::kDevice && place_of(from) == Place::kDevice;
    check::copied(within ? 2 * bytes : 0, within ? 0 : bytes);
  }
  return cudaSuccess;
}

cudaError_t set_bytes(void *memory, int value, size_t bytes) {
  if (bytes == 0) return cudaSuccess;
  if (memory == nullptr || place_of(memory) == Place::kHost || !fits(memory, bytes)) {
    note_freed("cudaMemset", memory);
    return fail(cudaErrorInvalidValue);
  }
  if (!check_in_use("cudaMemset", memory)) return fail(cudaErrorInvalidValue);
  const DeviceScope device(DeviceScope::kRuntime);
  std::memset(memory, value, bytes);
  if constexpr (check::kOn) check::heap_written(memory, bytes);
  if constexpr (check::kCounts) check::copied(bytes, 0);
  return cudaSuccess;
}

// An asynchronous copy waits for its stream, and ends before it returns, if host memory is not
// pinned.
template <class F>
cudaError_t copy_in_stream(cudaStream_t stream, const void *to, const void *from, F work) {
  const cudaError_t error = in_stream(stream, cudaGraphNodeTypeMemcpy, work);
  const bool waits = place_of(to) == Place::kHost || place_of(from) == Place::kHost;
  return error == cudaSuccess && waits && captures == nullptr ? finish_stream(stream) : error;
}

}  // namespace

cudaError_t cuda_cpu::copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                size_t width, size_t height, cudaMemcpyKind kind) {
  for (size_t row = 0; row < height; row++) {
    const cudaError_t error = copy(static_cast<char *>(to) + row * to_pitch,
                                   static_cast<const char *>(from) + row * from_pitch, width, kind);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

extern "C" {

cudaError_t cudaMalloc(void **memory, size_t bytes) {
  if (memory == nullptr) return fail(cudaErrorInvalidValue);
  const cudaError_t error = bytes > 0 ? refuse_unsafe() : cudaSuccess;
  return error != cudaSuccess ? error : allocate(memory, bytes, Place::kDevice);
}
cudaError_t cudaFree(void *memory) {
  if (const cudaError_t error = refuse_unsafe()) return error;
  (void)finish_all_streams();  // cudaFree waits for the device
  size_t bytes = 0;
  if (Owner *const owner = owner_of(memory, &bytes)) return owner->free(memory, bytes);
  return release(memory, Place::kDevice);
}
cudaError_t cudaMallocHost(void **memory, size_t bytes) {
  const cudaError_t error = refuse_unsafe();
  return error != cudaSuccess ? error : allocate(memory, bytes, Place::kPinned);
}
cudaError_t cudaMallocManaged(void **memory, size_t bytes, unsigned int flags) {
  if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
    return fail(cudaErrorInvalidValue);
  const cudaError_t error = refuse_unsafe();
  return error != cudaSuccess ? error : allocate(memory, bytes, Place::kManaged);
}
cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned int flags) {
  if ((flags & ~(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined)) != 0)
    return fail(cudaErrorInvalidValue);
  return cudaMallocHost(memory, bytes);
}
cudaError_t cudaFreeHost(void *memory) {
  if (const cudaError_t error = refuse_unsafe()) return error;
  (void)finish_all_streams();
  return release(memory, Place::kPinned);
}
cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned int) {
  const cudaError_t error = refuse_unsafe();
  return error != cudaSuccess ? error : pin(memory, bytes);
}
cudaError_t cudaHostUnregister(void *memory) {
  (void)finish_all_streams();
  return unpin(memory);
}
cudaError_t cudaHostGetDevicePointer(void **device_pointer, void *memory, unsigned int flags) {
  *device_pointer = memory;
  return flags == 0 && place_of(memory) == Place::kPinned ? cudaSuccess
                                                          : fail(cudaErrorInvalidValue);
}
cudaError_t cudaHostGetFlags(unsigned int *flags, void *memory) {
  *flags = cudaHostAllocMapped;
  return place_of(memory) == Place::kPinned ? cudaSuccess : fail(cudaErrorInvalidValue);
}
cudaError_t cudaMemPrefetchAsync(const void *memory, size_t bytes, int, cudaStream_t) {
  return place_of(memory) == Place::kManaged && fits(memory, bytes) ? cudaSuccess
                                                                    : fail(cudaErrorInvalidValue);
}
cudaError_t cudaMemAdvise(const void *memory, size_t bytes, cudaMemoryAdvise, int) {
  return cudaMemPrefetchAsync(memory, bytes, 0, nullptr);
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void *memory, size_t, unsigned int) {
  return place_of(memory) == Place::kManaged ? cudaSuccess : fail(cudaErrorInvalidValue);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
  *total_bytes = settings().memory_limit;
  *free_bytes = settings().memory_limit - allocated_bytes();
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer) {
  const Place place = is_kept(pointer) ? Place::kHost : place_of(pointer);
  void *const address = const_cast<void *>(pointer);
  attributes->type = place == Place::kDevice    ? cudaMemoryTypeDevice
                     : place == Place::kManaged ? cudaMemoryTypeManaged
                     : place == Place::kPinned  ? cudaMemoryTypeHost
                                                : cudaMemoryTypeUnregistered;
  attributes->device = place == Place::kHost ? -2 : 0;  // cudaInvalidDeviceId
  attributes->devicePointer = place == Place::kHost ? nullptr : address;
  attributes->hostPointer = place == Place::kDevice ? nullptr : address;
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  return cudaMemcpyAsync(to, from, bytes, kind, nullptr);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  if (bytes == 0) return cudaSuccess;
  if (is_capturing(stream))
    if (const cudaError_t error = check_copy(to, from, bytes, kind)) return error;
  return copy_in_stream(stream, to, from,
                        [=] { return copy_rows(to, 0, from, 0, bytes, 1, kind); });
}

cudaError_t cudaMemset(void *memory, int value, size_t bytes) {
  return cudaMemsetAsync(memory, value, bytes, nullptr);
}
cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream) {
  return in_stream(stream, cudaGraphNodeTypeMemset,
                   [=] { return set_bytes(memory, value, bytes); });
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                           size_t bytes) {
  return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, nullptr);
}
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t bytes, cudaStream_t stream) {
  if (to_device != 0 || from_device != 0) return fail(cudaErrorInvalidDevice);
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

// ---- rows that are a pitch apart

cudaError_t cudaMallocPitch(void **memory, size_t *pitch, size_t width, size_t height) {
  *pitch = (width + 511) / 512 * 512;  // as on a GPU, so that code which ignores it fails here too
  return cudaMalloc(memory, *pitch * height);
}

cudaError_t cudaMalloc3D(cudaPitchedPtr *memory, cudaExtent extent) {
  *memory = {nullptr, 0, extent.width, extent.height};
  return cudaMallocPitch(&memory->ptr, &memory->pitch, extent.width, extent.height * extent.depth);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind) {
  return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, nullptr);
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  if (width > to_pitch || width > from_pitch) return fail(cudaErrorInvalidPitchValue);
  return copy_in_stream(stream, to, from, [=] {
    return copy_rows(to, to_pitch, from, from_pitch, width, height, kind);
  });
}

cudaError_t cudaMemset2D(void *memory, size_t pitch, int value, size_t width, size_t height) {
  return cudaMemset2DAsync(memory, pitch, value, width, height, nullptr);
}
cudaError_t cudaMemset2DAsync(void *memory, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  if (width > pitch) return fail(cudaErrorInvalidPitchValue);
  for (size_t row = 0; row < height; row++) {
    const cudaError_t error =
        cudaMemsetAsync(static_cast<char *>(memory) + row * pitch, value, width, stream);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}
cudaError_t cudaMemset3D(cudaPitchedPtr memory, int value, cudaExtent extent) {
  for (size_t slice = 0; slice < extent.depth; slice++) {
    void *const rows = static_cast<char *>(memory.ptr) + slice * memory.pitch * memory.ysize;
    const cudaError_t error = cudaMemset2D(rows, memory.pitch, value, extent.width, extent.height);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // extern "C"
