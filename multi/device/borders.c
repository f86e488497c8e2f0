#include "multi/device/shard.h"

#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "multi/split/count.h"

// ---- counts -------------------------------------------------------------------------------------

// On one machine the ranks add the counts up in host memory that all of them see. Up to here each
// rank adds up all values; more ranks divide the values, so that the time does not grow with their
// number.
enum { FEW_RANKS = 4 };

static SharedCounts *shared_of(const ShardSort *sort, int rank) {
  return (SharedCounts *)sort->shared.of[rank];
}

// sums[v] = the counts of all ranks, for v = first .. behind - 1.
static void add_up(const ShardSort *sort, HalfKind kind, int first, int behind, uint64_t *sums) {
  const uint32_t *const own = shared_of(sort, 0)->own[kind];
  for (int v = first; v < behind; v++) sums[v] = own[v];
  for (int r = 1; r < sort->world->ranks; r++) {
    const uint32_t *const other = shared_of(sort, r)->own[kind];
    for (int v = first; v < behind; v++) sums[v] += other[v];
  }
}

static int first_value(const World *world, int rank) {
  return (int)share_begin(HALF_VALUES, rank, world->ranks);
}

static void add_up_together(const ShardSort *sort, HalfKind kind, uint64_t *all) {
  const World *const world = sort->world;
  add_up(sort, kind, first_value(world, world->rank), first_value(world, world->rank + 1),
         shared_of(sort, world->rank)->sums);
  world_barrier(world);
  for (int r = 0; r < world->ranks; r++) {
    const int first = first_value(world, r), values = first_value(world, r + 1) - first;
    memcpy(all + first, shared_of(sort, r)->sums + first, (size_t)values * sizeof *all);
  }
}

// Counts the upper halves (prefix UPPER_HALF), or the lower ones of keys with this upper half.
static void count(ShardSort *sort, int prefix, HalfKind kind) {
  const HalfCounts counts = sort->counts[kind];
  count_halves(sort->input.keys, sort->shard, prefix, sort->own_counts);
  CUDA_CHECK(cudaMemcpy(counts.own, sort->own_counts, HALF_VALUES * sizeof *counts.own,
                        cudaMemcpyDeviceToHost));
  if (sort->shared.of == NULL) {
    widen_counts(sort->own_counts, sort->all_counts);
    sort->exchange->transport->sum(sort->exchange, sort->all_counts, HALF_VALUES);
    CUDA_CHECK(cudaMemcpy(counts.all, sort->all_counts, HALF_VALUES * sizeof *counts.all,
                          cudaMemcpyDeviceToHost));
    return;
  }
  world_barrier(sort->world);
  if (sort->world->ranks <= FEW_RANKS)
    add_up(sort, kind, 0, HALF_VALUES, counts.all);
  else
    add_up_together(sort, kind, counts.all);
  // The next count may follow at once, and must not change what others still read. Upper halves are
  // counted once in a run, between exchanges of other numbers.
  if (kind == LOWER_HALVES) world_barrier(sort->world);
}

void shard_count(ShardSort *sort) { count(sort, UPPER_HALF, UPPER_HALVES); }

// ---- borders ------------------------------------------------------------------------------------

static uint64_t sum_below(const uint32_t *counts, uint32_t end) {
  uint64_t sum = 0;
  for (uint32_t value = 0; value < end; value++) sum += counts[value];
  return sum;
}

// Which keys can occur, from the counts of all prefixes.
static void find_range(ShardSort *sort) {
  const uint64_t *const all = sort->counts[UPPER_HALVES].all;
  uint32_t first = 0, last = HALF_VALUES - 1;
  while (first < last && all[first] == 0) first++;
  while (last > first && all[last] == 0) last--;
  sort->first_key = first << 16;
  sort->last_key = last << 16 | (HALF_VALUES - 1);
}

