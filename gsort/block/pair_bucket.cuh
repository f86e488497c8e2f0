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
#ifndef GSORT_BLOCK_PAIR_BUCKET_CUH
#define GSORT_BLOCK_PAIR_BUCKET_CUH

#include "gsort/block/bins.cuh"
#include "gsort/block/passes.cuh"
#include "gsort/block/range_map.cuh"
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

// How many keys may be equal on average, so that the buckets of n keys, by their first `bits` bits,
// fit into blocks. density: in the fullest part, times its share. Sizes spread by the square root
// of what they are on average, times that of the number of equal keys; 4.9 times that is exceeded
// in one of 2 x 10^6 buckets.
static inline double equals_that_fit(size_t n, double density, int bits, unsigned int capacity) {
  const double average = (double)n * density / (double)(1 << bits);
  const double spare = capacity - MOST_LEAD - average;
  return spare > 0 ? spare * spare / (24 * average) : 0;
}

// How many pairs a bucket has, and where they go in the output.
typedef struct BucketPlace {
  unsigned int count, to;
} BucketPlace;

// A bucket's pairs, side by side: that of the calling thread, and others at an offset to it.
struct PairsSideBySide {
  const uint2 *of_thread;
  __device__ __forceinline__ const uint2 *operator()(int offset) const {
    return &of_thread[offset];
  }
};

static __device__ __forceinline__ PairsSideBySide pairs_from(const uint2 *in, unsigned int from,
                                                             unsigned int lead) {
  return {opaque_address(in + ((size_t)from - lead + threadIdx.x))};
}

// The first bits of a bucket's keys in order that have no room in their elements: the number of the
// group of bins that an element is in. Each lane asks for elements in ascending order.
struct GroupOfElement {
  const unsigned int *bin;  // [b] where the elements of bin b end
  int bits;                 // of the number of a bin in its group
  unsigned int group, end;
  // from: the first element of the warp.
  __device__ __forceinline__ void begin(const unsigned int *bins, int bits_in_group, int groups,
                                        unsigned int from) {
    bin = bins;
    bits = bits_in_group;
    group = 0;
    for (int base = 0; base < groups; base += WARP_SIZE) {
      const int mine = base + (int)(threadIdx.x % WARP_SIZE);
      const bool before = mine < groups && end_of((unsigned int)mine) <= from;
      group += (unsigned int)__popc((int)__ballot_sync(0xffffffffu, before));
    }
    end = end_of(group);
  }
  __device__ __forceinline__ unsigned int of(unsigned int element) {
    while (element >= end) end = end_of(++group);
    return group;
  }

 private:
  __device__ __forceinline__ unsigned int end_of(unsigned int g) const {
    return bin[((g + 1) << bits) - 1];
  }
};

// The keys of numbers: with(body) calls body(key_of), where key_of(number) is a key.
struct CodedKeys {
  KeyCode code;
  template <class Body>
  __device__ __forceinline__ void with(Body body) const {
    body(
        [=, *this](unsigned int number) { return is_plain(code) ? number : decode(code, number); });
  }
};

// As CodedKeys, of numbers that may be mapped.
struct MappedKeys {
  KeyCode code;
  const Findings *findings;
  template <class Body>
  __device__ __forceinline__ void with(Body body) const {
    const RangeMap *const map = range_map_of(findings);
    if (map == NULL)
      CodedKeys{code}.with(body);
    else
      body([=, *this](unsigned int number) { return decode(code, unmap_key(*map, number)); });
  }
};

