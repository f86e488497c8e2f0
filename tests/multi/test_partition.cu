// Counting halves of keys, finding one of many equal keys, partition by destination.
#include "tests/unit.h"

#include "common/device.h"
#include "common/scratch.h"
#include "multi/move/partition.h"
#include "multi/split/count.h"

enum { N = 3 * PARTITION_TILE + 77, MOST_RANKS = 1024 };

static uint32_t keys[N], positions[N];

// Over 2^16 equal keys in each block: counters of 16 bits overflow unless they are emptied in time.
TEST(test_counts) {
  const size_t n = 80000 * (size_t)device_attribute(cudaDevAttrMultiProcessorCount);
  uint32_t *const many = (uint32_t *)calloc(n, sizeof *many);
  static uint64_t counts[1 << 16];
  uint64_t *const d_counts = to_device(counts, COUNT_OF(counts));
  uint32_t *const d_narrow = to_device((uint32_t *)counts, COUNT_OF(counts));
  for (size_t i = 0; i < n; i++) many[i] = i % 10 == 0 ? next_random() : 0x12345678;
  uint32_t *const d_many = to_device(many, n);
  for (int prefix = UPPER_HALF; prefix <= 0x1234; prefix += 0x1235) {
    count_halves(d_many, n, prefix, d_narrow);
    widen_counts(d_narrow, d_counts);
    to_host(counts, d_counts, COUNT_OF(counts));
    for (size_t i = 0; i < n; i++)
      if (prefix == UPPER_HALF || many[i] >> 16 == (uint32_t)prefix)
        counts[prefix == UPPER_HALF ? many[i] >> 16 : many[i] & 0xffff]--;
    for (size_t v = 0; v < COUNT_OF(counts); v++) assert_int_equal(counts[v], 0);
  }
  size_t skipped = 0;
  for (size_t i = 0; i < n; i++) {
    if (many[i] != 0x12345678) continue;
    if (skipped % 30011 == 0 || skipped == 3)
      assert_int_equal(find_equal(d_many, n, 0x12345678, skipped), i);
    skipped++;
  }
  free_device(d_many, d_counts, d_narrow);
  free(many);
}

static size_t destination_of(const Splitter *splitters, int ranks, size_t i) {
  size_t d = 0;
  while (d < (size_t)ranks - 1 && splitters[d] <= ((Splitter)keys[i] << 32 | i)) d++;
  return d;
}

// Partitions N elements in `chunks` chunks; the result must be that of a stable partition by hand.
static void check_partition(int ranks, int self, int chunks, uint32_t mask, bool pairs) {
  static Splitter splitters[MOST_RANKS];
  static uint32_t first[MOST_RANKS], next[MOST_RANKS], expected[2][N], expected_kept[2][N];
  size_t count[MOST_RANKS] = {0};
  for (size_t i = 0; i < N; i++) {
    keys[i] = next_random() & mask;
    positions[i] = (uint32_t)i;
  }
  for (int b = 0; b < ranks - 1; b++)
    splitters[b] = ((Splitter)(mask / (uint32_t)ranks) * (Splitter)(b + 1) << 32) + 1000u * b;
  for (size_t i = 0; i < N; i++) count[destination_of(splitters, ranks, i)]++;
  uint32_t place = 0;
  for (int d = 0; d < ranks; d++) {
    first[d] = d == self ? 0 : place;
    if (d != self) place += (uint32_t)count[d];
    next[d] = first[d];
  }
  for (size_t i = 0; i < N; i++) {
    const size_t d = destination_of(splitters, ranks, i), j = next[d]++;
    (d == (size_t)self ? expected_kept : expected)[0][j] = keys[i];
    (d == (size_t)self ? expected_kept : expected)[1][j] = positions[i];
  }
  uint32_t *const d_keys = to_device(keys, N), *const d_positions = to_device(positions, N),
                  *const d_sent[2] = {to_device(keys, N), to_device(keys, N)},
                  *const d_kept[2] = {to_device(keys, N), to_device(keys, N)};
  static uint32_t *keys_to[MOST_RANKS], *positions_to[MOST_RANKS];
  for (int d = 0; d < ranks; d++) {
    keys_to[d] = d == self ? d_kept[0] : d_sent[0];
    positions_to[d] = d == self ? d_kept[1] : d_sent[1];
  }
  const PartitionArrays arrays = {d_keys, pairs ? d_positions : NULL, keys_to, positions_to};
  const size_t chunk = (N + chunks - 1) / chunks;
  Partition partition = partition_create(ranks, chunk);
  partition_begin(&partition, arrays, splitters, first);
  for (int c = 0; c < chunks; c++) {
    const size_t begin = c * chunk, behind = begin + chunk, end = behind < N ? behind : (size_t)N;
    const unsigned int *const d_next = partition_chunk(&partition, c, begin, end);
    if (c == chunks - 1) to_host(first, d_next, ranks);
  }
  for (int d = 0; d < ranks; d++) assert_int_equal(first[d], next[d]);
  for (int array = 0; array < 1 + pairs; array++) {
    expect_device("sent", d_sent[array], expected[array], N - count[self]);
    expect_device("kept", d_kept[array], expected_kept[array], count[self]);
  }
  partition_destroy(&partition);
  free_device(d_keys, d_positions, d_sent[0], d_sent[1], d_kept[0], d_kept[1]);
  assert_int_equal(scratch_outstanding(), 0);
}

TEST(test_partition) {
  check_partition(2, 0, 1, ~0u, false);
  check_partition(3, 1, 4, ~0u, true);
  check_partition(3, 2, 2, 3, true);
  check_partition(64, 5, 3, ~0u, true);
  check_partition(MOST_RANKS, 1023, 1, ~0u, true);
}

RUN_TESTS("partition", NULL, NULL)
