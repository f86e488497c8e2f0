// Before the sweeps: where each digit's run starts in the output, for all passes, from one read of
// the keys. The last block scans, so that a second launch is saved, and the blocks also clear what
// the sweeps need.
//
//   keys  [3 1 2 1], digit of 2 bits    counts [0 2 1 1]    start [0 0 2 3]
//
// Moves 4 bytes a key.
#ifndef GSORT_KERNEL_COUNT_DIGITS_CUH
#define GSORT_KERNEL_COUNT_DIGITS_CUH

#include "gsort/block/count.cuh"
#include "gsort/block/digits.cuh"
#include "gsort/block/findings.cuh"
#include "gsort/block/overlap.cuh"
#include "gsort/block/passes_in_one.cuh"
#include "gsort/block/scan.cuh"

// Words of a SweepState's `counts`.
enum { HAS_MINUS_ZERO = PASSES * BINS + 1, COUNT_WORDS };

// Adds one key to the histograms of all passes. counters[PASSES][BINS][copies] is in shared memory;
// lane l adds to copy l % copies. With 32 copies the lanes of a warp never meet in a bank.
template <class NumberOf>
static __device__ __forceinline__ void count_key(unsigned int *counters, unsigned int copies,
                                                 unsigned int key, NumberOf number_of) {
  const unsigned int copy = threadIdx.x % copies, code = number_of.code_of(key);
#pragma unroll
  for (int pass = 0; pass < PASSES; pass++)
    atomicAdd(&counters[(pass * BINS + number_of.digit(code, pass)) * copies + copy], 1u);
}

// Before a count, by all threads of the grid's first `blocks` blocks, of which the calling one is
// number `block`; a barrier has to follow.
// Clears the look-back, the tile counters, and the block's counters: PASSES * BINS * copies words
// of shared memory.
static __device__ __forceinline__ void prepare_count(unsigned int *counters, unsigned int copies,
                                                     unsigned int blocks, const SweepState &state,
                                                     unsigned int block = blockIdx.x) {
  const size_t thread = (size_t)block * blockDim.x + threadIdx.x,
               threads = (size_t)blocks * blockDim.x;
  for (unsigned int i = threadIdx.x; i < PASSES * BINS * copies; i += blockDim.x) counters[i] = 0;
  for (size_t i = thread; i < state.look_back_words / 4; i += threads)
    ((uint4 *)state.look_back)[i] = make_uint4(0, 0, 0, 0);
  if (thread < PASSES) {
    state.tile_counter[thread] = 0;
    state.spread[thread] = DIGIT_EVEN;
  }
}

// After it and a barrier: adds the block's counters to the sums of all `blocks` blocks. The last
// block replaces the sums, of n keys, by their exclusive scan, pass by pass, and returns true.
// copies is a power of two, and blockDim.x a multiple of BINS.
static __device__ __forceinline__ bool place_digits(const unsigned int *counters,
                                                    unsigned int copies, unsigned int n,
                                                    const SweepState &state, unsigned int blocks,
                                                    unsigned int passes = PASSES) {
  __shared__ unsigned int warp_sums[MAX_WARPS];
  const unsigned int bins = passes * BINS;
  for (unsigned int bin = threadIdx.x; bin < bins; bin += blockDim.x) {
    unsigned int sum = 0;
    for (unsigned int c = 0; c < copies; c++)  // each lane starts at a different bank
      sum += counters[bin * copies + ((c + threadIdx.x) & (copies - 1))];
    if (sum > 0) atomicAdd(&state.counts[bin], sum);
  }
  if (!is_last_block(&state.counts[bins], blocks)) return false;
  for (unsigned int bin = threadIdx.x; bin < bins; bin += blockDim.x) {
    const unsigned int count = *(volatile unsigned int *)&state.counts[bin];
    const unsigned int scanned = block_inclusive_scan(count, warp_sums);
    // Threads of several passes scan together; each pass contributes n to those behind it.
    state.start[bin] = scanned - count - threadIdx.x / BINS * n;
    if (count > n / SKEW_LIMIT)
      state.spread[bin / BINS] = count == n ? DIGIT_CONSTANT : DIGIT_SKEWED;
    state.counts[bin] = 0;
    __syncthreads();
  }
  return true;
}

