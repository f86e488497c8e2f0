// Pairs of which frequent values leave after the first of four sweeps (block/frequent_values.cuh):
// a sample finds these, and one read counts their pairs, and the digits of all others. The first
// sweep puts them to their places in the output, the others sort the rest between them. Moves 20
// bytes a pair, and 48 a pair of the rest.
#ifndef GSORT_KERNEL_FREQUENT_CUH
#define GSORT_KERNEL_FREQUENT_CUH

#include "gsort/block/frequent_values.cuh"
#include "gsort/kernel/count_digits.cuh"

// The last block, of at least SLOTS threads: where the pairs of each value begin, by the sums of
// all blocks for each ValueBin. Returns the number of all others.
static __device__ unsigned int place_values(const unsigned int *sums, unsigned int n,
                                            FrequentValues *frequent, unsigned int *warp_sums) {
  __shared__ unsigned int start[MOST_FREQUENT + 1], in_table;
  const unsigned int i = threadIdx.x;
  const bool has_value = i <= MOST_FREQUENT;
  const unsigned int between = has_value ? __ldcg(&sums[2 * i]) : 0,
                     equal = has_value ? __ldcg(&sums[2 * i + 1]) : 0;
  const unsigned int up_to_here = block_inclusive_scan(equal, warp_sums);
  __syncthreads();
  const unsigned int others_below = block_inclusive_scan(between, warp_sums);
  if (has_value) {
    frequent->before[i] = up_to_here - equal;
    start[i] = up_to_here - equal + others_below;
  }
  if (i == MOST_FREQUENT) in_table = up_to_here;
  __syncthreads();
  if (i < SLOTS) frequent->start[i] = start[frequent->number[i]];
  if (i == 0) frequent->rest = n - in_table;
  return n - in_table;
}

// The first sweep places frequent values, and the last one knows of them: these two are done
// anyway. In between, pairs change sides twice or not at all, as they come from scratch memory.
static __device__ void plan_sweeps_of_rest(unsigned int *spread) {
  static_assert(PASSES == 4, "two sweeps in between");
  const bool varies = spread[1] != DIGIT_CONSTANT || spread[2] != DIGIT_CONSTANT;
  spread[0] = spread[PASSES - 1] = DIGIT_EVEN;
  if (varies) spread[1] = spread[2] = DIGIT_EVEN;
}

// Counters of a block. Each lane has its counters of values, so that lanes never meet.
typedef struct RestCounters {
  unsigned int *digit, copies;
  unsigned int *bin;  // [FREQUENT_BINS][WARP_SIZE]
  ValueBin<MOST_FREQUENT> bin_of;
} RestCounters;

template <int kKeys>
static __device__ __forceinline__ void count_frequent(RestCounters counters, KeyCode code,
                                                      unsigned int (&&key)[kKeys]) {
  unsigned int bin[kKeys];
  encode_all(code, key);
#pragma unroll
  for (int k = 0; k < kKeys; k++) bin[k] = counters.bin_of(key[k], 0);
#pragma unroll
  for (int k = 0; k < kKeys; k++) {
    atomicAdd(&counters.bin[bin[k] * WARP_SIZE + threadIdx.x % WARP_SIZE], 1u);
    if (bin[k] % 2 == 0) count_number(counters.digit, counters.copies, key[k]);
  }
}

