#include "multi/device/shard.h"

#include <string.h>

#include "common/check.h"
#include "common/device.h"

// Sums of all ranks, and of smaller ones.
static void find_sums(const World *world, const uint64_t *own, int count, uint64_t *before,
                      uint64_t *all) {
  world_sums_before(world, own, before, count);
  memcpy(all, own, (size_t)count * sizeof *all);
  world_sums(world, all, count);
}

// cut[r]: how many of this rank's elements go to ranks below r.
static void find_cuts(const ShardSort *sort, uint64_t *cut) {
  cut[0] = 0;
  for (int r = 0; r < sort->world->ranks; r++) cut[r + 1] = cut[r] + sort->to[r];
}

// ---- bare keys ----------------------------------------------------------------------------------

// sums[v] = elements with halves below v * step, for v = 0 .. count.
static void sum_up(const uint32_t *counts, int count, int step, uint64_t *sums) {
  sums[0] = 0;
  for (int v = 0; v < count; v++) {
    uint64_t sum = sums[v];
    for (int i = v * step; i < (v + 1) * step; i++) sum += counts[i];
    sums[v + 1] = sum;
  }
}

// Where this rank's keys of each bin go: behind the keys of smaller ranks. part[0] gets the bins of
// the first half of each destination's keys, part[1] the others. Returns how many digits this
// destination's first part has.
static int place_bins(ShardSort *sort, unsigned int **arrays, uint64_t *first, BinPart part[2]) {
  const World *const world = sort->world;
  const int ranks = world->ranks, bits = sort->digit_bits, digits = 1 << bits,
            step = HALF_VALUES / digits, bins = scatter_bins(ranks, bits);
  uint64_t digit[(1 << SCATTER_MOST_BITS) + 1], cut[BINS_MOST_RANKS + 1], own[SCATTER_MOST_BINS],
      all[SCATTER_MOST_BINS];
  sum_up(sort->counts[UPPER_HALVES].own, digits, step, digit);
  find_cuts(sort, cut);
  scatter_bin_sizes(digit, bits, cut, ranks, own);
  find_sums(world, own, bins, first, all);
  int digits_of_part = 0;
  uint64_t before = 0;  // in the bin's destination
  for (int b = 0, d = 0; b < bins; b++) {
    while (d < ranks - 1 && (int)(((uint64_t)sort->border[d].key << bits) >> 32) + d < b) {
      d++;
      before = 0;
    }
    arrays[b] = sort->keys_to[d];
    first[b] += before;
    const bool later = 2 * before + all[b] > shard_place(sort, d + 1) - shard_place(sort, d);
    part[later].word[b / 32] |= 1u << b % 32;
    if (d == world->rank && !later) digits_of_part = b - d + 1;
    before += all[b];
  }
  return digits_of_part;
}

// Where each bucket of this rank begins.
static void find_bucket_starts(ShardSort *sort) {
  const int rank = sort->world->rank;
  const uint64_t begin = shard_place(sort, rank), end = shard_place(sort, rank + 1);
  uint64_t sum = 0;
  for (int v = 0; v <= HALF_VALUES; v++) {
    const uint64_t place = sum < begin ? begin : sum > end ? end : sum;
    sort->finish.start[v] = (uint32_t)(place - begin);
    if (v < HALF_VALUES) sum += sort->counts[UPPER_HALVES].all[v];
  }
}

// The scatter waits for the links most of the time, but its blocks fill a multiprocessor each.
static int blocks_beside_sort(void) {
  return (device_attribute(cudaDevAttrMultiProcessorCount) + 1) / 2;
}

