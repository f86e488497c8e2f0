// Memory pools and allocation in stream order (CUDA C++ Programming Guide, "Stream Ordered Memory
// Allocator").
#include "pools.h"

#include <cuda_cpu/errors.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "../graphs/graph_memory.h"
#include "../memory/regions.h"
#include "../streams/streams.h"

struct CUmemPoolHandle_st {
  std::uint64_t threshold = 0, used = 0, high = 0;
  int reuse[3] = {1, 1, 1};  // by cudaMemPoolReuse...
};

namespace cuda_cpu {

namespace {

using Pool = std::shared_ptr<CUmemPoolHandle_st>;
struct Allocation {
  Pool pool;
  std::size_t bytes;
};
struct Pools {
  std::mutex mutex;
  std::map<cudaMemPool_t, Pool> all;
  std::map<const void *, Allocation> allocations;
  const Pool standard = std::make_shared<CUmemPoolHandle_st>();
  Pool present = standard;
};
// Never destroyed: other threads may still free memory at the program's end.
Pools &pools() {
  static Pools &only = *new Pools;
  return only;
}
using Guard = std::lock_guard<std::mutex>;

// With the mutex held; null for a handle of no pool.
Pool pool_of(cudaMemPool_t handle) {
  Pools &p = pools();
  if (handle == p.standard.get()) return p.standard;
  const auto found = p.all.find(handle);
  return found == p.all.end() ? nullptr : found->second;
}

cudaError_t allocate_from(const Pool &pool, void **memory, std::size_t bytes, cudaStream_t stream) {
  if (memory == nullptr) return fail(cudaErrorInvalidValue);
  if (bytes == 0) return *memory = nullptr, cudaSuccess;
  if (is_capturing(stream)) {
    const GraphMemoryRef graphs = reserve_graph_memory(bytes);
    if (graphs == nullptr) return cudaPeekAtLastError();
    *memory = graphs->address;
    return record_or_run(
        stream, cudaGraphNodeTypeMemAlloc, [graphs] { return allocate_graph_memory(graphs); },
        graphs);
  }
  cudaError_t error = refuse_while_capturing(stream);
  if (error == cudaSuccess) error = allocate(memory, bytes, Place::kDevice);
  if (error != cudaSuccess) return error;
  const Guard guard(pools().mutex);
  pools().allocations[*memory] = {pool, bytes};
  pool->used += bytes;
  pool->high = std::max(pool->high, pool->used);
  return cudaSuccess;
}

std::uint64_t *number(CUmemPoolHandle_st &pool, cudaMemPoolAttr attribute) {
  switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold:
      return &pool.threshold;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent:
      return &pool.used;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
      return &pool.high;
    default:
      return nullptr;
  }
}

bool is_reuse(cudaMemPoolAttr attribute) {
  return attribute >= cudaMemPoolReuseFollowEventDependencies &&
         attribute <= cudaMemPoolReuseAllowInternalDependencies;
}

}  // namespace

void pool_freed(const void *memory) {
  const Guard guard(pools().mutex);
  const auto found = pools().allocations.find(memory);
  if (found == pools().allocations.end()) return;
  found->second.pool->used -= found->second.bytes;
  pools().allocations.erase(found);
}

}  // namespace cuda_cpu

using namespace cuda_cpu;

