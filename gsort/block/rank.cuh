// Ranking: the index in the tile of each of its keys, in order of their digits.
//
// radix_v5 ranks first and counts along. Here each warp counts its digits first, by shared atomics,
// so that the tile's counts are published early; the block turns the counts into indices; then each
// warp assigns its indices, one key of each lane at a time.
//
//   digits of a warp's lanes        [1 3 1 1]   and of its next keys  [3 1 1 3]
//   counted                         bin 1: 5, bin 3: 3
//   keys of earlier bins, warps     bin 1 begins at 40, bin 3 at 70
//   first keys                      [40 70 41 42]                     [71 43 44 72]
#ifndef GSORT_BLOCK_RANK_CUH
#define GSORT_BLOCK_RANK_CUH

#include "gsort/block/digits.cuh"
#include "gsort/warp/match.cuh"
#include "gsort/warp/scan.cuh"

enum {
  SWEEP_THREADS = BINS,  // threads of a block: one per bin
  SWEEP_WARPS = SWEEP_THREADS / WARP_SIZE,
  RANK_BATCH = 4,     // keys of a thread that are ranked at a time
  SCATTER_BATCH = 4,  // elements of a thread between two compiler fences
};

// Where the values of keys come from: nowhere, from memory, or they are the keys' indices.
typedef enum ValueKind { NO_VALUES, LOADED, MADE } ValueKind;

// Index in the tile of the thread's first element; the next ones follow WARP_SIZE apart. So a warp
// holds neighbours, its loads are coalesced, and (u, lane) is the order of the input.
template <int kItems>
static __device__ __forceinline__ unsigned int first_item(void) {
  return threadIdx.x / WARP_SIZE * WARP_SIZE * kItems + threadIdx.x % WARP_SIZE;
}

// The thread's items of in[0..valid), the tile's part of the input. The rest is padding: a key
// that ranks behind all others and is not written.
template <int kItems, class Key>
static __device__ __forceinline__ void load(const Key *in, unsigned int valid, Key (&item)[kItems],
                                            Key padding = ~(Key)0) {
  const unsigned int first = first_item<kItems>();
  in += first;  // the offsets below are constants, so a load is one instruction
  if (valid == SWEEP_THREADS * kItems) {
#pragma unroll
    for (int u = 0; u < kItems; u++) item[u] = __ldcs(&in[u * WARP_SIZE]);
  } else {
#pragma unroll
    for (int u = 0; u < kItems; u++)
      item[u] = first + u * WARP_SIZE < valid ? __ldcs(&in[u * WARP_SIZE]) : padding;
  }
}

// Zeroes the bins of the caller's warp.
static __device__ __forceinline__ void clear_bins(unsigned int (*warp_bin)[BINS]) {
#pragma unroll
  for (int i = 0; i < BINS; i += WARP_SIZE)
    warp_bin[threadIdx.x / WARP_SIZE][threadIdx.x % WARP_SIZE + i] = 0;
}

// Adds the thread's keys to the histogram of its warp.
template <int kItems, class DigitOf>
static __device__ __forceinline__ void count_in_warp(unsigned int (*warp_bin)[BINS],
                                                     const unsigned int (&key)[kItems],
                                                     DigitOf digit_of) {
  const unsigned int four = opaque(4);
#pragma unroll
  for (int u = 0; u < kItems; u++)
    atomicAdd(at_offset(warp_bin[threadIdx.x / WARP_SIZE], digit_of(key[u]) * four), 1u);
}

// The tile's count of the thread's bin; counts[] are the counts of its warps.
static __device__ __forceinline__ unsigned int count_bin(const unsigned int (*warp_bin)[BINS],
                                                         unsigned int (&counts)[SWEEP_WARPS]) {
  unsigned int sum = 0;
#pragma unroll
  for (int warp = 0; warp < SWEEP_WARPS; warp++) {
    counts[warp] = warp_bin[warp][threadIdx.x];
    sum += counts[warp];
  }
  return sum;
}

// Replaces each warp's count of the thread's bin, which begins at index `place` of the tile, by the
// byte offset of the slot before the warp's first key: the inclusive count of matching lanes then
// gives a key's slot without a further subtraction, and bytes need no shift.
static __device__ __forceinline__ void scan_warps(unsigned int (*warp_bin)[BINS],
                                                  const unsigned int (&counts)[SWEEP_WARPS],
                                                  unsigned int place) {
  unsigned int last = (place - 1) * 4;  // wraps around for index 0; only sums are used
#pragma unroll
  for (int warp = 0; warp < SWEEP_WARPS; warp++) {
    warp_bin[warp][threadIdx.x] = last;
    last += counts[warp] * 4;
  }
}

