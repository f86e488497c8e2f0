// Memory pools and allocation in stream order (CUDA C++ Programming Guide, "Stream Ordered Memory
// Allocator").
#include <cuda_cpu/errors.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "../graphs/graph.h"
#include "../memory/regions.h"
#include "../streams/streams.h"

using namespace cuda_cpu;

namespace {

std::mutex mutex;  // of all pools
using Guard = std::lock_guard<std::mutex>;

}  // namespace

// Never deleted: arrays may outlive it.
struct CUmemPoolHandle_st : Owner {
  CUmemPoolHandle_st() : Owner("its pool") {}
  cudaError_t free(void *memory, std::size_t bytes) override {
    {
      const Guard guard(mutex);
      used -= bytes;
    }
    return release(memory, Place::kDevice);
  }
  std::uint64_t threshold = 0, used = 0, high = 0;
  int reuse[3] = {1, 1, 1};  // by cudaMemPoolReuse...
};

namespace {

// The first one is the device's default pool. These are not destroyed at the program's end, when
// other threads may still free memory.
auto &all = *new std::vector<cudaMemPool_t>{new CUmemPoolHandle_st};
auto &destroyed = *new std::vector<cudaMemPool_t>;
cudaMemPool_t present = all.front();

// With the mutex held.
bool exists(cudaMemPool_t pool) { return std::find(all.begin(), all.end(), pool) != all.end(); }

cudaError_t allocate_from(cudaMemPool_t pool, void **memory, std::size_t bytes,
                          cudaStream_t stream) {
  if (memory == nullptr) return fail(cudaErrorInvalidValue);
  if (bytes == 0) return *memory = nullptr, cudaSuccess;
  if (is_capturing(stream)) {
    const GraphMemoryRef graphs = reserve_graph_memory(bytes);
    if (graphs == nullptr) return cudaPeekAtLastError();
    *memory = graphs->address;
    return record_memory_or_run(
        stream, cudaGraphNodeTypeMemAlloc, [graphs] { return allocate_graph_memory(graphs); },
        graphs);
  }
  cudaError_t error = refuse_while_capturing(stream);
  if (error == cudaSuccess) error = allocate(memory, bytes, Place::kDevice, true, pool);
  if (error != cudaSuccess) return error;
  const Guard guard(mutex);
  pool->used += bytes;
  pool->high = std::max(pool->high, pool->used);
  return cudaSuccess;
}

std::uint64_t *number(CUmemPoolHandle_st &pool, cudaMemPoolAttr attribute) {
  switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold: return &pool.threshold;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent: return &pool.used;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh: return &pool.high;
    default: return nullptr;
  }
}

bool is_reuse(cudaMemPoolAttr attribute) {
  return attribute >= cudaMemPoolReuseFollowEventDependencies &&
         attribute <= cudaMemPoolReuseAllowInternalDependencies;
}

}  // namespace

extern "C" {

cudaError_t cudaMallocAsync(void **memory, size_t bytes, cudaStream_t stream) {
  cudaMemPool_t pool = nullptr;
  (void)cudaDeviceGetMemPool(&pool, 0);
  return allocate_from(pool, memory, bytes, stream);
}
cudaError_t cudaMallocFromPoolAsync(void **memory, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  if (cudaMemPoolTrimTo(pool, 0) != cudaSuccess) return cudaErrorInvalidValue;  // no such pool
  return allocate_from(pool, memory, bytes, stream);
}
cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream) {
  if (is_capturing(stream)) {
    const GraphMemoryRef graphs = find_graph_memory(memory);
    if (graphs == nullptr) return fail(cudaErrorInvalidValue);
    return record_memory_or_run(
        stream, cudaGraphNodeTypeMemFree, [graphs] { return free_graph_memory(graphs); }, graphs);
  }
  if (const cudaError_t error = refuse_while_capturing(stream)) return error;
  (void)finish_stream(stream);
  std::size_t bytes = 0;
  Owner *const owner = owner_of(memory, &bytes);
  return owner != nullptr ? owner->free(memory, bytes) : release(memory, Place::kDevice);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
  if (device != 0) return fail(cudaErrorInvalidDevice);
  *pool = all.front();
  return cudaSuccess;
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
  if (device != 0) return fail(cudaErrorInvalidDevice);
  const Guard guard(mutex);
  *pool = present;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  if (device != 0) return fail(cudaErrorInvalidDevice);
  const Guard guard(mutex);
  if (!exists(pool)) return fail(cudaErrorInvalidValue);
  present = pool;
  return cudaSuccess;
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *properties) {
  if (properties->allocType != cudaMemAllocationTypePinned ||
      properties->location.type != cudaMemLocationTypeDevice || properties->location.id != 0)
    return fail(cudaErrorInvalidValue);
  const Guard guard(mutex);
  all.push_back(*pool = new CUmemPoolHandle_st);
  return cudaSuccess;
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  const Guard guard(mutex);
  const auto found = std::find(all.begin() + 1, all.end(), pool);
  if (found == all.end()) return fail(cudaErrorInvalidValue);
  if (present == pool) present = all.front();
  destroyed.push_back(pool);
  all.erase(found);
  return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
  const Guard guard(mutex);
  return exists(pool) ? cudaSuccess : fail(cudaErrorInvalidValue);
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value) {
  const Guard guard(mutex);
  if (!exists(pool)) return fail(cudaErrorInvalidValue);
  if (is_reuse(attribute))
    *static_cast<int *>(value) = pool->reuse[attribute - 1];
  else if (const std::uint64_t *const from = number(*pool, attribute))
    *static_cast<std::uint64_t *>(value) = *from;
  else
    return fail(cudaErrorInvalidValue);
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value) {
  const Guard guard(mutex);
  if (!exists(pool)) return fail(cudaErrorInvalidValue);
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
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc *list, size_t count) {
  const Guard guard(mutex);
  if (!exists(pool)) return fail(cudaErrorInvalidValue);
  for (size_t i = 0; i < count; i++)
    if (list[i].location.type != cudaMemLocationTypeDevice || list[i].location.id != 0 ||
        list[i].flags != cudaMemAccessFlagsProtReadWrite)
      return fail(cudaErrorInvalidDevice);
  return cudaSuccess;
}
cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                 cudaMemLocation *location) {
  const Guard guard(mutex);
  if (!exists(pool) || location->type != cudaMemLocationTypeDevice || location->id != 0)
    return fail(cudaErrorInvalidValue);
  *flags = cudaMemAccessFlagsProtReadWrite;
  return cudaSuccess;
}

}  // extern "C"
