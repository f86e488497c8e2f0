// Scan of an array in device memory, shared by radix_v1 to radix_v4.
//
// Three steps (Harris, Sengupta and Owens, "Parallel Prefix Sum (Scan) with CUDA", GPU Gems 3):
// every block scans its tile and writes the tile's sum; the sums are scanned the same way; every
// block adds the sum of all tiles before it.
//
//   in    [1 1 1 | 1 1 1 | 1]   tiles of 3
//   tiles [1 2 3 | 1 2 3 | 1]   sums [3 3 1] -> [3 6 7]
//   out   [1 2 3 | 4 5 6 | 7]
#ifndef COMMON_SCAN_CUH
#define COMMON_SCAN_CUH

#include "common/pairs.cuh"
#include "common/scratch.h"
#include "gsort/block/scan.cuh"

// Scans each block's tile, of blockDim.x elements; sums[b] is the sum of tile b.
static __global__ void scan_tiles(const unsigned int *in, unsigned int *out, unsigned int *sums,
                                  size_t n) {
  __shared__ unsigned int warp_sums[MAX_WARPS];
  const size_t i = global_index();
  const unsigned int scanned = block_inclusive_scan(i < n ? in[i] : 0, warp_sums);
  if (i < n) out[i] = scanned;
  if (threadIdx.x == blockDim.x - 1) sums[blockIdx.x] = scanned;
}

// Adds to each tile but the first the inclusive sum of the tiles before it.
static __global__ void add_sums(unsigned int *out, const unsigned int *sums, size_t n) {
  const size_t i = global_index();
  if (i < n && blockIdx.x > 0) out[i] += sums[blockIdx.x - 1];
}

// out[i] = in[0] + .. + in[i] for n >= 1 elements; `in` and `out` may be the same array.
// block_size: elements per tile, 32 to 1,024.
static inline void inclusive_scan(const unsigned int *in, unsigned int *out, size_t n,
                                  int block_size) {
  const unsigned int tiles = blocks_for(n, block_size);
  unsigned int *const sums = (unsigned int *)scratch_alloc(tiles * sizeof *sums);
  scan_tiles<<<tiles, block_size>>>(in, out, sums, n);
  LAUNCH_CHECK();
  if (tiles > 1) {
    inclusive_scan(sums, sums, tiles, block_size);
    add_sums<<<tiles, block_size>>>(out, sums, n);
    LAUNCH_CHECK();
  }
  scratch_free(sums);
}

// out[i] = in[0] + .. + in[i - 1] for n >= 1 elements; out[n], its last element, is the sum of all.
// Writes a zero, then the inclusive scan, as the CS344 radix report does.
static inline void exclusive_scan(const unsigned int *in, unsigned int *out, size_t n,
                                  int block_size) {
  CUDA_CHECK(cudaMemsetAsync(out, 0, sizeof *out, 0));
  inclusive_scan(in, out + 1, n, block_size);
}

#endif
