// The ways that sort many pairs, called by themselves: with fewer pairs than plan.c gives them, and
// keys that make them end as they rarely do.
#include "gsort/tests/way_cases.cuh"

static uint32_t any_float(size_t) {
  const float x = (float)((double)(int32_t)draw() / 65536.0);
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits == 0x80000000u ? 0 : bits;
}

int main(void) {
  const KeyRange shared_8 = {8, 0x12000000u, 1, true, false, 1};
  const size_t n = 300001, many = 1200001;
  const Way *const regions = &way_pair_regions, *const prefix = &way_prefix,
                   *const sweeps = &way_sweeps;
  const std::vector<Case> cases = {
      {"regions", regions, n, U32, VALUES, false, false, UNKNOWN, WHOLE_RANGE, SORTED, any_key},
      {"regions, odd", regions, n, U32, INDICES, false, true, UNKNOWN, WHOLE_RANGE, SORTED,
       any_key},
      {"regions, larger", regions, many, I32_DOWN, VALUES, false, true, UNKNOWN, WHOLE_RANGE,
       SORTED, any_key},
      {"regions, one value of three", regions, n, U32, VALUES, false, false, UNKNOWN, WHOLE_RANGE,
       UNEVEN, [](size_t i) { return i % 3 == 0 ? 7u : (uint32_t)draw(); }},
      {"regions, few values", regions, n, U32, VALUES, false, false, UNKNOWN, WHOLE_RANGE,
       FEW_VALUES, [](size_t) { return (uint32_t)draw() % 5 * 77777777u; }},
      {"regions, low keys", regions, n, U32, VALUES, false, false, UNKNOWN, WHOLE_RANGE, IN_RANGE,
       [](size_t) { return (uint32_t)draw() >> 4; }},
      {"regions, a full bucket", regions, many, U32, VALUES, false, false, UNKNOWN, WHOLE_RANGE,
       IN_RANGE, [](size_t i) { return i % 480 == 0 ? 5u << 20 : (uint32_t)draw(); }},
      {"regions, a -0", regions, n, F32, VALUES, false, false, UNKNOWN, WHOLE_RANGE, UNEVEN,
       [n](size_t i) { return i == n / 2 ? 1u << 31 : (uint32_t)draw(); }},
      {"prefix", prefix, n, U32, VALUES, false, true, HEAVY, WHOLE_RANGE, SORTED, any_key},
      {"prefix, larger", prefix, many, I32_DOWN, INDICES, false, false, HEAVY, WHOLE_RANGE, SORTED,
       any_key},
      {"prefix, a range", prefix, n, U32, VALUES, false, false, IN_RANGE, shared_8, SORTED,
       [](size_t) { return 0x12000000u | (uint32_t)draw() >> 8; }},
      {"prefix, beyond the range", prefix, n, U32, VALUES, false, false, IN_RANGE, shared_8,
       IN_RANGE,
       [n](size_t i) { return (i == n - 7 ? 0x13000000u : 0x12000000u) | (uint32_t)draw() >> 8; }},
      {"prefix, a large bucket", prefix, n, U32, VALUES, false, false, HEAVY, WHOLE_RANGE, UNEVEN,
       [](size_t i) { return i % 5 == 0 ? 99u : (uint32_t)draw(); }},
      {"prefix, a -0", prefix, n, F32, VALUES, false, false, IN_RANGE, A_LITTLE_UNEVEN, UNEVEN,
       [n](size_t i) { return i == n / 2 ? 1u << 31 : (uint32_t)draw(); }},
      {"packed sweeps", sweeps, many, U32, VALUES, false, true, UNEVEN, WHOLE_RANGE, SORTED,
       any_key},
      {"packed sweeps, one digit", sweeps, many, I32_DOWN, INDICES, false, false, UNEVEN,
       WHOLE_RANGE, SORTED, [](size_t) { return 0x12340078u | ((uint32_t)draw() & 0xff00u); }},
      {"packed sweeps, one value", sweeps, many, U32, VALUES, false, false, UNEVEN, WHOLE_RANGE,
       SORTED, [](size_t) { return 3u; }},
      {"packed sweeps, two digits", sweeps, many, U32, VALUES, false, true, UNEVEN, WHOLE_RANGE,
       SORTED, [](size_t) { return (uint32_t)draw() >> 16; }},
      {"sweeps of floats", sweeps, many, F32, VALUES, false, false, UNEVEN, WHOLE_RANGE, SORTED,
       any_float},
  };
  return run_cases(cases);
}
