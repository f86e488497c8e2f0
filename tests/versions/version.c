// Every version against the reference: sizes x inputs x pairs and keys x knob settings; its
// description and its memory; on request, many sorts. This file is linked with each version in
// turn: a new folder with a student_func.cu is tested without further entries.
#include "tests/unit.h"

#include "common/device.h"
#include "common/knobs.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "common/your_sort.h"
#include "harness/input/input.h"
#include "harness/measure/measure.h"
#include "harness/verdict/verdict.h"

// Of a CHECK build of the cpu backend, where a sort takes 2 to 20 times as long; absent in others.
__attribute__((weak)) int cuda_cpu_check_end(int code);

static bool too_slow(size_t n) {
  enum { LARGEST_CHECKED = 4097 };
  return (sort_version.slow_n != 0 && n > sort_version.slow_n) ||
         (cuda_cpu_check_end != NULL && n > LARGEST_CHECKED);
}

// The verdict on the device arrays of a sort.
static void expect_pass(const char *context, const uint32_t *d_before, const uint32_t *d_keys,
                        const uint32_t *d_positions, size_t n) {
  const Verdict verdict = verdict_judge(&sort_version, d_before, d_keys, d_positions, n);
  char text[512];
  verdict_describe(&verdict, text, sizeof text);
  if (strcmp(text, "PASS") != 0) fail_msg("%s: %s", context, text);
}

// ---- against the reference ----------------------------------------------------------------------

enum { LARGEST = 100003, GUARD = 64, LARGEST_OFFSET = 3 };

// n elements on the device, followed by a guard that must not change. They begin up to
// LARGEST_OFFSET elements behind the start of `memory`, since arrays are aligned to their elements
// only.
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
                          sizeof arrays[i]->host + LARGEST_OFFSET * sizeof(uint32_t)));
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
  array->device = array->memory + (drawn >> 31 ? drawn >> 29 & LARGEST_OFFSET : 0);
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
  poison(&keys_in);
  poison(&positions_in);
  poison(&keys_out);
  poison(&positions_out);
  const char *const context =
      text_of("%s, n = %zu, %s, %s, %s, arrays at offsets %td %td %td %td", sort_version.name, n,
              input_kinds[kind].name, pairs ? "pairs" : "keys", setting,
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
  if (pairs && sort_version.stable)
    expect_array(text_of("positions of %s", context), positions_out.host, expected_positions, n);
  expect_pass(context, d_snapshot, keys_out.device, pairs ? positions_out.device : NULL, n);
}

