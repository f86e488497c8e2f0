// Types and constants of the CUDA runtime (CUDA Runtime API reference manual). Names and values are
// CUDA's; only what is listed here exists.
#ifndef CUDA_CPU_DRIVER_TYPES_H
#define CUDA_CPU_DRIVER_TYPES_H
#define __DRIVER_TYPES_H__  // CUDA's own guard, by which samples know the header

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda_cpu/error_codes.h>

#define CUDA_CPU 1  // for code that differs on the CPU
#define CUDART_VERSION 12000
#define CUDA_VERSION CUDART_VERSION
#define CUDART_CB  // the calling convention of callbacks

#define CUDA_CPU_ENUMERATOR(name, value, text) name = (value),
typedef enum cudaError {
  CUDA_CPU_ERRORS(CUDA_CPU_ENUMERATOR) cudaErrorApiFailureBase = 10000  // in old helper_cuda.h
} cudaError_t;
#undef CUDA_CPU_ENUMERATOR

enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4,
};

enum cudaLimit {
  cudaLimitStackSize = 0,
  cudaLimitPrintfFifoSize = 1,
  cudaLimitMallocHeapSize = 2,
  cudaLimitDevRuntimeSyncDepth = 3,
  cudaLimitDevRuntimePendingLaunchCount = 4,
  cudaLimitMaxL2FetchGranularity = 5,
  cudaLimitPersistingL2CacheSize = 6,
};

enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9,
  cudaFuncAttributeNonPortableClusterSizeAllowed = 13,
};

enum cudaFuncCache {
  cudaFuncCachePreferNone = 0,
  cudaFuncCachePreferShared = 1,
  cudaFuncCachePreferL1 = 2,
  cudaFuncCachePreferEqual = 3,
};
enum cudaSharedMemConfig {
  cudaSharedMemBankSizeDefault = 0,
  cudaSharedMemBankSizeFourByte = 1,
  cudaSharedMemBankSizeEightByte = 2,
};
enum cudaSharedCarveout {
  cudaSharedmemCarveoutDefault = -1,
  cudaSharedmemCarveoutMaxShared = 100,
  cudaSharedmemCarveoutMaxL1 = 0,
};
struct cudaFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;  // not known: 0
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
  int maxDynamicSharedSizeBytes, preferredShmemCarveout;
};

enum cudaComputeMode {
  cudaComputeModeDefault = 0,
  cudaComputeModeExclusive = 1,
  cudaComputeModeProhibited = 2,
  cudaComputeModeExclusiveProcess = 3,
};
enum cudaMemoryAdvise {
  cudaMemAdviseSetReadMostly = 1,
  cudaMemAdviseUnsetReadMostly = 2,
  cudaMemAdviseSetPreferredLocation = 3,
  cudaMemAdviseUnsetPreferredLocation = 4,
  cudaMemAdviseSetAccessedBy = 5,
  cudaMemAdviseUnsetAccessedBy = 6,
};
#define cudaCpuDeviceId ((int)-1)
#define cudaInvalidDeviceId ((int)-2)
#define cudaMemAttachGlobal 0x01
#define cudaMemAttachHost 0x02
#define cudaMemAttachSingle 0x04
#define cudaHostAllocDefault 0x00
#define cudaHostAllocPortable 0x01
#define cudaHostAllocMapped 0x02
#define cudaHostAllocWriteCombined 0x04
#define cudaHostRegisterDefault 0x00
#define cudaHostRegisterPortable 0x01
#define cudaHostRegisterMapped 0x02
#define cudaHostRegisterReadOnly 0x08
#define cudaDeviceScheduleAuto 0x00
#define cudaDeviceScheduleSpin 0x01
#define cudaDeviceScheduleYield 0x02
#define cudaDeviceScheduleBlockingSync 0x04
#define cudaDeviceBlockingSync 0x04
#define cudaDeviceMapHost 0x08
#define cudaDeviceLmemResizeToMax 0x10
#define cudaPeerAccessDefault 0x00
#define cudaOccupancyDefault 0x00
#define cudaOccupancyDisableCachingOverride 0x01

