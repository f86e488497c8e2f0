#include "multi/split/sorted_cut.h"

#include <stdlib.h>

#include "common/check.h"
#include "multi/split/splitters.h"

// Index in [low, high] of the first key that is not less than `key`; high if all are.
static size_t lower_bound(const uint32_t *keys, size_t low, size_t high, uint32_t key) {
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (keys[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// The search for the key at one index of the sorted order.
typedef struct Search {
  uint32_t key;        // the greatest key, as far as its bits are known, with at most `place`
                       // elements below it
  uint64_t less;       // elements below it, of all ranks
  size_t *low, *high;  // [slices] bounds of the first index that is not below the final key
  size_t *found;       // [slices] that index for the key that is tried
} Search;

static void sum_up(const CutSums *sums, uint64_t *values, int count) {
  if (sums != NULL) sums->sum(sums->context, values, count);
}

// Tries one more bit of each key.
static void try_bit(const SortedSlice *slices, int count, const uint64_t *place, int places,
                    const CutSums *sums, uint32_t bit, Search *search, uint64_t *below) {
  for (int p = 0; p < places; p++) {
    Search *const s = &search[p];
    below[p] = 0;
    for (int k = 0; k < count; k++) {
      s->found[k] = lower_bound(slices[k].keys, s->low[k], s->high[k], s->key | bit);
      below[p] += s->found[k];
    }
  }
  sum_up(sums, below, places);
  for (int p = 0; p < places; p++) {
    Search *const s = &search[p];
    const bool accepted = below[p] <= place[p];
    if (accepted) s->key |= bit, s->less = below[p];
    size_t *const bound = accepted ? s->low : s->high;
    for (int k = 0; k < count; k++) bound[k] = s->found[k];
  }
}

// Index behind the elements of a slice that equal the key.
static size_t equal_end(const SortedSlice *slice, size_t begin, uint32_t key) {
  if (key == UINT32_MAX) return slice->count;
  return lower_bound(slice->keys, begin, slice->count, key + 1);
}

// Cuts behind the elements below the key and the first of those equal to it.
static void cut_at_key(const SortedSlice *slices, int count, uint64_t place, const Search *search,
                       uint64_t earlier, size_t *cut) {
  const Border border = {.equal_before = place - search->less};
  for (int k = 0; k < count; k++) {
    const size_t begin = search->low[k], end = equal_end(&slices[k], begin, search->key);
    cut[k] = begin + equal_left(&border, earlier, end - begin);
    earlier += end - begin;
  }
}

static uint64_t count_equal(const SortedSlice *slices, int count, const Search *search) {
  uint64_t equal = 0;
  for (int k = 0; k < count; k++)
    equal += equal_end(&slices[k], search->low[k], search->key) - search->low[k];
  return equal;
}

void cut_sorted(const SortedSlice *slices, int count, const uint64_t *place, int places,
                const CutSums *sums, size_t *cut) {
  if (places == 0) return;
  const size_t all = (size_t)places, each = (size_t)count;
  Search *const search = MEMORY_CHECK(calloc(all, sizeof *search));
  uint64_t *const below = MEMORY_CHECK(calloc(3 * all, sizeof *below));
  size_t *const bounds = MEMORY_CHECK(calloc(3 * all * each + 1, sizeof *bounds));
  for (size_t p = 0; p < all; p++) {
    search[p].low = bounds + 3 * p * each;
    search[p].high = search[p].low + each;
    search[p].found = search[p].high + each;
    for (size_t k = 0; k < each; k++) search[p].high[k] = slices[k].count;
  }
  for (uint32_t bit = 1u << 31; bit != 0; bit >>= 1)
    try_bit(slices, count, place, places, sums, bit, search, below);
  uint64_t *const equal = below + all, *const earlier = equal + all;
  for (size_t p = 0; p < all; p++) equal[p] = count_equal(slices, count, &search[p]);
  if (sums != NULL) sums->before(sums->context, equal, earlier, places);
  for (size_t p = 0; p < all; p++)
    cut_at_key(slices, count, place[p], &search[p], earlier[p], cut + p * each);
  free(bounds);
  free(below);
  free(search);
}
