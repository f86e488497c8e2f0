// radix_v4: the tile is sorted by k one-bit splits, and ranks are a subtraction: no loop over it.
//
// Build:    make radix_v4
// Run:      ./HW4 samples/portrait.ppm samples/template.ppm --set nBits=4
// New here: (after Satish, Harris and Garland, as radix_v2) the counting sort of radix_v3 is
//           replaced by a round for each bit of the digit: scan the bits, then zeros before ones.
//           In a sorted tile an element's rank is its index minus the index where its bin starts,
//           and a scan of the block's own histogram gives that index.
// Lesson:   the same data layout with less work: about log(tile) steps for each bit of the digit,
//           where radix_v2 and radix_v3 take a step for each element of the tile. The CS344 report
//           describes this version and predicts that it beats them; its authors never finished it.
#include "common/check.h"
#include "common/count_tile.cuh"
#include "common/digit_table.cuh"
#include "common/knobs.h"
#include "common/one_bit_split.cuh"
#include "common/pairs.cuh"
#include "common/scan.cuh"
#include "common/stages.h"
#include "common/your_sort.h"

enum {
  INDEX_BITS = 10,  // of a thread's index in its block
};

static const char *const stages[] = {"hist", "scan", "scatter", NULL};
static const SortKnob knobs[] = {
    {"nBits", 4, 1, 8, "bits per digit, and one-bit splits per tile"},
    {"blockDigit", 256, 32, 1024, "threads per block of the take-digit kernel"},
    {"blockSize", 256, 32, 1024, "threads per block of sort + histogram, rank and scatter: a tile"},
    {"blockScan", 512, 32, 1024, "threads per block of the scan kernels"},
    {},
};

extern "C" const SortVersion sort_version = {
    .name = "radix_v4",
    .title = "tiles sorted by one-bit splits, ranks from a scan of the block's own histogram",
    .source = "the CS344 radix report, version 4, which it describes and leaves unfinished",
    .stable = true,
    .max_n = UINT32_MAX - 1,
    .slow_n = 0,
    .stages = stages,
    .knobs = knobs,
    .scratch_per_key = 8.6,  // digits and ranks, the table and its scan
    .scratch_per_pair = 8.6,
};

// Sorts the block's tile by digit, elements and digits alike, and counts it. One 32-bit value per
// element goes through the rounds: its digit and its index in the unsorted tile; the element itself
// moves once, at the end. Threads after the last element hold the greatest digit and stay last.
static __global__ void sort_and_histogram(Pairs pairs, unsigned int *digit, unsigned int *hist,
                                          size_t n, int n_bits) {
  const unsigned int bins = 1u << n_bits;
  extern __shared__ unsigned int tile_hist[];  // bins elements, then arrays of blockDim.x:
  unsigned int *const tile = tile_hist + bins, *const scan = tile + blockDim.x;
  unsigned int *const keys = scan + blockDim.x;
  const Pairs unsorted = {keys, pairs.positions == NULL ? NULL : keys + blockDim.x};
  __shared__ unsigned int warp_sums[MAX_WARPS];

  const size_t i = global_index();
  if (i < n) move_pair(unsorted, threadIdx.x, pairs, i);
  unsigned int word = (i < n ? digit[i] : bins - 1) << INDEX_BITS | threadIdx.x;
  for (int bit = 0; bit < n_bits; bit++) {
    tile[split_place(word >> (INDEX_BITS + bit) & 1u, scan, warp_sums)] = word;
    __syncthreads();
    word = tile[threadIdx.x];
  }
  const unsigned int sorted_digit = word >> INDEX_BITS;
  if (i < n) {
    digit[i] = sorted_digit;
    move_pair(pairs, i, unsorted, word & ((1u << INDEX_BITS) - 1));
  }
  count_tile(i < n ? sorted_digit : NO_DIGIT, tile_hist, hist, bins);
}

//   digit      [0 0 1 3]
//   tile_start [0 2 3 3]   the scan of the block's histogram [2 1 0 1]
//   rank       [0 1 0 0]   index - tile_start[digit]
static __global__ void rank_by_place(const unsigned int *digit, const unsigned int *hist,
                                     unsigned int *rank, size_t n, unsigned int bins) {
  extern __shared__ unsigned int tile_start[];  // bins + 1 elements
  __shared__ unsigned int warp_sums[MAX_WARPS];
  scan_bins(hist + blockIdx.x, gridDim.x, bins, tile_start, warp_sums);
  const size_t i = global_index();
  if (i < n) rank[i] = threadIdx.x - tile_start[digit[i]];
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
  const size_t sort_bytes = bins_bytes + (d_inputPos == NULL ? 3 : 4) * tile_bytes;

  Pairs from = {d_inputVals, d_inputPos}, to = {d_outputVals, d_outputPos};
  for (int shift = 0; shift < KEY_BITS; shift += n_bits) {
    stage_start("hist");
    take_digit<<<blocks_for(n, block_digit), block_digit>>>(from.keys, d.digit, n, shift, bins - 1);
    LAUNCH_CHECK();
    sort_and_histogram<<<d.tiles, block_size, sort_bytes>>>(from, d.digit, d.hist, n, n_bits);
    LAUNCH_CHECK();
    stage_stop();

    stage_start("scan");
    exclusive_scan(d.hist, d.start, d.table, knob("blockScan"));
    stage_stop();

    stage_start("scatter");  // as in the report: rank and scatter together
    rank_by_place<<<d.tiles, block_size, bins_bytes + sizeof(unsigned int)>>>(d.digit, d.hist,
                                                                              d.rank, n, bins);
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
