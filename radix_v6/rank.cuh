// Ranking: where in a tile does each of its keys go, if the tile is to be in order of their digits?
//
// Each warp counts its keys by digit; the block turns the counts into places; and then each warp
// deals out its places, a key of each lane at a time.
//
//   digits of a warp's lanes        [1 3 1 1]   and of its next keys  [3 1 1 3]
//   counted                         bin 1: 5, bin 3: 3
//   places of earlier bins, warps   bin 1 begins at 40, bin 3 at 70
//   first keys                      [40 70 41 42]                     [71 43 44 72]
#ifndef RADIX_V6_RANK_CUH
#define RADIX_V6_RANK_CUH

#include "common/block_scan.cuh"
#include "radix_v6/instructions.cuh"
#include "radix_v6/layout.cuh"

enum {
  SWEEP_THREADS = BINS,  // of a block: one for each bin
  SWEEP_WARPS = SWEEP_THREADS / WARP_SIZE,
  RANK_BATCH = 4,   // keys of a thread that are ranked at a time
  WRITE_BATCH = 4,  // elements of a thread that are on their way to memory at a time
};

// The lanes whose digit equals mine. On Hopper eight ballots are faster than __match_any_sync; on
// the cpu backend it is the other way round.
static __device__ __forceinline__ unsigned int lanes_with_digit(unsigned int digit) {
#ifdef CUDA_CPU
  return __match_any_sync(0xffffffffu, digit);
#else
  unsigned int lanes[DIGIT_BITS];
#pragma unroll
  for (int bit = 0; bit < DIGIT_BITS; bit++) lanes[bit] = lanes_with_bit(digit, 1u << bit);
  return and3(and3(lanes[0], lanes[1], lanes[2]), and3(lanes[3], lanes[4], lanes[5]),
              lanes[6] & lanes[7]);
#endif
}

// Where the elements of the calling thread stand in a tile: those of a warp are neighbours, those
// of a lane WARP_SIZE apart, so that loads are coalesced and their order is that of the lanes.
template <int kItems>
static __device__ __forceinline__ unsigned int first_item(void) {
  return threadIdx.x / WARP_SIZE * WARP_SIZE * kItems + threadIdx.x % WARP_SIZE;
}

// The thread's keys. What lies beyond the end is padded with the largest key: it is ranked last and
// not written.
template <int kItems>
static __device__ __forceinline__ void load_keys(const unsigned int *in, unsigned int valid,
                                                 unsigned int (&key)[kItems]) {
  const unsigned int first = first_item<kItems>();
  in += first;  // what is added to it below is known to the compiler: one instruction per load
  if (valid == SWEEP_THREADS * kItems) {
#pragma unroll
    for (int u = 0; u < kItems; u++) key[u] = __ldcs(&in[u * WARP_SIZE]);
  } else {
#pragma unroll
    for (int u = 0; u < kItems; u++)
      key[u] = first + u * WARP_SIZE < valid ? __ldcs(&in[u * WARP_SIZE]) : 0xffffffffu;
  }
}

// Clears the bins of the calling thread's warp.
static __device__ __forceinline__ void clear_bins(unsigned int (*warp_bin)[BINS]) {
#pragma unroll
  for (int i = 0; i < BINS; i += WARP_SIZE)
    warp_bin[threadIdx.x / WARP_SIZE][threadIdx.x % WARP_SIZE + i] = 0;
}

// Counts the thread's keys in the bins of its warp.
template <int kItems>
static __device__ __forceinline__ void count_keys(unsigned int (*warp_bin)[BINS],
                                                  const unsigned int (&key)[kItems],
                                                  unsigned int byte) {
  const unsigned int four = forget(4);
#pragma unroll
  for (int u = 0; u < kItems; u++)
    atomicAdd(at_offset(warp_bin[threadIdx.x / WARP_SIZE], byte_of(key[u], byte) * four), 1u);
}

// A thread per bin: what the warps of the tile hold of it, and their sum.
static __device__ __forceinline__ unsigned int sum_bin(const unsigned int (*warp_bin)[BINS],
                                                       unsigned int (&counts)[SWEEP_WARPS]) {
  unsigned int sum = 0;
#pragma unroll
  for (int warp = 0; warp < SWEEP_WARPS; warp++) {
    counts[warp] = warp_bin[warp][threadIdx.x];
    sum += counts[warp];
  }
  return sum;
}

