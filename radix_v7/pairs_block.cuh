// The lower digits of pairs: a block per bucket, in shared memory.
//
// The block sorts elements of 32 bits: the key's low bits above the pair's place in the bucket.
// These are all different, so they may be sorted by any means, stable or not, and positions are
// fetched by place at the end.
//
//   bucket           (5 a) (3 b) (5 c) (1 d)
//   elements         5.0   3.1   5.2   1.3
//   sorted           1.3   3.1   5.0   5.2
//   fetched          (1 d) (3 b) (5 a) (5 c)
//
// They go to bins by their highest bits, so many bins that each holds a few, which a thread sorts
// in registers. A block with a crowded bin sorts by stable passes instead (block_passes.cuh).
#ifndef RADIX_V7_PAIRS_BLOCK_CUH
#define RADIX_V7_PAIRS_BLOCK_CUH

#include "common/overlap.cuh"
#include "radix_v7/block_passes.cuh"
#include "radix_v7/few_keys.cuh"
#include "radix_v7/pairs_layout.cuh"
#include "radix_v7/partition.cuh"

enum { CROWDED = 32 };  // a bin with more elements than that

static __host__ __device__ constexpr int bits_to_count(int values) {
  return values <= 1 ? 0 : 1 + bits_to_count((values + 1) / 2);
}

// Shared memory. kGatherKeys: an element has no room for all low bits of the key, so that keys are
// fetched like positions.
template <int kThreads, int kItems, int kBinBits, bool kGatherKeys>
struct PairBlockShared {
  static constexpr int kCapacity = kThreads * kItems, kBins = 1 << kBinBits;
  static constexpr int kWarpBins = kThreads / WARP_SIZE * BINS;  // of the passes
  unsigned int bin[kBins > kWarpBins ? kBins : kWarpBins];
  unsigned int element[kCapacity], position[kCapacity];
  unsigned int key[kGatherKeys ? kCapacity : 4];
  unsigned int warp_sums[MAX_WARPS];
  SeenBits seen;
};

// Exclusive scan over bin[0..kThreads * kEach), in place; returns the largest of the thread's own.
// One barrier inside, and one has to follow.
//   bin  [3 1 7 0]  ->  [0 3 4 11]
template <int kEach>
static __device__ __forceinline__ unsigned int scan_bins(unsigned int *bin,
                                                         unsigned int *warp_sums) {
  if constexpr (kEach % 4 == 0) return scan_counters<kEach>(bin, warp_sums, 1, NULL, 0);
  unsigned int count[kEach], sum = 0, largest = 0;
#pragma unroll
  for (int i = 0; i < kEach; i++) {
    sum += count[i] = bin[threadIdx.x * kEach + i];
    largest = max(largest, count[i]);
  }
  unsigned int before = block_inclusive_scan_one_barrier(sum, warp_sums) - sum;
#pragma unroll
  for (int i = 0; i < kEach; i++) {
    bin[threadIdx.x * kEach + i] = before;
    before += count[i];
  }
  return largest;
}

// Sorts the elements of each bin; bin[b] is where those of bin b end.
template <int kThreads, int kBins, int kFew>
static __device__ __forceinline__ void sort_pair_bins(const unsigned int *bin,
                                                      unsigned int *element) {
#pragma unroll 2
  for (unsigned int b = threadIdx.x; b < kBins; b += kThreads) {
    const unsigned int first = b == 0 ? 0 : bin[b - 1];
    const int members = (int)(bin[b] - first);
    if (members > kFew)
      sort_by_insertion(&element[first], members);
    else if (members > 1)
      sort_few<kFew>(&element[first], members);
  }
}

