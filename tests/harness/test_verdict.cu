// The verdict against outputs that are wrong on purpose, one for each way to be wrong: it finds one
// wrong element among many. A million elements, or the environment variable VERDICT_N
// (scripts/gpu_check.sh: 10^8).
#include "tests/unit.h"

#include "common/pairs.cuh"
#include "common/scratch.h"
#include "harness/input/input.h"
#include "harness/verdict/verdict.h"

enum { EQUALS = 4 };  // occurrences of every key

static SortVersion stable, unstable;  // the verdict reads nothing else of them

static size_t n;  // a multiple of EQUALS
static unsigned int *d_snapshot, *d_keys, *d_positions;
static bool library_is_wrong;  // if so, its output for the input is d_keys too

// A correct result: run r of equal keys has the positions o (n / EQUALS) + p(r), o = 0 .. EQUALS -
// 1, where p is a permutation of the runs, so that neighbours are far apart in the input, and the
// key 0 is not the input's first one.
static __global__ void write_result(unsigned int *snapshot, unsigned int *keys,
                                    unsigned int *positions, size_t n) {
  const size_t i = global_index(), runs = n / EQUALS;
  if (i >= n) return;
  // A prime that divides no runs.
  const size_t run = i / EQUALS, scattered = (run * 1000003 + 1) % runs;
  const size_t position = i % EQUALS * runs + scattered;
  const unsigned int key = (unsigned int)((run << 32) / runs);
  keys[i] = key;
  positions[i] = (unsigned int)position;
  snapshot[position] = key;
}

static int allocate(void **) {
  stable.stable = true;
  const char *const wanted = getenv("VERDICT_N");
  n = wanted != NULL ? (size_t)strtoull(wanted, NULL, 10) : 1000000;
  n -= n % EQUALS;
  unsigned int **const arrays[] = {&d_snapshot, &d_keys, &d_positions};
  for (unsigned int **array : arrays) CUDA_CHECK(cudaMalloc(array, n * sizeof **array));
  return 0;
}

static int release(void **) {
  free_device(d_snapshot, d_keys, d_positions);
  scratch_trim();
  return 0;
}

static int write_right(void **) {
  write_result<<<blocks_for(n, 256), 256>>>(d_snapshot, d_keys, d_positions, n);
  LAUNCH_CHECK();
  library_is_wrong = false;
  return 0;
}

