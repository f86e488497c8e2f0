// Which addresses are device memory, and when they may be touched.
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

#include "../streams/streams.h"
#include "../diagnosis/check.h"
#include "../diagnosis/diagnose.h"
#include "../diagnosis/limits.h"
#include "backing.h"
#include "pages.h"
#include "../diagnosis/settings.h"

namespace cuda_cpu {

namespace {

struct Region {
  std::size_t bytes;
  Place place;
  bool allocated;                   // by cudaMalloc or cudaMallocHost, not a __device__ variable
  const char *unused_by = nullptr;  // a function of the program that keeps it for later use
  Owner *owner = nullptr;           // with whom it counts, besides
  bool of_kernel = current != nullptr;  // which has allocated it
  bool kept() const { return owner != nullptr && unused_by == owner->name; }
};

// Arrays that were released. Their addresses stay unusable until an array takes them again.
struct Freed {
  std::size_t bytes = 0;
  const char *by = nullptr;
  bool kept = false;  // not freed, but unused by its owner
};

// Both by address; `region_mutex` is held by whoever reads or writes them.
using Regions = std::map<std::uintptr_t, Region>;
std::mutex region_mutex;
Regions regions;
std::map<std::uintptr_t, Freed> freed;

// The region that holds `pointer`, or regions.end(). One past its end still counts.
Regions::iterator find_region(const void *pointer) {
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(pointer);
  auto region = regions.upper_bound(address);
  if (region == regions.begin()) return regions.end();
  --region;
  return address - region->first <= region->second.bytes ? region : regions.end();
}

// Builds with AddressSanitizer: opens or closes it if it is a device array that is in use.
void set_access(const Regions::value_type &region, bool open) {
  const Region &array = region.second;
  if (array.place == Place::kDevice && array.allocated && array.unused_by == nullptr)
    backing::set_access(reinterpret_cast<void *>(region.first), array.bytes, open);
}

std::size_t device_bytes = 0;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kRemembersFreed = false;  // the heap gives such addresses to others
#else
constexpr bool kRemembersFreed = true;
#endif

// With the mutex held.
void set_unused(Regions::value_type &region, const char *by) {
  region.second.unused_by = by;
  backing::set_unused(reinterpret_cast<char *>(region.first), region.second.bytes, by != nullptr);
}

// At the program's end: memory that was never released.
struct LastCheck {
  ~LastCheck() {
    const DeviceScope device(DeviceScope::kRuntime);
    for (auto &region : regions) {
      if (!region.second.allocated) continue;
      if (region.second.unused_by != nullptr) set_unused(region, nullptr);
      backing::check_guards(reinterpret_cast<const char *>(region.first), region.second.bytes);
    }
  }
} last_check;  // behind `regions`, so that it is destroyed first

// With the mutex held. `by` is the call that releases it.
void release_region(Regions::iterator region, const char *by) {
  if (region->second.unused_by != nullptr) set_unused(*region, nullptr);
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

cudaError_t allocate(void **memory, std::size_t bytes, Place place, bool fill, Owner *owner) {
  *memory = nullptr;
  if (bytes == 0) return cudaSuccess;
  const DeviceScope device(DeviceScope::kRuntime);
  const std::lock_guard<std::mutex> guard(region_mutex);
  if (bytes > settings().memory_limit - device_bytes) return fail(cudaErrorMemoryAllocation);
  char *const block = backing::allocate(bytes, place);
  if (block == nullptr) return fail(cudaErrorMemoryAllocation);
  if (fill) std::memset(block, kPoison, bytes);
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(block);
  freed.erase(address);
  regions.emplace(address, Region{bytes, place, true, nullptr, owner});
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
  std::unique_lock<std::mutex> guard(region_mutex);
  const auto region = regions.find(reinterpret_cast<std::uintptr_t>(memory));
  const bool managed = region != regions.end() && region->second.place == Place::kManaged;
  if (region == regions.end() || !region->second.allocated ||
      (region->second.place != place && !(managed && place == Place::kDevice))) {
    const auto around = find_region(memory);
    const std::size_t offset =
        around == regions.end() ? 0 : reinterpret_cast<std::uintptr_t>(memory) - around->first;
    const std::size_t bytes = offset > 0 && around->second.allocated ? around->second.bytes : 0;
    guard.unlock();
    const char *const call = place == Place::kPinned ? "cudaFreeHost" : "cudaFree";
    note_freed(call, memory);
    if (bytes > 0)
      note("memcheck",
           "%s is given byte %zu of an array of %zu bytes; only a whole array can be freed", call,
           offset, bytes);
    return fail(cudaErrorInvalidValue);
  }
  // As a destructor does, when a kernel's parameter ends that was copied with its pointer.
  if (current != nullptr && !region->second.of_kernel) return cudaErrorInvalidValue;
  release_region(region, "cudaFree");
  return cudaSuccess;
}

void release_everything() {
  const DeviceScope device(DeviceScope::kRuntime);
  const std::lock_guard<std::mutex> guard(region_mutex);
  for (auto region = regions.begin(); region != regions.end();) {
    const auto next = std::next(region);
    if (region->second.allocated) release_region(region, "cudaDeviceReset");
    region = next;
  }
}

cudaError_t pin(void *memory, std::size_t bytes) {
  const std::lock_guard<std::mutex> guard(region_mutex);
  const auto present = find_region(memory);
  if (memory == nullptr || bytes == 0 ||
      (present != regions.end() && present->second.allocated &&
       present->second.place == Place::kPinned))
    return fail(cudaErrorInvalidValue);
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(memory);
  if (!regions.emplace(address, Region{bytes, Place::kPinned, false}).second)
    return fail(cudaErrorHostMemoryAlreadyRegistered);
  return cudaSuccess;
}

cudaError_t unpin(void *memory) {
  const std::lock_guard<std::mutex> guard(region_mutex);
  const auto region = regions.find(reinterpret_cast<std::uintptr_t>(memory));
  if (region == regions.end() || region->second.place != Place::kPinned)
    return fail(cudaErrorHostMemoryNotRegistered);
  if (region->second.allocated) return fail(cudaErrorInvalidValue);
  regions.erase(region);
  return cudaSuccess;
}

void library_free(void *memory) { (void)release(memory, Place::kDevice); }

bool fits(const void *pointer, std::size_t bytes) {
  const std::lock_guard<std::mutex> guard(region_mutex);
  const auto region = find_region(pointer);
  if (region == regions.end()) return true;  // host memory, whose allocations are unknown
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(pointer) - region->first;
  return bytes <= region->second.bytes - offset;
}

Owner *owner_of(const void *memory, std::size_t *bytes) {
  const std::lock_guard<std::mutex> guard(region_mutex);
  const auto region = regions.find(reinterpret_cast<std::uintptr_t>(memory));
  if (region == regions.end()) return nullptr;
  if (bytes != nullptr) *bytes = region->second.bytes;
  return region->second.owner;
}

bool is_kept(const void *memory) {
  const std::lock_guard<std::mutex> guard(region_mutex);
  const auto region = regions.find(reinterpret_cast<std::uintptr_t>(memory));
  return region != regions.end() && region->second.kept();
}

std::size_t allocated_bytes() {
  const std::lock_guard<std::mutex> guard(region_mutex);
  return device_bytes;
}

Place place_of(const void *pointer) {
  const std::lock_guard<std::mutex> guard(region_mutex);
  const auto region = find_region(pointer);
  return region == regions.end() ? Place::kHost : region->second.place;
}

void register_symbol(const void *address, std::size_t bytes) {
  const std::lock_guard<std::mutex> guard(region_mutex);
  regions.emplace(reinterpret_cast<std::uintptr_t>(address), Region{bytes, Place::kDevice, false});
}

// ---- arrays that are freed or unused, and arrays near an address: for reports -------------------

bool find_nearby(const void *address, Nearby *nearby, bool wait) {
  std::unique_lock<std::mutex> guard(region_mutex, std::defer_lock);
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
      consider(region.first, region.second.bytes, region.second.place, region.second.unused_by);
  for (const auto &array : freed)
    consider(array.first, array.second.bytes, Place::kDevice, array.second.by);
  return least < kNear;
}

namespace {

// The freed or unused array that holds the address; `by` is null if there is none. `inside` becomes
// true if it is freed and the address is not its first.
Freed find_released(const void *pointer, bool *inside = nullptr) {
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(pointer);
  const std::lock_guard<std::mutex> guard(region_mutex);
  const auto region = find_region(pointer);
  if (region != regions.end() && address - region->first < region->second.bytes)
    return {region->second.bytes, region->second.unused_by, region->second.kept()};
  const auto above = freed.upper_bound(address);
  if (above == freed.begin()) return {};
  const auto array = std::prev(above);
  if (address - array->first >= array->second.bytes) return {};
  if (inside != nullptr) *inside = address > array->first;
  return array->second;
}

}  // namespace

void note_freed(const char *call, const void *pointer) {
  const Freed array = find_released(pointer);
  if (array.by != nullptr)
    note("memcheck", "%s is given an array of %zu bytes that %s has released", call, array.bytes,
         array.by);
}

bool check_in_use(const char *call, const void *pointer) {
  const Freed array = find_released(pointer);
  if (array.kept) {
    note_freed(call, pointer);
    return false;
  }
  if (array.by != nullptr)
    diagnose("memcheck", "%s is given an array of %zu bytes that %s has released", call,
             array.bytes, array.by);
  return true;
}

void check_pointer_argument(const char *kernel, int index, const void *pointer) {
  if constexpr (check::kOn) check::kernel_argument(kernel, index, pointer);
  if (pointer == nullptr) return;
  // A pointer outside all arrays is no mistake as long as it is not used: array + n of an empty
  // part.
  bool beyond = pages::in_range(pointer);
  if constexpr (check::kOn) beyond = check::in_heap(pointer);
  const bool on_host = !beyond && place_of(pointer) == Place::kHost;
  // A kernel may take the address of a __device__ variable and hand it to a kernel that it
  // launches. Such a variable is only known to belong to the program's static data.
  Dl_info object;
  if (on_host && current != nullptr && dladdr(pointer, &object) != 0) return;
  // A place inside a freed array may be one beyond another array, too: only an access to it is a
  // mistake, and crashes.
  bool inside = false;
  const Freed gone = find_released(pointer, &inside);
  if (gone.by != nullptr && !inside && !(gone.kept && is_adding_node()))
    diagnose("memcheck",
             "kernel %s is given an array of %zu bytes that %s has released, as its argument %d",
             kernel, gone.bytes, gone.by, index);
  if (on_host)
    diagnose("memcheck", "kernel %s is given a host pointer, %p, as its argument %d", kernel,
             pointer, index);
}

// ---- when device memory may be touched ----------------------------------------------------------

namespace {

#if defined(__SANITIZE_ADDRESS__)
int scopes = 0;  // that are alive

void set_access_to_all(int change, int first_or_last) {
  const std::lock_guard<std::mutex> guard(region_mutex);
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

}  // namespace cuda_cpu

void cuda_cpu_mark_unused(void *array, const char *by) {
  using namespace cuda_cpu;
  const DeviceScope device(DeviceScope::kRuntime);
  const std::lock_guard<std::mutex> guard(region_mutex);
  const auto region = regions.find(reinterpret_cast<std::uintptr_t>(array));
  if (region != regions.end() && region->second.allocated &&
      region->second.place == Place::kDevice &&
      (region->second.unused_by == nullptr) == (by != nullptr))
    set_unused(*region, by);
}
