// radix_v2: several bits per pass. Every block counts and ranks one tile.
//
// Build:    make radix_v2
// Run:      ./HW4 samples/portrait.ppm samples/template.ppm --set blockSize=256
// New here: (after Satish, Harris and Garland, "Designing Efficient Sorting Algorithms for Manycore
//           GPUs") a histogram per block, in a table with one row per bin. One scan over the table
//           gives every block the start of its run of each bin, so ranks are needed only within a
//           tile. Why: fewer passes, and counting no longer queues at two addresses.
// Lesson:   the best of the CS344 report's versions, and still far from Thrust: ranking compares
//           each element with all earlier ones of the tile.
#include "common/check.h"
#include "common/count_tile.cuh"
#include "common/digit_table.cuh"
#include "common/knobs.h"
#include "common/pairs.cuh"
#include "common/scan.cuh"
#include "common/stages.h"
#include "common/your_sort.h"

static const char *const stages[] = {"hist", "scan", "scatter", NULL};
static const SortKnob knobs[] = {
    {"nBits", 4, 1, 8, "bits per digit"},
    {"blockDigit", 256, 32, 1024, "threads per block of the take-digit kernel"},
    {"blockSize", 256, 32, 1024,
     "threads per block of histogram, rank (way 1) and scatter: a tile"},
    {"blockScan", 512, 32, 1024, "threads per block of the scan kernels"},
    {"rankWay", 1, 1, 2,
     "1: a thread per element compares with all before it; 2: a thread per tile"},
    {},
};

extern "C" const SortVersion sort_version = {
    .name = "radix_v2",
    .title = "a histogram per block, one scan over all of them, ranks within the tile",
    .source = "the CS344 radix report, version 2",
    .stable = true,
    .max_n = UINT32_MAX - 1,
    .slow_n = 0,
    .stages = stages,
    .knobs = knobs,
    .scratch_per_key = 8.6,  // digits and ranks, the table and its scan
    .scratch_per_pair = 8.6,
};

// Block blk writes the count of bin b in its tile to hist[b * gridDim.x + blk].
static __global__ void histogram(const unsigned int *digit, unsigned int *hist, size_t n,
                                 unsigned int bins) {
  extern __shared__ unsigned int tile_hist[];  // bins elements
  const size_t i = global_index();
  count_tile(i < n ? digit[i] : NO_DIGIT, tile_hist, hist, bins);
}

// Way 1: each thread counts the equal digits before it in the tile.
static __global__ void rank_by_looking_back(const unsigned int *digit, unsigned int *rank,
                                            size_t n) {
  extern __shared__ unsigned int tile[];  // blockDim.x digits
  const size_t i = global_index();
  if (i < n) tile[threadIdx.x] = digit[i];
  __syncthreads();
  if (i >= n) return;
  unsigned int equal = 0;
  for (unsigned int j = 0; j < threadIdx.x; j++) equal += tile[j] == tile[threadIdx.x];
  rank[i] = equal;
}

// Way 2: a block of one thread counts through a tile, one element after another.
static __global__ void rank_by_counting(const unsigned int *digit, unsigned int *rank, size_t n,
                                        unsigned int tile_size, unsigned int bins) {
  extern __shared__ unsigned int seen[];  // bins elements
  for (unsigned int bin = 0; bin < bins; bin++) seen[bin] = 0;
  const size_t begin = (size_t)blockIdx.x * tile_size;
  for (size_t i = begin; i < begin + tile_size && i < n; i++) rank[i] = seen[digit[i]]++;
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  const size_t n = numElems;
  const int n_bits = knob("nBits"), block_digit = knob("blockDigit");
  const int block_size = knob("blockSize");
  const unsigned int bins = 1u << n_bits;
  const DigitArrays d = digit_arrays_alloc(n, bins, block_size);
  const size_t bins_bytes = bins * sizeof(unsigned int);
  const size_t tile_bytes = (size_t)block_size * sizeof(unsigned int);

  Pairs from = {d_inputVals, d_inputPos}, to = {d_outputVals, d_outputPos};
  for (int shift = 0; shift < KEY_BITS; shift += n_bits) {
    stage_start("hist");
    take_digit<<<blocks_for(n, block_digit), block_digit>>>(from.keys, d.digit, n, shift, bins - 1);
    LAUNCH_CHECK();
    histogram<<<d.tiles, block_size, bins_bytes>>>(d.digit, d.hist, n, bins);
    LAUNCH_CHECK();
    stage_stop();

    stage_start("scan");
    exclusive_scan(d.hist, d.start, d.table, knob("blockScan"));
    stage_stop();

    stage_start("scatter");  // as in the report: rank and scatter together
    if (knob("rankWay") == 1)
      rank_by_looking_back<<<d.tiles, block_size, tile_bytes>>>(d.digit, d.rank, n);
    else
      rank_by_counting<<<d.tiles, 1, bins_bytes>>>(d.digit, d.rank, n, (unsigned int)block_size,
                                                   bins);
    LAUNCH_CHECK();

    scatter<<<d.tiles, block_size>>>(from, to, d.digit, d.start, d.rank, n);
    LAUNCH_CHECK();
    stage_stop();
    swap_pairs(&from, &to);
  }
  const Pairs output = {d_outputVals, d_outputPos};
  copy_pairs(output, from, n);  // after an even number of passes the result is in the inputs

  digit_arrays_free(d);
}
