// Sorts keys with few distinct values (few_values.cuh): one read counts the bins. Of bare keys only
// the strays are kept, and all others are written anew: 8 bytes a key move. Pairs take one stable
// sweep, 20 bytes a pair, and the strays of each bin are put in order behind it.
#ifndef RADIX_V7_SORT_VALUES_CUH
#define RADIX_V7_SORT_VALUES_CUH

#include "common/launch.cuh"
#include "radix_v6/counting.cuh"
#include "radix_v7/evenness.cuh"

enum {
  VALUE_THREADS = 1024,
  MOST_STRAYS = 2048,  // in a bin of pairs, or of all keys
};

// Keys of each bin, summed up over all blocks, strays among bare keys, and blocks that have ended.
// Zero between sorts.
static __device__ unsigned int value_counts[VALUE_BINS], value_strays, value_blocks_arrived;

// Device memory of one sort.
typedef struct ValueState {
  unsigned int *start;         // [VALUE_BINS + 1] where each bin begins; the last: n
  unsigned int *spread;        // [1] DIGIT_UNUSED if there are too many strays, else DIGIT_EVEN
  unsigned int *tile_counter;  // [1]
  unsigned int *look_back;     // [look_back_size] cleared
  size_t look_back_size;
  unsigned int *strays;  // [1] number of strays among bare keys, after the count
  unsigned int *stray;   // [MOST_STRAYS] bare ones, in any order; NULL: there are positions
  volatile HostVerdict *host;
} ValueState;

// For bare keys whose buckets do not fit, and that nothing else has looked at a sample of. One
// block; it never says FITS.
static __global__ void __launch_bounds__(LOOK_THREADS)
    look_at_unfit_keys(const unsigned int *keys, size_t n, unsigned int most_large,
                       volatile HostVerdict *host) {
  wait_for_previous_kernel();
  look_at<true>(keys, n, {0, most_large, ANY_SKIP}, host);
}

// The last block of count_values(): where the bins begin; too many strays end the sort.
static __device__ void finish_values(unsigned int n, ValueState state, unsigned int *warp_sums) {
  const unsigned int bin = threadIdx.x;
  unsigned int count = 0;
  if (bin < VALUE_BINS) {
    count = *(volatile unsigned int *)&value_counts[bin];
    value_counts[bin] = 0;  // for the next sort
  }
  const unsigned int up_to_here = block_inclusive_scan(count, warp_sums);
  if (bin < VALUE_BINS) state.start[bin] = up_to_here - count;
  const bool too_many = bin % 2 == 0 && count > MOST_STRAYS;
  const bool some_too_many = __syncthreads_or(too_many) != 0;
  if (bin > 0) return;
  const unsigned int strays = *(volatile unsigned int *)&value_strays;
  const bool useless = some_too_many || strays > MOST_STRAYS;
  *state.strays = strays;
  value_strays = 0;
  state.start[VALUE_BINS] = n;
  *state.spread = useless ? DIGIT_UNUSED : DIGIT_EVEN;
  state.host->verdict = useless ? TOO_LARGE : FITS;
}

static __device__ __forceinline__ void count_value(unsigned int *counters,
                                                   const unsigned int *value, unsigned int key,
                                                   const ValueState &state) {
  const unsigned int bin = ValueBin<>{value}(key, 0);
  atomicAdd(&counters[bin * WARP_SIZE + threadIdx.x % WARP_SIZE], 1u);
  if (bin % 2 == 1 || state.stray == NULL) return;
  const unsigned int index = atomicAdd(&value_strays, 1u);
  if (index < MOST_STRAYS) state.stray[index] = key;
}

