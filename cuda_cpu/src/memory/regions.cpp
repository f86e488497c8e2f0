// Which addresses are device memory.
#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>

#include <cuda_cpu/errors.h>
#include <cuda_cpu/launch.h>
#include <cuda_cpu/memory.h>

#include "backing.h"
#include "../diagnosis/diagnose.h"
#include "../diagnosis/limits.h"
#include "region_map.h"
#include "../diagnosis/settings.h"

namespace cuda_cpu {

std::mutex region_mutex;
Regions regions;
std::map<std::uintptr_t, Freed> freed;

Regions::iterator find_region(const void *pointer) {
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(pointer);
  auto region = regions.upper_bound(address);
  if (region == regions.begin()) return regions.end();
  --region;
  return address - region->first <= region->second.bytes ? region : regions.end();
}

void set_access(const Regions::value_type &region, bool open) {
  const Region &array = region.second;
  if (array.place == Place::kDevice && array.allocated && array.unused_by == nullptr)
    backing::set_access(reinterpret_cast<void *>(region.first), array.bytes, open);
}

namespace {

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

cudaError_t allocate(void **memory, std::size_t bytes, Place place, bool fill) {
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

void mark_unused(void *array, const char *by) {
  const DeviceScope device(DeviceScope::kRuntime);
  const std::lock_guard<std::mutex> guard(region_mutex);
  const auto region = regions.find(reinterpret_cast<std::uintptr_t>(array));
  if (region != regions.end() && region->second.allocated &&
      region->second.place == Place::kDevice &&
      (region->second.unused_by == nullptr) == (by != nullptr))
    set_unused(*region, by);
}

void library_free(void *memory) { (void)release(memory, Place::kDevice); }

bool fits(const void *pointer, std::size_t bytes) {
  const std::lock_guard<std::mutex> guard(region_mutex);
  const auto region = find_region(pointer);
  if (region == regions.end()) return true;  // host memory, whose allocations are unknown
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(pointer) - region->first;
  return bytes <= region->second.bytes - offset;
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

}  // namespace cuda_cpu

void cuda_cpu_mark_unused(void *array, const char *by) { cuda_cpu::mark_unused(array, by); }
