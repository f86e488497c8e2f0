// Scans inside a warp and inside a block, for blocks of every kind of size.
#include "tests/unit.h"

#include "gsort/block/scan.cuh"

enum { LARGEST = 1024, VALUES = 2 * LARGEST };
enum Scan { WARP, BLOCK, ONE_BARRIER };

static uint32_t in[VALUES], expected[VALUES], actual[VALUES];

// Every thread scans one value of each half of the array; the second scan reuses warp_sums.
static __global__ void scan_twice(enum Scan scan, const unsigned int *in, unsigned int *out) {
  __shared__ unsigned int warp_sums[MAX_WARPS];
  for (unsigned int half = 0; half < 2; half++) {
    const unsigned int i = half * blockDim.x + threadIdx.x;
    out[i] = scan == WARP    ? warp_inclusive_scan(in[i])
             : scan == BLOCK ? block_inclusive_scan(in[i], warp_sums)
                             : block_inclusive_scan_one_barrier(in[i], warp_sums);
    __syncthreads();
  }
}

static void check(enum Scan scan, unsigned int threads) {
  for (unsigned int i = 0; i < 2 * threads; i++) {
    in[i] = next_random();
    const bool first = i % threads == 0 || (scan == WARP && i % threads % WARP_SIZE == 0);
    expected[i] = in[i] + (first ? 0 : expected[i - 1]);
  }
  uint32_t *const d_in = to_device(in, 2 * threads), *const d_out = to_device(in, 2 * threads);
  scan_twice<<<1, threads>>>(scan, d_in, d_out);
  LAUNCH_CHECK();
  to_host(actual, d_out, 2 * threads);
  char context[40];
  snprintf(context, sizeof context, "scan %d, %u threads", scan, threads);
  expect_array(context, actual, expected, 2 * threads);
  CUDA_CHECK(cudaFree(d_in));
  CUDA_CHECK(cudaFree(d_out));
}

static const unsigned int any_size[] = {1,   2,   31,  32,  33,  63,  64,  65,  95,  96,   97,
                                        127, 128, 129, 255, 256, 257, 511, 992, 993, 1023, 1024};

TEST(test_warp) {
  for (unsigned int threads : any_size) check(WARP, threads);
}

TEST(test_block) {
  for (unsigned int threads : any_size) check(BLOCK, threads);
}

TEST(test_one_barrier) {
  for (unsigned int warps = 1; warps <= MAX_WARPS; warps++) check(ONE_BARRIER, warps * WARP_SIZE);
}

RUN_TESTS("block_scan", NULL, NULL)
