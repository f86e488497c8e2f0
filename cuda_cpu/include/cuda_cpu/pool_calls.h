// Memory pools. cudaFreeAsync returns memory to the system at once, so that a pool holds what is in
// use and its release threshold has no effect. Included by cuda_runtime_api.h.
//
// Missing: sharing with other processes.
#ifndef CUDA_CPU_POOL_CALLS_H
#define CUDA_CPU_POOL_CALLS_H

#ifdef __cplusplus
extern "C" {
#endif

// cudaErrorInvalidDevice for another device than 0.
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
// The pool of cudaMallocAsync; at first the default one.
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool);
// cudaErrorInvalidValue unless the memory is pinned memory of device 0.
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties);
// cudaErrorInvalidValue for the default pool. Its memory stays usable until it is freed.
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes_to_keep);
// A highest value can only be set to 0, the present ones not at all (cudaErrorInvalidValue).
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                    void *value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                    void *value);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list,
                                 size_t count);
cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                 struct cudaMemLocation *location);
cudaError_t cudaMallocFromPoolAsync(void **memory, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream);

#ifdef __cplusplus
}
// CUDA 13's forms; cudaMallocAsync's other form.
inline cudaError_t cudaMemPrefetchAsync(const void *memory, size_t bytes, cudaMemLocation,
                                        unsigned int /*flags*/, cudaStream_t stream = 0) {
  return cudaMemPrefetchAsync(memory, bytes, 0, stream);
}
inline cudaError_t cudaMemAdvise(const void *memory, size_t bytes, cudaMemoryAdvise advice,
                                 cudaMemLocation) {
  return cudaMemAdvise(memory, bytes, advice, 0);
}
template <class T>
cudaError_t cudaMallocFromPoolAsync(T **memory, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  return cudaMallocFromPoolAsync((void **)memory, bytes, pool, stream);
}
template <class T>
cudaError_t cudaMallocAsync(T **memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return cudaMallocFromPoolAsync((void **)memory, bytes, pool, stream);
}
#endif
#endif
