// Reading textures in kernels: tex1Dfetch, tex1D, tex2D, tex3D, layers, cube maps; and the formats
// of CUDA's types.
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
struct SamplePlace {
  float at[3];
  int dimensions;
  int layer;  // -1: the texture has none
};
void sample_texture(const char *call, cudaTextureObject_t object, const SamplePlace &place,
                    void *value, std::size_t bytes);
// Where the direction meets the cube.
SamplePlace cubemap_place(float x, float y, float z);

// The channels of vector types and their type.
template <class T, int Count = 1>
struct Channels {
  using Type = T;
  static constexpr int count = Count;
};
template <class T>
struct ChannelsOf : Channels<T> {};
#define CUDA_CPU_CHANNELS(base, type)                \
  template <>                                        \
  struct ChannelsOf<base##1> : Channels<type, 1> {}; \
  template <>                                        \
  struct ChannelsOf<base##2> : Channels<type, 2> {}; \
  template <>                                        \
  struct ChannelsOf<base##4> : Channels<type, 4> {};
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
inline cudaChannelFormatDesc cudaCreateChannelDescHalf() {  // read as floats
  return {16, 0, 0, 0, cudaChannelFormatKindFloat};
}
template <class T>
cudaChannelFormatDesc cudaCreateChannelDesc() {
  using Channel = typename cuda_cpu::ChannelsOf<T>::Type;
  constexpr int count = cuda_cpu::ChannelsOf<T>::count, bits = 8 * sizeof(Channel);
  static_assert(std::is_arithmetic_v<Channel> && bits <= 32, "not a type of texels");
  return {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0,
          std::is_floating_point_v<Channel> ? cudaChannelFormatKindFloat
          : std::is_signed_v<Channel>       ? cudaChannelFormatKindSigned
                                            : cudaChannelFormatKindUnsigned};
}

// Two functions. Their parameters behind the object, as arguments too, and what writes `value`.
#define CUDA_CPU_TEXTURE(name, parameters, arguments, read, ...)              \
  template <class T>                                                          \
  T name(cudaTextureObject_t object, CUDA_CPU_LIST parameters) {              \
    T value;                                                                  \
    cuda_cpu::read(#name, object, __VA_ARGS__, &value, sizeof value);         \
    return value;                                                             \
  }                                                                           \
  template <class T>                                                          \
  void name(T *value, cudaTextureObject_t object, CUDA_CPU_LIST parameters) { \
    *value = name<T>(object, CUDA_CPU_LIST arguments);                        \
  }
#define CUDA_CPU_LIST(...) __VA_ARGS__
#define CUDA_CPU_SAMPLED(name, parameters, arguments, ...) \
  CUDA_CPU_TEXTURE(name, parameters, arguments, sample_texture, cuda_cpu::SamplePlace{__VA_ARGS__})
// 0 for an index beyond the memory.
CUDA_CPU_TEXTURE(tex1Dfetch, (int index), (index), fetch_texel, index)
// Coordinates as the texture has them: texels, or 0 to 1 if they are normalised.
CUDA_CPU_SAMPLED(tex1D, (float x), (x), {x, 0, 0}, 1, -1)
CUDA_CPU_SAMPLED(tex2D, (float x, float y), (x, y), {x, y, 0}, 2, -1)
CUDA_CPU_SAMPLED(tex3D, (float x, float y, float z), (x, y, z), {x, y, z}, 3, -1)
// A layer below the first or behind the last one is the first or the last one.
CUDA_CPU_SAMPLED(tex1DLayered, (float x, int layer), (x, layer), {x, 0, 0}, 1,
                 layer < 0 ? 0 : layer)
CUDA_CPU_SAMPLED(tex2DLayered, (float x, float y, int layer), (x, y, layer), {x, y, 0}, 2,
                 layer < 0 ? 0 : layer)
// Filtering does not cross the edges of the cube.
CUDA_CPU_TEXTURE(texCubemap, (float x, float y, float z), (x, y, z), sample_texture,
                 cuda_cpu::cubemap_place(x, y, z))
#undef CUDA_CPU_TEXTURE
#undef CUDA_CPU_SAMPLED
#undef CUDA_CPU_LIST

#endif
