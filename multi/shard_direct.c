// The way of elements from GPU to GPU without a message: the kernel that partitions a shard writes
// each element to where it belongs, in the memory of its rank's GPU. The counts give every rank a
// part of every destination of its own, so that no two ranks write to the same place.
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "multi/shard_work.h"

// sums[v] = elements with halves below v * step, for v = 0 .. count.
static void sum_up(const uint32_t *counts, int count, int step, uint64_t *sums) {
  sums[0] = 0;
  for (int v = 0; v < count; v++) {
    uint64_t sum = sums[v];
    for (int i = v * step; i < (v + 1) * step; i++) sum += counts[i];
    sums[v + 1] = sum;
  }
}

// Index in the sorted array of the first element of each rank, and behind the last one.
static void find_places(const ShardSort *sort, uint64_t *place) {
  const int ranks = sort->world->ranks;
  place[0] = 0;
  for (int r = 1; r < ranks; r++) place[r] = sort->work->border[r - 1].place;
  place[ranks] = sort->n;
}

// Sums of all ranks, and of smaller ones.
static void find_sums(const World *world, const uint64_t *own, int count, uint64_t *before,
                      uint64_t *all) {
  world_sums_before(world, own, before, count);
  memcpy(all, own, (size_t)count * sizeof *all);
  world_sums(world, all, count);
}

// Where this rank's keys of each bin go: behind those of smaller ranks.
static void place_bins(ShardSort *sort, unsigned int **arrays, uint64_t *first) {
  struct ShardWork *const work = sort->work;
  const World *const world = sort->world;
  const int ranks = world->ranks, bits = work->scatter.bits, digits = 1 << bits,
            step = HALF_VALUES / digits, bins = scatter_bins(ranks, bits);
  uint64_t digit[(1 << SCATTER_MOST_BITS) + 1], cut[SCATTER_MOST_RANKS + 1], own[SCATTER_MOST_BINS],
      all[SCATTER_MOST_BINS];
  sum_up(work->counts[UPPER_HALVES].own, digits, step, digit);
  cut[0] = 0;
  for (int r = 0; r < ranks; r++) cut[r + 1] = cut[r] + work->to[r];
  scatter_bin_sizes(digit, bits, cut, ranks, own);
  find_sums(world, own, bins, first, all);
  uint64_t before = 0;  // in the bin's destination
  for (int b = 0, d = 0; b < bins; b++) {
    while (d < ranks - 1 && (int)(((uint64_t)work->border[d].key << bits) >> 32) + d < b) {
      d++;
      before = 0;
    }
    arrays[b] = work->keys_to[d];
    first[b] += before;
    before += all[b];
  }
}

// Where each bucket of this rank begins.
static void find_bucket_starts(ShardSort *sort) {
  const struct ShardWork *const work = sort->work;
  const int rank = sort->world->rank;
  const uint64_t begin = rank == 0 ? 0 : work->border[rank - 1].place;
  const uint64_t end = rank == sort->world->ranks - 1 ? sort->n : work->border[rank].place;
  uint64_t sum = 0;
  for (int v = 0; v <= HALF_VALUES; v++) {
    const uint64_t place = sum < begin ? begin : sum > end ? end : sum;
    work->finish.start[v] = (uint32_t)(place - begin);
    if (v < HALF_VALUES) sum += work->counts[UPPER_HALVES].all[v];
  }
}

static void move_keys(ShardSort *sort) {
  struct ShardWork *const work = sort->work;
  unsigned int *arrays[SCATTER_MOST_BINS];
  uint64_t first[SCATTER_MOST_BINS];
  place_bins(sort, arrays, first);
  scatter_keys(&work->scatter, sort->input.keys, sort->shard, work->splitters, arrays, first);
  // While the keys travel:
  find_bucket_starts(sort);
  work->finishes = finish_prepare(&work->finish);
}

// Where this rank's pairs of each bin go: behind those of smaller digits, and behind those of
// smaller ranks with the same one.
static void place_pair_bins(ShardSort *sort, unsigned int **arrays, uint64_t *first) {
  struct ShardWork *const work = sort->work;
  const World *const world = sort->world;
  const PairDigitBits digit = work->pair_plan.digit;
  const int ranks = world->ranks, bins = ranks << digit.bits;
  uint64_t cut[PAIR_MOVE_MOST_RANKS + 1] = {0}, own[PAIR_MOVE_MOST_BINS], all[PAIR_MOVE_MOST_BINS];
  if (work->pair_plan.prefix_bits > COUNTED_BITS) {
    count_pair_bins(&work->pair_move, sort->input.keys, sort->shard, work->splitters, digit, own);
  } else {
    for (int r = 0; r < ranks; r++) cut[r + 1] = cut[r] + work->to[r];
    digit_bin_sizes(work->counts[UPPER_HALVES].own, cut, ranks, digit.shift - 16, digit.bits, own);
  }
  find_sums(world, own, bins, first, all);
  for (int d = 0; d < ranks; d++) {
    uint64_t before = 0;
    for (int b = d << digit.bits; b < (d + 1) << digit.bits; b++) {
      arrays[b] = work->keys_to[d];
      first[b] += before;
      before += all[b];
    }
  }
}

static void move_pairs_by_digit(ShardSort *sort) {
  struct ShardWork *const work = sort->work;
  const int rank = sort->world->rank, ranks = sort->world->ranks;
  unsigned int *arrays[PAIR_MOVE_MOST_BINS];
  uint64_t bins_first[PAIR_MOVE_MOST_BINS], places[PAIR_MOVE_MOST_RANKS + 1];
  place_pair_bins(sort, arrays, bins_first);
  move_pairs_to_bins(&work->pair_move, sort->input.keys, sort->input.positions, sort->shard,
                     work->splitters, work->pair_plan.digit, arrays, bins_first,
                     work->pair_finish.look_back);
  // While the pairs travel:
  uint32_t first = 0, last = 0;
  shard_key_range(work, ranks, rank, &first, &last);
  find_places(sort, places);
  pair_finish_prepare(&work->pair_finish, &work->pair_plan, work->counts[UPPER_HALVES].all, first,
                      last, places[rank], places[rank + 1]);
}

static void move_pairs(ShardSort *sort) {
  struct ShardWork *const work = sort->work;
  const PartitionArrays arrays = {sort->input.keys, sort->input.positions, work->keys_to,
                                  work->positions_to};
  partition_begin(&work->partition, arrays, work->splitters, work->first, work->stretches);
  for (int chunk = 0; chunk < sort->chunks; chunk++) {
    const size_t from = (size_t)chunk * sort->chunk, behind = from + sort->chunk;
    if (from >= sort->shard) break;
    partition_chunk(&work->partition, chunk, from, behind < sort->shard ? behind : sort->shard);
  }
}

void shard_move_directly(ShardSort *sort) {
  if (sort->work->by_digit)
    move_pairs_by_digit(sort);
  else if (sort->pairs)
    move_pairs(sort);
  else
    move_keys(sort);
  // The end of a kernel makes its writes visible to all devices.
  CUDA_CHECK(cudaDeviceSynchronize());
  world_barrier(sort->world);
}
