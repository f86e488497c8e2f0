// The verdict finds one wrong element among many, in each of the four ways. A million elements, or
// the environment variable VERDICT_N (scripts/gpu_check.sh: 10^8). Prints how long a verdict takes.
#include "tests/unit.h"

#include "common/pairs.cuh"
#include "common/scratch.h"
#include "harness/verdict/verdict.h"
#include "tests/harness/verdict_version.h"

enum { EQUALS = 4 };  // occurrences of every key

static const SortVersion stable = verdict_version(true);

static size_t n;  // a multiple of EQUALS
static unsigned int *d_snapshot, *d_keys, *d_positions;

// A correct result: run r of equal keys has the positions o (n / EQUALS) + p(r), o = 0 .. EQUALS -
// 1, where p is a permutation of the runs, so that neighbours are far apart in the input.
static __global__ void write_result(unsigned int *snapshot, unsigned int *keys,
                                    unsigned int *positions, size_t n) {
  const size_t i = global_index(), runs = n / EQUALS;
  if (i >= n) return;
  const size_t run = i / EQUALS, scattered = run * 1000003 % runs;  // a prime that divides no runs
  const size_t position = i % EQUALS * runs + scattered;
  const unsigned int key = (unsigned int)((run << 32) / runs);
  keys[i] = key;
  positions[i] = (unsigned int)position;
  snapshot[position] = key;
}

static int allocate(void **) {
  const char *const wanted = getenv("VERDICT_N");
  n = wanted != NULL ? (size_t)strtoull(wanted, NULL, 10) : 1000000;
  n -= n % EQUALS;
  unsigned int **const arrays[] = {&d_snapshot, &d_keys, &d_positions};
  for (unsigned int **array : arrays) CUDA_CHECK(cudaMalloc(array, n * sizeof **array));
  return 0;
}

static int release(void **) {
  CUDA_CHECK(cudaFree(d_snapshot));
  CUDA_CHECK(cudaFree(d_keys));
  CUDA_CHECK(cudaFree(d_positions));
  scratch_trim();
  return 0;
}

static int write_right(void **) {
  write_result<<<blocks_for(n, 256), 256>>>(d_snapshot, d_keys, d_positions, n);
  LAUNCH_CHECK();
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

// Judges, and prints how long that took.
static Verdict judge(bool pairs) {
  cudaEvent_t start, stop;
  float milliseconds = 0.0f;
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&stop));
  CUDA_CHECK(cudaEventRecord(start, 0));
  const Verdict verdict = verdict_judge(&stable, d_snapshot, d_keys, pairs ? d_positions : NULL, n);
  assert_int_equal(verdict_quick(&stable, d_snapshot, d_keys, pairs ? d_positions : NULL, n),
                   verdict_passes(&verdict));
  CUDA_CHECK(cudaEventRecord(stop, 0));
  CUDA_CHECK(cudaEventSynchronize(stop));
  CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  CUDA_CHECK(cudaEventDestroy(start));
  CUDA_CHECK(cudaEventDestroy(stop));
  print_message("# %zu %s judged in %.1f ms\n", n, pairs ? "pairs" : "keys", (double)milliseconds);
  return verdict;
}

static void expect_only(const Verdict *verdict, VerdictPart wrong, uint64_t bad_count) {
  for (int part = 0; part < VERDICT_PARTS; part++)
    assert_int_equal(verdict->part[part].state == VERDICT_FAILS, part == wrong);
  if (wrong != VERDICT_PARTS) assert_int_equal(verdict->part[wrong].bad_count, bad_count);
}

TEST_WITH(test_right, write_right, NULL) {
  // Twice: the second time its scratch memory is there.
  for (int time = 0; time < 2; time++) {
    Verdict verdict = judge(true);
    expect_only(&verdict, VERDICT_PARTS, 0);
    verdict = judge(false);
    expect_only(&verdict, VERDICT_PARTS, 0);
  }
}

// One element stands behind its successor.
TEST_WITH(test_order, write_right, NULL) {
  const size_t i = n / 7;
  const size_t end = i - i % EQUALS + EQUALS - 1;  // of a run of equals
  exchange(d_keys, end, end + 1);
  exchange(d_positions, end, end + 1);
  const Verdict verdict = judge(true);
  assert_int_equal(verdict.part[VERDICT_ORDER].state, VERDICT_FAILS);
  assert_int_equal(verdict.part[VERDICT_ORDER].bad_count, 1);
  assert_int_equal(verdict.part[VERDICT_ORDER].first_bad, end + 1);
  assert_int_equal(verdict.part[VERDICT_MULTISET].state, VERDICT_HOLDS);
  assert_int_equal(verdict.part[VERDICT_PAIRING].state, VERDICT_HOLDS);
}

// One key lost: overwritten by its successor, so that the order holds.
TEST_WITH(test_multiset_of_keys, write_right, NULL) {
  const size_t end = n / 3 - n / 3 % EQUALS + EQUALS - 1;
  const unsigned int lost = get(d_keys, end), successor = get(d_keys, end + 1);
  put(d_keys, end, successor);
  const Verdict verdict = judge(false);
  expect_only(&verdict, VERDICT_MULTISET, 1);
  const VerdictFinding *const found = &verdict.part[VERDICT_MULTISET];
  assert_int_equal(found->first_bad, end);
  assert_int_equal(found->expected, lost);
  assert_int_equal(found->actual, successor);
}

// One position lost: another one with the same key takes its place, so that the pairing holds.
TEST_WITH(test_multiset_of_pairs, write_right, NULL) {
  const size_t i = n / 5 - n / 5 % EQUALS;
  const unsigned int lost = get(d_positions, i + 1);
  put(d_positions, i + 1, get(d_positions, i));
  const Verdict verdict = judge(true);
  expect_only(&verdict, VERDICT_MULTISET, 1);
  assert_int_equal(verdict.part[VERDICT_MULTISET].first_bad, lost);
}

// One key with another's position: keys are in order, positions all there.
TEST_WITH(test_pairing, write_right, NULL) {
  const size_t i = n / 2 - n / 2 % EQUALS;
  exchange(d_positions, i, i + EQUALS);
  const Verdict verdict = judge(true);
  assert_int_equal(verdict.part[VERDICT_ORDER].state, VERDICT_HOLDS);
  assert_int_equal(verdict.part[VERDICT_MULTISET].state, VERDICT_HOLDS);
  assert_int_equal(verdict.part[VERDICT_PAIRING].state, VERDICT_FAILS);
  assert_int_equal(verdict.part[VERDICT_PAIRING].bad_count, 2);
  assert_int_equal(verdict.part[VERDICT_PAIRING].first_bad, i);
}

// Two equal keys have changed places.
TEST_WITH(test_stability, write_right, NULL) {
  const size_t i = n - EQUALS;
  exchange(d_positions, i, i + 1);
  const Verdict verdict = judge(true);
  expect_only(&verdict, VERDICT_STABILITY, 1);
  assert_int_equal(verdict.part[VERDICT_STABILITY].first_bad, i + 1);
}

RUN_TESTS("compare_verdict", allocate, release)
