// The device's properties, streams, events, errors, and launches from several host threads.
#include "device_test.h"

#include <omp.h>

#include <string>
#include <thread>

TEST(device_properties) {
  int count = 0, device = -1, value = 0;
  CUDA_OK(cudaGetDeviceCount(&count));
  assert_int_equal(count, 1);
  CUDA_OK(cudaSetDevice(0));
  CUDA_OK(cudaGetDevice(&device));
  assert_int_equal(device, 0);
  cudaDeviceProp properties;
  CUDA_OK(cudaGetDeviceProperties(&properties, 0));
  assert_true(strlen(properties.name) > 0);
  assert_int_equal(properties.warpSize, 32);
  assert_int_equal(properties.maxThreadsPerBlock, 1024);
  assert_int_equal(properties.maxThreadsDim[2], 64);
  assert_int_equal(properties.maxGridSize[0], INT32_MAX);
  assert_int_equal(properties.maxGridSize[1], 65535);
  assert_int_equal(properties.sharedMemPerBlock, 48 * 1024);
  assert_int_equal(properties.sharedMemPerBlockOptin, 227 * 1024);
#ifdef CUDA_CPU
  assert_int_equal(properties.multiProcessorCount, omp_get_max_threads());
#endif
  assert_true(properties.totalGlobalMem > 0);
#if CUDART_VERSION < 13000
  // Programs divide by them.
  assert_true(properties.clockRate > 0 && properties.memoryClockRate > 0);
#endif
  assert_true(properties.memoryBusWidth > 0 && properties.asyncEngineCount > 0);

  const struct {
    cudaDeviceAttr attribute;
    int value;
  } attributes[] = {
      {cudaDevAttrMaxThreadsPerBlock, properties.maxThreadsPerBlock},
      {cudaDevAttrMaxSharedMemoryPerBlock, (int)properties.sharedMemPerBlock},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, (int)properties.sharedMemPerBlockOptin},
      {cudaDevAttrMaxSharedMemoryPerMultiprocessor, (int)properties.sharedMemPerMultiprocessor},
      {cudaDevAttrMultiProcessorCount, properties.multiProcessorCount},
      {cudaDevAttrMaxThreadsPerMultiProcessor, properties.maxThreadsPerMultiProcessor},
      {cudaDevAttrL2CacheSize, properties.l2CacheSize},
      {cudaDevAttrComputeCapabilityMajor, properties.major},
      {cudaDevAttrComputeCapabilityMinor, properties.minor},
      {cudaDevAttrMaxTexture2DHeight, properties.maxTexture2D[1]},
      {cudaDevAttrConcurrentKernels, 1},
      {cudaDevAttrCooperativeLaunch, 1},
  };
  for (const auto &a : attributes) {
    CUDA_OK(cudaDeviceGetAttribute(&value, a.attribute, 0));
    assert_int_equal(value, a.value);
  }
  CUDA_FAILS(cudaErrorInvalidValue, cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0));
  CUDA_FAILS(cudaErrorInvalidDevice, cudaSetDevice(1));
  CUDA_FAILS(cudaErrorInvalidDevice, cudaGetDeviceProperties(&properties, 1));
  CUDA_FAILS(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&value, cudaDevAttrL2CacheSize, -1));

#ifdef CUDA_CPU
  CUDA_OK(cudaDriverGetVersion(&value));
  assert_int_equal(value, 0);  // no driver, and so no GPU
#endif
  CUDA_OK(cudaRuntimeGetVersion(&value));
  assert_int_equal(value, CUDART_VERSION);
}

static __global__ void large() {}

