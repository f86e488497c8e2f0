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

template <class T>
T sampled(const char *call, cudaTextureObject_t object, const SamplePlace &place) {
  T value;
  sample_texture(call, object, place, &value, sizeof value);
  return value;
}

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
inline cudaChannelFormatDesc cudaCreateChannelDescHalf() {  // read as floats
  return {16, 0, 0, 0, cudaChannelFormatKindFloat};
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
void tex1Dfetch(T *value, cudaTextureObject_t object, int index) {
  *value = tex1Dfetch<T>(object, index);
}

// Coordinates as the texture has them: texels, or 0 to 1 if they are normalised.
template <class T>
T tex1D(cudaTextureObject_t object, float x) {
  return cuda_cpu::sampled<T>("tex1D", object, {{x, 0, 0}, 1, -1});
}
template <class T>
void tex1D(T *value, cudaTextureObject_t object, float x) {
  *value = tex1D<T>(object, x);
}
template <class T>
T tex2D(cudaTextureObject_t object, float x, float y) {
  return cuda_cpu::sampled<T>("tex2D", object, {{x, y, 0}, 2, -1});
}
template <class T>
void tex2D(T *value, cudaTextureObject_t object, float x, float y) {
  *value = tex2D<T>(object, x, y);
}
template <class T>
T tex3D(cudaTextureObject_t object, float x, float y, float z) {
  return cuda_cpu::sampled<T>("tex3D", object, {{x, y, z}, 3, -1});
}
template <class T>
void tex3D(T *value, cudaTextureObject_t object, float x, float y, float z) {
  *value = tex3D<T>(object, x, y, z);
}
// A layer below the first or behind the last one is the first or the last one.
template <class T>
T tex1DLayered(cudaTextureObject_t object, float x, int layer) {
  return cuda_cpu::sampled<T>("tex1DLayered", object, {{x, 0, 0}, 1, layer < 0 ? 0 : layer});
}
template <class T>
void tex1DLayered(T *value, cudaTextureObject_t object, float x, int layer) {
  *value = tex1DLayered<T>(object, x, layer);
}
template <class T>
T tex2DLayered(cudaTextureObject_t object, float x, float y, int layer) {
  return cuda_cpu::sampled<T>("tex2DLayered", object, {{x, y, 0}, 2, layer < 0 ? 0 : layer});
}
template <class T>
void tex2DLayered(T *value, cudaTextureObject_t object, float x, float y, int layer) {
  *value = tex2DLayered<T>(object, x, y, layer);
}
// Filtering does not cross the edges of the cube.
template <class T>
T texCubemap(cudaTextureObject_t object, float x, float y, float z) {
  return cuda_cpu::sampled<T>("texCubemap", object, cuda_cpu::cubemap_place(x, y, z));
}
template <class T>
void texCubemap(T *value, cudaTextureObject_t object, float x, float y, float z) {
  *value = texCubemap<T>(object, x, y, z);
}

#endif
