// Regions, a counted prefix, values and sweeps of many pairs: shapes, keys that end a way as random
// ones rarely do, and large buckets.
#include "gsort/tests/way_cases.cuh"

typedef std::function<uint32_t(size_t)> KeyOf;

static KeyOf below(uint32_t bits, uint32_t above = 0) {
  return [=](size_t) { return above | (uint32_t)draw() >> (32 - bits); };
}

// Each `step`-th key is `key`, others are any but that.
static KeyOf often(uint32_t key, size_t step) {
  return [=](size_t i) { return i % step == 0 ? key : (uint32_t)draw() | 1; };
}

int main(void) {
  const size_t n = 300001, many = 1200001;
  const KeyRange whole = WHOLE_RANGE, by_8 = {8, 0x12000000u, 1, true, false, 1};
  const uint32_t minus_zero = 1u << 31;
  std::vector<Case> cases;
  const auto add = [&](const char *name, const Way *way, size_t pairs, Type type, Kind kind,
                       bool overwrite, Finding known, KeyRange range, Finding expected, KeyOf key,
                       int skip = -1) {
    const bool odd = cases.size() % 2 == 1;
    cases.push_back(
        {name, way, pairs, type, kind, overwrite, odd, known, range, expected, key, skip});
  };

  const Way *way = &way_pair_regions;
  for (size_t pairs : {20000u, 300001u, 1200001u}) {
    add("regions", way, pairs, U32, VALUES, false, UNKNOWN, whole, SORTED, any_key);
    add("regions of indices", way, pairs, I32_DOWN, INDICES, false, UNKNOWN, whole, SORTED,
        any_key);
  }
  add("a third in one value", way, n, U32, VALUES, false, UNKNOWN, whole, UNEVEN, often(8, 3));
  add("five values", way, n, U32, VALUES, false, UNKNOWN, whole, FEW_VALUES,
      [](size_t) { return (uint32_t)draw() % 5 * 77777777u; });
  add("low keys", way, n, U32, VALUES, false, UNKNOWN, whole, IN_RANGE, below(28), 4);
  add("a full bucket", way, many, U32, VALUES, false, UNKNOWN, whole, IN_RANGE,
      often(5u << 20, 480));
  add("regions, a -0", way, n, F32, VALUES, false, UNKNOWN, whole, UNEVEN,
      [=](size_t i) { return i == n / 2 ? minus_zero : (uint32_t)draw(); });

  way = &way_prefix;
  for (size_t pairs : {20000u, 300001u, 1200001u})
    add("prefix", way, pairs, I32_DOWN, pairs == n ? INDICES : VALUES, false, HEAVY, whole, SORTED,
        any_key);
  add("a range", way, n, U32, VALUES, false, IN_RANGE, by_8, SORTED, below(24, 0x12000000u));
  add(
      "beyond the range", way, n, U32, VALUES, false, IN_RANGE, by_8, IN_RANGE,
      [=](size_t i) { return i == n - 7 ? 0x13000000u : 0x12000000u | (uint32_t)draw() >> 8; }, 7);
  add("far beyond", way, n, U32, VALUES, false, IN_RANGE, by_8, UNEVEN,
      [=](size_t i) { return i == 5 ? 0xf2000000u : 0x12000000u | (uint32_t)draw() >> 8; });
  add("a large bucket", way, n, U32, VALUES, true, HEAVY, whole, UNEVEN, often(98, 5));
  add("prefix, five values", way, n, U32, VALUES, false, HEAVY, whole, FEW_VALUES,
      [](size_t) { return (uint32_t)draw() % 5 * 77777777u; });
  add("prefix, a -0", way, n, F32, VALUES, false, IN_RANGE, A_LITTLE_UNEVEN, UNEVEN,
      [=](size_t i) { return i == n / 2 ? minus_zero : (uint32_t)draw(); });
  add("a large bucket sorted by itself", way, LARGE_FROM, I32_DOWN, VALUES, true, HEAVY, whole,
      SORTED, [](size_t i) {
        return i % 300 == 0 ? 0x12340000u | (uint32_t)draw() >> 16 : (uint32_t)draw();
      });

  way = &way_values;
  for (Kind kind : {VALUES, INDICES}) {
    const auto of_seven = [](size_t) { return (uint32_t)draw() % 7 * 0x24924924u; };
    add("values", way, n, I32_DOWN, kind, false, FEW_VALUES, whole, SORTED, of_seven);
    add("values and strays", way, n, U32, kind, false, FEW_VALUES, whole, SORTED,
        [=](size_t i) { return i % 99 == 98 ? (uint32_t)draw() : of_seven(i); });
    add("too many strays", way, n, U32, kind, false, FEW_VALUES, whole, UNEVEN, often(99, 2));
    add("values, a -0", way, n, F32, kind, false, FEW_VALUES, whole, UNEVEN,
        [=](size_t i) { return i == 5 ? minus_zero : 0; });
  }

  way = &way_sweeps;
  for (size_t pairs : {700000u, 1080001u, 1620001u, 2160001u})
    add("packed", way, pairs, U32, VALUES, false, UNEVEN, whole, SORTED, any_key);
  add("one digit", way, many, I32_DOWN, INDICES, false, UNEVEN, whole, SORTED,
      [](size_t) { return 0x12340078u | ((uint32_t)draw() & 0xff00u); });
  add("no digit", way, many, U32, VALUES, false, UNEVEN, whole, SORTED, [](size_t) { return 3u; });
  add("two digits", way, many, U32, VALUES, false, UNEVEN, whole, SORTED, below(16));
  add("floats", way, many, F32, VALUES, false, UNEVEN, whole, SORTED, [=](size_t i) {
    return i % 9 == 0 ? minus_zero : i % 9 == 1 ? 0 : (uint32_t)draw();
  });

  way = &way_frequent;
  add("frequent values", way, FREQUENT_FROM, I32_DOWN, VALUES, true, UNEVEN, whole, SORTED,
      [](size_t i) { return i % 5 < 2 ? (uint32_t)(i % 100) * 9999999u : (uint32_t)draw(); });
  return run_cases(cases);
}