// Writes the bucket that order_places() has left in order; upper: the bits that all of its keys
// share.
template <int kThreads, int kItems, int kBinBits, int kLowBits, class KeyOf>
static __device__ __forceinline__ void write_pairs_of_bucket(
    PairBlockShared<kThreads, kItems, kBinBits, kLowBits> &shared, BucketPlace place, Elements out,
    KeyOf key_of, int low_bits, unsigned int upper, bool by_passes) {
  typedef PairBlockShared<kThreads, kItems, kBinBits, kLowBits> Shared;
  constexpr int kPlaceBits = bits_to_count(Shared::kCapacity);
  constexpr unsigned int kPlaces = (1u << kPlaceBits) - 1;
  constexpr bool kGroups = kLowBits == PARTLY_BY_BIN;
  const unsigned int lead = place.to % WARP_SIZE, end = opaque(lead + place.count);
  const size_t to = (size_t)place.to - lead;
  if (kGroups && by_passes) {
    for (unsigned int p = threadIdx.x; p < end; p += kThreads) {
      if (p < lead) continue;
      const unsigned int element = shared.element[p - lead], index = element & kPlaces;
      const unsigned int key = KeyInTwoParts<kPlaceBits>{shared.first_bits}(element);
      out.keys[to + p] = key_of(key | upper);
      out.values[to + p] = shared.value[index];
    }
    return;
  }
  // A warp writes neighbours, so that mostly its elements are in one group.
  const unsigned int slot = first_item<kItems>();
  const unsigned int *const element = shared.element + slot - lead;
  unsigned int *const keys = opaque_address(out.keys + to + slot);
  unsigned int *const values = opaque_address(out.values + to + slot);
  GroupOfElement group_of = {};
  if (kGroups) {
    const int group_bits = max(low_bits + kPlaceBits - 32, 0);
    const unsigned int from = slot & ~(WARP_SIZE - 1u);
    group_of.begin(shared.bin(), kBinBits - group_bits, 1 << group_bits,
                   from > lead ? min(from - lead, place.count - 1) : 0);
  }
  // One kind of access after the other, as the latter ones need the results of the former.
  constexpr int kBatch = kItems % 6 == 0 ? 6 : 3;
  static_assert(kItems % kBatch == 0, "whole batches");
#pragma unroll
  for (int row = 0; row < kItems; row += kBatch) {
    unsigned int sorted[kBatch], value[kBatch], first_bits[kBatch];
#pragma unroll
    for (int q = 0; q < kBatch; q++) {
      const unsigned int p = slot + (row + q) * WARP_SIZE;
      sorted[q] = p < end && (row + q > 0 || p >= lead) ? element[(row + q) * WARP_SIZE] : 0;
    }
#pragma unroll
    for (int q = 0; q < kBatch; q++) value[q] = shared.value[sorted[q] & kPlaces];
    const unsigned int last = min(slot + (row + kBatch - 1) * WARP_SIZE, end - 1) - lead;
    if (!kGroups || __all_sync(0xffffffffu, last < group_of.end)) {
#pragma unroll
      for (int q = 0; q < kBatch; q++) first_bits[q] = group_of.group;
    } else {
      for (int q = 0; q < kBatch; q++) {
        const unsigned int p = slot + (row + q) * WARP_SIZE;
        first_bits[q] = p < end && p >= lead ? group_of.of(p - lead) : 0;
      }
    }
#pragma unroll
    for (int q = 0; q < kBatch; q++) {
      const unsigned int p = slot + (row + q) * WARP_SIZE;
      if (p >= end || (row + q == 0 && p < lead)) continue;
      unsigned int key = sorted[q] >> kPlaceBits | upper;
      if (kGroups) key |= first_bits[q] << (32 - kPlaceBits);
      __stcs(&keys[(row + q) * WARP_SIZE], key_of(key));
      __stcs(&values[(row + q) * WARP_SIZE], value[q]);
    }
    compiler_fence();
  }
}

// Sorts bucket number `bucket` of the pairs of `place`, if it is not empty and not too large,
// after prepare_block(). The first `lead` slots of the block stay empty, so that warps write whole
// sectors. low_bits: of a key's bits, those behind the bucket's number.
template <int kFew, int kThreads, int kItems, int kBinBits, int kLowBits, class Place, class Keys>
static __device__ __forceinline__ void sort_pairs_of_bucket(
    PairBlockShared<kThreads, kItems, kBinBits, kLowBits> &shared, unsigned int bucket, Place place,
    Elements out, Keys keys, int low_bits) {
  typedef PairBlockShared<kThreads, kItems, kBinBits, kLowBits> Shared;
  constexpr unsigned int kBins = Shared::kBins;
  // An empty bucket, or one that is too large, which ends the way (tell_of_bucket).
  const BucketPlace before = place();
  if (before.count - 1 >= Shared::kCapacity - MOST_LEAD) return;
  const unsigned int lead = before.to % WARP_SIZE, behind = lead + before.count;
  // The digit has one bit more than bins need, the last bit of the bucket's number; flipped, it is
  // 0 for the keys of the bucket and 1 for padding, whose bins lie behind the others.
  const Digit digit = {low_bits - kBinBits, 2 * kBins - 1, bucket % 2 * kBins, 0};
  const unsigned int padding = (~bucket % 2 * kBins + threadIdx.x % WARP_SIZE) << digit.shift;
  const auto pair_at = place.pairs(before, lead);
  unsigned int key[kItems], value[kItems];
  // A warp leaves out groups of rows that it has nothing of.
  constexpr int kRows = kItems % 6 == 0 ? 6 : 3;
  static_assert(kItems % kRows == 0, "whole groups");
#pragma unroll
  for (int row = 0; row < kItems; row += kRows) {
    const bool any = (threadIdx.x & ~(WARP_SIZE - 1u)) + row * kThreads < behind;
#pragma unroll
    for (int u = row; u < row + kRows; u++) {
      key[u] = padding;
      value[u] = 0;
    }
    if (!any) continue;
    const uint2 *from[kRows];
#pragma unroll
    for (int q = 0; q < kRows; q++) from[q] = pair_at((row + q) * kThreads);
#pragma unroll
    for (int q = 0; q < kRows; q++) {
      const unsigned int p = threadIdx.x + (row + q) * kThreads;
      if (p >= behind || (row + q == 0 && p < lead)) continue;
      const uint2 pair = __ldcs(from[q]);
      key[row + q] = pair.x;
      value[row + q] = pair.y;
    }
  }
  // Behind all loads: what is read of shared memory on their way might else have to wait for these.
#pragma unroll
  for (int u = 0; u < kItems; u++) shared.value[threadIdx.x + u * kThreads] = value[u];
  __syncthreads();
  const bool by_passes =
      order_places<kFew, true>(shared, key, key, lead, opaque(behind), digit, low_bits, false);
  keys.with([&](auto key_of) {
    write_pairs_of_bucket(shared, place.again(before), out, key_of, low_bits, bucket << low_bits,
                          by_passes);
  });
}

#endif
