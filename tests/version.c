// Every version against the reference: sizes x inputs x pairs and keys x knob settings. This file
// is linked with each version in turn; a new folder with a student_func.cu is tested by existing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/knobs.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "common/your_sort.h"
#include "harness/input.h"
#include "harness/measure.h"
#include "harness/verdict.h"
#include "tests/reference_sort.h"

enum { LARGEST = 100003, GUARD = 64 };

// n elements on the device with a guard behind them that must not change.
typedef struct Array {
  uint32_t *device;
  uint32_t host[LARGEST + GUARD];
} Array;

static Array keys_in, positions_in, keys_out, positions_out;
static uint32_t *d_snapshot, expected_keys[LARGEST], expected_positions[LARGEST];

static int allocate(void **state) {
  (void)state;
  Array *const arrays[] = {&keys_in, &positions_in, &keys_out, &positions_out};
  for (int i = 0; i < 4; i++)
    CUDA_CHECK(cudaMalloc((void **)&arrays[i]->device, sizeof arrays[i]->host));
  CUDA_CHECK(cudaMalloc((void **)&d_snapshot, sizeof expected_keys));
  return 0;
}

static int release(void **state) {
  (void)state;
  Array *const arrays[] = {&keys_in, &positions_in, &keys_out, &positions_out};
  for (int i = 0; i < 4; i++) CUDA_CHECK(cudaFree(arrays[i]->device));
  CUDA_CHECK(cudaFree(d_snapshot));
  scratch_trim();
  return 0;
}

static void poison(Array *array) {
  CUDA_CHECK(cudaMemset(array->device, 0xa5, sizeof array->host));
}

static void fetch(Array *array, size_t n) {
  CUDA_CHECK(cudaMemcpy(array->host, array->device, (n + GUARD) * sizeof *array->host,
                        cudaMemcpyDeviceToHost));
  for (size_t i = n; i < n + GUARD; i++)
    if (array->host[i] != 0xa5a5a5a5u) fail_msg("wrote %zu elements beyond the end", i - n + 1);
}

static void compare(const char *what, const uint32_t *actual, const uint32_t *expected, size_t n,
                    const char *context) {
  for (size_t i = 0; i < n; i++)
    if (actual[i] != expected[i])
      fail_msg("%s: %s[%zu] is %u, expected %u", context, what, i, actual[i], expected[i]);
}

static void sort_and_check(size_t n, int kind, bool pairs, const char *setting) {
  char context[160];
  snprintf(context, sizeof context, "%s, n = %zu, %s, %s, %s", sort_version.name, n,
           input_kinds[kind].name, pairs ? "pairs" : "keys", setting);
  poison(&keys_in);
  poison(&positions_in);
  poison(&keys_out);
  poison(&positions_out);
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
  compare("keys", keys_out.host, expected_keys, n, context);
  fetch(&positions_out, pairs ? n : 0);
  if (pairs && sort_version.stable)
    compare("positions", positions_out.host, expected_positions, n, context);
  const Verdict verdict = verdict_judge(&sort_version, d_snapshot, keys_out.device,
                                        pairs ? positions_out.device : NULL, n);
  char text[512];
  verdict_describe(&verdict, text, sizeof text);
  if (strcmp(text, "PASS") != 0) fail_msg("%s: %s", context, text);
}

static bool too_slow(size_t n) { return sort_version.slow_n != 0 && n > sort_version.slow_n; }

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

static void test_defaults(void **state) {
  (void)state;
  static const size_t sizes[] = {0,   1,   2,    31,   32,   33,   255,
                                 256, 257, 1023, 1024, 1025, 4097, LARGEST};
  knobs_begin(&sort_version);
  check_sizes(sizes, sizeof sizes / sizeof *sizes, true, "default knobs");
}

