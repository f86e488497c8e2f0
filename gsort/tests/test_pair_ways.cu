// Regions, values and sweeps of many pairs: shapes, keys that end a way as random
// ones rarely do, and the input as spare memory.
#include "gsort/tests/way_cases.cuh"

static KeyOf below(uint32_t bits, uint32_t above = 0) {
  return [=](size_t) { return above | draw() >> (32 - bits); };
}

static uint32_t five_values(size_t) { return draw() % 5 * 77777777u; }

static uint32_t seven_values(size_t) { return draw() % 7 * 0x24924924u; }

int main(void) {
  const size_t n = 300001, many = 1200001;
  std::vector<Case> cases;
  const auto add = [&](std::vector<Case> more) {
    cases.insert(cases.end(), more.begin(), more.end());
  };

  for (size_t pairs : {20000u, 300001u, 1200001u})
    add({{"regions", &way_pair_regions, pairs, U32, VALUES, SORTED, any_key},
         {"regions of a range", &way_pair_regions, pairs, I32_DOWN, pairs == n ? INDICES : VALUES,
          SORTED, below(25, 0x12000000u)},
         {"regions of indices", &way_pair_regions, pairs, I32_DOWN, INDICES, SORTED, any_key}});

  const Way *way = &way_pair_regions;
  add({{"a third in one value", way, n, U32, VALUES, UNEVEN, often(8, 3)},
       {"five values", way, n, U32, VALUES, FEW_VALUES, five_values},
       {"low keys", way, n, U32, VALUES, SORTED, below(28)},
       {"a range of floats", way, n, F32, INDICES, SORTED, below(23, 0x3f800000u)},
       {"beyond the range", way, n, U32, VALUES, UNEVEN,
        [=](size_t i) { return i == n - 7 ? ~0u : 0x12000000u | draw() >> 8; }},
       {"a full bucket", way, many, U32, VALUES, UNEVEN, often(5u << 20, 480)},
       {"regions, a -0", way, n, F32, VALUES, UNEVEN, zero_at(n / 2)}});

  way = &way_values;
  for (Kind kind : {VALUES, INDICES})
    add({{"values", way, n, I32_DOWN, kind, SORTED, seven_values, FEW_VALUES},
         {"values and strays", way, n, U32, kind, SORTED,
          [](size_t i) { return i % 99 == 98 ? draw() : seven_values(i); }, FEW_VALUES},
         {"too many strays", way, n, U32, kind, UNEVEN, often(99, 2), FEW_VALUES},
         {"values, a -0", way, n, F32, kind, UNEVEN,
          [=](size_t i) { return i == 5 ? 1u << 31 : 0; }, FEW_VALUES}});

  way = &way_sweeps;
  for (size_t pairs : {700000u, 1080001u, 1620001u, 2160001u})
    add({{"packed", way, pairs, U32, VALUES, SORTED, any_key, UNEVEN}});
  add({{"one digit", way, many, I32_DOWN, INDICES, SORTED,
        [](size_t) { return 0x12340078u | (draw() & 0xff00u); }, UNEVEN},
       {"no digit", way, many, U32, VALUES, SORTED, [](size_t) { return 3u; }, UNEVEN},
       {"two digits", way, many, U32, VALUES, SORTED, below(16), UNEVEN},
       {"floats", way, many, F32, VALUES, SORTED,
        [](size_t i) { return i % 9 == 0   ? 1u << 31
                              : i % 9 == 1 ? 0
                                           : draw(); }, UNEVEN}});
  for (Kind kind : {VALUES, INDICES, BARE})
    add({{"in place", way, many, F32, kind, SORTED, any_key, IN_PLACE, WHOLE_RANGE, true}});
  return run_cases(cases);
}
