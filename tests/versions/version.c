// Every version against the reference: sizes x inputs x pairs and keys x knob settings. This file
// is linked with each version in turn; a new folder with a student_func.cu is tested without
// further entries.
#include "tests/unit.h"

#include "common/knobs.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "common/your_sort.h"
#include "harness/input/input.h"
#include "harness/verdict/verdict.h"
#include "tests/reference_sort.h"
#include "tests/versions/version.h"

enum { LARGEST = 100003, GUARD = 64, MOST_OFFSET = 3 };

// n elements on the device, followed by a guard that must not change. They begin up to MOST_OFFSET
// elements behind the start of `memory`, since arrays are aligned to their elements only.
typedef struct Array {
  uint32_t *memory, *device;
  uint32_t host[LARGEST + GUARD];
} Array;

static Array keys_in, positions_in, keys_out, positions_out;
static uint32_t *d_snapshot, expected_keys[LARGEST], expected_positions[LARGEST];

static int allocate(void **state) {
  (void)state;
  Array *const arrays[] = {&keys_in, &positions_in, &keys_out, &positions_out};
  for (int i = 0; i < 4; i++)
    CUDA_CHECK(cudaMalloc((void **)&arrays[i]->memory,
                          sizeof arrays[i]->host + MOST_OFFSET * sizeof(uint32_t)));
  CUDA_CHECK(cudaMalloc((void **)&d_snapshot, sizeof expected_keys));
  return 0;
}

static int release(void **state) {
  (void)state;
  Array *const arrays[] = {&keys_in, &positions_in, &keys_out, &positions_out};
  for (int i = 0; i < 4; i++) CUDA_CHECK(cudaFree(arrays[i]->memory));
  CUDA_CHECK(cudaFree(d_snapshot));
  scratch_trim();
  return 0;
}

// Every other array at the start of its memory, the others at drawn offsets.
static void poison(Array *array) {
  static uint32_t drawn = 1;
  drawn = drawn * 1664525 + 1013904223;
  array->device = array->memory + (drawn >> 31 ? drawn >> 29 & MOST_OFFSET : 0);
  CUDA_CHECK(cudaMemset(array->device, 0xa5, sizeof array->host));
}

static void fetch(Array *array, size_t n) {
  CUDA_CHECK(cudaMemcpy(array->host, array->device, (n + GUARD) * sizeof *array->host,
                        cudaMemcpyDeviceToHost));
  for (size_t i = n; i < n + GUARD; i++)
    if (array->host[i] != 0xa5a5a5a5u) fail_msg("wrote %zu elements beyond the end", i - n + 1);
}

static void sort_and_check(size_t n, int kind, bool pairs, const char *setting) {
  if (sort_version.pairs_only && !pairs) return;
  char context[200];
  poison(&keys_in);
  poison(&positions_in);
  poison(&keys_out);
  poison(&positions_out);
  snprintf(context, sizeof context, "%s, n = %zu, %s, %s, %s, arrays at offsets %td %td %td %td",
           sort_version.name, n, input_kinds[kind].name, pairs ? "pairs" : "keys", setting,
           keys_in.device - keys_in.memory, positions_in.device - positions_in.memory,
           keys_out.device - keys_out.memory, positions_out.device - positions_out.memory);
  input_keys(kind, 42 + n, keys_in.device, n);
  input_positions(positions_in.device, n);
  CUDA_CHECK(
      cudaMemcpy(d_snapshot, keys_in.device, n * sizeof *d_snapshot, cudaMemcpyDeviceToDevice));
  CUDA_CHECK(
      cudaMemcpy(expected_keys, keys_in.device, n * sizeof *expected_keys, cudaMemcpyDeviceToHost));
  reference_sort(expected_keys, expected_positions, n);

  stages_begin(&sort_version, true);
  your_sort(keys_in.device, pairs ? positions_in.device : NULL, keys_out.device,
            pairs ? positions_out.device : NULL, n);
  double milliseconds[MAX_STAGES];
  const int stages = stages_end(milliseconds);
  for (int i = 0; i < stages; i++) assert_true(milliseconds[i] >= 0.0);
  if (scratch_outstanding() != 0) fail_msg("%s: scratch memory was not returned", context);

  fetch(&keys_in, n);
  fetch(&positions_in, n);
  fetch(&keys_out, n);
  expect_array(context, keys_out.host, expected_keys, n);
  fetch(&positions_out, pairs ? n : 0);
  if (pairs && sort_version.stable) {
    char positions[220];
    snprintf(positions, sizeof positions, "positions of %s", context);
    expect_array(positions, positions_out.host, expected_positions, n);
  }
  const Verdict verdict = verdict_judge(&sort_version, d_snapshot, keys_out.device,
                                        pairs ? positions_out.device : NULL, n);
  char text[512];
  verdict_describe(&verdict, text, sizeof text);
  if (strcmp(text, "PASS") != 0) fail_msg("%s: %s", context, text);
}

static void check_sizes(const size_t *sizes, size_t count, bool all_inputs, const char *setting) {
  for (size_t s = 0; s < count; s++) {
    if (too_slow(sizes[s]) || sizes[s] > sort_version.max_n) continue;
    for (int kind = 0; input_kinds[kind].name != NULL; kind++) {
      if (!input_kinds[kind].everywhere) continue;
      if (!all_inputs && kind != input_find("uniform") && kind != input_find("few-distinct"))
        continue;
      sort_and_check(sizes[s], kind, true, setting);
      sort_and_check(sizes[s], kind, false, setting);
    }
  }
}

TEST(test_defaults) {
  static const size_t sizes[] = {0,   1,   2,    31,   32,   33,   255,
                                 256, 257, 1023, 1024, 1025, 4097, LARGEST};
  knobs_begin(&sort_version);
  check_sizes(sizes, sizeof sizes / sizeof *sizes, true, "default knobs");
}

// Each knob in turn at its minimum, its maximum and a value between that is no power of two.
TEST(test_knobs) {
  static const size_t sizes[] = {0, 1, 33, 257, 1025, 4097};
  for (const SortKnob *k = sort_version.knobs; k->name != NULL; k++) {
    const int values[] = {k->min, k->max, k->min + (k->max - k->min) / 3};
    for (int v = 0; v < 3; v++) {
      char setting[80];
      snprintf(setting, sizeof setting, "%s=%d", k->name, values[v]);
      knobs_begin(&sort_version);
      knob_set((int)(k - sort_version.knobs), values[v]);
      check_sizes(sizes, sizeof sizes / sizeof *sizes, false, setting);
    }
  }
}

TEST(test_description) {
  assert_true(strlen(sort_version.title) > 0 && strlen(sort_version.source) > 0);
  assert_true(sort_version.max_n >= LARGEST || sort_version.slow_n > 0);
  assert_non_null(sort_version.stages[0]);
  assert_int_equal(sort_version.scratch_per_key < 0.0, sort_version.scratch_per_pair < 0.0);
  for (const SortKnob *k = sort_version.knobs; k->name != NULL; k++) {
    assert_true(k->min <= k->default_value && k->default_value <= k->max);
    assert_true(strlen(k->meaning) > 0);
  }
}

RUN_TESTS(sort_version.name, allocate, release)