// Each knob in turn at its least, its greatest and an awkward value between.
static void test_knobs(void **state) {
  (void)state;
  static const size_t sizes[] = {0, 1, 33, 257, 1025, 4097};
  for (const SortKnob *k = sort_version.knobs; k->name != NULL; k++) {
    const int values[] = {k->min, k->max, k->min + (k->max - k->min) / 3};
    for (int v = 0; v < 3; v++) {
      char assignment[80], message[200];
      snprintf(assignment, sizeof assignment, "%s=%d", k->name, values[v]);
      knobs_begin(&sort_version);
      if (!knob_set(assignment, message, sizeof message)) fail_msg("%s", message);
      check_sizes(sizes, sizeof sizes / sizeof *sizes, false, assignment);
    }
  }
}

static void test_description(void **state) {
  (void)state;
  assert_true(strlen(sort_version.title) > 0 && strlen(sort_version.source) > 0);
  assert_true(sort_version.max_n >= LARGEST || sort_version.slow_n > 0);
  assert_non_null(sort_version.stages[0]);
  assert_int_equal(sort_version.scratch_per_key < 0.0, sort_version.scratch_per_pair < 0.0);
  for (const SortKnob *k = sort_version.knobs; k->name != NULL; k++) {
    assert_true(k->min <= k->default_value && k->default_value <= k->max);
    assert_true(strlen(k->meaning) > 0);
  }
}

// ---- device memory -----------------------------------------------------------------------------

// The linker sends all calls of cudaMalloc and cudaFree here (--wrap), those of libraries too.
enum { MOST_BLOCKS = 1000 };

static struct {
  void *blocks[MOST_BLOCKS];
  size_t bytes[MOST_BLOCKS];
  size_t now, peak;  // bytes
} taken;

cudaError_t __real_cudaMalloc(void **memory, size_t bytes);
cudaError_t __wrap_cudaMalloc(void **memory, size_t bytes);
cudaError_t __real_cudaFree(void *memory);
cudaError_t __wrap_cudaFree(void *memory);

static void *remember(void *block, void *instead_of, size_t bytes) {
  int i = 0;
  while (i < MOST_BLOCKS && taken.blocks[i] != instead_of) i++;
  if (i == MOST_BLOCKS) abort();
  taken.now += bytes - taken.bytes[i];
  if (taken.now > taken.peak) taken.peak = taken.now;
  taken.blocks[i] = block;
  taken.bytes[i] = bytes;
  return block;
}

cudaError_t __wrap_cudaMalloc(void **memory, size_t bytes) {
  const cudaError_t error = __real_cudaMalloc(memory, bytes);
  if (error == cudaSuccess && *memory != NULL) remember(*memory, NULL, bytes);
  return error;
}

cudaError_t __wrap_cudaFree(void *memory) {
  if (memory != NULL) remember(NULL, memory, 0);
  return __real_cudaFree(memory);
}

// What compare counts on before it lets a version sort: it takes no more memory than it says. Half
// a word per element is left to what does not grow with n, which at this n is a table of 16 KB for
// each multiprocessor; an array of n words that somebody forgot is more.
static void test_scratch(void **state) {
  (void)state;
  if (sort_version.scratch_per_key < 0.0) skip();
  int device = 0, multiprocessors = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  size_t n = (size_t)multiprocessors * 8192;
  if (n < 1 << 17) n = 1 << 17;
  if (too_slow(n)) n = 4096;
  knobs_begin(&sort_version);
  stages_begin(&sort_version, false);
  for (int pairs = 0; pairs < 2; pairs++) {
    Workload w = workload_create(n, pairs == 1);
    workload_draw(&w, input_find("uniform"), 1);
    CUDA_CHECK(cudaMemcpy(w.keys_in, w.snapshot, n * sizeof *w.keys_in, cudaMemcpyDeviceToDevice));
    if (pairs) input_positions(w.positions_in, n);
    scratch_trim();
    const size_t before = taken.peak = taken.now;
    your_sort(w.keys_in, w.positions_in, w.keys_out, w.positions_out, n);
    const double used = (double)(taken.peak - before) / (double)n;
    const double said = pairs ? sort_version.scratch_per_pair : sort_version.scratch_per_key;
    print_message("# %zu %s: %.3f bytes of scratch memory each, %g said\n", n,
                  pairs ? "pairs" : "keys", used, said);
    if (used > said + sizeof(uint32_t) / 2.0)
      fail_msg("%s takes %.3f bytes of scratch per %s and says %g", sort_version.name, used,
               pairs ? "pair" : "key", said);
    const Verdict verdict =
        verdict_judge(&sort_version, w.snapshot, w.keys_out, w.positions_out, n);
    assert_true(verdict_passes(&verdict));
    workload_destroy(&w);
  }
}

