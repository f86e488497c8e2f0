// The one device: its properties, limits and versions.
#include <cuda_runtime_api.h>

#include <omp.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdio>
#include <cstring>

#include <cuda_cpu/errors.h>

#include "../../cpuinfo.h"
#include "../diagnosis/check.h"
#include "../diagnosis/diagnose.h"
#include "../diagnosis/limits.h"
#include "../memory/regions.h"
#include "../diagnosis/settings.h"
#include "../streams/streams.h"

namespace cuda_cpu {

namespace {

// By cudaLimit..., with CUDA's defaults on a Hopper GPU.
std::atomic<std::size_t> limits[] = {1024, 8650752, 8 << 20, 0, 2048, 64, 0};

// Null, with the last error set, for a limit that does not exist.
std::atomic<std::size_t> *stored_limit(cudaLimit limit) {
  if (limit >= cudaLimitStackSize && limit <= cudaLimitPersistingL2CacheSize &&
      limit != cudaLimitDevRuntimeSyncDepth)
    return &limits[limit];
  fail(limit == cudaLimitDevRuntimeSyncDepth ? cudaErrorUnsupportedLimit : cudaErrorInvalidValue);
  return nullptr;
}

// CUDA C++ Programming Guide, "Compute Capabilities".
void set_texture_limits(cudaDeviceProp *p) {
  constexpr int kLine = 131072, kRows = 65536, kVolume = 16384, kLayeredLine = 32768,
                kLayers = 2048;
  p->maxTexture1D = p->maxTexture2D[0] = p->maxSurface2D[0] = kLine;
  p->maxTexture2D[1] = p->maxSurface2D[1] = kRows;
  p->maxSurface1D = p->maxTextureCubemap = kLayeredLine;
  for (int i = 0; i < 3; i++) p->maxTexture3D[i] = p->maxSurface3D[i] = kVolume;
  p->maxTexture1DLayered[0] = p->maxTexture2DLayered[0] = p->maxTexture2DLayered[1] = kLayeredLine;
  p->maxTexture1DLayered[1] = p->maxTexture2DLayered[2] = kLayers;
}

}  // namespace

int multiprocessors() { return check::kCounts ? kCountedMultiprocessors : omp_get_max_threads(); }

std::size_t pending_launch_limit() { return limits[cudaLimitDevRuntimePendingLaunchCount]; }

}  // namespace cuda_cpu

using namespace cuda_cpu;