extern "C" {

cudaError_t cudaMallocAsync(void **memory, size_t bytes, cudaStream_t stream) {
  Pool pool;
  {
    const Guard guard(pools().mutex);
    pool = pools().present;
  }
  return allocate_from(pool, memory, bytes, stream);
}
cudaError_t cudaMallocFromPoolAsync(void **memory, size_t bytes, cudaMemPool_t handle,
                                    cudaStream_t stream) {
  Pool pool;
  {
    const Guard guard(pools().mutex);
    pool = pool_of(handle);
  }
  return pool == nullptr ? fail(cudaErrorInvalidValue) : allocate_from(pool, memory, bytes, stream);
}
cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream) {
  const GraphMemoryRef graphs = find_graph_memory(memory);
  if (is_capturing(stream)) {
    if (graphs == nullptr) return fail(cudaErrorInvalidValue);
    return record_or_run(
        stream, cudaGraphNodeTypeMemFree, [graphs] { return free_graph_memory(graphs); }, graphs);
  }
  const cudaError_t error = refuse_while_capturing(stream);
  if (error != cudaSuccess) return error;
  (void)finish_stream(stream);
  if (graphs != nullptr) return free_graph_memory(graphs);
  pool_freed(memory);
  return release(memory, Place::kDevice);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
  if (device != 0) return fail(cudaErrorInvalidDevice);
  *pool = pools().standard.get();
  return cudaSuccess;
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
  if (device != 0) return fail(cudaErrorInvalidDevice);
  const Guard guard(pools().mutex);
  *pool = pools().present.get();
  return cudaSuccess;
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t handle) {
  if (device != 0) return fail(cudaErrorInvalidDevice);
  const Guard guard(pools().mutex);
  const Pool pool = pool_of(handle);
  if (pool == nullptr) return fail(cudaErrorInvalidValue);
  pools().present = pool;
  return cudaSuccess;
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *properties) {
  if (properties->allocType != cudaMemAllocationTypePinned ||
      properties->location.type != cudaMemLocationTypeDevice || properties->location.id != 0)
    return fail(cudaErrorInvalidValue);
  const Pool made = std::make_shared<CUmemPoolHandle_st>();
  const Guard guard(pools().mutex);
  pools().all[made.get()] = made;
  *pool = made.get();
  return cudaSuccess;
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle) {
  const Guard guard(pools().mutex);
  Pools &p = pools();
  if (p.all.count(handle) == 0) return fail(cudaErrorInvalidValue);
  if (p.present.get() == handle) p.present = p.standard;
  p.all.erase(handle);
  return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, size_t) {
  const Guard guard(pools().mutex);
  return pool_of(handle) != nullptr ? cudaSuccess : fail(cudaErrorInvalidValue);
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void *value) {
  const Guard guard(pools().mutex);
  const Pool pool = pool_of(handle);
  if (pool == nullptr) return fail(cudaErrorInvalidValue);
  if (is_reuse(attribute))
    *static_cast<int *>(value) = pool->reuse[attribute - 1];
  else if (const std::uint64_t *const from = number(*pool, attribute))
    *static_cast<std::uint64_t *>(value) = *from;
  else
    return fail(cudaErrorInvalidValue);
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void *value) {
  const Guard guard(pools().mutex);
  const Pool pool = pool_of(handle);
  if (pool == nullptr) return fail(cudaErrorInvalidValue);
  std::uint64_t *const to = number(*pool, attribute);
  if (is_reuse(attribute))
    pool->reuse[attribute - 1] = *static_cast<int *>(value);
  else if (attribute == cudaMemPoolAttrReleaseThreshold)
    pool->threshold = *static_cast<std::uint64_t *>(value);
  else if (to == &pool->high && *static_cast<std::uint64_t *>(value) == 0)
    pool->high = pool->used;
  else
    return fail(cudaErrorInvalidValue);
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle, const cudaMemAccessDesc *list,
                                 size_t count) {
  const Guard guard(pools().mutex);
  if (pool_of(handle) == nullptr) return fail(cudaErrorInvalidValue);
  for (size_t i = 0; i < count; i++)
    if (list[i].location.type != cudaMemLocationTypeDevice || list[i].location.id != 0 ||
        list[i].flags != cudaMemAccessFlagsProtReadWrite)
      return fail(cudaErrorInvalidDevice);
  return cudaSuccess;
}
cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags *flags, cudaMemPool_t handle,
                                 cudaMemLocation *location) {
  const Guard guard(pools().mutex);
  if (pool_of(handle) == nullptr || location->type != cudaMemLocationTypeDevice ||
      location->id != 0)
    return fail(cudaErrorInvalidValue);
  *flags = cudaMemAccessFlagsProtReadWrite;
  return cudaSuccess;
}

}  // extern "C"
