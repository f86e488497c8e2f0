#include "multi/device/shard.h"

#include <stdlib.h>

#include "common/check.h"
#include "common/scratch.h"
#include "common/your_sort.h"
#include "multi/world/step.h"

enum {
  MOST_CHUNK = 1 << 29,  // elements: a look-back counts below 2^30
  MOST_SWEPT = 1 << 30,  // the same
};

static void *host_array(size_t count, size_t size) {
  return MEMORY_CHECK(calloc(count > 0 ? count : 1, size));
}

static void create_counts(ShardSort *sort) {
  HalfCounts *const counts = sort->counts;
  sort->own_counts = scratch_alloc(HALF_VALUES * sizeof *sort->own_counts);
  sort->all_counts = scratch_alloc(HALF_VALUES * sizeof *sort->all_counts);
  if (sort->direct && shared_memory_create(sort->world, sizeof(SharedCounts), &sort->shared)) {
    SharedCounts *const shared = sort->shared.of[sort->world->rank];
    for (int kind = 0; kind < HALF_KINDS; kind++) counts[kind].own = shared->own[kind];
  }
  const size_t each = HALF_VALUES * (sizeof *counts->all + sizeof *counts->own);
  uint64_t *all;  // of each kind; behind them the own ones that are not shared
  CUDA_CHECK(cudaMallocHost((void **)&all, HALF_KINDS * each));
  uint32_t *const own = (uint32_t *)(all + (size_t)HALF_KINDS * HALF_VALUES);
  for (int kind = 0; kind < HALF_KINDS; kind++) {
    counts[kind].all = all + (size_t)kind * HALF_VALUES;
    if (sort->shared.of == NULL) counts[kind].own = own + (size_t)kind * HALF_VALUES;
  }
}

static void create_numbers(ShardSort *sort) {
  const size_t ranks = (size_t)sort->world->ranks;
  sort->border = host_array(ranks, sizeof *sort->border);
  sort->first = host_array(ranks, sizeof *sort->first);
  sort->splitters = host_array(ranks, sizeof *sort->splitters);
  sort->to = host_array(6 * ranks, sizeof *sort->to);
  sort->from = sort->to + ranks;
  uint64_t *const segments = sort->from + ranks;
  sort->segments =
      (Segments){segments, segments + ranks, segments + 2 * ranks, segments + 3 * ranks};
}

// Collective: where the partition writes the elements for each rank.
static void create_destinations(ShardSort *sort) {
  const size_t ranks = (size_t)sort->world->ranks;
  const uint64_t own = sort->capacity;
  uint64_t *const capacities = host_array(ranks, sizeof *capacities);
  MPI_Allgather(&own, 1, MPI_UINT64_T, capacities, 1, MPI_UINT64_T, sort->world->comm);
  sort->keys_to = host_array(2 * ranks, sizeof *sort->keys_to);
  sort->positions_to = sort->keys_to + ranks;
  for (size_t r = 0; r < ranks; r++) {
    const Elements sent = (int)r == sort->world->rank ? sort->output : sort->spare;
    sort->keys_to[r] = sort->direct ? sort->peer.of[r] : sent.keys;
    sort->positions_to[r] = sent.positions;
    if (sort->direct && sort->pairs) sort->positions_to[r] = sort->keys_to[r] + capacities[r];
  }
  free(capacities);
}

static void create_direct(ShardSort *sort) {
  sort->tables = bin_tables_create(sort->world->ranks);
  if (!sort->pairs) {
    sort->finish = finish_create();
    CUDA_CHECK(cudaEventCreateWithFlags(&sort->part_moved, cudaEventDisableTiming));
  } else if (world_max(sort->world, sort->capacity) < MOST_SWEPT) {
    sort->pair_finish = pair_finish_create(sort->capacity, sort->shard);
  }
}

// Ranks from which keys travel in two phases (shard_sort.c). With 2^28 keys each, two H200s took 5%
// longer than in one phase, four 7% less (LOG.md).
enum { OVERLAP_FROM = 4 };

// Collective: the array for the result of two phases. It must leave the version's scratch memory.
static bool all_have_spare(ShardSort *sort) {
  const bool good = elements_alloc(&sort->spare, sort->capacity, false) &&
                    scratch_fits(sort->capacity, sort_version.scratch_per_key);
  return world_max(sort->world, !good) == 0;
}

