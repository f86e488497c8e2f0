// Most significant digit first, for bare keys: one pass moves every key to its bucket, and a bucket
// is so small that a block sorts it in shared memory. 20 bytes a key move, where four sweeps
// move 36.
//
//   count      how many keys has each bucket, that is, each value of the upper 10 to 12 bits?
//   partition  blocks reserve room in the buckets for the keys of their tiles, and move them there.
//              Equal keys cannot be told apart, so nothing has to be stable, and shared atomics
//              give the places: no ballots, no look-back.
//   sort       a block per bucket: the same again with the next 10 to 12 bits, in shared memory.
//   What
//              is left are a few keys with equal upper bits, side by side, for a thread to sort.
//
// A bucket must fit into its block. The first kernel knows whether all do; if not, the four sweeps
// are run instead.
#ifndef RADIX_V5_BUCKETS_CUH
#define RADIX_V5_BUCKETS_CUH

#include "common/block_scan.cuh"
#include "common/check.h"
#include "radix_v5/layout.cuh"

enum {
  MIN_BUCKET_BITS = 10,
  MAX_BUCKET_BITS = 12,
  MAX_BUCKETS = 1 << MAX_BUCKET_BITS,
  PARTITION_THREADS = 512,
  PARTITION_ITEMS = 40,
  PARTITION_TILE = PARTITION_THREADS * PARTITION_ITEMS,
  FEW_KEYS = 8,    // so many are sorted in registers
  MANY_KEYS = 32,  // more than so many are counted instead of compared
};

// Device memory between the launches.
typedef struct BucketState {
  unsigned int *start;           // [buckets + 1] where each bucket begins; the last: n
  unsigned int *next;            // [buckets] where the next reserved part of it begins
  unsigned int *too_large;       // 1: some bucket does not fit
  unsigned int *host_too_large;  // the same in the host's memory
} BucketState;
enum { BUCKET_WORDS = 2 * MAX_BUCKETS + 2 };  // of device memory in all

// values[0..count) become their exclusive scan; all threads of the block call it. It begins and
// ends with a barrier.
//   [3 1 7 0]  ->  [0 3 4 11]
static __device__ void exclusive_scan_in_place(unsigned int *values, unsigned int count,
                                               unsigned int *warp_sums) {
  const unsigned int chunk = (count + blockDim.x - 1) / blockDim.x;
  const unsigned int begin = threadIdx.x * chunk, end = min(begin + chunk, count);
  __syncthreads();
  unsigned int sum = 0;
  for (unsigned int i = begin; i < end; i++) sum += values[i];
  unsigned int before = block_inclusive_scan(sum, warp_sums) - sum;
  for (unsigned int i = begin; i < end; i++) {
    const unsigned int value = values[i];
    values[i] = before;
    before += value;
  }
  __syncthreads();
}

// ---- count --------------------------------------------------------------------------------------

// Counts of all blocks, and how many blocks have added theirs. Zero between sorts, as in
// histogram.cuh.
static __device__ unsigned int bucket_counts[MAX_BUCKETS];
static __device__ unsigned int bucket_blocks_arrived;