TEST(occupancy) {
  CUDA_OK(cudaFuncSetAttribute((const void *)large, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               227 * 1024));
  int none = -1;
  CUDA_FAILS(cudaErrorInvalidValue,
             cudaOccupancyMaxActiveBlocksPerMultiprocessor(&none, large, 0, 0));
  assert_int_equal(none, -1);
  const struct {
    int threads;
    size_t shared;
    int blocks;
  } cases[] = {
      {1024, 0, 2}, {1000, 0, 2},       {256, 0, 8},         {33, 0, 32},          {1, 0, 32},
      {1025, 0, 0}, {32, 48 * 1024, 4}, {32, 227 * 1024, 1}, {128, 15 * 1024, 14},
  };
  for (const auto &c : cases) {
    int blocks = -1;
    CUDA_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, large, c.threads, c.shared));
    assert_int_equal(blocks, c.blocks);
  }
  int grid = 0, block = 0;
  CUDA_OK(cudaOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, large, 64 * 1024, 300,
                                                      cudaOccupancyDefault));
  assert_int_equal(block, 300);
  const auto shared_bytes = [](int threads) { return static_cast<size_t>(threads) * 1024; };
  CUDA_OK(
      cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(&grid, &block, large, shared_bytes));
  assert_int_equal(block, 224);  // 7 warps, with 224 of the 227 KB
  cudaFuncAttributes attributes;
  CUDA_OK(cudaFuncGetAttributes(&attributes, large));
  assert_true(attributes.numRegs > 0);
}

// ---- streams and events -------------------------------------------------------------------------

static __global__ void set(int *out, int value) { *out = value; }

TEST(streams) {
  const DeviceArray<int> d_out(1);
  Stream streams[2], with_priority;
  Event event;
  CUDA_OK(cudaStreamCreate(&streams[0]));
  CUDA_OK(cudaStreamCreateWithFlags(&streams[1], cudaStreamNonBlocking));
  assert_true(streams[0] != streams[1]);
  CUDA_OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  set<<<1, 1, 0, streams[0]>>>(d_out, 1);
  CUDA_OK(cudaEventRecord(event, streams[0]));
  CUDA_OK(cudaStreamWaitEvent(streams[1], event));
  set<<<1, 1, 0, streams[1]>>>(d_out, 2);
  for (const Stream &stream : streams) {
    CUDA_OK(cudaStreamSynchronize(stream));
    CUDA_OK(cudaStreamQuery(stream));
  }
  assert_int_equal(d_out.read()[0], 2);
  set<<<1, 1, 0, cudaStreamLegacy>>>(d_out, 3);
  set<<<1, 1, 0, cudaStreamPerThread>>>(d_out, 4);
  assert_int_equal(d_out.read()[0], 4);
  int least = -1, greatest = 1, priority = 1;
  CUDA_OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  assert_true(least == 0 && greatest < 0);
  CUDA_OK(cudaStreamGetPriority(0, &priority));
  assert_int_equal(priority, 0);
  CUDA_OK(cudaStreamCreateWithPriority(&with_priority, cudaStreamNonBlocking, greatest - 1));
  CUDA_OK(cudaStreamGetPriority(with_priority, &priority));
  assert_int_equal(priority, greatest);
  // CUDA's own streams are not the caller's to destroy.
  for (const cudaStream_t stream : {(cudaStream_t)0, cudaStreamLegacy, cudaStreamPerThread})
    CUDA_FAILS(cudaErrorInvalidResourceHandle, cudaStreamDestroy(stream));
}

static __global__ void spin(long rounds, volatile long *out) {
  for (long i = 0; i < rounds; i++) *out = i;
}

TEST(events_measure_time) {
  const DeviceArray<long> d_out(1);
  Event start, stop;
  float milliseconds = -1;
  CUDA_OK(cudaEventCreate(&start));
  CUDA_OK(cudaEventCreate(&stop, cudaEventBlockingSync));
  ASSERT_CUDA(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, start, stop));
  CUDA_OK(cudaEventRecord(start));
  ASSERT_CUDA(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, start, stop));
  spin<<<1, 1>>>(5000000, d_out);  // at least 5 million stores: over a millisecond anywhere
  CUDA_OK(cudaEventRecord(stop));
#ifdef CUDA_CPU
  CUDA_OK(cudaEventQuery(stop));
