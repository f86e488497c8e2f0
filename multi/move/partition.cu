// A stable partition of a shard by destination rank, in one sweep with decoupled look-back. The
// number of destinations is small: a warp ranks its elements by a ballot for each bit of the
// destination. A tile is put in order in shared memory, so that its elements of a destination are
// written as one run.
#include "multi/move/partition.h"

#include "common/device.h"
#include "common/pairs.cuh"
#include "common/scratch.h"
#include "gsort/block/look_back.cuh"
#include "gsort/block/scan.cuh"
#include "gsort/warp/match.cuh"
#include "multi/move/bins.cuh"

static const unsigned int WARPS = PARTITION_THREADS / WARP_SIZE, ALL_LANES = 0xffffffffu;

// Device arrays of [ranks] elements.
typedef struct Tables {
  const Splitter *splitters;
  unsigned int *const *keys, *const *positions;
} Tables;

typedef struct Chunk {
  size_t begin, end;           // of the shard
  const unsigned int *next;    // [ranks] before this chunk
  unsigned int *next_after;    // [ranks]
  unsigned int *look_back;     // zero
  unsigned int *tile_counter;  // zero
  unsigned int tiles;
} Chunk;

// Parts of the dynamic shared memory.
typedef struct Shared {
  Splitter *borders;     // [ranks]
  unsigned int *tile;    // [PARTITION_TILE] keys or positions, by destination
  unsigned int *counts;  // [WARPS][ranks] elements; then index in the tile of the warp's first one
  unsigned int *to;      // [ranks] index in the destination minus index in the tile
  unsigned int *first_of;  // [ranks] index in the tile of the first element of each destination
} Shared;

static size_t shared_bytes(int ranks) {
  return (size_t)ranks * (sizeof(Splitter) + (WARPS + 2) * sizeof(unsigned int)) +
         PARTITION_TILE * sizeof(unsigned int);
}

static __device__ __forceinline__ Shared share_memory(unsigned char *memory, unsigned int ranks) {
  Shared shared;
  shared.borders = (Splitter *)memory;
  shared.tile = (unsigned int *)(shared.borders + ranks);
  shared.counts = shared.tile + PARTITION_TILE;
  shared.to = shared.counts + WARPS * ranks;
  shared.first_of = shared.to + ranks;
  return shared;
}

// From the warps' counts: places in the tile, and where its elements of each destination go.
static __device__ void place_tile(const Shared &shared, unsigned int ranks, unsigned int tile,
                                  const Chunk &chunk) {
  __shared__ unsigned int warp_sums[MAX_WARPS], carry;
  unsigned int placed = 0;  // in the tile, for destinations before `base`
  for (unsigned int base = 0; base < ranks; base += PARTITION_THREADS) {
    const unsigned int d = base + threadIdx.x;
    unsigned int total = 0;
    if (d < ranks) {
      for (unsigned int w = 0; w < WARPS; w++) total += shared.counts[w * ranks + d];
      look_back_publish(&chunk.look_back[(size_t)tile * ranks + d],
                        (tile == 0 ? LOOK_BACK_INCLUSIVE : LOOK_BACK_PARTIAL) | total);
    }
    const unsigned int up_to_here = placed + block_inclusive_scan(total, warp_sums);
    const unsigned int first = up_to_here - total;
    if (d < ranks) {
      unsigned int next = first;
      for (unsigned int w = 0; w < WARPS; w++) {
        const unsigned int count = shared.counts[w * ranks + d];
        shared.counts[w * ranks + d] = next;
        next += count;
      }
      const unsigned int before = look_back_sum(chunk.look_back + d, ranks, tile);
      if (tile > 0)
        look_back_publish(&chunk.look_back[(size_t)tile * ranks + d],
                          LOOK_BACK_INCLUSIVE | (before + total));
      shared.first_of[d] = first;
      shared.to[d] = chunk.next[d] + before - first;
      if (tile == chunk.tiles - 1) chunk.next_after[d] = chunk.next[d] + before + total;
    }
    if (threadIdx.x == PARTITION_THREADS - 1) carry = up_to_here;
    __syncthreads();
    placed = carry;
  }
}

// Counts the element among its warp's elements with the same destination; returns the number before
// it. All lanes call it, those without an element with active = false.
static __device__ __forceinline__ unsigned int rank_in_warp(unsigned int *counts, unsigned int d,
                                                            int bits, bool active) {
  const unsigned int lane = threadIdx.x % WARP_SIZE;
  const unsigned int same = warp_match(d, bits, __ballot_sync(ALL_LANES, active));
  const unsigned int before = active ? counts[d] : 0;
  __syncwarp();
  if (active && lane == (unsigned int)__ffs((int)same) - 1) counts[d] = before + __popc(same);
  __syncwarp();
  return before + __popc(same & ((1u << lane) - 1));
}