static void move_keys(ShardSort *sort) {
  unsigned int *arrays[SCATTER_MOST_BINS];
  uint64_t first[SCATTER_MOST_BINS];
  BinPart part[2] = {{{0}, 0}, {{0}, blocks_beside_sort()}};
  const int digits = place_bins(sort, arrays, first, part);
  const int parts = sort->overlaps ? 2 : 1;
  for (int p = 0; p < parts; p++) {
    scatter_keys(&sort->tables, sort->digit_bits, sort->input.keys, sort->shard, sort->splitters,
                 arrays, first, sort->overlaps ? &part[p] : NULL);
    if (p == 0) CUDA_CHECK(cudaEventRecord(sort->part_moved, 0));
  }
  // While the keys travel:
  if (sort->finishes) {
    find_bucket_starts(sort);
    sort->finishes = finish_prepare(&sort->finish, sort->overlaps ? digits : FINISH_DIGITS);
  }
  if (!sort->overlaps) return;
  CUDA_CHECK(cudaEventSynchronize(sort->part_moved));
  world_barrier(sort->world);
  if (sort->finishes) finish_sort(&sort->finish, 0, sort->output.keys, sort->spare.keys, true);
}

// ---- pairs --------------------------------------------------------------------------------------

// Where this rank's pairs of each bin go: behind the pairs of smaller digits, and of smaller ranks
// with the same digit.
static void place_pair_bins(ShardSort *sort, unsigned int **arrays, uint64_t *first) {
  const World *const world = sort->world;
  const PairDigitBits digit = sort->pair_plan.digit;
  const int ranks = world->ranks, bins = ranks << digit.bits;
  uint64_t cut[BINS_MOST_RANKS + 1], own[PAIR_MOVE_MOST_BINS], all[PAIR_MOVE_MOST_BINS];
  find_cuts(sort, cut);
  if (sort->pair_plan.prefix_bits > COUNTED_BITS)
    count_pair_bins(&sort->tables, sort->input.keys, sort->shard, sort->splitters, digit, own);
  else
    digit_bin_sizes(sort->counts[UPPER_HALVES].own, cut, ranks, digit.shift - 16, digit.bits, own);
  find_sums(world, own, bins, first, all);
  for (int d = 0; d < ranks; d++) {
    uint64_t before = 0;
    for (int b = d << digit.bits; b < (d + 1) << digit.bits; b++) {
      arrays[b] = sort->keys_to[d];
      first[b] += before;
      before += all[b];
    }
  }
}

static void move_pairs_by_digit(ShardSort *sort) {
  const int rank = sort->world->rank;
  unsigned int *arrays[PAIR_MOVE_MOST_BINS];
  uint64_t bins_first[PAIR_MOVE_MOST_BINS];
  place_pair_bins(sort, arrays, bins_first);
  move_pairs_to_bins(&sort->tables, sort->input.keys, sort->input.positions, sort->shard,
                     sort->splitters, sort->pair_plan.digit, arrays, bins_first,
                     sort->pair_finish.look_back);
  // While the pairs travel:
  uint32_t first = 0, last = 0;
  shard_key_range(sort, rank, &first, &last);
  pair_finish_prepare(&sort->pair_finish, &sort->pair_plan, sort->counts[UPPER_HALVES].all, first,
                      last, shard_place(sort, rank), shard_place(sort, rank + 1));
}

static void move_pairs(ShardSort *sort) {
  const PartitionArrays arrays = {sort->input.keys, sort->input.positions, sort->keys_to,
                                  sort->positions_to};
  partition_begin(&sort->partition, arrays, sort->splitters, sort->first);
  for (int chunk = 0; chunk < sort->chunks; chunk++) {
    const size_t from = (size_t)chunk * sort->chunk, behind = from + sort->chunk;
    if (from >= sort->shard) break;
    partition_chunk(&sort->partition, chunk, from, behind < sort->shard ? behind : sort->shard);
  }
}

void shard_move_directly(ShardSort *sort) {
  if (sort->by_digit)
    move_pairs_by_digit(sort);
  else if (sort->pairs)
    move_pairs(sort);
  else
    move_keys(sort);
  // The end of a kernel makes its writes visible to all devices.
  CUDA_CHECK(cudaStreamSynchronize(0));
  world_barrier(sort->world);
}
