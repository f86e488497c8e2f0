// Counts of the upper or lower halves of keys, and the index of one of many equal keys.
//
// A block counts in shared memory, 65,536 counters of 16 bits. Before one overflows, 2^15 is moved
// from it to the counter in global memory. That is exact: between two barriers a block counts fewer
// than 2^15 keys. So a counter, below 2^15 at each barrier, passes 2^15 at most once and stays
// below 2^16 until the thread whose addition passed it has subtracted 2^15, at the latest at the
// next barrier.
#include "common/device.h"
#include "common/pairs.cuh"
#include "common/scratch.h"
#include "multi/partition.h"

typedef unsigned long long Count;

static const int COUNT_THREADS = 1024, KEYS_BETWEEN_BARRIERS = 31;  // of a thread
static const unsigned int VALUES = 1u << 16, SPILL = 1u << 15;
static const size_t COUNTER_BYTES = VALUES * sizeof(unsigned short);

static __device__ __forceinline__ void count_value(unsigned int *counters, unsigned int value,
                                                   Count *counts) {
  unsigned int *const pair = &counters[value / 2];
  const unsigned int shift = 16 * (value % 2);
  const unsigned int old = atomicAdd(pair, 1u << shift) >> shift & 0xffffu;
  if (old == SPILL - 1) {
    atomicSub(pair, SPILL << shift);
    atomicAdd(&counts[value], (Count)SPILL);
  }
}

static __global__ void __launch_bounds__(COUNT_THREADS)
    count_kernel(const unsigned int *keys, size_t n, int prefix, Count *counts) {
  extern __shared__ __align__(16) unsigned int counters[];
  for (unsigned int i = threadIdx.x; i < VALUES / 2; i += COUNT_THREADS) counters[i] = 0;
  const size_t step = (size_t)gridDim.x * COUNT_THREADS;
  for (size_t begin = (size_t)blockIdx.x * COUNT_THREADS; begin < n;
       begin += step * KEYS_BETWEEN_BARRIERS) {
    __syncthreads();
#pragma unroll 4
    for (int u = 0; u < KEYS_BETWEEN_BARRIERS; u++) {
      const size_t i = begin + u * step + threadIdx.x;
      if (i >= n) break;
      const unsigned int key = keys[i];
      if (prefix == UPPER_HALF)
        count_value(counters, key >> 16, counts);
      else if (key >> 16 == (unsigned int)prefix)
        count_value(counters, key & 0xffffu, counts);
    }
  }
  __syncthreads();
  for (unsigned int i = threadIdx.x; i < VALUES; i += COUNT_THREADS) {
    const unsigned int count = counters[i / 2] >> 16 * (i % 2) & 0xffffu;
    if (count != 0) atomicAdd(&counts[i], (Count)count);
  }
}

void count_halves(const unsigned int *keys, size_t n, int prefix, uint64_t *counts) {
  CUDA_CHECK(cudaMemsetAsync(counts, 0, VALUES * sizeof *counts, 0));
  if (n == 0) return;
  // A block clears and adds up 65,536 counters, so it should have at least as many keys.
  const unsigned int most = (unsigned int)device_attribute(cudaDevAttrMultiProcessorCount),
                     wanted = blocks_for(n, (int)VALUES);
  allow_shared_memory(count_kernel, COUNTER_BYTES);
  const unsigned int blocks = wanted < most ? wanted : most;
  count_kernel<<<blocks, COUNT_THREADS, COUNTER_BYTES>>>(keys, n, prefix, (Count *)counts);
  LAUNCH_CHECK();
}

// ---- one of many equal keys ---------------------------------------------------------------------

static const int FIND_THREADS = 256, FIND_ITEMS = 64, FIND_TILE = FIND_THREADS * FIND_ITEMS;

static __global__ void count_equal(const unsigned int *keys, size_t n, unsigned int key,
                                   unsigned int *counts) {
  __shared__ unsigned int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  unsigned int count = 0;
  for (int u = 0; u < FIND_ITEMS; u++) {
    const size_t i = (size_t)blockIdx.x * FIND_TILE + u * FIND_THREADS + threadIdx.x;
    count += i < n && keys[i] == key;
  }
  if (count > 0) atomicAdd(&sum, count);
  __syncthreads();
  if (threadIdx.x == 0) counts[blockIdx.x] = sum;
}

// The tile is found by the tiles' counts, the key inside it on the host: one small copy each.
size_t find_equal(const unsigned int *keys, size_t n, unsigned int key, size_t skipped) {
  const unsigned int tiles = blocks_for(n, FIND_TILE);
  unsigned int *const d_counts = (unsigned int *)scratch_alloc(tiles * sizeof *d_counts);
  unsigned int *const counts =
      (unsigned int *)MEMORY_CHECK(malloc((tiles + FIND_TILE) * sizeof *counts));
  unsigned int *const in_tile = counts + tiles;
  count_equal<<<tiles, FIND_THREADS>>>(keys, n, key, d_counts);
  LAUNCH_CHECK();
  CUDA_CHECK(cudaMemcpy(counts, d_counts, tiles * sizeof *counts, cudaMemcpyDeviceToHost));
  size_t tile = 0;
  while (tile < tiles && counts[tile] <= skipped) skipped -= counts[tile++];
  size_t found = n;
  if (tile < tiles) {
    const size_t begin = tile * FIND_TILE, length = n - begin < FIND_TILE ? n - begin : FIND_TILE;
    CUDA_CHECK(cudaMemcpy(in_tile, keys + begin, length * sizeof *in_tile, cudaMemcpyDeviceToHost));
    size_t i = 0;
    while (i < length && (in_tile[i] != key || skipped-- > 0)) i++;
    found = begin + i;
  }
  free(counts);
  scratch_free(d_counts);
  return found;
}
