// Arrays that the program has released or keeps unused, and arrays near an address: for reports.
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <mutex>

#include <cuda_cpu/launch.h>
#include <cuda_cpu/memory.h>

#include "../diagnosis/check.h"
#include "../diagnosis/diagnose.h"
#include "../graphs/graph_memory.h"
#include "pages.h"
#include "region_map.h"

namespace cuda_cpu {

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
    return {region->second.bytes, region->second.unused_by};
  const auto above = freed.upper_bound(address);
  if (above == freed.begin()) return {0, nullptr};
  const auto array = std::prev(above);
  if (address - array->first >= array->second.bytes) return {0, nullptr};
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
  if (array.by == kItsGraph) {
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
  if (gone.by != nullptr && !inside && !(gone.by == kItsGraph && is_adding_node()))
    diagnose("memcheck",
             "kernel %s is given an array of %zu bytes that %s has released, as its argument %d",
             kernel, gone.bytes, gone.by, index);
  if (on_host)
    diagnose("memcheck", "kernel %s is given a host pointer, %p, as its argument %d", kernel,
             pointer, index);
}

}  // namespace cuda_cpu
