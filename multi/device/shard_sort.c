#include "multi/device/shard.h"

#include "common/check.h"
#include "common/your_sort.h"
#include "multi/world/step.h"

enum { STAGE_COUNT, STAGE_SPLITTERS, STAGE_PARTITION, STAGE_EXCHANGE, STAGE_SORT };
const char *const shard_stages[] = {"count", "splitters", "partition", "exchange", "sort", NULL};

// ---- partition and exchange ---------------------------------------------------------------------

static void launch_partition(ShardSort *sort, int chunk) {
  const size_t ranks = (size_t)sort->world->ranks, begin = (size_t)chunk * sort->chunk;
  const size_t from = begin < sort->shard ? begin : sort->shard;
  const size_t end = sort->shard - from < sort->chunk ? sort->shard : from + sort->chunk;
  const unsigned int *const next = partition_chunk(&sort->partition, chunk, from, end);
  CUDA_CHECK(cudaMemcpyAsync(sort->next + (size_t)chunk * ranks, next, ranks * sizeof *next,
                             cudaMemcpyDeviceToHost, 0));
  CUDA_CHECK(cudaEventRecord(sort->partitioned[chunk], 0));
}

// Sends the elements of a chunk. Elements that stay on this rank are in the output already.
static void exchange_chunk(ShardSort *sort, int chunk) {
  const World *const world = sort->world;
  Segments *const segments = &sort->segments;
  CUDA_CHECK(cudaEventSynchronize(sort->partitioned[chunk]));
  const uint32_t *const next = sort->next + (size_t)chunk * (size_t)world->ranks;
  for (int r = 0; r < world->ranks; r++)
    segments->send_count[r] = r == world->rank ? 0 : next[r] - segments->send_begin[r];
  world_transpose(world, segments->send_count, segments->receive_count);
  sort->exchange->transport->move(sort->exchange, sort->spare, sort->output, segments);
  for (int r = 0; r < world->ranks; r++) {
    segments->send_begin[r] += segments->send_count[r];
    segments->receive_begin[r] += segments->receive_count[r];
  }
}

// While a chunk travels, the next one is partitioned, unless stages are timed.
static void partition_and_exchange(ShardSort *sort, StageClock *clock) {
  const Transport *const transport = sort->exchange->transport;
  const bool overlap = clock->seconds == NULL;
  const PartitionArrays arrays = {sort->input.keys, sort->input.positions, sort->keys_to,
                                  sort->positions_to};
  step_enter("partition");
  partition_begin(&sort->partition, arrays, sort->splitters, sort->first);
  launch_partition(sort, 0);
  for (int chunk = 0; chunk < sort->chunks; chunk++) {
    const bool more = chunk + 1 < sort->chunks;
    if (more && overlap) launch_partition(sort, chunk + 1);
    stage_end(clock, STAGE_PARTITION);
    step_enter("exchange");
    exchange_chunk(sort, chunk);
    if (!overlap) transport->wait(sort->exchange);
    stage_end(clock, STAGE_EXCHANGE);
    if (more && !overlap) launch_partition(sort, chunk + 1);
  }
  transport->wait(sort->exchange);
}

// ---- the local sort of what has arrived ---------------------------------------------------------
//
// Elements that travelled directly are in order of a digit, from which gsort's kernels go on. The
// counts of all prefixes are known, so that the choice here is exact. All others the version sorts.

enum { FEW = 1 << 20 };  // up to here the version's own choice is as good

// Whether pairs travel in order of a digit, and their buckets then. All ranks decide alike.
static void choose_pair_plan(ShardSort *sort) {
  const int ranks = sort->world->ranks;
  const uint64_t average = sort->n / (uint64_t)ranks;
  const bool wanted = sort->digit_bits == DIGITS_AUTO ? average > FEW : sort->digit_bits > 0;
  sort->by_digit = false;
  if (sort->pair_finish.tables == NULL || !sort_version.by_gsort || !wanted || sort->n == 0) return;
  uint32_t first[BINS_MOST_RANKS], last[BINS_MOST_RANKS];
  for (int r = 0; r < ranks; r++) shard_key_range(sort, r, &first[r], &last[r]);
  sort->by_digit = pair_finish_choose(sort->counts[UPPER_HALVES].all, first, last, ranks, average,
                                      &sort->pair_plan);
}

// Sorts `count` elements that have arrived in sort->output. Returns the arrays of the result; all
// of them are overwritten.
static Elements sort_arrived(ShardSort *sort, size_t count) {
  if (sort->by_digit) {
    // A packed pair takes the place of a key and a position: both arrays are one block of memory.
    if (pair_finish_sort(&sort->pair_finish, &sort->pair_plan, count, sort->output.keys,
                         sort->input.keys, sort->output.keys, sort->output.positions))
      return sort->output;
  }
  if (sort->finishes) {
    const Elements sorted = sort->overlaps ? sort->spare : sort->input;
    finish_sort(&sort->finish, sort->overlaps, sort->output.keys, sorted.keys,
                sort->digit_bits == SCATTER_MOST_BITS);
    if (finish_wait(&sort->finish)) return sorted;
  }
  your_sort(sort->output.keys, sort->output.positions, sort->input.keys, sort->input.positions,
            count);
  return sort->input;
}

// Whether each 16-bit bucket has at most four times its share, plus 32 keys so that few keys count
// as even. Sweeps sort uneven keys, and a second phase would only cost time. All ranks see the same
// counts.
static bool buckets_are_even(const ShardSort *sort) {
  return largest_count(sort->counts[UPPER_HALVES].all) <= 4 * sort->n / HALF_VALUES + 32;
}

SortResult shard_sort_run(ShardSort *sort, double *seconds) {
  const World *const world = sort->world;
  SortResult result = {.elements = sort->output, .count = sort->shard};
  StageClock clock = stage_clock_start(world, seconds);
  if (world->ranks > 1) {
    step_enter("count");
    shard_count(sort);
    stage_end(&clock, STAGE_COUNT);
    if (sort->pair_finish.tables != NULL) pair_finish_clear(&sort->pair_finish);
    step_enter("splitters");
    shard_find_borders(sort);
    choose_pair_plan(sort);
    result.count = shard_lay_out(sort);
    result.begin = shard_place(sort, world->rank);
    result.received = result.count - sort->from[world->rank];
    stage_end(&clock, STAGE_SPLITTERS);
    sort->finishes = sort->direct && !sort->pairs && sort_version.by_gsort && result.count > FEW;
    sort->overlaps =
        sort->direct && sort->spare.keys != NULL && clock.seconds == NULL && buckets_are_even(sort);
    if (sort->direct) {
      step_enter("exchange");
      shard_move_directly(sort);
      stage_end(&clock, STAGE_EXCHANGE);
    } else {
      partition_and_exchange(sort, &clock);
    }
  }
  step_enter("sort");
  if (world->ranks > 1)
    result.elements = sort_arrived(sort, result.count);
  else
    your_sort(sort->input.keys, sort->input.positions, sort->output.keys, sort->output.positions,
              sort->shard);
  CUDA_CHECK(cudaDeviceSynchronize());
  LAUNCH_CHECK();
  stage_end(&clock, STAGE_SORT);
  step_leave();
  return result;
}
