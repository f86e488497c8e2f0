// The one device: its properties, limits and versions.
#include <cuda_runtime_api.h>

#include <omp.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

#include <cuda_cpu/errors.h>

#include "../cpuinfo.h"
#include "host_only.h"
#include "limits.h"
#include "settings.h"

namespace cuda_cpu {

namespace {

std::atomic<std::size_t> pending_limit{2048};  // CUDA's default

}  // namespace

int multiprocessors() { return omp_get_max_threads(); }

std::size_t pending_launch_limit() { return pending_limit; }

}  // namespace cuda_cpu

using namespace cuda_cpu;

extern "C" {

cudaError_t cudaGetDeviceCount(int *count) {
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  return device == 0 ? cudaSuccess : fail(cudaErrorInvalidDevice);
}

cudaError_t cudaGetDevice(int *device) {
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device) {
  if (device != 0) return fail(cudaErrorInvalidDevice);
  *p = cudaDeviceProp{};
  std::snprintf(p->name, sizeof p->name, "CPU (unknown model)");
  cpuinfo_field("model name", p->name, sizeof p->name);
  p->totalGlobalMem = settings().memory_limit;
  p->sharedMemPerBlock = kSharedDefault;
  p->sharedMemPerBlockOptin = kSharedOptIn;
  p->sharedMemPerMultiprocessor = kSharedPerMultiprocessor;
  p->warpSize = 32;
  p->maxThreadsPerBlock = kMaxThreadsPerBlock;
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = kMaxThreadsPerBlock;
  p->maxThreadsDim[2] = kMaxBlockZ;
  p->maxGridSize[0] = kMaxGridX;
  p->maxGridSize[1] = p->maxGridSize[2] = kMaxGridYZ;
  p->major = 9;  // whose limits and instructions it offers
  p->multiProcessorCount = multiprocessors();
  p->maxThreadsPerMultiProcessor = kMaxThreadsPerMultiprocessor;
  p->maxBlocksPerMultiProcessor = kMaxBlocksPerMultiprocessor;
  const long cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
  p->l2CacheSize = cache > 0 ? static_cast<int>(cache) : 0;
  p->cooperativeLaunch = 1;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device) {
  cudaDeviceProp p = {};
  const cudaError_t error = cudaGetDeviceProperties(&p, device);
  if (error != cudaSuccess) return error;
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      *value = p.maxThreadsPerBlock;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = static_cast<int>(p.sharedMemPerBlock);
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = p.multiProcessorCount;
      break;
    case cudaDevAttrL2CacheSize:
      *value = p.l2CacheSize;
      break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = p.maxThreadsPerMultiProcessor;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = p.major;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = p.minor;
      break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = static_cast<int>(p.sharedMemPerMultiprocessor);
      break;
    case cudaDevAttrCooperativeLaunch:
      *value = p.cooperativeLaunch;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = static_cast<int>(p.sharedMemPerBlockOptin);
      break;
    default:
      return fail(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  if (limit == cudaLimitDevRuntimePendingLaunchCount) pending_limit = value;
  return cudaSuccess;  // the other limits have nothing to limit here
}

cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit) {
  if (limit != cudaLimitDevRuntimePendingLaunchCount) return fail(cudaErrorNotSupported);
  *value = pending_limit;
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void) {
  refuse_in_kernel("cudaDeviceSynchronize (gone from kernels since CUDA 12)");
  return cudaSuccess;
}

cudaError_t cudaDeviceReset(void) { return cudaSuccess; }

cudaError_t cudaDriverGetVersion(int *version) {
  *version = 0;  // CUDA's answer where there is no driver
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

}  // extern "C"
