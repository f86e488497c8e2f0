// radix_v5 with counts of 64 bits: a pass far beyond 2^32, of which only the last tiles run. The
// arrays are as long as these tiles; their pointers are moved back by as much as lies before them.
#include "tests/unit.h"

#include "common/pairs.cuh"
#include "radix_v5/histogram.cuh"
#include "radix_v5/one_sweep.cuh"

enum { ITEMS = 4, TILE = SWEEP_THREADS * ITEMS, LARGEST = 5 * TILE };
typedef unsigned long long Count;

static uint32_t keys[LARGEST], positions[LARGEST], expected[LARGEST];

// A device array as if `before` elements were in front of it.
static unsigned int *moved_back(unsigned int *d_array, Count before) {
  return (unsigned int *)((uintptr_t)d_array - before * sizeof *d_array);
}

// One pass over the last n elements of an input of tiles_before * TILE + n. The tiles before have
// published the same number of elements for each bin.
static void check_last_tiles(unsigned int tiles_before, size_t n, int pass, bool pairs) {
  const size_t tiles = (n + TILE - 1) / TILE;
  const Count before = (Count)tiles_before * TILE / BINS;
  for (size_t i = 0; i < n; i++) {
    keys[i] = next_random();
    positions[i] = (uint32_t)i;
  }
  // Where each bin of these n elements starts among them, and in the whole output.
  static Count start[BINS];
  size_t next[BINS] = {0}, sum = 0;
  for (size_t i = 0; i < n; i++) next[keys[i] >> (8 * pass) & 255u]++;
  for (int bin = 0; bin < BINS; bin++) {
    const size_t count = next[bin];
    next[bin] = sum;
    start[bin] = (Count)tiles_before * TILE + sum - before;
    sum += count;
  }
  // look_back_sum() loads LOOK_BACK_DEPTH values at a time, but adds only the nearest: it is
  // inclusive.
  const size_t published_size = (LOOK_BACK_DEPTH + tiles) * BINS;
  Count *const published = (Count *)calloc(published_size, sizeof *published);
  for (int i = 0; i < LOOK_BACK_DEPTH * BINS; i++)
    published[i] = before | look_back_inclusive<Count>;

  uint32_t *const d_keys = to_device(keys, n), *const d_positions = to_device(positions, n);
  uint32_t *const d_out = to_device(keys, n), *const d_out_positions = to_device(keys, n);
  Count *const d_start = to_device(start, BINS);
  Count *const d_published = to_device(published, published_size);
  unsigned int *const d_counter = to_device(&tiles_before, 1);
  const Count skipped = (Count)tiles_before * TILE;
  const Pairs in = {moved_back(d_keys, skipped), pairs ? moved_back(d_positions, skipped) : NULL};
  const Pairs out = {moved_back(d_out, skipped),
                     pairs ? moved_back(d_out_positions, skipped) : NULL};
  const Count look_back_before = ((Count)tiles_before - LOOK_BACK_DEPTH) * BINS;
  const SweepPass<Count> sweep = {
      pass, d_start, d_counter,
      (Count *)((uintptr_t)d_published - look_back_before * sizeof(Count))};
  one_sweep<ITEMS><<<(unsigned int)tiles, SWEEP_THREADS>>>(in, out, skipped + n, sweep);
  LAUNCH_CHECK();

  size_t place[LARGEST];
  for (size_t i = 0; i < n; i++) place[i] = next[keys[i] >> (8 * pass) & 255u]++;
  for (size_t i = 0; i < n; i++) expected[place[i]] = keys[i];
  expect_device("keys", d_out, expected, n);
  if (pairs) {
    for (size_t i = 0; i < n; i++) expected[place[i]] = positions[i];
    expect_device("positions", d_out_positions, expected, n);
  }
  // The last tile has published the sum of all. Its padding counts as keys of the last bin.
  Count last[BINS];
  to_host(last, d_published + published_size - BINS, BINS);
  for (int bin = 0; bin < BINS; bin++) {
    Count of_bin = next[bin] - (start[bin] + before - skipped);
    if (bin == BINS - 1) of_bin += tiles * TILE - n;
    assert_true(last[bin] == ((before + of_bin) | look_back_inclusive<Count>));
  }
  free_device(d_keys, d_positions, d_out, d_out_positions, d_counter, d_start, d_published);
  free(published);
}

TEST(test_beyond_32_bits) {
  // The first element of the last tiles: just below 2^32, at it, 6 x 10^9, near 2^33, 2^40.
  const Count first[] = {(1ull << 32) - TILE, 1ull << 32, 6000000000 / TILE * TILE,
                         (1ull << 33) - LARGEST, 1ull << 40};
  const size_t sizes[] = {1, 31, TILE, TILE + 1, LARGEST - 1, LARGEST};
  for (Count begin : first)
    for (size_t n : sizes)
      for (int pass = 0; pass < PASSES; pass++)
        check_last_tiles((unsigned int)(begin / TILE), n, pass, n % 2 == 0);
}

// Counts that 32 bits do not hold.
TEST(test_histogram) {
  static Count counts[PASSES * BINS], scanned[PASSES * BINS];
  for (int i = 0; i < PASSES * BINS; i++) {
    counts[i] = (1ull << 32) - 2;
    scanned[i] = (Count)(i % BINS) * counts[i];
  }
  for (size_t i = 0; i < 1000; i++) keys[i] = 0;  // digit 0 of every pass
  Count *const d_counts = to_device(counts, PASSES * BINS);
  uint32_t *const d_keys = to_device(keys, 1000);
  count_digits<<<3, 96>>>(d_keys, (size_t)1000, d_counts);
  LAUNCH_CHECK();
  scan_histograms<<<PASSES, BINS>>>(d_counts);
  LAUNCH_CHECK();
  to_host(counts, d_counts, PASSES * BINS);
  for (int i = 0; i < PASSES * BINS; i++)
    assert_true(counts[i] == scanned[i] + (i % BINS > 0 ? 1000 : 0));
  free_device(d_counts, d_keys);
}

RUN_TESTS("radix_v5_wide", NULL, NULL)
