// One sweep over a digit: a single launch that reads every element once and writes it once, stably.
//
// A tile of keys stays on the chip from its load to its scatter (Adinets and Merrill, "Onesweep: A
// Faster Least Significant Digit Radix Sort for GPUs", 2022). The phases of a block:
//
//   load       the tile's keys into registers, kItems per thread
//   count      a histogram per warp in shared memory, by atomics; the tile's counts are published
//   rank       eight ballots find the lanes with the same digit (block/rank.cuh); keys go into
//              shared memory in order of their digits
//   look back  for the counts of all tiles before this one (block/look_back.cuh)
//   scatter    runs of equal digits to the output, neighbouring threads to neighbouring addresses
//
// Moves 8 bytes a key, 16 a pair.
#ifndef GSORT_KERNEL_SWEEP_CUH
#define GSORT_KERNEL_SWEEP_CUH

#include "gsort/block/look_back.cuh"
#include "gsort/block/overlap.cuh"
#include "gsort/block/rank.cuh"
#include "gsort/block/scan.cuh"
#include "gsort/kernel/count_digits.cuh"

// One pass: its digit, and its part of a SweepState.
typedef struct SweepPass {
  unsigned int number;           // its digit: 0 is the lowest
  bool unordered;                // the order of equal digits is free
  const unsigned int *spread;    // a DigitSpread
  const unsigned int *start;     // [BINS] index in the output where each bin's run starts
  unsigned int *tile_counter;    // 0 before the launch; numbers the tiles in the order they start
  unsigned int *look_back;       // [tiles][BINS] words of look_back.cuh, 0 before the launch
  unsigned int *next_look_back;  // of the next pass, which this one clears; NULL: there is none
  unsigned int ahead;     // bare keys: how many tiles further the tile is that a block has brought
                          // into the L2 cache, for another block; 0: none
  SweepCode load, store;  // keys become codes as they are read, and keys again as they are
                          // written; plain: they stay as they are
} SweepPass;

// For sweeps over codes: sets load and store, so that the digit of the sweep is a byte of the code.
static __host__ __device__ __forceinline__ void move_codes(SweepPass *pass, BitsThatCount of) {
  const int number = (int)pass->number, last = of.passes() - 1;
  // How far codes are rotated in a sweep.
  const auto rotation = [&](int digit) { return of.shift_of(digit) - digit * DIGIT_BITS; };
  const int before = number == 0 ? 0 : rotation(number - 1), now = rotation(number);
  pass->load = {number == 0 ? of.code : KeyCode{}, (unsigned int)(now - before) % 32};
  if (number == last) pass->store = {of.code, (unsigned int)now % 32};
}

// Shared memory of a block.
template <int kItems>
struct SweepShared {
  unsigned int warp_bin[SWEEP_WARPS][BINS];  // counts; then byte offsets of slots (scan_warps)
  unsigned int bin_shift[BINS];              // index in the output minus index in the tile
  unsigned int warp_sums[SWEEP_WARPS];
  unsigned int tile_number;
  unsigned int tile[SWEEP_THREADS * kItems];  // keys in order of their digits; then values
};

// Writes the keys of the tile: index i goes to i plus its bin's shift. A thread's indices are
// SWEEP_THREADS apart, so that a warp writes runs of neighbours. bins[] receives the digits for
// scatter_values(), four in each element.
template <int kItems, bool kPairs, bool kDecodes, class DigitOf>
static __device__ __forceinline__ void scatter_keys(SweepShared<kItems> &shared, unsigned int *out,
                                                    unsigned int valid, DigitOf digit_of,
                                                    SweepCode code, unsigned int *bins) {
  const auto key_of = [&](unsigned int number) { return kDecodes ? decode(code, number) : number; };
  const bool full = valid == SWEEP_THREADS * kItems;
  if (!kPairs && !full) {  // separate, so that a full tile of keys needs no test per key
    for (unsigned int i = threadIdx.x; i < valid; i += SWEEP_THREADS)
      out[*at_offset(shared.bin_shift, digit_of(shared.tile[i]) * 4) + i] = key_of(shared.tile[i]);
    return;
  }
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    if (u % SCATTER_BATCH == 0) compiler_fence();
    const unsigned int i = threadIdx.x + u * SWEEP_THREADS, key = shared.tile[i];
    if (!kPairs || full || i < valid)
      out[*at_offset(shared.bin_shift, digit_of(key) * 4) + i] = key_of(key);
    if (kPairs) bins[u / 4] = opaque(digit_of.keep(u % 4 == 0 ? 0 : bins[u / 4], u % 4, key));
  }
}

