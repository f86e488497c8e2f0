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
  constexpr unsigned int kBins = 1u << kBinBits;
  extern __shared__ __align__(16) unsigned char shared_memory[];
  Shared &shared = *(Shared *)shared_memory;
  for (unsigned int b = threadIdx.x; b < kBins; b += kThreads) shared.bin[b] = 0;
  wait_for_previous_kernel();
  const WideMap map = *map_of_keys;
  const volatile Findings &found = *findings;
  const unsigned int first_sample = found.first_sample, second_sample = found.second_sample,
                     stop = found.stop;
  if (first_sample != EVEN || second_sample != EVEN || stop != 0) return;
  const unsigned int to = start[blockIdx.x];
  Wide mine[kItems];
  unsigned int count = 0;
  for (unsigned int j = 0; j < regions.blocks; j++) {
    const unsigned int region = blockIdx.x * regions.blocks + j, here = regions.count[region];
    const size_t base = (size_t)region * regions.capacity;
    const Wide *const keys = regions.keys_of(region) + base;
    const Value *const values = regions.values_of(region) + base;
#pragma unroll
    for (int u = 0; u < kItems; u++) {
      const unsigned int p = threadIdx.x + u * kThreads, at = p - count;
      if (at >= here) continue;  // also if p < count
      mine[u] = __ldcs(&keys[at]);
      shared.value[p] = __ldcs(&values[at]);
    }
    count += here;
  }
  __syncthreads();
  for_kind(map.kind, [&](auto kind) {
    sort_codes<decltype(kind)::kind, Value>(shared, mine, count, map, bits);
  });
  write_sorted_bucket(shared, count, out_keys, out_values, to, code);
}

#endif
