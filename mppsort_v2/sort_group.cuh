// Step 5: a block sorts each group in shared memory: a counting sort by bins of equal width between
// its least and its greatest key, then each bin by a thread, or by a warp if it has many elements.
// If too many elements are in such bins, the block sorts the group by merging.
#ifndef MPPSORT_V2_SORT_GROUP_CUH
#define MPPSORT_V2_SORT_GROUP_CUH

#include "gsort/block/digits.cuh"
#include "gsort/warp/small_sorts.cuh"
#include "merge_v2/sort_tiles.cuh"
#include "mppsort_v2/bins.cuh"
#include "mppsort_v2/ranges.cuh"

// Shared memory for groups of kThreads * kItems elements.
//
// The element of a bare key is the key's difference to the least one, shifted left until the
// greatest fills 32 bits. The element of a pair drops the highest bits, for which its
// bin stands; its lowest bits are the pair's index in the group. So the elements differ, and their
// order is stable.
template <bool PAIRS, int kThreads, int kItems, int kBinBits>
struct SortShared {
  static constexpr int kCapacity = kThreads * kItems, kBins = 1 << kBinBits;
  static constexpr int kWarpBins = kThreads / WARP_SIZE * WARP_BINS;
  static constexpr int kMerged = kItems | 1;  // elements of a thread in a merge: odd
  static constexpr int kRoom = TileSize<kThreads, kMerged>::ALL;
  static constexpr int kPlaceBits = PAIRS ? bits_to_count(kCapacity) : 0;
  static constexpr int kFew = 12;  // elements of a bin that a thread sorts
  unsigned int bin[kWarpBins > kBins ? kWarpBins : kBins];
  unsigned int element[kRoom];
  unsigned int value[PAIRS ? kRoom : 4];        // keys, then positions
  unsigned int full_bin[kCapacity / kFew + 1];  // bins with more elements: first << 16 | number
  unsigned int full_bins, overfull,
      equal;  // full bins; elements in them; of these, in bins of one key
  unsigned int warp_sums[MAX_WARPS], least, greatest;
};

// Exclusive scan over the bins, in place; adds to shared.overfull what is in full bins. A barrier
// has to follow.
template <int kThreads, class Shared>
static __device__ __forceinline__ void scan_bins_of_group(Shared &shared) {
  constexpr int kQuads = Shared::kBins / kThreads / 4;
  static_assert(kQuads * kThreads * 4 == Shared::kBins, "16 bytes at a time");
  const auto in_full = [](unsigned int count) { return count > 0u + Shared::kFew ? count : 0u; };
  uint4 *const mine = (uint4 *)shared.bin + threadIdx.x * kQuads;
  uint4 quad[kQuads];
  unsigned int sum = 0, overfull = 0;
#pragma unroll
  for (int q = 0; q < kQuads; q++) {
    quad[q] = mine[q];
    sum += quad[q].x + quad[q].y + quad[q].z + quad[q].w;
    overfull += in_full(quad[q].x) + in_full(quad[q].y) + in_full(quad[q].z) + in_full(quad[q].w);
  }
  if (overfull > 0) atomicAdd(&shared.overfull, overfull);
  unsigned int before = scan_threads<kThreads>(sum, shared.warp_sums) - sum;
#pragma unroll
  for (int q = 0; q < kQuads; q++) {
    const uint4 count = quad[q];
    quad[q].x = before;
    quad[q].y = quad[q].x + count.x;
    quad[q].z = quad[q].y + count.y;
    quad[q].w = quad[q].z + count.z;
    before = quad[q].w + count.w;
    mine[q] = quad[q];
  }
}