// Finds each border b, and on this rank the number of elements with keys less than and equal to it.
static void find_borders(ShardSort *sort, uint64_t *less, uint64_t *equal) {
  const HalfCounts upper = sort->counts[UPPER_HALVES], lower = sort->counts[LOWER_HALVES];
  const int borders = sort->world->ranks - 1;
  borders_by_prefix(upper.all, sort->n, sort->world->ranks, sort->border);
  for (int b = 0; b < borders; b++) {
    const Border *const border = &sort->border[b];
    less[b] = sum_below(upper.own, border->refined ? border->prefix : border->key >> 16);
    equal[b] = 0;  // of a border between two prefixes, equal elements are right
  }
  int64_t counted = -1;  // the prefix whose lower halves have been counted; the borders' ascend
  for (int b = 0; b < borders; b++) {
    Border *const border = &sort->border[b];
    if (!border->refined) continue;
    if (border->prefix != counted) count(sort, (int)border->prefix, LOWER_HALVES);
    counted = border->prefix;
    border_refine(border, lower.all);
    const uint32_t low = border->key & (HALF_VALUES - 1);
    less[b] += sum_below(lower.own, low);
    equal[b] = lower.own[low];
  }
}

// From the borders: this rank's splitters, and how many elements go where. earlier[b]: elements
// equal to border b on smaller ranks.
static void find_splitters(ShardSort *sort, const uint64_t *less, const uint64_t *equal,
                           const uint64_t *earlier) {
  const World *const world = sort->world;
  const int borders = world->ranks - 1;
  uint64_t left_of_last = 0;
  for (int b = 0; b < borders; b++) {
    const Border *const border = &sort->border[b];
    const uint64_t left = equal_left(border, earlier[b], equal[b]);
    size_t index = left == 0 ? 0 : sort->shard;
    if (left > 0 && left < equal[b])
      index = find_equal(sort->input.keys, sort->shard, border->key, left);
    sort->splitters[b] = (Splitter)border->key << 32 | index;
    const uint64_t left_of = less[b] + left;
    sort->to[b] = left_of - left_of_last;
    left_of_last = left_of;
  }
  sort->to[borders] = sort->shard - left_of_last;
  world_transpose(world, sort->to, sort->from);
}

void shard_find_borders(ShardSort *sort) {
  find_range(sort);
  const int ranks = sort->world->ranks;
  uint64_t *const less = MEMORY_CHECK(calloc(3 * (size_t)ranks, sizeof *less)),
                  *const equal = less + ranks, *const earlier = equal + ranks;
  find_borders(sort, less, equal);
  world_sums_before(sort->world, equal, earlier, ranks - 1);
  find_splitters(sort, less, equal, earlier);
  free(less);
}

uint64_t shard_lay_out(ShardSort *sort) {
  const World *const world = sort->world;
  uint64_t *const begin_there = sort->segments.send_count;  // of this rank's elements, at each rank
  uint64_t sent = 0, received = 0;
  for (int r = 0; r < world->ranks; r++) {
    sort->segments.receive_begin[r] = received;
    received += sort->from[r];
  }
  world_transpose(world, sort->segments.receive_begin, begin_there);
  for (int r = 0; r < world->ranks; r++) {
    if (sort->direct || r == world->rank) {
      sort->first[r] = (uint32_t)begin_there[r];
      continue;
    }
    sent += (begin_there[r] - sent) % EXCHANGE_ALIGNMENT;
    sort->segments.send_begin[r] = sort->first[r] = (uint32_t)sent;
    sent += sort->to[r];
  }
  if (received > sort->capacity)
    check_fail("multi_sort: rank %d would get %llu elements, more than the %zu of its share",
               world->rank, (unsigned long long)received, sort->capacity);
  return received;
}

uint64_t shard_place(const ShardSort *sort, int r) {
  return r == 0 ? 0 : r == sort->world->ranks ? sort->n : sort->border[r - 1].place;
}

void shard_key_range(const ShardSort *sort, int r, uint32_t *first, uint32_t *last) {
  *first = r == 0 ? sort->first_key : sort->border[r - 1].key;
  *last = sort->last_key;
  if (r == sort->world->ranks - 1) return;
  const Border *const behind = &sort->border[r];
  *last = behind->key > 0 && behind->equal_before == 0 ? behind->key - 1 : behind->key;
}
