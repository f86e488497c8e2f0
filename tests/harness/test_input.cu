// Properties of the inputs: determinism, range and order, and fingerprints from a second
// implementation, for those whose formula says all: entropies, gaussian, zipf, slices.
#include "tests/unit.h"

#include <math.h>

#include "common/scratch.h"
#include "harness/input/input.h"

enum { N = 100000, OTHER_N = 12345 };

static unsigned int keys[N], others[N];

static void draw(const char *name, uint64_t seed, size_t n, unsigned int *to) {
  unsigned int *const d_keys = to_device(to, n);
  const int kind = input_find(name);
  assert_true(kind >= 0);
  input_keys(kind, seed, d_keys, n);
  to_host(to, d_keys, n);
  free_device(d_keys);
}

static uint64_t fingerprint(const unsigned int *array, size_t n) {
  uint64_t hash = 0xcbf29ce484222325ull;  // FNV-1a over 32-bit values
  for (size_t i = 0; i < n; i++) hash = (hash ^ array[i]) * 0x100000001b3ull;
  return hash;
}

static size_t distinct(void) {
  memcpy(others, keys, sizeof keys);
  qsort(others, N, sizeof *others, compare_words);
  size_t count = 1;
  for (size_t i = 1; i < N; i++) count += others[i] != others[i - 1];
  return count;
}

// A seed always draws the same input, and another seed another one, where the seed matters.
TEST(test_determinism) {
  for (const InputKind *kind = input_kinds; kind->name != NULL; kind++) {
    draw(kind->name, 7, N, keys);
    draw(kind->name, 7, N, others);
    assert_memory_equal(keys, others, sizeof keys);
    draw(kind->name, 8, N, others);
    bool fixed = false;
    static const char *const without_seed[] = {"sorted", "reverse", "organ-pipe", "sawtooth"};
    for (int k = 0; k < 4; k++) fixed = fixed || strcmp(kind->name, without_seed[k]) == 0;
    assert_int_equal(memcmp(keys, others, sizeof keys) == 0, fixed);
    draw(kind->name, 7, 0, others);
    draw(kind->name, 7, 1, others);
  }
  assert_int_equal(scratch_outstanding(), 0);
}

// Such a key depends on seed and index only: a shorter input is a longer one's beginning.
TEST(test_prefix) {
  static const char *const names[] = {"uniform", "entropy3", "gaussian", "zipf", "few-distinct"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    draw(names[i], 3, N, keys);
    draw(names[i], 3, OTHER_N, others);
    assert_memory_equal(keys, others, OTHER_N * sizeof *keys);
  }
}

TEST(test_almost_sorted) {
  draw("sorted", 1, N, keys);
  draw("almost-sorted", 1, N, others);
  size_t moved = 0;
  for (size_t i = 0; i < N; i++) moved += others[i] != keys[i];
  assert_true(moved > N / 64 * 9 / 10 && moved < N / 64 * 11 / 10);
}

TEST(test_few) {
  draw("all-equal", 1, N, keys);
  assert_int_equal(distinct(), 1);
  draw("few-distinct", 1, N, keys);
  assert_int_equal(distinct(), 16);
  draw("extremes", 1, N, keys);
  assert_int_equal(distinct(), 2);
  draw("zipf", 1, N, keys);
  assert_true(distinct() > 10000 && distinct() < 65536);
}

