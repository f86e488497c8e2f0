// Thrust on the device's memory: device_vector, device policies on cudaMalloc's pointers, raw
// pointers in kernels, copies in both directions. Skipped where there is no Thrust.
#if __has_include(<thrust/version.h>)
#include <thrust/copy.h>
#include <thrust/device_malloc.h>
#include <thrust/device_free.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/fill.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/universal_vector.h>

#include <cuda/std/functional>

#include "device_test.h"  // behind Thrust: cmocka has a macro fail()

#ifndef __CUDACC__
#error "Thrust's headers leave nvcc's macro undefined"
#endif

__global__ void add(int *values, int n, int summand) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] += summand;
}

struct Square {
  __host__ __device__ int operator()(int x) const { return x * x; }
};

TEST(vectors_in_kernels) {
  thrust::device_vector<int> v(100, 7);
  add<<<1, 128>>>(thrust::raw_pointer_cast(v.data()), 100, 5);
  KERNEL_OK();
  add<<<1, 128>>>(thrust::raw_pointer_cast(&v[0]), 50, 1);
  KERNEL_OK();
  v[99] = 3;
  assert_int_equal(v[0], 13);
  assert_int_equal(v[50], 12);
  assert_int_equal(v.back(), 3);
  assert_int_equal(thrust::reduce(v.begin(), v.end()), 50 * 13 + 49 * 12 + 3);
  cudaPointerAttributes attributes;
  CUDA_OK(cudaPointerGetAttributes(&attributes, thrust::raw_pointer_cast(v.data())));
  assert_int_equal(attributes.type, cudaMemoryTypeDevice);
}

TEST(function_objects) {
  thrust::device_vector<int> v(10);
  thrust::sequence(v.begin(), v.end());
  assert_int_equal(thrust::transform_reduce(v.begin(), v.end(), cuda::std::identity(), 0,
                                            cuda::std::plus<int>()),
                   45);
  thrust::sort(v.begin(), v.end(), cuda::std::greater<int>());
  assert_int_equal(v[0], 9);
}

TEST(copies) {
  thrust::host_vector<int> h(10);
  thrust::sequence(h.begin(), h.end());
  thrust::device_vector<int> d = h;
  thrust::device_vector<int> e(d.begin() + 2, d.end());
  int raw[8];
  CUDA_OK(cudaMemcpy(raw, thrust::raw_pointer_cast(e.data()), sizeof raw, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 8; i++) assert_int_equal(raw[i], i + 2);
  thrust::copy(d.begin(), d.begin() + 3, h.begin() + 7);
  assert_int_equal(h[9], 2);
  h = e;
  assert_int_equal(h.size(), 8);
  // A vector's memory is the device's: the direction is checked.
  CUDA_FAILS(cudaErrorInvalidValue, cudaMemcpy(raw, thrust::raw_pointer_cast(e.data()), sizeof raw,
                                               cudaMemcpyHostToDevice));
}

TEST(policies_on_device_pointers) {
  const std::vector<int> keys = {5, 1, 4, 2, 3}, values = {50, 10, 40, 20, 30};
  DeviceArray<int> k(keys), v(values);
  int *const key = k, *const value = v;
  thrust::sort_by_key(thrust::device, key, key + 5, value);
  ASSERT_SAME(k.read(), (std::vector<int>{1, 2, 3, 4, 5}));
  ASSERT_SAME(v.read(), (std::vector<int>{10, 20, 30, 40, 50}));
  const thrust::device_ptr<int> p(key);
  thrust::exclusive_scan(p, p + 5, p);
  ASSERT_SAME(k.read(), (std::vector<int>{0, 1, 3, 6, 10}));
  thrust::transform(thrust::device, key, key + 5, key, Square());
  thrust::sort(p, p + 5, thrust::greater<int>());
  assert_int_equal(p[0], 100);
  const thrust::host_vector<int> h(p, p + 5);
  assert_int_equal(h[4], 0);
}

TEST(policies_of_the_cuda_backend) {
  const std::vector<int> keys = {5, 1, 4};
  DeviceArray<int> k(keys), v(keys);
  int *const key = k, *const value = v;
  thrust::sort_by_key(thrust::cuda::par, thrust::device_ptr<int>(key),
                      thrust::device_ptr<int>(key) + 3, thrust::device_ptr<int>(value));
  ASSERT_SAME(v.read(), (std::vector<int>{1, 4, 5}));
  Stream stream;
  CUDA_OK(cudaStreamCreate(&stream));
  thrust::transform(thrust::cuda::par.on(stream), key, key + 3, key, Square());
  thrust::sort(thrust::cuda::par_nosync.on(stream), key, key + 3, thrust::greater<int>());
  ASSERT_SAME(k.read(), (std::vector<int>{25, 16, 1}));
}

TEST(allocations) {
  size_t before = 0, during = 0, after = 0, total = 0;
  CUDA_OK(cudaMemGetInfo(&before, &total));
  thrust::device_ptr<int> p = thrust::device_malloc<int>(1000);
  CUDA_OK(cudaMemGetInfo(&during, &total));
  assert_int_equal(before - during, 4000);
  thrust::fill(p, p + 1000, 6);
  add<<<8, 128>>>(p.get(), 1000, 1);
  KERNEL_OK();
  assert_int_equal(thrust::reduce(p, p + 1000), 7000);
  thrust::device_free(p);
  CUDA_OK(cudaMemGetInfo(&after, &total));
  assert_int_equal(before, after);
  thrust::universal_vector<int> u(3, 1);  // both sides may use it
  add<<<1, 4>>>(thrust::raw_pointer_cast(u.data()), 3, 1);
  KERNEL_OK();
  assert_int_equal(*thrust::raw_pointer_cast(u.data()), 2);
}

__global__ void sort_rows(int *rows, int n) {
  thrust::sort(thrust::seq, rows + threadIdx.x * n, rows + (threadIdx.x + 1) * n);
}

TEST(algorithms_in_kernels) {
  DeviceArray<int> rows(std::vector<int>{3, 1, 2, 9, 8, 7});
  sort_rows<<<1, 2>>>(rows, 3);
  ASSERT_SAME(rows.read(), (std::vector<int>{1, 2, 3, 7, 8, 9}));
}
#else
#include <stdio.h>
int main() {
  puts("1..1\nok 1 # SKIP Thrust is not installed");
  return 0;
}
#endif