// All threads of the grid's first `blocks` blocks: counts all digits of keys[0..n), in the block's
// counters first. number_of: the bits of a key that count. If some key is a -0, all digits become
// DIGIT_UNUSED, so that sweeps of codes return at once: the codes of -0 and +0 differ.
template <class NumberOf>
static __device__ __forceinline__ void count_digits_by_grid(
    unsigned int *counters, unsigned int copies, const unsigned int *keys, size_t n,
    unsigned int blocks, NumberOf number_of, const SweepState &state,
    unsigned int block = blockIdx.x, PassesDone *done = NULL) {
  prepare_count(counters, copies, blocks, state, block);
  __syncthreads();
  bool minus_zero = false;
  for_each_key(
      keys, n, blocks,
      [&](unsigned int key) {
        minus_zero |= number_of.is_minus_zero(key);
        count_key(counters, copies, key, number_of);
      },
      block);
  if (__syncthreads_or(minus_zero) && threadIdx.x == 0) state.counts[HAS_MINUS_ZERO] = 1;
  if (!place_digits(counters, copies, (unsigned int)n, state, blocks)) return;
  if (threadIdx.x < PASSES && *(volatile unsigned int *)&state.counts[HAS_MINUS_ZERO] != 0)
    state.spread[threadIdx.x] = DIGIT_UNUSED;
  if (done != NULL) add_done(&done->count.done, 1);
}

// Whether the samples, judged, leave nothing but sweeps.
static __device__ __forceinline__ bool leave_only_sweeps(const Findings *findings) {
  return finding_of_samples(findings) == UNEVEN;
}

// Sweeps behind a way that the host does not wait for, or that the device tells n.
typedef struct BehindWay {
  Findings *findings;           // cleared, by the way if there is one
  bool counts;                  // it counts the digits if the samples leave only sweeps
  const unsigned long long *n;  // elements that there are; NULL: as many as the host says
  bool behind_codes;            // behind sweeps of codes: digits are counted, and only keys among
                                // which is a -0 are not sorted yet
} BehindWay;

static __device__ __forceinline__ unsigned int elements_of(const BehindWay &way,
                                                           unsigned int most) {
  return way.n != NULL && *way.n < most ? (unsigned int)*way.n : most;
}

static __device__ __forceinline__ bool is_sorted_already(const BehindWay &way) {
  return way.behind_codes ? way.findings->digit_counts[HAS_MINUS_ZERO] == 0
                          : is_sorted_already(way.findings);
}

static __device__ __forceinline__ bool has_counted(const BehindWay &way) {
  return way.behind_codes || (way.counts && leave_only_sweeps(way.findings));
}

template <class NumberOf>
static __global__ void __launch_bounds__(COUNT_THREADS)
    count_digits(const unsigned int *keys, size_t n, NumberOf number_of, SweepState state,
                 unsigned int copies) {
  extern __shared__ unsigned int counters[];
  wait_for_previous_kernel();
  count_digits_by_grid(counters, copies, keys, n, gridDim.x, number_of, state);
}

// The same instead of what a kernel is for, once a sample has left nothing but sweeps: the host,
// which learns of it only then, launches the sweeps meanwhile. All threads of the grid's first
// `blocks` blocks call it, of 256 or 512 threads; `shared` is then memory for counters. Enough
// blocks for all multiprocessors are best: each has counters to clear and to add up. A separate
// function, as inlined it would take registers from the kernel around it.
static __device__ __noinline__ void count_in_shared_memory(unsigned int *counters,
                                                           unsigned int copies,
                                                           const unsigned int *keys, size_t n,
                                                           unsigned int blocks, KeyCode code,
                                                           SweepState state) {
  __syncthreads();  // that memory may still be in use
  count_digits_by_grid(counters, copies, keys, n, blocks, BitsThatCount{code, 0, 32}, state);
}

// Copies of counters for all digits, `one` bytes each, for which a block has memory.
static __host__ __device__ constexpr unsigned int copies_in(size_t bytes, size_t one) {
  unsigned int copies = 1;
  while (copies < WARP_SIZE && 2 * copies * one <= bytes) copies *= 2;
  return copies;
}

template <class Shared>
static __device__ __forceinline__ void count_instead(Shared &shared, const unsigned int *keys,
                                                     size_t n, KeyCode code,
                                                     const SweepState &state, unsigned int blocks) {
  constexpr size_t kCopy = PASSES * BINS * sizeof(unsigned int);
  constexpr unsigned int kCopies = sizeof(Shared) >= 16 * kCopy ? 16 : 8;
  static_assert(sizeof(Shared) >= kCopies * kCopy, "memory for counters");
  count_in_shared_memory((unsigned int *)&shared, kCopies, keys, n, blocks, code, state);
}

#endif
