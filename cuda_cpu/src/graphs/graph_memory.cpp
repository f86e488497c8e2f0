// The memory that nodes of graphs allocate.
#include <cuda_cpu/errors.h>
#include <cuda_cpu/memory.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "../diagnosis/limits.h"
#include "graph.h"

namespace cuda_cpu {

namespace {

std::recursive_mutex mutex;  // of all below
using Guard = std::lock_guard<std::recursive_mutex>;
// Keeps memory whose graph is destroyed. Never destroyed itself: at the program's end the table of
// arrays may be gone.
std::map<const void *, GraphMemoryRef> &in_use = *new std::map<const void *, GraphMemoryRef>;
std::uint64_t bytes_now[2], bytes_high[2];  // used, reserved

void count(int which, std::int64_t bytes) {
  bytes_now[which] += static_cast<std::uint64_t>(bytes);
  bytes_high[which] = std::max(bytes_high[which], bytes_now[which]);
}

}  // namespace

GraphMemory::~GraphMemory() {
  if (address == nullptr) return;
  const Guard guard(mutex);
  count(1, -static_cast<std::int64_t>(bytes));
  (void)release(address, Place::kDevice);
}

cudaError_t GraphMemory::free(void *, std::size_t) { return free_graph_memory(shared_from_this()); }

GraphMemoryRef reserve_graph_memory(std::size_t bytes) {
  if (bytes == 0) {
    fail(cudaErrorInvalidValue);
    return nullptr;
  }
  const Guard guard(mutex);
  auto memory = std::make_shared<GraphMemory>();
  if (allocate(&memory->address, bytes, Place::kDevice, false, memory.get()) != cudaSuccess)
    return nullptr;
  memory->bytes = bytes;
  cuda_cpu_mark_unused(memory->address, memory->name);
  count(1, static_cast<std::int64_t>(bytes));
  return memory;
}

GraphMemoryRef find_graph_memory(const void *address) {
  auto *const memory = dynamic_cast<GraphMemory *>(owner_of(address));
  return memory == nullptr ? nullptr : memory->shared_from_this();
}

cudaError_t allocate_graph_memory(const GraphMemoryRef &memory) {
  const Guard guard(mutex);
  if (memory->allocated) return fail(cudaErrorInvalidValue);
  memory->allocated = true;
  in_use[memory->address] = memory;
  count(0, static_cast<std::int64_t>(memory->bytes));
  cuda_cpu_mark_unused(memory->address, nullptr);
  const DeviceScope device(DeviceScope::kRuntime);
  std::memset(memory->address, kPoison, memory->bytes);
  return cudaSuccess;
}

cudaError_t free_graph_memory(const GraphMemoryRef &memory) {
  const Guard guard(mutex);
  if (!memory->allocated) return fail(cudaErrorInvalidValue);
  memory->allocated = false;
  cuda_cpu_mark_unused(memory->address, memory->name);
  count(0, -static_cast<std::int64_t>(memory->bytes));
  in_use.erase(memory->address);
  return cudaSuccess;
}

}  // namespace cuda_cpu

using namespace cuda_cpu;

extern "C" {

cudaError_t cudaDeviceGraphMemTrim(int device) {
  return device == 0 ? cudaSuccess : fail(cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void *value) {
  const int number = attribute;  // used, its highest, reserved, its highest
  if (device != 0) return fail(cudaErrorInvalidDevice);
  if (number < cudaGraphMemAttrUsedMemCurrent || number > cudaGraphMemAttrReservedMemHigh)
    return fail(cudaErrorInvalidValue);
  const Guard guard(mutex);
  *static_cast<std::uint64_t *>(value) = (number % 2 == 0 ? bytes_now : bytes_high)[number / 2];
  return cudaSuccess;
}
cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void *value) {
  const int number = attribute;
  if (device != 0) return fail(cudaErrorInvalidDevice);
  if ((number != cudaGraphMemAttrUsedMemHigh && number != cudaGraphMemAttrReservedMemHigh) ||
      *static_cast<std::uint64_t *>(value) != 0)
    return fail(cudaErrorInvalidValue);
  const Guard guard(mutex);
  bytes_high[number / 2] = bytes_now[number / 2];
  return cudaSuccess;
}

}  // extern "C"
