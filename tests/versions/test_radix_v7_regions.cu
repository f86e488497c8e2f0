// radix_v7's sort of bare keys by regions: right for even keys; for others false, with the input
// unchanged, whether a sample shows it or a region turns out to be full.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
extern "C" {
#include <cmocka.h>
}

#include <cuda_runtime.h>
#include <string.h>

#include "common/check.h"
#include "common/knobs.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "radix_v7/by_regions.cuh"
#include "tests/reference_sort.h"

static const char *const stages[] = {"hist", "sweep", NULL};
static const SortKnob knobs[] = {
    {"largeFrom", LARGE_FROM, 1, 1 << 30, ""}, {"shape", 0, 0, SHAPES, ""}, {}};
static const SortVersion version = {"", "", "", true, UINT32_MAX, 0, stages, knobs};

enum { FEW = REGIONS_FROM + 77, MOST = FEW_REGIONS_UP_TO + 1 };
static uint32_t keys[MOST], result[MOST], order[MOST];
static unsigned int verdict;  // of the last sort
static KeyRange range;
static BucketBits forced;  // if not 0: sorts are by these bits, in two steps

static int begin(void **) {
  forced = {0, 0};
  knobs_begin(&version);
  stages_begin(&version, false);
  return 0;
}

static uint32_t random_word(void) {
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 32);
}

static unsigned int sort(unsigned int *in, unsigned int *out, size_t n) {
  KeyRegionPlan plan;
  if (forced.first == 0) return sort_by_regions(in, out, n, &range);
  assert_true(plan_region_bits(n, forced, &plan));
  return sort_by_region_plan(&plan, in, out, n, &range);
}

static bool sorts(size_t n, size_t skip = 0) {
  const size_t bytes = n * sizeof *keys;
  unsigned int *const memory = (unsigned int *)scratch_alloc(bytes + skip * sizeof *memory);
  unsigned int *const in = memory + skip, *const out = (unsigned int *)scratch_alloc(bytes);
  CUDA_CHECK(cudaMemcpy(in, keys, bytes, cudaMemcpyHostToDevice));
  verdict = sort(in, out, n);
  const bool sorted = verdict == FITS;
  CUDA_CHECK(cudaMemcpy(result, in, bytes, cudaMemcpyDeviceToHost));
  for (size_t i = 0; i < n; i++)
    if (!sorted && result[i] != keys[i]) fail_msg("the input has changed at %zu", i);
  if (sorted) {
    CUDA_CHECK(cudaMemcpy(result, out, bytes, cudaMemcpyDeviceToHost));
    reference_sort(keys, order, n);
    for (size_t i = 0; i < n; i++)
      if (result[i] != keys[i]) fail_msg("[%zu] is %u, expected %u", i, result[i], keys[i]);
  }
  scratch_free(out);
  scratch_free(memory);
  assert_int_equal(scratch_outstanding(), 0);
  return sorted;
}

// The last size has twice as many regions. Keys in order have few values in their lower bits where
// n is a power of two.
static void test_even(void **) {
  for (int kind = 0; kind < 5; kind++) {
    const size_t n = kind == 4 ? (size_t)MOST : kind == 3 ? (size_t)1 << 19 : (size_t)FEW;
    for (size_t i = 0; i < n; i++)
      keys[i] = kind % 2 == 1 ? (uint32_t)(((uint64_t)i << 32) / n)
                : kind == 2   ? ~(uint32_t)(((uint64_t)i << 32) / n)
                              : random_word();
    assert_true(sorts(n, (size_t)kind % 2));
  }
}

