// Reading textures in kernels: tex1Dfetch, tex1D, tex2D; and the formats of CUDA's types.
#ifndef CUDA_CPU_TEXTURES_H
#define CUDA_CPU_TEXTURES_H

#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>

#include <cuda_cpu/vectors.h>

namespace cuda_cpu {

// Each writes one value of `bytes` bytes. Ends the program if the texture has values of another
// size, or is of memory that the call cannot read (memcheck).
void fetch_texel(const char *call, cudaTextureObject_t object, int index, void *value,
                 std::size_t bytes);
void sample_texture(const char *call, cudaTextureObject_t object, float x, float y, void *value,
                    std::size_t bytes);

// The channels of vector types and their type.
template <class T>
struct Channels {
  using Type = T;
  static constexpr int count = 1;
};
#define CUDA_CPU_CHANNELS(base, type) \
  template <>                         \
  struct Channels<base##1> {          \
    using Type = type;                \
    static constexpr int count = 1;   \
  };                                  \
  template <>                         \
  struct Channels<base##2> {          \
    using Type = type;                \
    static constexpr int count = 2;   \
  };                                  \
  template <>                         \
  struct Channels<base##4> {          \
    using Type = type;                \
    static constexpr int count = 4;   \
  };
CUDA_CPU_CHANNELS(char, signed char)
CUDA_CPU_CHANNELS(uchar, unsigned char)
CUDA_CPU_CHANNELS(short, short)
CUDA_CPU_CHANNELS(ushort, unsigned short)
CUDA_CPU_CHANNELS(int, int)
CUDA_CPU_CHANNELS(uint, unsigned int)
CUDA_CPU_CHANNELS(float, float)
#undef CUDA_CPU_CHANNELS

}  // namespace cuda_cpu

inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
template <class T>
cudaChannelFormatDesc cudaCreateChannelDesc() {
  using Channel = typename cuda_cpu::Channels<T>::Type;
  constexpr int count = cuda_cpu::Channels<T>::count, bits = 8 * sizeof(Channel);
  static_assert(std::is_arithmetic_v<Channel> && bits <= 32, "not a type of texels");
  return {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0,
          std::is_floating_point_v<Channel> ? cudaChannelFormatKindFloat
          : std::is_signed_v<Channel>       ? cudaChannelFormatKindSigned
                                            : cudaChannelFormatKindUnsigned};
}

// 0 for an index beyond the memory.
template <class T>
T tex1Dfetch(cudaTextureObject_t object, int index) {
  T value;
  cuda_cpu::fetch_texel("tex1Dfetch", object, index, &value, sizeof value);
  return value;
}
template <class T>
T tex1D(cudaTextureObject_t object, float x) {
  T value;
  cuda_cpu::sample_texture("tex1D", object, x, 0.5f, &value, sizeof value);
  return value;
}
template <class T>
T tex2D(cudaTextureObject_t object, float x, float y) {
  T value;
  cuda_cpu::sample_texture("tex2D", object, x, y, &value, sizeof value);
  return value;
}
template <class T>
void tex1Dfetch(T *value, cudaTextureObject_t object, int index) {
  *value = tex1Dfetch<T>(object, index);
}
template <class T>
void tex2D(T *value, cudaTextureObject_t object, float x, float y) {
  *value = tex2D<T>(object, x, y);
}

#endif