// A lane's elements: a warp's elements are neighbours, a lane's are WARP_SIZE apart.
typedef struct Lane {
  unsigned int in_tile, in_shard, valid;  // index of the first one; elements of the tile
  __device__ __forceinline__ bool has(int u) const { return in_tile + u * WARP_SIZE < valid; }
} Lane;

// where[u] = destination << 16 | number of elements before this one among those of its warp with
// the same destination; adds up the warp's counts.
static __device__ __forceinline__ void rank_elements(const Shared &shared, unsigned int ranks,
                                                     unsigned int *counts, Lane lane,
                                                     const unsigned int *key, unsigned int *where) {
  const int bits = 32 - __clz((int)(ranks - 1));
#pragma unroll
  for (int u = 0; u < PARTITION_ITEMS; u++) {
    const Splitter element = (Splitter)key[u] << 32 | (lane.in_shard + u * WARP_SIZE);
    const unsigned int d = upper_bound(shared.borders, ranks - 1, element);
    where[u] = d << 16 | rank_in_warp(counts, d, bits, lane.has(u));
  }
}

// For two destinations the counts stay in registers.
static __device__ __forceinline__ void rank_by_two(const Shared &shared, unsigned int *counts,
                                                   Lane lane, const unsigned int *key,
                                                   unsigned int *where) {
  const unsigned int number = threadIdx.x % WARP_SIZE, before_me = (1u << number) - 1;
  const Splitter border = shared.borders[0];
  unsigned int right = 0, active = 0;  // elements of the warp so far
#pragma unroll
  for (int u = 0; u < PARTITION_ITEMS; u++) {
    const Splitter element = (Splitter)key[u] << 32 | (lane.in_shard + u * WARP_SIZE);
    const bool is_right = lane.has(u) && border <= element;
    const unsigned int lanes = __ballot_sync(ALL_LANES, is_right);
    const unsigned int right_before = right + __popc(lanes & before_me);
    where[u] = is_right ? 1u << 16 | right_before : u * WARP_SIZE + number - right_before;
    right += __popc(lanes);
    active += __popc(__ballot_sync(ALL_LANES, lane.has(u)));
  }
  if (number > 0) return;
  counts[0] = active - right;
  counts[1] = right;
}

// Writes the tile's runs. A thread's elements are PARTITION_THREADS apart, so that a warp writes
// neighbours.
template <bool kTwo>
static __device__ __forceinline__ void write_tile(const Shared &shared, unsigned int ranks,
                                                  unsigned int valid, unsigned int *const *arrays) {
#pragma unroll 4
  for (unsigned int i = threadIdx.x; i < valid; i += PARTITION_THREADS) {
    const unsigned int d =
        kTwo ? shared.first_of[1] <= i : upper_bound(shared.first_of + 1, ranks - 1, i);
    arrays[d][shared.to[d] + i] = shared.tile[i];
  }
}

// kTwo: two destinations.
template <bool kTwo>
static __global__ void __launch_bounds__(PARTITION_THREADS, 2)
    partition_kernel(const unsigned int *keys, const unsigned int *positions, Tables tables,
                     unsigned int ranks, Chunk chunk) {
  extern __shared__ __align__(16) unsigned char memory[];
  __shared__ unsigned int shared_tile;
  const Shared shared = share_memory(memory, ranks);
  if (threadIdx.x == 0) shared_tile = atomicAdd(chunk.tile_counter, 1u);
  for (unsigned int i = threadIdx.x; i < ranks - 1; i += PARTITION_THREADS)
    shared.borders[i] = tables.splitters[i];
  for (unsigned int i = threadIdx.x; i < WARPS * ranks; i += PARTITION_THREADS)
    shared.counts[i] = 0;
  __syncthreads();
  const unsigned int tile = shared_tile, warp = threadIdx.x / WARP_SIZE;
  unsigned int *const own_counts = shared.counts + warp * ranks;
  const size_t begin = chunk.begin + (size_t)tile * PARTITION_TILE;
  const size_t left = chunk.end - begin;
  const unsigned int valid =
      left < PARTITION_TILE ? (unsigned int)left : (unsigned int)PARTITION_TILE;
  const unsigned int in_tile = warp * WARP_SIZE * PARTITION_ITEMS + threadIdx.x % WARP_SIZE;
  const Lane lane = {in_tile, (unsigned int)begin + in_tile, valid};
  keys += begin + in_tile;

  // Both fit into 16 bits: at most 1,024 destinations, at most 512 elements of a warp.
  unsigned int key[PARTITION_ITEMS], where[PARTITION_ITEMS];
#pragma unroll
  for (int u = 0; u < PARTITION_ITEMS; u++) key[u] = lane.has(u) ? __ldcs(&keys[u * WARP_SIZE]) : 0;
  if (kTwo)
    rank_by_two(shared, own_counts, lane, key, where);
  else
    rank_elements(shared, ranks, own_counts, lane, key, where);
  __syncthreads();
  place_tile(shared, ranks, tile, chunk);
#pragma unroll
  for (int u = 0; u < PARTITION_ITEMS; u++) {
    const unsigned int d = where[u] >> 16;
    where[u] = own_counts[d] + (where[u] & 0xffffu);
    if (lane.has(u)) shared.tile[where[u]] = key[u];
  }
  if (positions != NULL) {  // under way while keys are written
    positions += begin + in_tile;
#pragma unroll
    for (int u = 0; u < PARTITION_ITEMS; u++)
      key[u] = lane.has(u) ? __ldcs(&positions[u * WARP_SIZE]) : 0;
  }
  __syncthreads();
  write_tile<kTwo>(shared, ranks, valid, tables.keys);
  if (positions == NULL) return;
  __syncthreads();
#pragma unroll
  for (int u = 0; u < PARTITION_ITEMS; u++)
    if (lane.has(u)) shared.tile[where[u]] = key[u];
  __syncthreads();
  write_tile<kTwo>(shared, ranks, valid, tables.positions);
}

