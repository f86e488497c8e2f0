// Texture objects and arrays (CUDA C++ Programming Guide, "Texture Memory" and "Texture Fetching").
#include <cuda_cpu/textures.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>

#include <cuda_cpu/errors.h>

#include "diagnose.h"
#include "regions.h"

using namespace cuda_cpu;

struct cudaArray {
  cudaChannelFormatDesc format;
  std::size_t width, height;  // in texels
  std::size_t pitch;          // bytes of a row
  char *data;
};

namespace {

struct Texture {
  const char *data;
  long width, height;
  std::size_t pitch, texel_bytes;
  int channels;
  bool linear_memory;
  cudaChannelFormatDesc format;
  cudaTextureDesc how;
};

int channels_of(const cudaChannelFormatDesc &f) {
  return (f.x > 0) + (f.y > 0) + (f.z > 0) + (f.w > 0);
}

// 0 for a format that does not exist: all channels have the same 8, 16 or 32 bits.
std::size_t texel_bytes_of(const cudaChannelFormatDesc &f) {
  const int count = channels_of(f), bits[] = {f.x, f.y, f.z, f.w};
  if (f.x != 8 && f.x != 16 && f.x != 32) return 0;
  if (count == 3 || (f.f == cudaChannelFormatKindFloat && f.x != 32)) return 0;
  if (f.f != cudaChannelFormatKindFloat && f.f != cudaChannelFormatKindSigned &&
      f.f != cudaChannelFormatKindUnsigned)
    return 0;
  for (int i = 0; i < 4; i++)
    if (bits[i] != (i < count ? f.x : 0)) return 0;
  return static_cast<std::size_t>(f.x / 8) * static_cast<std::size_t>(count);
}

// ---- reading ------------------------------------------------------------------------------------

// The texel of index i; -1: the border.
long address(long i, long size, cudaTextureAddressMode mode, bool normalized) {
  if (i >= 0 && i < size) return i;
  if (mode == cudaAddressModeBorder) return -1;
  if (normalized && mode == cudaAddressModeWrap) return (i % size + size) % size;
  if (normalized && mode == cudaAddressModeMirror) {
    const long m = (i % (2 * size) + 2 * size) % (2 * size);
    return m < size ? m : 2 * size - 1 - m;
  }
  return i < 0 ? 0 : size - 1;
}

// Null: the border.
const char *texel(const Texture &t, long x, long y) {
  x = address(x, t.width, t.how.addressMode[0], t.how.normalizedCoords != 0);
  y = address(y, t.height, t.how.addressMode[1], t.how.normalizedCoords != 0);
  if (x < 0 || y < 0) return nullptr;
  return t.data + static_cast<std::size_t>(y) * t.pitch +
         static_cast<std::size_t>(x) * t.texel_bytes;
}

template <class T>
float normalized(const char *data, int channel) {
  T value;
  std::memcpy(&value, data + static_cast<std::size_t>(channel) * sizeof value, sizeof value);
  if (std::is_floating_point_v<T>) return static_cast<float>(value);
  const float most = static_cast<float>(std::numeric_limits<T>::max());
  return std::max(static_cast<float>(value) / most, -1.0f);
}

// A channel as a float: 0 to 1 for unsigned integers, -1 to 1 for signed ones.
float channel_of(const Texture &t, const char *data, int channel) {
  if (data == nullptr) return t.how.borderColor[channel];
  const bool is_signed = t.format.f == cudaChannelFormatKindSigned;
  if (t.format.f == cudaChannelFormatKindFloat) return normalized<float>(data, channel);
  if (t.format.x == 8)
    return is_signed ? normalized<std::int8_t>(data, channel)
                     : normalized<std::uint8_t>(data, channel);
  return is_signed ? normalized<std::int16_t>(data, channel)
                   : normalized<std::uint16_t>(data, channel);
}

bool gives_floats(const Texture &t) { return t.how.readMode == cudaReadModeNormalizedFloat; }

const Texture &checked(const char *call, cudaTextureObject_t object, std::size_t bytes) {
  if (object == 0) diagnose("memcheck", "%s with a texture object that was not created", call);
  const Texture &t = *reinterpret_cast<const Texture *>(object);
  const std::size_t expected =
      gives_floats(t) ? sizeof(float) * static_cast<std::size_t>(t.channels) : t.texel_bytes;
  if (bytes != expected)
    diagnose("memcheck", "%s reads a value of %zu bytes from a texture with values of %zu bytes",
             call, bytes, expected);
  return t;
}

// A texel as it is, or its channels as floats.
void read_point(const Texture &t, const char *data, void *value, std::size_t bytes) {
  if (!gives_floats(t) && data != nullptr) {
    std::memcpy(value, data, bytes);
    return;
  }
  std::memset(value, 0, bytes);
  if (!gives_floats(t) && t.format.f != cudaChannelFormatKindFloat) return;  // the border
  for (int c = 0; c < t.channels; c++) static_cast<float *>(value)[c] = channel_of(t, data, c);
}

// The weights of a GPU have 8 fractional bits.
float weight(float fraction) { return std::nearbyint(fraction * 256) / 256; }

}  // namespace

