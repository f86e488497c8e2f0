// Host code that touches device memory, memory that was freed, and the guards beside arrays: named
// mistakes in an ordinary build. AddressSanitizer and CHECK builds report these otherwise.
#include <thrust/device_vector.h>  // before cmocka, whose fail() is a macro
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/sort.h>
#include <thrust/swap.h>

#include <algorithm>

#include "device_test.h"

enum { kElements = 1000, kBytes = kElements * sizeof(unsigned) };

static __global__ void fill(unsigned *array, unsigned n) {
  if (threadIdx.x < n) array[threadIdx.x] = n - threadIdx.x;
}

static unsigned *device_array(void) {
  unsigned *array = NULL;
  cudaMalloc(&array, kBytes);
  fill<<<1, kElements>>>(array, kElements);
  return array;
}

// ---- host code and device memory ----------------------------------------------------------------

MISTAKE(read) { printf("%u\n", device_array()[5]); }
MISTAKE(write) { device_array()[kElements - 1] = 1; }
MISTAKE(std_sort) {
  unsigned *const array = device_array();
  std::sort(array, array + kElements);
}
MISTAKE(memcpy) {
  unsigned host[kElements];
  memcpy(host, device_array(), kBytes);
  printf("%u\n", host[*(volatile unsigned *)&host[0] % 7]);
}
MISTAKE(memset) { memset(device_array(), 0, kBytes); }
MISTAKE(free) {
  free(device_array());
  puts("freed");
}
MISTAKE(qsort) {
  qsort(device_array(), kElements, sizeof(unsigned),
        [](const void *a, const void *b) { return *(const int *)a - *(const int *)b; });
}
// Between launches, and before the first.
MISTAKE(in_loop) {
  unsigned *const array = device_array();
  for (int i = 0; i < 100; i++) {
    fill<<<1, 32>>>(array, 32);
    if (i == 50) array[0]++;
  }
}
MISTAKE(before_launches) {
  unsigned *array = NULL;
  cudaMalloc(&array, kBytes);
  for (unsigned i = 0; i < kElements; i++) array[i] = i;
}
MISTAKE(vector_data) {
  thrust::device_vector<unsigned> values(kElements, 1);
  printf("%u\n", *thrust::raw_pointer_cast(values.data()));
}

TEST(host_touches_device_memory) {
  PLAIN_BUILD_ONLY();
  const char *const file = "test_host_access.cu:";
  expect_report("read", {"memcheck: host code reads device memory at ", file,
                         ", byte 20 of a device array of 4000 bytes", "cudaMemcpy"});
  expect_report("write", {"memcheck: host code writes device memory at ", file,
                          ", byte 3996 of a device array of 4000 bytes"});
  for (const char *name : {"std_sort", "memcpy", "qsort", "vector_data", "before_launches"})
    expect_report(name, {"memcheck: host code ", " device memory at ", file,
                         "of a device array of 4000 bytes"});
  expect_report("memset", {"memcheck: host code writes device memory at ", file});
  expect_report("free", {"memcheck: free() is given device memory at ", file, "cudaFree"});
  expect_report("in_loop", {"memcheck: host code ", file});
}

// Where there are no protection keys. Not "in_loop": it may come when memory is open.
TEST(protected_pages) {
  PLAIN_BUILD_ONLY();
  for (const char *name : {"read", "std_sort", "before_launches"})
    expect_report(name, {"memcheck: host code "}, "CUDA_CPU_PROTECT", "pages");
  expect_output("read", "995\n", "CUDA_CPU_PROTECT", "off");
}

// ---- what may touch it --------------------------------------------------------------------------

MISTAKE(lawful) {
  thrust::device_vector<unsigned> values(kElements);
  for (unsigned i = 0; i < kElements; i++) values[i] = kElements - i;
  values.front() += 1;
  thrust::swap_ranges(values.begin(), values.begin() + 2, values.begin() + 4);
  thrust::sort(values.begin(), values.end());
  unsigned *const raw = thrust::raw_pointer_cast(values.data());
  thrust::sort(thrust::device, raw, raw + kElements, thrust::greater<unsigned>());
  fill<<<64, 128>>>(raw, 128);
  const unsigned first = values[0];
  thrust::host_vector<unsigned> host = values;
  unsigned *managed = NULL, *pinned = NULL;
  cudaMallocManaged(&managed, kBytes);
  cudaMallocHost(&pinned, kBytes);
  for (unsigned *open : {managed, pinned}) {
    cudaMemcpy(open, raw, kBytes, cudaMemcpyDefault);
    std::sort(open, open + kElements);
  }
  printf("%u %u %u %u\n", first, host[0], managed[0], pinned[0]);
}

// A library with threads that began outside of any launch.
MISTAKE(threads_of_a_library) {
  unsigned sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (unsigned i = 0; i < 1000; i++) sum += i;
  unsigned *const array = device_array();
  {
    const cuda_cpu::DeviceScope library;
#pragma omp parallel for
    for (unsigned i = 0; i < kElements; i++) array[i] = i + sum - sum;
  }
  unsigned last = 0;
  cudaMemcpy(&last, array + kElements - 1, sizeof last, cudaMemcpyDeviceToHost);
  printf("%u\n", last);
}

TEST(what_may_touch_it) {
  PLAIN_BUILD_ONLY();
  for (const char *protect : {"keys", "pages", "off"})
    expect_output("lawful", "128 128 1 1\n", "CUDA_CPU_PROTECT", protect);
  expect_output("threads_of_a_library", "999\n", "OMP_NUM_THREADS", "4");
}

// ---- memory that was freed ----------------------------------------------------------------------

