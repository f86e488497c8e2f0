// The lower digits of pairs: a block per bucket, in shared memory.
//
// The block sorts elements of 32 bits: the key's low bits above the pair's index in the bucket.
// These are all different, so they may be sorted by any means, stable or not, and values are
// fetched by index at the end.
//
//   bucket           (5 a) (3 b) (5 c) (1 d)
//   elements         5.0   3.1   5.2   1.3
//   sorted           1.3   3.1   5.0   5.2
//   fetched          (1 d) (3 b) (5 a) (5 c)
//
// They go to bins by their highest bits. There are enough bins that each holds a few elements,
// which a thread sorts in registers, or a warp by counting. A block with a crowded bin sorts by
// stable passes instead (passes.cuh).
#ifndef GSORT_BLOCK_PAIR_BLOCK_CUH
#define GSORT_BLOCK_PAIR_BLOCK_CUH

#include "gsort/block/bins.cuh"
#include "gsort/block/passes.cuh"
#include "gsort/warp/small_sorts.cuh"

// A block leaves begin % 32 slots empty before its bucket, so that its warps access whole sectors.
enum { MOST_LEAD = 31 };

enum {
  PADDED_ROWS = 3,  // elements of a thread that are loaded, or padded, or not at all
};

// Where the low bits of a key are, once the bucket is in order: in its element; if that has no room
// for all of them, its first ones follow from the bin that it is in, as these are in order; or keys
// are fetched like values.
enum LowBits { IN_ELEMENT, PARTLY_BY_BIN, FETCHED };

// Shared memory. As little as possible, because the rest of it serves as the L1 cache.
template <int kThreads, int kItems, int kBinBits, int kLowBits>
struct PairBlockShared {
  static constexpr int kCapacity = kThreads * kItems, kBins = 1 << kBinBits;
  static constexpr int kPadding = kThreads * PADDED_ROWS;
  static constexpr int kBinWords = kPadding + kBins + WARP_SIZE;
  static constexpr int kPassWords = kThreads / WARP_SIZE * PASS_BINS;
  // Elements, and behind them room for padding; when that has been placed, for full_bins().
  unsigned int element[kCapacity];
  // Then bins; those behind the first kBins are for padding, one for each lane. Or all of it is
  // what the passes count in.
  unsigned int extra[kBinWords > kPassWords ? kBinWords : kPassWords];
  unsigned int value[kCapacity];
  unsigned int key[kLowBits == FETCHED ? kCapacity : 4];
  unsigned char first_bits[kLowBits == PARTLY_BY_BIN ? kCapacity : 4];  // for passes: what has no
                                                                        // room in elements
  unsigned int warp_sums[MAX_WARPS];
  unsigned int full_count;
  SeenBits seen;

  __device__ unsigned int *bin() { return extra + kPadding; }
  // Bins that a warp sorts: first element x 2^16 | members. At most one for FULL elements.
  __device__ unsigned int *full_bins() { return extra; }
};

// The key of an element of PARTLY_BY_BIN, for sort_by_passes.
template <int kPlaceBits>
struct KeyInTwoParts {
  const unsigned char *first_bits;
  __device__ __forceinline__ unsigned int operator()(unsigned int element) const {
    return element >> kPlaceBits | (unsigned int)first_bits[element & ((1u << kPlaceBits) - 1)]
                                       << (32 - kPlaceBits);
  }
};

// Exclusive scan over bin[0..kBins), in place; returns the largest of the thread's own. Barriers
// inside, and one has to follow.
//   bin  [3 1 7 0]  ->  [0 3 4 11]
template <int kThreads, int kBins>
static __device__ __forceinline__ unsigned int scan_bins_of_block(unsigned int *bin,
                                                                  unsigned int *warp_sums) {
  constexpr int kEach = kBins / kThreads;                             // bins of a thread
  constexpr int kWide = kEach % 4 == 0 ? 4 : kEach % 2 == 0 ? 2 : 1;  // bins read at a time
  typedef struct __align__(4 * kWide) Bins {
    unsigned int count[kWide];
  }
  Bins;
  Bins *const mine = (Bins *)(bin + threadIdx.x * kEach);
  Bins part[kEach / kWide];
  unsigned int sum = 0, largest = 0;
#pragma unroll
  for (int i = 0; i < kEach; i++) {
    if (i % kWide == 0) part[i / kWide] = mine[i / kWide];
    sum += part[i / kWide].count[i % kWide];
    largest = max(largest, part[i / kWide].count[i % kWide]);
  }
  unsigned int before = scan_threads<kThreads>(sum, warp_sums) - sum;
#pragma unroll
  for (int i = 0; i < kEach; i++) {
    const unsigned int count = part[i / kWide].count[i % kWide];
    part[i / kWide].count[i % kWide] = before;
    before += count;
    if (i % kWide == kWide - 1) mine[i / kWide] = part[i / kWide];
  }
  return largest;
}

// Sorts the elements of each bin; bin[b] is where bin b ends. Bins with more than kFew are
// left for a warp each.
template <int kFew, int kThreads, int kItems, int kBinBits, int kLowBits>
static __device__ __forceinline__ void sort_pair_bins(
    PairBlockShared<kThreads, kItems, kBinBits, kLowBits> &shared) {
  constexpr unsigned int kBins = 1u << kBinBits;
  static_assert(
      kThreads * kItems / kFew <= PairBlockShared<kThreads, kItems, kBinBits, kLowBits>::kPadding,
      "room for full bins");
  const unsigned int *const bin = shared.bin();
#pragma unroll 2
  for (unsigned int b = threadIdx.x; b < kBins; b += kThreads) {
    const unsigned int first = b == 0 ? 0 : bin[b - 1];
    const int members = (int)(bin[b] - first);
    if (members > kFew)
      shared.full_bins()[atomicAdd(&shared.full_count, 1u)] = first << 16 | (unsigned int)members;
    else if (members > 1)
      sort_few<kFew>(&shared.element[first], members);
  }
}

