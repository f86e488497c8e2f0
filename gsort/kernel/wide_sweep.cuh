// Stable sweeps over the digits of wide keys, for keys that suit nothing faster, and for any bits
// of them. As sweep.cuh, but a sweep over a digit that all keys share returns at once:
//
//   find    if digits are not bytes: the bits that vary (block/varying_bits.cuh)  8 bytes a key
//   count   the digits of all passes, one read                                    8 bytes a key
//   sweep   over each digit that varies: 16 bytes a key, and its value twice
//
// The device finds the way of the elements from the digits that vary: from the input to scratch
// memory and the output in turns, so that the last sweep writes to the output.
#ifndef GSORT_KERNEL_WIDE_SWEEP_CUH
#define GSORT_KERNEL_WIDE_SWEEP_CUH

#include "gsort/block/key_code.cuh"
#include "gsort/block/look_back.cuh"
#include "gsort/block/rank.cuh"
#include "gsort/block/varying_bits.cuh"
#include "gsort/kernel/count_digits.cuh"

enum {
  WIDE_PASSES = MAX_PASSES,
  WIDE_COUNT_WORDS = WIDE_PASSES * BINS + 1,
};

// n keys on the device and their values, of 4 or 8 bytes; NULL: none, or indices to be made.
typedef struct WideElements {
  Wide *keys;
  void *values;
} WideElements;

// ---- count --------------------------------------------------------------------------------------

// As count_digits_by_grid(). counters: [WIDE_PASSES][BINS][copies] of shared memory.
static __device__ __forceinline__ void count_wide_by_grid(
    unsigned int *counters, unsigned int copies, const Wide *keys, size_t n, WideBits number_of,
    const SweepState &state, const VaryingDigits *varying, unsigned int blocks, unsigned int block,
    PassesDone *done) {
  const size_t thread = (size_t)block * blockDim.x + threadIdx.x,
               threads = (size_t)blocks * blockDim.x;
  for (unsigned int i = threadIdx.x; i < WIDE_PASSES * BINS * copies; i += blockDim.x)
    counters[i] = 0;
  for (size_t i = thread; i < state.look_back_words; i += threads) state.look_back[i] = 0;
  if (thread < WIDE_PASSES) {
    state.tile_counter[thread] = 0;
    state.spread[thread] = DIGIT_EVEN;
  }
  __syncthreads();
  const unsigned int copy = threadIdx.x % copies;
  const auto count_in = [&](int pass, unsigned int digit) {
    atomicAdd(&counters[(pass * BINS + digit) * copies + copy], 1u);
  };
  const unsigned int digits = varying == NULL ? 0 : varying->count;
  const auto count = [&](Wide key) {
    const Wide number = number_of(key);
    if (digits > 0) {
      for (unsigned int pass = 0; pass < digits; pass++)
        count_in(pass, digit_of(varying->digit[pass], number));
      return;
    }
#pragma unroll
    for (int pass = 0; pass < WIDE_PASSES; pass++)
      count_in(pass, (unsigned int)(number >> (pass * DIGIT_BITS)) & (BINS - 1));
  };
  const size_t twos = (uintptr_t)keys % 16 == 0 ? n / 2 : 0;
#pragma unroll 2
  for (size_t i = thread; i < twos; i += threads) {
    const ulonglong2 two = ((const ulonglong2 *)keys)[i];
    count(two.x);
    count(two.y);
  }
  for (size_t i = 2 * twos + thread; i < n; i += threads) count(keys[i]);
  // Digits that there are not are 0.
  if (digits > 0 && thread >= digits && thread < WIDE_PASSES)
    atomicAdd(&state.counts[thread * BINS], (unsigned int)n);
  __syncthreads();
  if (place_digits(counters, copies, (unsigned int)n, state, blocks, WIDE_PASSES) && done != NULL)
    add_done(&done->count.done, 1);
}

// If few bits vary in a sample: finds those that vary in all keys, and tells the host whether
// digits of them suit (SPARSE), or are more than findings->most_digits, so that splitters do
// (UNEVEN).
static __global__ void __launch_bounds__(COUNT_THREADS)
    find_wide_digits(const Wide *keys, size_t n, WideCode code, Findings *findings,
                     volatile HostVerdict *host) {
  wait_for_previous_kernel();
  if (finding_of_both(findings->first_sample, findings->second_sample) != SPARSE) return;
  const Wide first = order_of(code, keys[0]);
  const size_t threads = (size_t)gridDim.x * blockDim.x;
  Wide mine = 0;
#pragma unroll 8
  for (size_t i = global_index(); i < n; i += threads) mine |= order_of(code, keys[i]) ^ first;
  const Wide of_block = or_of_block(mine);
  VaryingDigits *const varying = &findings->varying;
  if (threadIdx.x < 2)
    atomicOr(&varying->bits[threadIdx.x], (unsigned int)(of_block >> 32 * threadIdx.x));
  if (!is_last_block(&findings->arrived) || threadIdx.x > 0) return;
  const unsigned int digits = make_digits(
      (Wide)__ldcg(&varying->bits[1]) << 32 | __ldcg(&varying->bits[0]), varying->digit);
  if (digits <= findings->most_digits) varying->count = digits;
  host->finding = varying->count > 0 ? SPARSE : UNEVEN;
}

