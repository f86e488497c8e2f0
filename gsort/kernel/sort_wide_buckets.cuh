// A block per bucket of wide keys (block/wide_bucket.cuh). Moves 16 bytes a key.
#ifndef GSORT_KERNEL_SORT_WIDE_BUCKETS_CUH
#define GSORT_KERNEL_SORT_WIDE_BUCKETS_CUH

#include "gsort/block/wide_bucket.cuh"
#include "gsort/kernel/wide_split.cuh"

// Whether keys are even, and all buckets fit. Not volatile: no block of the kernel changes that,
// and most blocks find it in the first-level cache, so that they soon return if there is nothing to
// do.
static __device__ __forceinline__ bool goes_on(const Findings &findings) {
  return findings.first_sample == EVEN && findings.second_sample == EVEN && findings.stop == 0;
}

// Whether words behind the first `bits` of the numbers of a block's codes differ unless the codes
// are equal. The first bucket and the last one may have codes beyond the ends of the map.
template <class Shared>
static __device__ __forceinline__ bool words_are_exact(const WideMap &map, int bits) {
  return map.kind != BY_VALUE && map.up + bits >= 32 + Shared::kPlaceBits - Shared::kBinBits &&
         blockIdx.x > 0 && blockIdx.x < gridDim.x - 1;
}

static __device__ __forceinline__ const volatile unsigned int *as_volatile(
    const unsigned int *words) {
  return words;
}

// bits: of a number, by which the buckets are numbered; start: where each begins in the output.
template <int kThreads, int kItems, int kBinBits, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    sort_wide_buckets(WideRegions regions, const unsigned int *start, int bits, Wide *out,
                      WideCode code, const WideMap *map_of_keys, Findings *findings) {
  typedef WideBucketShared<kThreads, kItems, kBinBits> Shared;
  extern __shared__ __align__(16) unsigned char shared_memory[];
  Shared &shared = *(Shared *)shared_memory;
  wait_for_previous_kernel();
  if (!goes_on(*findings)) return;
  clear_counters<kThreads>(shared.bin, 1u << kBinBits);
  // These loads wait for memory together, as none is behind a branch.
  const WideMap map = *map_of_keys;
  const unsigned int up = as_volatile(regions.up)[blockIdx.x],
                     down = as_volatile(regions.down)[blockIdx.x];
  const unsigned int to = start[blockIdx.x];
  const unsigned int base = blockIdx.x * regions.capacity, in_front = up - base,
                     count = in_front + (base + regions.capacity - down);
  const Wide *const memory = regions.of(blockIdx.x);
  Wide mine[kItems] = {};
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int p = threadIdx.x + u * kThreads;
    if (p < count) mine[u] = __ldcs(&memory[p < in_front ? base + p : down + p - in_front]);
  }
  __syncthreads();
  unsigned int word[kItems];
  for_kind(map.kind, [&](auto kind) { find_words<decltype(kind)::kind>(map, mine, bits, word); });
  sort_codes<None>(shared, mine, word, count, words_are_exact<Shared>(map, bits));
  write_sorted_bucket<kItems>(shared, count, out, (None *)NULL, to, code);
}

#endif
