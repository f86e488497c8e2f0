#include "multi/shard_sort.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/scratch.h"
#include "common/your_sort.h"
#include "harness/clock.h"
#include "multi/partition.h"
#include "multi/splitters.h"
#include "multi/step.h"

const char *const stage_names[STAGES + 1] = {"count",    "splitters", "partition",
                                             "exchange", "sort",      NULL};

enum { MOST_CHUNK = 1 << 29 };  // elements: a look-back counts below 2^30

struct ShardWork {
  uint64_t *device_counts;           // [HALF_VALUES], on the device
  uint64_t *own, *all;               // [HALF_VALUES], of this rank and of all
  Border *border;                    // [ranks - 1]
  uint32_t *prefixes;                // [ranks - 1]
  uint64_t *less, *equal, *earlier;  // [ranks - 1], of each border's key, on this rank; `earlier`:
                                     // equal ones on smaller ranks
  Splitter *splitters;               // [ranks - 1]
  uint64_t *to, *from;               // [ranks] elements for and from each rank
  uint32_t *first;                   // [ranks] see partition_begin()
  uint32_t *next;                    // [chunks][ranks], page-locked
  cudaEvent_t *partitioned;          // [chunks]
  Segments segments;                 // of one chunk
  Partition partition;
};

// ---- memory -------------------------------------------------------------------------------------

static void *host_array(size_t count, size_t size) {
  return MEMORY_CHECK(calloc(count > 0 ? count : 1, size));
}

static struct ShardWork *work_create(const ShardSort *sort) {
  const size_t ranks = (size_t)sort->world->ranks, chunks = (size_t)sort->chunks;
  struct ShardWork *const work = host_array(1, sizeof *work);
  work->device_counts = scratch_alloc(HALF_VALUES * sizeof *work->device_counts);
  CUDA_CHECK(cudaMallocHost((void **)&work->own, 2 * HALF_VALUES * sizeof *work->own));
  work->all = work->own + HALF_VALUES;
  work->border = host_array(ranks, sizeof *work->border);
  work->prefixes = host_array(ranks, sizeof *work->prefixes);
  work->less = host_array(3 * ranks, sizeof *work->less);
  work->equal = work->less + ranks;
  work->earlier = work->equal + ranks;
  work->splitters = host_array(ranks, sizeof *work->splitters);
  work->to = host_array(6 * ranks, sizeof *work->to);
  work->from = work->to + ranks;
  work->segments = (Segments){work->to + 2 * ranks, work->to + 3 * ranks, work->to + 4 * ranks,
                              work->to + 5 * ranks};
  work->first = host_array(ranks, sizeof *work->first);
  CUDA_CHECK(cudaMallocHost((void **)&work->next, chunks * ranks * sizeof *work->next));
  work->partitioned = host_array(chunks, sizeof(cudaEvent_t));
  for (size_t c = 0; c < chunks; c++)
    CUDA_CHECK(cudaEventCreateWithFlags(&work->partitioned[c], cudaEventDisableTiming));
  work->partition = partition_create((int)ranks, sort->world->rank, sort->chunk);
  return work;
}