// Sorts the elements of each bin; bin[b] is where bin b ends. False if some bin is too
// large. All threads call it after a barrier; there is one at its end.
template <bool PAIRS, int kThreads, int kItems, int kBinBits>
static __device__ __forceinline__ bool sort_bins_of_group(
    SortShared<PAIRS, kThreads, kItems, kBinBits> &shared, unsigned int most_overfull) {
  typedef SortShared<PAIRS, kThreads, kItems, kBinBits> Shared;
#pragma unroll 2
  for (unsigned int b = threadIdx.x; b < Shared::kBins; b += kThreads) {
    const unsigned int first = b == 0 ? 0 : shared.bin[b - 1];
    const unsigned int members = shared.bin[b] - first;
    if (members > Shared::kFew)
      shared.full_bin[atomicAdd(&shared.full_bins, 1u)] = first << 16 | members;
    else if (members > 1)
      sort_few<Shared::kFew>(&shared.element[first], (int)members);
  }
  __syncthreads();
  const unsigned int full = shared.full_bins;
  if (full == 0) return true;
  const unsigned int warp = threadIdx.x / WARP_SIZE;
  if (!PAIRS && shared.overfull > most_overfull) {  // bins of equal keys are sorted
    for (unsigned int f = warp; f < full; f += kThreads / WARP_SIZE) {
      const unsigned int first = shared.full_bin[f] >> 16, members = shared.full_bin[f] & 0xffffu;
      if (!all_equal(&shared.element[first], members)) continue;
      __syncwarp();
      if (threadIdx.x % WARP_SIZE != 0) continue;
      shared.full_bin[f] = first << 16;
      atomicAdd(&shared.equal, members);
    }
    __syncthreads();
    if (shared.overfull - shared.equal > most_overfull) return false;
  }
  bool sorted = true;
  for (unsigned int f = warp; f < full; f += kThreads / WARP_SIZE) {
    unsigned int *const element = &shared.element[shared.full_bin[f] >> 16];
    const unsigned int members = shared.full_bin[f] & 0xffffu;
    if (members <= RANKED)
      rank_bin(element, members);
    else
      sorted &= bin_by_warp(element, members, &shared.bin[warp * WARP_BINS]);
    __syncwarp();
  }
  return __syncthreads_or(!sorted) == 0;
}

// Sorts what the threads hold: key[u] has the index threadIdx.x + u * kThreads. Afterwards
// element[i] has the key of place i, or its pair's index in the lower bits. False if too many
// elements are in full bins.
template <bool PAIRS, int kThreads, int kItems, int kBinBits>
static __device__ __forceinline__ bool order_group(
    SortShared<PAIRS, kThreads, kItems, kBinBits> &shared, const unsigned int (&key)[kItems],
    unsigned int count, unsigned int least, int shift) {
  typedef SortShared<PAIRS, kThreads, kItems, kBinBits> Shared;
  const int left = (int)count - (int)threadIdx.x;
  const unsigned int most_overfull = count / OVERFULL_SHARE;
  // Pairs: an element has room for the bits below its bin's.
  if (PAIRS && shift + kBinBits < Shared::kPlaceBits) return false;
#pragma unroll
  for (int u = 0; u < kItems; u++)
    if (left > u * kThreads)
      atomicAdd(&shared.bin[(key[u] - least) << shift >> (32 - kBinBits)], 1u);
  __syncthreads();
  scan_bins_of_group<kThreads>(shared);
  __syncthreads();
  if (PAIRS && shared.overfull > most_overfull) return false;
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    if (left <= u * kThreads) continue;
    const unsigned int scaled = (key[u] - least) << shift, i = threadIdx.x + u * kThreads;
    const unsigned int place = atomicAdd(&shared.bin[scaled >> (32 - kBinBits)], 1u);
    shared.element[place] = PAIRS ? scaled << kBinBits | i : scaled;
  }
  __syncthreads();
  return sort_bins_of_group(shared, most_overfull);
}

// Sorts a group by merging, however its keys are spread. Stable.
template <bool PAIRS, int kThreads, int kItems, int kBinBits>
static __device__ __forceinline__ void merge_group(
    SortShared<PAIRS, kThreads, kItems, kBinBits> &shared, Pairs from, Pairs to,
    unsigned int count) {
  typedef SortShared<PAIRS, kThreads, kItems, kBinBits> Shared;
  const KeyArrays tile = {shared.element, shared.value};
  __syncthreads();
  for (unsigned int i = threadIdx.x; i < count; i += kThreads) {
    tile.keys[i] = from.keys[i];
    if (PAIRS) tile.positions[i] = from.positions[i];
  }
  clear_rest<kThreads, Shared::kMerged, PAIRS>(tile, count);
  __syncthreads();
  sort_tile<Shared::kMerged, PAIRS>(tile, count, shared.bin);
  __syncthreads();
  for (unsigned int i = threadIdx.x; i < count; i += kThreads) {
    to.keys[i] = tile.keys[i];
    if (PAIRS) to.positions[i] = tile.positions[i];
  }
}

