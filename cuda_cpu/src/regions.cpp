// Which addresses are device memory, and when it may be touched.
#include "regions.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>

#include <cuda_cpu/errors.h>
#include <cuda_cpu/launch.h>
#include <cuda_cpu/memory.h>

#include "../check/check.h"
#include "backing.h"
#include "diagnose.h"
#include "limits.h"
#include "pages.h"
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

// Arrays that were released. Their addresses stay unusable until an array takes them again.
struct Freed {
  std::size_t bytes;
  const char *by;
};
std::map<std::uintptr_t, Freed> freed;  // by address
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kRemembersFreed = false;  // the heap reuses their addresses
#else
constexpr bool kRemembersFreed = true;
#endif

// The region that holds `pointer`, or regions.end().
std::map<std::uintptr_t, Region>::iterator find(const void *pointer) {
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(pointer);
  auto region = regions.upper_bound(address);
  if (region == regions.begin()) return regions.end();
  --region;
  return address - region->first <= region->second.bytes ? region : regions.end();
}

void set_access(const std::pair<const std::uintptr_t, Region> &region, bool open) {
  if (region.second.place == Place::kDevice && region.second.allocated)
    backing::set_access(reinterpret_cast<void *>(region.first), region.second.bytes, open);
}

// At the program's end: memory that was never released.
struct LastCheck {
  ~LastCheck() {
    const DeviceScope device(DeviceScope::kRuntime);
    for (const auto &region : regions)
      if (region.second.allocated)
        backing::check_guards(reinterpret_cast<const char *>(region.first), region.second.bytes);
  }
} last_check;  // behind `regions`, so that it is destroyed first

// With the mutex held. `by` is the call that releases it.
void release_region(std::map<std::uintptr_t, Region>::iterator region, const char *by) {
  set_access(*region, true);
  char *const memory = reinterpret_cast<char *>(region->first);
  const Region was = region->second;
  backing::check_guards(memory, was.bytes);
  device_bytes -= was.bytes;
  if (kRemembersFreed && was.place == Place::kDevice) freed[region->first] = {was.bytes, by};
  regions.erase(region);
  backing::release(memory, was.place);
}

}  // namespace

cudaError_t allocate(void **memory, std::size_t bytes, Place place, bool fill) {
  *memory = nullptr;
  if (bytes == 0) return cudaSuccess;
  const DeviceScope device(DeviceScope::kRuntime);
  const std::lock_guard<std::mutex> guard(mutex);
  if (bytes > settings().memory_limit - device_bytes) return fail(cudaErrorMemoryAllocation);
  char *const block = backing::allocate(bytes, place);
  if (block == nullptr) return fail(cudaErrorMemoryAllocation);
  if (fill) std::memset(block, kPoison, bytes);
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(block);
  freed.erase(address);
  regions.emplace(address, Region{bytes, place, true});
  device_bytes += bytes;
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
  const DeviceScope device(DeviceScope::kRuntime);
  std::unique_lock<std::mutex> guard(mutex);
  const auto region = regions.find(reinterpret_cast<std::uintptr_t>(memory));
  const bool managed = region != regions.end() && region->second.place == Place::kManaged;
  if (region == regions.end() || !region->second.allocated ||
      (region->second.place != place && !(managed && place == Place::kDevice))) {
    guard.unlock();
    note_freed(place == Place::kPinned ? "cudaFreeHost" : "cudaFree", memory);
    return fail(cudaErrorInvalidValue);
  }
  release_region(region, "cudaFree");
  return cudaSuccess;
}

void release_everything() {
  const DeviceScope device(DeviceScope::kRuntime);
  const std::lock_guard<std::mutex> guard(mutex);
  for (auto region = regions.begin(); region != regions.end();) {
    const auto next = std::next(region);
    if (region->second.allocated) release_region(region, "cudaDeviceReset");
    region = next;
  }
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

// ---- arrays that are gone, and arrays near by
// -----------------------------------------------------

bool find_nearby(const void *address, Nearby *nearby, bool wait) {
  std::unique_lock<std::mutex> guard(mutex, std::defer_lock);
  if (wait)
    guard.lock();
  else if (!guard.try_lock())
    return false;
  const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(address);
  // An index too large is the usual mistake, so that only an array shortly behind the address
  // counts.
  constexpr std::size_t kNear = 64 << 10, kNearBefore = 16 << 10;
  std::size_t least = kNear;
  const auto consider = [&](std::uintptr_t begin, std::size_t bytes, Place place, const char *by) {
    const std::size_t distance = at < begin           ? begin - at
                                 : at < begin + bytes ? 0
                                                      : at - begin - bytes + 1;
    if (distance >= least || (at < begin && distance > kNearBefore)) return;
    least = distance;
    *nearby = {bytes, static_cast<std::ptrdiff_t>(at - begin), place, by};
  };
  for (const auto &region : regions)
    if (region.second.allocated)
      consider(region.first, region.second.bytes, region.second.place, nullptr);
  for (const auto &array : freed)
    consider(array.first, array.second.bytes, Place::kDevice, array.second.by);
  return least < kNear;
}

namespace {

// The freed array that holds the address, or null.
const Freed *find_freed(const void *pointer) {
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(pointer);
  const auto above = freed.upper_bound(address);
  if (above == freed.begin()) return nullptr;
  const auto array = std::prev(above);
  return address - array->first < array->second.bytes ? &array->second : nullptr;
}

}  // namespace

void note_freed(const char *call, const void *pointer) {
  const std::lock_guard<std::mutex> guard(mutex);
  if (const Freed *const array = find_freed(pointer))
    note("memcheck", "%s is given an array of %zu bytes that %s has released", call, array->bytes,
         array->by);
}

// ---- who may touch it
// -----------------------------------------------------------------------------

namespace {

#if defined(__SANITIZE_ADDRESS__)
int scopes = 0;  // that are alive

void set_access_to_all(int change, int first_or_last) {
  const std::lock_guard<std::mutex> guard(mutex);
  scopes += change;
  if (scopes != first_or_last) return;
  for (const auto &region : regions) set_access(region, change > 0);
}
void enter(bool) { set_access_to_all(1, 1); }
void leave(bool) { set_access_to_all(-1, 0); }
#else
void enter(bool is_library) { pages::enter(is_library); }
void leave(bool is_library) { pages::leave(is_library); }
#endif

}  // namespace

DeviceScope::DeviceScope(User user) : user_(user) {
  enter(user == kLibrary);
  if constexpr (check::kOn) check::open_to_host(true);
}

DeviceScope::~DeviceScope() {
  leave(user_ == kLibrary);
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
  Freed gone = {0, nullptr};
  {
    const std::lock_guard<std::mutex> guard(mutex);
    if (const Freed *const array = find_freed(pointer)) gone = *array;
  }
  if (gone.by != nullptr)
    diagnose("memcheck",
             "kernel %s is given an array of %zu bytes that %s has released, as its argument %d",
             kernel, gone.bytes, gone.by, index);
  diagnose("memcheck", "kernel %s is given a host pointer, %p, as its argument %d", kernel, pointer,
           index);
}

}  // namespace cuda_cpu
