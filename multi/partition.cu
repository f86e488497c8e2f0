// A stable partition of a shard by destination rank, in one sweep with decoupled look-back. The
// number of destinations is small, so a warp ranks its elements by __match_any_sync().
#include "multi/partition.h"

#include "common/device.h"
#include "common/look_back.cuh"
#include "common/pairs.cuh"
#include "common/scratch.h"

static const unsigned int LANES = 32, WARPS = PARTITION_THREADS / LANES;
static const unsigned int ALL_LANES = 0xffffffffu;

// Number of splitters that are not greater than the element: a binary search.
static __device__ __forceinline__ unsigned int destination(const Splitter *splitters,
                                                           unsigned int ranks, Splitter element) {
  unsigned int low = 0, high = ranks - 1;
  while (low < high) {
    const unsigned int middle = (low + high) / 2;
    if (splitters[middle] <= element)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static __device__ __forceinline__ unsigned int stretch_key(unsigned int key, Stretch stretch) {
  if (stretch.factor == 0) return key;
  return (unsigned int)((key - stretch.base) * stretch.factor >> 32);
}

// Shared memory of a block: splitters, then for each warp the elements of each destination, then
// where the tile's elements of each destination go.
static size_t shared_bytes(int ranks) {
  return (size_t)ranks * (sizeof(Splitter) + (WARPS + 1) * sizeof(unsigned int));
}

typedef struct Chunk {
  size_t begin, end;           // of the shard
  const unsigned int *next;    // [ranks] before this chunk
  unsigned int *next_after;    // [ranks]
  unsigned int *look_back;     // zero
  unsigned int *tile_counter;  // zero
  unsigned int tiles;
} Chunk;

// Replaces the counts of the warps by the number of elements in the warps before them, and writes
// where the tile's elements of each destination go.
static __device__ void place_tile(unsigned int *counts, unsigned int *to, unsigned int ranks,
                                  unsigned int tile, const Chunk &chunk) {
  for (unsigned int d = threadIdx.x; d < ranks; d += PARTITION_THREADS) {
    unsigned int total = 0;
    for (unsigned int w = 0; w < WARPS; w++) {
      const unsigned int count = counts[w * ranks + d];
      counts[w * ranks + d] = total;
      total += count;
    }
    unsigned int *const own = &chunk.look_back[(size_t)tile * ranks + d];
    look_back_publish(own, (tile == 0 ? LOOK_BACK_INCLUSIVE : LOOK_BACK_PARTIAL) | total);
    const unsigned int before = look_back_sum(chunk.look_back + d, ranks, tile);
    if (tile > 0) look_back_publish(own, LOOK_BACK_INCLUSIVE | (before + total));
    to[d] = chunk.next[d] + before;
    if (tile == chunk.tiles - 1) chunk.next_after[d] = to[d] + total;
  }
}

// Counts the element among those of its warp with the same destination; returns the number before
// it. All lanes call it, those without an element with active = false.
static __device__ __forceinline__ unsigned int rank_in_warp(unsigned int *counts, unsigned int d,
                                                            bool active) {
  const unsigned int lane = threadIdx.x % LANES;
  const unsigned int same = __match_any_sync(ALL_LANES, active ? d : ~0u);
  const unsigned int before = active ? counts[d] : 0;
  __syncwarp();
  if (active && lane == (unsigned int)__ffs((int)same) - 1) counts[d] = before + __popc(same);
  __syncwarp();
  return before + __popc(same & ((1u << lane) - 1));
}

static __global__ void __launch_bounds__(PARTITION_THREADS)
    partition_kernel(PartitionArrays arrays, const Splitter *splitters, unsigned int ranks,
                     const Stretch *stretches, unsigned int self, Chunk chunk) {
  extern __shared__ __align__(16) unsigned char memory[];
  __shared__ unsigned int shared_tile;
  Splitter *const borders = (Splitter *)memory;
  unsigned int *const counts = (unsigned int *)(borders + ranks), *const to =
                                                                      counts + WARPS * ranks;
  if (threadIdx.x == 0) shared_tile = atomicAdd(chunk.tile_counter, 1u);
  for (unsigned int i = threadIdx.x; i < ranks - 1; i += PARTITION_THREADS)
    borders[i] = splitters[i];
  for (unsigned int i = threadIdx.x; i < WARPS * ranks; i += PARTITION_THREADS) counts[i] = 0;
  __syncthreads();
  const unsigned int tile = shared_tile, warp = threadIdx.x / LANES, lane = threadIdx.x % LANES;
  unsigned int *const own_counts = counts + warp * ranks;
  const size_t first =
      chunk.begin + (size_t)tile * PARTITION_TILE + warp * LANES * PARTITION_ITEMS + lane;

  // Both fit into 16 bits: at most 1,024 destinations, at most 512 elements of a warp.
  unsigned int key[PARTITION_ITEMS], where[PARTITION_ITEMS];
#pragma unroll
  for (int u = 0; u < PARTITION_ITEMS; u++) {
    const size_t i = first + u * LANES;
    key[u] = i < chunk.end ? arrays.keys[i] : 0;
  }
#pragma unroll
  for (int u = 0; u < PARTITION_ITEMS; u++) {
    const size_t i = first + u * LANES;
    const unsigned int d = destination(borders, ranks, (Splitter)key[u] << 32 | i);
    where[u] = d << 16 | rank_in_warp(own_counts, d, i < chunk.end);
  }
  __syncthreads();
  place_tile(counts, to, ranks, tile, chunk);
  __syncthreads();
#pragma unroll
  for (int u = 0; u < PARTITION_ITEMS; u++) {
    const size_t i = first + u * LANES;
    if (i >= chunk.end) break;
    const unsigned int d = where[u] >> 16;
    const size_t j = to[d] + own_counts[d] + (where[u] & 0xffffu);
    // All threads read the same few of them, so they stay in the cache.
    const unsigned int moved = stretches == NULL ? key[u] : stretch_key(key[u], stretches[d]);
    (d == self ? arrays.kept_keys : arrays.sent_keys)[j] = moved;
    if (arrays.positions != NULL)
      (d == self ? arrays.kept_positions : arrays.sent_positions)[j] = arrays.positions[i];
  }
}

// ---- host ---------------------------------------------------------------------------------------

Partition partition_create(int ranks, int self, size_t chunk) {
  Partition partition = {};
  partition.ranks = ranks;
  partition.self = self;
  const size_t tiles = (chunk + PARTITION_TILE - 1) / PARTITION_TILE;
  const size_t row = (size_t)ranks * sizeof(unsigned int);
  partition.splitters = (Splitter *)scratch_alloc((size_t)ranks * sizeof(Splitter));
  partition.stretches = (Stretch *)scratch_alloc((size_t)ranks * sizeof(Stretch));
  partition.next = (unsigned int *)scratch_alloc(2 * row);
  // One memset clears both.
  partition.look_back = (unsigned int *)scratch_alloc(tiles * row + sizeof(unsigned int));
  allow_shared_memory(partition_kernel, shared_bytes(ranks));
  return partition;
}

void partition_destroy(Partition *partition) {
  scratch_free(partition->look_back);
  scratch_free(partition->next);
  scratch_free(partition->stretches);
  scratch_free(partition->splitters);
}

void partition_begin(Partition *partition, PartitionArrays arrays, const Splitter *splitters,
                     const uint32_t *first, const Stretch *stretches) {
  const size_t ranks = (size_t)partition->ranks;
  partition->arrays = arrays;
  partition->stretched = stretches != NULL;
  if (stretches != NULL)
    CUDA_CHECK(cudaMemcpy(partition->stretches, stretches, ranks * sizeof *stretches,
                          cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(partition->splitters, splitters, (ranks - 1) * sizeof *splitters,
                        cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(partition->next, first, ranks * sizeof *first, cudaMemcpyHostToDevice));
}

const unsigned int *partition_chunk(Partition *partition, int chunk, size_t begin, size_t end) {
  const size_t ranks = (size_t)partition->ranks;
  const unsigned int *const next = partition->next + chunk % 2 * ranks;
  unsigned int *const after = partition->next + (chunk + 1) % 2 * ranks;
  const unsigned int tiles = blocks_for(end - begin, PARTITION_TILE);
  if (tiles == 0) {
    CUDA_CHECK(cudaMemcpyAsync(after, next, ranks * sizeof *after, cudaMemcpyDeviceToDevice, 0));
    return after;
  }
  unsigned int *const tile_counter = partition->look_back + (size_t)tiles * ranks;
  CUDA_CHECK(cudaMemsetAsync(partition->look_back, 0,
                             ((size_t)tiles * ranks + 1) * sizeof *tile_counter, 0));
  const Chunk work = {begin, end, next, after, partition->look_back, tile_counter, tiles};
  partition_kernel<<<tiles, PARTITION_THREADS, shared_bytes(partition->ranks)>>>(
      partition->arrays, partition->splitters, (unsigned int)ranks,
      partition->stretched ? partition->stretches : NULL, (unsigned int)partition->self, work);
  LAUNCH_CHECK();
  return after;
}
