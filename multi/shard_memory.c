// Memory of a ShardSort.
#include <stdlib.h>

#include "common/check.h"
#include "common/scratch.h"
#include "common/your_sort.h"
#include "multi/shard_work.h"
#include "multi/step.h"

enum {
  MOST_CHUNK = 1 << 29,  // elements: a look-back counts below 2^30
  MOST_SWEPT = 1 << 30,  // the same
  CAPACITY_STEP = 32,    // positions behind the keys, aligned as these
};

static void *host_array(size_t count, size_t size) {
  return MEMORY_CHECK(calloc(count > 0 ? count : 1, size));
}

// Collective: sort->capacity of all ranks.
static uint64_t *all_capacities(const ShardSort *sort) {
  const size_t ranks = (size_t)sort->world->ranks;
  uint64_t *const own = host_array(2 * ranks, sizeof *own), *const all =
                                                                host_array(ranks, sizeof *all);
  for (size_t r = 0; r < ranks; r++) own[r] = sort->capacity;
  world_transpose(sort->world, own, all);
  free(own);
  return all;
}

static void create_counts(const ShardSort *sort, struct ShardWork *work) {
  HalfCounts *const counts = work->counts;
  if (sort->direct && shared_memory_create(sort->world, sizeof(SharedCounts), &work->shared)) {
    SharedCounts *const shared = work->shared.of[sort->world->rank];
    for (int kind = 0; kind < HALF_KINDS; kind++) counts[kind].own = shared->own[kind];
  }
  const size_t each = HALF_VALUES * (sizeof *counts->all + sizeof *counts->own);
  CUDA_CHECK(cudaMallocHost(&work->host_counts, HALF_KINDS * each));
  uint64_t *const all = work->host_counts;
  uint32_t *const own = (uint32_t *)(all + (size_t)HALF_KINDS * HALF_VALUES);
  for (int kind = 0; kind < HALF_KINDS; kind++) {
    counts[kind].all = all + (size_t)kind * HALF_VALUES;
    if (work->shared.of == NULL) counts[kind].own = own + (size_t)kind * HALF_VALUES;
  }
}

static struct ShardWork *work_create(const ShardSort *sort) {
  const size_t ranks = (size_t)sort->world->ranks, chunks = (size_t)sort->chunks;
  uint64_t *const capacities = all_capacities(sort);
  struct ShardWork *const work = host_array(1, sizeof *work);
  work->own_counts = scratch_alloc(HALF_VALUES * sizeof *work->own_counts);
  work->all_counts = scratch_alloc(HALF_VALUES * sizeof *work->all_counts);
  create_counts(sort, work);
  work->border = host_array(ranks, sizeof *work->border);
  work->prefixes = host_array(ranks, sizeof *work->prefixes);
  work->less = host_array(3 * ranks, sizeof *work->less);
  work->equal = work->less + ranks;
  work->earlier = work->equal + ranks;
  work->splitters = host_array(ranks, sizeof *work->splitters);
  work->stretches = host_array(ranks, sizeof *work->stretches);
  work->to = host_array(6 * ranks, sizeof *work->to);
  work->from = work->to + ranks;
  work->segments = (Segments){work->to + 2 * ranks, work->to + 3 * ranks, work->to + 4 * ranks,
                              work->to + 5 * ranks};
  work->first = host_array(ranks, sizeof *work->first);
  work->keys_to = host_array(2 * ranks, sizeof *work->keys_to);
  work->positions_to = work->keys_to + ranks;
  for (size_t r = 0; r < ranks; r++) {
    const Elements sent = (int)r == sort->world->rank ? sort->output : sort->spare;
    work->keys_to[r] = sort->direct ? sort->peer.of[r] : sent.keys;
    work->positions_to[r] = sent.positions;
    if (sort->direct && sort->pairs) work->positions_to[r] = work->keys_to[r] + capacities[r];
  }
  CUDA_CHECK(cudaMallocHost((void **)&work->next, chunks * ranks * sizeof *work->next));
  work->partitioned = host_array(chunks, sizeof(cudaEvent_t));
  for (size_t c = 0; c < chunks; c++)
    CUDA_CHECK(cudaEventCreateWithFlags(&work->partitioned[c], cudaEventDisableTiming));
  work->partition = partition_create((int)ranks, sort->chunk);
  if (sort->direct && !sort->pairs) {
    const int bits = sort->digit_bits == DIGITS_AUTO ? (int)SCATTER_MOST_BITS : sort->digit_bits;
    work->scatter = scatter_create((int)ranks, bits);
    work->finish = finish_create();
  }
  if (sort->direct && sort->pairs && ranks > 1 && ranks <= PAIR_MOVE_MOST_RANKS &&
      world_max(sort->world, sort->capacity) < MOST_SWEPT) {
    work->pair_move = pair_move_create((int)ranks);
    work->pair_finish = pair_finish_create(sort->capacity, sort->shard);
  }
  free(capacities);
  return work;
}

