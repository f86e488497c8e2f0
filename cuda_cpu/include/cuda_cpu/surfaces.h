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
template <class T>
T read_surface(const char *call, cudaSurfaceObject_t object, const SurfacePlace &place,
               cudaSurfaceBoundaryMode mode) {
  T value;
  read_surface(call, object, place, &value, sizeof value, mode);
  return value;
}

}  // namespace cuda_cpu

template <class T>
T surf1Dread(cudaSurfaceObject_t object, int x,
             cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  return cuda_cpu::read_surface<T>("surf1Dread", object, {{x, 0, 0}}, mode);
}
template <class T>
void surf1Dread(T *value, cudaSurfaceObject_t object, int x,
                cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  *value = surf1Dread<T>(object, x, mode);
}
template <class T>
void surf1Dwrite(T value, cudaSurfaceObject_t object, int x,
                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  cuda_cpu::write_surface("surf1Dwrite", object, {{x, 0, 0}}, &value, sizeof value, mode);
}
template <class T>
T surf2Dread(cudaSurfaceObject_t object, int x, int y,
             cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  return cuda_cpu::read_surface<T>("surf2Dread", object, {{x, y, 0}}, mode);
}
template <class T>
void surf2Dread(T *value, cudaSurfaceObject_t object, int x, int y,
                cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  *value = surf2Dread<T>(object, x, y, mode);
}
template <class T>
void surf2Dwrite(T value, cudaSurfaceObject_t object, int x, int y,
                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  cuda_cpu::write_surface("surf2Dwrite", object, {{x, y, 0}}, &value, sizeof value, mode);
}
template <class T>
T surf3Dread(cudaSurfaceObject_t object, int x, int y, int z,
             cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  return cuda_cpu::read_surface<T>("surf3Dread", object, {{x, y, z}}, mode);
}
template <class T>
void surf3Dread(T *value, cudaSurfaceObject_t object, int x, int y, int z,
                cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  *value = surf3Dread<T>(object, x, y, z, mode);
}
template <class T>
void surf3Dwrite(T value, cudaSurfaceObject_t object, int x, int y, int z,
                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  cuda_cpu::write_surface("surf3Dwrite", object, {{x, y, z}}, &value, sizeof value, mode);
}
template <class T>
T surf1DLayeredread(cudaSurfaceObject_t object, int x, int layer,
                    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  return cuda_cpu::read_surface<T>("surf1DLayeredread", object, {{x, 0, layer}}, mode);
}
template <class T>
void surf1DLayeredread(T *value, cudaSurfaceObject_t object, int x, int layer,
                       cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  *value = surf1DLayeredread<T>(object, x, layer, mode);
}
template <class T>
void surf1DLayeredwrite(T value, cudaSurfaceObject_t object, int x, int layer,
                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  cuda_cpu::write_surface("surf1DLayeredwrite", object, {{x, 0, layer}}, &value, sizeof value,
                          mode);
}
template <class T>
T surf2DLayeredread(cudaSurfaceObject_t object, int x, int y, int layer,
                    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  return cuda_cpu::read_surface<T>("surf2DLayeredread", object, {{x, y, layer}}, mode);
}
template <class T>
void surf2DLayeredread(T *value, cudaSurfaceObject_t object, int x, int y, int layer,
                       cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  *value = surf2DLayeredread<T>(object, x, y, layer, mode);
}
template <class T>
void surf2DLayeredwrite(T value, cudaSurfaceObject_t object, int x, int y, int layer,
                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  cuda_cpu::write_surface("surf2DLayeredwrite", object, {{x, y, layer}}, &value, sizeof value,
                          mode);
}

#endif
