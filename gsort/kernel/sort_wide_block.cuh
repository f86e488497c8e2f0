// Few wide keys of any kind, with or without values, in one block: the last step of
// sort_wide_buckets.cuh, with the input as the bucket. The order is that of the bits that count;
// keys and values are fetched from the input by place, so that the other bits travel along.
#ifndef GSORT_KERNEL_SORT_WIDE_BLOCK_CUH
#define GSORT_KERNEL_SORT_WIDE_BLOCK_CUH

#include "gsort/kernel/sort_wide_buckets.cuh"
#include "gsort/kernel/wide_sample.cuh"

// n: from 1 to kThreads * kItems. values: NULL: none, or, if there are out_values, indices.
template <int kThreads, int kItems, int kBinBits, class Value>
static __global__ void __launch_bounds__(kThreads)
    sort_wide_block(const Wide *keys, const Value *values, unsigned int n, WideBits number_of,
                    Wide *out_keys, Value *out_values) {
  typedef WideBucketShared<kThreads, kItems, kBinBits> Shared;
  extern __shared__ __align__(16) unsigned char shared_memory[];
  __shared__ Wide ends[2][MAX_WARPS];
  Shared &shared = *(Shared *)shared_memory;
  clear_counters<kThreads>(shared.bin, 1u << kBinBits);
  wait_for_previous_kernel();
  Wide mine[kItems], least, most;
#pragma unroll
  for (int u = 0; u < kItems; u++)
    mine[u] = number_of(keys[min(threadIdx.x + u * kThreads, n - 1)]);
  find_ends(mine, &least, &most, ends);
  WideMap map;
  make_affine(least, least < most ? most : least + 1, &map);
  unsigned int word[kItems];
  find_words<AFFINE>(map, mine, 0, word);
  // As pairs: equal keys stay in their order.
  sort_codes<unsigned int>(shared, mine, word, n, map.up >= 32 + Shared::kPlaceBits);
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int i = threadIdx.x + u * kThreads;
    if (i >= n) continue;
    const unsigned int p = shared.word[i] & Shared::kPlaces;
    out_keys[i] = keys[p];
    if (out_values != NULL) out_values[i] = values == NULL ? (Value)p : values[p];
  }
}

#endif
