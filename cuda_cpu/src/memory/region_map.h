// The table behind regions.h, for the files that implement it.
#ifndef CUDA_CPU_REGION_MAP_H
#define CUDA_CPU_REGION_MAP_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "regions.h"

namespace cuda_cpu {

struct Region {
  std::size_t bytes;
  Place place;
  bool allocated;                   // by cudaMalloc or cudaMallocHost, not a __device__ variable
  const char *unused_by = nullptr;  // a function of the program that keeps it for later use
};

// Arrays that were released. Their addresses stay unusable until an array takes them again.
struct Freed {
  std::size_t bytes;
  const char *by;
};

// Both by address; `region_mutex` is held by whoever reads or writes them.
using Regions = std::map<std::uintptr_t, Region>;
extern std::mutex region_mutex;
extern Regions regions;
extern std::map<std::uintptr_t, Freed> freed;

// The region that holds `pointer`, or regions.end(). One past its end still counts.
Regions::iterator find_region(const void *pointer);

// Builds with AddressSanitizer: opens or closes it if it is a device array that is in use.
void set_access(const Regions::value_type &region, bool open);

}  // namespace cuda_cpu
#endif
