// Memory of a ShardSort.
#include <stdlib.h>

#include "common/check.h"
#include "common/scratch.h"
#include "common/your_sort.h"
#include "multi/shard_work.h"
#include "multi/step.h"

enum { MOST_CHUNK = 1 << 29 };  // elements: a look-back counts below 2^30

static void *host_array(size_t count, size_t size) {
  return MEMORY_CHECK(calloc(count > 0 ? count : 1, size));
}

static struct ShardWork *work_create(const ShardSort *sort) {
  const size_t ranks = (size_t)sort->world->ranks, chunks = (size_t)sort->chunks;
  struct ShardWork *const work = host_array(1, sizeof *work);
  work->device_counts = scratch_alloc(HALF_VALUES * sizeof *work->device_counts);
  uint64_t **const counts[] = {&work->upper.own, &work->upper.all, &work->low.own, &work->low.all};
  uint64_t *memory = NULL;
  CUDA_CHECK(cudaMallocHost((void **)&memory, 4 * HALF_VALUES * sizeof *memory));
  for (int i = 0; i < 4; i++) *counts[i] = memory + (size_t)i * HALF_VALUES;
  work->border = host_array(ranks, sizeof *work->border);
  work->prefixes = host_array(ranks, sizeof *work->prefixes);
  work->less = host_array(3 * ranks, sizeof *work->less);
  work->equal = work->less + ranks;
  work->earlier = work->equal + ranks;
  work->splitters = host_array(ranks, sizeof *work->splitters);
  work->stretches = host_array(ranks, sizeof *work->stretches);
  work->plans = host_array(ranks, sizeof *work->plans);
  work->to = host_array(6 * ranks, sizeof *work->to);
  work->from = work->to + ranks;
  work->segments = (Segments){work->to + 2 * ranks, work->to + 3 * ranks, work->to + 4 * ranks,
                              work->to + 5 * ranks};
  work->first = host_array(ranks, sizeof *work->first);
  work->keys_to = host_array(2 * ranks, sizeof *work->keys_to);
  work->positions_to = work->keys_to + ranks;
  for (size_t r = 0; r < ranks; r++) {
    const Elements sent = (int)r == sort->world->rank ? sort->output : sort->spare;
    work->keys_to[r] = sort->direct ? sort->peers[0].of[r] : sent.keys;
    work->positions_to[r] = sort->direct && sort->pairs ? sort->peers[1].of[r] : sent.positions;
  }
  CUDA_CHECK(cudaMallocHost((void **)&work->next, chunks * ranks * sizeof *work->next));
  work->partitioned = host_array(chunks, sizeof(cudaEvent_t));
  for (size_t c = 0; c < chunks; c++)
    CUDA_CHECK(cudaEventCreateWithFlags(&work->partitioned[c], cudaEventDisableTiming));
  work->partition = partition_create((int)ranks, sort->chunk);
  if (sort->direct && !sort->pairs) {
    work->scatter = scatter_create((int)ranks, sort->digit_bits);
    work->finish = finish_create();
  }
  return work;
}

static void work_destroy(struct ShardWork *work, int chunks) {
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
  free(work->plans);
  free(work->stretches);
  free(work->less);
  free(work->prefixes);
  free(work->border);
  CUDA_CHECK(cudaFreeHost(work->upper.own));
  scratch_free(work->device_counts);
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

static bool elements_alloc(Elements *elements, size_t count, bool pairs) {
  elements->keys = try_alloc(count);
  if (pairs) elements->positions = try_alloc(count);
  return elements->keys != NULL && (!pairs || elements->positions != NULL);
}

static void elements_free(Elements elements) {
  CUDA_CHECK(cudaFree(elements.keys));
  if (elements.positions != NULL) CUDA_CHECK(cudaFree(elements.positions));
}

// Collective: the output arrays, for direct writes if the exchange wants them and they are
// possible. Returns false if this device has too little memory.
static bool output_alloc(ShardSort *sort) {
  const World *const world = sort->world;
  Exchange *const exchange = sort->exchange;
  if (exchange->direct != DIRECT_NEVER && world->ranks > 1 && world->ranks <= SCATTER_MOST_RANKS) {
    sort->direct = peer_array_create(world, sort->capacity, &sort->peers[0]);
    if (sort->direct && sort->pairs && !peer_array_create(world, sort->capacity, &sort->peers[1])) {
      peer_array_destroy(world, &sort->peers[0]);
      sort->direct = false;
    }
  }
  if (sort->direct) {
    sort->output.keys = sort->peers[0].of[world->rank];
    if (sort->pairs) sort->output.positions = sort->peers[1].of[world->rank];
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
  work_destroy(sort->work, sort->chunks);
  if (sort->direct) {
    peer_array_destroy(sort->world, &sort->peers[1]);
    peer_array_destroy(sort->world, &sort->peers[0]);
  } else {
    elements_free(sort->spare);
    elements_free(sort->output);
  }
  elements_free(sort->input);
}
