// Bucket sort of radix_v7: sorts all that fits, by one step and by two, with buckets of every size;
// returns false if a bucket does not fit.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
extern "C" {
#include <cmocka.h>
}

#include <cuda_runtime.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/knobs.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "radix_v7/by_buckets.cuh"
#include "tests/reference_sort.h"

static const char *const stages[] = {"hist", "sweep", NULL};
static const SortKnob knobs[] = {{"shape", 0, 0, SHAPES, ""},
                                 {"largeFrom", 1, 1, 1 << 30, ""},
                                 {"bucketBits", 0, 0, MAX_BUCKET_BITS, ""},
                                 {"bucketShape", 0, 0, BUCKET_SHAPES, ""},
                                 {}};
static const SortVersion version = {"", "", "", true, UINT32_MAX, 0, stages, knobs};

static void set(const char *name, int value) {
  knob_set(knob_find(&version, name, strlen(name)), value);
}

static uint32_t random_word(void) {
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 32);
}

// Sorts keys[0..n) by buckets and compares; false if they did not fit.
static bool sorts(uint32_t *keys, size_t n) {
  const size_t bytes = n * sizeof *keys;
  unsigned int *const in = (unsigned int *)scratch_alloc(bytes);
  unsigned int *const spare = (unsigned int *)scratch_alloc(bytes);
  unsigned int *const out = (unsigned int *)scratch_alloc(bytes);
  CUDA_CHECK(cudaMemcpy(in, keys, bytes, cudaMemcpyHostToDevice));
  stages_begin(&version, false);
  const bool sorted = sort_by_buckets(in, spare, out, n) == FITS;
  uint32_t *const result = (uint32_t *)malloc(bytes), *const order = (uint32_t *)malloc(bytes);
  CUDA_CHECK(cudaMemcpy(result, in, bytes, cudaMemcpyDeviceToHost));
  for (size_t i = 0; !sorted && i < n; i++)
    if (result[i] != keys[i]) fail_msg("the input has changed at %zu", i);
  if (sorted) CUDA_CHECK(cudaMemcpy(result, out, bytes, cudaMemcpyDeviceToHost));
  reference_sort(keys, order, n);
  for (size_t i = 0; sorted && i < n; i++)
    if (result[i] != keys[i]) fail_msg("[%zu] is %u, expected %u", i, result[i], keys[i]);
  free(order);
  free(result);
  scratch_free(out);
  scratch_free(spare);
  scratch_free(in);
  assert_int_equal(scratch_outstanding(), 0);
  return sorted;
}

static uint32_t keys[200000];

static void test_steps(void **state) {
  (void)state;
  for (int bits = MIN_BUCKET_BITS; bits <= MAX_BUCKET_BITS; bits++) {
    const size_t n = bits < 13 ? 30011 : 4099;  // several tiles; or many parts of a few keys each
    knobs_begin(&version);
    set("bucketBits", bits);
    for (size_t i = 0; i < n; i++) keys[i] = random_word();
    assert_true(sorts(keys, n));
    if (bits == MAX_BUCKET_BITS) break;  // as many blocks as buckets: slow on the cpu backend
    for (size_t i = 0; i < n; i++) keys[i] = (uint32_t)(i * (UINT32_MAX / n));  // sorted
    assert_true(sorts(keys, n));
  }
}

// The first and the last bucket full to the capacity of each shape, where padding could collide
// with keys. Lower bits: random, in groups, four values, 20 bins, all equal.
static void test_full_buckets(void **state) {
  (void)state;
  for (int shape = 1; shape <= BUCKET_SHAPES; shape++)
    for (int kind = 0; kind < 5; kind++) {
      const size_t capacity = bucket_shapes[shape - 1].capacity, n = 2 * capacity;
      knobs_begin(&version);
      set("bucketBits", MIN_BUCKET_BITS);
      set("bucketShape", shape);
      for (size_t i = 0; i < n; i++) {
        const uint32_t lower = kind == 0   ? random_word()
                               : kind == 1 ? random_word() & 0xf000ff
                               : kind == 2 ? random_word() & 0x3
                               : kind == 3 ? (uint32_t)(i % 20) << 12 | (random_word() & 0xfff)
                                           : UINT32_MAX;
        keys[i] = (i < capacity ? 0 : 0xffc00000u) | (lower & 0x3fffff);
      }
      assert_true(sorts(keys, n));
    }
}

