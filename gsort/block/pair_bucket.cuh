// A block per bucket of pairs: loads it, puts it in order (pair_block.cuh), and writes it to its
// place.
#ifndef GSORT_BLOCK_PAIR_BUCKET_CUH
#define GSORT_BLOCK_PAIR_BUCKET_CUH

#include "gsort/block/key_range.cuh"
#include "gsort/block/pair_block.cuh"

// Whether the buckets of n keys of `range`, by their first `bits` bits, fit into blocks. Their
// sizes spread by the square root of what they are on average, times that of the number of equal
// keys; 4.9 times that is exceeded in one of 2 x 10^6 buckets.
static inline bool pair_buckets_fit(size_t n, KeyRange range, int bits, unsigned int capacity) {
  const double average = (double)n * range.density / (double)(1 << bits);
  const double spare = capacity - MOST_LEAD - average;
  return spare > 0 && spare * spare >= 24 * average * range.equals;
}

// The bucket of a block.
struct BucketOfBlock {
  __device__ __forceinline__ unsigned int operator()(void) const { return blockIdx.x; }
};

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

// A bucket among buckets that lie one behind the other, and begin at start[].
template <class Bucket>
struct CountedPlace {
  Bucket bucket;
  const uint2 *in;
  const unsigned int *start;
  __device__ __forceinline__ BucketPlace operator()(void) const {
    const unsigned int begin = start[bucket()];
    return {start[bucket() + 1] - begin, begin};
  }
  // Other kinds of places recompute it here, which saves registers in between.
  __device__ __forceinline__ BucketPlace again(BucketPlace place) const { return place; }
  // lead: slots of the block before the first pair.
  __device__ __forceinline__ PairsSideBySide pairs(BucketPlace place, unsigned int lead) const {
    return pairs_from(in, place.to, lead);
  }
};

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

// Writes the bucket that order_places() has left in order; upper: the bits that all of its keys
// share.
template <int kThreads, int kItems, int kBinBits, int kLowBits>
static __device__ __forceinline__ void write_pairs_of_bucket(
    PairBlockShared<kThreads, kItems, kBinBits, kLowBits> &shared, BucketPlace place, Elements out,
    KeyCode code, int low_bits, KeyRange range, unsigned int upper, bool by_passes) {
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
      out.keys[to + p] = decode(code, key >> range.skip | upper);
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
      unsigned int key = sorted[q] >> (kPlaceBits + range.skip) | upper;
      if (kGroups) key |= first_bits[q] << (32 - kPlaceBits) >> range.skip;
      if (!is_plain(code)) key = decode(code, key);
      __stcs(&keys[(row + q) * WARP_SIZE], key);
      __stcs(&values[(row + q) * WARP_SIZE], value[q]);
    }
    compiler_fence();
  }
}

// Sorts bucket number bucket() of the pairs of `place`, if it is not empty and not too large,
// after prepare_block(). The first `lead` slots of the block stay empty, so that warps write whole
// sectors. low_bits: of a key's bits in `range`, those behind the bucket's number.
template <int kFew, int kThreads, int kItems, int kBinBits, int kLowBits, class Bucket, class Place>
static __device__ __forceinline__ void sort_pairs_of_bucket(
    PairBlockShared<kThreads, kItems, kBinBits, kLowBits> &shared, Bucket bucket, Place place,
    Elements out, KeyCode code, int low_bits, KeyRange range) {
  typedef PairBlockShared<kThreads, kItems, kBinBits, kLowBits> Shared;
  constexpr unsigned int kBins = Shared::kBins;
  // An empty bucket, or a large one, which is sorted by itself (note_if_large).
  const BucketPlace before = place();
  if (before.count - 1 >= Shared::kCapacity - MOST_LEAD) return;
  const unsigned int lead = before.to % WARP_SIZE, behind = lead + before.count;
  // The digit has one bit more than bins need, the last bit of the bucket's number; flipped, it is
  // 0 for the keys of the bucket and 1 for padding, whose bins lie behind the others.
  const Digit digit = {low_bits - kBinBits, 2 * kBins - 1, bucket() % 2 * kBins, 0};
  const unsigned int padding = (~bucket() % 2 * kBins + threadIdx.x % WARP_SIZE)
                               << (digit.shift - range.skip);
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
  skip_bits(key, range);
  __syncthreads();
  const bool by_passes =
      order_places<kFew, true>(shared, key, key, lead, opaque(behind), digit, low_bits, false);
  write_pairs_of_bucket(shared, place.again(before), out, code, low_bits, range,
                        bucket() << low_bits >> range.skip | range.common, by_passes);
}

#endif