static void work_destroy(const World *world, struct ShardWork *work, int chunks) {
  if (work->pair_finish.tables != NULL) {
    pair_finish_destroy(&work->pair_finish);
    pair_move_destroy(&work->pair_move);
  }
  if (work->scatter.host != NULL) {
    finish_destroy(&work->finish);
    scatter_destroy(&work->scatter);
  }
  partition_destroy(&work->partition);
  for (int c = 0; c < chunks; c++) CUDA_CHECK(cudaEventDestroy(work->partitioned[c]));
  free(work->partitioned);
  CUDA_CHECK(cudaFreeHost(work->next));
  free(work->keys_to);
  free(work->first);
  free(work->to);
  free(work->splitters);
  free(work->stretches);
  free(work->less);
  free(work->prefixes);
  free(work->border);
  shared_memory_destroy(world, &work->shared);
  CUDA_CHECK(cudaFreeHost(work->host_counts));
  scratch_free(work->all_counts);
  scratch_free(work->own_counts);
  free(work);
}

// Device memory, or NULL.
static unsigned int *try_alloc(size_t count) {
  void *memory = NULL;
  if (cudaMalloc(&memory, (count > 0 ? count : 1) * sizeof(unsigned int)) == cudaSuccess)
    return memory;
  (void)cudaGetLastError();
  return NULL;
}

// Positions behind the keys, so that the memory can also hold packed pairs.
static bool elements_alloc(Elements *elements, size_t count, bool pairs) {
  elements->keys = try_alloc(pairs ? 2 * count : count);
  if (pairs && elements->keys != NULL) elements->positions = elements->keys + count;
  return elements->keys != NULL;
}

// Collective: the output arrays, for direct writes if the exchange wants them and they are
// possible. Returns false if this device has too little memory.
static bool output_alloc(ShardSort *sort) {
  const World *const world = sort->world;
  Exchange *const exchange = sort->exchange;
  if (exchange->direct != DIRECT_NEVER && world->ranks > 1 && world->ranks <= SCATTER_MOST_RANKS) {
    const size_t arrays = sort->pairs ? 2 : 1;
    sort->direct = peer_array_create(world, arrays * sort->capacity, &sort->peer);
  }
  if (sort->direct) {
    sort->output.keys = sort->peer.of[world->rank];
    if (sort->pairs) sort->output.positions = sort->output.keys + sort->capacity;
    exchange->name = "direct";
    return true;
  }
  if (exchange->direct == DIRECT_IF_POSSIBLE) exchange->name = exchange->transport->name;
  const bool good = elements_alloc(&sort->output, sort->capacity, sort->pairs);
  const size_t spare = sort->capacity + EXCHANGE_ALIGNMENT * (size_t)world->ranks;
  return (world->ranks == 1 || elements_alloc(&sort->spare, spare, sort->pairs)) && good;
}

ShardSort shard_sort_create(const World *world, Exchange *exchange, uint64_t n, size_t shard,
                            bool pairs, int chunks, int digit_bits, StretchChoice stretch) {
  const uint64_t most_shard = world_max(world, shard);
  const uint64_t needed = (most_shard + MOST_CHUNK - 1) / MOST_CHUNK;
  ShardSort sort = {.world = world, .exchange = exchange, .pairs = pairs, .n = n, .shard = shard};
  sort.stretch = stretch;
  sort.digit_bits = digit_bits;
  sort.chunks = needed > (uint64_t)chunks ? (int)needed : chunks;
  const int rank = world->rank, ranks = world->ranks;
  const uint64_t share = share_begin(n, rank + 1, ranks) - share_begin(n, rank, ranks);
  const uint64_t result = ranks == 1 ? n : share + 2 * border_slack(n, ranks);
  sort.capacity = result > shard ? result : shard;
  sort.capacity = (sort.capacity / CAPACITY_STEP + 1) * CAPACITY_STEP;

  Message message;
  message_write(&message,
                "%s sorts at most %llu elements at a time, this rank would get %llu; use "
                "more ranks, or --host",
                sort_version.name, (unsigned long long)sort_version.max_n,
                (unsigned long long)result);
  world_require(world, result <= sort_version.max_n, EXIT_USAGE, &message);
  message_write(&message, "a shard of %zu elements is too long; a rank takes fewer than 2^32",
                shard);
  world_require(world, shard < (uint64_t)1 << 32, EXIT_USAGE, &message);
  message_write(&message,
                "the device has too little memory for %zu elements in %d arrays; use more ranks, "
                "or --host",
                sort.capacity, (ranks > 1 ? 3 : 2) * (pairs ? 2 : 1));
  bool good = !step_fault(rank, "create", "memory");
  good = elements_alloc(&sort.input, sort.capacity, pairs) && good;
  good = output_alloc(&sort) && good;
  world_require(world, good, EXIT_DEVICE, &message);
  message_write(&message,
                "the GPUs' memory cannot be mapped into other processes, or it is too full; "
                "--transport nccl or mpi works without");
  if (sort.direct) sort.chunks = needed > 0 ? (int)needed : 1;
  sort.chunk = (shard + (size_t)sort.chunks - 1) / (size_t)sort.chunks;
  sort.chunk = (sort.chunk + PARTITION_TILE - 1) / PARTITION_TILE * PARTITION_TILE;
  const bool direct = sort.direct || ranks == 1 || exchange->direct != DIRECT_ALWAYS;
  world_require(world, direct, EXIT_DEVICE, &message);
  sort.work = work_create(&sort);
  return sort;
}

void shard_sort_destroy(ShardSort *sort) {
  work_destroy(sort->world, sort->work, sort->chunks);
  if (sort->direct) {
    peer_array_destroy(sort->world, &sort->peer);
  } else {
    CUDA_CHECK(cudaFree(sort->spare.keys));
    CUDA_CHECK(cudaFree(sort->output.keys));
  }
  CUDA_CHECK(cudaFree(sort->input.keys));
}
