// radix_level1: the paper's scheme told plainly: count per block, scan on the host, and one thread
// per block places that block's elements in order.
//
// Build:    make radix_level1
// Run:      ./HW4 samples/portrait.ppm samples/template.ppm --set nBits=4
// New here: (a second reading of the scheme in radix_v2) the table of counts has a row per block
//           instead of a row per bin, is counted straight into device memory, and is scanned on
//           the host. No ranks are stored: as in seq, each placed element counts its start up.
// Lesson:   to keep equal digits in order, each element waits for those before it in the tile. One
//           thread per block leaves 31 of a warp's 32 lanes idle, and the scatter took more than
//           half of the time on the slides' machine.
#include "common/check.h"
#include "common/host_scan.h"
#include "common/knobs.h"
#include "common/pairs.cuh"
#include "common/scratch.h"
#include "common/stages.h"
#include "common/your_sort.h"

static const char *const stages[] = {"hist", "scan", "scatter", NULL};
static const SortKnob knobs[] = {
    {"nBits", 4, 1, 8, "bits per digit"},
    {"blockSize", 256, 32, 1024, "threads per block of the histogram; the scatter's tile"},
    {},
};

extern "C" const SortVersion sort_version = {
    "radix_level1",
    "a histogram per block, host scan, one thread per block scatters",
    "the two-level radix slides, level 1",
    true,
    UINT32_MAX,
    0,
    stages,
    knobs,
    0.5,  // the table and its scan
    0.5,
};

// Adds how often bin b occurs in the tile of block blk to hist[blk * bins + b].
static __global__ void histogram(const unsigned int *keys, unsigned int *hist, size_t n, int shift,
                                 unsigned int bins) {
  const size_t i = global_index();
  if (i >= n) return;
  const unsigned int bin = keys[i] >> shift & (bins - 1);
  atomicAdd(&hist[(size_t)blockIdx.x * bins + bin], 1u);
}

// A block of one thread places a tile, one element after another.
static __global__ void scatter(Pairs from, Pairs to, unsigned int *start, size_t n, int shift,
                               unsigned int bins, unsigned int tile_size) {
  unsigned int *const tile_start = start + (size_t)blockIdx.x * bins;
  const size_t begin = (size_t)blockIdx.x * tile_size;
  for (size_t i = begin; i < begin + tile_size && i < n; i++) {
    const unsigned int bin = from.keys[i] >> shift & (bins - 1);
    move_pair(to, tile_start[bin]++, from, i);
  }
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  const size_t n = numElems;
  const int n_bits = knob("nBits"), block_size = knob("blockSize");
  const unsigned int bins = 1u << n_bits, tiles = blocks_for(n, block_size);
  const size_t table_bytes = (size_t)tiles * bins * sizeof(unsigned int);
  unsigned int *const d_hist = (unsigned int *)scratch_alloc(table_bytes);
  unsigned int *const d_start = (unsigned int *)scratch_alloc(table_bytes);

  Pairs from = {d_inputVals, d_inputPos}, to = {d_outputVals, d_outputPos};
  for (int shift = 0; shift < KEY_BITS; shift += n_bits) {
    stage_start("hist");
    CUDA_CHECK(cudaMemsetAsync(d_hist, 0, table_bytes, 0));
    histogram<<<tiles, block_size>>>(from.keys, d_hist, n, shift, bins);
    LAUNCH_CHECK();
    stage_stop();

    stage_start("scan");
    scan_on_host(d_hist, d_start, tiles, bins);
    stage_stop();

    stage_start("scatter");
    scatter<<<tiles, 1>>>(from, to, d_start, n, shift, bins, (unsigned int)block_size);
    LAUNCH_CHECK();
    stage_stop();
    swap_pairs(&from, &to);
  }
  const Pairs output = {d_outputVals, d_outputPos};
  copy_pairs(output, from, n);  // after an even number of passes the result is in the inputs

  scratch_free(d_start);
  scratch_free(d_hist);
}