static unsigned int get(const unsigned int *d_array, size_t i) {
  unsigned int value = 0;
  CUDA_CHECK(cudaMemcpy(&value, d_array + i, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

static void put(unsigned int *d_array, size_t i, unsigned int value) {
  CUDA_CHECK(cudaMemcpy(d_array + i, &value, sizeof value, cudaMemcpyHostToDevice));
}

static void exchange(unsigned int *d_array, size_t i, size_t j) {
  const unsigned int value = get(d_array, i);
  put(d_array, i, get(d_array, j));
  put(d_array, j, value);
}

// The last element of the run of equals around i.
static size_t end_of_run(size_t i) { return i - i % EQUALS + EQUALS - 1; }

// Judges the first `count` elements. Expects the states of the four parts: H holds, F fails, - not
// judged.
static Verdict judge_some(const SortVersion &version, size_t count, bool pairs,
                          const char *states) {
  unsigned int *const d_pairs = pairs ? d_positions : NULL;
  const Verdict verdict = verdict_judge(&version, d_snapshot, d_keys, d_pairs, count);
  char actual[VERDICT_PARTS + 1] = "";
  for (int part = 0; part < VERDICT_PARTS; part++) actual[part] = "HF-"[verdict.part[part].state];
  assert_string_equal(actual, states);
  assert_int_equal(verdict_passes(&verdict), strchr(states, 'F') == NULL);
  assert_int_equal(verdict_quick(&version, d_snapshot, d_keys, d_pairs, count),
                   verdict_passes(&verdict));
  assert_int_equal(scratch_outstanding(), 0);
  return verdict;
}

static Verdict judge(const SortVersion &version, bool pairs, const char *states) {
  return judge_some(version, n, pairs, states);
}

static void expect_text(const Verdict &verdict, const char *beginning) {
  char text[200];
  verdict_describe(&verdict, text, sizeof text);
  if (strncmp(text, beginning, strlen(beginning)) != 0)
    fail_msg("'%s' instead of '%s'", text, beginning);
}

static void expect_finding(const VerdictFinding &found, uint64_t bad_count, size_t first_bad,
                           unsigned int expected, unsigned int actual) {
  assert_int_equal(found.bad_count, bad_count);
  assert_int_equal(found.first_bad, first_bad);
  assert_int_equal(found.expected, expected);
  assert_int_equal(found.actual, actual);
}

TEST_WITH(test_right, write_right, NULL) {
  // Twice: the second time its scratch memory is there.
  for (int time = 0; time < 2; time++) {
    judge(stable, true, "HHHH");
    expect_text(judge(stable, false, "HH--"), "PASS");
  }
  judge(unstable, true, "HHH-");
}

TEST_WITH(test_tiny, write_right, NULL) {
  put(d_keys, 0, get(d_snapshot, 0));
  put(d_positions, 0, 0);
  for (size_t count = 0; count <= 1; count++) {
    judge_some(stable, count, true, "HHHH");
    judge_some(stable, count, false, "HH--");
  }
}

// One element stands behind its successor.
TEST_WITH(test_order, write_right, NULL) {
  const size_t end = end_of_run(n / 7);
  exchange(d_keys, end, end + 1);
  exchange(d_positions, end, end + 1);
  const Verdict verdict = judge(unstable, true, "FHH-");
  // The first that is smaller than the one before it.
  expect_finding(verdict.part[VERDICT_ORDER], 1, end + 1, get(d_keys, end), get(d_keys, end + 1));
  judge(unstable, false, "F---");  // the multiset of bare keys is judged once the order holds
}

// One key lost: overwritten by its successor, so that the order holds.
TEST_WITH(test_lost_key, write_right, NULL) {
  const size_t end = end_of_run(n / 3);
  const unsigned int lost = get(d_keys, end), successor = get(d_keys, end + 1);
  put(d_keys, end, successor);
  const Verdict verdict = judge(stable, false, "HF--");
  expect_finding(verdict.part[VERDICT_MULTISET], 1, end, lost, successor);
  // Every position is there, but one has another's key.
  const Verdict pairs = judge(unstable, true, "HHF-");
  expect_finding(pairs.part[VERDICT_PAIRING], 1, end, lost, successor);
}

TEST_WITH(test_invented_key, write_right, NULL) {
  put(d_keys, n - 1, 0xffffffffu);  // not in the input at all
  expect_text(judge(stable, false, "HF--"),
              text_of("FAIL: multiset: the key at index %zu is 4294967295 instead of ", n - 1));
}

// The linker redirects the verdict's call of library_sort to this function (--wrap).
extern "C" void __real_library_sort(const unsigned int *d_from, unsigned int *d_to, size_t n);
extern "C" void __wrap_library_sort(const unsigned int *d_from, unsigned int *d_to, size_t n) {
  __real_library_sort(d_from, d_to, n);
  if (library_is_wrong)
    CUDA_CHECK(cudaMemcpy(d_to, d_keys, n * sizeof *d_to, cudaMemcpyDeviceToDevice));
}

// A library that loses the same key as the sort: only the hash sums differ.
TEST_WITH(test_wrong_library, write_right, NULL) {
  const size_t end = end_of_run(n / 3);
  put(d_keys, end, get(d_keys, end + 1));
  library_is_wrong = true;
  const Verdict verdict = judge(stable, false, "HF--");
  assert_int_equal(verdict.part[VERDICT_MULTISET].bad_count, 0);
  expect_text(verdict, "FAIL: multiset: keys were lost or invented");
}

// One position lost: another one with the same key takes its place, so that the pairing holds.
TEST_WITH(test_lost_position, write_right, NULL) {
  const size_t i = end_of_run(n / 5);
  const unsigned int lost = get(d_positions, i);
  put(d_positions, i, get(d_positions, i - 1));
  const Verdict verdict = judge(stable, true, "HFHH");
  assert_int_equal(verdict.part[VERDICT_MULTISET].bad_count, 1);
  assert_int_equal(verdict.part[VERDICT_MULTISET].first_bad, lost);
}

TEST_WITH(test_position_out_of_range, write_right, NULL) {
  const unsigned int lost = get(d_positions, 3);
  put(d_positions, 3, (unsigned int)n);
  const Verdict verdict = judge(unstable, true, "HFH-");
  assert_int_equal(verdict.part[VERDICT_MULTISET].first_bad, lost);
}

// One key with another's position: keys are in order, positions all there.
TEST_WITH(test_pairing, write_right, NULL) {
  const size_t end = end_of_run(n / 2), i = end + 1 - EQUALS;
  exchange(d_positions, i, i + EQUALS);
  const Verdict verdict = judge(unstable, true, "HHF-");
  assert_int_equal(verdict.part[VERDICT_PAIRING].bad_count, 2);
  assert_int_equal(verdict.part[VERDICT_PAIRING].first_bad, i);
}

// Two equal keys have changed places.
TEST_WITH(test_stability, write_right, NULL) {
  const size_t i = n - EQUALS;
  exchange(d_positions, i, i + 1);
  const VerdictFinding found = judge(stable, true, "HHHF").part[VERDICT_STABILITY];
  assert_int_equal(found.bad_count, 1);
  assert_int_equal(found.first_bad, i + 1);
  assert_true(found.expected > found.actual);
  judge(unstable, true, "HHH-");  // not claimed
}

// A sort that zeroes inputs and outputs alike fools a checker that trusts the input's array.
TEST_WITH(test_all_zero, write_right, NULL) {
  CUDA_CHECK(cudaMemset(d_keys, 0, n * sizeof *d_keys));
  CUDA_CHECK(cudaMemset(d_positions, 0, n * sizeof *d_positions));
  judge(stable, false, "HF--");
  const Verdict verdict = judge(unstable, true, "HFF-");
  assert_int_equal(verdict.part[VERDICT_MULTISET].bad_count, n - 1);
}

// The input handed back unsorted, and an output that was never written.
TEST_WITH(test_untouched, write_right, NULL) {
  CUDA_CHECK(cudaMemcpy(d_keys, d_snapshot, n * sizeof *d_keys, cudaMemcpyDeviceToDevice));
  input_positions(d_positions, n);
  judge(stable, true, "FHHH");
  CUDA_CHECK(cudaMemset(d_keys, 0xa5, n * sizeof *d_keys));
  CUDA_CHECK(cudaMemset(d_positions, 0xa5, n * sizeof *d_positions));
  const Verdict verdict = judge(unstable, true, "HFH-");
  assert_int_equal(verdict.part[VERDICT_MULTISET].bad_count, n);
}

RUN_TESTS("verdict", allocate, release)
