// The verdict on keys of each type, beside std::stable_sort: right outputs, and one for each way to
// be wrong.
#include "tests/unit.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "common/scratch.h"
#include "harness/input/input.h"
#include "harness/verdict/verdict.h"

static const size_t N = 5003;

template <class Key, class Position>
struct Case {
  SortVersion version;
  std::vector<Key> input, keys;
  std::vector<Position> positions;

  // A letter for each part: H holds, F fails, - not judged. Bare keys are cut into slices, too.
  void expect(bool pairs, const char *states) const {
    Key *const d_input = to_device(input.data(), N), *const d_keys = to_device(keys.data(), N);
    Position *const d_positions = pairs ? to_device(positions.data(), N) : NULL;
    const Verdict verdict = verdict_judge(&version, d_input, d_keys, d_positions, N);
    char actual[VERDICT_PARTS + 1] = "";
    for (int i = 0; i < VERDICT_PARTS; i++) actual[i] = "HF-"[verdict.part[i].state];
    assert_string_equal(actual, states);
    assert_int_equal(verdict_quick(&version, d_input, d_keys, d_positions, N),
                     verdict_passes(&verdict));
    if (!pairs && states[0] == 'H')
      for (size_t slice : {(size_t)70, (size_t)600, N})
        assert_int_equal(
            verdict_multiset_of_keys(version.key, d_input, d_keys, N, slice).state == VERDICT_HOLDS,
            states[1] == 'H');
    free_device(d_input, d_keys, d_positions);
    assert_int_equal(scratch_outstanding(), 0);
  }
};

// Keys of that kind, sorted by std::stable_sort.
template <class Key, class Position>
static Case<Key, Position> sorted_case(KeyType type, int kind) {
  Case<Key, Position> c = {{}, std::vector<Key>(N), std::vector<Key>(N), std::vector<Position>(N)};
  c.version.stable = true;
  c.version.key = type;
  c.version.values64 = sizeof(Position) == 8;
  Key *const d_keys = to_device(c.input.data(), N);
  input_typed(type, kind, 9, d_keys, N);
  to_host(c.input.data(), d_keys, N);
  free_device(d_keys);
  if (std::is_floating_point<Key>::value) c.input[3] = -c.input[4];  // both signs
  std::iota(c.positions.begin(), c.positions.end(), 0);
  std::stable_sort(c.positions.begin(), c.positions.end(),
                   [&](Position a, Position b) { return c.input[a] < c.input[b]; });
  for (size_t i = 0; i < N; i++) c.keys[i] = c.input[c.positions[i]];
  return c;
}

template <class Key, class Position>
static void check(KeyType type) {
  for (const char *name : {"uniform", "sorted", "reverse", "few-distinct", "all-equal", "zipf"}) {
    const auto right = sorted_case<Key, Position>(type, input_find(name));
    right.expect(true, "HHHH");
    right.expect(false, "HH--");
  }
  const auto right = sorted_case<Key, Position>(type, input_find("few-distinct"));
  size_t i = N / 2, j = N / 2;
  while (right.keys[i] == right.keys[i + 1]) i++;
  while (right.keys[j] != right.keys[j + 1]) j++;
  auto wrong = right;
  std::swap(wrong.keys[i], wrong.keys[i + 1]);
  std::swap(wrong.positions[i], wrong.positions[i + 1]);
  wrong.expect(true, "FHHH");
  wrong.expect(false, "F---");
  wrong = right;
  wrong.keys[i] = wrong.keys[i + 1];  // one key lost, one invented, before those that it equals
  wrong.expect(true, "HHFF");
  wrong.expect(false, "HF--");
  wrong = right;
  std::swap(wrong.positions[j], wrong.positions[j + 1]);
  wrong.expect(true, "HHHF");
  wrong = right;
  wrong.positions[j] = wrong.positions[j + 1];
  wrong.expect(true, "HFHH");
  wrong = right;
  wrong.positions[N - 1] += (Position)((uint64_t)1 << (8 * sizeof(Position) - 1));  // its top bit
  wrong.expect(true, "HFHH");
}

TEST(test_u32) { check<uint32_t, uint32_t>(KEY_U32); }
TEST(test_i32) { check<int32_t, uint32_t>(KEY_I32); }
TEST(test_f32) { check<float, uint32_t>(KEY_F32); }
TEST(test_u64) { check<uint64_t, uint32_t>(KEY_U64); }
TEST(test_i64) { check<int64_t, uint64_t>(KEY_I64); }
TEST(test_f64) { check<double, uint64_t>(KEY_F64); }

// Equal in order, but not in bits: the hashes of bare keys tell them apart.
TEST(test_zeros) {
  auto c = sorted_case<double, uint32_t>(KEY_F64, input_find("sorted"));
  std::iota(c.positions.begin(), c.positions.end(), 0);
  for (size_t i = 0; i < N; i++) c.input[i] = c.keys[i] = i % 2 == 0 ? 0.0 : -0.0;
  c.expect(true, "HHHH");
  c.expect(false, "HH--");
  c.keys[0] = -0.0;
  c.expect(true, "HHFH");
  c.expect(false, "HF--");
}

RUN_TESTS("verdict_typed", NULL, NULL)
