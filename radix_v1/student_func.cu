// radix_v1: the sequential radix sort, step by step, on the GPU: one bit per pass, 32 passes.
//
// Build:    make radix_v1
// Run:      ./HW4 samples/portrait.ppm samples/template.ppm
// New here: every step of seq becomes a kernel. With one bit a digit is 0 or 1, so one scan over
//           the digits gives the rank of each element among equals.
// Lesson:   on the report's machine it is slower than seq. Two bins make all threads queue at two
//           addresses, and 32 passes read and write everything 32 times.
#include "common/check.h"
#include "common/knobs.h"
#include "common/pairs.cuh"
#include "common/scan.cuh"
#include "common/scratch.h"
#include "common/stages.h"
#include "common/your_sort.h"

static const char *const stages[] = {"hist", "scatter", NULL};
static const SortKnob knobs[] = {
    {"blockDigit", 256, 32, 1024, "threads per block of the take-digit kernel"},
    {"blockHist", 256, 32, 1024, "threads per block of the histogram kernel"},
    {"blockScan", 512, 32, 1024, "threads per block of the scan kernels"},
    {"blockRank", 256, 32, 1024, "threads per block of the rank kernel"},
    {"blockScatter", 256, 32, 1024, "threads per block of the scatter kernel"},
    {},
};

extern "C" const SortVersion sort_version = {
    .name = "radix_v1",
    .title = "one bit a pass: histogram, scan, rank and scatter, a kernel each",
    .source = "the CS344 radix report, version 1",
    .stable = true,
    .max_n = UINT32_MAX - 1,  // exScan has one element more, and counts are 32 bits wide
    .slow_n = 100000000,
    .stages = stages,
    .knobs = knobs,
    .scratch_per_key = 12.1,  // digits, scan and ranks
    .scratch_per_pair = 12.1,
};

static __global__ void take_digit(const unsigned int *keys, unsigned int *digit, size_t n,
                                  int bit) {
  const size_t i = global_index();
  if (i < n) digit[i] = keys[i] >> bit & 1u;
}

static __global__ void histogram(const unsigned int *digit, unsigned int *hist, size_t n) {
  const size_t i = global_index();
  if (i < n) atomicAdd(&hist[digit[i]], 1u);
}

// ex_scan[i] is the number of ones before i; the other elements before i are zeros.
static __global__ void rank_digits(const unsigned int *digit, const unsigned int *ex_scan,
                                   unsigned int *rank, size_t n) {
  const size_t i = global_index();
  if (i < n) rank[i] = digit[i] == 1 ? ex_scan[i] : (unsigned int)i - ex_scan[i];
}

static __global__ void scatter(Pairs from, Pairs to, const unsigned int *digit,
                               const unsigned int *start, const unsigned int *rank, size_t n) {
  const size_t i = global_index();
  if (i < n) move_pair(to, start[digit[i]] + rank[i], from, i);
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  const size_t n = numElems;
  const int block_digit = knob("blockDigit"), block_hist = knob("blockHist");
  const int block_rank = knob("blockRank"), block_scatter = knob("blockScatter");
  unsigned int *const d_hist = (unsigned int *)scratch_alloc(3 * sizeof(unsigned int));
  unsigned int *const d_digit = (unsigned int *)scratch_alloc(n * sizeof(unsigned int));
  unsigned int *const d_ex_scan = (unsigned int *)scratch_alloc((n + 1) * sizeof(unsigned int));
  unsigned int *const d_rank = (unsigned int *)scratch_alloc(n * sizeof(unsigned int));

  Pairs from = {d_inputVals, d_inputPos}, to = {d_outputVals, d_outputPos};
  for (int bit = 0; bit < KEY_BITS; bit++) {
    stage_start("hist");
    take_digit<<<blocks_for(n, block_digit), block_digit>>>(from.keys, d_digit, n, bit);
    LAUNCH_CHECK();

    // Counted one place further on, behind a zero: [0 n0 n1] begins with an exclusive scan.
    CUDA_CHECK(cudaMemsetAsync(d_hist, 0, 3 * sizeof(unsigned int), 0));
    histogram<<<blocks_for(n, block_hist), block_hist>>>(d_digit, d_hist + 1, n);
    LAUNCH_CHECK();
    stage_stop();

    stage_start("scatter");  // as in the report: scan of the digits, rank and scatter together
    exclusive_scan(d_digit, d_ex_scan, n, knob("blockScan"));

    rank_digits<<<blocks_for(n, block_rank), block_rank>>>(d_digit, d_ex_scan, d_rank, n);
    LAUNCH_CHECK();

    scatter<<<blocks_for(n, block_scatter), block_scatter>>>(from, to, d_digit, d_hist, d_rank, n);
    LAUNCH_CHECK();
    stage_stop();
    swap_pairs(&from, &to);
  }
  const Pairs output = {d_outputVals, d_outputPos};
  copy_pairs(output, from, n);  // after an even number of passes the result is in the inputs

  scratch_free(d_rank);
  scratch_free(d_ex_scan);
  scratch_free(d_digit);
  scratch_free(d_hist);
}
