// Shared by the tests: cmocka from C++, checked calls, arrays on the device.
//
// A failed assertion jumps back into cmocka, which is impossible from a kernel: kernels write their
// results to arrays, and the host asserts.
#ifndef CUDA_CPU_TESTS_DEVICE_TEST_H
#define CUDA_CPU_TESTS_DEVICE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
extern "C" {
#include <cmocka.h>
}
#include <cuda_runtime.h>

#include <vector>

// Compares names, so that a failure prints what it got.
#define ASSERT_CUDA(expected, call) assert_string_equal(cudaGetErrorName(call), #expected)
#define CUDA_OK(call) ASSERT_CUDA(cudaSuccess, call)
// After a launch: it was accepted, and its kernel has ended.
#define KERNEL_OK()                   \
  do {                                \
    CUDA_OK(cudaGetLastError());      \
    CUDA_OK(cudaDeviceSynchronize()); \
  } while (0)

// An array on the device that lives as long as this variable.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t size) : size_(size) {
    CUDA_OK(cudaMalloc(&data_, size * sizeof(T)));
    CUDA_OK(cudaMemset(data_, 0, size * sizeof(T)));
  }
  explicit DeviceArray(const std::vector<T> &values) : DeviceArray(values.size()) {
    CUDA_OK(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~DeviceArray() { (void)cudaFree(data_); }
  DeviceArray(const DeviceArray &) = delete;
  DeviceArray &operator=(const DeviceArray &) = delete;

  operator T *() const { return data_; }
  std::vector<T> read() const {
    std::vector<T> values(size_);
    CUDA_OK(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  T *data_ = nullptr;
  size_t size_;
};

// The first index at which two arrays differ, or -1.
template <class T>
long first_difference(const std::vector<T> &a, const std::vector<T> &b) {
  if (a.size() != b.size()) return 0;
  for (size_t i = 0; i < a.size(); i++)
    if (memcmp(&a[i], &b[i], sizeof(T)) != 0) return (long)i;
  return -1;
}
#define ASSERT_SAME(actual, expected) assert_int_equal(first_difference((actual), (expected)), -1)

#endif