// Writes the values, which have replaced the keys in the tile.
template <int kItems>
static __device__ __forceinline__ void scatter_values(SweepShared<kItems> &shared,
                                                      unsigned int *out, unsigned int valid,
                                                      const unsigned int *bins) {
  const bool full = valid == SWEEP_THREADS * kItems;
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    if (u % SCATTER_BATCH == 0) compiler_fence();
    const unsigned int i = threadIdx.x + u * SWEEP_THREADS;
    const unsigned int to = *at_offset(shared.bin_shift, byte_of(bins[u / 4], u % 4) * 4) + i;
    if (full || i < valid) out[to] = shared.tile[i];
  }
}

// A pass over a digit that all keys share: it copies. All loads come before the first store, so
// that they overlap; the compiler cannot move loads ahead of stores that might alias. in: NULL
// for values that are indices: `begin`, `begin` + 1 and so on. The codes: load and store of
// SweepPass.
template <int kItems>
static __device__ __forceinline__ void copy_tile(const unsigned int *in, unsigned int begin,
                                                 unsigned int *out, unsigned int valid,
                                                 SweepCode load_code = {},
                                                 SweepCode store_code = {}) {
  unsigned int item[kItems];
  if (in != NULL) {
    load(in + begin, valid, item);
  } else {
#pragma unroll
    for (int u = 0; u < kItems; u++) item[u] = begin + first_item<kItems>() + u * WARP_SIZE;
  }
  out += begin;
  encode_all(load_code, item);
  decode_all(store_code, item);
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int i = first_item<kItems>() + u * WARP_SIZE;
    if (i < valid) out[i] = item[u];
  }
}

// One tile, whose warps' bins are cleared; a barrier has to be before and behind. spread: of the
// pass's digit. Word: of the look-back; unsigned long long for n from 2^30 on.
template <int kItems, ValueKind kValues, class DigitOf, class Word>
static __device__ __forceinline__ void sweep_tile(SweepShared<kItems> &shared, Elements in,
                                                  Elements out, unsigned int n,
                                                  const SweepPass &pass, BitsThatCount number_of,
                                                  unsigned int tile, unsigned int spread) {
  constexpr bool kPairs = kValues != NO_VALUES;
  static_assert(kItems % RANK_BATCH == 0, "whole batches");
  constexpr unsigned int kTile = SWEEP_THREADS * kItems;
  const unsigned int begin = tile * kTile, valid = n - begin < kTile ? n - begin : kTile;
  Word *const look_back = (Word *)pass.look_back + threadIdx.x;
  if (pass.next_look_back != NULL)
    ((Word *)pass.next_look_back)[(size_t)tile * BINS + threadIdx.x] = 0;
  if (spread == DIGIT_CONSTANT) {
    copy_tile<kItems>(in.keys, begin, out.keys, valid, pass.load, pass.store);
    if (kPairs) copy_tile<kItems>(kValues == MADE ? NULL : in.values, begin, out.values, valid);
    return;
  }

  const size_t next = (size_t)begin + (size_t)pass.ahead * kTile;
  if (!kPairs && pass.ahead > 0 && threadIdx.x == 0 && next + kTile <= n)
    prefetch_to_l2(in.keys + next, kTile * sizeof(unsigned int));

  // Load and count.
  const DigitOf digit_of = DigitOf::of_pass(number_of, pass.number);
  unsigned int item[kItems];
  load<kItems>(in.keys + begin, valid, item, decode(pass.load, digit_of.padding()));
  encode_all(pass.load, item);
  count_in_warp(shared.warp_bin, item, digit_of);
  __syncthreads();

  // Published before the scan: later tiles may be waiting for it.
  unsigned int counts[SWEEP_WARPS];
  const unsigned int count = count_bin(shared.warp_bin, counts);
  Word *const word = &look_back[(size_t)tile * BINS];
  look_back_publish(word,
                    count | (tile == 0 ? look_back_inclusive<Word> : look_back_partial<Word>));
  const unsigned int first = block_inclusive_scan_one_barrier(count, shared.warp_sums) - count;
  scan_warps(shared.warp_bin, counts, first);
  __syncthreads();

  // Rank.
  unsigned int *const last = shared.warp_bin[threadIdx.x / WARP_SIZE];
  unsigned int places[kPairs ? kItems / 2 : 1];
  // By atomics only in full tiles: padding must stay behind the keys of its digit.
  if (!kPairs && pass.unordered && spread == DIGIT_EVEN && valid == kTile)
    rank_by_atomics<kItems>(last, shared.tile, item, digit_of.again());
  else
    rank_by_ballots<kItems, kValues>(last, shared.tile, item, in.values, begin, valid,
                                     digit_of.again(), places);

  // Look back.
  const Word before = look_back_sum(look_back, BINS, tile);
  if (tile > 0) look_back_publish(word, (before + count) | look_back_inclusive<Word>);
  shared.bin_shift[threadIdx.x] = pass.start[threadIdx.x] + (unsigned int)before - first;
  __syncthreads();

  // Scatter.
  unsigned int bins[kPairs ? kItems / 4 : 1];
  if (is_plain(pass.store))
    scatter_keys<kItems, kPairs, false>(shared, out.keys, valid, digit_of.again(), {}, bins);
  else
    scatter_keys<kItems, kPairs, true>(shared, out.keys, valid, digit_of.again(), pass.store, bins);
  if constexpr (kPairs) {
    __syncthreads();
    exchange_values<kItems>(shared.tile, item, places);
    __syncthreads();
    scatter_values<kItems>(shared, out.values, valid, bins);
  }
}

