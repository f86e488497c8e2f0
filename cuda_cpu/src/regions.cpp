// Which addresses are device memory, and when it may be touched.
#include "regions.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
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

// Bytes in front of and behind each allocation. What a kernel writes there is found when the memory
// is released or the program ends, and does not destroy the memory of others before.
constexpr std::size_t kGuard = 4096;

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

#if defined(__SANITIZE_ADDRESS__)
void set_guards(char *memory, std::size_t bytes) {  // the rest of the last 256 bytes
  ASAN_POISON_MEMORY_REGION(memory + bytes, (bytes + 255) / 256 * 256 - bytes);
}
void check_guards(const char *, std::size_t) {}
#else
void set_guards(char *memory, std::size_t bytes) {
  std::memset(memory - kGuard, kPoison, kGuard);
  std::memset(memory + bytes, kPoison, kGuard);
}

void check_guards(const char *memory, std::size_t bytes) {
  const auto written = [](char c) { return static_cast<unsigned char>(c) != kPoison; };
  const char *const end = memory + bytes;
  const char *const behind = std::find_if(end, end + kGuard, written);
  if (behind != end + kGuard)
    diagnose("memcheck", "an array of %zu bytes was written beyond its end, at byte %td", bytes,
             behind - memory);
  const char *const front = std::find_if(memory - kGuard, memory, written);
  if (front != memory)
    diagnose("memcheck", "an array of %zu bytes was written %td bytes before its start", bytes,
             memory - front);
}
#endif

// At the program's end: memory that was never released.
struct LastCheck {
  ~LastCheck() {
#if !defined(__SANITIZE_ADDRESS__)
    for (const auto &region : regions)
      if (region.second.allocated)
        if (!check::kOn)
          check_guards(reinterpret_cast<const char *>(region.first), region.second.bytes);
#endif
  }
} last_check;  // behind `regions`, so that it is destroyed first

}  // namespace

cudaError_t allocate(void **memory, std::size_t bytes, Place place, bool fill) {
  *memory = nullptr;
  if (bytes == 0) return cudaSuccess;
  const std::lock_guard<std::mutex> guard(mutex);
  if (bytes > settings().memory_limit - device_bytes) return fail(cudaErrorMemoryAllocation);
  const std::size_t rounded = (bytes + 255) / 256 * 256;
  // CHECK builds see every access, and need no guards.
  char *const start =
      static_cast<char *>(check::kOn ? check::heap_allocate(bytes, place == Place::kPinned)
                                     : aligned_alloc(256, rounded + 2 * kGuard));
  if (start == nullptr) return fail(cudaErrorMemoryAllocation);
  char *const block = check::kOn ? start : start + kGuard;
  if (fill) std::memset(block, kPoison, bytes);
  if (!check::kOn) set_guards(block, bytes);
  const auto region =
      regions.emplace(reinterpret_cast<std::uintptr_t>(block), Region{bytes, place, true}).first;
  device_bytes += bytes;
  set_access(*region, scopes > 0);
  *memory = block;
  return cudaSuccess;
}

void *library_allocate(std::size_t bytes, bool managed) {
  void *memory = nullptr;
  (void)allocate(&memory, bytes, managed ? Place::kManaged : Place::kDevice, false);
  return memory;
}

cudaError_t release(void *memory, Place place) {
  if (memory == nullptr) return cudaSuccess;
  const std::lock_guard<std::mutex> guard(mutex);
  const auto region = regions.find(reinterpret_cast<std::uintptr_t>(memory));
  const bool managed = region != regions.end() && region->second.place == Place::kManaged;
  if (region == regions.end() || !region->second.allocated ||
      (region->second.place != place && !(managed && place == Place::kDevice)))
    return fail(cudaErrorInvalidValue);
  set_access(*region, true);
  if (!check::kOn) check_guards(static_cast<const char *>(memory), region->second.bytes);
  device_bytes -= region->second.bytes;
  regions.erase(region);
  if (check::kOn)
    check::heap_release(memory);
  else
    std::free(static_cast<char *>(memory) - kGuard);
  return cudaSuccess;
}

cudaError_t pin(void *memory, std::size_t bytes) {
  const std::lock_guard<std::mutex> guard(mutex);
  if (memory == nullptr || bytes == 0) return fail(cudaErrorInvalidValue);
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(memory);
  if (!regions.emplace(address, Region{bytes, Place::kPinned, false}).second)
    return fail(cudaErrorHostMemoryAlreadyRegistered);
  return cudaSuccess;
}

cudaError_t unpin(void *memory) {
  const std::lock_guard<std::mutex> guard(mutex);
  const auto region = regions.find(reinterpret_cast<std::uintptr_t>(memory));
  if (region == regions.end() || region->second.place != Place::kPinned || region->second.allocated)
    return fail(cudaErrorHostMemoryNotRegistered);
  regions.erase(region);
  return cudaSuccess;
}

void library_free(void *memory) { (void)release(memory, Place::kDevice); }

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