template <bool PAIRS, int kThreads, int kItems, int kBinBits>
static __device__ __forceinline__ void sort_group(
    SortShared<PAIRS, kThreads, kItems, kBinBits> &shared, Pairs from, Pairs to,
    unsigned int count) {
  typedef SortShared<PAIRS, kThreads, kItems, kBinBits> Shared;
  for (unsigned int b = threadIdx.x; b < Shared::kBins; b += kThreads) shared.bin[b] = 0;
  if (threadIdx.x == 0) {
    shared.least = ~0u;
    shared.greatest = 0;
    shared.full_bins = shared.overfull = shared.equal = 0;
  }
  const int left = (int)count - (int)threadIdx.x;
  unsigned int key[kItems] = {}, low = ~0u, high = 0;
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    if (left <= u * kThreads) continue;
    key[u] = from.keys[threadIdx.x + u * kThreads];
    low = min(low, key[u]);
    high = max(high, key[u]);
  }
  __syncthreads();
  add_extremes(low, high, &shared.least, &shared.greatest);
  if constexpr (PAIRS) {
#pragma unroll
    for (int u = 0; u < kItems; u++)
      if (left > u * kThreads) shared.value[threadIdx.x + u * kThreads] = key[u];
  }
  __syncthreads();
  const unsigned int least = shared.least, width = shared.greatest - least;
  if (width == 0 && from.keys == to.keys) return;
  const int shift = width == 0 ? 31 : __clz((int)width);
  if (!order_group(shared, key, count, least, shift)) {
    merge_group(shared, from, to, count);
    return;
  }
  for (int u = 0; u < kItems; u++) {
    const unsigned int i = threadIdx.x + u * kThreads;
    if (i >= count) break;
    if constexpr (PAIRS)
      to.keys[i] = shared.value[shared.element[i] & ((1u << Shared::kPlaceBits) - 1)];
    else
      to.keys[i] = (shared.element[i] >> shift) + least;
  }
  if constexpr (PAIRS) {
    __syncthreads();
    for (unsigned int i = threadIdx.x; i < count; i += kThreads)
      shared.value[i] = from.positions[i];
    __syncthreads();
    for (unsigned int i = threadIdx.x; i < count; i += kThreads)
      to.positions[i] = shared.value[shared.element[i] & ((1u << Shared::kPlaceBits) - 1)];
  }
}

static __device__ __forceinline__ Pairs pairs_from(Pairs pairs, size_t begin) {
  const Pairs rest = {pairs.keys + begin, pairs.positions == NULL ? NULL : pairs.positions + begin};
  return rest;
}

// Sorts the groups listed to `output`; without a list, all `count` elements of `input`.
template <bool PAIRS, int kThreads, int kItems, int kBinBits, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    sort_groups(Pairs input, Pairs output, const Group *group, const unsigned int *groups,
                unsigned int count) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  typedef SortShared<PAIRS, kThreads, kItems, kBinBits> Shared;
  Shared &shared = *(Shared *)shared_memory;
  wait_for_previous_kernel();
  const unsigned int all = groups == NULL ? 1 : *groups;
  for (unsigned int g = blockIdx.x; g < all; g += gridDim.x) {
    const Group whole = {0, count, false, true}, own = groups == NULL ? whole : group[g];
    const Pairs to = pairs_from(output, own.begin);
    const Pairs from = own.at_input ? pairs_from(input, own.begin) : to;
    if (own.equal) {
      for (unsigned int i = threadIdx.x; i < own.length; i += kThreads) move_pair(to, i, from, i);
      continue;
    }
    sort_group(shared, from, to, own.length);
    __syncthreads();
  }
}

#endif
