// A stable partition of a shard by destination rank, in one sweep with decoupled look-back. The
// number of destinations is small: a warp ranks its elements by a ballot for each bit of the
// destination. A tile is put in order in shared memory, so that its elements of a destination are
// written as one run.
#include "multi/partition.h"

#include "common/device.h"
#include "common/scratch.h"
#include "multi/partition_tile.cuh"

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
    if (!lane.has(u)) continue;
    shared.tile[where[u]] =
        tables.stretches == NULL ? key[u] : stretch_key(key[u], tables.stretches[d]);
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
  return (size_t)ranks * (sizeof(Splitter) + sizeof(Stretch) + 2 * sizeof(unsigned int *) +
                          2 * sizeof(unsigned int));
}

static PartitionTables lay_tables(void *memory, int ranks) {
  PartitionTables tables;
  tables.splitters = (Splitter *)memory;
  tables.stretches = (Stretch *)(tables.splitters + ranks);
  tables.to = (unsigned int **)(tables.stretches + ranks);
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
                     const uint32_t *first, const Stretch *stretches) {
  const int ranks = partition->ranks;
  const PartitionTables host = partition->host;
  partition->keys = arrays.keys;
  partition->positions = arrays.positions;
  partition->stretched = false;
  for (int d = 0; d < ranks; d++) {
    host.splitters[d] = d < ranks - 1 ? splitters[d] : 0;
    if (stretches != NULL) host.stretches[d] = stretches[d];
    partition->stretched |= stretches != NULL && stretches[d].factor != 0;
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
  const Tables tables = {device.splitters, partition->stretched ? device.stretches : NULL,
                         device.to, device.to + ranks};
  const auto kernel = ranks == 2 ? partition_kernel<true> : partition_kernel<false>;
  kernel<<<tiles, PARTITION_THREADS, shared_bytes((int)ranks)>>>(
      partition->keys, partition->positions, tables, (unsigned int)ranks, work);
  LAUNCH_CHECK();
  return after;
}
