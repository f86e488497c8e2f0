// A block per bucket of pairs: loads it, puts it in order (pairs_block.cuh), and writes it to its
// place. Buckets have been counted, and lie one behind the other, or are in regions.
#ifndef RADIX_V7_PAIRS_BUCKET_CUH
#define RADIX_V7_PAIRS_BUCKET_CUH

#include "common/overlap.cuh"
#include "radix_v7/pairs_block.cuh"
#include "radix_v7/sweep_regions.cuh"

// The bucket of a block.
struct BucketOfBlock {
  __device__ __forceinline__ unsigned int operator()(void) const { return blockIdx.x; }
};

// Where the pairs of a bucket are, how many, and where they go in the output.
typedef struct BucketPlace {
  unsigned int from, count, to;
} BucketPlace;

// A bucket among buckets that lie one behind the other, and begin at start[].
template <class Bucket>
struct CountedPlace {
  Bucket bucket;
  const unsigned int *start;
  __device__ __forceinline__ BucketPlace operator()(void) const {
    const unsigned int begin = start[bucket()];
    return {begin, start[bucket() + 1] - begin, begin};
  }
  // The same once more, kept or computed anew: registers are scarce between.
  __device__ __forceinline__ BucketPlace again(BucketPlace place) const { return place; }
};

// Sorts bucket number bucket() of the packed pairs `in`, if it is not empty and not too large,
// after prepare_block(). The first `lead` slots of the block stay empty, so that warps write whole
// sectors. low_bits: of a key's bits in `range`, those behind the bucket's number.
template <int kThreads, int kItems, int kBinBits, int kFew, bool kGatherKeys, class Bucket,
          class Place>
static __device__ __forceinline__ void sort_pairs_of_bucket(
    PairBlockShared<kThreads, kItems, kBinBits, kGatherKeys> &shared, Bucket bucket, Place place,
    const uint2 *in, Pairs out, int low_bits, KeyRange range) {
  typedef PairBlockShared<kThreads, kItems, kBinBits, kGatherKeys> Shared;
  constexpr unsigned int kBins = Shared::kBins, kPlaceBits = bits_to_count(Shared::kCapacity);
  // An empty bucket, or a large one, which is sorted by itself (note_if_large).
  const BucketPlace before = place();
  if (before.count - 1 >= Shared::kCapacity - MOST_LEAD) return;
  const unsigned int lead = before.to % WARP_SIZE, behind = lead + before.count;
  // The digit has one bit more than bins need, the last bit of the bucket's number; flipped, it is
  // 0 for the keys of the bucket and 1 for padding, whose bins lie behind the others.
  const Digit digit = {low_bits - kBinBits, 2 * kBins - 1, bucket() % 2 * kBins, 0};
  const unsigned int padding = (~bucket() % 2 * kBins + threadIdx.x % WARP_SIZE)
                               << (digit.shift - range.skip);
  const uint2 *const from = opaque_address(in + ((size_t)before.from - lead + threadIdx.x));
  unsigned int key[kItems];
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int p = threadIdx.x + u * kThreads;
    uint2 pair = make_uint2(padding, 0);
    if (p < behind && (u > 0 || p >= lead)) pair = __ldcs(&from[u * kThreads]);
    key[u] = pair.x;
    shared.position[p] = pair.y;
  }
  skip_bits(key, range);
  __syncthreads();
  order_places<kFew, true>(shared, key, key, lead, opaque(behind), digit, low_bits, false);

  const BucketPlace after = place.again(before);
  const unsigned int upper = bucket() << low_bits >> range.skip | range.common,
                     end = opaque(after.to % WARP_SIZE + after.count);
  const unsigned int *const element = shared.element + threadIdx.x - after.to % WARP_SIZE;
  const size_t to = (size_t)after.to - after.to % WARP_SIZE + threadIdx.x;
  unsigned int *const keys = opaque_address(out.keys + to);
  unsigned int *const positions = opaque_address(out.positions + to);
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int p = threadIdx.x + u * kThreads;
    if (p < end && (u > 0 || p >= after.to % WARP_SIZE)) {
      const unsigned int sorted = element[u * kThreads], index = sorted & ((1u << kPlaceBits) - 1);
      const unsigned int rest =
          kGatherKeys ? shared.key[index] >> range.skip : sorted >> (kPlaceBits + range.skip);
      __stcs(&keys[u * kThreads], rest | upper);
      __stcs(&positions[u * kThreads], shared.position[index]);
    }
  }
}

// The same for CountedPlace.
template <int kThreads, int kItems, int kBinBits, int kFew, bool kGatherKeys, class Bucket>
static __device__ __forceinline__ void sort_one_pair_bucket(Bucket bucket, const uint2 *in,
                                                            Pairs out, const unsigned int *start,
                                                            int low_bits,
                                                            const unsigned int *spread,
                                                            KeyRange range) {
  typedef PairBlockShared<kThreads, kItems, kBinBits, kGatherKeys> Shared;
  extern __shared__ __align__(16) unsigned int shared_memory[];
  Shared &shared = *(Shared *)shared_memory;
  prepare_block(shared);
  wait_for_previous_kernel();
  if (*spread == DIGIT_UNUSED) return;
  const CountedPlace<Bucket> place = {bucket, start};
  sort_pairs_of_bucket<kThreads, kItems, kBinBits, kFew, kGatherKeys>(shared, bucket, place, in,
                                                                      out, low_bits, range);
}

template <int kThreads, int kItems, int kBinBits, int kFew, int kBlocksPerSm, bool kGatherKeys>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    sort_pair_bucket(const uint2 *in, Pairs out, const unsigned int *start, int low_bits,
                     const unsigned int *spread, KeyRange range) {
  sort_one_pair_bucket<kThreads, kItems, kBinBits, kFew, kGatherKeys>(
      BucketOfBlock(), in, out, start, low_bits, spread, range);
}

// The bucket of the calling block. A bucket's number is the upper digit's bin, then the lower
// one's: `sources` of these. `regions` are those of the last sweep.
struct RegionPlace {
  const SweepRegions &regions;
  __device__ __forceinline__ BucketPlace operator()(void) const {
    const unsigned int bin = blockIdx.x / regions.sources;
    const unsigned int *const start = regions.start + blockIdx.x + bin;  // sources + 1 columns
    const unsigned int begin = start[0];
    return {bin * regions.room + begin, start[1] - begin, regions.base[bin] + begin};
  }
  __device__ __forceinline__ BucketPlace again(BucketPlace) const { return (*this)(); }
};

// One block per bucket.
template <int kThreads, int kItems, int kBinBits, int kFew, int kBlocksPerSm, bool kGatherKeys>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    sort_pair_region(const uint2 *in, Pairs out, SweepRegions regions, int low_bits) {
  typedef PairBlockShared<kThreads, kItems, kBinBits, kGatherKeys> Shared;
  extern __shared__ __align__(16) unsigned int shared_memory[];
  Shared &shared = *(Shared *)shared_memory;
  prepare_block(shared);
  wait_for_previous_kernel();
  if (regions.findings->useless != 0) return;
  sort_pairs_of_bucket<kThreads, kItems, kBinBits, kFew, kGatherKeys>(
      shared, BucketOfBlock(), RegionPlace{regions}, in, out, low_bits, WHOLE_RANGE);
}

#endif