static __global__ void __launch_bounds__(COUNT_THREADS)
    count_wide_digits(const Wide *keys, size_t n, WideBits number_of, SweepState state,
                      const VaryingDigits *varying, unsigned int copies) {
  extern __shared__ unsigned int counters[];
  wait_for_previous_kernel();
  if (varying != NULL && varying->count == 0) return;
  count_wide_by_grid(counters, copies, keys, n, number_of, state, varying, gridDim.x, blockIdx.x,
                     NULL);
}

// ---- sweep --------------------------------------------------------------------------------------

// One pass, and its part of a SweepState.
typedef struct WidePass {
  unsigned int number, passes;  // its digit, 0 the lowest; of all
  const unsigned int *spread;   // [passes] a DigitSpread each
  const unsigned int *start;    // [BINS] of this pass
  unsigned int *tile_counter;   // 0 before the launch
  void *look_back;              // [2][tiles][BINS], two look-backs in turns; the first one is 0
  unsigned int tiles;
  // NULL: digits are bytes. If there are no other digits, sweep_wide() returns at once, as the keys
  // are left to splitters, and sweep_wide_if_unsorted(), behind these, takes bytes.
  const VaryingDigits *varying;
} WidePass;

// A pass's digit of a key of any type. A key's code is the key with some bits inverted, so this
// holds for their digits, too. kRuns: of bits; kFloats: there may be negative ones, and a -0.
template <int kRuns, bool kFloats>
struct DigitOfWide {
  WideDigit digit;
  unsigned int flip, negative;
  unsigned int zero;  // the upper word of a -0, or 0
  Wide padding;       // a key that ranks behind all others
  __device__ __forceinline__ DigitOfWide(const WideBits &bits, const WidePass &pass) {
    digit = pass.varying != NULL && pass.varying->count > 0
                ? pass.varying->digit[pass.number]
                : digit_of_bits((unsigned int)bits.begin_bit,
                                64 - (unsigned int)__clzll((long long)bits.mask), pass.number);
    flip = digit_of<kRuns>(digit, bits.code.flip);
    negative = digit_of<kRuns>(digit, bits.code.negative);
    zero = bits.code.negative != 0 ? (unsigned int)(WIDE_MINUS_ZERO >> 32) : 0;
    padding = decode(bits.code, ~0ull);
  }
  __device__ __forceinline__ unsigned int operator()(Wide key) const {
    unsigned int value = digit_of<kRuns>(digit, key);
    if constexpr (kFloats) {
      const unsigned int upper = (unsigned int)(key >> 32);
      const bool is_zero = ((upper ^ zero) | (unsigned int)key) == 0;
      value = is_zero ? 0 : value ^ (sign_mask(upper) & negative);
    }
    return value ^ flip;
  }
};

// Where a pass reads and writes. If no digit varies at all, the last pass moves the elements. The
// last pass that moves them writes to `out`; but if the input is the spare memory, the first one
// does, and copy_if_even() follows.
typedef struct WideRoute {
  WideElements from, to;
  bool moves;
  unsigned int look_back;  // 0 or 1
} WideRoute;

static __device__ __forceinline__ WideRoute route_of(const WidePass &pass, WideElements in,
                                                     WideElements spare, WideElements out) {
  unsigned int before = 0, after = 0;
  for (unsigned int p = 0; p < pass.passes; p++) {
    if (pass.spread[p] == DIGIT_CONSTANT) continue;
    before += p < pass.number;
    after += p > pass.number;
  }
  const bool varies = pass.spread[pass.number] != DIGIT_CONSTANT;
  const bool only = before == 0 && pass.number == pass.passes - 1;
  const bool to_out = (in.keys == spare.keys ? before : after) % 2 == 0;
  return {before == 0 ? in
          : to_out    ? spare
                      : out,
          to_out ? out : spare, varies || only, before % 2};
}

template <int kItems>
struct WideSweepShared {
  unsigned int warp_bin[SWEEP_WARPS][BINS];  // counts; then four times the last slot taken
  unsigned int bin_shift[BINS];              // index in the output minus index in the tile
  unsigned int warp_sums[SWEEP_WARPS];
  unsigned int tile_number;
  Wide tile[SWEEP_THREADS * kItems];  // keys in order of their digits; then values
};