// cudaDevAttr..., its value, and the member of cudaDeviceProp that holds it.
// clang-format off
#define CUDA_CPU_DEVICE_ATTRIBUTES(X) \
  X(MaxThreadsPerBlock, 1, maxThreadsPerBlock) \
  X(MaxBlockDimX, 2, maxThreadsDim[0]) \
  X(MaxBlockDimY, 3, maxThreadsDim[1]) \
  X(MaxBlockDimZ, 4, maxThreadsDim[2]) \
  X(MaxGridDimX, 5, maxGridSize[0]) \
  X(MaxGridDimY, 6, maxGridSize[1]) \
  X(MaxGridDimZ, 7, maxGridSize[2]) \
  X(MaxSharedMemoryPerBlock, 8, sharedMemPerBlock) \
  X(TotalConstantMemory, 9, totalConstMem) \
  X(WarpSize, 10, warpSize) \
  X(MaxPitch, 11, memPitch) \
  X(MaxRegistersPerBlock, 12, regsPerBlock) \
  X(ClockRate, 13, clockRate) \
  X(TextureAlignment, 14, textureAlignment) \
  X(GpuOverlap, 15, deviceOverlap) \
  X(MultiProcessorCount, 16, multiProcessorCount) \
  X(KernelExecTimeout, 17, kernelExecTimeoutEnabled) \
  X(Integrated, 18, integrated) \
  X(CanMapHostMemory, 19, canMapHostMemory) \
  X(ComputeMode, 20, computeMode) \
  X(MaxTexture1DWidth, 21, maxTexture1D) \
  X(MaxTexture2DWidth, 22, maxTexture2D[0]) \
  X(MaxTexture2DHeight, 23, maxTexture2D[1]) \
  X(MaxTexture3DWidth, 24, maxTexture3D[0]) \
  X(MaxTexture3DHeight, 25, maxTexture3D[1]) \
  X(MaxTexture3DDepth, 26, maxTexture3D[2]) \
  X(MaxTexture2DLayeredWidth, 27, maxTexture2DLayered[0]) \
  X(MaxTexture2DLayeredHeight, 28, maxTexture2DLayered[1]) \
  X(MaxTexture2DLayeredLayers, 29, maxTexture2DLayered[2]) \
  X(SurfaceAlignment, 30, surfaceAlignment) \
  X(ConcurrentKernels, 31, concurrentKernels) \
  X(EccEnabled, 32, ECCEnabled) \
  X(PciBusId, 33, pciBusID) \
  X(PciDeviceId, 34, pciDeviceID) \
  X(TccDriver, 35, tccDriver) \
  X(MemoryClockRate, 36, memoryClockRate) \
  X(GlobalMemoryBusWidth, 37, memoryBusWidth) \
  X(L2CacheSize, 38, l2CacheSize) \
  X(MaxThreadsPerMultiProcessor, 39, maxThreadsPerMultiProcessor) \
  X(AsyncEngineCount, 40, asyncEngineCount) \
  X(UnifiedAddressing, 41, unifiedAddressing) \
  X(MaxTexture1DLayeredWidth, 42, maxTexture1DLayered[0]) \
  X(MaxTexture1DLayeredLayers, 43, maxTexture1DLayered[1]) \
  X(PciDomainId, 50, pciDomainID) \
  X(TexturePitchAlignment, 51, texturePitchAlignment) \
  X(MaxTextureCubemapWidth, 52, maxTextureCubemap) \
  X(ComputeCapabilityMajor, 75, major) \
  X(ComputeCapabilityMinor, 76, minor) \
  X(StreamPrioritiesSupported, 78, streamPrioritiesSupported) \
  X(GlobalL1CacheSupported, 79, globalL1CacheSupported) \
  X(LocalL1CacheSupported, 80, localL1CacheSupported) \
  X(MaxSharedMemoryPerMultiprocessor, 81, sharedMemPerMultiprocessor) \
  X(MaxRegistersPerMultiprocessor, 82, regsPerMultiprocessor) \
  X(ManagedMemory, 83, managedMemory) \
  X(IsMultiGpuBoard, 84, isMultiGpuBoard) \
  X(MultiGpuBoardGroupID, 85, multiGpuBoardGroupID) \
  X(HostNativeAtomicSupported, 86, hostNativeAtomicSupported) \
  X(SingleToDoublePrecisionPerfRatio, 87, singleToDoublePrecisionPerfRatio) \
  X(PageableMemoryAccess, 88, pageableMemoryAccess) \
  X(ConcurrentManagedAccess, 89, concurrentManagedAccess) \
  X(ComputePreemptionSupported, 90, computePreemptionSupported) \
  X(CanUseHostPointerForRegisteredMem, 91, canUseHostPointerForRegisteredMem) \
  X(CooperativeLaunch, 95, cooperativeLaunch) \
  X(MaxSharedMemoryPerBlockOptin, 97, sharedMemPerBlockOptin) \
  X(HostRegisterSupported, 99, hostRegisterSupported) \
  X(PageableMemoryAccessUsesHostPageTables, 100, pageableMemoryAccessUsesHostPageTables) \
  X(DirectManagedMemAccessFromHost, 101, directManagedMemAccessFromHost) \
  X(MaxBlocksPerMultiprocessor, 106, maxBlocksPerMultiProcessor) \
  X(MaxPersistingL2CacheSize, 108, persistingL2CacheMaxSize) \
  X(MaxAccessPolicyWindowSize, 109, accessPolicyMaxWindowSize) \
  X(ReservedSharedMemoryPerBlock, 111, reservedSharedMemPerBlock) \
  X(MemoryPoolsSupported, 115, memoryPoolsSupported) \
  X(ClusterLaunch, 120, clusterLaunch)
