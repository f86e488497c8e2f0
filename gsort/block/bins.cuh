// Keys of a block to the bins of a digit, in any order within a bin: by shared atomics, three
// instructions a key where ballots need thirty.
#ifndef GSORT_BLOCK_BINS_CUH
#define GSORT_BLOCK_BINS_CUH

#include <type_traits>

#include "gsort/block/scan.cuh"
#include "gsort/warp/instructions.cuh"

enum {
  PLACE_BATCH = 4,  // keys of a thread that are placed at a time
};

// A digit of any width; its values are the bins of a block.
typedef struct Digit {
  int shift;          // at least 2 + copy_bits
  unsigned int mask;  // bins - 1
  unsigned int flip;  // XORed with the digit
  int copy_bits;      // each bin has 2^copy_bits counters side by side
} Digit;

// The first counter of a key's bin. Two instructions: a shift, and one for all the logic.
static __device__ __forceinline__ unsigned int *bin_of(unsigned int *bin, unsigned int key,
                                                       Digit digit) {
  const int bytes = 2 + digit.copy_bits;
  return at_offset(bin, (key >> (digit.shift - bytes) & digit.mask << bytes) ^ digit.flip << bytes);
}

// The same digit, opaque to the compiler, which would otherwise keep the bins of all keys in
// registers from one step to the next and spill.
static __device__ __forceinline__ Digit opaque_digit(Digit digit) {
  digit.shift = (int)opaque((unsigned int)digit.shift);
  return digit;
}

// counter[0..count) = 0; 16-byte aligned, count a multiple of 4.
template <int kThreads>
static __device__ __forceinline__ void clear_counters(unsigned int *counter, unsigned int count) {
  for (unsigned int i = threadIdx.x; i < count / 4; i += kThreads)
    ((uint4 *)counter)[i] = make_uint4(0, 0, 0, 0);
}

template <int kItems>
static __device__ __forceinline__ void count_in_bins(const unsigned int *key, Digit digit,
                                                     unsigned int *bin) {
#pragma unroll
  for (int u = 0; u < kItems; u++) atomicAdd(bin_of(bin, key[u], digit), 1u);
}

// Puts each key into the tile at the index that the counter of its bin holds, and increments it.
template <int kItems>
static __device__ __forceinline__ void place_in_tile(const unsigned int *key, Digit digit,
                                                     unsigned int *bin, unsigned int *tile) {
  unsigned int place[kItems];
#pragma unroll
  for (int u = 0; u < kItems; u++) place[u] = atomicAdd(bin_of(bin, key[u], digit), 1u);
#pragma unroll
  for (int u = 0; u < kItems; u++) tile[place[u]] = key[u];
}

// body(is_whole) for a tile, with a constant for a parameter: a whole tile needs no test for each
// of its keys.
template <class Body>
static __device__ __forceinline__ void for_tile(bool is_whole, Body body) {
  if (is_whole)
    body(std::true_type());
  else
    body(std::false_type());
}

// Whether all lanes of a warp have a key of the same bin, as keys in order mostly do.
static __device__ __forceinline__ bool share_bin(unsigned int bin) {
  return __all_sync(0xffffffffu, bin == __shfl_sync(0xffffffffu, bin, 0)) != 0;
}

// Counts kItems keys of a thread, key u in bin_of(u), and calls put(u, rank): for keys in order, of
// which a warp's lanes would queue for the counter of the bin that they share.
template <int kItems, class BinOf, class Put>
static __device__ __forceinline__ void rank_in_order(unsigned int *count, BinOf bin_of, Put put) {
  const unsigned int lane = threadIdx.x % WARP_SIZE;
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int bin = bin_of(u);
    if (!share_bin(bin)) {
      put(u, atomicAdd(&count[bin], 1u));
      continue;
    }
    unsigned int first = 0;
    if (lane == 0) first = atomicAdd(&count[bin], (unsigned int)WARP_SIZE);
    put(u, __shfl_sync(0xffffffffu, first, 0) + lane);
  }
}

// Exclusive scan over counter[0..kThreads * kEach), in place; each thread scans kEach consecutive
// counters. A bin has `copies` consecutive counters; first[b] becomes the scan at the first of bin
// b, for b < bins. Returns the largest count among the thread's counters. Contains one barrier; the
// caller must follow with another.
//   counter  [3 1 7 0], 2 copies  ->  [0 3 4 11], first [0 4]
template <int kEach>
static __device__ __forceinline__ unsigned int scan_counters(unsigned int *counter,
                                                             unsigned int *warp_sums,
                                                             unsigned int copies,
                                                             unsigned int *first,
                                                             unsigned int bins) {
  static_assert(kEach % 4 == 0, "16 bytes at a time");
  const unsigned int begin = threadIdx.x * kEach;
  unsigned int count[kEach], sum = 0, largest = 0;
#pragma unroll
  for (int i = 0; i < kEach; i += 4) {
    const uint4 four = *(const uint4 *)&counter[begin + i];
    count[i] = four.x, count[i + 1] = four.y, count[i + 2] = four.z, count[i + 3] = four.w;
  }
#pragma unroll
  for (int i = 0; i < kEach; i++) {
    sum += count[i];
    largest = max(largest, count[i]);
  }
  unsigned int before = block_inclusive_scan_one_barrier(sum, warp_sums) - sum;
#pragma unroll
  for (int i = 0; i < kEach; i++) {
    const unsigned int next = before + count[i];
    count[i] = before;
    before = next;
  }
#pragma unroll
  for (int i = 0; i < kEach; i += 4)
    *(uint4 *)&counter[begin + i] = make_uint4(count[i], count[i + 1], count[i + 2], count[i + 3]);
#pragma unroll
  for (int i = 0; i < kEach; i++)
    if ((begin + i) % copies == 0 && (begin + i) / copies < bins)
      first[(begin + i) / copies] = count[i];
  return largest;
}

#endif