#endif
  CUDA_OK(cudaEventSynchronize(stop));
  CUDA_OK(cudaEventElapsedTime(&milliseconds, start, stop));
  assert_true(milliseconds > 0.5f && milliseconds < 60000.0f);
  CUDA_OK(cudaEventRecord(start));  // again, and now the later one
  CUDA_OK(cudaEventSynchronize(start));
  CUDA_OK(cudaEventElapsedTime(&milliseconds, start, stop));
  assert_true(milliseconds <= 0);
  ASSERT_CUDA(cudaErrorInvalidResourceHandle, cudaEventRecord(nullptr));
  CUDA_FAILS(cudaErrorInvalidResourceHandle, cudaEventDestroy(nullptr));
}

// ---- errors -------------------------------------------------------------------------------------

TEST(names_and_texts_of_errors) {
  assert_string_equal(cudaGetErrorName(cudaSuccess), "cudaSuccess");
  assert_string_equal(cudaGetErrorString(cudaSuccess), "no error");
  assert_string_equal(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation");
  assert_string_equal(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
  assert_string_equal(cudaGetErrorString(cudaErrorCooperativeLaunchTooLarge),
                      "too many blocks in cooperative launch");
  assert_int_equal(cudaErrorMissingConfiguration, 52);
  assert_string_equal(cudaGetErrorString(cudaErrorMissingConfiguration),
                      "__global__ function call is not configured");
  assert_int_equal(cudaErrorLaunchTimeout, 702);
  assert_string_equal(cudaGetErrorName(cudaErrorLaunchTimeout), "cudaErrorLaunchTimeout");
  assert_string_equal(cudaGetErrorString(cudaErrorLaunchTimeout),
                      "the launch timed out and was terminated");
  assert_string_equal(cudaGetErrorString((cudaError_t)12345), "unrecognized error code");
}

// ---- several host threads -----------------------------------------------------------------------

static __global__ void add_with_barriers(unsigned *sum) {
  __shared__ unsigned part;
  if (threadIdx.x == 0) part = 0;
  __syncthreads();
  atomicAdd(&part, 1u);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(sum, part);
}

TEST(host_threads_launch_at_once) {
  const DeviceArray<unsigned> d_sum(4);
  int errors[4] = {0, 0, 0, 0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; t++)
    threads.emplace_back([&, t] {
      for (int launch = 0; launch < 20; launch++) add_with_barriers<<<3, 64>>>(d_sum + t);
      if (t == 2) add_with_barriers<<<1, 2000>>>(d_sum + t);
      errors[t] = cudaGetLastError();  // one for each thread
    });
  for (std::thread &thread : threads) thread.join();
  ASSERT_SAME(d_sum.read(), std::vector<unsigned>(4, 20 * 3 * 64));
  for (unsigned t = 0; t < 4; t++)
    assert_int_equal(errors[t], t == 2 ? cudaErrorInvalidValue : cudaSuccess);
  CUDA_OK(cudaGetLastError());
}

static size_t resident_kilobytes(void) {
  size_t total = 0, resident = 0;
  FILE *const file = fopen("/proc/self/statm", "r");
  assert_non_null(file);
  assert_int_equal(fscanf(file, "%zu %zu", &total, &resident), 2);
  fclose(file);
  return resident * 4;
}

// OpenMP's threads come and go with the size of its teams; the stacks that they held must go too.
TEST(no_memory_is_left_behind) {
#if defined(__SANITIZE_ADDRESS__)
  skip();  // the sanitizer's memory grows
#endif
  const DeviceArray<unsigned> d_sum(1);
  size_t before = 0;
  for (int round = 0; round < 60; round++) {
    if (round == 20) before = resident_kilobytes();
    add_with_barriers<<<2, 256>>>(d_sum);
    add_with_barriers<<<16, 256>>>(d_sum);
#pragma omp parallel num_threads(1 + round % 5)
    add_with_barriers<<<8, 256>>>(d_sum);
  }
  KERNEL_OK();
  assert_true(resident_kilobytes() < before + 8 * 1024);
}
