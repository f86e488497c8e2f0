// Inputs of more than 2^32 keys, of which the test draws parts: no index is cut to 32 bits.
#include "tests/unit.h"

#include "harness/input/input.h"

enum { COUNT = 600, PARTS = 128 };
typedef unsigned __int128 Wide;

static uint32_t part[COUNT], whole[COUNT], start[COUNT];
static const uint64_t sizes[] = {(1ull << 32) - 1, 1ull << 32, (1ull << 32) + 1, 6000000000,
                                 1ull << 33,       1ull << 40, (1ull << 48) - 1};

static void draw(const char *name, uint64_t first, size_t count, uint64_t n, uint32_t *to) {
  uint32_t *const d_keys = to_device(to, count);
  input_keys_part(input_find(name), 7, d_keys, first, count, n);
  to_host(to, d_keys, count);
  free_device(d_keys);
}

// Where parts are drawn: the ends, the middle, around 2^32 and around n / 3.
static size_t places_of(uint64_t n, uint64_t *places) {
  const uint64_t all[] = {0, n / 3 - COUNT / 2, n / 2 - COUNT / 2, n - COUNT,
                          (1ull << 32) - COUNT / 2};
  size_t count = 0;
  for (uint64_t place : all)
    if (place + COUNT <= n) places[count++] = place;
  return count;
}

// Draws parts of arrays of all sizes, whose keys without their `shift` lowest bits are expected().
static void check_keys(const char *name, int shift,
                       uint32_t (*expected)(const char *name, uint64_t i, uint64_t n)) {
  for (uint64_t n : sizes) {
    uint64_t places[5];
    const size_t count = places_of(n, places);
    for (size_t p = 0; p < count; p++) {
      draw(name, places[p], COUNT, n, part);
      for (size_t i = 0; i < COUNT; i++)
        if (part[i] >> shift != expected(name, places[p] + i, n))
          fail_msg("%s, n = %llu: [%llu] is %u", name, (unsigned long long)n,
                   (unsigned long long)(places[p] + i), part[i]);
    }
  }
}

TEST(test_parts) {
  for (const InputKind *kind = input_kinds; kind->name != NULL; kind++) {
    uint32_t *const d_keys = to_device(whole, COUNT);
    input_keys(input_find(kind->name), 7, d_keys, COUNT);
    to_host(whole, d_keys, COUNT);
    free_device(d_keys);
    for (size_t first = 0; first < COUNT; first += 97) {
      draw(kind->name, first, COUNT - first, COUNT, part);
      expect_array(kind->name, part, whole + first, COUNT - first);
    }
    draw(kind->name, 5, 0, COUNT, part);
  }
}

// The formulas of input_kinds, in 128 bits.
static uint32_t formula(const char *name, uint64_t i, uint64_t n) {
  if (strcmp(name, "reverse") == 0) i = n - 1 - i;
  if (strcmp(name, "sawtooth") == 0) return (uint32_t)(i % 1000);
  if (strcmp(name, "organ-pipe") == 0) return (uint32_t)(i < n / 2 ? i : n - i);
  return (uint32_t)(((Wide)i << 32) / n);
}

TEST(test_formulas) {
  for (const char *name : {"sorted", "reverse", "sawtooth", "organ-pipe"})
    check_keys(name, 0, formula);
}

// The upper seven bits are the slice.
static uint32_t slice(const char *name, uint64_t i, uint64_t n) {
  const uint32_t j = (uint32_t)((Wide)i * PARTS / n);
  const uint64_t place = (uint64_t)((Wide)i * PARTS % n);
  if (strcmp(name, "staggered") == 0) return j < PARTS / 2 ? 2 * j + 1 : 2 * j - PARTS;
  if (strcmp(name, "bucket") == 0) return (uint32_t)((Wide)place * PARTS / n);
  return (uint32_t)((j / 8 * 8 + PARTS / 2 + (uint32_t)((Wide)place * 8 / n)) % PARTS);
}

TEST(test_slices) {
  for (const char *name : {"staggered", "g-group", "bucket"}) check_keys(name, 25, slice);
}

// An index cut to 32 bits would begin again with the first keys.
TEST(test_not_repeated) {
  for (const char *name : {"uniform", "entropy1", "gaussian", "zipf", "unit-floats", "geometric"}) {
    draw(name, 0, COUNT, 6000000000, start);
    draw(name, 1ull << 32, COUNT, 6000000000, part);
    size_t equal = 0;
    for (size_t i = 0; i < COUNT; i++) equal += part[i] == start[i];
    assert_true(equal < COUNT / 4);
  }
}

TEST(test_outlier) {
  const uint64_t n = 3 * (1ull << 32) + 30, place = n / 3;
  draw("outlier", place - 10, 21, n, part);
  draw("outlier", place - (1ull << 32), 1, n, start);
  for (size_t i = 0; i < 21; i++) assert_int_equal(part[i] != start[0], i == 10);
}

RUN_TESTS("input_beyond", NULL, NULL)
