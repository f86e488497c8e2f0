// Surface objects (CUDA C++ Programming Guide, "Surface Memory" and "Surface Functions").
#include <cuda_cpu/surfaces.h>

#include <algorithm>
#include <cstring>

#include <cuda_cpu/errors.h>

#include "../diagnosis/check.h"
#include "arrays.h"
#include "../diagnosis/diagnose.h"

using namespace cuda_cpu;

namespace {

// The element's bytes in the array; null if they are outside and the mode says nothing of it.
char *element(const char *call, cudaSurfaceObject_t object, const SurfacePlace &place,
              std::size_t bytes, cudaSurfaceBoundaryMode mode) {
  if (object == 0) diagnose("memcheck", "%s with a surface object that was not created", call);
  const cudaArray &array = *reinterpret_cast<const cudaArray *>(object);
  const long width = static_cast<long>(bytes);
  const long most[] = {static_cast<long>(array.pitch) - width, static_cast<long>(array.rows()) - 1,
                       static_cast<long>(array.layers()) - 1};
  if (place.at[0] % width != 0)
    diagnose("memcheck", "%s: x is %ld bytes, not a multiple of the value's %zu bytes", call,
             place.at[0], bytes);
  long at[3];
  for (int d = 0; d < 3; d++) {
    at[d] = std::clamp(place.at[d], 0L, most[d]);
    if (at[d] == place.at[d] || mode == cudaBoundaryModeClamp) continue;
    if (mode == cudaBoundaryModeZero) return nullptr;
    diagnose("memcheck",
             "%s at byte %ld, row %ld, layer %ld of a surface of %zu bytes, %zu rows, %zu layers",
             call, place.at[0], place.at[1], place.at[2], array.pitch, array.rows(),
             array.layers());
  }
  return array.at(static_cast<std::size_t>(at[0]), static_cast<std::size_t>(at[1]),
                  static_cast<std::size_t>(at[2]));
}

}  // namespace

namespace cuda_cpu {

void read_surface(const char *call, cudaSurfaceObject_t object, const SurfacePlace &place,
                  void *value, std::size_t bytes, cudaSurfaceBoundaryMode mode) {
  const char *const from = element(call, object, place, bytes, mode);
  if (from != nullptr)
    std::memcpy(value, from, bytes);
  else
    std::memset(value, 0, bytes);
}

void write_surface(const char *call, cudaSurfaceObject_t object, const SurfacePlace &place,
                   const void *value, std::size_t bytes, cudaSurfaceBoundaryMode mode) {
  char *const to = element(call, object, place, bytes, mode);
  if (to == nullptr) return;
  std::memcpy(to, value, bytes);
  if constexpr (check::kOn) check::heap_written(to, bytes);
}

}  // namespace cuda_cpu

extern "C" {

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const cudaResourceDesc *resource) {
  if (object == nullptr || resource->resType != cudaResourceTypeArray)
    return fail(cudaErrorInvalidValue);
  cudaArray *const array = resource->res.array.array;
  if (array == nullptr) return fail(cudaErrorInvalidResourceHandle);
  *object = reinterpret_cast<cudaSurfaceObject_t>(array);
  return cudaSuccess;
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t) { return cudaSuccess; }

}  // extern "C"