// One region of the first, the middle and the last gets more and more keys; the sample overlooks
// them up to a hundred.
static void test_full(void **) {
  const int bits = MOST_REGION_BITS - 1;
  const uint32_t regions[] = {0, 250, (1u << bits) - 1};
  for (int r = 0; r < 3; r++) {
    bool fitted = true;
    for (size_t more = 0; more <= 100; more += 50) {
      uint32_t in_region = 0;
      for (size_t i = 0; i < FEW; i++) {
        keys[i] = i % 1000 < more / 50 ? regions[r] << (32 - bits) | random_word() >> bits
                                       : random_word();
        in_region += keys[i] >> (32 - bits) == regions[r];
      }
      const bool fits = in_region <= region_room(FEW, bits);
      assert_int_equal(sorts(FEW), fits);
      assert_true(more == 0 ? fits : true);
      fitted = fits;
    }
    assert_false(fitted);
  }
}

// What a sample shows: one value, few values, half of all regions, few values in the lower half,
// which sweeps sort; or one value that many keys have, which is no obstacle to a count. The next
// sort finds all in order.
static void test_uneven(void **) {
  knob_set(knob_find(&version, "largeFrom", strlen("largeFrom")), FEW / 2);
  for (int kind = 0; kind < 6; kind++) {
    for (size_t i = 0; i < FEW; i++) {
      const uint32_t word = random_word();
      keys[i] = kind == 0   ? 77
                : kind == 1 ? word % 16 * 0x10000001u
                : kind == 2 ? word >> 1
                : kind == 3 ? (word & 0xffff0000u) | (random_word() & 3)
                : kind == 4 ? (word % 100 == 0 ? 77 : random_word())
                            : word;
    }
    sorts(FEW);
    assert_int_equal(verdict, kind < 2    ? FEW_VALUES
                              : kind == 2 ? TO_RANGE
                              : kind == 4 ? TO_COUNT
                                          : FITS);
  }
}

static __global__ void __launch_bounds__(LOOK_THREADS)
    second_look_only(const unsigned int *data, size_t n, unsigned int *result,
                     volatile HostVerdict *host) {
  look_again(data, n, blockIdx.x + 1, gridDim.x, 30, result, host);
}

// The second look by one block and by several: even keys; a tenth of all numbers without keys, at
// the end; 16 equal keys each, side by side and anywhere. Each look leaves the sums as they were.
static void test_second_look(void **) {
  const size_t n = MOST, bytes = n * sizeof *keys;
  unsigned int *const data = (unsigned int *)scratch_alloc(bytes + sizeof(unsigned int));
  for (unsigned int blocks = 1; blocks <= 16; blocks += 5)
    for (int kind = 0; kind < 6; kind++) {
      for (size_t i = 0; i < n; i++)
        keys[i] = kind == 1   ? (uint32_t)((uint64_t)random_word() * 9 / 10)
                  : kind == 3 ? (uint32_t)(i / 16) * 0x9e3779b1u
                  : kind == 5 ? random_word() % (uint32_t)(n / 16) * 0x9e3779b1u
                              : random_word();
      CUDA_CHECK(cudaMemcpy(data, keys, bytes, cudaMemcpyHostToDevice));
      volatile HostVerdict *const host = fresh_host_verdict(n);
      second_look_only<<<blocks, LOOK_THREADS>>>(data, n, data + n, host);
      unsigned int found = UNKNOWN;
      CUDA_CHECK(cudaMemcpy(&found, data + n, sizeof found, cudaMemcpyDeviceToHost));
      assert_int_equal(found, kind % 2 == 0 ? FITS : ROOMIER);
      if (kind == 1) assert_true(host->roomier.crowd > 1.08f && host->roomier.crowd < 1.5f);
      if (kind == 1) assert_true(host->roomier.alike == 1);
      if (kind >= 3 && kind % 2 == 1)
        assert_true(host->roomier.alike > 10 && host->roomier.alike < 24);
    }
  scratch_free(data);
}