// clang-format on
#define CUDA_CPU_ENUMERATOR(name, value, member) cudaDevAttr##name = (value),
enum cudaDeviceAttr { CUDA_CPU_DEVICE_ATTRIBUTES(CUDA_CPU_ENUMERATOR) };
#undef CUDA_CPU_ENUMERATOR

enum cudaDeviceP2PAttr {
  cudaDevP2PAttrPerformanceRank = 1,
  cudaDevP2PAttrAccessSupported = 2,
  cudaDevP2PAttrNativeAtomicSupported = 3,
  cudaDevP2PAttrCudaArrayAccessSupported = 4,
};

// Which data should stay in a GPU's cache: a hint, without effect here.
enum cudaAccessProperty {
  cudaAccessPropertyNormal = 0,
  cudaAccessPropertyStreaming = 1,
  cudaAccessPropertyPersisting = 2,
};
struct cudaAccessPolicyWindow {
  void *base_ptr;
  size_t num_bytes;
  float hitRatio;
  enum cudaAccessProperty hitProp, missProp;
};

enum cudaMemoryType {
  cudaMemoryTypeUnregistered = 0,
  cudaMemoryTypeHost = 1,
  cudaMemoryTypeDevice = 2,
  cudaMemoryTypeManaged = 3,
};

struct cudaPointerAttributes {
  enum cudaMemoryType type;
  int device;
  void *devicePointer;
  void *hostPointer;
};

struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem, totalConstMem;
  size_t sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor;
  size_t reservedSharedMemPerBlock;
  size_t memPitch, textureAlignment, texturePitchAlignment, surfaceAlignment;
  // Not modelled: a Hopper GPU's.
  int maxTexture1D, maxTexture2D[2], maxTexture3D[3];
  int maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemap;
  int maxSurface1D, maxSurface2D[2], maxSurface3D[3];
  int regsPerBlock, regsPerMultiprocessor;  // not modelled: a Hopper GPU's
  int warpSize;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
  int major, minor;
  int multiProcessorCount, maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor;
  int l2CacheSize, persistingL2CacheMaxSize;
  int clockRate;                        // kHz, of clock() in kernels
  int memoryClockRate, memoryBusWidth;  // not modelled: a Hopper GPU's
  int concurrentKernels, asyncEngineCount, cooperativeLaunch, streamPrioritiesSupported;
  int cooperativeMultiDeviceLaunch, accessPolicyMaxWindowSize;
  int integrated, canMapHostMemory, unifiedAddressing, managedMemory, concurrentManagedAccess;
  int pageableMemoryAccess, pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost;
  int hostNativeAtomicSupported, canUseHostPointerForRegisteredMem, computePreemptionSupported;
  int computeMode, kernelExecTimeoutEnabled, ECCEnabled, tccDriver;
  int singleToDoublePrecisionPerfRatio, globalL1CacheSupported, localL1CacheSupported;
  int hostRegisterSupported, clusterLaunch;
  int isMultiGpuBoard, multiGpuBoardGroupID, deviceOverlap, memoryPoolsSupported;
  int pciDomainID, pciBusID, pciDeviceID;
};

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;

#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
// Streams of launches from kernels (CUDA programming guide, "CUDA Dynamic Parallelism").
#define cudaStreamTailLaunch ((cudaStream_t)0x3)
#define cudaStreamFireAndForget ((cudaStream_t)0x4)
#define cudaEventDefault 0x00
#define cudaEventBlockingSync 0x01
#define cudaEventDisableTiming 0x02

typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *data);
typedef void (*cudaHostFn_t)(void *data);

#include <cuda_cpu/graph_types.h>
#include <cuda_cpu/pool_types.h>
#include <cuda_cpu/texture_types.h>

#endif