// ---- host ---------------------------------------------------------------------------------------

// The tables that partition_begin() copies to the device, in page-locked memory and on the device.
static size_t tables_bytes(int ranks) {
  return (size_t)ranks * (sizeof(Splitter) + 2 * sizeof(unsigned int *) + 2 * sizeof(unsigned int));
}

static PartitionTables lay_tables(void *memory, int ranks) {
  PartitionTables tables;
  tables.splitters = (Splitter *)memory;
  tables.to = (unsigned int **)(tables.splitters + ranks);
  tables.next = (unsigned int *)(tables.to + 2 * ranks);
  return tables;
}

Partition partition_create(int ranks, size_t chunk) {
  Partition partition = {};
  partition.ranks = ranks;
  const size_t tiles = (chunk + PARTITION_TILE - 1) / PARTITION_TILE;
  void *host = NULL;
  CUDA_CHECK(cudaMallocHost(&host, tables_bytes(ranks)));
  partition.host = lay_tables(host, ranks);
  partition.device = lay_tables(scratch_alloc(tables_bytes(ranks)), ranks);
  // One memset clears the look-back and the tile counter.
  partition.look_back =
      (unsigned int *)scratch_alloc((tiles * (size_t)ranks + 1) * sizeof(unsigned int));
  allow_shared_memory(partition_kernel<false>, shared_bytes(ranks));
  allow_shared_memory(partition_kernel<true>, shared_bytes(ranks));
  return partition;
}

void partition_destroy(Partition *partition) {
  scratch_free(partition->look_back);
  scratch_free(partition->device.splitters);
  CUDA_CHECK(cudaFreeHost(partition->host.splitters));
}

void partition_begin(Partition *partition, PartitionArrays arrays, const Splitter *splitters,
                     const uint32_t *first) {
  const int ranks = partition->ranks;
  const PartitionTables host = partition->host;
  partition->keys = arrays.keys;
  partition->positions = arrays.positions;
  for (int d = 0; d < ranks; d++) {
    host.splitters[d] = d < ranks - 1 ? splitters[d] : 0;
    host.to[d] = arrays.keys_to[d];
    host.to[ranks + d] = arrays.positions == NULL ? NULL : arrays.positions_to[d];
    host.next[d] = first[d];
  }
  CUDA_CHECK(cudaMemcpyAsync(partition->device.splitters, host.splitters, tables_bytes(ranks),
                             cudaMemcpyHostToDevice, 0));
}

const unsigned int *partition_chunk(Partition *partition, int chunk, size_t begin, size_t end) {
  const size_t ranks = (size_t)partition->ranks;
  const PartitionTables device = partition->device;
  const unsigned int *const next = device.next + chunk % 2 * ranks;
  unsigned int *const after = device.next + (chunk + 1) % 2 * ranks;
  const unsigned int tiles = blocks_for(end - begin, PARTITION_TILE);
  if (tiles == 0) {
    CUDA_CHECK(cudaMemcpyAsync(after, next, ranks * sizeof *after, cudaMemcpyDeviceToDevice, 0));
    return after;
  }
  unsigned int *const tile_counter = partition->look_back + (size_t)tiles * ranks;
  CUDA_CHECK(cudaMemsetAsync(partition->look_back, 0,
                             ((size_t)tiles * ranks + 1) * sizeof *tile_counter, 0));
  const Chunk work = {begin, end, next, after, partition->look_back, tile_counter, tiles};
  const Tables tables = {device.splitters, device.to, device.to + ranks};
  const auto kernel = ranks == 2 ? partition_kernel<true> : partition_kernel<false>;
  kernel<<<tiles, PARTITION_THREADS, shared_bytes((int)ranks)>>>(
      partition->keys, partition->positions, tables, (unsigned int)ranks, work);
  LAUNCH_CHECK();
  return after;
}
