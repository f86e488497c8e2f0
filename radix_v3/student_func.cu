// radix_v3: every block sorts its tile by the digit first, so that equal digits lie side by side.
//
// Build:    make radix_v3
// Run:      ./HW4 samples/portrait.ppm samples/template.ppm --set blockSize=256
// New here: the histogram kernel sorts its tile in shared memory, by a plain counting sort, and
//           writes it back sorted. To rank an element it is then enough to walk back to the first
//           smaller digit, where radix_v2 compares with everything before it.
// Lesson:   work moved is not work saved. The walk is short, but the counting sort compares every
//           element with the whole tile: twice the comparisons of radix_v2's ranking.
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
    {"blockSize", 256, 32, 1024, "threads per block of sort + histogram, rank and scatter: a tile"},
    {"blockScan", 512, 32, 1024, "threads per block of the scan kernels"},
    {},
};

extern "C" const SortVersion sort_version = {
    .name = "radix_v3",
    .title = "tiles sorted in shared memory by counting sort, ranks by walking back",
    .source = "the CS344 radix report, version 3",
    .stable = true,
    .max_n = UINT32_MAX - 1,
    .slow_n = 0,
    .stages = stages,
    .knobs = knobs,
    .scratch_per_key = 8.6,  // digits and ranks, the table and its scan
    .scratch_per_pair = 8.6,
};

// Sorts the block's tile by digit, elements and digits alike, and counts it.
//   digit  [2 0 3 0]
//   place  [2 0 3 1]   before me and <= mine, plus after me and < mine: equals keep their order
static __global__ void sort_and_histogram(Pairs pairs, unsigned int *digit, unsigned int *hist,
                                          size_t n, unsigned int bins) {
  extern __shared__ unsigned int tile_hist[];  // bins elements, then arrays of blockDim.x:
  unsigned int *const tile = tile_hist + bins, *const sorted_digit = tile + blockDim.x;
  unsigned int *const sorted_keys = sorted_digit + blockDim.x;
  const Pairs sorted = {sorted_keys, pairs.positions == NULL ? NULL : sorted_keys + blockDim.x};

  const size_t i = global_index(), begin = (size_t)blockIdx.x * blockDim.x;
  const unsigned int me = threadIdx.x;
  const unsigned int count = n - begin < blockDim.x ? (unsigned int)(n - begin) : blockDim.x;
  if (i < n) tile[me] = digit[i];
  __syncthreads();
  if (i < n) {
    const unsigned int mine = tile[me];
    unsigned int place = 0;
    for (unsigned int j = 0; j < me; j++) place += tile[j] <= mine;
    for (unsigned int j = me + 1; j < count; j++) place += tile[j] < mine;
    sorted_digit[place] = mine;
    move_pair(sorted, place, pairs, i);
  }
  __syncthreads();
  if (i < n) {
    digit[i] = sorted_digit[me];
    move_pair(pairs, i, sorted, me);
  }
  count_tile(i < n ? sorted_digit[me] : NO_DIGIT, tile_hist, hist, bins);
}

// The rank is the distance back to the first of the equal digits.
static __global__ void rank_by_walking_back(const unsigned int *digit, unsigned int *rank,
                                            size_t n) {
  extern __shared__ unsigned int tile[];  // blockDim.x digits
  const size_t i = global_index();
  if (i < n) tile[threadIdx.x] = digit[i];
  __syncthreads();
  if (i >= n) return;
  unsigned int first = threadIdx.x;
  while (first > 0 && tile[first - 1] == tile[threadIdx.x]) first--;
  rank[i] = threadIdx.x - first;
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
  const size_t tile_bytes = (size_t)block_size * sizeof(unsigned int);
  const size_t sort_bytes = bins * sizeof(unsigned int) + (d_inputPos == NULL ? 3 : 4) * tile_bytes;

  Pairs from = {d_inputVals, d_inputPos}, to = {d_outputVals, d_outputPos};
  for (int shift = 0; shift < KEY_BITS; shift += n_bits) {
    stage_start("hist");
    take_digit<<<blocks_for(n, block_digit), block_digit>>>(from.keys, d.digit, n, shift, bins - 1);
    LAUNCH_CHECK();
    sort_and_histogram<<<d.tiles, block_size, sort_bytes>>>(from, d.digit, d.hist, n, bins);
    LAUNCH_CHECK();
    stage_stop();

    stage_start("scan");
    exclusive_scan(d.hist, d.start, d.table, knob("blockScan"));
    stage_stop();

    stage_start("scatter");  // as in the report: rank and scatter together
    rank_by_walking_back<<<d.tiles, block_size, tile_bytes>>>(d.digit, d.rank, n);
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
