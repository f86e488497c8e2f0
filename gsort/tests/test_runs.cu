// Runs and splitters: every plan of theirs, full buckets, equal splitters, samples that
// lead elsewhere, keys that do not suit.
#include "gsort/block/sample.cuh"
#include "gsort/kernel/splitters.cuh"
#include "gsort/tests/way_cases.cuh"

static uint32_t reversed(size_t i) {
  uint32_t bits = 0;
  for (int bit = 0; bit < 32; bit++) bits = bits << 1 | (uint32_t)(i >> bit & 1);
  return bits;
}

static uint32_t a_float(size_t) {
  const uint32_t key = draw();
  return key == 1u << 31 ? 0 : key;
}

// Some of five values, from the least or from the greatest one on.
static KeyOf values_of(uint32_t used, bool from_last) {
  return [=](size_t) {
    static const uint32_t values[] = {0, 1, 0x7fffffffu, 0xfffffffeu, ~0u};
    const uint32_t value = draw() % used;
    return values[from_last ? 4 - value : value];
  };
}

// Every fifth key is in one of `crowds` narrow ranges, of which the sample for 2^bits splitters
// knows nothing: keys at places that it draws from are spread, as are all others.
static KeyOf overlooked(uint32_t crowds, size_t n, int bits) {
  const uint32_t samples = SAMPLES_EACH << bits, apart = 0xffffffffu / crowds;
  std::vector<uint32_t> keys(n);
  for (size_t i = 0; i < n; i++)
    keys[i] = i % 5 > 0
                  ? draw()
                  : (uint32_t)(i / 5 % crowds) * apart + 1000000u + (uint32_t)(i / 5) / crowds;
  for (uint32_t j = 0; j < samples; j++)
    keys[(uint64_t)j * n / samples + ((uint64_t)scramble(j) * (n / samples) >> 32)] =
        j * (0xffffffffu / samples);
  return [keys](size_t i) { return keys[i]; };
}

// Nothing that matters is known, but no sample is asked for; the plan is that for `times` as many.
static KeyRange as_for(double times) { return {(float)times, 1.01f}; }

static void add_splitters(std::vector<Case> *cases) {
  const auto add = [&](const char *name, size_t n, Type type, Kind kind, Finding expected,
                       KeyOf key) {
    cases->push_back({name, &way_splitters, n, type, kind, expected, key});
  };
  for (size_t n : {1u, 2049u, 235000u, 420000u, 500000u}) {
    add("splitters", n, U32, VALUES, SORTED, any_key);
    add("splitters, bare", n, I32_DOWN, BARE, SORTED, any_key);
    add("splitters, in order", n, F32, INDICES, SORTED, [](size_t i) { return (uint32_t)i + 1; });
  }
  for (size_t n : {60000u, 240000u, 430001u}) {
    const int bits = n > 420000 ? 8 : 7;
    for (uint32_t used = 1; used <= 5; used += 2) {
      add("equal splitters", n, U32, VALUES, SORTED, values_of(used, false));
      add("equal splitters", n, U32, VALUES, SORTED, values_of(used, true));
      add("equal splitters, bare", n, I32_DOWN, BARE, SORTED, values_of(used, true));
    }
    add("equal splitters, a bucket has whole tiles", n, U32, INDICES, SORTED,
        [n](size_t i) { return (uint32_t)(i * 5 / n) * 3; });
    for (uint32_t count = 50; count <= 5000; count *= 100)
      add("nearly as many values as splitters", n, U32, VALUES, SORTED,
          [count](size_t) { return draw() % count * 0x00010003u; });
    add("one value among others", n, U32, VALUES, SORTED, often(0x12345678u, 3));
    add("far keys that the sample may not know", n, U32, VALUES, SORTED, [](size_t i) {
      const uint32_t word = draw();
      return i % 999 > 0  ? 0x40000000u + (word & 0xffff)
             : i % 2 == 0 ? word >> 4
                          : ~word >> 1 | 1u << 31;
    });
    add("splitters, bits reversed", n, U32, VALUES, SORTED, reversed);
    for (Kind kind : {VALUES, BARE}) add("splitters, a -0", n, F32, kind, STOPPED, zero_at(n / 2));
    add("splitters, the last is a -0", n, F32, VALUES, STOPPED, zero_at(n - 1));
    add("a bucket too large", n, U32, VALUES, STOPPED, overlooked(1, n, bits));
    add("a bucket of indices too large", n, I32_DOWN, INDICES, STOPPED, overlooked(1, n, bits));
    add("a bucket of bare keys too large", n, U32, BARE, STOPPED, overlooked(1, n, bits));
  }
}