// Sorts what the block's threads hold: key[u] is that of place p = threadIdx.x + u * kThreads, for
// lead <= p < behind. The lower `low_bits` of the keys vary. Leaves the places, in order, in the
// lower bits of element[0..behind - lead).
template <int kThreads, int kItems, int kBinBits, int kFew, bool kGatherKeys>
static __device__ __forceinline__ void order_places(
    PairBlockShared<kThreads, kItems, kBinBits, kGatherKeys> &shared,
    const unsigned int (&key)[kItems], unsigned int lead, unsigned int behind, int low_bits) {
  typedef PairBlockShared<kThreads, kItems, kBinBits, kGatherKeys> Shared;
  constexpr int kPlaceBits = bits_to_count(Shared::kCapacity), kBins = Shared::kBins;
  Digit digit = {low_bits - kBinBits, kBins - 1, 0, 0};
  const int left = (int)behind - (int)threadIdx.x, ahead = (int)lead - (int)threadIdx.x;
#pragma unroll
  for (int u = 0; u < kItems; u++)
    if (left > u * kThreads && (u > 0 || ahead <= 0))
      atomicAdd(bin_of(shared.bin, key[u], digit), 1u);
  __syncthreads();
  const unsigned int largest = scan_bins<kBins / kThreads>(shared.bin, shared.warp_sums);
  const bool crowded = __syncthreads_or(largest > CROWDED) != 0;
  if (!crowded) {
    digit = forget_bins(digit);
#pragma unroll
    for (int u = 0; u < kItems; u++)
      if (left > u * kThreads && (u > 0 || ahead <= 0)) {
        const unsigned int p = threadIdx.x + u * kThreads;
        shared.element[atomicAdd(bin_of(shared.bin, key[u], digit), 1u)] =
            (key[u] << kPlaceBits) + p;
        if (kGatherKeys) shared.key[p] = key[u];
      }
    __syncthreads();
    sort_pair_bins<kThreads, kBins, kFew>(shared.bin, shared.element);
    __syncthreads();
    return;
  }
  see_bits<kThreads>(key, lead, behind, &shared.seen);
#pragma unroll
  for (int u = 0; u < kItems; u++)
    if (left > u * kThreads && (u > 0 || ahead <= 0)) {
      const unsigned int p = threadIdx.x + u * kThreads;
      shared.element[p - lead] = kGatherKeys ? p : (key[u] << kPlaceBits) + p;
      if (kGatherKeys) shared.key[p] = key[u];
    }
  __syncthreads();
  const unsigned int all = low_bits < 32 ? (1u << low_bits) - 1 : ~0u;
  sort_by_passes<kThreads, kItems, kGatherKeys>(
      shared.element, behind - lead, shared.key, kPlaceBits,
      shared.seen.set & shared.seen.clear & all, shared.bin, shared.warp_sums);
}

// Sorts bucket blockIdx.x of the packed pairs `in`: start[] says where buckets begin. Places begin
// with `lead` empty ones, so that warps touch whole sectors.
template <int kThreads, int kItems, int kBinBits, int kFew, int kBlocksPerSm, bool kGatherKeys>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    sort_pair_bucket(const uint2 *in, Pairs out, const unsigned int *start, int low_bits,
                     const unsigned int *spread) {
  typedef PairBlockShared<kThreads, kItems, kBinBits, kGatherKeys> Shared;
  constexpr unsigned int kPlaces = 1u << bits_to_count(Shared::kCapacity);
  extern __shared__ __align__(16) unsigned int shared_memory[];
  Shared &shared = *(Shared *)shared_memory;
  clear_words<kThreads>(shared.bin, Shared::kBins);
  if (threadIdx.x == 0) shared.seen = {0, 0};
  wait_for_previous_kernel();
  if (*spread == DIGIT_UNUSED) return;
  const unsigned int begin = start[blockIdx.x], count = start[blockIdx.x + 1] - begin;
  if (count == 0) return;
  const unsigned int lead = begin % WARP_SIZE, behind = lead + count;
  const int left = (int)behind - (int)threadIdx.x, ahead = (int)lead - (int)threadIdx.x;
  const uint2 *const from = in + begin - lead + threadIdx.x;
  unsigned int key[kItems];
#pragma unroll
  for (int u = 0; u < kItems; u++)
    if (left > u * kThreads && (u > 0 || ahead <= 0)) {
      const uint2 pair = __ldcs(&from[u * kThreads]);
      key[u] = pair.x;
      shared.position[threadIdx.x + u * kThreads] = pair.y;
    }
  __syncthreads();
  order_places<kThreads, kItems, kBinBits, kFew, kGatherKeys>(shared, key, lead, behind, low_bits);

  const unsigned int upper = blockIdx.x << low_bits;
  const int still_left = (int)forget((unsigned int)left);  // no predicates kept from above
  const unsigned int *const element = shared.element + threadIdx.x - lead;
  out.keys += begin - lead + threadIdx.x;
  out.positions += begin - lead + threadIdx.x;
#pragma unroll
  for (int u = 0; u < kItems; u++)
    if (still_left > u * kThreads && (u > 0 || ahead <= 0)) {
      const unsigned int sorted = element[u * kThreads], place = sorted & (kPlaces - 1);
      __stcs(&out.keys[u * kThreads], kGatherKeys
                                          ? shared.key[place]
                                          : (sorted >> bits_to_count(Shared::kCapacity) | upper));
      __stcs(&out.positions[u * kThreads], shared.position[place]);
    }
}

#endif
