// __launch_bounds__: a block with more threads is refused, and nothing of the launch runs.
#include "device_test.h"

enum { THREADS = 64 };
#define BOUND 96

static __global__ void __launch_bounds__(THREADS, 2) plain(int *out) { atomicAdd(out, 1); }

// Declared first, with two consts; the bound by a macro.
static __global__ void __launch_bounds__(BOUND) declared(const unsigned int *const in, int *out);
static __global__ void __launch_bounds__(BOUND) declared(const unsigned int *const in, int *out) {
  atomicAdd(out, in == nullptr ? 1 : 2);
}

template <int B, class T>
static __global__ void __launch_bounds__((B > 32 ? B : 32)) larger(T *out, unsigned times = 1) {
  for (unsigned i = 0; i < times; i++) atomicAdd(out, (T)1);
}

namespace outer {
namespace inner {
template <class T>
__launch_bounds__(sizeof(T) * 16) __global__ void by_type(T *out, int) {
  atomicAdd(out, (T)1);
}
extern "C" __global__ void __launch_bounds__(96) with_c_linkage(int *out) { atomicAdd(out, 1); }
__global__ void __launch_bounds__(32) overloaded(int *out) { atomicAdd(out, 1); }
__global__ void overloaded(float *out) { atomicAdd(out, 1.0f); }
}  // namespace inner
}  // namespace outer
using outer::inner::by_type;
using outer::inner::overloaded;

#ifdef CUDA_CPU  // for nvcc the specialisation has the template's bound; here its name has none
template <int N>
static __global__ void __launch_bounds__(N) special(int *out) {
  atomicAdd(out, N);
}
template <>
__global__ void special<32>(int *out) {
  atomicAdd(out, 1);
}
#endif

// What the launch before added, or -1 if it was refused.
template <class T>
static int ran(T *d_sum) {
  const cudaError_t error = cudaGetLastError();
  T sum = 0;
  CUDA_OK(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
  CUDA_OK(cudaMemset(d_sum, 0, sizeof sum));
  if (error == cudaSuccess) return (int)sum;
  ASSERT_CUDA(cudaErrorInvalidValue, error);
  assert_true(sum == 0);
  return -1;
}

static void test_blocks_larger_than_the_bound(void **) {
  const DeviceArray<int> d_sum(1);
  int *const sum = d_sum;
  plain<<<2, THREADS>>>(sum);
  assert_int_equal(ran(sum), 2 * THREADS);
  plain<<<2, THREADS + 1>>>(sum);
  assert_int_equal(ran(sum), -1);
  plain<<<1, dim3(16, 2, 2)>>>(sum);
  assert_int_equal(ran(sum), 64);
  plain<<<1, dim3(16, 2, 3)>>>(sum);
  assert_int_equal(ran(sum), -1);
  declared<<<1, 96>>>(NULL, sum);
  assert_int_equal(ran(sum), 96);
  declared<<<1, 97>>>(NULL, sum);
  assert_int_equal(ran(sum), -1);
  outer::inner::with_c_linkage<<<1, 96>>>(sum);
  assert_int_equal(ran(sum), 96);
  outer::inner::with_c_linkage<<<1, 97>>>(sum);
  assert_int_equal(ran(sum), -1);
}

static void test_bounds_of_templates(void **) {
  const DeviceArray<int> d_sum(1);
  const DeviceArray<unsigned long long> d_long(1);
  int *const sum = d_sum;
  unsigned long long *const sum64 = d_long;
  larger<128><<<1, 128>>>(sum, 2);
  assert_int_equal(ran(sum), 256);
  larger<128><<<1, 129>>>(sum, 2);
  assert_int_equal(ran(sum), -1);
  larger<1, unsigned long long><<<1, 32>>>(sum64);
  assert_int_equal(ran(sum64), 32);
  larger<1, unsigned long long><<<1, 33>>>(sum64);
  assert_int_equal(ran(sum64), -1);
  by_type<<<1, 64>>>(sum, 0);
  assert_int_equal(ran(sum), 64);
  by_type<<<1, 65>>>(sum, 0);
  assert_int_equal(ran(sum), -1);
  outer::inner::by_type<<<1, 128>>>(sum64, 0);
  assert_int_equal(ran(sum64), 128);
  outer::inner::by_type<<<1, 129>>>(sum64, 0);
  assert_int_equal(ran(sum64), -1);
#ifdef CUDA_CPU
  special<32><<<1, 128>>>(sum);
  assert_int_equal(ran(sum), 128);
#endif
}

static void test_bounds_of_overloads(void **) {
  const DeviceArray<int> d_sum(1);
  const DeviceArray<float> d_float(1);
  overloaded<<<1, 32>>>((int *)d_sum);
  assert_int_equal(ran((int *)d_sum), 32);
  overloaded<<<1, 33>>>((int *)d_sum);
  assert_int_equal(ran((int *)d_sum), -1);
  overloaded<<<1, 33>>>((float *)d_float);
  assert_int_equal(ran((float *)d_float), 33);
}

// Attributes and the block size of the highest occupancy, which are launched with. The number of
// blocks of another size does not depend on the bound (CUDA 13.0 on an H100).
static void test_queries(void **) {
  const DeviceArray<int> d_sum(1);
  cudaFuncAttributes attributes;
  int grid = 0, block = 0, blocks = 0;
  CUDA_OK(cudaFuncGetAttributes(&attributes, plain));
  assert_int_equal(attributes.maxThreadsPerBlock, THREADS);
  CUDA_OK(cudaFuncGetAttributes(&attributes, &larger<128, int>));
  assert_int_equal(attributes.maxThreadsPerBlock, 128);
  CUDA_OK(cudaFuncGetAttributes(&attributes, (const void *)by_type<float>));
  assert_int_equal(attributes.maxThreadsPerBlock, 64);
  CUDA_OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, outer::inner::by_type<double>, 0, 0));
  assert_int_equal(block, 128);
  CUDA_OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, declared));
  assert_int_equal(block, 64);  // 32 blocks of 64 threads are more than 21 of 96
  CUDA_OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, plain));
  plain<<<1, block>>>(d_sum);
  assert_int_equal(ran((int *)d_sum), THREADS);
  CUDA_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, THREADS + 1, 0));
  assert_int_equal(blocks, 21);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_blocks_larger_than_the_bound),
      cmocka_unit_test(test_bounds_of_templates),
      cmocka_unit_test(test_bounds_of_overloads),
      cmocka_unit_test(test_queries),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