static void add_runs(std::vector<Case> *cases) {
  const auto add = [&](const char *name, size_t n, Type type, Kind kind, KeyRange range,
                       Finding expected, KeyOf key) {
    cases->push_back({name, &way_runs, n, type, kind, expected, key,
                      is_whole(range) ? UNKNOWN : IN_RANGE, range});
  };
  // Each plan; tiles of 4,096 to 20,480 pairs, cut and whole.
  for (double most : {4.5e5, 9e5, 1.2e6, 2e6, 2.8e6, 4.2e6, 5.8e6, 8.8e6})
    for (size_t n : {1u, 20480u, 60001u}) {
      const KeyRange range = as_for(most / (double)n);
      add("runs", n, U32, VALUES, range, SORTED, any_key);
      add("runs of indices", n, I32_DOWN, INDICES, range, SORTED, any_key);
      add("runs, the greatest keys beside padding", n, U32, VALUES, range, SORTED, often(~0u, 97));
      if (n > 20480)
        add("runs, in order", n, F32, VALUES, range, SORTED,
            [n](size_t i) { return (uint32_t)(((uint64_t)i << 31) / n); });
    }
  // Plan 1 has buckets of up to 2,273 pairs, by 8 bits; those of few low bits have full bins.
  for (uint32_t mask : {0xffffffu, 7u, 0xc00003u}) {
    const auto in_one = [mask](size_t) { return draw() & mask; };
    add("a full bucket", 2273, U32, VALUES, as_for(10), SORTED, in_one);
    add("one pair more", 2274, U32, VALUES, as_for(10), UNEVEN, in_one);
    add("one pair more, elsewhere", 2274, U32, VALUES, as_for(10), SORTED,
        [=](size_t i) { return i == 2273 ? ~0u : in_one(i); });
  }
  // Samples, with small tiles and with large ones.
  for (size_t n : {200001u, 2200001u}) {
    add("uneven", n, U32, VALUES, WHOLE_RANGE, SORTED,
        [](size_t) { return draw() >> draw() % 32; });
    add("even, with a -0", n, F32, VALUES, WHOLE_RANGE, UNEVEN, zero_at(n / 2));
  }
  const size_t n = 200000;
  add("even", n, F32, VALUES, WHOLE_RANGE, SORTED, a_float);
  add("even, the last is a -0", n, F32, INDICES, WHOLE_RANGE, UNEVEN, zero_at(n - 1));
  add("even, bits reversed", n, U32, INDICES, WHOLE_RANGE, SORTED, reversed);
  add("few values", n, U32, VALUES, WHOLE_RANGE, FEW_VALUES,
      [](size_t) { return draw() % 5 * 0x04000001u; });
  add("many equal keys", n, U32, INDICES, WHOLE_RANGE, SORTED,
      [](size_t) { return draw() % 2000 * 0x20c49bu; });
  add("a bucket too large, of which the sample shows nothing", 300000, U32, VALUES, WHOLE_RANGE,
      IN_RANGE, [](size_t i) { return i % 200 == 0 ? draw() >> 8 : draw(); });
  const auto but_one = [](size_t where, uint32_t key) {  // of keys of a range
    return [=](size_t i) { return i == where ? key : 0x12800000u | draw() >> 9; };
  };
  for (size_t pairs : {200001u, 2200001u}) {
    add("a range", pairs, U32, VALUES, WHOLE_RANGE, SORTED, but_one(pairs, 0));
    add("a range, descending", pairs, I32_DOWN, INDICES, WHOLE_RANGE, SORTED, but_one(pairs, 0));
    add("beyond the range", pairs, U32, VALUES, WHOLE_RANGE, UNEVEN, but_one(pairs - 1, ~0u));
  }
  add("uneven in a range", n, U32, INDICES, WHOLE_RANGE, SORTED,
      [](size_t) { return 77777 + (draw() >> 10) % 999999 * (1 + draw() % 3); });
  add("a range of floats, with a -0", n, F32, VALUES, WHOLE_RANGE, UNEVEN,
      [](size_t i) { return i == 7 ? 1u << 31 : 0x3f800000u | draw() >> 9; });
}

int main(void) {
  std::vector<Case> cases;
  add_splitters(&cases);
  add_runs(&cases);
  return run_cases(cases);
}