static void check_sizes(const size_t *sizes, size_t count, bool all_inputs, const char *setting) {
  for (size_t s = 0; s < count; s++) {
    if (too_slow(sizes[s]) || sizes[s] > sort_version.max_n) continue;
    for (int kind = 0; input_kinds[kind].name != NULL; kind++) {
      if (!input_kinds[kind].everywhere) continue;
      if (!all_inputs && kind != input_find("uniform") && kind != input_find("few-distinct"))
        continue;
      // Of the largest, which takes longest, keys or pairs of each input.
      const bool both = sizes[s] < LARGEST || sort_version.pairs_only;
      if (both || kind % 2 == 0) sort_and_check(sizes[s], kind, true, setting);
      if (both || kind % 2 == 1) sort_and_check(sizes[s], kind, false, setting);
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
      check_sizes(sizes, COUNT_OF(sizes), false, setting);
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

// ---- many sorts, judged on the device, if environment variables request them --------------------

// One sort, judged on the device.
static void sort_and_judge(Workload *arrays, size_t n, int kind, uint64_t seed, bool pairs) {
  if (sort_version.pairs_only && !pairs) return;
  Workload w = *arrays;
  w.n = n;
  w.pairs = pairs;
  if (!pairs) w.positions_in = w.positions_out = NULL;
  workload_draw(&w, kind, seed);
  workload_refresh(&w);
  your_sort(w.keys_in, w.positions_in, w.keys_out, w.positions_out, n);
  expect_pass(text_of("%s, n = %zu, %s, %s, seed %llu", sort_version.name, n,
                      input_kinds[kind].name, pairs ? "pairs" : "keys", (unsigned long long)seed),
              w.snapshot, w.keys_out, w.positions_out, n);
}

static size_t number_from_environment(const char *name) {
  const char *const text = getenv(name);
  return text == NULL ? 0 : strtoul(text, NULL, 10);
}

// EVERY_N=20000: sorts every n up to that.
TEST(test_every_n) {
  const size_t most = number_from_environment("EVERY_N");
  if (most == 0) skip();
  knobs_begin(&sort_version);
  stages_begin(&sort_version, false);
  Workload arrays = workload_create(&sort_version, most, true, NULL);
  // Downwards, so that scratch memory of one sort is large enough for the next.
  for (size_t n = most + 1; n-- > 0;)
    if (!too_slow(n))
      sort_and_judge(&arrays, n, input_find(n % 3 == 0 ? "few-distinct" : "uniform"), n,
                     n % 2 == 0);
  workload_destroy(&arrays);
}

// REPEATS=200: that many sorts of each of a few sizes, because a race between blocks may show in
// one run of a hundred. The sizes lie beside multiples of all tile sizes in use, among others.
TEST(test_repeats) {
  const size_t repeats = number_from_environment("REPEATS");
  if (repeats == 0) skip();
  static const size_t sizes[] = {4097,   40961,   65535,   143361,  399361,
                                 500009, 1499137, 2999297, 3000001, 8000003};
  enum { COUNT = sizeof sizes / sizeof *sizes };
  knobs_begin(&sort_version);
  stages_begin(&sort_version, false);
  Workload arrays = workload_create(&sort_version, sizes[COUNT - 1], true, NULL);
  for (size_t r = 0; r < repeats; r++)
    for (int s = 0; s < COUNT && !too_slow(sizes[s]); s++) {
      int kind = (int)(r % 16);
      while (!input_kinds[kind].everywhere) kind--;
      sort_and_judge(&arrays, sizes[s], kind, r, true);
      sort_and_judge(&arrays, sizes[s], kind, r, false);
    }
  workload_destroy(&arrays);
}

// ---- device memory ------------------------------------------------------------------------------

// The linker redirects all calls of cudaMalloc and cudaFree here (--wrap), libraries' too.
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

// Sorts n keys or pairs of a kind of input and compares the memory it takes with what the version
// declares.
static void check_scratch(const char *kind, size_t n, bool pairs) {
  Workload w = workload_create(&sort_version, n, pairs, NULL);
  workload_draw(&w, input_find(kind), 1);
  workload_refresh(&w);
  scratch_trim();
  const size_t before = taken.peak = taken.now;
  your_sort(w.keys_in, w.positions_in, w.keys_out, w.positions_out, n);
  const double used = (double)(taken.peak - before) / (double)n;
  const double declared = pairs ? sort_version.scratch_per_pair : sort_version.scratch_per_key;
  print_message("# %zu %s, %s: %.3f bytes of scratch memory each, %g declared\n", n,
                pairs ? "pairs" : "keys", kind, used, declared);
  if (used > declared + sizeof(uint32_t) / 2.0)
    fail_msg("%s takes %.3f bytes of scratch per %s (%s) and declares %g", sort_version.name, used,
             pairs ? "pair" : "key", kind, declared);
  expect_pass(sort_version.name, w.snapshot, w.keys_out, w.positions_out, n);
  workload_destroy(&w);
}

// A version takes no more memory than it declares, for even keys and for uneven ones, which may go
// another way: compare relies on this before it runs a version. Two bytes per element are allowed
// for memory that does not grow with n, at this n a table of 16 KB per multiprocessor. An
// undeclared array of n elements is more.
TEST(test_scratch) {
  if (sort_version.scratch_per_key < 0.0) skip();
  size_t n = (size_t)device_attribute(cudaDevAttrMultiProcessorCount) * 8192;
  const size_t least = sort_version.by_gsort ? 1 << 19 : 1 << 17;  // fewer go other ways of gsort
  if (n < least) n = least;
  if (too_slow(n)) n = 4096;
  knobs_begin(&sort_version);
  stages_begin(&sort_version, false);
  for (int pairs = sort_version.pairs_only; pairs < 2; pairs++) {
    check_scratch("uniform", n, pairs == 1);
    check_scratch("zipf", n, pairs == 1);
  }
}

RUN_TESTS(sort_version.name, allocate, release)