MISTAKE(kernel_after_free) {
  unsigned *const array = device_array();
  cudaFree(array);
  fill<<<1, 1>>>(array, 1);
}
// Perhaps one beyond another array, so only the access is reported.
MISTAKE(inside_after_free) {
  unsigned *const array = device_array();
  cudaFree(array);
  fill<<<1, 1>>>(array + 3, 1);
}
MISTAKE(host_after_free) {
  unsigned *const array = device_array();
  cudaFree(array);
  printf("%u\n", array[1]);
}
static __global__ void fill_inner(unsigned *const *arrays) { arrays[0][threadIdx.x] = 1; }
MISTAKE(inner_after_free) {  // the kernel's argument itself is alive
  unsigned *const array = device_array(), **outer = NULL;
  cudaMalloc(&outer, sizeof *outer);
  cudaMemcpy(outer, &array, sizeof array, cudaMemcpyHostToDevice);
  cudaFree(array);
  fill_inner<<<1, 32>>>(outer);
}
MISTAKE(after_reset) {
  unsigned *const array = device_array();
  cudaDeviceReset();
  fill<<<1, 1>>>(array, 1);
}
MISTAKE(calls_after_free) {
  unsigned *const array = device_array();
  unsigned host[4];
  cudaFree(array);
  puts(cudaGetErrorName(cudaFree(array)));
  puts(cudaGetErrorName(cudaMemcpy(host, array, sizeof host, cudaMemcpyDeviceToHost)));
  puts(cudaGetErrorName(cudaMemset(array, 0, 4)));
}

TEST(freed_memory) {
  PLAIN_BUILD_ONLY();
  expect_report(
      "kernel_after_free",
      {"memcheck: kernel fill is given an array of 4000 bytes that cudaFree has released, "
       "as its argument 1, at ",
       "test_host_access.cu:"});
  expect_report("inside_after_free",
                {"in kernel fill, block (0,0,0), thread (0,0,0): byte 12 of a device array of 4000"
                 " bytes that cudaFree has released"});
  expect_report("host_after_free", {"memcheck: host code reads device memory at ",
                                    "byte 4 of a device array of 4000 bytes that cudaFree has "
                                    "released"});
  expect_report("inner_after_free",
                {"in kernel fill_inner, block (0,0,0), thread (0,0,0): byte 0 of a device array of "
                 "4000 bytes that cudaFree has released"});
  expect_report("after_reset", {"array of 4000 bytes that cudaDeviceReset has released"});
  const Child child = run_mistake("calls_after_free");
  for (const char *call : {"cudaFree", "cudaMemcpy", "cudaMemset"})
    child_expect_text(child.errors,
                      (std::string("memcheck: ") + call +
                       " is given an array of 4000 bytes that cudaFree has released, at ")
                          .c_str());
  assert_string_equal(child.output,
                      "cudaErrorInvalidValue\ncudaErrorInvalidValue\ncudaErrorInvalidValue\n");
  assert_int_equal(child.exit_code, 0);
}

// ---- unchecked errors ---------------------------------------------------------------------------

TEST(where_errors_came_from) {
  PLAIN_BUILD_ONLY();
  char text[512];
  unsigned *const array = device_array();
  fill<<<1, 5000>>>(array, 1); /*launched*/
  cuda_cpu_error_origin(text, sizeof text);
  child_expect_text(text, (LINE_WITH("launched")).c_str());
  assert_int_equal(
      strncmp(text, "kernel fill<<<1, 5000>>>, more than 1024 threads in a block, ", 61), 0);
  ASSERT_CUDA(cudaErrorInvalidValue, cudaGetLastError());
  ASSERT_CUDA(cudaErrorInvalidValue, cudaMemset(array, 0, kBytes + 1)); /*set*/
  cuda_cpu_error_origin(text, sizeof text);
  child_expect_text(text, (LINE_WITH("set")).c_str());
  ASSERT_CUDA(cudaErrorInvalidValue, cudaGetLastError());
  CUDA_OK(cudaFree(array));
}

// ---- guards -------------------------------------------------------------------------------------

static __global__ void write_at(unsigned *array, int i) { array[i] = 1; }
static void write_outside(int i, bool release) {
  unsigned *const array = device_array();
  write_at<<<1, 1>>>(array, i);
  if (release) cudaFree(array);
  puts(release ? "released" : "not released");
}
MISTAKE(behind_at_free) { write_outside(kElements, true); }
MISTAKE(before_at_free) { write_outside(-1, true); }
MISTAKE(behind_at_end) { write_outside(kElements + 1000, false); }
MISTAKE(before_at_end) { write_outside(-1000, false); }
MISTAKE(managed) {
  unsigned *array = NULL;
  cudaMallocManaged(&array, 100 * sizeof *array);
  array[100] = 0;
  cudaFree(array);
}
MISTAKE(inside) {
  write_outside(0, true);
  write_outside(kElements - 1, false);
}

TEST(guards) {
  PLAIN_BUILD_ONLY();
  const char *const behind =
      "memcheck: an array of 4000 bytes was written beyond its end, at byte ";
  const char *const before = "memcheck: an array of 4000 bytes was written ";
  expect_report("behind_at_free", {std::string(behind) + "4000", "test_host_access.cu:"});
  expect_report("before_at_free", {std::string(before) + "4 bytes before its start"});
  expect_report("behind_at_end", {std::string(behind) + "8000"});
  expect_report("before_at_end", {std::string(before) + "4000 bytes before its start"});
  expect_report("managed", {"an array of 400 bytes was written beyond its end, at byte 400"});
  for (const char *name : {"before_at_free", "behind_at_free"})
    assert_string_equal(run_mistake(name).output, "");
  for (const char *name : {"before_at_end", "behind_at_end"})
    assert_string_equal(run_mistake(name).output, "not released\n");
  expect_output("inside", "released\nnot released\n");
}
