// radix_level2: the tile is sorted before it is counted, so that every thread can scatter an
// element.
//
// Build:    make radix_level2
// Run:      ./HW4 samples/portrait.ppm samples/template.ppm --set blockSize=512
// New here: the histogram kernel sorts its tile in shared memory by one-bit splits and writes it
//           back. In a sorted tile the place of an element follows from its index, the start of
//           its bin in the tile and the start of its run, without looking at any other element.
// Lesson:   a trade: the scatter gets faster because the histogram kernel does more work. It pays
//           only if the tile is sorted fast, and the host scan in between stays as it was.
#include "common/check.h"
#include "common/host_scan.h"
#include "common/knobs.h"
#include "common/one_bit_split.cuh"
#include "common/pairs.cuh"
#include "common/scratch.h"
#include "common/stages.h"
#include "common/your_sort.h"

static const char *const stages[] = {"hist", "scan", "scatter", NULL};
static const SortKnob knobs[] = {
    {"nBits", 4, 1, 8, "bits per digit, and one-bit splits per tile"},
    {"blockSize", 256, 32, 1024, "threads per block of both kernels: a tile"},
    {},
};

extern "C" const SortVersion sort_version = {
    .name = "radix_level2",
    .title = "tiles sorted by one-bit splits, host scan, one thread per element scatters",
    .source = "the two-level radix slides, level 2",
    .stable = true,
    .max_n = UINT32_MAX,
    .slow_n = 0,
    .stages = stages,
    .knobs = knobs,
    .scratch_per_key = 0.5,  // the table and its scan
    .scratch_per_pair = 0.5,
};

// Sorts the block's tile by digit, writes it back, and adds its counts to hist[blk * bins + b].
// Shared memory holds regions of blockDim.x: values, scan, scatter target; for pairs two more.
static __global__ void sort_and_histogram(Pairs pairs, unsigned int *hist, size_t n, int shift,
                                          int n_bits) {
  extern __shared__ unsigned int values[];
  __shared__ unsigned int warp_sums[MAX_WARPS];
  unsigned int *const scan = values + blockDim.x, *const target_values = scan + blockDim.x;
  unsigned int *const positions = pairs.positions == NULL ? NULL : target_values + blockDim.x;
  const Pairs tile = {values, positions};
  const Pairs target = {target_values, positions == NULL ? NULL : positions + blockDim.x};

  const size_t i = global_index();
  if (i < n)
    move_pair(tile, threadIdx.x, pairs, i);
  else
    values[threadIdx.x] = UINT32_MAX;  // has the greatest digit, so it stays after all elements
  for (int bit = shift; bit < shift + n_bits && bit < KEY_BITS; bit++) {
    const unsigned int place = split_place(values[threadIdx.x] >> bit & 1u, scan, warp_sums);
    move_pair(target, place, tile, threadIdx.x);
    __syncthreads();
    move_pair(tile, threadIdx.x, target, threadIdx.x);
  }
  if (i >= n) return;
  move_pair(pairs, i, tile, threadIdx.x);
  const unsigned int bins = 1u << n_bits, bin = values[threadIdx.x] >> shift & (bins - 1);
  atomicAdd(&hist[(size_t)blockIdx.x * bins + bin], 1u);
}

//   bin         [0 0 1 3]   of the tile's elements; the block's row of the histogram is [2 1 0 1]
//   start       [0 3 5 6]   where its runs start in the output
//   tile_start  [0 2 3 3]   where they start in the tile
//   place       [0 1 3 6]   start[bin] + index - tile_start[bin]
static __global__ void scatter(Pairs from, Pairs to, const unsigned int *hist,
                               const unsigned int *start, size_t n, int shift, unsigned int bins) {
  extern __shared__ unsigned int tile_start[];  // bins + 1 elements
  __shared__ unsigned int warp_sums[MAX_WARPS];
  const size_t row = (size_t)blockIdx.x * bins;
  scan_bins(hist + row, 1, bins, tile_start, warp_sums);
  const size_t i = global_index();
  if (i >= n) return;
  const unsigned int bin = from.keys[i] >> shift & (bins - 1);
  move_pair(to, start[row + bin] + threadIdx.x - tile_start[bin], from, i);
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  const size_t n = numElems;
  const int n_bits = knob("nBits"), block_size = knob("blockSize");
  const unsigned int bins = 1u << n_bits, tiles = blocks_for(n, block_size);
  const size_t table_bytes = (size_t)tiles * bins * sizeof(unsigned int);
  const size_t tile_bytes = (size_t)block_size * sizeof(unsigned int);
  const size_t sort_bytes = (d_inputPos == NULL ? 3 : 5) * tile_bytes;
  const size_t scatter_bytes = (bins + 1) * sizeof(unsigned int);
  unsigned int *const d_hist = (unsigned int *)scratch_alloc(table_bytes);
  unsigned int *const d_start = (unsigned int *)scratch_alloc(table_bytes);

  Pairs from = {d_inputVals, d_inputPos}, to = {d_outputVals, d_outputPos};
  for (int shift = 0; shift < KEY_BITS; shift += n_bits) {
    stage_start("hist");
    CUDA_CHECK(cudaMemsetAsync(d_hist, 0, table_bytes, 0));
    sort_and_histogram<<<tiles, block_size, sort_bytes>>>(from, d_hist, n, shift, n_bits);
    LAUNCH_CHECK();
    stage_stop();

    stage_start("scan");
    scan_on_host(d_hist, d_start, tiles, bins);
    stage_stop();

    stage_start("scatter");
    scatter<<<tiles, block_size, scatter_bytes>>>(from, to, d_hist, d_start, n, shift, bins);
    LAUNCH_CHECK();
    stage_stop();
    swap_pairs(&from, &to);
  }
  const Pairs output = {d_outputVals, d_outputPos};
  copy_pairs(output, from, n);  // after an even number of passes the result is in the inputs

  scratch_free(d_start);
  scratch_free(d_hist);
}
