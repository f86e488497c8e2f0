// Texture objects (CUDA C++ Programming Guide, "Texture Memory" and "Texture Fetching").
#include <cuda_cpu/textures.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include <cuda_cpu/errors.h>
#include <cuda_fp16.h>

#include "arrays.h"
#include "../diagnosis/diagnose.h"
#include "../diagnosis/limits.h"
#include "../memory/regions.h"

using namespace cuda_cpu;

namespace {

struct Texture {
  const char *data;
  long size[3];  // in texels; the last: layers
  std::size_t pitch, texel_bytes;
  int channels;
  bool linear_memory, layered;
  cudaChannelFormatDesc format;
  cudaTextureDesc how;
};

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

// Null: the border. A layer is taken as it is.
const char *texel(const Texture &t, const long (&at)[3], int dimensions) {
  long place[3] = {at[0], at[1], at[2]};
  for (int d = 0; d < dimensions; d++) {
    place[d] = address(at[d], t.size[d], t.how.addressMode[d], t.how.normalizedCoords != 0);
    if (place[d] < 0) return nullptr;
  }
  return t.data + static_cast<std::size_t>(place[2] * t.size[1] + place[1]) * t.pitch +
         static_cast<std::size_t>(place[0]) * t.texel_bytes;
}

template <class T>
float normalized(const char *data, int channel) {
  T value;
  std::memcpy(&value, data + static_cast<std::size_t>(channel) * sizeof value, sizeof value);
  if (std::is_floating_point_v<T>) return static_cast<float>(value);
  const float most = static_cast<float>(std::numeric_limits<T>::max());
  return std::max(static_cast<float>(value) / most, -1.0f);
}

bool holds_halfs(const Texture &t) {
  return t.format.f == cudaChannelFormatKindFloat && t.format.x == 16;
}

// A channel as a float: 0 to 1 for unsigned integers, -1 to 1 for signed ones.
float channel_of(const Texture &t, const char *data, int channel) {
  if (data == nullptr) return t.how.borderColor[channel];
  if (holds_halfs(t)) {
    unsigned short bits;
    std::memcpy(&bits, data + static_cast<std::size_t>(channel) * sizeof bits, sizeof bits);
    return cuda_cpu::half_to_float(bits);
  }
  const bool is_signed = t.format.f == cudaChannelFormatKindSigned;
  if (t.format.f == cudaChannelFormatKindFloat) return normalized<float>(data, channel);
  if (t.format.x == 8)
    return is_signed ? normalized<std::int8_t>(data, channel)
                     : normalized<std::uint8_t>(data, channel);
  return is_signed ? normalized<std::int16_t>(data, channel)
                   : normalized<std::uint16_t>(data, channel);
}

bool gives_floats(const Texture &t) {
  return t.how.readMode == cudaReadModeNormalizedFloat || holds_halfs(t);
}

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

// A whole number as an index; far outside for those that are no index.
long index_of(float x) {
  constexpr float kFar = 1e9f;
  if (!(x >= -kFar)) return -static_cast<long>(kFar);
  return static_cast<long>(x < kFar ? x : kFar);
}

// The weights of a GPU have 8 fractional bits.
float weight(float fraction) { return std::nearbyint(fraction * 256) / 256; }

}  // namespace

