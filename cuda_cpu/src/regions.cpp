// Which addresses are device memory, and when it may be touched.
#include "regions.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include <cuda_cpu/errors.h>
#include <cuda_cpu/launch.h>
#include <cuda_cpu/memory.h>

#include "../check/check.h"
#include "diagnose.h"
#include "limits.h"
#include "poison.h"
#include "settings.h"

namespace cuda_cpu {

namespace {

struct Region {
  std::size_t bytes;
  Place place;
  bool allocated;  // by cudaMalloc or cudaMallocHost, not a __device__ variable
};

std::mutex mutex;
std::map<std::uintptr_t, Region> regions;  // by address
std::size_t device_bytes = 0;
int scopes = 0;  // DeviceScopes that are alive

// The region that holds `pointer`, or regions.end().
std::map<std::uintptr_t, Region>::iterator find(const void *pointer) {
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(pointer);
  auto region = regions.upper_bound(address);
  if (region == regions.begin()) return regions.end();
  --region;
  return address - region->first <= region->second.bytes ? region : regions.end();
}

void set_access([[maybe_unused]] const std::pair<const std::uintptr_t, Region> &region,
                [[maybe_unused]] bool open) {
#if defined(__SANITIZE_ADDRESS__)
  if (region.second.place != Place::kDevice || !region.second.allocated) return;
  void *const memory = reinterpret_cast<void *>(region.first);
  if (open)
    ASAN_UNPOISON_MEMORY_REGION(memory, region.second.bytes);
  else
    ASAN_POISON_MEMORY_REGION(memory, region.second.bytes);
#endif
}

void set_access_to_all([[maybe_unused]] bool open) {
#if defined(__SANITIZE_ADDRESS__)
  for (const auto &region : regions) set_access(region, open);
#endif
}

}  // namespace

cudaError_t allocate(void **memory, std::size_t bytes, Place place) {
  *memory = nullptr;
  if (bytes == 0) return cudaSuccess;
  const std::lock_guard<std::mutex> guard(mutex);
  if (bytes > settings().memory_limit - device_bytes) return fail(cudaErrorMemoryAllocation);
  const std::size_t rounded = (bytes + 255) / 256 * 256;
  void *block = nullptr;
  if constexpr (check::kOn)
    block = check::heap_allocate(bytes, place == Place::kPinned);
  else
    block = aligned_alloc(256, rounded);
  if (block == nullptr) return fail(cudaErrorMemoryAllocation);
  std::memset(block, kPoison, rounded);
#if defined(__SANITIZE_ADDRESS__)
  ASAN_POISON_MEMORY_REGION(static_cast<char *>(block) + bytes, rounded - bytes);
#endif
  const auto region =
      regions.emplace(reinterpret_cast<std::uintptr_t>(block), Region{bytes, place, true}).first;
  device_bytes += bytes;
  set_access(*region, scopes > 0);
  *memory = block;
  return cudaSuccess;
}

cudaError_t release(void *memory, Place place) {
  if (memory == nullptr) return cudaSuccess;
  const std::lock_guard<std::mutex> guard(mutex);
  const auto region = regions.find(reinterpret_cast<std::uintptr_t>(memory));
  if (region == regions.end() || region->second.place != place || !region->second.allocated)
    return fail(cudaErrorInvalidValue);
  set_access(*region, true);
  device_bytes -= region->second.bytes;
  regions.erase(region);
  if constexpr (check::kOn)
    check::heap_release(memory);
  else
    std::free(memory);
  return cudaSuccess;
}

bool fits(const void *pointer, std::size_t bytes) {
  const std::lock_guard<std::mutex> guard(mutex);
  const auto region = find(pointer);
  if (region == regions.end()) return true;  // host memory, whose allocations are unknown
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(pointer) - region->first;
  return bytes <= region->second.bytes - offset;
}

std::size_t allocated_bytes() {
  const std::lock_guard<std::mutex> guard(mutex);
  return device_bytes;
}

Place place_of(const void *pointer) {
  const std::lock_guard<std::mutex> guard(mutex);
  const auto region = find(pointer);
  return region == regions.end() ? Place::kHost : region->second.place;
}

void register_symbol(const void *address, std::size_t bytes) {
  const std::lock_guard<std::mutex> guard(mutex);
  regions.emplace(reinterpret_cast<std::uintptr_t>(address), Region{bytes, Place::kDevice, false});
}

DeviceScope::DeviceScope(User user) : user_(user) {
  const std::lock_guard<std::mutex> guard(mutex);
  if (scopes++ == 0) set_access_to_all(true);
  if constexpr (check::kOn) check::open_to_host(true);
}

DeviceScope::~DeviceScope() {
  const std::lock_guard<std::mutex> guard(mutex);
  if (--scopes == 0) set_access_to_all(false);
  if constexpr (check::kOn) {
    check::open_to_host(false);
    if (user_ == kLibrary) check::heap_written_by_library();
  }
}

void check_pointer_argument(const char *kernel, int index, const void *pointer) {
  if constexpr (check::kOn) check::kernel_argument(kernel, index, pointer);
  if (pointer == nullptr || place_of(pointer) != Place::kHost) return;
  // A kernel may take the address of a __device__ variable and hand it to a kernel that it
  // launches. Such a variable is only known to belong to the program's static data.
  Dl_info object;
  if (current != nullptr && dladdr(pointer, &object) != 0) return;
  diagnose("memcheck", "kernel %s is given a host pointer, %p, as its argument %d", kernel, pointer,
           index);
}

}  // namespace cuda_cpu