// The element of an array of which `place` is four times the index.
template <class T>
static __device__ __forceinline__ T *at_place(T *array, unsigned int place) {
  return (T *)((char *)array + place * opaque(sizeof(T) / 4));
}

// Moves the values by the places of their keys, through the tile.
template <int kItems, class Value>
static __device__ __forceinline__ void move_values(WideSweepShared<kItems> &shared,
                                                   const Value *from, Value *to, unsigned int begin,
                                                   unsigned int valid,
                                                   const unsigned int (&places)[kItems / 2],
                                                   const unsigned int (&digits)[kItems / 4]) {
  const unsigned int first = first_item<kItems>();
  const bool full = valid == SWEEP_THREADS * kItems;
  Value *const tile = (Value *)shared.tile;
  Value value[kItems];
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int i = first + u * WARP_SIZE;
    value[u] = from == NULL ? (Value)(begin + i) : full || i < valid ? __ldcs(&from[begin + i]) : 0;
  }
  __syncthreads();  // the keys have left the tile
#pragma unroll
  for (int u = 0; u < kItems; u++)
    *at_place(tile, places[u / 2] >> u % 2 * 16 & 0xffffu) = value[u];
  __syncthreads();
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int i = threadIdx.x + u * SWEEP_THREADS;
    if (full || i < valid) to[shared.bin_shift[byte_of(digits[u / 4], u % 4)] + i] = tile[i];
  }
}

// One tile of a pass; a barrier has to be before and behind. Value: of a value; None: there are
// none. Word: of the look-back.
template <int kItems, class Value, class Word, class DigitOf>
static __device__ __forceinline__ void sweep_wide_tile(WideSweepShared<kItems> &shared,
                                                       const WideRoute &route, unsigned int n,
                                                       const DigitOf &digit_of_key,
                                                       const WidePass &pass, unsigned int tile) {
  constexpr unsigned int kTile = SWEEP_THREADS * kItems;
  static_assert(kItems % RANK_BATCH == 0 && kTile <= 1 << 14, "places have 16 bits, digits 8");
  const unsigned int begin = tile * kTile, valid = n - begin < kTile ? n - begin : kTile;
  const size_t words = (size_t)pass.tiles * BINS, word_at = (size_t)tile * BINS + threadIdx.x;
  Word *const look_back = (Word *)pass.look_back + route.look_back * words;
  ((Word *)pass.look_back)[(1 - route.look_back) * words + word_at] = 0;

  // Load and count.
  Wide key[kItems];
  load(route.from.keys + begin, valid, key, digit_of_key.padding);
  unsigned int digits[kItems / 4];  // four in a register
  unsigned int *const bins = shared.warp_bin[threadIdx.x / WARP_SIZE];
  const unsigned int four = opaque(4);
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int digit = digit_of_key(key[u]);
    digits[u / 4] = with_byte(u % 4 == 0 ? 0 : digits[u / 4], u % 4, digit, 0);
    atomicAdd(at_offset(bins, digit * four), 1u);
  }
  __syncthreads();
  unsigned int counts[SWEEP_WARPS];
  const unsigned int count = count_bin(shared.warp_bin, counts);
  look_back_publish(&look_back[word_at],
                    count | (tile == 0 ? look_back_inclusive<Word> : look_back_partial<Word>));
  const unsigned int first = block_inclusive_scan_one_barrier(count, shared.warp_sums) - count;
  scan_warps(shared.warp_bin, counts, first);
  __syncthreads();

  // Rank.
  unsigned int places[kItems / 2];
#pragma unroll
  for (int q = 0; q < kItems; q += RANK_BATCH) {
    compiler_fence();
    unsigned int digit[RANK_BATCH], place[RANK_BATCH];
    take_slots<DIGIT_BITS>(
        four, [&](int i) { return byte_of(digits[q / 4], i); },
        [&](unsigned int of) { return at_offset(bins, of * four); }, digit, place);
#pragma unroll
    for (int i = 0; i < RANK_BATCH; i++) {
      *at_place(shared.tile, place[i]) = key[q + i];
      if (i % 2 == 1) places[(q + i) / 2] = place[i - 1] | place[i] << 16;
    }
  }

  // Look back.
  const Word before = look_back_sum(look_back + threadIdx.x, BINS, tile);
  if (tile > 0)
    look_back_publish(&look_back[word_at], (before + count) | look_back_inclusive<Word>);
  shared.bin_shift[threadIdx.x] = pass.start[threadIdx.x] + (unsigned int)before - first;
  __syncthreads();

  // Scatter.
  const bool full = valid == kTile;
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    if (u % SCATTER_BATCH == 0) compiler_fence();
    const unsigned int i = threadIdx.x + u * SWEEP_THREADS;
    const Wide moved = shared.tile[i];
    const unsigned int digit = digit_of_key(moved);
    if (full || i < valid) route.to.keys[*at_offset(shared.bin_shift, digit * four) + i] = moved;
    digits[u / 4] = with_byte(u % 4 == 0 ? 0 : digits[u / 4], u % 4, digit, 0);
  }
  if constexpr (!IS_NONE<Value>)
    move_values<kItems, Value>(shared, (const Value *)route.from.values, (Value *)route.to.values,
                               begin, valid, places, digits);
}

