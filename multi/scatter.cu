// Moves bare keys to bins, in any order within a bin. As radix_v7's partition step, but a bin may
// lie in the memory of any GPU, and elements equal to a border's key are divided by their index.
#include "multi/scatter.h"

#include "common/block_scan.cuh"
#include "common/device.h"
#include "common/pairs.cuh"
#include "common/scratch.h"
#include "multi/upper_bound.cuh"

enum {
  THREADS = 512,  // one for each bin
  QUADS = 8,      // of four keys, of a thread
  TILE = 4 * QUADS * THREADS,
  BLOCKS_PER_SM = 2,
};
static_assert((int)THREADS > (int)SCATTER_MOST_BINS, "a thread for each bin, and one for padding");

// The bins' next free elements, and the borders that divide digits.
typedef struct Bins {
  const Splitter *splitters;    // [borders]
  unsigned int borders, count;  // count: of the bins
  unsigned int *const *arrays;  // [count] the array that the bin lies in
  unsigned int *next;           // [count] index in it of the next key
} Bins;

typedef struct Shared {
  unsigned int tile[TILE];
  unsigned int counter[THREADS];    // of each bin: keys, then the index of the next one in the tile
  unsigned int first[THREADS + 1];  // index in the tile
  unsigned int *to[THREADS];        // to[b][i]: where element i of the tile goes, of bin b
  Splitter splitters[SCATTER_MOST_BINS];
  unsigned int warp_sums[MAX_WARPS];
} Shared;

// Adds 1 to the counter of each lane's bin and returns what the counter was. Lanes with the same
// counter queue for it, which costs most where the input is sorted: so one lane adds for all.
static __device__ __forceinline__ unsigned int add_one(unsigned int *counter, unsigned int bin) {
  const unsigned int all = 0xffffffffu, lane = threadIdx.x % WARP_SIZE;
  if (!__all_sync(all, bin == __shfl_sync(all, bin, 0))) return atomicAdd(&counter[bin], 1u);
  unsigned int before = 0;
  if (lane == 0) before = atomicAdd(&counter[bin], WARP_SIZE);
  return __shfl_sync(all, before, 0) + lane;
}

static __device__ __forceinline__ unsigned int bin_of(const Shared &shared, const Bins &bins,
                                                      unsigned int key, unsigned int i,
                                                      unsigned int n) {
  if (i >= n) return bins.count;  // padding
  return (key >> 24) + upper_bound(shared.splitters, bins.borders, (Splitter)key << 32 | i);
}

// Index in the tile's part of the shard of key k of a thread's quad u.
static __device__ __forceinline__ unsigned int index_of(unsigned int begin, int u, int k) {
  return begin + 4 * (u * THREADS + threadIdx.x) + k;
}

