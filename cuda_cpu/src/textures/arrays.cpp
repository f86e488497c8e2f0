// CUDA arrays: allocation and copies (CUDA Runtime API reference manual, "Memory Management").
#include "arrays.h"

#include <cuda_cpu/errors.h>

#include <memory>

#include "../memory/regions.h"
#include "../streams/streams.h"

namespace cuda_cpu {

int channels_of(const cudaChannelFormatDesc &f) {
  return (f.x > 0) + (f.y > 0) + (f.z > 0) + (f.w > 0);
}

std::size_t texel_bytes_of(const cudaChannelFormatDesc &f) {
  const int count = channels_of(f), bits[] = {f.x, f.y, f.z, f.w};
  if (f.x != 8 && f.x != 16 && f.x != 32) return 0;
  if (count == 3 || (f.f == cudaChannelFormatKindFloat && f.x == 8)) return 0;
  if (f.f != cudaChannelFormatKindFloat && f.f != cudaChannelFormatKindSigned &&
      f.f != cudaChannelFormatKindUnsigned)
    return 0;
  for (int i = 0; i < 4; i++)
    if (bits[i] != (i < count ? f.x : 0)) return 0;
  return static_cast<std::size_t>(f.x / 8) * static_cast<std::size_t>(count);
}

namespace {

constexpr std::size_t kMostWidth = 131072, kMostHeight = 65536;  // of a Hopper GPU
constexpr unsigned kFlags = 0xef;                                // CUDA's

// Whether `bytes` x `rows` from (x, y) on are inside the array's first layer.
bool holds(cudaArray_const_t array, std::size_t x, std::size_t y, std::size_t bytes,
           std::size_t rows) {
  return array != nullptr && x <= array->pitch && bytes <= array->pitch - x && y <= array->rows() &&
         rows <= array->rows() - y;
}

// An array as memory with a pitch, the position in bytes. False if the copy would go beyond it.
bool take_array(const cudaArray *array, cudaPitchedPtr *memory, cudaPos *at,
                const cudaExtent &bytes) {
  if (array == nullptr) return memory->ptr != nullptr;
  *memory = {array->data, array->pitch, array->pitch, array->rows()};
  at->x *= array->texel_bytes;
  return at->x + bytes.width <= array->pitch && at->y + bytes.height <= array->rows() &&
         at->z + bytes.depth <= array->layers();
}

}  // namespace
}  // namespace cuda_cpu

using namespace cuda_cpu;

extern "C" {

cudaError_t cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *format, size_t width,
                            size_t height, unsigned int flags) {
  return cudaMalloc3DArray(array, format, {width, height, 0}, flags);
}
cudaError_t cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *format,
                              cudaExtent extent, unsigned int flags) {
  const std::size_t texel_bytes = texel_bytes_of(*format);
  const bool layered = (flags & cudaArrayLayered) != 0, cube = (flags & cudaArrayCubemap) != 0;
  if (texel_bytes == 0) return fail(cudaErrorInvalidChannelDescriptor);
  if (extent.width == 0 || (layered && extent.depth == 0) ||
      (!layered && extent.height == 0 && extent.depth > 0) ||
      (cube && !layered && (extent.depth != 6 || extent.width != extent.height)))
    return fail(cudaErrorInvalidValue);
  constexpr unsigned kKnown = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap;
  if (extent.width > kMostWidth || extent.height > kMostHeight || (flags & ~kFlags) != 0)
    return fail(cudaErrorInvalidValue);
  if ((layered && cube) || (flags & ~kKnown) != 0) return fail(cudaErrorNotSupported);
  if (const cudaError_t error = refuse_unsafe()) return error;
  auto made = std::make_unique<cudaArray>();
  *made = {*format, extent, flags, texel_bytes, extent.width * texel_bytes, nullptr};
  void *data = nullptr;
  const cudaError_t error =
      allocate(&data, made->pitch * made->rows() * made->layers(), Place::kDevice);
  if (error != cudaSuccess) return error;
  made->data = static_cast<char *>(data);
  *array = made.release();
  return cudaSuccess;
}
cudaError_t cudaFreeArray(cudaArray_t array) {
  if (array == nullptr) return cudaSuccess;
  const cudaError_t error = release(array->data, Place::kDevice);
  delete array;
  return error;
}
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *format, cudaArray_const_t array) {
  *format = array->format;
  return cudaSuccess;
}
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *format, cudaExtent *extent, unsigned int *flags,
                             cudaArray_t array) {
  if (array == nullptr) return fail(cudaErrorInvalidResourceHandle);
  if (format != nullptr) *format = array->format;
  if (extent != nullptr) *extent = array->extent;
  if (flags != nullptr) *flags = array->flags;
  return cudaSuccess;
}

