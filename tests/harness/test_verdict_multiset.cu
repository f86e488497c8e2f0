// The multiset of bare keys in slices: the finding is the same for every size of a slice.
#include "tests/unit.h"

#include "common/scratch.h"
#include "harness/input/input.h"
#include "harness/verdict/verdict.h"

enum { N = 5000 };

static uint32_t input[N], sorted[N], positions[N];

static size_t largest_sort;  // of the library, since it was 0

// The linker redirects the verdict's call of library_sort to this function (--wrap).
extern "C" void __real_library_sort(const unsigned int *d_from, unsigned int *d_to, size_t n);
extern "C" void __wrap_library_sort(const unsigned int *d_from, unsigned int *d_to, size_t n) {
  if (n > largest_sort) largest_sort = n;
  __real_library_sort(d_from, d_to, n);
}

static VerdictFinding find(const uint32_t *keys, size_t n, size_t slice) {
  uint32_t *const d_snapshot = to_device(input, n), *const d_keys = to_device(keys, n);
  largest_sort = 0;
  const VerdictFinding found = verdict_multiset_of_keys(KEY_U32, d_snapshot, d_keys, n, slice);
  free_device(d_snapshot, d_keys);
  assert_int_equal(scratch_outstanding(), 0);
  assert_true(largest_sort <= slice);
  return found;
}

// Expects the finding of a comparison with the sorted input.
static void check_finding(const char *context, const uint32_t *keys, size_t n, size_t slice) {
  size_t bad = 0, first = 0;
  for (size_t i = n; i-- > 0;)
    if (keys[i] != sorted[i]) {
      bad++;
      first = i;
    }
  const VerdictFinding found = find(keys, n, slice);
  if ((found.state == VERDICT_FAILS) != (bad > 0) || found.bad_count != bad)
    fail_msg("%s, n = %zu, slices of %zu: %llu bad places, expected %zu", context, n, slice,
             (unsigned long long)found.bad_count, bad);
  if (bad == 0) return;
  assert_int_equal(found.first_bad, first);
  assert_int_equal(found.expected, sorted[first]);
  assert_int_equal(found.actual, keys[first]);
}

static void draw(int kind, size_t n) {
  uint32_t *const d_keys = to_device(input, n);
  input_keys(kind, 7, d_keys, n);
  to_host(input, d_keys, n);
  free_device(d_keys);
  memcpy(sorted, input, n * sizeof *input);
  reference_sort(sorted, positions, n);
}

static void check_slices(int kind, size_t n, const size_t *slices, size_t count) {
  static uint32_t keys[N];
  draw(kind, n);
  for (size_t s = 0; s < count; s++) {
    check_finding(input_kinds[kind].name, sorted, n, slices[s]);
    // One key wrong, at the ends and in the middle; then one lost, so that all behind it move up.
    const size_t places[] = {0, n / 3, n - 1};
    for (size_t i = 0; i < COUNT_OF(places); i++) {
      memcpy(keys, sorted, n * sizeof *keys);
      keys[places[i]] ^= i == 1 ? 1 : 0x80000000u;
      check_finding(input_kinds[kind].name, keys, n, slices[s]);
    }
    memmove(keys, sorted + 1, (n - 1) * sizeof *keys);
    keys[n - 1] = 0xffffffffu;
    check_finding(input_kinds[kind].name, keys, n, slices[s]);
  }
}

TEST(test_slices) {
  const size_t slices[] = {100, 999, N - 1, N, N + 1}, small[] = {1, 2, 3, 7, 20};
  for (int kind = 0; input_kinds[kind].name != NULL; kind++)
    check_slices(kind, N, slices, COUNT_OF(slices));
  const char *const kinds[] = {"uniform", "all-equal", "extremes", "few-distinct", "two-halves"};
  for (const char *kind : kinds) check_slices(input_find(kind), 100, small, COUNT_OF(small));
}

TEST(test_tiny) {
  for (size_t n = 0; n <= 2; n++) {
    draw(0, n);
    for (size_t slice = 1; slice <= 3; slice++) check_finding("tiny", sorted, n, slice);
  }
}

// The unsorted keys and the sorted ones of a slice are wiped.
TEST(test_answer_wiped) {
  draw(0, N);
  scratch_trim();
  (void)find(sorted, N, N / 2);
  static uint32_t found[N / 2];
  void *blocks[2];
  for (int i = 0; i < 2; i++) {
    blocks[i] = scratch_alloc(sizeof found);
    CUDA_CHECK(cudaMemcpy(found, blocks[i], sizeof found, cudaMemcpyDeviceToHost));
    for (size_t j = 0; j < N / 2; j++) assert_int_equal(found[j], 0xa5a5a5a5u);
  }
  for (int i = 0; i < 2; i++) scratch_free(blocks[i]);
}

TEST(test_bytes) {
  assert_true(verdict_multiset_bytes(KEY_U32, 0) == 0);
  assert_true(verdict_multiset_bytes(KEY_U32, 1000) > 8000 &&
              verdict_multiset_bytes(KEY_U32, 1000) < 9000);
  const size_t largest = (size_t)6000000000;
  assert_true(verdict_multiset_bytes(KEY_U32, VERDICT_SLICE) <
              verdict_multiset_bytes(KEY_U32, largest));
  assert_true(verdict_multiset_bytes(KEY_U32, largest) < 5e9);
  assert_true(verdict_multiset_bytes(KEY_U32, largest) ==
              verdict_multiset_bytes(KEY_U32, 2 * largest));
}

RUN_TESTS("verdict_multiset", NULL, NULL)