// The digits digit_of(0), .. of some elements of each lane, and their slots, in the order of the
// input: elements of a warp with equal digits get slots `unit` bytes apart, behind *bin_of(digit),
// the byte offset of the last slot taken.
template <int kBits, int kBatch, class DigitOf, class BinOf>
static __device__ __forceinline__ void take_slots(unsigned int unit, DigitOf digit_of, BinOf bin_of,
                                                  unsigned int (&digit)[kBatch],
                                                  unsigned int (&place)[kBatch]) {
  const unsigned int lane = threadIdx.x % WARP_SIZE;
  const unsigned int up_to_me = 0xffffffffu >> (WARP_SIZE - 1 - lane), above = ~up_to_me;
  unsigned int lanes[kBatch];
#pragma unroll
  for (int q = 0; q < kBatch; q++) {
    digit[q] = digit_of(q);
    lanes[q] = match_digit<kBits>(digit[q]);
  }
#pragma unroll
  for (int q = 0; q < kBatch; q++) {
    unsigned int *const bin = bin_of(digit[q]);
    place[q] = (unsigned int)__popc((int)(lanes[q] & up_to_me)) * unit + *bin;
    __syncwarp();
    // The rank of the last matching lane counts all of them.
    store_shared_if_zero(lanes[q] & above, bin, place[q]);
    __syncwarp();
  }
}

// Ranks the keys of a warp in the order of the input, by ballots, and puts them into the tile: four
// at a time, so that ballots of one key overlap with shared memory accesses of another. last[BINS]
// are the warp's bins: the byte offset of the last slot taken. places[] receives the keys' byte
// offsets in the tile, two of 16 bits in each element. With LOADED or MADE the register of a ranked
// key receives its value, so that values arrive while other keys are ranked.
template <int kItems, ValueKind kValues, class DigitOf>
static __device__ __forceinline__ void rank_by_ballots(unsigned int *last, unsigned int *tile,
                                                       unsigned int (&item)[kItems],
                                                       const unsigned int *values,
                                                       unsigned int begin, unsigned int valid,
                                                       DigitOf digit_of, unsigned int *places) {
  const unsigned int first_place = first_item<kItems>();
  const bool full = valid == SWEEP_THREADS * kItems;
  if (kValues == LOADED) values += begin + first_place;
  const unsigned int four = opaque(4);
  const auto bin_of = [&](unsigned int digit) { return at_offset(last, digit * four); };
#pragma unroll
  for (int first = 0; first < kItems; first += RANK_BATCH) {
    compiler_fence();
    unsigned int digit[RANK_BATCH], place[RANK_BATCH];
    const auto digit_at = [&](int q) { return digit_of(item[first + q]); };
    take_slots<DIGIT_BITS>(four, digit_at, bin_of, digit, place);
#pragma unroll
    for (int q = 0; q < RANK_BATCH; q++) {
      *at_offset(tile, place[q]) = item[first + q];
      const int i = (first + q) * WARP_SIZE;
      if (kValues == LOADED && (full || first_place + i < valid))
        item[first + q] = __ldcs(&values[i]);
      if (kValues == MADE) item[first + q] = begin + first_place + i;
      if (kValues != NO_VALUES && q % 2 == 1)
        places[(first + q) / 2] = opaque(place[q - 1] | place[q] << 16);
    }
  }
}

// Ranks and places keys like rank_by_ballots(), but in any order within a digit: each atomic hands
// out a slot. A quarter of the instructions. Only for the first pass over bare keys, where keys of
// equal digits have no order to keep yet, and only for even digits, as atomics on one bin
// serialise.
template <int kItems, class DigitOf>
static __device__ __forceinline__ void rank_by_atomics(unsigned int *last, unsigned int *tile,
                                                       const unsigned int (&key)[kItems],
                                                       DigitOf digit_of) {
#pragma unroll
  for (int first = 0; first < kItems; first += RANK_BATCH) {
    unsigned int place[RANK_BATCH];
#pragma unroll
    for (int q = 0; q < RANK_BATCH; q++)
      place[q] = atomicAdd(at_offset(last, digit_of(key[first + q]) * 4), 4u) + 4;
#pragma unroll
    for (int q = 0; q < RANK_BATCH; q++) *at_offset(tile, place[q]) = key[first + q];
  }
}

// Puts the values into the tile at the indices of their keys.
template <int kItems>
static __device__ __forceinline__ void exchange_values(unsigned int *tile,
                                                       const unsigned int (&value)[kItems],
                                                       const unsigned int *places) {
#pragma unroll
  for (int u = 0; u < kItems; u++)
    *at_offset(tile, places[u / 2] >> u % 2 * 16 & 0xffffu) = value[u];
}

#endif
