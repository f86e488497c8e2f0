// Keys with few distinct values (block/few_values.cuh): one read counts them, and bare keys are
// written anew. Only strays, which the table of values lacks, are kept.
//
//   values 3 7, keys 7 3 3 9 7 3     bins  < 3: 0   = 3: 3   3..7: 0   = 7: 2   > 7: 1, stray 9
//   written                          3 3 3 7 7 9
//
// Moves 8 bytes a key. Pairs, once they are counted, take a stable sweep into the bins, and a block
// for each bin puts its strays in order: 20 bytes a pair.
#ifndef GSORT_KERNEL_VALUES_CUH
#define GSORT_KERNEL_VALUES_CUH

#include "gsort/block/count.cuh"
#include "gsort/block/digits.cuh"
#include "gsort/block/few_values.cuh"
#include "gsort/block/overlap.cuh"
#include "gsort/block/pair_sweep.cuh"
#include "gsort/block/passes_in_one.cuh"
#include "gsort/block/scan.cuh"

enum {
  VALUE_THREADS = 1024,
  MOST_STRAYS = 2048,  // in a bin of pairs, or of all keys
};
static_assert(VALUE_BINS == sizeof(Findings::in_bin) / sizeof(unsigned int),
              "a count for each bin");

// Device memory of one sort, and what is known to it.
typedef struct ValueState {
  KeyCode code;
  Findings *findings;          // in_bin and strays are 0 before
  unsigned int *start;         // [VALUE_BINS + 1] where each bin begins; the last: n
  unsigned int *spread;        // [1] DIGIT_UNUSED if the sort ends without a result, or DIGIT_EVEN
  unsigned int *tile_counter;  // [1]
  unsigned int *look_back;     // [look_back_words] cleared
  size_t look_back_words;
  unsigned int *stray;  // [MOST_STRAYS] codes of bare keys, in any order; NULL: there are values
  volatile HostVerdict *host;
} ValueState;

// Shared memory of a block that counts or writes values.
typedef struct ValuesShared {
  unsigned int counter[VALUE_BINS * WARP_SIZE];  // one for each lane, so that lanes never meet
  unsigned int value[MOST_VALUES + 1], start[VALUE_BINS + 1], stray[MOST_STRAYS];
  unsigned int warp_sums[MAX_WARPS];
} ValuesShared;

// The last block to count: where the bins begin; too many strays end the sort, and -0.
static __device__ void finish_values(unsigned int n, ValueState state, unsigned int *warp_sums) {
  const unsigned int bin = threadIdx.x;
  const volatile Findings *const findings = state.findings;
  const unsigned int count = bin < VALUE_BINS ? findings->in_bin[bin] : 0;
  const unsigned int up_to_here = block_inclusive_scan(count, warp_sums);
  if (bin < VALUE_BINS) state.start[bin] = up_to_here - count;
  const bool too_many = bin % 2 == 0 && count > MOST_STRAYS;
  const bool some_too_many = __syncthreads_or(too_many) != 0;
  if (bin > 0) return;
  const bool useless = some_too_many || findings->strays > MOST_STRAYS || findings->stop != 0;
  state.start[VALUE_BINS] = n;
  *state.spread = useless ? DIGIT_UNUSED : DIGIT_EVEN;
  state.host->finding = useless ? UNEVEN : SORTED;
}

static __device__ __forceinline__ void count_value(unsigned int *counters,
                                                   const unsigned int *value, unsigned int key,
                                                   const ValueState &state) {
  if (is_minus_zero(state.code, key)) state.findings->stop = 1;
  const unsigned int number = encode(state.code, key), bin = ValueBin{value}(number, 0);
  atomicAdd(&counters[bin * WARP_SIZE + threadIdx.x % WARP_SIZE], 1u);
  if (bin % 2 == 1 || state.stray == NULL) return;
  const unsigned int index = atomicAdd(&state.findings->strays, 1u);
  if (index < MOST_STRAYS) state.stray[index] = number;
}

// Counts the bins in part `block` of `blocks` of the keys, and collects strays among bare keys. The
// block that ends last tells the host, and returns true.
static __device__ __forceinline__ bool count_part_of_values(ValuesShared &shared,
                                                            const unsigned int *keys, size_t n,
                                                            const ValueState &state,
                                                            unsigned int block,
                                                            unsigned int blocks) {
  for (unsigned int i = threadIdx.x; i < VALUE_BINS * WARP_SIZE; i += blockDim.x)
    shared.counter[i] = 0;
  load_value_table(state.findings, shared.value);
  __syncthreads();
  for_each_key(
      keys, n, blocks,
      [&](unsigned int key) { count_value(shared.counter, shared.value, key, state); }, block);
  __syncthreads();
  // A warp adds up the counters of a bin.
  for (unsigned int b = threadIdx.x / WARP_SIZE; b < VALUE_BINS; b += blockDim.x / WARP_SIZE) {
    const unsigned int sum =
        warp_inclusive_scan(shared.counter[b * WARP_SIZE + threadIdx.x % WARP_SIZE]);
    if (threadIdx.x % WARP_SIZE == WARP_SIZE - 1 && sum > 0)
      atomicAdd(&state.findings->in_bin[b], sum);
  }
  if (!is_last_block(&state.findings->arrived, blocks)) return false;
  finish_values((unsigned int)n, state, shared.warp_sums);
  return true;
}