// Collective: the output arrays, for direct writes if the exchange wants them and they are
// possible. Returns false if this device has too little memory.
static bool output_alloc(ShardSort *sort) {
  const World *const world = sort->world;
  Exchange *const exchange = sort->exchange;
  if (exchange->direct != DIRECT_NEVER && world->ranks > 1 && world->ranks <= BINS_MOST_RANKS) {
    const size_t arrays = sort->pairs ? 2 : 1;
    sort->direct = peer_array_create(world, arrays * sort->capacity, &sort->peer);
  }
  if (sort->direct) {
    sort->output.keys = sort->peer.of[world->rank];
    if (sort->pairs) sort->output.positions = sort->output.keys + sort->capacity;
    exchange->name = "direct";
    if (!sort->pairs && sort->digit_bits == SCATTER_MOST_BITS && world->ranks >= OVERLAP_FROM &&
        !all_have_spare(sort))
      elements_free(&sort->spare);
    return true;
  }
  if (exchange->direct == DIRECT_IF_POSSIBLE) exchange->name = exchange->transport->name;
  const bool good = elements_alloc(&sort->output, sort->capacity, sort->pairs);
  const size_t spare = sort->capacity + EXCHANGE_ALIGNMENT * (size_t)world->ranks;
  return (world->ranks == 1 || elements_alloc(&sort->spare, spare, sort->pairs)) && good;
}

ShardSort shard_sort_create(const World *world, Exchange *exchange, uint64_t n, size_t shard,
                            bool pairs, int chunks, int digit_bits) {
  const uint64_t most_shard = world_max(world, shard);
  const uint64_t needed = (most_shard + MOST_CHUNK - 1) / MOST_CHUNK;
  ShardSort sort = {.world = world, .exchange = exchange, .pairs = pairs, .n = n, .shard = shard};
  sort.digit_bits = !pairs && digit_bits == DIGITS_AUTO ? (int)SCATTER_MOST_BITS : digit_bits;
  sort.chunks = needed > (uint64_t)chunks ? (int)needed : chunks;
  const int rank = world->rank, ranks = world->ranks;
  const uint64_t share = share_begin(n, rank + 1, ranks) - share_begin(n, rank, ranks);
  const uint64_t result = ranks == 1 ? n : share + 2 * border_slack(n, ranks);
  sort.capacity = elements_aligned(result > shard ? result : shard);

  world_require(world, result <= sort_version.max_n, EXIT_USAGE,
                "%s sorts at most %llu elements at a time, this rank would get %llu; use "
                "more ranks, or --host",
                sort_version.name, (unsigned long long)sort_version.max_n,
                (unsigned long long)result);
  world_require(world, shard < (uint64_t)1 << 32, EXIT_USAGE,
                "a shard of %zu elements is too long; a rank takes fewer than 2^32", shard);
  bool good = !step_fault(rank, "create", "memory");
  good = elements_alloc(&sort.input, sort.capacity, pairs) && good;
  good = output_alloc(&sort) && good;
  world_require(world, good, EXIT_DEVICE,
                "the device has too little memory for %zu elements in %d arrays; use more ranks, "
                "or --host",
                sort.capacity, (ranks > 1 ? 3 : 2) * (pairs ? 2 : 1));
  if (sort.direct) sort.chunks = needed > 0 ? (int)needed : 1;
  sort.chunk = (shard + (size_t)sort.chunks - 1) / (size_t)sort.chunks;
  sort.chunk = (sort.chunk + PARTITION_TILE - 1) / PARTITION_TILE * PARTITION_TILE;
  const bool direct = sort.direct || ranks == 1 || exchange->direct != DIRECT_ALWAYS;
  world_require(world, direct, EXIT_DEVICE,
                "the GPUs' memory cannot be mapped into other processes, or it is too full; "
                "--transport nccl or mpi works without");
  create_counts(&sort);
  create_numbers(&sort);
  create_destinations(&sort);
  CUDA_CHECK(
      cudaMallocHost((void **)&sort.next, (size_t)(sort.chunks * ranks) * sizeof *sort.next));
  sort.partitioned = host_array((size_t)sort.chunks, sizeof(cudaEvent_t));
  for (int c = 0; c < sort.chunks; c++)
    CUDA_CHECK(cudaEventCreateWithFlags(&sort.partitioned[c], cudaEventDisableTiming));
  sort.partition = partition_create(ranks, sort.chunk);
  if (sort.direct) create_direct(&sort);
  return sort;
}

void shard_sort_destroy(ShardSort *sort) {
  if (sort->direct) bin_tables_destroy(&sort->tables);
  if (sort->pair_finish.tables != NULL) pair_finish_destroy(&sort->pair_finish);
  if (sort->finish.start != NULL) {
    finish_destroy(&sort->finish);
    CUDA_CHECK(cudaEventDestroy(sort->part_moved));
  }
  partition_destroy(&sort->partition);
  for (int c = 0; c < sort->chunks; c++) CUDA_CHECK(cudaEventDestroy(sort->partitioned[c]));
  free(sort->partitioned);
  CUDA_CHECK(cudaFreeHost(sort->next));
  free(sort->keys_to);
  free(sort->to);
  free(sort->splitters);
  free(sort->first);
  free(sort->border);
  shared_memory_destroy(sort->world, &sort->shared);
  CUDA_CHECK(cudaFreeHost(sort->counts[0].all));
  scratch_free(sort->all_counts);
  scratch_free(sort->own_counts);
  if (sort->direct) {
    peer_array_destroy(sort->world, &sort->peer);
  } else {
    elements_free(&sort->output);
  }
  elements_free(&sort->spare);
  elements_free(&sort->input);
}