// Counts the digits of all keys, or, if there are frequent values, these, and the digits of all
// others. Tells the host which: UNEVEN or FEW_VALUES. digit: PASSES * BINS * copies words; sums:
// [FREQUENT_BINS], 0.
static __global__ void __launch_bounds__(COUNT_THREADS)
    count_rest(const unsigned int *keys, size_t n, KeyCode code, SweepState state,
               unsigned int copies, unsigned int *sums, FrequentValues *frequent,
               volatile HostVerdict *host) {
  extern __shared__ unsigned int digit[];
  __shared__ unsigned int value[MOST_FREQUENT + 1], warp_sums[MAX_WARPS];
  __shared__ unsigned int bin[FREQUENT_BINS * WARP_SIZE];
  const unsigned int lane = threadIdx.x % WARP_SIZE, warp = threadIdx.x / WARP_SIZE;
  for (unsigned int i = threadIdx.x; i < FREQUENT_BINS * WARP_SIZE; i += blockDim.x) bin[i] = 0;
  wait_for_previous_kernel();
  const bool used = frequent->used;
  if (global_index() == 0) host->finding = used ? FEW_VALUES : UNEVEN;
  if (threadIdx.x <= MOST_FREQUENT) value[threadIdx.x] = frequent->value[threadIdx.x];
  prepare_count(digit, copies, gridDim.x, state);
  __syncthreads();
  const RestCounters counters = {digit, copies, bin, {value}};
  if (used)
    for_each_quad(
        keys, n, gridDim.x, never,
        [&](uint4 quad) {
          count_frequent<4>(counters, code, {quad.x, quad.y, quad.z, quad.w});
        },
        [&](unsigned int key) { count_frequent<1>(counters, code, {key}); });
  else
    for_each_key(keys, n, gridDim.x, never,
                 [&](unsigned int key) { count_number(digit, copies, encode(code, key)); });
  __syncthreads();
  add_digit_counts(digit, copies, state);
  for (unsigned int b = warp; used && b < FREQUENT_BINS; b += blockDim.x / WARP_SIZE) {
    const unsigned int sum = warp_sum(bin[b * WARP_SIZE + lane]);
    if (lane == 0 && sum > 0) atomicAdd(&sums[b], sum);
  }
  if (!is_last_block(&state.counts[PASSES * BINS])) return;
  const unsigned int all = (unsigned int)n;
  place_digits(state, used ? place_values(sums, all, frequent, warp_sums) : all, warp_sums);
  if (used && threadIdx.x == 0) plan_sweeps_of_rest(state.spread);
}

template <int kThreads, int kItems>
static __global__ void __launch_bounds__(kThreads, 1)
    sweep_digits_and_values(PairBuffers buffers, PairSweep sweep, const FrequentValues *frequent) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  __shared__ unsigned int slot[SLOTS], rest_in_tile;
  auto &shared = *(PairSweepShared<kThreads, kItems, DIGIT_OR_VALUE_BITS> *)shared_memory;
  PairItems<kItems> item;
  const bool early = begin_sweep(shared, buffers, sweep, item,
                                 [&] { find_places(sweep.route, &shared.from, &shared.to); });
  for (unsigned int i = threadIdx.x; i < SLOTS; i += kThreads) slot[i] = frequent->slot[i];
  __syncthreads();
  const DigitsAndValues<kThreads *kItems> bins = {
      {buffers, sweep}, frequent, slot, &rest_in_tile, 0};
  sweep_tiles<true>(shared, buffers, sweep, early, item, bins);
}

template <int kThreads, int kItems>
static __global__ void __launch_bounds__(kThreads, 1)
    sweep_rest(PairBuffers buffers, PairSweep sweep, const FrequentValues *frequent) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  __shared__ unsigned int table[FrequentBefore::kWords];
  auto &shared = *(PairSweepShared<kThreads, kItems, DIGIT_BITS> *)shared_memory;
  PairItems<kItems> item;
  wait_for_previous_kernel();
  if (threadIdx.x == 0) {
    take_first_tile(shared, sweep);
    find_places(sweep.route, &shared.from, &shared.to);
  }
  FrequentBefore::load(frequent, table);
  sweep.n = frequent->rest;
  __syncthreads();
  const DigitOfRest<kThreads * kItems, DIGIT_BITS> bins = {{buffers, sweep}, {table}};
  sweep_tiles<true>(shared, buffers, sweep, false, item, bins);
}

#endif
