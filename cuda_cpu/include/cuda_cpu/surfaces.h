// Reading and writing surfaces in kernels: surf1Dread, surf2Dwrite and relatives. x counts bytes,
// and must be a multiple of the value's size; y, z and layers count.
#ifndef CUDA_CPU_SURFACES_H
#define CUDA_CPU_SURFACES_H

#include <cuda_runtime_api.h>

#include <cstddef>

namespace cuda_cpu {

struct SurfacePlace {
  long at[3];  // byte, row, layer or z
};
// Ends the program outside the surface in mode cudaBoundaryModeTrap (memcheck).
void read_surface(const char *call, cudaSurfaceObject_t object, const SurfacePlace &place,
                  void *value, std::size_t bytes, cudaSurfaceBoundaryMode mode);
void write_surface(const char *call, cudaSurfaceObject_t object, const SurfacePlace &place,
                   const void *value, std::size_t bytes, cudaSurfaceBoundaryMode mode);

}  // namespace cuda_cpu

// Three functions. Their parameters behind the object, as arguments too, and the place these mean.
#define CUDA_CPU_SURFACE(name, parameters, arguments, ...)                                       \
  template <class T>                                                                             \
  T name##read(cudaSurfaceObject_t object, CUDA_CPU_LIST parameters,                             \
               cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                            \
    T value;                                                                                     \
    cuda_cpu::read_surface(#name "read", object, {{__VA_ARGS__}}, &value, sizeof value, mode);   \
    return value;                                                                                \
  }                                                                                              \
  template <class T>                                                                             \
  void name##read(T *value, cudaSurfaceObject_t object, CUDA_CPU_LIST parameters,                \
                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                         \
    *value = name##read<T>(object, CUDA_CPU_LIST arguments, mode);                               \
  }                                                                                              \
  template <class T>                                                                             \
  void name##write(T value, cudaSurfaceObject_t object, CUDA_CPU_LIST parameters,                \
                   cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                        \
    cuda_cpu::write_surface(#name "write", object, {{__VA_ARGS__}}, &value, sizeof value, mode); \
  }
#define CUDA_CPU_LIST(...) __VA_ARGS__
CUDA_CPU_SURFACE(surf1D, (int x), (x), x, 0, 0)
CUDA_CPU_SURFACE(surf2D, (int x, int y), (x, y), x, y, 0)
CUDA_CPU_SURFACE(surf3D, (int x, int y, int z), (x, y, z), x, y, z)
CUDA_CPU_SURFACE(surf1DLayered, (int x, int layer), (x, layer), x, 0, layer)
CUDA_CPU_SURFACE(surf2DLayered, (int x, int y, int layer), (x, y, layer), x, y, layer)
#undef CUDA_CPU_SURFACE
#undef CUDA_CPU_LIST

#endif
