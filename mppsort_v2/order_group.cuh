// A block sorts keys in shared memory: a counting sort by bins of equal width between the least and
// the greatest key, which are divided again where they are crowded; then each bin by a thread, or
// by a warp if it has many elements.
#ifndef MPPSORT_V2_ORDER_GROUP_CUH
#define MPPSORT_V2_ORDER_GROUP_CUH

#include "mppsort_v2/bins.cuh"
#include "mppsort_v2/ranges.cuh"
#include "radix_v7/block_passes.cuh"
#include "radix_v7/few_keys.cuh"

static __host__ __device__ constexpr int bits_to_count(int values) {
  return values <= 1 ? 0 : 1 + bits_to_count((values + 1) / 2);
}

// Shared memory for groups of kThreads * kItems elements.
//
// The element of a bare key is the key's difference to the least one, shifted left until the
// greatest fills 32 bits. That of a pair is the same without its highest bits, which are those of
// its first bin, above the pair's index in the group: the elements differ, and their order is
// stable. Zero bits between the two are left out.
template <bool PAIRS, int kThreads, int kItems, int kBinBits>
struct SortShared {
  static constexpr int kCapacity = kThreads * kItems, kFirstBins = 1 << kBinBits;
  static constexpr int kPassCounters = kThreads / WARP_SIZE * PASS_BINS;
  static constexpr int kPlaceBits = PAIRS ? bits_to_count(kCapacity) : 0;
  static constexpr int kFew = 12;  // elements of a bin that a thread sorts
  union {
    Bins<kCapacity, kBinBits> bins;
    unsigned int pass_counter[kPassCounters];
  };
  unsigned int element[kCapacity];
  unsigned int value[PAIRS ? kCapacity : 4];    // keys, then positions
  unsigned int full_bin[kCapacity / kFew + 1];  // bins with more elements: first << 16 | number
  unsigned int full_bins;
  unsigned int warp_sums[MAX_WARPS], least, greatest;
  SeenBits seen;
};

// Turns the counts of the first bins into entries. A barrier has to follow.
template <int kThreads, class AllBins>
static __device__ __forceinline__ void scan_bins(AllBins &bins, unsigned int *warp_sums) {
  constexpr int kQuads = (int)AllBins::kFirst / kThreads / 4;
  static_assert(kQuads * kThreads * 4 == (int)AllBins::kFirst, "16 bytes at a time");
  uint4 *const mine = (uint4 *)bins.entry + threadIdx.x * kQuads;
  uint4 quad[kQuads];
  unsigned int sum = 0;
#pragma unroll
  for (int q = 0; q < kQuads; q++) {
    quad[q] = mine[q];
    sum += quad[q].x + quad[q].y + quad[q].z + quad[q].w;
  }
  unsigned int before = scan_threads<kThreads>(sum, warp_sums) - sum;
#pragma unroll
  for (int q = 0; q < kQuads; q++) {
    const uint4 count = quad[q];
    quad[q].x = make_entry(bins, count.x, before);
    before += count.x;
    quad[q].y = make_entry(bins, count.y, before);
    before += count.y;
    quad[q].z = make_entry(bins, count.z, before);
    before += count.z;
    quad[q].w = make_entry(bins, count.w, before);
    before += count.w;
    mine[q] = quad[q];
  }
}

// The thread's part of the least and the greatest key of the block.
template <class Shared>
static __device__ __forceinline__ void find_extremes(Shared &shared, unsigned int low,
                                                     unsigned int high) {
  for (int lanes = WARP_SIZE / 2; lanes > 0; lanes /= 2) {
    low = min(low, __shfl_xor_sync(0xffffffffu, low, lanes));
    high = max(high, __shfl_xor_sync(0xffffffffu, high, lanes));
  }
  if (threadIdx.x % WARP_SIZE != 0) return;
  atomicMin(&shared.least, low);
  atomicMax(&shared.greatest, high);
}

// Sorts the elements first .. end - 1 of a bin, or lists them for a warp.
template <class Shared>
static __device__ __forceinline__ void sort_or_list(Shared &shared, unsigned int first,
                                                    unsigned int end) {
  if (end - first > Shared::kFew)
    shared.full_bin[atomicAdd(&shared.full_bins, 1u)] = first << 16 | (end - first);
  else if (end - first > 1)
    sort_few<Shared::kFew>(&shared.element[first], (int)(end - first));
}

