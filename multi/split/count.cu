// A block counts in shared memory, 65,536 counters of 16 bits. Before one overflows, 2^15 is moved
// from it to the counter in global memory. That is exact: between two barriers a block counts fewer
// than 2^15 keys. So a counter, below 2^15 at each barrier, passes 2^15 at most once and stays
// below 2^16 until the thread whose addition passed it has subtracted 2^15, at the latest at the
// next barrier.
#include "multi/split/count.h"

#include "common/device.h"
#include "common/pairs.cuh"
#include "common/scratch.h"

typedef unsigned long long Count;

enum { COUNT_THREADS = 1024, COUNT_QUADS = 4 };  // a thread counts 16 keys between two barriers
static const unsigned int VALUES = 1u << 16, SPILL = 1u << 15;
static const size_t COUNTER_BYTES = VALUES * sizeof(unsigned short);
static_assert(4 * COUNT_QUADS * COUNT_THREADS < 1 << 15, "counters of 16 bits");

// Two counters of the grid are 64 bits, so that one atomic adds to both. Each is at most the length
// of a shard, below 2^32, so none carries into the other.
static __device__ __forceinline__ Count for_value(unsigned int value, Count count) {
  return value % 2 == 0 ? count : count << 32;
}

static __device__ __forceinline__ void count_value(unsigned int *counters, unsigned int value,
                                                   Count *sums) {
  const unsigned int shift = 16 * (value % 2);
  const unsigned int old = atomicAdd(&counters[value / 2], 1u << shift) >> shift & 0xffffu;
  if (old == SPILL - 1) {
    atomicSub(&counters[value / 2], SPILL << shift);
    atomicAdd(&sums[value / 2], for_value(value, SPILL));
  }
}

static __device__ __forceinline__ void count_key(unsigned int *counters, unsigned int key,
                                                 int prefix, Count *sums) {
  if (prefix == UPPER_HALF)
    count_value(counters, key >> 16, sums);
  else if (key >> 16 == (unsigned int)prefix)
    count_value(counters, key & 0xffffu, sums);
}

// The quads of a round: a thread's are COUNT_THREADS apart.
static __device__ __forceinline__ void load_quads(const uint4 *keys, size_t quads, size_t begin,
                                                  uint4 quad[COUNT_QUADS]) {
#pragma unroll
  for (int u = 0; u < COUNT_QUADS; u++) {
    const size_t i = begin + u * COUNT_THREADS + threadIdx.x;
    if (i < quads) quad[u] = __ldcs(&keys[i]);
  }
}

// The keys of the next round are loaded while the keys of this one are counted.
static __global__ void __launch_bounds__(COUNT_THREADS)
    count_kernel(const unsigned int *keys, size_t n, int prefix, Count *sums) {
  extern __shared__ __align__(16) unsigned int counters[];
  const size_t quads = n / 4, round = COUNT_QUADS * COUNT_THREADS, step = gridDim.x * round;
  size_t begin = blockIdx.x * round;
  uint4 quad[COUNT_QUADS] = {}, next[COUNT_QUADS] = {};
  load_quads((const uint4 *)keys, quads, begin, quad);
  for (unsigned int i = threadIdx.x; i < VALUES / 2; i += COUNT_THREADS) counters[i] = 0;
  for (; begin < quads; begin += step) {
    __syncthreads();
    load_quads((const uint4 *)keys, quads, begin + step, next);
#pragma unroll
    for (int u = 0; u < COUNT_QUADS; u++) {
      if (begin + u * COUNT_THREADS + threadIdx.x < quads) {
        count_key(counters, quad[u].x, prefix, sums);
        count_key(counters, quad[u].y, prefix, sums);
        count_key(counters, quad[u].z, prefix, sums);
        count_key(counters, quad[u].w, prefix, sums);
      }
      quad[u] = next[u];
    }
  }
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x < n % 4)
    count_key(counters, keys[4 * quads + threadIdx.x], prefix, sums);
  __syncthreads();
  // Blocks begin at different counters, so that they do not queue for the same ones.
  for (unsigned int k = threadIdx.x; k < VALUES / 2; k += COUNT_THREADS) {
    const unsigned int i = (k + blockIdx.x * COUNT_THREADS) % (VALUES / 2);
    const unsigned int pair = counters[i];
    if (pair != 0) atomicAdd(&sums[i], (Count)(pair >> 16) << 32 | (pair & 0xffffu));
  }
}

static __global__ void widen(const unsigned int *sums, Count *counts) {
  const size_t i = global_index();
  if (i < VALUES) counts[i] = sums[i];
}

void count_halves(const unsigned int *keys, size_t n, int prefix, uint32_t *counts) {
  CUDA_CHECK(cudaMemsetAsync(counts, 0, VALUES * sizeof *counts, 0));
  // A block clears and adds up 65,536 counters, so it should have at least as many keys.
  const unsigned int most = (unsigned int)device_attribute(cudaDevAttrMultiProcessorCount),
                     wanted = blocks_for(n, (int)VALUES);
  const unsigned int blocks = wanted < most ? wanted : most;
  allow_shared_memory(count_kernel, COUNTER_BYTES);
  if (n > 0)
    count_kernel<<<blocks, COUNT_THREADS, COUNTER_BYTES>>>(keys, n, prefix, (Count *)counts);
  LAUNCH_CHECK();
}

void widen_counts(const uint32_t *counts, uint64_t *wide) {
  widen<<<VALUES / 256, 256>>>(counts, (Count *)wide);
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