template <int kItems, ValueKind kValues, int kBlocksPerSm, class DigitOf = ByteOfCode,
          class Word = unsigned int>
static __global__ void __launch_bounds__(SWEEP_THREADS, kBlocksPerSm)
    sweep(Elements in, Elements out, unsigned int n, SweepPass pass, BitsThatCount number_of) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  SweepShared<kItems> &shared = *(SweepShared<kItems> *)shared_memory;
  wait_for_previous_kernel();
  const unsigned int spread = *pass.spread;
  if (DigitOf::IS_OF_CODES && spread == DIGIT_UNUSED) return;
  if (threadIdx.x == 0) shared.tile_number = atomicAdd(pass.tile_counter, 1u);
  clear_bins(shared.warp_bin);
  __syncthreads();
  sweep_tile<kItems, kValues, DigitOf, Word>(shared, in, out, n, pass, number_of,
                                             shared.tile_number, spread);
}

// All sweeps in one launch, behind a way that the host does not wait for: returns at once if that
// has sorted the elements, else counts the digits, if the way has not, and sweeps over each
// (block/passes_in_one.cuh). The first one reads the input, the last one writes to the output, and
// others write there and to spare memory in turns.
typedef struct SweepPlan {
  Elements in, spare, out;
  unsigned int n;
  BitsThatCount number_of;
  SweepState state;
  size_t look_back_words;  // of a pass
  bool unordered;          // in the first pass: SweepPass.unordered
  unsigned int ahead;      // SweepPass.ahead
} SweepPlan;

template <int kItems, ValueKind kValues, int kBlocksPerSm, class DigitOf = ByteOfCode,
          class Word = unsigned int>
static __global__ void __launch_bounds__(SWEEP_THREADS, kBlocksPerSm)
    sweep_if_unsorted(SweepPlan plan, BehindWay way) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  SweepShared<kItems> &shared = *(SweepShared<kItems> *)shared_memory;
  wait_for_previous_kernel();
  if (is_sorted_already(way)) return;
  constexpr unsigned int kCopies = copies_in(sizeof shared, PASSES * BINS * sizeof(unsigned int));
  PassesDone *const done = &way.findings->done;
  const SweepState &state = plan.state;
  constexpr unsigned int kTile = SWEEP_THREADS * kItems;
  const unsigned int n = elements_of(way, plan.n), tiles = n / kTile + (n % kTile > 0);
  if (!has_counted(way))
    count_in_parts(&done->count, gridDim.x, [&](unsigned int part) {
      count_digits_by_grid(shared_memory, kCopies, plan.in.keys, n, gridDim.x, plan.number_of,
                           state, part, done);
    });
  if (DigitOf::IS_OF_CODES && state.spread[0] == DIGIT_UNUSED) return;
  Elements from = plan.in;
  const unsigned int passes = (unsigned int)plan.number_of.passes();
  for (unsigned int pass = 0; pass < passes; pass++) {
    if (pass > 0) wait_until(&done->tiles[pass - 1], tiles);
    const Elements to = (passes - pass) % 2 == 1 ? plan.out : plan.spare;
    unsigned int *const look_back = state.look_back + pass % 2 * plan.look_back_words,
                        *const other = state.look_back + (pass + 1) % 2 * plan.look_back_words;
    SweepPass one = {pass,
                     plan.unordered && pass == 0,
                     NULL,
                     state.start + pass * BINS,
                     NULL,
                     look_back,
                     pass < passes - 1 ? other : NULL,
                     plan.ahead,
                     {},
                     {}};
    if (DigitOf::IS_OF_CODES) move_codes(&one, plan.number_of);
    const unsigned int spread = state.spread[pass];
    unsigned int swept = 0;
    for (;; swept++) {
      if (threadIdx.x == 0) shared.tile_number = atomicAdd(&state.tile_counter[pass], 1u);
      clear_bins(shared.warp_bin);
      __syncthreads();
      const unsigned int tile = shared.tile_number;
      if (tile >= tiles) break;
      if (kValues == MADE && pass > 0)
        sweep_tile<kItems, LOADED, DigitOf, Word>(shared, from, to, n, one, plan.number_of, tile,
                                                  spread);
      else
        sweep_tile<kItems, kValues, DigitOf, Word>(shared, from, to, n, one, plan.number_of, tile,
                                                   spread);
      __syncthreads();
    }
    add_done(&done->tiles[pass], swept);
    from = to;
  }
}

#endif
