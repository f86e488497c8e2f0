// The CUDA runtime's calls on the cpu backend: device, streams, events, errors.
// Memory is in memory.cpp, launches in grid.cpp.
#include "cuda_cpu/runtime.h"

#include <omp.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <mutex>

#include "cuda_cpu/exec.h"
#include "cuda_cpu/settings.h"

namespace cuda_cpu {

// ---- settings -----------------------------------------------------------------------------------

namespace {

std::uint64_t number_from_environment(const char *name, std::uint64_t otherwise) {
  const char *const text = std::getenv(name);
  if (text == nullptr || *text == '\0') return otherwise;
  char *end = nullptr;
  const unsigned long long value = std::strtoull(text, &end, 10);
  if (*end != '\0') {
    std::fprintf(stderr, "%s takes a whole number, not '%s'\n", name, text);
    std::exit(2);
  }
  return value;
}

Settings read_settings() {
  const char *const racecheck = std::getenv("CUDA_CPU_RACECHECK");
  const std::uint64_t ram = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                            static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return {racecheck != nullptr && *racecheck != '\0',
          number_from_environment("CUDA_CPU_RACECHECK", 0),
          number_from_environment("CUDA_CPU_MEMORY", ram / 10 * 9)};
}

}  // namespace

const Settings &settings() {
  static const Settings from_environment = read_settings();
  return from_environment;
}

int multiprocessors() { return omp_get_max_threads(); }

// ---- errors and limits

namespace {

thread_local cudaError_t host_error = cudaSuccess;  // in CUDA too each host thread has its own
std::mutex limits_mutex;
std::map<const void *, std::size_t> shared_limits;
std::atomic<std::size_t> pending_limit{2048};  // CUDA's default

cudaError_t &last_error() { return current != nullptr ? current->last_error : host_error; }

void refuse_in_kernel(const char *what) {
  if (current != nullptr) diagnose("memcheck", "%s cannot be called from a kernel", what);
}

}  // namespace

void set_last_error(cudaError_t error) {
  last_error() = error;
  if (current != nullptr) current_block->launch_failed = true;
}

cudaError_t fail(cudaError_t error) {
  set_last_error(error);
  return error;
}

std::size_t shared_limit(const void *kernel) {
  const std::lock_guard<std::mutex> guard(limits_mutex);
  const auto found = shared_limits.find(kernel);
  return found == shared_limits.end() ? kSharedDefault : found->second;
}

cudaError_t set_shared_limit(const void *kernel, int bytes) {
  if (bytes < 0 || static_cast<std::size_t>(bytes) > kSharedOptIn)
    return fail(cudaErrorInvalidValue);
  const std::lock_guard<std::mutex> guard(limits_mutex);
  const std::size_t asked = static_cast<std::size_t>(bytes);
  shared_limits[kernel] = asked > kSharedDefault ? asked : kSharedDefault;
  return cudaSuccess;
}

std::size_t pending_launch_limit() { return pending_limit; }

namespace {

void processor_name(char *name, std::size_t size) {
  std::snprintf(name, size, "CPU (unknown model)");
  std::FILE *const file = std::fopen("/proc/cpuinfo", "r");
  if (file == nullptr) return;
  char line[256];
  while (std::fgets(line, sizeof line, file) != nullptr) {
    const char *const colon = std::strchr(line, ':');
    if (std::strncmp(line, "model name", 10) != 0 || colon == nullptr) continue;
    std::snprintf(name, size, "%.*s", static_cast<int>(std::strcspn(colon + 2, "\n")), colon + 2);
    break;
  }
  std::fclose(file);
}

}  // namespace
}  // namespace cuda_cpu

using namespace cuda_cpu;

struct CUstream_st {};
struct CUevent_st {
  bool recorded;
  timespec when;
};

extern "C" {

cudaError_t cudaPeekAtLastError(void) { return last_error(); }

cudaError_t cudaGetLastError(void) {
  const cudaError_t error = last_error();
  last_error() = cudaSuccess;
  return error;
}

#define CUDA_CPU_ERRORS(X)                                                       \
  X(cudaSuccess, "no error")                                                     \
  X(cudaErrorInvalidValue, "invalid argument")                                   \
  X(cudaErrorMemoryAllocation, "out of memory")                                  \
  X(cudaErrorInvalidConfiguration, "invalid configuration argument")             \
  X(cudaErrorInvalidSymbol, "invalid device symbol")                             \
  X(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy")        \
  X(cudaErrorLaunchPendingCountExceeded, "too many launches pending")            \
  X(cudaErrorInvalidDeviceFunction, "invalid device function")                   \
  X(cudaErrorInvalidDevice, "invalid device ordinal")                            \
  X(cudaErrorInvalidResourceHandle, "invalid resource handle")                   \
  X(cudaErrorNotReady, "device not ready")                                       \
  X(cudaErrorLaunchOutOfResources, "too many resources requested for launch")    \
  X(cudaErrorLaunchFailure, "unspecified launch failure")                        \
  X(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch") \
  X(cudaErrorNotPermitted, "operation not permitted")                            \
  X(cudaErrorNotSupported, "operation not supported")

const char *cudaGetErrorName(cudaError_t error) {
#define X(code, text) \
  if (error == code) return #code;
  CUDA_CPU_ERRORS(X)
#undef X
  return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
#define X(code, text) \
  if (error == code) return text;
  CUDA_CPU_ERRORS(X)
#undef X
  return "unrecognized error code";
}

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
  processor_name(p->name, sizeof p->name);
  p->totalGlobalMem = settings().memory_limit;
  p->sharedMemPerBlock = kSharedDefault;
  p->sharedMemPerBlockOptin = kSharedOptIn;
  p->sharedMemPerMultiprocessor = kSharedPerMultiprocessor;
  p->warpSize = 32;
  p->maxThreadsPerBlock = kMaxThreadsPerBlock;
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = kMaxThreadsPerBlock;
  p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 0x7fffffff;
  p->maxGridSize[1] = p->maxGridSize[2] = 65535;
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
  cudaDeviceProp p;
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

// Launches are complete when they return, so a stream is only a name.
cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  *stream = new CUstream_st;
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int) {
  return cudaStreamCreate(stream);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  // The streams that CUDA itself names are small numbers.
  if (reinterpret_cast<std::uintptr_t>(stream) <=
      reinterpret_cast<std::uintptr_t>(cudaStreamFireAndForget))
    return fail(cudaErrorInvalidResourceHandle);
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) {
  refuse_in_kernel("cudaStreamSynchronize");
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned int) { return cudaSuccess; }

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  *event = new CUevent_st{};
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int) {
  return cudaEventCreate(event);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (event == nullptr) return fail(cudaErrorInvalidResourceHandle);
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  if (event == nullptr) return fail(cudaErrorInvalidResourceHandle);
  event->recorded = true;
  clock_gettime(CLOCK_MONOTONIC, &event->when);
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  if (start == nullptr || stop == nullptr || !start->recorded || !stop->recorded)
    return fail(cudaErrorInvalidResourceHandle);
  *milliseconds =
      static_cast<float>(static_cast<double>(stop->when.tv_sec - start->when.tv_sec) * 1e3 +
                         static_cast<double>(stop->when.tv_nsec - start->when.tv_nsec) / 1e6);
  return cudaSuccess;
}

}  // extern "C"
