// Step 5: a block sorts each group.
#ifndef MPPSORT_V2_SORT_GROUP_CUH
#define MPPSORT_V2_SORT_GROUP_CUH

#include "mppsort_v2/order_group.cuh"

template <bool PAIRS, int kThreads, int kItems, int kBinBits>
static __device__ __forceinline__ void sort_group(
    SortShared<PAIRS, kThreads, kItems, kBinBits> &shared, Pairs from, Pairs to,
    unsigned int count) {
  typedef SortShared<PAIRS, kThreads, kItems, kBinBits> Shared;
  clear_for_sort(shared);
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
  find_extremes(shared, low, high);
  if constexpr (PAIRS) {
#pragma unroll
    for (int u = 0; u < kItems; u++)
      if (left > u * kThreads) shared.value[threadIdx.x + u * kThreads] = key[u];
  }
  __syncthreads();
  const unsigned int least = shared.least, width = shared.greatest - least;
  if (width == 0 && from.keys == to.keys) return;
  const int shift = width == 0 ? 31 : __clz((int)width);
  int by;
  const auto key_at = [&](unsigned int i) { return from.keys[i]; };
  order_group(shared, key, key_at, count, least, shift, &by);
  for (int u = 0; u < kItems; u++) {
    const unsigned int i = threadIdx.x + u * kThreads;
    if (i >= count) break;
    if constexpr (PAIRS)
      to.keys[i] = shared.value[shared.element[i] >> by & ((1u << Shared::kPlaceBits) - 1)];
    else
      to.keys[i] = (shared.element[i] >> shift) + least;
  }
  if constexpr (PAIRS) {
    __syncthreads();
    for (unsigned int i = threadIdx.x; i < count; i += kThreads)
      shared.value[i] = from.positions[i];
    __syncthreads();
    for (unsigned int i = threadIdx.x; i < count; i += kThreads)
      to.positions[i] = shared.value[shared.element[i] >> by & ((1u << Shared::kPlaceBits) - 1)];
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
