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
  const KeyRange shared_8 = {8, 0x7b000000u, 1, true, false, 1};
  const Way *const regions = &way_regions, *const buckets = &way_buckets,
                   *const values = &way_values;
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
      {"half of all numbers", regions, N, U32, BARE, IN_RANGE, [](size_t) { return draw() >> 1; },
       UNKNOWN, WHOLE_RANGE, false, 1},
      {"a full region", regions, N, U32, BARE, IN_RANGE,
       [](size_t i) { return one_of(i, 800, 250u << (32 - REGION_BITS) | draw() >> REGION_BITS); }},
      {"a heavy value", regions, N, U32, BARE, SORTED, often(77, 100)},

      {"counted", buckets, N, U32, BARE, SORTED, any_key, IN_RANGE, A_LITTLE_UNEVEN},
      {"counted, signed", buckets, N, I32_DOWN, BARE, SORTED, any_key, IN_RANGE, A_LITTLE_UNEVEN},
      {"counted, -0", buckets, N, F32, BARE, UNEVEN, zero_at(N / 3), IN_RANGE, A_LITTLE_UNEVEN},
      {"8 bits shared", buckets, N, U32, BARE, SORTED,
       [](size_t) { return 0x7b000000u | draw() >> 8; }, IN_RANGE, shared_8},
      {"8 bits shared, but for one key", buckets, N, U32, BARE, IN_RANGE,
       [](size_t i) { return i == N / 2 ? 0x79000001u : 0x7b000000u | draw() >> 8; }, IN_RANGE,
       shared_8, false, 6},
      {"a bucket too large", buckets, N, U32, BARE, UNEVEN, often(77, 30), IN_RANGE,
       A_LITTLE_UNEVEN},
      {"a warp sorts a bin", buckets, N, U32, BARE, SORTED,
       [](size_t i) { return one_of(i, 2000, 0x12345000u + draw() % 4); }, IN_RANGE,
       A_LITTLE_UNEVEN},
      {"a bucket by passes", buckets, N, U32, BARE, SORTED,
       [](size_t i) { return one_of(i, 500, 0x12345000u + draw() % 4); }, IN_RANGE,
       A_LITTLE_UNEVEN},

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