// Counts the bins, and collects strays among bare keys.
static __global__ void __launch_bounds__(VALUE_THREADS)
    count_values(const unsigned int *keys, size_t n, ValueState state) {
  // A counter for each lane, so that lanes never meet, however often a value occurs.
  __shared__ unsigned int counters[VALUE_BINS * WARP_SIZE];
  __shared__ unsigned int value[MOST_VALUES + 1], warp_sums[MAX_WARPS];
  for (unsigned int i = threadIdx.x; i < VALUE_BINS * WARP_SIZE; i += VALUE_THREADS)
    counters[i] = 0;
  wait_for_previous_kernel();
  load_value_table(value);
  const size_t thread = global_index(), threads = (size_t)gridDim.x * blockDim.x;
  for (size_t i = thread; i < state.look_back_size; i += threads) state.look_back[i] = 0;
  if (thread == 0) *state.tile_counter = 0;
  __syncthreads();
  for_each_key(keys, n, gridDim.x, never,
               [&](unsigned int key) { count_value(counters, value, key, state); });
  __syncthreads();
  // A warp adds up the counters of a bin.
  for (unsigned int b = threadIdx.x / WARP_SIZE; b < VALUE_BINS; b += VALUE_THREADS / WARP_SIZE) {
    const unsigned int sum = warp_inclusive_scan(counters[b * WARP_SIZE + threadIdx.x % WARP_SIZE]);
    if (threadIdx.x % WARP_SIZE == WARP_SIZE - 1 && sum > 0) atomicAdd(&value_counts[b], sum);
  }
  if (is_last_block(&value_blocks_arrived)) finish_values((unsigned int)n, state, warp_sums);
}

// Number of elements of key[0..count) before element i: smaller ones, and equal ones in front of
// it.
static __device__ __forceinline__ unsigned int rank_of(const unsigned int *key, unsigned int count,
                                                       unsigned int i) {
  const unsigned int mine = key[i];
  unsigned int rank = 0;
  for (unsigned int j = 0; j < count; j++) rank += key[j] < mine || (key[j] == mine && j < i);
  return rank;
}

// Writes bare keys anew: all of each value. The first block puts the strays in order: a stray's
// place is the number of strays before it, and of smaller values.
static __global__ void __launch_bounds__(VALUE_THREADS)
    write_values(unsigned int *out, size_t n, ValueState state) {
  __shared__ unsigned int value[MOST_VALUES + 1], start[VALUE_BINS + 1], stray[MOST_STRAYS];
  wait_for_previous_kernel();
  if (*state.spread == DIGIT_UNUSED) return;
  load_value_table(value);
  if (threadIdx.x <= VALUE_BINS) start[threadIdx.x] = state.start[threadIdx.x];
  const unsigned int strays = blockIdx.x == 0 ? *state.strays : 0;
  for (unsigned int i = threadIdx.x; i < strays; i += VALUE_THREADS) stray[i] = state.stray[i];
  __syncthreads();
  for (unsigned int i = threadIdx.x; i < strays; i += VALUE_THREADS) {
    unsigned int bin = ValueBin<>{value}(stray[i], 0), place = rank_of(stray, strays, i);
    for (; bin > 0; bin -= 2) place += start[bin] - start[bin - 1];
    out[place] = stray[i];
  }
  const size_t threads = (size_t)gridDim.x * blockDim.x;
  unsigned int bin = 0;  // of element i, which grows
  for (size_t i = global_index(); i < n; i += threads) {
    while (start[bin + 1] <= i) bin++;
    if (bin % 2 == 1) out[i] = value[bin / 2];
  }
}

// One block for each bin of strays, which the sweep has left in `out`: puts them in stable order.
static __global__ void __launch_bounds__(VALUE_THREADS) sort_strays(Pairs out, ValueState state) {
  __shared__ unsigned int key[MOST_STRAYS], position[MOST_STRAYS];
  wait_for_previous_kernel();
  if (*state.spread == DIGIT_UNUSED) return;
  const unsigned int begin = state.start[2 * blockIdx.x],
                     count = state.start[2 * blockIdx.x + 1] - begin;
  for (unsigned int i = threadIdx.x; i < count; i += VALUE_THREADS) {
    key[i] = out.keys[begin + i];
    position[i] = out.positions[begin + i];
  }
  __syncthreads();
  for (unsigned int i = threadIdx.x; i < count; i += VALUE_THREADS) {
    const unsigned int place = begin + rank_of(key, count, i);
    out.keys[place] = key[i];
    out.positions[place] = position[i];
  }
}

#endif