// Inputs that single out a weakness: what each promises.
TEST(test_skewed) {
  draw("hot-key", 1, N, keys);
  size_t hot = 0;
  for (size_t i = 0; i < N; i++) hot += keys[i] == keys[0];
  assert_true(hot > N / 100 * 8 / 10 && hot < N / 100 * 12 / 10);
  draw("top-equal", 1, N, keys);
  for (size_t i = 0; i < N; i++) assert_int_equal(keys[i] >> 22, 0);
  draw("unit-floats", 1, N, keys);
  double sum = 0.0;
  for (size_t i = 0; i < N; i++) {
    float value;
    memcpy(&value, &keys[i], sizeof value);
    assert_true(value >= 0.0f && value < 1.0f);
    sum += value;
  }
  assert_true(fabs(sum / N - 0.5) < 0.005);
  draw("two-halves", 1, N, keys);
  for (size_t i = 0; i < N; i++) assert_int_equal(keys[i] & 0xfff0u, 0);
  draw("outlier", 1, N, keys);
  assert_int_equal(distinct(), 2);
  draw("geometric", 1, N, keys);
  size_t small = 0;
  for (size_t i = 0; i < N; i++) small += keys[i] < 65536;
  assert_true(small > N * 45 / 100 && small < N * 60 / 100);
}

TEST(test_positions) {
  unsigned int *const d_positions = to_device(keys, N);
  for (unsigned int i = 0; i < N; i++) keys[i] = i;
  input_positions(d_positions, N);
  expect_device("positions", d_positions, keys, N);
  input_positions_range(d_positions, 1234, N - 1234);
  expect_device("a range of positions", d_positions, keys + 1234, N - 1234);
  free_device(d_positions);
}

// FNV-1a over 100,000 keys of seed 42: the same from either backend, on every machine. The numbers
// are from a second implementation of the formulas, in Python.
TEST(test_fingerprints) {
  static const struct {
    const char *name;
    uint64_t hash;
  } expected[] = {
      {"uniform", 0xff6d2f794d7fe975ull},  {"sorted", 0xd0e9246bb8829925ull},
      {"entropy1", 0xe479946b088ca2e5ull}, {"entropy2", 0xcf26e95be434337full},
      {"entropy3", 0x22d3f4fcbddcf215ull}, {"entropy4", 0x765ce4d6b731a77dull},
      {"gaussian", 0xad0237ac4fe5abe3ull}, {"almost-sorted", 0xe3cd8c42f4b4f3e6ull},
      {"zipf", 0xc6ee1f533af815ccull},     {"staggered", 0x3f6c18cfa73e7638ull},
      {"g-group", 0x4e9be3c6cf3e7638ull},  {"bucket", 0xceaf684c8b3e7638ull},
  };
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    draw(expected[i].name, 42, N, keys);
    const uint64_t hash = fingerprint(keys, N);
    if (hash != expected[i].hash)
      fail_msg("%s: fingerprint 0x%016llx", expected[i].name, (unsigned long long)hash);
  }
  assert_int_equal(input_find("nothing"), -1);
}