// Crowded bins whose keys differ in the last bits only, beside bins of few keys: one value, two,
// all 2^k, in buckets at both ends and with other bins between. As crowded as a thread can sort, a
// warp, or neither.
static void test_crowded_bins(void **state) {
  (void)state;
  static const size_t crowded_of_100[] = {80, 8, 6, 4, 2};  // of some 1,000 keys of a bucket
  for (int bits = 13; bits < MAX_BUCKET_BITS; bits++)
    for (int kind = 0; kind < 20; kind++) {
      const size_t n = 3001, crowded = crowded_of_100[kind / 4];
      knobs_begin(&version);
      set("bucketBits", bits);
      set("bucketShape", 1 + kind % 4);
      for (size_t i = 0; i < n; i++) {
        const uint32_t bucket = (uint32_t)(i % 3) * 0x7fffffffu >> (32 - bits) << (32 - bits);
        const uint32_t last = kind % 4 == 0   ? 5
                              : kind % 4 == 1 ? (uint32_t)(i % 7 == 0 ? 0x7f : 0)
                              : kind % 4 == 2 ? random_word() & 0x7f
                                              : random_word() & 0x1f81;
        keys[i] =
            i / 3 % 100 >= crowded ? bucket | (random_word() & 0x1ffff) : bucket | 0x8000 | last;
      }
      assert_true(sorts(keys, n));
    }
}

// The sample of a block, as with many keys: marks hopeless keys, and leaves the counters at zero.
static __global__ void watch_only(const unsigned int *keys, size_t n, unsigned int capacity,
                                  volatile HostVerdict *host, unsigned int *rest) {
  __shared__ unsigned int counters[1 << 12];
  for (unsigned int i = threadIdx.x; i < 1u << 12; i += blockDim.x) counters[i] = 0;
  __syncthreads();
  watch_by_blocks<false, true>(counters, 1, keys, n, 20, 0, capacity, host);
  for (unsigned int i = threadIdx.x; i < 1u << 12; i += blockDim.x)
    if (counters[i] != 0) *rest = 1;
}

static __global__ void forget(void) { count_hopeless = 0; }