namespace cuda_cpu {

void fetch_texel(const char *call, cudaTextureObject_t object, int index, void *value,
                 std::size_t bytes) {
  const Texture &t = checked(call, object, bytes);
  if (!t.linear_memory) diagnose("memcheck", "%s of a texture that is not of linear memory", call);
  if (index < 0 || index >= t.size[0])
    std::memset(value, 0, bytes);
  else
    read_point(t, t.data + static_cast<std::size_t>(index) * t.texel_bytes, value, bytes);
}

void sample_texture(const char *call, cudaTextureObject_t object, const SamplePlace &place,
                    void *value, std::size_t bytes) {
  const Texture &t = checked(call, object, bytes);
  if (t.linear_memory)
    diagnose("memcheck", "%s of a texture of linear memory, which tex1Dfetch reads", call);
  const bool layered = place.layer >= 0;
  if (layered != t.layered)
    diagnose("memcheck", "%s of a texture %s layers", call, t.layered ? "with" : "without");
  long low[3] = {0, 0, layered ? std::min<long>(place.layer, t.size[2] - 1) : 0};
  float part[3] = {0, 0, 0};  // of the upper neighbour
  const bool point = t.how.filterMode == cudaFilterModePoint;
  for (int d = 0; d < place.dimensions; d++) {
    const float scale = t.how.normalizedCoords != 0 ? static_cast<float>(t.size[d]) : 1.0f;
    const float x = place.at[d] * scale - (point ? 0.0f : 0.5f), down = std::floor(x);
    low[d] = index_of(down);
    if (!point) part[d] = weight(x - down);
  }
  if (point) {
    read_point(t, texel(t, low, place.dimensions), value, bytes);
    return;
  }
  float sum[4] = {0, 0, 0, 0};
  for (int corner = 0; corner < 1 << place.dimensions; corner++) {
    long at[3] = {low[0], low[1], low[2]};
    float share = 1;
    for (int d = 0; d < place.dimensions; d++) {
      const bool upper = (corner >> d & 1) != 0;
      share *= upper ? part[d] : 1 - part[d];
      at[d] += upper ? 1 : 0;
    }
    const char *const data = texel(t, at, place.dimensions);
    for (int c = 0; c < t.channels; c++) sum[c] += share * channel_of(t, data, c);
  }
  std::memcpy(value, sum, bytes);
}

// The table of the CUDA C++ Programming Guide, "Cubemap Textures".
SamplePlace cubemap_place(float x, float y, float z) {
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  const auto face = [](int layer, float m, float s, float t) {
    return SamplePlace{{(s / m + 1) / 2, (t / m + 1) / 2, 0}, 2, layer};
  };
  if (ax >= ay && ax >= az) return x >= 0 ? face(0, ax, -z, -y) : face(1, ax, z, -y);
  if (ay >= az) return y >= 0 ? face(2, ay, x, z) : face(3, ay, x, -z);
  return z >= 0 ? face(4, az, x, -y) : face(5, az, -x, -y);
}

}  // namespace cuda_cpu

extern "C" {

// ---- texture objects ----------------------------------------------------------------------------

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const cudaResourceDesc *resource,
                                    const cudaTextureDesc *texture,
                                    const cudaResourceViewDesc *view) {
  if (view != nullptr || texture->sRGB != 0 || resource->resType == cudaResourceTypeMipmappedArray)
    return fail(cudaErrorNotSupported);
  constexpr std::size_t kPitchAlignment = 32;  // as cudaDeviceProp has it
  Texture t = {};
  t.how = *texture;
  t.size[1] = t.size[2] = 1;
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
    t.size[0] = static_cast<long>(from.width);
    t.size[1] = static_cast<long>(from.height);
    t.pitch = from.pitchInBytes;
    if (t.pitch % kPitchAlignment != 0) return fail(cudaErrorInvalidValue);
  } else if (resource->resType == cudaResourceTypeArray) {
    if (resource->res.array.array == nullptr) return fail(cudaErrorInvalidResourceHandle);
    const cudaArray &from = *resource->res.array.array;
    t.data = from.data;
    t.format = from.format;
    t.size[0] = static_cast<long>(from.extent.width);
    t.size[1] = static_cast<long>(from.rows());
    t.size[2] = static_cast<long>(from.layers());
    t.pitch = from.pitch;
    t.layered = (from.flags & (cudaArrayLayered | cudaArrayCubemap)) != 0;
  } else {
    return fail(cudaErrorInvalidValue);
  }
  t.texel_bytes = texel_bytes_of(t.format);
  t.channels = channels_of(t.format);
  if (t.texel_bytes == 0) return fail(cudaErrorInvalidChannelDescriptor);
  if (object == nullptr || t.data == nullptr || place_of(t.data) == Place::kHost ||
      (resource->resType != cudaResourceTypeArray &&
       reinterpret_cast<std::uintptr_t>(t.data) % kMemoryAlignment != 0))
    return fail(cudaErrorInvalidValue);
  if (t.linear_memory) t.size[0] = static_cast<long>(t.pitch / t.texel_bytes);
  const bool floats = t.format.f == cudaChannelFormatKindFloat;
  // Floats and integers of 32 bits have no normalised form, and integers as they are cannot be
  // interpolated.
  if (texture->readMode == cudaReadModeNormalizedFloat && (floats || t.format.x == 32))
    return fail(cudaErrorInvalidNormSetting);
  if (texture->filterMode == cudaFilterModeLinear && !floats && !gives_floats(t))
    return fail(cudaErrorInvalidFilterSetting);
  *object = reinterpret_cast<cudaTextureObject_t>(new Texture(t));
  return cudaSuccess;
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  delete reinterpret_cast<Texture *>(object);
  return cudaSuccess;
}

}  // extern "C"