extern "C" {

cudaError_t cudaGetDeviceCount(int *count) {
  if (count == nullptr) return fail(cudaErrorInvalidValue);
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  return device == 0 ? cudaSuccess : fail(cudaErrorInvalidDevice);
}

cudaError_t cudaGetDevice(int *device) {
  if (device == nullptr) return fail(cudaErrorInvalidValue);
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
  p->cooperativeLaunch = p->unifiedAddressing = p->managedMemory = p->canMapHostMemory = 1;
  p->concurrentManagedAccess = p->hostNativeAtomicSupported = p->integrated = 1;
  p->memoryPoolsSupported = 1;
  p->totalConstMem = 64 * 1024;
  p->reservedSharedMemPerBlock = kSharedReservedPerBlock;
  p->regsPerBlock = p->regsPerMultiprocessor = 65536;
  p->memPitch = INT_MAX;
  p->textureAlignment = p->surfaceAlignment = 512;
  p->texturePitchAlignment = 32;
  set_texture_limits(p);
  p->clockRate = 1000000;        // a kernel's clock() counts nanoseconds
  p->memoryClockRate = 2619000;  // an H100's, as programs divide by it
  p->memoryBusWidth = 5120;
  p->singleToDoublePrecisionPerfRatio = 2;
  p->globalL1CacheSupported = p->localL1CacheSupported = p->hostRegisterSupported = 1;
  p->clusterLaunch = 1;
  // Programs run their streams only on a device that has these. Nothing overlaps here.
  p->concurrentKernels = p->deviceOverlap = p->asyncEngineCount = 1;
  p->streamPrioritiesSupported = 1;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device) {
  cudaDeviceProp p = {};
  if (const cudaError_t error = cudaGetDeviceProperties(&p, device)) return error;
  switch (attribute) {
#define ATTRIBUTE(name, number, member) \
  case cudaDevAttr##name: *value = static_cast<int>(p.member); return cudaSuccess;
    CUDA_CPU_DEVICE_ATTRIBUTES(ATTRIBUTE)
#undef ATTRIBUTE
  }
  return fail(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  constexpr std::size_t kMostStack = 512 << 10;
  if (const cudaError_t error = refuse_unsafe()) return error;
  std::atomic<std::size_t> *const stored = stored_limit(limit);
  if (stored == nullptr) return cudaPeekAtLastError();
  if (limit == cudaLimitStackSize && value > kMostStack) return fail(cudaErrorInvalidValue);
  *stored = value;  // only that of pending launches limits anything here
  return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit) {
  const std::atomic<std::size_t> *const stored = stored_limit(limit);
  if (stored == nullptr) return cudaPeekAtLastError();
  *value = *stored;
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void) {
  refuse_in_kernel("cudaDeviceSynchronize (gone from kernels since CUDA 12)");
  Captures *const present = captures;
  const cudaError_t error = present == nullptr ? cudaSuccess : present->refuse_waiting_for_all();
  return error == cudaSuccess ? finish_all_streams() : error;
}

cudaError_t cudaDeviceReset(void) {
  (void)finish_all_streams();
  release_everything();
  return cudaSuccess;
}

// ---- calls that have nothing to do where there is one device without caches

cudaError_t cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }
cudaError_t cudaThreadExit(void) { return cudaSuccess; }
cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  constexpr unsigned int kKnown = 0x1f | 0x80;  // scheduling, mapping, resizing, synchronous copies
  return (flags & ~kKnown) == 0 ? cudaSuccess : fail(cudaErrorInvalidValue);
}
cudaError_t cudaGetDeviceFlags(unsigned int *flags) {
  *flags = cudaDeviceMapHost;
  return cudaSuccess;
}
cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *) { return cudaGetDevice(device); }
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache preference) {
  const bool known =
      preference >= cudaFuncCachePreferNone && preference <= cudaFuncCachePreferEqual;
  return known ? cudaSuccess : fail(cudaErrorInvalidValue);
}
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *preference) {
  *preference = cudaFuncCachePreferNone;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *preference) {
  *preference = cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  if (device != 0 || peer != 0) return fail(cudaErrorInvalidDevice);
  *can = 0;
  return cudaSuccess;
}
// Between two devices only, of which there is one.
cudaError_t cudaDeviceGetP2PAttribute(int *, cudaDeviceP2PAttr, int, int) {
  return fail(cudaErrorInvalidDevice);
}
cudaError_t cudaCtxResetPersistingL2Cache(void) { return cudaSuccess; }
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int) {
  return fail(peer == 0 ? cudaErrorPeerAccessUnsupported : cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return fail(peer == 0 ? cudaErrorPeerAccessNotEnabled : cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int device) {
  constexpr char kId[] = "0000:00:00.0";
  if (device != 0) return fail(cudaErrorInvalidDevice);
  if (length < static_cast<int>(sizeof kId)) return fail(cudaErrorInvalidValue);
  std::memcpy(id, kId, sizeof kId);
  return cudaSuccess;
}
cudaError_t cudaProfilerStart(void) {
  if constexpr (check::kOn) check::profile(true);
  return cudaSuccess;
}
cudaError_t cudaProfilerStop(void) {
  if constexpr (check::kOn) check::profile(false);
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version) {
  *version = 0;  // CUDA's answer where there is no driver
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

}  // extern "C"
