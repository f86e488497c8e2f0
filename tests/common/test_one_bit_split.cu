// The stable split by one bit, the sort of a tile by several of them, and the starts of its runs.
#include "tests/unit.h"

#include "common/one_bit_split.cuh"

enum { LARGEST = 1024, MOST_BINS = 256 };

static uint32_t values[LARGEST], expected[LARGEST + 1], actual[LARGEST + 1];

static const unsigned int block_sizes[] = {1,   2,   31,  32,  33,  63,  64,   65,
                                           255, 256, 257, 511, 513, 992, 1023, LARGEST};

// Splits by bits 0 .. bits - 1 in turn: sorts by the low bits, equal ones in their order.
static __global__ void split(unsigned int *values, int bits) {
  __shared__ unsigned int scan[LARGEST], warp_sums[MAX_WARPS], tile[LARGEST];
  unsigned int value = values[threadIdx.x];
  for (int bit = 0; bit < bits; bit++) {
    tile[split_place(value >> bit & 1u, scan, warp_sums)] = value;
    __syncthreads();
    value = tile[threadIdx.x];
  }
  values[threadIdx.x] = value;
}

static void check_split(unsigned int threads, int bits) {
  const uint32_t mask = (1u << bits) - 1;
  unsigned int count = 0;
  for (unsigned int i = 0; i < threads; i++) values[i] = next_random() % 16 | i << 8;
  for (uint32_t digit = 0; digit <= mask; digit++)
    for (unsigned int i = 0; i < threads; i++)
      if ((values[i] & mask) == digit) expected[count++] = values[i];
  uint32_t *const d_values = to_device(values, threads);
  split<<<1, threads>>>(d_values, bits);
  LAUNCH_CHECK();
  to_host(actual, d_values, threads);
  expect_array("split", actual, expected, threads);
  CUDA_CHECK(cudaFree(d_values));
}

TEST(test_split) {
  for (unsigned int threads : block_sizes)
    for (int bits = 1; bits <= 4; bits++) check_split(threads, bits);
}

static __global__ void scan_counts(const unsigned int *counts, size_t stride, unsigned int bins,
                                   unsigned int *starts) {
  __shared__ unsigned int tile_start[MOST_BINS + 1], warp_sums[MAX_WARPS];
  scan_bins(counts, stride, bins, tile_start, warp_sums);
  for (unsigned int bin = threadIdx.x; bin <= bins; bin += blockDim.x)
    starts[bin] = tile_start[bin];
}

static void check_bins(unsigned int bins, unsigned int stride, unsigned int threads) {
  const unsigned int n = bins * stride;
  static uint32_t counts[MOST_BINS * 3];
  for (unsigned int i = 0; i < n; i++) counts[i] = next_random() % 100;
  expected[0] = 0;
  for (unsigned int bin = 0; bin < bins; bin++)
    expected[bin + 1] = expected[bin] + counts[bin * stride];
  uint32_t *const d_counts = to_device(counts, n), *const d_starts = to_device(actual, bins + 1);
  scan_counts<<<1, threads>>>(d_counts, stride, bins, d_starts);
  LAUNCH_CHECK();
  to_host(actual, d_starts, bins + 1);
  expect_array("starts", actual, expected, bins + 1);
  CUDA_CHECK(cudaFree(d_counts));
  CUDA_CHECK(cudaFree(d_starts));
}

TEST(test_bins) {
  static const unsigned int bins[] = {1, 2, 4, 16, 31, 32, 33, 128, MOST_BINS};
  static const unsigned int threads[] = {1, 31, 32, 33, 64, 256, 1024};
  for (unsigned int b : bins)
    for (unsigned int t : threads)
      for (unsigned int stride = 1; stride <= 3; stride += 2) check_bins(b, stride, t);
}

RUN_TESTS("one_bit_split", NULL, NULL)
