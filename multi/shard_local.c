// The local sort of what has arrived. A rank has a part of the range of keys only, for which
// radix_v7's own choices do not suit: its buckets are made for keys spread over 32 bits. The counts
// of all prefixes are known, so that the choice here is exact.
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/knobs.h"
#include "common/your_sort.h"
#include "multi/shard_work.h"

enum { FEW = 1 << 20 };  // up to here the version's own choice is as good

// radix_v7's plans for pairs beyond its samples (radix_v7/prefix_plans.cuh): upper bits that number
// the buckets, and the largest bucket.
static const struct {
  int knob, bits;
  uint64_t largest;
} plans[] = {{5, 12, 2273}, {6, 12, 4577},  {7, 13, 4577},  {8, 14, 4577},
             {9, 15, 4577}, {10, 16, 4577}, {11, 16, 9185}, {12, 16, 18401}};
enum { PLANS = sizeof plans / sizeof *plans };

static bool is_radix_v7(void) { return strcmp(sort_version.name, "radix_v7") == 0; }

// The largest bucket of the keys first .. last, numbered by their upper `bits` bits. Buckets at the
// ends are counted whole.
static uint64_t largest_bucket(const uint64_t *counts, uint32_t first, uint32_t last, int bits) {
  const uint32_t group = 1u << (16 - bits), behind = (last >> 16 | (group - 1)) + 1;
  uint64_t largest = 0;
  for (uint32_t v = first >> 16 & ~(group - 1); v < behind; v += group) {
    uint64_t sum = 0;
    for (uint32_t i = v; i < v + group; i++) sum += counts[i];
    if (sum > largest) largest = sum;
  }
  return largest;
}

// Value of radix_v7's knob prefixPlan with which all buckets of `count` keys first .. last fit; 0
// if there is none.
static int choose_plan(const uint64_t *counts, uint32_t first, uint32_t last, uint64_t count) {
  if (largest_bucket(counts, first, last, 16) > plans[PLANS - 1].largest) return 0;
  for (int p = 0; p < PLANS; p++) {
    // Most plans are ruled out by the average.
    const uint64_t buckets = (((last >> 16) - (first >> 16)) >> (16 - plans[p].bits)) + 1;
    if (count / buckets <= plans[p].largest &&
        largest_bucket(counts, first, last, plans[p].bits) <= plans[p].largest)
      return plans[p].knob;
  }
  return 0;
}

// Whether pairs travel in order of a digit, and their buckets then. All ranks decide alike.
static void choose_pair_plan(ShardSort *sort) {
  struct ShardWork *const work = sort->work;
  const int ranks = sort->world->ranks;
  const uint64_t average = sort->n / (uint64_t)ranks;
  const bool wanted = sort->digit_bits == DIGITS_AUTO ? average > FEW : sort->digit_bits > 0;
  work->by_digit = false;
  if (work->pair_finish.tables == NULL || !is_radix_v7() || !wanted || sort->n == 0 ||
      sort->stretch == STRETCH_ON)
    return;
  uint32_t first[PAIR_MOVE_MOST_RANKS], last[PAIR_MOVE_MOST_RANKS];
  for (int r = 0; r < ranks; r++) shard_key_range(work, ranks, r, &first[r], &last[r]);
  work->by_digit = pair_finish_choose(work->counts[UPPER_HALVES].all, first, last, ranks, average,
                                      &work->pair_plan);
}

void shard_choose_local(ShardSort *sort) {
  struct ShardWork *const work = sort->work;
  choose_pair_plan(sort);
  const int ranks = sort->world->ranks;
  const bool automatic = sort->stretch == STRETCH_AUTO;
  const bool many = is_radix_v7() && sort->n / (uint64_t)ranks > FEW;
  const bool finishes = work->by_digit || (sort->direct && !sort->pairs);
  for (int r = 0; r < ranks; r++) {
    uint32_t first = 0, last = 0;
    shard_key_range(work, ranks, r, &first, &last);
    work->plans[r] =
        many && automatic && sort->pairs && !work->by_digit
            ? choose_plan(work->counts[UPPER_HALVES].all, first, last, sort->n / (uint64_t)ranks)
            : 0;
    const bool stretch =
        automatic ? many && work->plans[r] == 0 && !finishes : sort->stretch == STRETCH_ON;
    work->stretches[r] = stretch && !finishes ? stretch_of(first, last) : (Stretch){0, 0, 0};
  }
}

static void sort_by_version(const ShardSort *sort, size_t count) {
  const int plan = sort->work->plans[sort->world->rank];
  const int knob_index =
      plan > 0 ? knob_find(&sort_version, "prefixPlan", strlen("prefixPlan")) : -1;
  const bool chosen = knob_index >= 0 && knob("prefixPlan") == 0;
  if (chosen) knob_set(knob_index, plan);
  your_sort(sort->output.keys, sort->output.positions, sort->input.keys, sort->input.positions,
            count);
  if (chosen) knob_set(knob_index, 0);
}

Elements shard_sort_arrived(ShardSort *sort, size_t count) {
  struct ShardWork *const work = sort->work;
  if (work->by_digit) {
    // A packed pair takes the place of a key and a position: both arrays are one block of memory.
    if (pair_finish_sort(&work->pair_finish, &work->pair_plan, count, sort->output.keys,
                         sort->input.keys, sort->output.keys, sort->output.positions))
      return sort->output;
  }
  if (sort->direct && !sort->pairs && is_radix_v7() && count > FEW && work->finishes) {
    if (finish_sort(&work->finish, sort->output.keys, sort->input.keys,
                    work->scatter.bits == SCATTER_MOST_BITS))
      return sort->input;
  }
  sort_by_version(sort, count);
  stretch_undo(sort->input.keys, count, work->stretches[sort->world->rank]);
  return sort->input;
}
