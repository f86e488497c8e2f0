// The verdict against outputs that are wrong on purpose, one for each way to be wrong.
#include "tests/unit.h"

#include "common/scratch.h"
#include "harness/verdict/verdict.h"
#include "tests/harness/verdict_version.h"
#include "tests/reference_sort.h"

enum { N = 20011 };

static const SortVersion stable = verdict_version(true), unstable = verdict_version(false);

// Input and (still right) output on the host; a test damages them and asks for the verdict.
static uint32_t input[N], keys[N], positions[N];
static bool library_is_wrong;  // if so, its output for the input is `keys` too

static int sort_input(void **state) {
  (void)state;
  uint32_t word = 1;
  for (int i = 0; i < N; i++) {
    word = word * 1664525u + 1013904223u;
    input[i] = word >> 20;  // 4,096 different keys: every key occurs about five times
  }
  memcpy(keys, input, sizeof keys);
  reference_sort(keys, positions, N);
  library_is_wrong = false;
  return 0;
}

static Verdict judge(const SortVersion *version, bool pairs, size_t n) {
  uint32_t *const d_input = to_device(input, n), *const d_keys = to_device(keys, n);
  uint32_t *const d_positions = to_device(positions, n);
  const Verdict verdict = verdict_judge(version, d_input, d_keys, pairs ? d_positions : NULL, n);
  assert_int_equal(verdict_quick(version, d_input, d_keys, pairs ? d_positions : NULL, n),
                   verdict_passes(&verdict));
  CUDA_CHECK(cudaFree(d_input));
  CUDA_CHECK(cudaFree(d_keys));
  CUDA_CHECK(cudaFree(d_positions));
  assert_int_equal(scratch_outstanding(), 0);
  return verdict;
}

// The states of the four parts: H holds, F fails, - not judged.
static void assert_states(const Verdict *verdict, const char *states) {
  char actual[VERDICT_PARTS + 1] = "";
  for (int part = 0; part < VERDICT_PARTS; part++) actual[part] = "HF-"[verdict->part[part].state];
  assert_string_equal(actual, states);
  assert_int_equal(verdict_passes(verdict), strchr(states, 'F') == NULL);
}

TEST_WITH(test_right, sort_input, NULL) {
  Verdict verdict = judge(&stable, true, N);
  assert_states(&verdict, "HHHH");
  verdict = judge(&unstable, true, N);
  assert_states(&verdict, "HHH-");
  verdict = judge(&stable, false, N);
  assert_states(&verdict, "HH--");
  char text[64];
  verdict_describe(&verdict, text, sizeof text);
  assert_string_equal(text, "PASS");
}

TEST_WITH(test_tiny, sort_input, NULL) {
  for (size_t n = 0; n <= 1; n++) {
    keys[0] = input[0];
    positions[0] = 0;
    Verdict verdict = judge(&stable, true, n);
    assert_states(&verdict, "HHHH");
    verdict = judge(&stable, false, n);
    assert_states(&verdict, "HH--");
  }
}

TEST_WITH(test_order, sort_input, NULL) {
  const uint32_t low = keys[100];
  int j = 101;
  while (keys[j] == low) j++;
  keys[100] = keys[j];
  keys[j] = low;
  const uint32_t position = positions[100];
  positions[100] = positions[j];
  positions[j] = position;
  const Verdict verdict = judge(&unstable, true, N);
  assert_states(&verdict, "FHH-");
  const VerdictFinding *const order = &verdict.part[VERDICT_ORDER];
  assert_int_equal(order->first_bad, 101);  // the first that is smaller than the one before it
  assert_int_equal(order->expected, keys[100]);
  assert_int_equal(order->actual, low);
  const Verdict bare = judge(&unstable, false, N);
  assert_states(&bare, "F---");  // the multiset of bare keys is judged once the order holds
}

// A key overwritten by its neighbour: in order, but one lost and one invented.
TEST_WITH(test_lost_key, sort_input, NULL) {
  int i = 5000;
  while (keys[i] == keys[i + 1]) i++;
  const uint32_t lost = keys[i];
  keys[i] = keys[i + 1];
  const Verdict verdict = judge(&stable, false, N);
  assert_states(&verdict, "HF--");
  const VerdictFinding *const multiset = &verdict.part[VERDICT_MULTISET];
  assert_int_equal(multiset->bad_count, 1);
  assert_int_equal(multiset->first_bad, i);
  assert_int_equal(multiset->expected, lost);
  assert_int_equal(multiset->actual, keys[i + 1]);
  const Verdict pairs = judge(&unstable, true, N);
  assert_states(&pairs, "HHF-");  // every position is there, but one has another's key
  assert_int_equal(pairs.part[VERDICT_PAIRING].first_bad, i);
  assert_int_equal(pairs.part[VERDICT_PAIRING].actual, keys[i]);
  assert_int_equal(pairs.part[VERDICT_PAIRING].expected, input[positions[i]]);
}