// For keys of other types: over the 32-bit halves of 64-bit keys.
TEST(test_typed_fingerprints) {
  static const struct {
    KeyType type;
    const char *name;
    uint64_t hash;
  } expected[] = {
      {KEY_U64, "uniform", 0x090f7cb45e5344f9ull},
      {KEY_U64, "sorted", 0xeeb98460f9d54da5ull},
      {KEY_U64, "few-distinct", 0x0704da050b3d477full},
      {KEY_U64, "entropy2", 0xb589191be55c8168ull},
      {KEY_U64, "gaussian", 0x8749ebae2d7305b2ull},
      {KEY_U64, "almost-sorted", 0x1b110109444d7926ull},
      {KEY_U64, "zipf", 0x539932b9b16d6184ull},
      {KEY_U64, "unit-floats", 0x8483407bd441eba4ull},
      {KEY_U64, "two-halves", 0x37a01f70e20888f0ull},
      {KEY_U64, "geometric", 0x0e1aab70e0e89852ull},
      {KEY_U64, "staggered", 0x8aa2d79322d10bd5ull},
      {KEY_U64, "ids40", 0x05955aa0e2e1e028ull},
      {KEY_U64, "ids32", 0xcae578a05e161d9bull},
      {KEY_U64, "day", 0x3924ca5e3f44a8baull},
      {KEY_U64, "day-sorted", 0x57e303666c6ed577ull},
      {KEY_U64, "twice", 0x6366e1342813616dull},
      {KEY_U64, "thousand", 0x5f730c3746825d73ull},
      {KEY_U64, "half-equal", 0x81015e114fdc7e51ull},
      {KEY_U64, "strings", 0xa5a8c05389870884ull},
      {KEY_U64, "letters", 0x9aacdfda5ae58cf2ull},
      {KEY_U64, "fields", 0x622c620b129dd352ull},
      {KEY_I64, "uniform", 0x28e80c1a5e5344f9ull},
      {KEY_F64, "uniform", 0x18daaab9596b2304ull},
      {KEY_F64, "normal", 0xb3cfa80f0c3bd4ebull},
      {KEY_F64, "lognormal", 0xf72a08721535c9faull},
      {KEY_I32, "uniform", 0x918f6d2c4d7fe975ull},
      {KEY_F32, "uniform", 0x8a1cfe809408da6eull},
  };
  static unsigned int words[2 * N];
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    const int any = input_find(expected[i].name);
    const int kind = any >= 0 ? any : wide_find(expected[i].name);
    assert_true(kind >= 0 && input_fits(kind, expected[i].type));
    const size_t count = expected[i].type < KEY_U64 ? N : 2 * N;
    unsigned int *const d_keys = to_device(words, 2 * N);
    input_typed(expected[i].type, kind, 42, d_keys, N);
    to_host(words, d_keys, count);
    free_device(d_keys);
    const uint64_t hash = fingerprint(words, count);
    if (hash != expected[i].hash)
      fail_msg("type %d, %s: fingerprint 0x%016llx", expected[i].type, expected[i].name,
               (unsigned long long)hash);
  }
  assert_int_equal(wide_find("uniform"), -1);
  assert_false(input_fits(wide_find("normal"), KEY_U64));
  assert_false(input_fits(wide_find("ids40"), KEY_F32));
}

// ---- inputs of more than 2^32 keys, of which parts are drawn: no index is cut to 32 bits
// ---------

enum { COUNT = 600, PARTS = 128 };
typedef unsigned __int128 Wide;

static uint32_t part[COUNT], whole[COUNT], start[COUNT];
static const uint64_t sizes[] = {N,          (1ull << 32) - 1, 1ull << 32, (1ull << 32) + 1,
                                 6000000000, 1ull << 33,       1ull << 40, (1ull << 48) - 1};

static void draw_part(const char *name, uint64_t first, size_t count, uint64_t n, uint32_t *to) {
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
      draw_part(name, places[p], COUNT, n, part);
      for (size_t i = 0; i < COUNT; i++)
        if (part[i] >> shift != expected(name, places[p] + i, n))
          fail_msg("%s, n = %llu: [%llu] is %u", name, (unsigned long long)n,
                   (unsigned long long)(places[p] + i), part[i]);
    }
  }
}

TEST(test_parts) {
  for (const InputKind *kind = input_kinds; kind->name != NULL; kind++) {
    draw(kind->name, 7, COUNT, whole);
    for (size_t first = 0; first < COUNT; first += 97) {
      draw_part(kind->name, first, COUNT - first, COUNT, part);
      expect_array(kind->name, part, whole + first, COUNT - first);
    }
    draw_part(kind->name, 5, 0, COUNT, part);
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
    draw_part(name, 0, COUNT, 6000000000, start);
    draw_part(name, 1ull << 32, COUNT, 6000000000, part);
    size_t equal = 0;
    for (size_t i = 0; i < COUNT; i++) equal += part[i] == start[i];
    assert_true(equal < COUNT / 4);
  }
}

TEST(test_outlier) {
  const uint64_t n = 3 * (1ull << 32) + 30, place = n / 3;
  draw_part("outlier", place - 10, 21, n, part);
  draw_part("outlier", place - (1ull << 32), 1, n, start);
  for (size_t i = 0; i < 21; i++) assert_int_equal(part[i] != start[0], i == 10);
}

RUN_TESTS("input", NULL, NULL)
