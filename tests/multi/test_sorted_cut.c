// Cutting sorted slices at places of their common order, compared with merging them.
#include "tests/unit.h"

#include "multi/split/sorted_cut.h"

enum { SLICES = 5, MOST = 300, ALL = SLICES * MOST };

typedef struct Tagged {
  uint32_t key;
  int slice;
  size_t index;
} Tagged;

static int by_key_slice_index(const void *a, const void *b) {
  const Tagged *const x = a, *const y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  if (x->slice != y->slice) return x->slice < y->slice ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

static void check_cuts(uint32_t mask, uint32_t bits) {
  static uint32_t keys[SLICES][MOST];
  static Tagged all[ALL];
  SortedSlice slices[SLICES];
  size_t n = 0;
  for (int k = 0; k < SLICES; k++) {
    slices[k] = (SortedSlice){keys[k], k == 2 ? 0 : next_random() % MOST};
    for (size_t i = 0; i < slices[k].count; i++) keys[k][i] = (next_random() & mask) | bits;
    qsort(keys[k], slices[k].count, sizeof(uint32_t), compare_words);
    for (size_t i = 0; i < slices[k].count; i++) all[n++] = (Tagged){keys[k][i], k, i};
  }
  qsort(all, n, sizeof *all, by_key_slice_index);
  const uint64_t place[] = {0, 1, n / 3, n / 2, n - 1, n};
  size_t cut[COUNT_OF(place) * SLICES];
  cut_sorted(slices, SLICES, place, COUNT_OF(place), NULL, cut);
  for (size_t p = 0; p < COUNT_OF(place); p++) {
    size_t expected[SLICES] = {0};
    for (size_t i = 0; i < place[p]; i++) expected[all[i].slice]++;
    for (int k = 0; k < SLICES; k++) assert_int_equal(cut[p * SLICES + (size_t)k], expected[k]);
  }
}

TEST(test_cuts) {
  for (int round = 0; round < 20; round++) {
    check_cuts(~0u, 0);
    check_cuts(0xf, 0);
    check_cuts(0, 0);
    check_cuts(0, ~0u);
    check_cuts(0x80000001, 0x7ffffffe);
  }
}

RUN_TESTS("sorted_cut", NULL, NULL)