// Sorts what the block's threads hold: key[u] is that of index p = threadIdx.x + u * kThreads, for
// lead <= p < behind, and goes to a bin by `binned`, which grows with it, from bit low_bits down.
// Leaves the indices, in order, in the lower bits of element[0..behind - lead).
//
// kPadded: binned[u] without a pair has the bit above low_bits set where digit.flip has not. Tests
// for each pair, as without it, cost more than padding.
// by_passes: whatever the bins are; the same for all threads. Returns whether passes have sorted.
template <int kFew, bool kPadded, int kThreads, int kItems, int kBinBits, int kLowBits>
static __device__ __forceinline__ bool order_places(
    PairBlockShared<kThreads, kItems, kBinBits, kLowBits> &shared,
    const unsigned int (&binned)[kItems], const unsigned int (&key)[kItems], unsigned int lead,
    unsigned int behind, Digit digit, int low_bits, bool by_passes) {
  typedef PairBlockShared<kThreads, kItems, kBinBits, kLowBits> Shared;
  constexpr unsigned int kCapacity = Shared::kCapacity, kBins = Shared::kBins;
  constexpr int kPlaceBits = bits_to_count(kCapacity);
  constexpr int kRows = kPadded ? PADDED_ROWS : 1;
  static_assert(kItems % kRows == 0, "whole groups");
  // Of kRows rows a thread, a warp leaves out what it has not got at all.
  const unsigned int first = kPadded ? threadIdx.x & ~(WARP_SIZE - 1u) : threadIdx.x;
  const bool in_first = kPadded || threadIdx.x >= lead;
  unsigned int *const bin = shared.bin();
  if (!by_passes) {
#pragma unroll
    for (int u = 0; u < kItems; u += kRows)
      if (first + u * kThreads < behind && (u > 0 || in_first))
#pragma unroll
        for (int q = 0; q < kRows; q++) atomicAdd(bin_of(bin, binned[u + q], digit), 1u);
    __syncthreads();
    const unsigned int largest = scan_bins_of_block<kThreads, (int)kBins>(bin, shared.warp_sums);
    if (kPadded && threadIdx.x < WARP_SIZE)  // room for what each warp has of padding in this lane
      bin[kBins + threadIdx.x] = kCapacity + threadIdx.x * (kThreads / WARP_SIZE * PADDED_ROWS);
    by_passes = __syncthreads_or(largest > MOST_IN_BIN) != 0;
  }
  if (!by_passes) {
    digit = opaque_digit(digit);
#pragma unroll
    for (int u = 0; u < kItems; u += kRows)
      if (first + u * kThreads < behind && (u > 0 || in_first)) {
        unsigned int to[kRows];
#pragma unroll
        for (int q = 0; q < kRows; q++) to[q] = atomicAdd(bin_of(bin, binned[u + q], digit), 1u);
#pragma unroll
        for (int q = 0; q < kRows; q++) {
          const unsigned int p = threadIdx.x + (u + q) * kThreads;
          *(shared.element + to[q]) = (binned[u + q] << kPlaceBits) + p;
          if (kLowBits == FETCHED) shared.key[p] = key[u + q];
        }
      }
    __syncthreads();
    sort_pair_bins<kFew>(shared);
    __syncthreads();
    const unsigned int full = shared.full_count;
    if (full == 0) return false;
    for (unsigned int f = threadIdx.x / WARP_SIZE; f < full; f += kThreads / WARP_SIZE)
      rank_in_bin<false>(&shared.element[shared.full_bins()[f] >> 16],
                         shared.full_bins()[f] & 0xffffu);
    __syncthreads();
    return false;
  }
  see_bits<kThreads>(key, lead, behind, &shared.seen);
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int p = threadIdx.x + u * kThreads;
    if (p < behind && p >= lead) {
      shared.element[p - lead] = kLowBits == FETCHED ? p : (key[u] << kPlaceBits) + p;
      if (kLowBits == FETCHED) shared.key[p] = key[u];
      if (kLowBits == PARTLY_BY_BIN)
        shared.first_bits[p] = (unsigned char)(key[u] >> (32 - kPlaceBits));
    }
  }
  __syncthreads();
  const unsigned int all = low_bits < 32 ? (1u << low_bits) - 1 : ~0u;
  const unsigned int varying = shared.seen.set & shared.seen.clear & all;
  const auto sort_by = [&](auto key_of) {
    sort_by_passes<kThreads, kItems>(shared.element, behind - lead, key_of, varying, shared.extra,
                                     shared.warp_sums);
  };
  if constexpr (kLowBits == FETCHED)
    sort_by(KeyAtIndex{shared.key});
  else if constexpr (kLowBits == PARTLY_BY_BIN)
    sort_by(KeyInTwoParts<kPlaceBits>{shared.first_bits});
  else
    sort_by(KeyInElement{kPlaceBits});
  return true;
}

// Before order_places(), and a barrier.
template <class Shared>
static __device__ __forceinline__ void prepare_block(Shared &shared) {
  for (unsigned int i = threadIdx.x; i < (Shared::kBins + WARP_SIZE) / 4; i += blockDim.x)
    ((uint4 *)shared.bin())[i] = make_uint4(0, 0, 0, 0);
  if (threadIdx.x > 0) return;
  shared.full_count = 0;
  shared.seen = {0, 0};
}

#endif
