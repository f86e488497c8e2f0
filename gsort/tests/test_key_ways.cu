// The ways that sort bare keys, called by themselves: with fewer keys than plan.c gives them, and
// keys that make them end as they rarely do.
#include "gsort/tests/way_cases.cuh"

// Few in all, so that a sample overlooks them, but a region, or a block's bin, has too many.
static uint32_t one_of(size_t i, size_t each, uint32_t rare) {
  return i % each == 0 ? rare : draw();
}

static uint32_t skewed(size_t) { return draw() >> draw() % 32; }

int main() {
  enum { N = 100077, REGION_BITS = 9, TWO_STEPS = 9200000 };
  const uint32_t in_order = (uint32_t)((1ull << 32) / N);
  const Way *const regions = &way_regions, *const values = &way_values;
  // Keys of a range, but for one of each so many.
  const auto outliers = [](size_t each, uint32_t below, uint32_t above) {
    return [=](size_t i) {
      return i % each > 0 ? 0x40000000u + (draw() >> 2) : i / each % 2 == 0 ? below : above;
    };
  };
  return run_cases({
      {"even", regions, N, U32, BARE, SORTED, any_key},
      {"even, signed", regions, N, I32_DOWN, BARE, SORTED, any_key},
      {"even bits of floats", regions, N, F32, BARE, SORTED,
       [](size_t) {
         const uint32_t key = draw();
         return key == 1u << 31 ? 1 : key;
       }},
      {"in order", regions, N, U32, BARE, SORTED, [=](size_t i) { return (uint32_t)i * in_order; }},
      {"two steps", regions, TWO_STEPS, I32_DOWN, BARE, SORTED, any_key},
      {"two steps, -0", regions, TWO_STEPS, F32, BARE, UNEVEN, zero_at(TWO_STEPS / 2)},
      {"-0", regions, N, F32, BARE, UNEVEN, zero_at(N - 1)},
      {"the sample leaves sweeps", regions, N, U32, BARE, SORTED, skewed},
      {"the sample leaves sweeps, signed", regions, N, I32_DOWN, BARE, SORTED, skewed},
      {"equal keys, of which only the second sample knows", regions, N, U32, BARE, SORTED,
       [](size_t i) { return (uint32_t)(i / 30) * 2654435761u; }},
      {"one value", regions, N, U32, BARE, FEW_VALUES, [](size_t) { return 77u; }},
      {"16 values", regions, N, F32, BARE, FEW_VALUES,
       [](size_t) { return draw() % 16 * 0x10000001u; }},
      {"half of all numbers", regions, N, U32, BARE, SORTED, [](size_t) { return draw() >> 1; }},
      {"nearly all numbers", regions, N, I32_DOWN, BARE, SORTED,
       [](size_t) { return (uint32_t)((uint64_t)draw() * 251 / 256); }},
      {"a range of floats", regions, N, F32, BARE, SORTED,
       [](size_t) { return 0x3f800000u | draw() >> 9; }},
      {"a range in two steps", regions, TWO_STEPS, U32, BARE, SORTED,
       [](size_t) { return 0x7b000000u | draw() >> 6; }},
      {"some numbers of a small range", regions, N, I32_DOWN, BARE, SORTED,
       [](size_t) { return 3000 + draw() % (1u << 17); }},
      {"outliers", regions, N, U32, BARE, SORTED, outliers(9000, 77, 0xffffffffu)},
      {"outliers in two steps", regions, TWO_STEPS, I32_DOWN, BARE, SORTED,
       outliers(400000, 77, 0xf0000000u)},
      {"too many outliers, none of them sampled", regions, 10 * N, U32, BARE, UNEVEN,
       [](size_t i) { return i - 4560 < 65 ? 99 : 0x40000000u + (draw() >> 2); }},
      {"a range of floats, and -0", regions, N, F32, BARE, UNEVEN,
       [](size_t i) { return i == 12345 ? 1u << 31 : 0x3f800000u | draw() >> 9; }},
      {"a full region", regions, N, U32, BARE, UNEVEN,
       [](size_t i) { return one_of(i, 800, 250u << (32 - REGION_BITS) | draw() >> REGION_BITS); }},
      {"a warp sorts a bin", regions, N, U32, BARE, SORTED,
       [](size_t i) { return one_of(i, 2000, 0x12345000u + draw() % 4); }},
      {"a bucket by passes", regions, N, U32, BARE, SORTED,
       [](size_t i) { return one_of(i, 1200, 0x12345000u + draw() % 4); }},
      {"a heavy value", regions, N, U32, BARE, SORTED, often(77, 100)},

      {"63 values", values, N, U32, BARE, SORTED, [](size_t) { return draw() % 63 * 0x4100001u; },
       FEW_VALUES},
      {"one of them is the largest key", values, N, U32, BARE, SORTED,
       [](size_t) { return draw() % 2 == 0 ? ~0u : 5; }, FEW_VALUES},
      {"strays", values, N, U32, BARE, SORTED,
       [](size_t i) { return i % 100 == 0 ? draw() | 64 : (uint32_t)(i % 63); }, FEW_VALUES},
      {"too many strays", values, N, U32, BARE, UNEVEN,
       [](size_t i) { return i % 40 == 0 ? draw() | 64 : (uint32_t)(i % 63); }, FEW_VALUES},
      {"-0 among values", values, N, F32, BARE, UNEVEN, [](size_t) { return draw() % 2 << 31; },
       FEW_VALUES},
  });
}