// Sorts the elements of each bin, whose entry is where they end. False if some bin is too large.
// All threads call it after a barrier; there is one at its end.
template <int kThreads, class Shared>
static __device__ __forceinline__ bool sort_bins_of_group(Shared &shared) {
  const unsigned int *const entry = shared.bins.entry;
  const unsigned int warp = threadIdx.x / WARP_SIZE, divided = shared.bins.number;
#pragma unroll 1
  for (unsigned int b = threadIdx.x; b < Shared::kFirstBins; b += kThreads)
    if ((entry[b] & FINER) == 0)
      sort_or_list(shared, b == 0 ? 0 : end_of_bin(entry, b - 1), entry[b]);
#pragma unroll 1
  for (unsigned int d = warp; d < divided; d += kThreads / WARP_SIZE) {
    const unsigned int own = shared.bins.divided[d], begin = own & 0x3fffu;
    const unsigned int end = begin + (1u << (own >> 14 & 15));
#pragma unroll 1
    for (unsigned int b = begin + threadIdx.x % WARP_SIZE; b < end; b += WARP_SIZE)
      if ((entry[b] & FINER) == 0)
        sort_or_list(shared, b == begin ? own >> 18 : end_of_bin(entry, b - 1), entry[b]);
  }
  __syncthreads();
  const unsigned int full = shared.full_bins;
  if (full == 0) return true;
  bool sorted = true;
  for (unsigned int f = warp; f < full; f += kThreads / WARP_SIZE)
    sorted &= sort_bin(&shared.element[shared.full_bin[f] >> 16], shared.full_bin[f] & 0xffffu);
  return __syncthreads_or(!sorted) == 0;
}

// Sorts what the threads hold: key[u] has the index threadIdx.x + u * kThreads. Afterwards
// element[i] has the key of place i, or its pair's index from bit *index_shift on. key_at(i): the
// key of index i.
template <bool PAIRS, int kThreads, int kItems, int kBinBits, class KeyAt>
static __device__ __forceinline__ void order_group(
    SortShared<PAIRS, kThreads, kItems, kBinBits> &shared, const unsigned int (&key)[kItems],
    KeyAt key_at, unsigned int count, unsigned int least, int shift, int *index_shift) {
  typedef SortShared<PAIRS, kThreads, kItems, kBinBits> Shared;
  const int left = (int)count - (int)threadIdx.x;
  // Pairs: an element has room for the bits below its bin's.
  bool sorted = !PAIRS || shift + kBinBits >= Shared::kPlaceBits;
  *index_shift = min(max(shift + kBinBits - Shared::kPlaceBits, 0), 32 - Shared::kPlaceBits);
  if (sorted) {
    const int by = *index_shift;
    const auto element_at = [&](int u, unsigned int *bin, unsigned int *rest) {
      if (left <= u * kThreads) return false;
      const unsigned int scaled = (key[u] - least) << shift;
      *bin = scaled >> (32 - kBinBits);
      *rest = scaled << kBinBits;
      if (PAIRS) *rest |= (threadIdx.x + u * kThreads) << by;
      return true;
    };
    unsigned int bin, rest;
#pragma unroll
    for (int u = 0; u < kItems; u++)
      if (element_at(u, &bin, &rest)) atomicAdd(&shared.bins.entry[bin], 1u);
    __syncthreads();
    scan_bins<kThreads>(shared.bins, shared.warp_sums);
    __syncthreads();
    divide_bins<kItems>(shared.bins, element_at);
#pragma unroll
    for (int u = 0; u < kItems; u++) {
      if (!element_at(u, &bin, &rest)) continue;
      const unsigned int place =
          atomicAdd(&shared.bins.entry[find_bin(shared.bins.entry, bin, rest)], 1u);
      shared.element[place] = PAIRS ? rest : (key[u] - least) << shift;
    }
    __syncthreads();
    sorted = sort_bins_of_group<kThreads>(shared);
  }
  if (sorted) return;
  *index_shift = 0;
  // Rare: the keys are read again rather than kept in registers till here.
  unsigned int again[kItems] = {};
#pragma unroll
  for (int u = 0; u < kItems; u++)
    if (left > u * kThreads) again[u] = key_at(threadIdx.x + u * kThreads);
  see_bits<kThreads>(again, 0, count, &shared.seen);
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int i = threadIdx.x + u * kThreads;
    if (i < count) shared.element[i] = PAIRS ? i : (again[u] - least) << shift;
  }
  __syncthreads();
  const unsigned int varying = shared.seen.set & shared.seen.clear;
  // Differences to the least key may vary in more bits than keys.
  sort_by_passes<kThreads, kItems, PAIRS>(shared.element, count, shared.value, 0,
                                          PAIRS ? varying : ~0u << shift, shared.pass_counter,
                                          shared.warp_sums);
}

// For all threads, before a barrier.
template <class Shared>
static __device__ __forceinline__ void clear_for_sort(Shared &shared) {
  for (unsigned int b = threadIdx.x; b < shared.bins.kMost; b += blockDim.x)
    shared.bins.entry[b] = 0;
  if (threadIdx.x != 0) return;
  shared.bins.used = Shared::kFirstBins;
  shared.bins.number = 0;
  shared.least = ~0u;
  shared.greatest = 0;
  shared.full_bins = 0;
  shared.seen = {0, 0};
}

#endif