static __global__ void __launch_bounds__(VALUE_THREADS)
    count_values(const unsigned int *keys, size_t n, ValueState state) {
  __shared__ ValuesShared shared;
  wait_for_previous_kernel();
  const size_t thread = global_index(), threads = (size_t)gridDim.x * blockDim.x;
  for (size_t i = thread; i < state.look_back_words; i += threads) state.look_back[i] = 0;
  if (thread == 0) *state.tile_counter = 0;
  count_part_of_values(shared, keys, n, state, blockIdx.x, gridDim.x);
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

// Writes part `block` of `blocks` of bare keys anew: all of each value. The first part puts the
// strays in order: a stray's place is the number of strays before it, and of smaller values.
static __device__ __forceinline__ void write_part_of_values(ValuesShared &shared, unsigned int *out,
                                                            size_t n, const ValueState &state,
                                                            unsigned int block,
                                                            unsigned int blocks) {
  load_value_table(state.findings, shared.value);
  if (threadIdx.x <= VALUE_BINS) shared.start[threadIdx.x] = state.start[threadIdx.x];
  const unsigned int strays = block == 0 ? state.findings->strays : 0;
  for (unsigned int i = threadIdx.x; i < strays; i += blockDim.x) shared.stray[i] = state.stray[i];
  __syncthreads();
  for (unsigned int i = threadIdx.x; i < strays; i += blockDim.x) {
    unsigned int bin = ValueBin{shared.value}(shared.stray[i], 0),
                 place = rank_of(shared.stray, strays, i);
    for (; bin > 0; bin -= 2) place += shared.start[bin] - shared.start[bin - 1];
    out[place] = decode(state.code, shared.stray[i]);
  }
  const size_t threads = (size_t)blocks * blockDim.x;
  unsigned int bin = 0;  // of element i, which grows
  for (size_t i = (size_t)block * blockDim.x + threadIdx.x; i < n; i += threads) {
    while (shared.start[bin + 1] <= i) bin++;
    if (bin % 2 == 1) out[i] = decode(state.code, shared.value[bin / 2]);
  }
}

static __global__ void __launch_bounds__(VALUE_THREADS)
    write_values(unsigned int *out, size_t n, ValueState state) {
  __shared__ ValuesShared shared;
  wait_for_previous_kernel();
  if (*state.spread == DIGIT_UNUSED) return;
  write_part_of_values(shared, out, n, state, blockIdx.x, gridDim.x);
}

// Both in one launch (block/passes_in_one.cuh), behind a way that the host does not wait for, if
// its sample has found few values.
static __global__ void __launch_bounds__(VALUE_THREADS)
    sort_values_if_few(const unsigned int *keys, unsigned int *out, size_t n, ValueState state) {
  __shared__ ValuesShared shared;
  Progress *const progress = &state.findings->progress;
  const unsigned int blocks = gridDim.x;
  wait_for_previous_kernel();
  if (state.findings->first_sample != FEW_VALUES) return;
  unsigned int part = take_part(&progress->taken);
  for (; part < blocks; part = take_part(&progress->taken))
    if (count_part_of_values(shared, keys, n, state, part, blocks)) add_done(&progress->done, 1);
  wait_until(&progress->done, 1);
  if (*state.spread == DIGIT_UNUSED) return;
  for (; part < 2 * blocks; part = take_part(&progress->taken))
    write_part_of_values(shared, out, n, state, part - blocks, blocks);
}

// For sweep_tiles().
template <unsigned int kTileSize>
struct BinsOfValues : CountedBins<kTileSize, VALUE_BITS> {
  const unsigned int *value;  // shared memory

  __device__ __forceinline__ ValueBin bins(void) const { return {value}; }
  template <class Shared>
  __device__ __forceinline__ void write(Shared &shared, int to, unsigned int valid,
                                        bool plain) const {
    write_pairs(this->buffers, to, shared, valid, plain, bins());
  }
};

template <int kThreads, int kItems, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    sweep_values(PairBuffers buffers, PairSweep sweep, const Findings *findings) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  __shared__ unsigned int value[MOST_VALUES + 1];
  auto &shared = *(PairSweepShared<kThreads, kItems, VALUE_BITS> *)shared_memory;
  PairItems<kItems> item;
  const bool early = begin_sweep(shared, buffers, sweep, item,
                                 [&] { find_places(sweep.route, &shared.from, &shared.to); });
  load_value_table(findings, value);
  __syncthreads();
  const BinsOfValues<kThreads *kItems> bins = {{buffers, sweep}, value};
  sweep_tiles<kBlocksPerSm == 1>(shared, buffers, sweep, early, item, bins);
}

// One block for each bin of strays, which the sweep has left in `out`: puts them in stable order.
static __global__ void __launch_bounds__(VALUE_THREADS)
    sort_strays(Elements out, ValueState state) {
  __shared__ unsigned int key[MOST_STRAYS], value[MOST_STRAYS];
  wait_for_previous_kernel();
  if (*state.spread == DIGIT_UNUSED) return;
  const unsigned int begin = state.start[2 * blockIdx.x],
                     count = state.start[2 * blockIdx.x + 1] - begin;
  for (unsigned int i = threadIdx.x; i < count; i += VALUE_THREADS) {
    key[i] = encode(state.code, out.keys[begin + i]);
    value[i] = out.values[begin + i];
  }
  __syncthreads();
  for (unsigned int i = threadIdx.x; i < count; i += VALUE_THREADS) {
    const unsigned int place = begin + rank_of(key, count, i);
    out.keys[place] = decode(state.code, key[i]);
    out.values[place] = value[i];
  }
}

#endif