TEST_WITH(test_invented_key, sort_input, NULL) {
  keys[N - 1] = 0xffffffffu;  // not in the input at all
  const Verdict verdict = judge(&stable, false, N);
  assert_states(&verdict, "HF--");
  char text[200];
  verdict_describe(&verdict, text, sizeof text);
  assert_non_null(strstr(text, "FAIL: multiset: the key at index 20010 is 4294967295 instead of "));
}

// The verdict's sorted keys must not stay in scratch memory, where the next version could find
// them.
TEST_WITH(test_answer_wiped, sort_input, NULL) {
  const Verdict verdict = judge(&stable, false, N);
  assert_states(&verdict, "HH--");
  static uint32_t found[N];
  void *const d_scratch = scratch_alloc(sizeof found);
  CUDA_CHECK(cudaMemcpy(found, d_scratch, sizeof found, cudaMemcpyDeviceToHost));
  scratch_free(d_scratch);
  assert_int_not_equal(found[N / 2], keys[N / 2]);
}

// The linker redirects the verdict's call of library_sort to this function (--wrap).
extern "C" void __real_library_sort(const unsigned int *d_from, unsigned int *d_to, size_t n);
extern "C" void __wrap_library_sort(const unsigned int *d_from, unsigned int *d_to, size_t n) {
  __real_library_sort(d_from, d_to, n);
  if (library_is_wrong)
    CUDA_CHECK(cudaMemcpy(d_to, keys, n * sizeof *keys, cudaMemcpyHostToDevice));
}

// A library that loses the same key as the sort: only the hash sums differ.
TEST_WITH(test_wrong_library, sort_input, NULL) {
  keys[N - 1] = keys[N - 2] = keys[0];
  reference_sort(keys, positions, N);
  library_is_wrong = true;
  const Verdict verdict = judge(&stable, false, N);
  assert_states(&verdict, "HF--");
  assert_int_equal(verdict.part[VERDICT_MULTISET].bad_count, 0);
  char text[200];
  verdict_describe(&verdict, text, sizeof text);
  assert_non_null(strstr(text, "FAIL: multiset: keys were lost or invented"));
}

TEST_WITH(test_position_out_of_range, sort_input, NULL) {
  const uint32_t lost = positions[3];
  positions[3] = N;
  const Verdict verdict = judge(&unstable, true, N);
  assert_states(&verdict, "HFH-");
  assert_int_equal(verdict.part[VERDICT_MULTISET].first_bad, lost);
}

TEST_WITH(test_stability, sort_input, NULL) {
  int i = 9000;
  while (keys[i] != keys[i + 1]) i++;
  const uint32_t position = positions[i];
  positions[i] = positions[i + 1];
  positions[i + 1] = position;
  const Verdict verdict = judge(&stable, true, N);
  assert_states(&verdict, "HHHF");
  assert_true(verdict.part[VERDICT_STABILITY].expected > verdict.part[VERDICT_STABILITY].actual);
  const Verdict not_claimed = judge(&unstable, true, N);
  assert_states(&not_claimed, "HHH-");
}

// A sort that zeroes inputs and outputs alike fools a checker that trusts the input's array.
TEST_WITH(test_all_zero, sort_input, NULL) {
  memset(keys, 0, sizeof keys);
  Verdict verdict = judge(&stable, false, N);
  assert_states(&verdict, "HF--");
  memset(positions, 0, sizeof positions);
  verdict = judge(&unstable, true, N);
  assert_states(&verdict, "HFF-");
  assert_int_equal(verdict.part[VERDICT_MULTISET].bad_count, N - 1);
}

// The input handed back unsorted, and an output that was never written.
TEST_WITH(test_untouched, sort_input, NULL) {
  memcpy(keys, input, sizeof keys);
  for (uint32_t i = 0; i < N; i++) positions[i] = i;
  Verdict verdict = judge(&stable, true, N);
  assert_states(&verdict, "FHHH");
  memset(keys, 0xa5, sizeof keys);
  memset(positions, 0xa5, sizeof positions);
  verdict = judge(&stable, true, N);
  assert_int_equal(verdict.part[VERDICT_MULTISET].bad_count, N);
}

RUN_TESTS("verdict", NULL, NULL)