namespace cuda_cpu {

void fetch_texel(const char *call, cudaTextureObject_t object, int index, void *value,
                 std::size_t bytes) {
  const Texture &t = checked(call, object, bytes);
  if (!t.linear_memory) diagnose("memcheck", "%s of a texture that is not of linear memory", call);
  if (index < 0 || index >= t.width)
    std::memset(value, 0, bytes);
  else
    read_point(t, t.data + static_cast<std::size_t>(index) * t.texel_bytes, value, bytes);
}

void sample_texture(const char *call, cudaTextureObject_t object, float x, float y, void *value,
                    std::size_t bytes) {
  const Texture &t = checked(call, object, bytes);
  if (t.linear_memory)
    diagnose("memcheck", "%s of a texture of linear memory, which tex1Dfetch reads", call);
  if (t.how.normalizedCoords != 0) {
    x *= static_cast<float>(t.width);
    if (t.height > 1) y *= static_cast<float>(t.height);
  }
  if (t.how.filterMode == cudaFilterModePoint) {
    read_point(t, texel(t, std::lround(std::floor(x)), std::lround(std::floor(y))), value, bytes);
    return;
  }
  const float left = std::floor(x - 0.5f), top = std::floor(y - 0.5f);
  const float a = weight(x - 0.5f - left), b = weight(y - 0.5f - top);
  const long i = std::lround(left), j = std::lround(top);
  for (int c = 0; c < t.channels; c++)
    static_cast<float *>(value)[c] = (1 - a) * (1 - b) * channel_of(t, texel(t, i, j), c) +
                                     a * (1 - b) * channel_of(t, texel(t, i + 1, j), c) +
                                     (1 - a) * b * channel_of(t, texel(t, i, j + 1), c) +
                                     a * b * channel_of(t, texel(t, i + 1, j + 1), c);
}

}  // namespace cuda_cpu

extern "C" {

// ---- texture objects ----------------------------------------------------------------------------

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const cudaResourceDesc *resource,
                                    const cudaTextureDesc *texture,
                                    const cudaResourceViewDesc *view) {
  if (view != nullptr || texture->sRGB != 0 || resource->resType == cudaResourceTypeMipmappedArray)
    return fail(cudaErrorNotSupported);
  Texture t = {};
  t.how = *texture;
  t.height = 1;
  if (resource->resType == cudaResourceTypeLinear) {
    const auto &from = resource->res.linear;
    t.linear_memory = true;
    t.data = static_cast<const char *>(from.devPtr);
    t.format = from.desc;
    t.pitch = from.sizeInBytes;
  } else if (resource->resType == cudaResourceTypePitch2D) {
    const auto &from = resource->res.pitch2D;
    t.data = static_cast<const char *>(from.devPtr);
    t.format = from.desc;
    t.width = static_cast<long>(from.width);
    t.height = static_cast<long>(from.height);
    t.pitch = from.pitchInBytes;
  } else if (resource->resType == cudaResourceTypeArray && resource->res.array.array != nullptr) {
    const cudaArray &from = *resource->res.array.array;
    t.data = from.data;
    t.format = from.format;
    t.width = static_cast<long>(from.width);
    t.height = static_cast<long>(from.height);
    t.pitch = from.pitch;
  } else {
    return fail(cudaErrorInvalidValue);
  }
  t.texel_bytes = texel_bytes_of(t.format);
  t.channels = channels_of(t.format);
  if (t.data == nullptr || t.texel_bytes == 0 || place_of(t.data) == Place::kHost)
    return fail(cudaErrorInvalidValue);
  if (t.linear_memory) t.width = static_cast<long>(t.pitch / t.texel_bytes);
  const bool floats = t.format.f == cudaChannelFormatKindFloat;
  // Integers of 32 bits have no normalised form, and integers as they are cannot be interpolated.
  if (texture->readMode == cudaReadModeNormalizedFloat && !floats && t.format.x == 32)
    return fail(cudaErrorInvalidValue);
  if (texture->filterMode == cudaFilterModeLinear && !floats && !gives_floats(t))
    return fail(cudaErrorInvalidValue);
  *object = reinterpret_cast<cudaTextureObject_t>(new Texture(t));
  return cudaSuccess;
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  delete reinterpret_cast<Texture *>(object);
  return cudaSuccess;
}

// ---- arrays -------------------------------------------------------------------------------------

cudaError_t cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *format, size_t width,
                            size_t height, unsigned int flags) {
  const std::size_t bytes = texel_bytes_of(*format);
  if (bytes == 0 || width == 0) return fail(cudaErrorInvalidValue);
  if (flags != cudaArrayDefault) return fail(cudaErrorNotSupported);
  auto made = std::make_unique<cudaArray>();
  *made = {*format, width, std::max<std::size_t>(height, 1), width * bytes, nullptr};
  void *data = nullptr;
  const cudaError_t error = allocate(&data, made->pitch * made->height, Place::kDevice);
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
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                size_t width, size_t height, cudaMemcpyKind kind) {
  if (x + width > to->pitch || y + height > to->height) return fail(cudaErrorInvalidValue);
  return cudaMemcpy2D(to->data + y * to->pitch + x, to->pitch, from, pitch, width, height, kind);
}
cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                  size_t y, size_t width, size_t height, cudaMemcpyKind kind) {
  if (x + width > from->pitch || y + height > from->height) return fail(cudaErrorInvalidValue);
  return cudaMemcpy2D(to, pitch, from->data + y * from->pitch + x, from->pitch, width, height,
                      kind);
}
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                              cudaMemcpyKind kind) {
  return cudaMemcpy(to->data + y * to->pitch + x, from, bytes, kind);
}
cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                cudaMemcpyKind kind) {
  return cudaMemcpy(to, from->data + y * from->pitch + x, bytes, kind);
}

}  // extern "C"
