// A block sorts a bucket of sample_sweep.cuh: the keys' differences to the smallest one, shifted
// left until the largest fills 32 bits, as pairs_block.cuh sorts keys.
#ifndef RADIX_V7_SAMPLE_BLOCK_CUH
#define RADIX_V7_SAMPLE_BLOCK_CUH

#include "radix_v7/pairs_block.cuh"
#include "radix_v7/sample.cuh"

// Large buckets of equal keys are in order already.
static __device__ void copy_chunks(const SampleState &state, unsigned int chunks, Pairs out) {
  for (unsigned int c = blockIdx.x; c < chunks; c += gridDim.x) {
    const SampleBucket chunk = state.chunk[c];
    for (unsigned int i = threadIdx.x; i < chunk.count; i += blockDim.x) {
      const uint2 pair = state.regions[chunk.from + i];
      out.keys[chunk.to + i] = pair.x;
      if (out.positions != NULL) out.positions[chunk.to + i] = pair.y;
    }
  }
}

// How keys spread over the bins: each of up to two ranges linearly over a half of them. Only the
// first and the last bucket have two, as no splitter bounds them: what lies beyond the sample
// may be far away.
typedef struct BinMap {
  unsigned int begin[2], half[2];  // first key and first value of each range
  int shift[2];
  int drop;     // 1 with two ranges
  bool coarse;  // different keys may have the same value
} BinMap;

static __device__ __forceinline__ int shift_for(unsigned int low, unsigned int high) {
  return high <= low ? 0 : __clz((int)(high - low));
}

// smallest, largest: of the bucket's keys
static __device__ BinMap make_bin_map(unsigned int smallest, unsigned int largest,
                                      const SampleState &state) {
  unsigned int middle = smallest;  // first key of the second range
  if (blockIdx.x == 0) middle = state.sorted[0];
  if (blockIdx.x == SAMPLE_BUCKETS - 1) middle = state.sorted[SAMPLE - 1];
  BinMap map = {{smallest, middle}, {0, 1u << 31}, {0, 0}, 1, false};
  if (smallest >= middle || middle > largest) {
    map.begin[1] = smallest;
    map.half[1] = 0;
    map.drop = 0;
    map.shift[0] = map.shift[1] = shift_for(smallest, largest);
    return map;
  }
  map.shift[0] = shift_for(smallest, middle);
  map.shift[1] = shift_for(middle, largest);
  map.coarse =
      (map.shift[0] == 0 && middle - smallest > 1) || (map.shift[1] == 0 && largest - middle > 1);
  return map;
}

// Grows with the key.
static __device__ __forceinline__ unsigned int map_to_bins(const BinMap &map, unsigned int key) {
  const bool second = key >= map.begin[1];
  const unsigned int begin = second ? map.begin[1] : map.begin[0];
  const int shift = second ? map.shift[1] : map.shift[0];
  return (second ? map.half[1] : map.half[0]) | ((key - begin) << shift) >> map.drop;
}

// Adds the calling thread's smallest and largest key to the block's. All threads call it.
static __device__ void find_range(unsigned int low, unsigned int high, unsigned int *smallest,
                                  unsigned int *largest) {
  for (int step = WARP_SIZE / 2; step > 0; step /= 2) {
    low = min(low, __shfl_xor_sync(0xffffffffu, low, step));
    high = max(high, __shfl_xor_sync(0xffffffffu, high, step));
  }
  if (threadIdx.x % WARP_SIZE != 0) return;
  atomicMin(smallest, low);
  atomicMax(largest, high);
}

// All threads of the block. `smallest` and `largest` are shared, ~0 and 0 before.
template <int kThreads, int kItems, int kBinBits>
static __device__ void sort_sampled(PairBlockShared<kThreads, kItems, kBinBits, FETCHED> &shared,
                                    Pairs out, const SampleState &state, SampleBucket bucket,
                                    unsigned int *smallest, unsigned int *largest) {
  constexpr int kPlaceBits = bits_to_count(kThreads * kItems);
  static_assert(kPlaceBits <= kBinBits, "elements have 32 bits");
  const unsigned int lead = bucket.to % WARP_SIZE, behind = lead + bucket.count;
  const int left = (int)behind - (int)threadIdx.x, ahead = (int)lead - (int)threadIdx.x;
  const uint2 *const from = state.regions + bucket.from + threadIdx.x - lead;
  unsigned int key[kItems] = {}, low = ~0u, high = 0;
#pragma unroll
  for (int u = 0; u < kItems; u++)
    if (left > u * kThreads && (u > 0 || ahead <= 0)) {
      const uint2 pair = from[u * kThreads];
      key[u] = pair.x;
      shared.position[threadIdx.x + u * kThreads] = pair.y;
      low = min(low, pair.x);
      high = max(high, pair.x);
    }
  find_range(low, high, smallest, largest);
  __syncthreads();
  const BinMap map = make_bin_map(*smallest, *largest, state);
  unsigned int binned[kItems];
#pragma unroll
  for (int u = 0; u < kItems; u++) binned[u] = map_to_bins(map, key[u]);
  const Digit digit = {32 - kBinBits, (1u << kBinBits) - 1, 0, 0};
  order_places<8, false>(shared, binned, key, lead, behind, digit, 32, map.coarse);
#pragma unroll
  for (int u = 0; u < kItems; u++)
    if (left > u * kThreads && (u > 0 || ahead <= 0)) {
      const unsigned int p = threadIdx.x + u * kThreads, to = bucket.to - lead + p;
      const unsigned int place = shared.element[p - lead] & ((1u << kPlaceBits) - 1);
      out.keys[to] = shared.key[place];
      if (out.positions != NULL) out.positions[to] = shared.position[place];
    }
}

template <int kThreads, int kItems, int kBinBits>
static __global__ void __launch_bounds__(kThreads, RANK_THREADS / kThreads)
    sort_sampled_bucket(Pairs out, SampleState state) {
  typedef PairBlockShared<kThreads, kItems, kBinBits, FETCHED> Shared;
  extern __shared__ __align__(16) unsigned int shared_memory[];
  Shared &shared = *(Shared *)shared_memory;
  __shared__ unsigned int smallest, largest;
  prepare_block(shared);
  if (threadIdx.x == 0) {
    smallest = ~0u;
    largest = 0;
  }
  __syncthreads();
  wait_for_previous_kernel();
  const unsigned int verdict = *state.verdict, chunks = *state.chunks;
  const SampleBucket bucket = state.bucket[blockIdx.x];
  if (verdict != FITS) return;
  if (bucket.count > 0 && bucket.to % WARP_SIZE + bucket.count <= Shared::kCapacity)
    sort_sampled(shared, out, state, bucket, &smallest, &largest);
  copy_chunks(state, chunks, out);
}

#endif