static __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    scatter_kernel(const unsigned int *keys, unsigned int n, Bins bins) {
  extern __shared__ __align__(16) unsigned char memory[];
  Shared &shared = *(Shared *)memory;
  const unsigned int begin = blockIdx.x * TILE, bin = threadIdx.x;
  uint4 quad[QUADS];
#pragma unroll
  for (int u = 0; u < QUADS; u++) {
    const unsigned int i = index_of(begin, u, 0);
    if (i + 3 < n) {
      quad[u] = __ldcs((const uint4 *)(keys + i));
    } else {
      quad[u].x = i < n ? keys[i] : 0;
      quad[u].y = i + 1 < n ? keys[i + 1] : 0;
      quad[u].z = i + 2 < n ? keys[i + 2] : 0;
      quad[u].w = 0;
    }
  }
  shared.counter[bin] = 0;
  for (unsigned int b = threadIdx.x; b < bins.borders; b += THREADS)
    shared.splitters[b] = bins.splitters[b];
  __syncthreads();
#pragma unroll
  for (int u = 0; u < QUADS; u++) {
    const unsigned int i = index_of(begin, u, 0);
    add_one(shared.counter, bin_of(shared, bins, quad[u].x, i, n));
    add_one(shared.counter, bin_of(shared, bins, quad[u].y, i + 1, n));
    add_one(shared.counter, bin_of(shared, bins, quad[u].z, i + 2, n));
    add_one(shared.counter, bin_of(shared, bins, quad[u].w, i + 3, n));
  }
  __syncthreads();
  const unsigned int count = shared.counter[bin];
  const unsigned int up_to_here = block_inclusive_scan(count, shared.warp_sums);
  const unsigned int first = up_to_here - count;
  shared.counter[bin] = shared.first[bin] = first;
  if (bin == THREADS - 1) shared.first[THREADS] = up_to_here;
  // Reserves room for the tile's run of the bin.
  if (bin < bins.count && count > 0)
    shared.to[bin] = bins.arrays[bin] + atomicAdd(&bins.next[bin], count) - first;
  __syncthreads();
#pragma unroll
  for (int u = 0; u < QUADS; u++) {
    const unsigned int i = index_of(begin, u, 0);
    const unsigned int x = add_one(shared.counter, bin_of(shared, bins, quad[u].x, i, n)),
                       y = add_one(shared.counter, bin_of(shared, bins, quad[u].y, i + 1, n)),
                       z = add_one(shared.counter, bin_of(shared, bins, quad[u].z, i + 2, n)),
                       w = add_one(shared.counter, bin_of(shared, bins, quad[u].w, i + 3, n));
    shared.tile[x] = quad[u].x;
    shared.tile[y] = quad[u].y;
    shared.tile[z] = quad[u].z;
    shared.tile[w] = quad[u].w;
  }
  __syncthreads();
  const unsigned int left = n - begin, valid = left < TILE ? left : (unsigned int)TILE;
#pragma unroll 8
  for (unsigned int i = threadIdx.x; i < valid; i += THREADS) {
    const unsigned int key = shared.tile[i];
    // Which of a border's equal keys this is, is not known here; but the bins' first elements are.
    unsigned int b = (key >> 24) + upper_bound(shared.splitters, bins.borders, (Splitter)key << 32);
    while (shared.first[b + 1] <= i) b++;
    shared.to[b][i] = key;
  }
}

// ---- host ---------------------------------------------------------------------------------------

// Arrays in one block of memory, which begins with the splitters.
static size_t tables_bytes(int ranks) {
  return (size_t)ranks * sizeof(Splitter) +
         SCATTER_MOST_BINS * (sizeof(unsigned int *) + sizeof(unsigned int));
}

Scatter scatter_create(int ranks) {
  Scatter scatter = {ranks, NULL, NULL};
  CUDA_CHECK(cudaMallocHost(&scatter.host, tables_bytes(ranks)));
  scatter.device = scratch_alloc(tables_bytes(ranks));
  allow_shared_memory(scatter_kernel, sizeof(Shared));
  return scatter;
}

void scatter_destroy(Scatter *scatter) {
  scratch_free(scatter->device);
  CUDA_CHECK(cudaFreeHost(scatter->host));
}

void scatter_keys(Scatter *scatter, const unsigned int *keys, size_t n, const Splitter *splitters,
                  unsigned int *const *arrays, const uint64_t *first) {
  const int bins = scatter_bins(scatter->ranks);
  Splitter *const host = (Splitter *)scatter->host, *const device = (Splitter *)scatter->device;
  unsigned int **const host_arrays = (unsigned int **)(host + scatter->ranks);
  unsigned int *const host_next = (unsigned int *)(host_arrays + SCATTER_MOST_BINS);
  for (int b = 0; b < scatter->ranks - 1; b++) host[b] = splitters[b];
  for (int b = 0; b < bins; b++) {
    host_arrays[b] = arrays[b];
    host_next[b] = (unsigned int)first[b];
  }
  CUDA_CHECK(
      cudaMemcpyAsync(device, host, tables_bytes(scatter->ranks), cudaMemcpyHostToDevice, 0));
  if (n == 0) return;
  unsigned int **const device_arrays = (unsigned int **)(device + scatter->ranks);
  const Bins work = {device, (unsigned int)scatter->ranks - 1, (unsigned int)bins, device_arrays,
                     (unsigned int *)(device_arrays + SCATTER_MOST_BINS)};
  scatter_kernel<<<blocks_for(n, TILE), THREADS, sizeof(Shared)>>>(keys, (unsigned int)n, work);
  LAUNCH_CHECK();
}
