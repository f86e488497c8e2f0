#include "multi/shard_sort.h"

#include <cuda_runtime_api.h>
#include <string.h>

#include "common/check.h"
#include "common/your_sort.h"
#include "harness/measure/clock.h"
#include "multi/shard_work.h"
#include "multi/step.h"

const char *const stage_names[STAGES + 1] = {"count",    "splitters", "partition",
                                             "exchange", "sort",      NULL};

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

static uint64_t sum_below(const uint32_t *counts, uint32_t end) {
  uint64_t sum = 0;
  for (uint32_t value = 0; value < end; value++) sum += counts[value];
  return sum;
}

// Which keys can occur, from the counts of all prefixes.
static void find_range(struct ShardWork *work) {
  uint32_t first = 0, last = HALF_VALUES - 1;
  while (first < last && work->counts[UPPER_HALVES].all[first] == 0) first++;
  while (last > first && work->counts[UPPER_HALVES].all[last] == 0) last--;
  work->first_key = first << 16;
  work->last_key = last << 16 | (HALF_VALUES - 1);
}

void shard_key_range(const struct ShardWork *work, int ranks, int r, uint32_t *first,
                     uint32_t *last) {
  *first = r == 0 ? work->first_key : work->border[r - 1].key;
  *last = work->last_key;
  if (r == ranks - 1) return;
  const Border *const behind = &work->border[r];
  *last = behind->key > 0 && behind->equal_before == 0 ? behind->key - 1 : behind->key;
}

// Finds each border, and on this rank the number of elements with smaller and with equal keys.
static void find_borders(ShardSort *sort) {
  struct ShardWork *const work = sort->work;
  const int borders = sort->world->ranks - 1;
  find_range(work);
  borders_by_prefix(work->counts[UPPER_HALVES].all, sort->n, sort->world->ranks, work->border);
  for (int b = 0; b < borders; b++) {
    const Border *const border = &work->border[b];
    work->less[b] = sum_below(work->counts[UPPER_HALVES].own,
                              border->refined ? border->prefix : border->key >> 16);
    work->equal[b] = 0;  // of a border between two prefixes, equal elements are right
  }
  const int prefixes = refined_prefixes(work->border, borders, work->prefixes);
  for (int p = 0; p < prefixes; p++) {
    shard_count(sort, (int)work->prefixes[p], LOWER_HALVES);
    for (int b = 0; b < borders; b++) {
      Border *const border = &work->border[b];
      if (!border->refined || border->prefix != work->prefixes[p]) continue;
      border_refine(border, work->counts[LOWER_HALVES].all);
      const uint32_t low = border->key & (HALF_VALUES - 1);
      work->less[b] += sum_below(work->counts[LOWER_HALVES].own, low);
      work->equal[b] = work->counts[LOWER_HALVES].own[low];
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
  const World *const world = sort->world;
  uint64_t *const begin_there = work->segments.send_count;  // of this rank's elements, at each rank
  uint64_t sent = 0, received = 0;
  for (int r = 0; r < world->ranks; r++) {
    work->segments.receive_begin[r] = received;
    received += work->from[r];
  }
  world_transpose(world, work->segments.receive_begin, begin_there);
  for (int r = 0; r < world->ranks; r++) {
    if (sort->direct || r == world->rank) {
      work->first[r] = (uint32_t)begin_there[r];
      continue;
    }
    sent += (begin_there[r] - sent) % EXCHANGE_ALIGNMENT;
    work->segments.send_begin[r] = work->first[r] = (uint32_t)sent;
    sent += work->to[r];
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

// Sends the elements of a chunk. Those of the rank itself are already in the array of received
// ones.
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
  const PartitionArrays arrays = {sort->input.keys, sort->input.positions, work->keys_to,
                                  work->positions_to};
  step_enter("partition");
  partition_begin(&work->partition, arrays, work->splitters, work->first, work->stretches);
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
  if (seconds != NULL) {
    memset(seconds, 0, STAGES * sizeof *seconds);
    clock.last = settled_now(world);
  }
  if (world->ranks > 1) {
    step_enter("count");
    shard_count(sort, UPPER_HALF, UPPER_HALVES);
    mark(&clock, STAGE_COUNT);
    if (work->pair_finish.tables != NULL) pair_finish_clear(&work->pair_finish);
    step_enter("splitters");
    find_borders(sort);
    find_splitters(sort);
    shard_choose_local(sort);
    result.count = lay_out(sort);
    result.begin = world->rank == 0 ? 0 : work->border[world->rank - 1].place;
    result.moved = result.count - work->from[world->rank];
    mark(&clock, STAGE_SPLITTERS);
    if (sort->direct) {
      step_enter("exchange");
      shard_move_directly(sort);
      mark(&clock, STAGE_EXCHANGE);
    } else {
      partition_and_exchange(sort, &clock);
    }
  }
  step_enter("sort");
  if (world->ranks > 1)
    result.elements = shard_sort_arrived(sort, result.count);
  else
    your_sort(sort->input.keys, sort->input.positions, sort->output.keys, sort->output.positions,
              sort->shard);
  CUDA_CHECK(cudaDeviceSynchronize());
  LAUNCH_CHECK();
  mark(&clock, STAGE_SORT);
  step_leave();
  return result;
}