// What a second look shows, as a whole sort reports it; then even keys fit.
static void test_roomier(void **) {
  for (int steps = 1; steps <= 2; steps++)
    for (int kind = 0; kind < 3; kind++) {
      if (steps == 2) forced = {4, 5};
      for (size_t i = 0; i < FEW; i++)
        keys[i] = kind == 0   ? (uint32_t)((uint64_t)random_word() * 9 / 10)
                  : kind == 1 ? (uint32_t)(i / 8) * 0x9e3779b1u
                              : random_word();
      // In one step, sweeps sort what many equal keys make too uneven for regions.
      const bool by_sweeps = steps == 1 && kind == 1;
      assert_int_equal(sorts(FEW), kind == 2 || by_sweeps);
      assert_int_equal(verdict, kind == 0 ? TO_RANGE : kind == 1 && !by_sweeps ? TOO_LARGE : FITS);
      if (kind == 0) assert_true(range.crowd > 1.08f && range.crowd < 1.5f);
    }
}

// In two steps: few and many parts, in which the other bits make few and many regions.
static void test_two_steps(void **) {
  const BucketBits bits[] = {{5, 4}, {4, 7}, {8, 5}, {6, 6}, {8, 8}};
  for (unsigned int b = 0; b < sizeof bits / sizeof *bits; b++) {
    forced = bits[b];
    for (int kind = 0; kind < 3; kind++) {
      const size_t n = FEW + 1000 * b;
      for (size_t i = 0; i < n; i++)
        keys[i] = kind == 1 ? (uint32_t)(((uint64_t)i << 32) / n) : random_word();
      assert_true(sorts(n, (size_t)kind % 2));
    }
  }
}

// A part, or a region of one, gets more keys than it has room for.
static void test_full_in_two_steps(void **) {
  forced = {4, 5};
  for (int bits = forced.first; bits <= forced.first + forced.second; bits += forced.second) {
    const uint32_t regions[] = {0, (1u << bits) / 2 + 1, (1u << bits) - 1};
    for (int r = 0; r < 3; r++) {
      const unsigned int room = region_room(FEW, bits);
      uint32_t in_region = 0;
      for (size_t i = 0; i < FEW; i++) {
        const bool more = bits == forced.first ? i % 130 == 0 : i % 700 == 0;
        keys[i] = more ? regions[r] << (32 - bits) | random_word() >> bits : random_word();
        in_region += keys[i] >> (32 - bits) == regions[r];
      }
      assert_true(in_region > room);
      assert_false(sorts(FEW));
      assert_int_equal(verdict, TO_RANGE);
      assert_true(range.crowd == A_LITTLE_UNEVEN.crowd);
    }
  }
  for (size_t i = 0; i < FEW; i++) keys[i] = random_word() >> 1;
  assert_false(sorts(FEW));
  assert_int_equal(verdict, TO_RANGE);
  for (size_t i = 0; i < FEW; i++) keys[i] = random_word();
  assert_true(sorts(FEW));
}

// A plan for each n, of one step or two, with at most 4.51 bytes of scratch memory from 1.6 million
// keys on; sweeps take as many.
static void test_sizes(void **) {
  KeyRegionPlan plan;
  assert_false(sorts(REGIONS_FROM - 1));
  if (dynamic_shared_limit() < 200 * 1024) return;
  for (size_t n = REGIONS_FROM; n < (size_t)1 << 30; n += n / 7) {
    assert_true(plan_key_regions(n, &plan));
    assert_true(plan.sort->capacity >= plan.room);
    assert_int_equal(plan.bits.second > 0, n > 8900000);
    const size_t bytes = key_region_layout(n, &plan).bytes;
    if (n >= 1600000 && (double)bytes > 4.51 * (double)n) fail_msg("%zu: %zu bytes", n, bytes);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_even, begin),
      cmocka_unit_test_setup(test_full, begin),
      cmocka_unit_test_setup(test_uneven, begin),
      cmocka_unit_test_setup(test_second_look, begin),
      cmocka_unit_test_setup(test_roomier, begin),
      cmocka_unit_test_setup(test_two_steps, begin),
      cmocka_unit_test_setup(test_full_in_two_steps, begin),
      cmocka_unit_test_setup(test_sizes, begin),
  };
  return cmocka_run_group_tests_name("radix_v7 regions", tests, NULL, NULL);
}