// Counts the keys of each bucket; the last block to finish turns counts into starts.
static __global__ void __launch_bounds__(HISTOGRAM_THREADS)
    count_buckets(const unsigned int *keys, size_t n, int shift, unsigned int capacity,
                  BucketState state) {
  __shared__ unsigned int counters[MAX_BUCKETS], warp_sums[MAX_WARPS], is_last;
  const unsigned int buckets = 1u << (32 - shift);
  const size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  const size_t threads = (size_t)gridDim.x * blockDim.x;
  for (unsigned int b = threadIdx.x; b < buckets; b += blockDim.x) counters[b] = 0;
  __syncthreads();
  for (size_t i = thread; i < n; i += HISTOGRAM_UNROLL * threads) {
    unsigned int key[HISTOGRAM_UNROLL];
#pragma unroll
    for (int u = 0; u < HISTOGRAM_UNROLL; u++)
      if (i + u * threads < n) key[u] = keys[i + u * threads];
#pragma unroll
    for (int u = 0; u < HISTOGRAM_UNROLL; u++)
      if (i + u * threads < n) atomicAdd(&counters[key[u] >> shift], 1u);
  }
  __syncthreads();
  for (unsigned int b = threadIdx.x; b < buckets; b += blockDim.x)
    if (counters[b] > 0) atomicAdd(&bucket_counts[b], counters[b]);

  // As in count_digits(): each block's additions come before its arrival.
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicAdd(&bucket_blocks_arrived, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  bool too_large = false;
  for (unsigned int b = threadIdx.x; b < buckets; b += blockDim.x) {
    counters[b] = *(volatile unsigned int *)&bucket_counts[b];
    too_large |= counters[b] > capacity;
    bucket_counts[b] = 0;  // for the next sort
  }
  exclusive_scan_in_place(counters, buckets, warp_sums);
  for (unsigned int b = threadIdx.x; b < buckets; b += blockDim.x)
    state.start[b] = state.next[b] = counters[b];
  const unsigned int any_too_large = __syncthreads_or(too_large) != 0;
  if (threadIdx.x != 0) return;
  state.start[buckets] = (unsigned int)n;
  *state.too_large = *state.host_too_large = any_too_large;
  __threadfence_system();
  bucket_blocks_arrived = 0;
}

// ---- partition ----------------------------------------------------------------------------------

// Moves a tile of keys to their buckets. Shared memory: the tile, and two words for each bucket.
static __global__ void __launch_bounds__(PARTITION_THREADS, 2)
    partition(const unsigned int *in, unsigned int *out, unsigned int n, int shift,
              BucketState state) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  __shared__ unsigned int warp_sums[MAX_WARPS];
  if (*state.too_large != 0) return;
  const unsigned int buckets = 1u << (32 - shift), begin = blockIdx.x * PARTITION_TILE;
  const unsigned int valid = min(n - begin, (unsigned int)PARTITION_TILE);
  unsigned int *const tile = shared_memory;
  unsigned int *const next = tile + PARTITION_TILE;  // place in the tile of a bucket's next key
  unsigned int *const to = next + buckets;           // from a place in the tile to one in `out`
  for (unsigned int b = threadIdx.x; b < buckets; b += PARTITION_THREADS) next[b] = 0;
  unsigned int key[PARTITION_ITEMS];
#pragma unroll
  for (int u = 0; u < PARTITION_ITEMS; u++) {
    const unsigned int i = threadIdx.x + u * PARTITION_THREADS;
    if (i < valid) key[u] = __ldcs(&in[begin + i]);
  }
  __syncthreads();
#pragma unroll
  for (int u = 0; u < PARTITION_ITEMS; u++)
    if (threadIdx.x + u * PARTITION_THREADS < valid) atomicAdd(&next[key[u] >> shift], 1u);
  __syncthreads();
  for (unsigned int b = threadIdx.x; b < buckets; b += PARTITION_THREADS)
    to[b] = next[b] == 0 ? 0 : atomicAdd(&state.next[b], next[b]);
  exclusive_scan_in_place(next, buckets, warp_sums);
  for (unsigned int b = threadIdx.x; b < buckets; b += PARTITION_THREADS) to[b] -= next[b];
  __syncthreads();
#pragma unroll
  for (int u = 0; u < PARTITION_ITEMS; u++)
    if (threadIdx.x + u * PARTITION_THREADS < valid)
      tile[atomicAdd(&next[key[u] >> shift], 1u)] = key[u];
  __syncthreads();
#pragma unroll 8
  for (unsigned int i = threadIdx.x; i < valid; i += PARTITION_THREADS)
    out[to[tile[i] >> shift] + i] = tile[i];
}

#endif