// All threads of a block: its next tile of a pass, whose bins are cleared.
template <int kItems>
static __device__ __forceinline__ unsigned int take_wide_tile(WideSweepShared<kItems> &shared,
                                                              unsigned int *tile_counter) {
  if (threadIdx.x == 0) shared.tile_number = atomicAdd(tile_counter, 1u);
  clear_bins(shared.warp_bin);
  __syncthreads();
  return shared.tile_number;
}

template <int kItems, int kBlocksPerSm, class Value, class Word, class DigitOf>
static __global__ void __launch_bounds__(SWEEP_THREADS, kBlocksPerSm)
    sweep_wide(WideElements in, WideElements spare, WideElements out, unsigned int n,
               WideBits number_of, WidePass pass) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  WideSweepShared<kItems> &shared = *(WideSweepShared<kItems> *)shared_memory;
  wait_for_previous_kernel();
  if (pass.varying != NULL && pass.varying->count == 0) return;
  const WideRoute route = route_of(pass, in, spare, out);
  if (!route.moves) return;
  const unsigned int tile = take_wide_tile(shared, pass.tile_counter);
  sweep_wide_tile<kItems, Value, Word>(shared, route, n, DigitOf(number_of, pass), pass, tile);
}

// Behind passes of which every other one writes to the input: `from` to `to`, if the last one did.
template <class T>
static __global__ void __launch_bounds__(SWEEP_THREADS)
    copy_if_even(const T *from, T *to, unsigned int n, const unsigned int *spread,
                 unsigned int passes) {
  wait_for_previous_kernel();
  unsigned int moved = 0;
  for (unsigned int p = 0; p < passes; p++) moved += spread[p] != DIGIT_CONSTANT;
  if (moved == 0 || moved % 2 == 1) return;
  const size_t threads = (size_t)gridDim.x * blockDim.x;
  for (size_t i = global_index(); i < n; i += threads) to[i] = from[i];
}

// All sweeps in one launch, as kernel/sweep.cuh. `first` is the first of them.
template <int kItems, int kBlocksPerSm, class Value, class Word>
static __global__ void __launch_bounds__(SWEEP_THREADS, kBlocksPerSm)
    sweep_wide_if_unsorted(WideElements in, WideElements spare, WideElements out, unsigned int most,
                           WideBits number_of, WidePass first, SweepState state, BehindWay way) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  WideSweepShared<kItems> &shared = *(WideSweepShared<kItems> *)shared_memory;
  wait_for_previous_kernel();
  if (is_sorted_already(way)) return;
  constexpr unsigned int kTile = SWEEP_THREADS * kItems;
  constexpr unsigned int kCopies =
      copies_in(sizeof shared, WIDE_PASSES * BINS * sizeof(unsigned int));
  PassesDone *const done = &way.findings->done;
  const unsigned int n = elements_of(way, most), tiles = n / kTile + (n % kTile > 0);
  count_in_parts(&done->count, gridDim.x, [&](unsigned int part) {
    count_wide_by_grid(shared_memory, kCopies, in.keys, n, number_of, state, first.varying,
                       gridDim.x, part, done);
  });
  unsigned int last = first.passes;  // pass that has moved the elements, if there is one
  for (unsigned int number = 0; number < first.passes; number++) {
    WidePass pass = first;
    pass.number = number;
    pass.start = state.start + number * BINS;
    const WideRoute route = route_of(pass, in, spare, out);
    if (!route.moves) continue;
    if (last < first.passes) wait_until(&done->tiles[last], tiles);
    const DigitOfWide<DIGIT_RUNS, true> digit_of_key(number_of, pass);
    unsigned int swept = 0;
    for (;; swept++) {
      const unsigned int tile = take_wide_tile(shared, state.tile_counter + number);
      if (tile >= tiles) break;
      sweep_wide_tile<kItems, Value, Word>(shared, route, n, digit_of_key, pass, tile);
      __syncthreads();
    }
    add_done(&done->tiles[number], swept);
    last = number;
  }
}

#endif
