// A block per bucket of wide pairs: as sort_wide_buckets.cuh, and stable, as words are in the order
// of places where codes are equal. Values follow their keys. A bucket lies in one region or some.
#ifndef GSORT_KERNEL_SORT_WIDE_PAIR_BUCKETS_CUH
#define GSORT_KERNEL_SORT_WIDE_PAIR_BUCKETS_CUH

#include "gsort/kernel/sort_wide_buckets.cuh"
#include "gsort/kernel/stable_wide_split.cuh"

enum { PLACE_PAIR_THREADS = 256 };

// Behind the last step, a block for each part: where each bucket begins in the output. Tells the
// host whether all buckets fit.
template <class Value>
static __global__ void __launch_bounds__(PLACE_PAIR_THREADS)
    place_wide_pairs(PairRegions<Value> parts, PairRegions<Value> regions,
                     unsigned int buckets_of_part, unsigned int capacity, unsigned int *start,
                     Findings *findings, volatile HostVerdict *host) {
  __shared__ unsigned int sums[MAX_WARPS], before_part, carry;
  wait_for_previous_kernel();
  if (findings->first_sample != EVEN || findings->second_sample != EVEN) return;
  if (threadIdx.x == 0) before_part = 0;
  __syncthreads();
  unsigned int before = 0;
  for (unsigned int r = threadIdx.x; r < blockIdx.x * parts.blocks; r += PLACE_PAIR_THREADS)
    before += parts.count[r];
  before = warp_sum(before);
  if (threadIdx.x % WARP_SIZE == 0) atomicAdd(&before_part, before);
  __syncthreads();
  before = before_part;
  bool fits = true;
  for (unsigned int base = 0; base < buckets_of_part; base += PLACE_PAIR_THREADS) {
    const unsigned int b = blockIdx.x * buckets_of_part + base + threadIdx.x;
    const bool exists = base + threadIdx.x < buckets_of_part;
    unsigned int count = 0;
    for (unsigned int j = 0; exists && j < regions.blocks; j++)
      count += regions.count[b * regions.blocks + j];
    fits = fits && count <= capacity;
    const unsigned int up_to_here = before + block_inclusive_scan(count, sums);
    if (exists) start[b] = up_to_here - count;
    if (threadIdx.x == PLACE_PAIR_THREADS - 1) carry = up_to_here;
    __syncthreads();
    before = carry;
  }
  if (__syncthreads_or(!fits) != 0 && threadIdx.x == 0) atomicOr(&findings->stop, 1u);
  if (threadIdx.x > 0) return;
  __threadfence();
  if (atomicAdd(&findings->arrived, 1u) < gridDim.x - 1) return;
  __threadfence();
  host->finding = *(volatile unsigned int *)&findings->stop != 0 ? UNEVEN : SORTED;
}

template <int kThreads, int kItems, int kBinBits, class Value>
struct WidePairShared : WideBucketShared<kThreads, kItems, kBinBits> {
  Value value[kThreads * kItems];
};

// Batcher's merge exchange of words that are places, by codes and then by place.
template <int kThreads>
static __device__ void merge_exchange_places(unsigned int *place, const Wide *code,
                                             unsigned int count) {
  if (count < 2) return;
  const unsigned int top = 1u << (31 - __clz((int)(count - 1)));
  for (unsigned int p = top; p > 0; p /= 2) {
    unsigned int r = 0, d = p;
    for (unsigned int q = top;; q /= 2) {
      __syncthreads();
      for (unsigned int i = threadIdx.x; i + d < count; i += kThreads) {
        if ((i & p) != r) continue;
        const unsigned int a = place[i], b = place[i + d];
        const Wide code_a = code[a], code_b = code[b];
        if (code_a < code_b || (code_a == code_b && a < b)) continue;
        place[i] = b;
        place[i + d] = a;
      }
      if (q == p) break;
      d = q - p;
      r = p;
    }
  }
  __syncthreads();
}

template <int kThreads, int kItems, int kBinBits, int kBlocksPerSm, class Value, bool kByValue>
static __global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    sort_wide_pair_buckets(PairRegions<Value> regions, const unsigned int *start, int bits,
                           Wide *out_keys, Value *out_values, WideCode code,
                           const WideMap *map_of_keys, Findings *findings) {
  typedef WidePairShared<kThreads, kItems, kBinBits, Value> Shared;
  constexpr unsigned int kBins = 1u << kBinBits, kCapacity = kThreads * kItems;
  constexpr int kPlaceBits = kCapacity <= 1 << 12 ? 12 : kCapacity <= 1 << 13 ? 13 : 14;
  constexpr unsigned int kPlaces = (1u << kPlaceBits) - 1;
  extern __shared__ __align__(16) unsigned char shared_memory[];
  Shared &shared = *(Shared *)shared_memory;
  for (unsigned int b = threadIdx.x; b < kBins; b += kThreads) shared.bin[b] = 0;
  wait_for_previous_kernel();
  if (findings->first_sample != EVEN || findings->second_sample != EVEN || findings->stop != 0)
    return;
  const WideMap map = *map_of_keys;
  if (map.by_value != kByValue) return;
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
  unsigned int word[kItems];
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int p = threadIdx.x + u * kThreads;
    word[u] = 0;
    if (p >= count) continue;
    word[u] = word_behind(number_of<kByValue>(map, mine[u]), bits);
    atomicAdd(&shared.bin[word[u] >> (32 - kBinBits)], 1u);
    shared.code[p] = mine[u];
  }
  __syncthreads();
  const unsigned int largest =
      scan_counters<(int)kBins / kThreads>(shared.bin, shared.sums, 1, shared.ignored, 0);
  const bool crowded = __syncthreads_or(largest > CROWDED) != 0;
  if (crowded) {
    for (unsigned int p = threadIdx.x; p < count; p += kThreads) shared.word[p] = p;
    merge_exchange_places<kThreads>(shared.word, shared.code, count);
  } else {
#pragma unroll
    for (int u = 0; u < kItems; u++) {
      const unsigned int p = threadIdx.x + u * kThreads;
      if (p >= count) continue;
      const unsigned int to = atomicAdd(&shared.bin[word[u] >> (32 - kBinBits)], 1u);
      shared.word[to] = (word[u] << kBinBits & ~kPlaces) | p;
    }
    __syncthreads();
    sort_wide_bins<kPlaceBits, kThreads, kItems, kBinBits>(shared);
    __syncthreads();
  }
  const unsigned int to = start[blockIdx.x], lead = to % WARP_SIZE;
#pragma unroll 4
  for (unsigned int i = threadIdx.x; i < count + lead; i += kThreads) {
    if (i < lead) continue;
    const unsigned int p = shared.word[i - lead] & kPlaces;
    const Wide sorted = shared.code[p];
    __stcs(&out_keys[(size_t)to - lead + i], is_plain(code) ? sorted : decode(code, sorted));
    __stcs(&out_values[(size_t)to - lead + i], shared.value[p]);
  }
}

#endif