// ---- many sorts ---------------------------------------------------------------------------------

// One sort, judged on the device.
static void sort_and_judge(Workload *room, size_t n, int kind, uint64_t seed, bool pairs) {
  Workload w = *room;
  w.n = n;
  if (!pairs) w.positions_in = w.positions_out = NULL;
  workload_draw(&w, kind, seed);
  CUDA_CHECK(cudaMemcpy(w.keys_in, w.snapshot, n * sizeof *w.keys_in, cudaMemcpyDeviceToDevice));
  if (pairs) input_positions(w.positions_in, n);
  your_sort(w.keys_in, w.positions_in, w.keys_out, w.positions_out, n);
  const Verdict verdict = verdict_judge(&sort_version, w.snapshot, w.keys_out, w.positions_out, n);
  if (verdict_passes(&verdict)) return;
  char text[512];
  verdict_describe(&verdict, text, sizeof text);
  fail_msg("%s, n = %zu, %s, %s, seed %llu: %s", sort_version.name, n, input_kinds[kind].name,
           pairs ? "pairs" : "keys", (unsigned long long)seed, text);
}

static size_t number_from_environment(const char *name) {
  const char *const text = getenv(name);
  return text == NULL ? 0 : strtoul(text, NULL, 10);
}

// EVERY_N=20000: every n up to there.
static void test_every_n(void **state) {
  (void)state;
  const size_t most = number_from_environment("EVERY_N");
  if (most == 0) skip();
  knobs_begin(&sort_version);
  stages_begin(&sort_version, false);
  Workload room = workload_create(most, true);
  // Downwards: scratch memory of one sort is then large enough for the next.
  for (size_t n = most + 1; n-- > 0;)
    if (!too_slow(n))
      sort_and_judge(&room, n, input_find(n % 3 == 0 ? "few-distinct" : "uniform"), n, n % 2 == 0);
  workload_destroy(&room);
}

// REPEATS=200: so many sorts of each of a few awkward sizes, since a race between blocks may show
// once in a hundred runs. The sizes lie beside multiples of all tile sizes in use, among others.
static void test_repeats(void **state) {
  (void)state;
  const size_t repeats = number_from_environment("REPEATS");
  if (repeats == 0) skip();
  static const size_t sizes[] = {4097,   40961,   65535,   143361,  399361,
                                 500009, 1499137, 2999297, 3000001, 8000003};
  enum { COUNT = sizeof sizes / sizeof *sizes };
  knobs_begin(&sort_version);
  stages_begin(&sort_version, false);
  Workload room = workload_create(sizes[COUNT - 1], true);
  for (size_t r = 0; r < repeats; r++)
    for (int s = 0; s < COUNT && !too_slow(sizes[s]); s++) {
      int kind = (int)(r % 16);
      while (!input_kinds[kind].everywhere) kind--;
      sort_and_judge(&room, sizes[s], kind, r, true);
      sort_and_judge(&room, sizes[s], kind, r, false);
    }
  workload_destroy(&room);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_description), cmocka_unit_test(test_defaults),
      cmocka_unit_test(test_knobs),       cmocka_unit_test(test_scratch),
      cmocka_unit_test(test_every_n),     cmocka_unit_test(test_repeats),
  };
  return cmocka_run_group_tests_name(sort_version.name, tests, allocate, release);
}
