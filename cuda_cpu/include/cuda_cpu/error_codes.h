// Every error of the CUDA runtime, with the text that cudaGetErrorString returns (CUDA Runtime API
// reference manual, "Data types used by CUDA Runtime"). Included by driver_types.h.
#ifndef CUDA_CPU_ERROR_CODES_H
#define CUDA_CPU_ERROR_CODES_H

// clang-format off
#define CUDA_CPU_ERRORS(CODE) \
  CODE(cudaSuccess, 0, "no error") \
  CODE(cudaErrorInvalidValue, 1, "invalid argument") \
  CODE(cudaErrorMemoryAllocation, 2, "out of memory") \
  CODE(cudaErrorInitializationError, 3, "initialization error") \
  CODE(cudaErrorCudartUnloading, 4, "driver shutting down") \
  CODE(cudaErrorProfilerDisabled, 5, "profiler disabled while using external profiling tool") \
  CODE(cudaErrorProfilerNotInitialized, 6, "profiler not initialized: call cudaProfilerInitialize()") \
  CODE(cudaErrorProfilerAlreadyStarted, 7, "profiler already started") \
  CODE(cudaErrorProfilerAlreadyStopped, 8, "profiler already stopped") \
  CODE(cudaErrorInvalidConfiguration, 9, "invalid configuration argument") \
  CODE(cudaErrorInvalidPitchValue, 12, "invalid pitch argument") \
  CODE(cudaErrorInvalidSymbol, 13, "invalid device symbol") \
  CODE(cudaErrorInvalidHostPointer, 16, "invalid host pointer") \
  CODE(cudaErrorInvalidDevicePointer, 17, "invalid device pointer") \
  CODE(cudaErrorInvalidTexture, 18, "invalid texture reference") \
  CODE(cudaErrorInvalidTextureBinding, 19, "texture is not bound to a pointer") \
  CODE(cudaErrorInvalidChannelDescriptor, 20, "invalid channel descriptor") \
  CODE(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy") \
  CODE(cudaErrorAddressOfConstant, 22, "invalid address of constant") \
  CODE(cudaErrorTextureFetchFailed, 23, "fetch from texture failed") \
  CODE(cudaErrorTextureNotBound, 24, "cannot fetch from a texture that is not bound") \
  CODE(cudaErrorSynchronizationError, 25, "incorrect use of __syncthreads()") \
  CODE(cudaErrorInvalidFilterSetting, 26, "linear filtering not supported for non-float type") \
  CODE(cudaErrorInvalidNormSetting, 27, "read as normalized float not supported for data type") \
  CODE(cudaErrorMixedDeviceExecution, 28, "device emulation mode and device execution mode cannot be mixed") \
  CODE(cudaErrorNotYetImplemented, 31, "feature not yet implemented") \
  CODE(cudaErrorMemoryValueTooLarge, 32, "memory size or pointer value too large to fit in 32 bit") \
  CODE(cudaErrorStubLibrary, 34, "CUDA driver is a stub library") \
  CODE(cudaErrorInsufficientDriver, 35, "CUDA driver version is insufficient for CUDA runtime version") \
  CODE(cudaErrorCallRequiresNewerDriver, 36, "API call is not supported in the installed CUDA driver") \
  CODE(cudaErrorInvalidSurface, 37, "invalid surface reference") \
  CODE(cudaErrorDuplicateVariableName, 43, "duplicate global variable looked up by string name") \
  CODE(cudaErrorDuplicateTextureName, 44, "duplicate texture looked up by string name") \
  CODE(cudaErrorDuplicateSurfaceName, 45, "duplicate surface looked up by string name") \
  CODE(cudaErrorDevicesUnavailable, 46, "CUDA-capable device(s) is/are busy or unavailable") \
  CODE(cudaErrorIncompatibleDriverContext, 49, "incompatible driver context") \
  CODE(cudaErrorMissingConfiguration, 52, "__global__ function call is not configured") \
  CODE(cudaErrorPriorLaunchFailure, 53, "unspecified launch failure in prior launch") \
  CODE(cudaErrorLaunchMaxDepthExceeded, 65, "launch would exceed maximum depth of nested launches") \
  CODE(cudaErrorLaunchFileScopedTex, 66, "launch failed because kernel uses unsupported, file-scoped textures (texture objects are supported)") \
  CODE(cudaErrorLaunchFileScopedSurf, 67, "launch failed because kernel uses unsupported, file-scoped surfaces (surface objects are supported)") \
  CODE(cudaErrorSyncDepthExceeded, 68, "cudaDeviceSynchronize failed because caller's grid depth exceeds cudaLimitDevRuntimeSyncDepth") \
  CODE(cudaErrorLaunchPendingCountExceeded, 69, "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount") \
  CODE(cudaErrorInvalidDeviceFunction, 98, "invalid device function") \
  CODE(cudaErrorNoDevice, 100, "no CUDA-capable device is detected") \
  CODE(cudaErrorInvalidDevice, 101, "invalid device ordinal") \
  CODE(cudaErrorDeviceNotLicensed, 102, "device doesn't have valid Grid license") \
  CODE(cudaErrorSoftwareValidityNotEstablished, 103, "integrity checks failed") \
  CODE(cudaErrorStartupFailure, 127, "startup failure in cuda runtime") \
  CODE(cudaErrorInvalidKernelImage, 200, "device kernel image is invalid") \
  CODE(cudaErrorDeviceUninitialized, 201, "invalid device context") \
  CODE(cudaErrorMapBufferObjectFailed, 205, "mapping of buffer object failed") \
  CODE(cudaErrorUnmapBufferObjectFailed, 206, "unmapping of buffer object failed") \
  CODE(cudaErrorArrayIsMapped, 207, "array is mapped") \
  CODE(cudaErrorAlreadyMapped, 208, "resource already mapped") \
  CODE(cudaErrorNoKernelImageForDevice, 209, "no kernel image is available for execution on the device") \
  CODE(cudaErrorAlreadyAcquired, 210, "resource already acquired") \
  CODE(cudaErrorNotMapped, 211, "resource not mapped") \
  CODE(cudaErrorNotMappedAsArray, 212, "resource not mapped as array") \
  CODE(cudaErrorNotMappedAsPointer, 213, "resource not mapped as pointer") \
  CODE(cudaErrorECCUncorrectable, 214, "uncorrectable ECC error encountered") \
  CODE(cudaErrorUnsupportedLimit, 215, "limit is not supported on this architecture") \
  CODE(cudaErrorDeviceAlreadyInUse, 216, "exclusive-thread device already in use by a different thread") \
  CODE(cudaErrorPeerAccessUnsupported, 217, "peer access is not supported between these two devices") \
  CODE(cudaErrorInvalidPtx, 218, "a PTX JIT compilation failed") \
  CODE(cudaErrorInvalidGraphicsContext, 219, "invalid OpenGL or DirectX context") \
  CODE(cudaErrorNvlinkUncorrectable, 220, "uncorrectable NVLink error detected during the execution") \
  CODE(cudaErrorJitCompilerNotFound, 221, "PTX JIT compiler library not found") \
  CODE(cudaErrorUnsupportedPtxVersion, 222, "the provided PTX was compiled with an unsupported toolchain.") \
  CODE(cudaErrorJitCompilationDisabled, 223, "PTX JIT compilation was disabled") \
  CODE(cudaErrorUnsupportedExecAffinity, 224, "the provided execution affinity is not supported") \
  CODE(cudaErrorUnsupportedDevSideSync, 225, "the provided PTX contains unsupported call to cudaDeviceSynchronize") \
  CODE(cudaErrorContained, 226, "Invalid access of peer GPU memory over nvlink or a hardware error") \
  CODE(cudaErrorInvalidSource, 300, "device kernel image is invalid") \
  CODE(cudaErrorFileNotFound, 301, "file not found") \
  CODE(cudaErrorSharedObjectSymbolNotFound, 302, "shared object symbol not found") \
  CODE(cudaErrorSharedObjectInitFailed, 303, "shared object initialization failed") \
  CODE(cudaErrorOperatingSystem, 304, "OS call failed or operation not supported on this OS") \
  CODE(cudaErrorInvalidResourceHandle, 400, "invalid resource handle") \
  CODE(cudaErrorIllegalState, 401, "the operation cannot be performed in the present state") \
  CODE(cudaErrorLossyQuery, 402, "attempted introspection would be semantically lossy") \
  CODE(cudaErrorSymbolNotFound, 500, "named symbol not found") \
  CODE(cudaErrorNotReady, 600, "device not ready") \
  CODE(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered") \
  CODE(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch") \
  CODE(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated") \
  CODE(cudaErrorLaunchIncompatibleTexturing, 703, "launch uses incompatible texturing mode") \
  CODE(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled") \
  CODE(cudaErrorPeerAccessNotEnabled, 705, "peer access has not been enabled") \
  CODE(cudaErrorSetOnActiveProcess, 708, "cannot set while device is active in this process") \
  CODE(cudaErrorContextIsDestroyed, 709, "context is destroyed") \
  CODE(cudaErrorAssert, 710, "device-side assert triggered") \
  CODE(cudaErrorTooManyPeers, 711, "peer mapping resources exhausted") \
  CODE(cudaErrorHostMemoryAlreadyRegistered, 712, "part or all of the requested memory range is already mapped") \
  CODE(cudaErrorHostMemoryNotRegistered, 713, "pointer does not correspond to a registered memory region") \
  CODE(cudaErrorHardwareStackError, 714, "hardware stack error") \
  CODE(cudaErrorIllegalInstruction, 715, "an illegal instruction was encountered") \
  CODE(cudaErrorMisalignedAddress, 716, "misaligned address") \
  CODE(cudaErrorInvalidAddressSpace, 717, "operation not supported on global/shared address space") \
  CODE(cudaErrorInvalidPc, 718, "invalid program counter") \
  CODE(cudaErrorLaunchFailure, 719, "unspecified launch failure") \
  CODE(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch") \
  CODE(cudaErrorTensorMemoryLeak, 721, "tensor memory not completely freed") \
  CODE(cudaErrorNotPermitted, 800, "operation not permitted") \
  CODE(cudaErrorNotSupported, 801, "operation not supported") \
  CODE(cudaErrorSystemNotReady, 802, "system not yet initialized") \
  CODE(cudaErrorSystemDriverMismatch, 803, "system has unsupported display driver / cuda driver combination") \
  CODE(cudaErrorCompatNotSupportedOnDevice, 804, "forward compatibility was attempted on non supported HW") \
  CODE(cudaErrorMpsConnectionFailed, 805, "MPS client failed to connect to the MPS control daemon or the MPS server") \
  CODE(cudaErrorMpsRpcFailure, 806, "the remote procedural call between the MPS server and the MPS client failed") \
  CODE(cudaErrorMpsServerNotReady, 807, "MPS server is not ready to accept new MPS client requests") \
  CODE(cudaErrorMpsMaxClientsReached, 808, "the hardware resources required to create MPS client have been exhausted") \
  CODE(cudaErrorMpsMaxConnectionsReached, 809, "the hardware resources required to support device connections have been exhausted") \
  CODE(cudaErrorMpsClientTerminated, 810, "the MPS client has been terminated by the server") \
  CODE(cudaErrorCdpNotSupported, 811, "is using CUDA Dynamic Parallelism, but the current configuration, like MPS, does not support it") \
  CODE(cudaErrorCdpVersionMismatch, 812, "unsupported interaction between different versions of CUDA Dynamic Parallelism") \
  CODE(cudaErrorStreamCaptureUnsupported, 900, "operation not permitted when stream is capturing") \
  CODE(cudaErrorStreamCaptureInvalidated, 901, "operation failed due to a previous error during capture") \
  CODE(cudaErrorStreamCaptureMerge, 902, "operation would result in a merge of separate capture sequences") \
  CODE(cudaErrorStreamCaptureUnmatched, 903, "capture was not ended in the same stream as it began") \
  CODE(cudaErrorStreamCaptureUnjoined, 904, "capturing stream has unjoined work") \
  CODE(cudaErrorStreamCaptureIsolation, 905, "dependency created on uncaptured work in another stream") \
  CODE(cudaErrorStreamCaptureImplicit, 906, "operation would make the legacy stream depend on a capturing blocking stream") \
  CODE(cudaErrorCapturedEvent, 907, "operation not permitted on an event last recorded in a capturing stream") \
  CODE(cudaErrorStreamCaptureWrongThread, 908, "attempt to terminate a thread-local capture sequence from another thread") \
  CODE(cudaErrorTimeout, 909, "wait operation timed out") \
  CODE(cudaErrorGraphExecUpdateFailure, 910, "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update") \
  CODE(cudaErrorExternalDevice, 911, "an async error has occured in external entity outside of CUDA") \
  CODE(cudaErrorInvalidClusterSize, 912, "a kernel launch error has occurred due to cluster misconfiguration") \
  CODE(cudaErrorFunctionNotLoaded, 913, "the function handle is not loaded when calling an API that requires a loaded function") \
  CODE(cudaErrorInvalidResourceType, 914, "one or more resources passed in are not valid resource types for the operation") \
  CODE(cudaErrorInvalidResourceConfiguration, 915, "one or more resources are insufficient or non-applicable for the operation") \
  CODE(cudaErrorUnknown, 999, "unknown error")
// clang-format on

#endif