static void work_destroy(struct ShardWork *work, int chunks) {
  partition_destroy(&work->partition);
  for (int c = 0; c < chunks; c++) CUDA_CHECK(cudaEventDestroy(work->partitioned[c]));
  free(work->partitioned);
  CUDA_CHECK(cudaFreeHost(work->next));
  free(work->first);
  free(work->to);
  free(work->splitters);
  free(work->less);
  free(work->prefixes);
  free(work->border);
  CUDA_CHECK(cudaFreeHost(work->own));
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

ShardSort shard_sort_create(const World *world, Exchange *exchange, uint64_t n, size_t shard,
                            bool pairs, int chunks) {
  const uint64_t most_shard = world_max(world, shard);
  const uint64_t needed = (most_shard + MOST_CHUNK - 1) / MOST_CHUNK;
  ShardSort sort = {.world = world, .exchange = exchange, .pairs = pairs, .n = n, .shard = shard};
  sort.chunks = needed > (uint64_t)chunks ? (int)needed : chunks;
  sort.chunk = (shard + (size_t)sort.chunks - 1) / (size_t)sort.chunks;
  sort.chunk = (sort.chunk + PARTITION_TILE - 1) / PARTITION_TILE * PARTITION_TILE;
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
  good = elements_alloc(&sort.output, sort.capacity, pairs) && good;
  if (ranks > 1) good = elements_alloc(&sort.spare, sort.capacity, pairs) && good;
  world_require(world, good, EXIT_DEVICE, &message);
  sort.work = work_create(&sort);
  return sort;
}

void shard_sort_destroy(ShardSort *sort) {
  work_destroy(sort->work, sort->chunks);
  if (sort->world->ranks > 1) elements_free(sort->spare);
  elements_free(sort->output);
  elements_free(sort->input);
}

// ---- stages -------------------------------------------------------------------------------------

typedef struct StageClock {
  const World *world;
  double *seconds;  // [STAGES], or NULL: no stage is timed
  double last;
} StageClock;

static double settled_now(const World *world) {
  CUDA_CHECK(cudaDeviceSynchronize());
  world_barrier(world);
  return seconds_now();
}

// The time since the last mark belongs to the stage.
static void mark(StageClock *clock, Stage stage) {
  if (clock->seconds == NULL) return;
  CUDA_CHECK(cudaDeviceSynchronize());
  clock->seconds[stage] += seconds_now() - clock->last;
  clock->last = settled_now(clock->world);
}

// Counts into work->own and, over all ranks, work->all.
static void count(ShardSort *sort, int prefix) {
  struct ShardWork *const work = sort->work;
  const size_t bytes = HALF_VALUES * sizeof *work->own;
  count_halves(sort->input.keys, sort->shard, prefix, work->device_counts);
  CUDA_CHECK(cudaMemcpy(work->own, work->device_counts, bytes, cudaMemcpyDeviceToHost));
  sort->exchange->transport->sum(sort->exchange, work->device_counts, HALF_VALUES);
  CUDA_CHECK(cudaMemcpy(work->all, work->device_counts, bytes, cudaMemcpyDeviceToHost));
}

static uint64_t sum_below(const uint64_t *counts, uint32_t end) {
  uint64_t sum = 0;
  for (uint32_t value = 0; value < end; value++) sum += counts[value];
  return sum;
}

// Finds each border, and on this rank the number of elements with smaller and with equal keys.
static void find_borders(ShardSort *sort) {
  struct ShardWork *const work = sort->work;
  const int borders = sort->world->ranks - 1;
  borders_by_prefix(work->all, sort->n, sort->world->ranks, work->border);
  for (int b = 0; b < borders; b++) {
    const Border *const border = &work->border[b];
    work->less[b] = sum_below(work->own, border->refined ? border->prefix : border->key >> 16);
    work->equal[b] = 0;  // of a border between two prefixes, equal elements are right
  }
  const int prefixes = refined_prefixes(work->border, borders, work->prefixes);
  for (int p = 0; p < prefixes; p++) {
    count(sort, (int)work->prefixes[p]);
    for (int b = 0; b < borders; b++) {
      Border *const border = &work->border[b];
      if (!border->refined || border->prefix != work->prefixes[p]) continue;
      border_refine(border, work->all);
      const uint32_t low = border->key & (HALF_VALUES - 1);
      work->less[b] += sum_below(work->own, low);
      work->equal[b] = work->own[low];
    }
  }
}

// From the borders: this rank's splitters, and how many elements go where.
static void find_splitters(ShardSort *sort) {
  struct ShardWork *const work = sort->work;
  const World *const world = sort->world;
  const int borders = world->ranks - 1;
  world_sums_before(world, work->equal, work->earlier, borders);
  uint64_t left_of_last = 0;
  for (int b = 0; b < borders; b++) {
    const Border *const border = &work->border[b];
    const uint64_t equal = work->equal[b], left = equal_left(border, work->earlier[b], equal);
    size_t index = left == 0 ? 0 : sort->shard;
    if (left > 0 && left < equal)
      index = find_equal(sort->input.keys, sort->shard, border->key, left);
    work->splitters[b] = (Splitter)border->key << 32 | index;
    const uint64_t left_of = work->less[b] + left;
    work->to[b] = left_of - left_of_last;
    left_of_last = left_of;
  }
  work->to[borders] = sort->shard - left_of_last;
  world_transpose(world, work->to, work->from);
}

// Where segments begin, in the sent and in the received arrays. Returns the number of elements that
// this rank will have.
static uint64_t lay_out(ShardSort *sort) {
  struct ShardWork *const work = sort->work;
  uint64_t sent = 0, received = 0;
  for (int r = 0; r < sort->world->ranks; r++) {
    const bool self = r == sort->world->rank;
    work->first[r] = (uint32_t)(self ? received : sent);
    work->segments.send_begin[r] = sent;
    work->segments.receive_begin[r] = received;
    if (!self) sent += work->to[r];
    received += work->from[r];
  }
  if (received > sort->capacity)
    check_fail("multi_sort: rank %d would get %llu elements, more than the %zu of its share",
               sort->world->rank, (unsigned long long)received, sort->capacity);
  return received;
}

// ---- partition and exchange ---------------------------------------------------------------------

static void launch_partition(ShardSort *sort, int chunk) {
  struct ShardWork *const work = sort->work;
  const size_t ranks = (size_t)sort->world->ranks, begin = (size_t)chunk * sort->chunk;
  const size_t from = begin < sort->shard ? begin : sort->shard;
  const size_t end = sort->shard - from < sort->chunk ? sort->shard : from + sort->chunk;
  const unsigned int *const next = partition_chunk(&work->partition, chunk, from, end);
  CUDA_CHECK(cudaMemcpyAsync(work->next + (size_t)chunk * ranks, next, ranks * sizeof *next,
                             cudaMemcpyDeviceToHost, 0));
  CUDA_CHECK(cudaEventRecord(work->partitioned[chunk], 0));
}

// Sends the elements of a chunk. Those of the rank itself are already in their place.
static void exchange_chunk(ShardSort *sort, int chunk) {
  struct ShardWork *const work = sort->work;
  const World *const world = sort->world;
  Segments *const segments = &work->segments;
  CUDA_CHECK(cudaEventSynchronize(work->partitioned[chunk]));
  const uint32_t *const next = work->next + (size_t)chunk * (size_t)world->ranks;
  for (int r = 0; r < world->ranks; r++) {
    segments->send_count[r] = r == world->rank ? 0 : next[r] - segments->send_begin[r];
  }
  world_transpose(world, segments->send_count, segments->receive_count);
  const ExchangeArrays arrays = {sort->spare.keys, sort->spare.positions, sort->output.keys,
                                 sort->output.positions};
  sort->exchange->transport->move(sort->exchange, arrays, segments);
  for (int r = 0; r < world->ranks; r++) {
    segments->send_begin[r] += segments->send_count[r];
    segments->receive_begin[r] += segments->receive_count[r];
  }
}

// While a chunk travels, the next one is partitioned, unless stages are timed.
static void partition_and_exchange(ShardSort *sort, StageClock *clock) {
  struct ShardWork *const work = sort->work;
  const Transport *const transport = sort->exchange->transport;
  const bool overlap = clock->seconds == NULL;
  const PartitionArrays arrays = {sort->input.keys,  sort->input.positions,
                                  sort->spare.keys,  sort->spare.positions,
                                  sort->output.keys, sort->output.positions};
  step_enter("partition");
  partition_begin(&work->partition, arrays, work->splitters, work->first);
  launch_partition(sort, 0);
  for (int chunk = 0; chunk < sort->chunks; chunk++) {
    const bool more = chunk + 1 < sort->chunks;
    if (more && overlap) launch_partition(sort, chunk + 1);
    mark(clock, STAGE_PARTITION);
    step_enter("exchange");
    exchange_chunk(sort, chunk);
    if (!overlap) transport->wait(sort->exchange);
    mark(clock, STAGE_EXCHANGE);
    if (more && !overlap) launch_partition(sort, chunk + 1);
  }
  transport->wait(sort->exchange);
}

ShardResult shard_sort_run(ShardSort *sort, double seconds[STAGES]) {
  const World *const world = sort->world;
  struct ShardWork *const work = sort->work;
  StageClock clock = {world, seconds, 0.0};
  ShardResult result = {.elements = sort->output, .count = sort->shard};
  Elements unsorted = sort->input;
  if (seconds != NULL) {
    memset(seconds, 0, STAGES * sizeof *seconds);
    clock.last = settled_now(world);
  }
  if (world->ranks > 1) {
    step_enter("count");
    count(sort, UPPER_HALF);
    mark(&clock, STAGE_COUNT);
    step_enter("splitters");
    find_borders(sort);
    find_splitters(sort);
    result.count = lay_out(sort);
    result.begin = world->rank == 0 ? 0 : work->border[world->rank - 1].place;
    result.moved = result.count - work->from[world->rank];
    mark(&clock, STAGE_SPLITTERS);
    partition_and_exchange(sort, &clock);
    unsorted = sort->output;
    result.elements = sort->input;
  }
  step_enter("sort");
  your_sort(unsorted.keys, unsorted.positions, result.elements.keys, result.elements.positions,
            result.count);
  CUDA_CHECK(cudaDeviceSynchronize());
  LAUNCH_CHECK();
  mark(&clock, STAGE_SORT);
  step_leave();
  return result;
}
