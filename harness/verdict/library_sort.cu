#include "harness/verdict/library_sort.h"

#include "common/check.h"
#include "common/scratch.h"

#ifdef CUDA_CPU

#include <algorithm>

template <class Word>
static void sort(const Word *d_from, Word *d_to, size_t n) {
  CUDA_CHECK(cudaMemcpy(d_to, d_from, n * sizeof *d_to, cudaMemcpyDeviceToDevice));
  const cuda_cpu::DeviceScope library_runs_on_the_device;
  std::sort(d_to, d_to + n);
}

#else

#include <cub/device/device_radix_sort.cuh>

template <class Word>
static void sort(const Word *d_from, Word *d_to, size_t n) {
  size_t bytes = 0;
  CUDA_CHECK(cub::DeviceRadixSort::SortKeys(NULL, bytes, d_from, d_to, n));
  void *const scratch = scratch_alloc(bytes);
  CUDA_CHECK(cub::DeviceRadixSort::SortKeys(scratch, bytes, d_from, d_to, n));
  scratch_free(scratch);
}

#endif

void library_sort(const unsigned int *d_from, unsigned int *d_to, size_t n) {
  sort(d_from, d_to, n);
}

void library_sort64(const uint64_t *d_from, uint64_t *d_to, size_t n) { sort(d_from, d_to, n); }
