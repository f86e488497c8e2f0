// A block sorts a bucket of sample_sweep.cuh: the keys' differences to the smallest one, shifted
// left until the largest fills 32 bits, as pairs_block.cuh sorts keys.
#ifndef RADIX_V7_SAMPLE_BLOCK_CUH
#define RADIX_V7_SAMPLE_BLOCK_CUH

#include "radix_v7/pairs_block.cuh"
#include "radix_v7/sample.cuh"

enum {
  SAMPLE_BLOCK_THREADS = 1024,
  SAMPLE_BLOCK_ITEMS = 4,
  SAMPLE_CAPACITY = SAMPLE_BLOCK_THREADS * SAMPLE_BLOCK_ITEMS,
  SAMPLE_BIN_BITS = 12,
};
typedef PairBlockShared<SAMPLE_BLOCK_THREADS, SAMPLE_BLOCK_ITEMS, SAMPLE_BIN_BITS, true>
    SampleBlockShared;

// Large buckets of equal keys are in order already.
static __device__ void copy_chunks(const SampleState &state, Pairs out) {
  const unsigned int chunks = *state.chunks;
  for (unsigned int c = blockIdx.x; c < chunks; c += gridDim.x) {
    const SampleBucket chunk = state.chunk[c];
    for (unsigned int i = threadIdx.x; i < chunk.count; i += SAMPLE_BLOCK_THREADS) {
      const uint2 pair = state.regions[chunk.from + i];
      out.keys[chunk.to + i] = pair.x;
      out.positions[chunk.to + i] = pair.y;
    }
  }
}

static __global__ void __launch_bounds__(SAMPLE_BLOCK_THREADS)
    sort_sampled_bucket(Pairs out, SampleState state) {
  constexpr int kItems = SAMPLE_BLOCK_ITEMS, kThreads = SAMPLE_BLOCK_THREADS;
  static_assert(SAMPLE_CAPACITY <= 1 << SAMPLE_BIN_BITS, "elements have 32 bits");
  extern __shared__ __align__(16) unsigned int shared_memory[];
  SampleBlockShared &shared = *(SampleBlockShared *)shared_memory;
  __shared__ unsigned int smallest, largest;
  prepare_block(shared);
  if (threadIdx.x == 0) {
    smallest = ~0u;
    largest = 0;
  }
  __syncthreads();
  wait_for_previous_kernel();
  if (*state.verdict != PREFIX_FITS) return;
  copy_chunks(state, out);
  const SampleBucket bucket = state.bucket[blockIdx.x];
  const unsigned int lead = bucket.to % WARP_SIZE, behind = lead + bucket.count;
  if (bucket.count == 0 || behind > SAMPLE_CAPACITY) return;
  const int left = (int)behind - (int)threadIdx.x, ahead = (int)lead - (int)threadIdx.x;
  const uint2 *const from = state.regions + bucket.from + threadIdx.x - lead;
  unsigned int key[kItems], low = ~0u, high = 0;
#pragma unroll
  for (int u = 0; u < kItems; u++)
    if (left > u * kThreads && (u > 0 || ahead <= 0)) {
      const uint2 pair = from[u * kThreads];
      key[u] = pair.x;
      shared.position[threadIdx.x + u * kThreads] = pair.y;
      low = min(low, pair.x);
      high = max(high, pair.x);
    }
  for (int step = WARP_SIZE / 2; step > 0; step /= 2) {
    low = min(low, __shfl_xor_sync(0xffffffffu, low, step));
    high = max(high, __shfl_xor_sync(0xffffffffu, high, step));
  }
  if (threadIdx.x % WARP_SIZE == 0) {
    atomicMin(&smallest, low);
    atomicMax(&largest, high);
  }
  __syncthreads();
  // The first and the last bucket have no end. Bins begin and end with the sample; what lies beyond
  // goes to the first bin and the last.
  low = blockIdx.x == 0 ? max(smallest, state.sorted[0]) : smallest;
  high = blockIdx.x == SAMPLE_BUCKETS - 1 ? min(largest, state.sorted[SAMPLE - 1]) : largest;
  const int shift = high <= low ? 0 : __clz((int)(high - low));
  unsigned int binned[kItems];
#pragma unroll
  for (int u = 0; u < kItems; u++)
    binned[u] = key[u] > high ? ~0u : key[u] > low ? (key[u] - low) << shift : 0;
  const Digit digit = {32 - SAMPLE_BIN_BITS, SampleBlockShared::kBins - 1, 0, 0};
  order_places<8, false, true>(shared, binned, key, lead, behind, digit, 32);
#pragma unroll
  for (int u = 0; u < kItems; u++)
    if (left > u * kThreads && (u > 0 || ahead <= 0)) {
      const unsigned int p = threadIdx.x + u * kThreads, to = bucket.to - lead + p;
      const unsigned int place = shared.element[p - lead] & ((1u << SAMPLE_BIN_BITS) - 1);
      out.keys[to] = shared.key[place];
      out.positions[to] = shared.position[place];
    }
}

#endif
