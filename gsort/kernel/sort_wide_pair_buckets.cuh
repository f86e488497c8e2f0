// A block per bucket of wide pairs: as sort_wide_buckets.cuh, and stable, as words are in the order
// of places where codes are equal. Values follow their keys. A bucket lies in one region or some.
#ifndef GSORT_KERNEL_SORT_WIDE_PAIR_BUCKETS_CUH
#define GSORT_KERNEL_SORT_WIDE_PAIR_BUCKETS_CUH

#include "gsort/kernel/sort_wide_buckets.cuh"
#include "gsort/kernel/stable_wide_split.cuh"

template <int kThreads, int kItems, int kBinBits, int kBlocksPerSm, class Value>
static __global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    sort_wide_pair_buckets(PairRegions<Value> regions, const unsigned int *start, int bits,
                           Wide *out_keys, Value *out_values, WideCode code,
                           const WideMap *map_of_keys, Findings *findings) {
  typedef WidePairShared<kThreads, kItems, kBinBits, Value> Shared;
  extern __shared__ __align__(16) unsigned char shared_memory[];
  Shared &shared = *(Shared *)shared_memory;
  wait_for_previous_kernel();
  if (!goes_on(*findings)) return;
  clear_counters<kThreads>(shared.bin, 1u << kBinBits);
  // These loads wait for memory together, as none is behind a branch. So do those of all keys and
  // values, as none of them is used before the last one is under way.
  const WideMap map = *map_of_keys;
  const unsigned int region = blockIdx.x * regions.blocks, to = as_volatile(start)[blockIdx.x],
                     in_first = as_volatile(regions.count)[region];
  Wide mine[kItems] = {};
  Value value[kItems] = {};
  unsigned int count = 0;
  for (unsigned int j = 0; j < regions.blocks; j++) {
    const unsigned int here = j == 0 ? in_first : regions.count[region + j];
    const size_t base = (size_t)(region + j) * regions.capacity + threadIdx.x - count;
    const Wide *const keys = opaque_address(regions.keys_of(region + j) + base);
    const Value *const values = opaque_address(regions.values_of(region + j) + base);
#pragma unroll
    for (int u = 0; u < kItems; u++) {
      if (threadIdx.x + u * kThreads - count >= here) continue;  // also if it is in another region
      mine[u] = __ldcs(&keys[u * kThreads]);
      value[u] = __ldcs(&values[u * kThreads]);
    }
    count += here;
  }
  put_values<kThreads>(shared, value, count);
  __syncthreads();
  unsigned int word[kItems];
  for_kind(map.kind, [&](auto kind) { find_words<decltype(kind)::kind>(map, mine, bits, word); });
  sort_codes<Value>(shared, mine, word, count, words_are_exact<Shared>(map, bits));
  write_sorted_bucket<kItems>(shared, count, out_keys, out_values, to, code);
}

#endif
