// The local sort of what has arrived. A rank has a part of the range of keys only, and radix_v7's
// fastest way is for keys spread over 32 bits. The counts of all prefixes are known, so that the
// choice here is exact.
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/your_sort.h"
#include "multi/shard_work.h"

enum { FEW = 1 << 20 };  // up to here the version's own choice is as good

static bool is_radix_v7(void) { return strcmp(sort_version.name, "radix_v7") == 0; }

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
    // Pairs need no stretch: radix_v7 finds the bits by which its buckets fit.
    const bool stretch = automatic ? many && !sort->pairs : sort->stretch == STRETCH_ON;
    work->stretches[r] = stretch && !finishes ? stretch_of(first, last) : (Stretch){0, 0, 0};
  }
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
  your_sort(sort->output.keys, sort->output.positions, sort->input.keys, sort->input.positions,
            count);
  stretch_undo(sort->input.keys, count, work->stretches[sort->world->rank]);
  return sort->input;
}
