// CUDA's vector types: dim3, uint3 and the like.
#ifndef CUDA_CPU_VECTORS_H
#define CUDA_CPU_VECTORS_H

#define CUDA_CPU_VECTORS(base, type, bytes)                                   \
  struct base##1 {                                                            \
    type x;                                                                   \
  };                                                                          \
  struct alignas(2 * bytes) base##2 {                                         \
    type x, y;                                                                \
  };                                                                          \
  struct base##3 {                                                            \
    type x, y, z;                                                             \
  };                                                                          \
  struct alignas(4 * bytes > 16 ? 16 : 4 * bytes) base##4 {                   \
    type x, y, z, w;                                                          \
  };                                                                          \
  inline base##1 make_##base##1(type x) { return {x}; }                       \
  inline base##2 make_##base##2(type x, type y) { return {x, y}; }            \
  inline base##3 make_##base##3(type x, type y, type z) { return {x, y, z}; } \
  inline base##4 make_##base##4(type x, type y, type z, type w) { return {x, y, z, w}; }

CUDA_CPU_VECTORS(char, signed char, 1)
CUDA_CPU_VECTORS(uchar, unsigned char, 1)
CUDA_CPU_VECTORS(short, short, 2)
CUDA_CPU_VECTORS(ushort, unsigned short, 2)
CUDA_CPU_VECTORS(int, int, 4)
CUDA_CPU_VECTORS(uint, unsigned int, 4)
CUDA_CPU_VECTORS(long, long, 8)
CUDA_CPU_VECTORS(ulong, unsigned long, 8)
CUDA_CPU_VECTORS(longlong, long long, 8)
CUDA_CPU_VECTORS(ulonglong, unsigned long long, 8)
CUDA_CPU_VECTORS(float, float, 4)
CUDA_CPU_VECTORS(double, double, 8)
#undef CUDA_CPU_VECTORS

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1)
      : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

#endif