static void test_watch(void **state) {
  (void)state;
  const size_t n = 1 << 16;
  unsigned int *const in = (unsigned int *)scratch_alloc(n * sizeof *in);
  unsigned int *const rest = (unsigned int *)scratch_alloc(sizeof *rest), left = 0;
  knobs_begin(&version);
  for (int kind = 0; kind < 7; kind++) {
    for (size_t i = 0; i < n; i++)
      keys[i] = kind == 0   ? random_word()
                : kind == 1 ? (uint32_t)i << 16
                : kind == 2 ? 7
                : kind == 3 ? (random_word() % 3 == 0 ? 7 : random_word())
                : kind == 4 ? (random_word() & 15) * 0x11111111u
                : kind == 5 ? random_word() >> 2
                            : (random_word() & 0xffff0000u) | (random_word() & 7);
    CUDA_CHECK(cudaMemcpy(in, keys, n * sizeof *in, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemset(rest, 0, sizeof *rest));
    volatile HostVerdict *const host = fresh_host_verdict(n);
    watch_only<<<4, 1024>>>(in, n, 32, host, rest);
    LAUNCH_CHECK();
    forget<<<1, 1>>>();
    LAUNCH_CHECK();
    CUDA_CHECK(cudaMemcpy(&left, rest, sizeof left, cudaMemcpyDeviceToHost));
    assert_int_equal(left, 0);
    assert_int_equal(host->verdict, kind < 2 ? UNKNOWN : TOO_LARGE);
  }
  scratch_free(rest);
  scratch_free(in);
}

// With many keys, a sample of each block ends the count: one value in a third of the keys, keys in
// half of all buckets; not for uniform and sorted keys.
static void test_hopeless(void **state) {
  (void)state;
#ifdef CUDA_CPU
  skip();  // 16 million keys: seconds on the cpu backend
#endif
  const size_t n = MANY_WATCH_FROM;
  uint32_t *const many = (uint32_t *)malloc(n * sizeof *many);
  for (int kind = 0; kind < 6; kind++) {
    for (size_t i = 0; i < n; i++)
      many[i] = kind == 0   ? random_word()
                : kind == 1 ? (uint32_t)i * 268u
                : kind == 2 ? (i % 3 == 0 ? 77 : random_word())
                : kind == 3 ? (uint32_t)(i * 134)
                : kind == 4 ? (random_word() & 0xffff0000u) | (random_word() & 15)
                            : (uint32_t)i & 15;
    knobs_begin(&version);
    assert_int_equal(sorts(many, n), kind < 2);
  }
  free(many);
}

// A few large buckets are sorted by themselves, in one step and in two.
static void test_large_buckets(void **state) {
  (void)state;
  for (int bits = MIN_BUCKET_BITS; bits <= MIN_BUCKET_BITS + 1; bits++)
    for (uint32_t large = 1; large <= MOST_LARGE + 1; large += MOST_LARGE - 1 + (large > 1)) {
      const uint32_t capacity = bucket_shapes[0].capacity;
      const size_t n = 6 * large * (capacity + 99);
      knobs_begin(&version);
      set("bucketBits", bits);
      set("bucketShape", 1);
      for (size_t i = 0; i < n; i++) {
        const uint32_t which = (uint32_t)(i / 6) % large;
        const uint32_t bucket = which == 1 ? ~0u : 0x9e3779b9u * which;
        keys[i] = i % 6 != 0   ? random_word()
                  : which == 2 ? bucket
                               : (bucket & 0xffc00000u) | (random_word() & 0x1fffff);
      }
      assert_int_equal(sorts(keys, n), large <= MOST_LARGE);
    }
}

// A bucket with one key too many; too few bucket bits; n too large.
static void test_does_not_fit(void **state) {
  (void)state;
  for (int shape = 1; shape <= BUCKET_SHAPES; shape++) {
    const size_t n = bucket_shapes[shape - 1].capacity + 1u;
    knobs_begin(&version);
    set("bucketBits", MIN_BUCKET_BITS);
    set("bucketShape", shape);
    for (size_t i = 0; i < n; i++) keys[i] = 7u << 22 | (random_word() & 0x3fffff);
    assert_false(sorts(keys, n));
    keys[0] = 0;  // in another bucket
    assert_true(sorts(keys, n));
  }
  knobs_begin(&version);
  set("bucketBits", MIN_BUCKET_BITS - 1);
  assert_false(sorts(keys, 100));
  BucketPlan plan;
  knobs_begin(&version);
  assert_true(plan_buckets(((size_t)1 << 30) - 1, WHOLE_RANGE, &plan) ||
              dynamic_shared_limit() < 200000);
  assert_false(plan_buckets((size_t)1 << 31, WHOLE_RANGE, &plan));
}

// The plan for each n has the fewest bits and the smallest shape that uniform keys allow.
static void test_plans(void **state) {
  (void)state;
  knobs_begin(&version);
  for (size_t n = 5000; n < 1u << 30; n += n / 3) {
    BucketPlan plan;
    // An older GPU has too little shared memory for many buckets.
    if (!plan_buckets(n, WHOLE_RANGE, &plan)) {
      assert_true(n > 5000000);
      continue;
    }
    const double average = (double)n / (double)(1u << (plan.bits.first + plan.bits.second));
    assert_true(average < plan.buckets->capacity);
    assert_true(plan.bits.first + plan.bits.second == MIN_BUCKET_BITS ||
                average > plan.buckets->capacity / 2.2);
    assert_true(1u << plan.bits.first <= plan.first->counters);
    assert_true(plan.bits.second == 0 || 1 << plan.bits.first <= MAX_PARTS);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_steps),        cmocka_unit_test(test_full_buckets),
      cmocka_unit_test(test_crowded_bins), cmocka_unit_test(test_large_buckets),
      cmocka_unit_test(test_watch),        cmocka_unit_test(test_hopeless),
      cmocka_unit_test(test_does_not_fit), cmocka_unit_test(test_plans),
  };
  return cmocka_run_group_tests_name("radix_v7 by buckets", tests, NULL, NULL);
}