// ---- copies -------------------------------------------------------------------------------------

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                size_t width, size_t height, cudaMemcpyKind kind) {
  return cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, nullptr);
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                     size_t pitch, size_t width, size_t height, cudaMemcpyKind kind,
                                     cudaStream_t stream) {
  if (to == nullptr) return fail(cudaErrorInvalidResourceHandle);
  if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost)
    return fail(cudaErrorInvalidMemcpyDirection);
  if (!holds(to, x, y, width, height)) return fail(cudaErrorInvalidValue);
  return cudaMemcpy2DAsync(to->at(x, y, 0), to->pitch, from, pitch, width, height, kind, stream);
}
cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                  size_t y, size_t width, size_t height, cudaMemcpyKind kind) {
  return cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, nullptr);
}
cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                       size_t y, size_t width, size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  if (from == nullptr) return fail(cudaErrorInvalidResourceHandle);
  if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice)
    return fail(cudaErrorInvalidMemcpyDirection);
  if (!holds(from, x, y, width, height)) return fail(cudaErrorInvalidValue);
  return cudaMemcpy2DAsync(to, pitch, from->at(x, y, 0), from->pitch, width, height, kind, stream);
}
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                     cudaArray_const_t from, size_t x, size_t y, size_t width,
                                     size_t height, cudaMemcpyKind kind) {
  if (!holds(to, to_x, to_y, width, height) || !holds(from, x, y, width, height))
    return fail(cudaErrorInvalidValue);
  return cudaMemcpy2D(to->at(to_x, to_y, 0), to->pitch, from->at(x, y, 0), from->pitch, width,
                      height, kind);
}
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                              cudaMemcpyKind kind) {
  if (!holds(to, x, y, 0, 0)) return fail(cudaErrorInvalidValue);
  return cudaMemcpy(to->at(x, y, 0), from, bytes, kind);
}
cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                cudaMemcpyKind kind) {
  if (!holds(from, x, y, 0, 0)) return fail(cudaErrorInvalidValue);
  return cudaMemcpy(to, from->at(x, y, 0), bytes, kind);
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *params) {
  return cudaMemcpy3DAsync(params, nullptr);
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *params, cudaStream_t stream) {
  cudaMemcpy3DParms p = *params;
  if (p.extent.width == 0 || p.extent.height == 0 || p.extent.depth == 0) return cudaSuccess;
  if ((p.srcArray != nullptr && p.srcPtr.ptr != nullptr) ||
      (p.dstArray != nullptr && p.dstPtr.ptr != nullptr))
    return fail(cudaErrorInvalidValue);
  const cudaArray *const array = p.srcArray != nullptr ? p.srcArray : p.dstArray;
  if (array != nullptr) p.extent.width *= array->texel_bytes;
  if (!take_array(p.srcArray, &p.srcPtr, &p.srcPos, p.extent) ||
      !take_array(p.dstArray, &p.dstPtr, &p.dstPos, p.extent))
    return fail(cudaErrorInvalidValue);
  if (p.extent.width > p.srcPtr.pitch || p.extent.width > p.dstPtr.pitch)
    return fail(cudaErrorInvalidPitchValue);
  const auto address = [](const cudaPitchedPtr &memory, const cudaPos &at) {
    return static_cast<char *>(memory.ptr) + (at.z * memory.ysize + at.y) * memory.pitch + at.x;
  };
  return in_stream(stream, cudaGraphNodeTypeMemcpy, [=] {
    cudaError_t error = cudaSuccess;
    for (size_t z = 0; z < p.extent.depth && error == cudaSuccess; z++)
      error = copy_rows(address(p.dstPtr, {p.dstPos.x, p.dstPos.y, p.dstPos.z + z}), p.dstPtr.pitch,
                        address(p.srcPtr, {p.srcPos.x, p.srcPos.y, p.srcPos.z + z}), p.srcPtr.pitch,
                        p.extent.width, p.extent.height, p.kind);
    return error;
  });
}

}  // extern "C"
