// Memory that both sides use, and rows that are a pitch apart.
#include "device_test.h"

__global__ void increment(int *values, int n) {
  const int i = threadIdx.x;
  if (i < n) values[i]++;
}

static void test_managed_memory(void **state) {
  (void)state;
  int *values = nullptr;
  cudaMemLocation device = {};
  device.type = cudaMemLocationTypeDevice;
  CUDA_OK(cudaMallocManaged(&values, 8 * sizeof(int)));
  for (int i = 0; i < 8; i++) values[i] = i;
  CUDA_OK(cudaMemPrefetchAsync(values, 8 * sizeof(int), device, 0, 0));
  increment<<<1, 32>>>(values, 8);
  KERNEL_OK();
  for (int i = 0; i < 8; i++) assert_int_equal(values[i], i + 1);
  cudaPointerAttributes attributes;
  CUDA_OK(cudaPointerGetAttributes(&attributes, values + 3));
  assert_int_equal(attributes.type, cudaMemoryTypeManaged);
  assert_ptr_equal(attributes.hostPointer, values + 3);
  int copy[8];
  CUDA_OK(cudaMemcpy(copy, values, sizeof copy, cudaMemcpyDeviceToHost));
  CUDA_OK(cudaMemcpy(values, copy, sizeof copy, cudaMemcpyHostToHost));
  assert_int_equal(copy[7], 8);
  CUDA_OK(cudaFree(values));
  ASSERT_CUDA(cudaErrorInvalidValue, cudaMemPrefetchAsync(copy, sizeof copy, device, 0, 0));
  (void)cudaGetLastError();
}

static void test_host_memory_in_kernels(void **state) {
  (void)state;
  int *pinned = nullptr, *mapped = nullptr, own[4] = {1, 2, 3, 4};
  CUDA_OK(cudaHostAlloc(&pinned, 4 * sizeof(int), cudaHostAllocMapped));
  pinned[3] = 6;
  CUDA_OK(cudaHostGetDevicePointer(&mapped, pinned, 0));
  increment<<<1, 32>>>(mapped, 4);
  KERNEL_OK();
  assert_int_equal(pinned[3], 7);
  ASSERT_CUDA(cudaErrorInvalidValue, cudaFree(pinned));
  (void)cudaGetLastError();
  CUDA_OK(cudaFreeHost(pinned));
  CUDA_OK(cudaHostRegister(own, sizeof own, cudaHostRegisterDefault));
  increment<<<1, 32>>>(own, 4);
  KERNEL_OK();
  assert_int_equal(own[0], 2);
  ASSERT_CUDA(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(own, sizeof own, 0));
  CUDA_OK(cudaHostUnregister(own));
  ASSERT_CUDA(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(own));
  (void)cudaGetLastError();
}

static void test_rows_with_a_pitch(void **state) {
  (void)state;
  char *rows = nullptr;
  size_t pitch = 0;
  CUDA_OK(cudaMallocPitch(&rows, &pitch, 10, 3));
  assert_true(pitch >= 10 && pitch % 256 == 0);
  CUDA_OK(cudaMemset2D(rows, pitch, 'x', 10, 3));
  const char from[3][5] = {"abcd", "efgh", "ijkl"};
  CUDA_OK(cudaMemcpy2D(rows, pitch, from, 5, 4, 3, cudaMemcpyHostToDevice));
  char to[3][11] = {};
  CUDA_OK(cudaMemcpy2D(to, 11, rows, pitch, 10, 3, cudaMemcpyDeviceToHost));
  assert_string_equal(to[0], "abcdxxxxxx");
  assert_string_equal(to[2], "ijklxxxxxx");
  ASSERT_CUDA(cudaErrorInvalidPitchValue,
              cudaMemcpy2D(to, 11, rows, pitch, 12, 3, cudaMemcpyDeviceToHost));
  (void)cudaGetLastError();
  CUDA_OK(cudaFree(rows));
}

static void called(void *data) { ++*static_cast<int *>(data); }
static void CUDART_CB called_back(cudaStream_t, cudaError_t status, void *data) {
  *static_cast<int *>(data) += status == cudaSuccess ? 10 : 100;
}

static void test_host_functions_in_streams(void **state) {
  (void)state;
  int calls = 0;
  cudaStream_t stream;
  CUDA_OK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, 0));
  CUDA_OK(cudaLaunchHostFunc(stream, called, &calls));
  CUDA_OK(cudaStreamAddCallback(stream, called_back, &calls, 0));
  CUDA_OK(cudaStreamSynchronize(stream));
  assert_int_equal(calls, 11);
  CUDA_OK(cudaStreamDestroy(stream));
}

int main() {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_managed_memory),
      cmocka_unit_test(test_host_memory_in_kernels),
      cmocka_unit_test(test_rows_with_a_pitch),
      cmocka_unit_test(test_host_functions_in_streams),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