// Turns the warps' counts of a bin that starts at `place` in the tile into places: of the last key
// that the warps before have put there, which is one less than where the warp's first key goes, and
// in bytes, as they are used for addresses.
static __device__ __forceinline__ void place_bin(unsigned int (*warp_bin)[BINS],
                                                 const unsigned int (&counts)[SWEEP_WARPS],
                                                 unsigned int place) {
  unsigned int last = (place - 1) * 4;  // "-4" before the very first: it is only added to
#pragma unroll
  for (int warp = 0; warp < SWEEP_WARPS; warp++) {
    warp_bin[warp][threadIdx.x] = last;
    last += counts[warp] * 4;
  }
}

// Ranks the keys of a warp and puts them into the tile: four at a time, so that the ballots of one
// overlap with the shared memory accesses of another. `last` are the warp's bins. places[] keeps
// where the keys went, in bytes, two of 16 bits a word. With kFetch the register of a key that is
// done takes its position, which arrives while the rest is ranked.
template <int kItems, bool kPairs, bool kFetch>
static __device__ __forceinline__ void rank_keys(unsigned int *last, unsigned int *tile,
                                                 unsigned int (&item)[kItems],
                                                 const unsigned int *positions, unsigned int valid,
                                                 unsigned int byte, unsigned int *places) {
  const unsigned int first_place = first_item<kItems>();
  const bool full = valid == SWEEP_THREADS * kItems;
  positions += first_place;
  const unsigned int lane = threadIdx.x % WARP_SIZE, four = forget(4);
  const unsigned int up_to_me = 0xffffffffu >> (WARP_SIZE - 1 - lane), above = ~up_to_me;
#pragma unroll
  for (int first = 0; first < kItems; first += RANK_BATCH) {
    keep_order();
    unsigned int digit[RANK_BATCH], lanes[RANK_BATCH], place[RANK_BATCH];
#pragma unroll
    for (int q = 0; q < RANK_BATCH; q++) {
      digit[q] = byte_of(item[first + q], byte);
      lanes[q] = lanes_with_digit(digit[q]);
    }
#pragma unroll
    for (int q = 0; q < RANK_BATCH; q++) {
      unsigned int *const bin = at_offset(last, digit[q] * four);
      place[q] = (unsigned int)__popc((int)(lanes[q] & up_to_me)) * four + *bin;
      __syncwarp();
      // The last lane with this digit has counted them all.
      store_shared_if_zero(lanes[q] & above, bin, place[q]);
      __syncwarp();
    }
#pragma unroll
    for (int q = 0; q < RANK_BATCH; q++) {
      *at_offset(tile, place[q]) = item[first + q];
      const int i = (first + q) * WARP_SIZE;
      if (kFetch && (full || first_place + i < valid)) item[first + q] = __ldcs(&positions[i]);
      if (kPairs && q % 2 == 1) places[(first + q) / 2] = forget(place[q - 1] | place[q] << 16);
    }
  }
}

// The same for a pass that need not keep the order of equal digits, which is the first pass over
// bare keys: nobody can tell one order from another. Shared atomics then give the places, with a
// quarter of the instructions; but keys of one digit queue up for their counter, so digits have to
// be even.
template <int kItems>
static __device__ __forceinline__ void rank_keys_unordered(unsigned int *last, unsigned int *tile,
                                                           const unsigned int (&key)[kItems],
                                                           unsigned int byte) {
#pragma unroll
  for (int first = 0; first < kItems; first += RANK_BATCH) {
    unsigned int place[RANK_BATCH];
#pragma unroll
    for (int q = 0; q < RANK_BATCH; q++)
      place[q] = atomicAdd(at_offset(last, byte_of(key[first + q], byte) * 4), 4u) + 4;
#pragma unroll
    for (int q = 0; q < RANK_BATCH; q++) *at_offset(tile, place[q]) = key[first + q];
  }
}

// Puts the positions where their keys went.
template <int kItems>
static __device__ __forceinline__ void place_positions(unsigned int *tile,
                                                       const unsigned int (&position)[kItems],
                                                       const unsigned int *places) {
#pragma unroll
  for (int u = 0; u < kItems; u++)
    *at_offset(tile, places[u / 2] >> u % 2 * 16 & 0xffffu) = position[u];
}

#endif
