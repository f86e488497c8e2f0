// Runs and splitters: every plan of theirs, full and large buckets, equal splitters, samples that
// lead elsewhere, keys that do not suit.
#include "gsort/block/sample.cuh"
#include "gsort/block/splitters.cuh"
#include "gsort/tests/way_cases.cuh"

static uint32_t reversed(uint32_t x) {
  uint32_t y = 0;
  for (int bit = 0; bit < 32; bit++) y = y << 1 | (x >> bit & 1);
  return y;
}

static uint32_t a_float(size_t) {
  const uint32_t word = (uint32_t)draw();
  return word == 0x80000000u ? 0 : word;
}

// A float -0 among others.
static std::function<uint32_t(size_t)> zero_at(size_t where) {
  return [where](size_t i) { return i == where ? 0x80000000u : (a_float(i) | 1); };
}

// Some of five values, from the least or from the greatest one on.
static std::function<uint32_t(size_t)> values_of(uint32_t used, bool from_last) {
  return [=](size_t) {
    static const uint32_t values[] = {0, 1, 0x7fffffffu, 0xfffffffeu, ~0u};
    const uint32_t value = (uint32_t)draw() % used;
    return values[from_last ? 4 - value : value];
  };
}

static uint32_t host_scramble(uint32_t x) {
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

// Every fifth key is in one of `crowds` narrow ranges, of which the sample for 2^bits splitters
// knows nothing: keys at places that it draws from are spread, as are all others.
static std::function<uint32_t(size_t)> overlooked(uint32_t crowds, size_t n, int bits) {
  const uint32_t samples = SAMPLES_EACH << bits, apart = 0xffffffffu / crowds;
  std::vector<uint32_t> keys(n);
  for (size_t i = 0; i < n; i++)
    keys[i] = i % 5 > 0
                  ? (uint32_t)draw()
                  : (uint32_t)(i / 5 % crowds) * apart + 1000000u + (uint32_t)(i / 5) / crowds;
  for (uint32_t j = 0; j < samples; j++)
    keys[(uint64_t)j * n / samples + ((uint64_t)host_scramble(j) * (n / samples) >> 32)] =
        j * (0xffffffffu / samples);
  return [keys](size_t i) { return keys[i]; };
}

// Nothing that matters is known, but no sample is asked for; the plan is that for `times` as many.
static KeyRange as_for(double times) { return {0, 0, (float)times, true, false, 1.01f}; }

static void add_splitters(std::vector<Case> *cases) {
  const Way *const way = &way_splitters;
  const auto add = [&](const char *name, size_t n, Type type, Kind kind, bool overwrite,
                       Finding expected, std::function<uint32_t(size_t)> key) {
    cases->push_back(
        {name, way, n, type, kind, overwrite, n % 2 == 1, UNKNOWN, WHOLE_RANGE, expected, key});
  };
  for (size_t n : {1u, 2049u, 235000u, 420000u, 500000u}) {
    add("splitters", n, U32, VALUES, false, SORTED, any_key);
    add("splitters, bare", n, I32_DOWN, BARE, false, SORTED, any_key);
    add("splitters, in order", n, F32, INDICES, false, SORTED,
        [](size_t i) { return (uint32_t)i + 1; });
  }
  for (size_t n : {60000u, 240000u, 430001u}) {
    const int bits = n > 420000 ? 8 : 7;
    for (uint32_t used = 1; used <= 5; used += 2)
      for (int from_last = 0; from_last < 2; from_last++) {
        add("equal splitters", n, U32, VALUES, false, SORTED, values_of(used, from_last == 1));
        if (from_last == 1)
          add("equal splitters, bare", n, I32_DOWN, BARE, false, SORTED, values_of(used, true));
      }
    add("equal splitters, a bucket has whole tiles", n, U32, INDICES, false, SORTED,
        [n](size_t i) { return (uint32_t)(i * 5 / n) * 3; });
    for (uint32_t count = 50; count <= 5000; count *= 100)
      add("nearly as many values as splitters", n, U32, VALUES, false, SORTED,
          [count](size_t) { return (uint32_t)draw() % count * 0x00010003u; });
    add("one value among others", n, U32, VALUES, false, SORTED,
        [](size_t i) { return i % 3 == 0 ? 0x12345678u : (uint32_t)draw(); });
    add("far keys that the sample may not know", n, U32, VALUES, false, SORTED, [](size_t i) {
      const uint32_t word = (uint32_t)draw();
      return i % 999 > 0  ? 0x40000000u + (word & 0xffff)
             : i % 2 == 0 ? word >> 4
                          : ~word >> 1 | 1u << 31;
    });
    add("splitters, bits reversed", n, U32, VALUES, false, SORTED,
        [](size_t i) { return reversed((uint32_t)i); });
    for (Kind kind : {VALUES, BARE})
      add("splitters, a -0", n, F32, kind, true, UNEVEN, zero_at(n / 2));
    add("splitters, the last is a -0", n, F32, VALUES, true, UNEVEN, zero_at(n - 1));
    add("a large bucket", n, U32, VALUES, true, SORTED, overlooked(1, n, bits));
    add("a large bucket of floats", n, I32_DOWN, VALUES, true, SORTED, overlooked(1, n, bits));
    add("a large bucket, input kept", n, U32, VALUES, false, UNEVEN, overlooked(1, n, bits));
    add("a large bucket of indices", n, U32, INDICES, true, UNEVEN, overlooked(1, n, bits));
    add("a large bucket of bare keys", n, U32, BARE, true, UNEVEN, overlooked(1, n, bits));
  }
  add("as many large buckets as there may be", 450000, U32, VALUES, true, SORTED,
      overlooked(MOST_LARGE, 450000, 8));
  add("one more", 450000, U32, VALUES, true, UNEVEN, overlooked(MOST_LARGE + 1, 450000, 8));
}

static void add_runs(std::vector<Case> *cases) {
  const Way *const way = &way_runs;
  const auto add = [&](const char *name, size_t n, Type type, Kind kind, bool overwrite,
                       KeyRange range, Finding expected, std::function<uint32_t(size_t)> key,
                       int skip = -1) {
    cases->push_back({name, way, n, type, kind, overwrite, n % 2 == 1,
                      is_whole(range) ? UNKNOWN : IN_RANGE, range, expected, key, skip});
  };
  // Each plan; tiles of 4,096 to 20,480 pairs, cut and whole.
  for (double most : {4.5e5, 9e5, 1.2e6, 2e6, 2.8e6, 4.2e6, 5.8e6, 8.8e6})
    for (size_t n : {1u, 20480u, 60001u}) {
      const KeyRange range = as_for(most / (double)n);
      add("runs", n, U32, VALUES, false, range, SORTED, any_key);
      add("runs of indices", n, I32_DOWN, INDICES, false, range, SORTED, any_key);
      add("runs, the greatest keys beside padding", n, U32, VALUES, false, range, SORTED,
          [](size_t i) { return i % 97 == 0 ? ~0u : (uint32_t)draw(); });
      if (n > 20480)
        add("runs, in order", n, F32, VALUES, false, range, SORTED,
            [n](size_t i) { return (uint32_t)(((uint64_t)i << 31) / n); });
    }
  // Plan 1 has buckets of up to 2,273 pairs, by 8 bits; those of few low bits have full bins.
  for (uint32_t mask : {0xffffffu, 7u, 0xc00003u}) {
    const auto in_one = [mask](size_t) { return (uint32_t)draw() & mask; };
    add("a full bucket", 2273, U32, VALUES, false, as_for(10), SORTED, in_one);
    add("one pair more", 2274, U32, VALUES, false, as_for(10), IN_RANGE, in_one);
    add("one pair more, elsewhere", 2274, U32, VALUES, false, as_for(10), SORTED,
        [=](size_t i) { return i == 2273 ? ~0u : in_one(i); });
  }
  // Samples, with small tiles and with large ones.
  for (size_t n : {200001u, 2200001u}) {
    add("uneven", n, U32, VALUES, false, WHOLE_RANGE, SORTED,
        [](size_t) { return (uint32_t)draw() >> (uint32_t)draw() % 32; });
    add("even, with a -0", n, F32, VALUES, false, WHOLE_RANGE, UNEVEN, zero_at(n / 2));
  }
  const size_t n = 200000;
  add("even", n, F32, VALUES, false, WHOLE_RANGE, SORTED, a_float);
  add("even, the last is a -0", n, F32, INDICES, false, WHOLE_RANGE, UNEVEN, zero_at(n - 1));
  add("even, bits reversed", n, U32, INDICES, false, WHOLE_RANGE, SORTED,
      [](size_t i) { return reversed((uint32_t)i); });
  add("few values", n, U32, VALUES, false, WHOLE_RANGE, FEW_VALUES,
      [](size_t) { return (uint32_t)draw() % 5 * 0x04000001u; });
  add(
      "first bits shared", n, U32, VALUES, false, WHOLE_RANGE, IN_RANGE,
      [](size_t) { return (uint32_t)draw() >> 9; }, 9);
  add("many equal keys", n, U32, INDICES, false, WHOLE_RANGE, SORTED,
      [](size_t) { return (uint32_t)draw() % 2000 * 0x20c49bu; });
  add(
      "a bucket too large, of which the sample shows nothing", 300000, U32, VALUES, false,
      WHOLE_RANGE, IN_RANGE,
      [](size_t i) { return i % 200 == 0 ? (uint32_t)draw() >> 8 : (uint32_t)draw(); }, 0);
  add("a frequent value", 6000001, U32, VALUES, true, WHOLE_RANGE, SORTED,
      [](size_t i) { return i % 11 == 0 ? 0x12345678u : (uint32_t)draw(); });
  const KeyRange shared_9 = {9, 0x12800000u, 1, true, false, 1};
  const auto in_9 = [](size_t) { return 0x12800000u | (uint32_t)draw() >> 9; };
  add("a range", n, U32, VALUES, false, shared_9, SORTED, in_9);
  add(
      "beyond the range", n, U32, INDICES, false, shared_9, IN_RANGE,
      [=](size_t i) { return in_9(i) ^ (i == n / 2 ? 1u << 24 : 0); }, 7);
  add("beyond the range, far", n, U32, VALUES, true, shared_9, UNEVEN,
      [=](size_t i) { return in_9(i) ^ (i == n - 1 ? 1u << 31 : 0); });
  add("a range, with a -0", 100001, F32, VALUES, true, {1, 0, 1, true, false, 1}, UNEVEN,
      zero_at(7));
}

int main(void) {
  std::vector<Case> cases;
  add_splitters(&cases);
  add_runs(&cases);
  return run_cases(cases);
}
