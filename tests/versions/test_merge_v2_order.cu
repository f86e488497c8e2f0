// merge_v2 by another order: keys of two 32-bit values, the first descending, the second ascending.
// Only the file order.cuh is replaced, as in the handout.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
extern "C" {
#include <cmocka.h>
}

#include <cuda_runtime.h>
#include <stdlib.h>

#include "common/check.h"
#include "common/knobs.h"
#include "common/stages.h"

#define MERGE_V2_ORDER_CUH  // in place of merge_v2/order.cuh
typedef uint2 Key;

static __host__ __device__ __forceinline__ bool less(Key a, Key b) {
  return a.x != b.x ? a.x > b.x : a.y < b.y;
}

#include "merge_v2/passes.cuh"

static const char *const stages[] = {"sort", "merge", NULL};
static const SortKnob knobs[] = {{}};
static const SortVersion version = {"", "", "", true, UINT32_MAX, 0, stages, knobs};

enum { MOST = 40000 };
static uint2 keys[MOST], sorted[MOST];
static unsigned int positions[MOST];

static int begin(void **) {
  knobs_begin(&version);
  stages_begin(&version, false);
  return 0;
}

// Each part of a key takes `values` values.
static void draw(size_t n, unsigned int values) {
  static uint64_t state = 1;
  for (size_t i = 0; i < n; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    keys[i].x = (uint32_t)(state >> 40) % values;
    keys[i].y = (uint32_t)(state >> 16) % values;
    positions[i] = (unsigned int)i;
  }
}

static void *to_device(const void *from, size_t bytes) {
  void *copy = NULL;
  CUDA_CHECK(cudaMalloc(&copy, bytes));
  CUDA_CHECK(cudaMemcpy(copy, from, bytes, cudaMemcpyHostToDevice));
  return copy;
}

// A sorted and stable permutation: each element is found by its position, and of two neighbours the
// second is not less, nor equal with a smaller position.
static void check(size_t n, const unsigned int *from) {
  static bool seen[MOST];
  for (size_t i = 0; i < n; i++) seen[i] = false;
  for (size_t i = 0; i < n; i++) {
    assert_true(from[i] < n && !seen[from[i]]);
    seen[from[i]] = true;
    assert_memory_equal(&sorted[i], &keys[from[i]], sizeof(Key));
    if (i == 0) continue;
    assert_false(less(sorted[i], sorted[i - 1]));
    if (!less(sorted[i - 1], sorted[i])) assert_true(from[i - 1] < from[i]);
  }
}

static void sort_and_check(size_t n, unsigned int values, int shape, int doublings) {
  static unsigned int result[MOST];
  draw(n, values);
  const Elements input = {(Key *)to_device(keys, n * sizeof(Key)),
                          (unsigned int *)to_device(positions, n * sizeof *positions)};
  const Elements output = {(Key *)to_device(keys, n * sizeof(Key)),
                           (unsigned int *)to_device(positions, n * sizeof *positions)};
  merge_sort<true>(input, output, n, shape, doublings);
  CUDA_CHECK(cudaMemcpy(sorted, output.keys, n * sizeof(Key), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaMemcpy(result, output.positions, n * sizeof *result, cudaMemcpyDeviceToHost));
  check(n, result);
  CUDA_CHECK(cudaFree(input.keys));
  CUDA_CHECK(cudaFree(input.positions));
  CUDA_CHECK(cudaFree(output.keys));
  CUDA_CHECK(cudaFree(output.positions));
}

static void test_two_words(void **state) {
  (void)state;
  sort_and_check(1000, 1000000, 0, 3);
  sort_and_check(20001, 1000000, 1, 3);
  sort_and_check(40000, 1000000, 2, 2);
}

static void test_equal_keys_keep_their_order(void **state) {
  (void)state;
  sort_and_check(20001, 3, 1, 3);
  sort_and_check(17137, 2, 4, 1);
  sort_and_check(30000, 1, 3, 3);
}

// The cuts against their definition, for every rank of runs of unequal length.
static __global__ void cut_everywhere(const Key *first, size_t width, const unsigned int *length,
                                      unsigned int count, unsigned int *cuts) {
  const unsigned int rank = blockIdx.x * blockDim.x + threadIdx.x;
  if (rank > count) return;
  unsigned int own[4], cut[4];
  for (int j = 0; j < 4; j++) own[j] = length[j];
  cut_at_rank<4>(first, width, own, rank, cut);
  for (int j = 0; j < 4; j++) cuts[rank * 4 + j] = cut[j];
}

static int by_order(const void *a, const void *b) {
  const Key x = *(const Key *)a, y = *(const Key *)b;
  return less(y, x) - less(x, y);
}

static void test_cuts(void **state) {
  (void)state;
  enum { WIDTH = 37 };
  const unsigned int length[4] = {WIDTH, WIDTH, 20, 0};
  const unsigned int count = 2 * WIDTH + 20;
  static unsigned int cuts[(2 * WIDTH + 21) * 4];
  for (unsigned int values = 1; values < 200; values += 33) {
    draw(4 * WIDTH, values);
    for (int j = 0; j < 4; j++) qsort(keys + j * WIDTH, length[j], sizeof(Key), by_order);
    Key *const d_keys = (Key *)to_device(keys, 4 * WIDTH * sizeof(Key));
    unsigned int *const d_length = (unsigned int *)to_device(length, sizeof length);
    unsigned int *const d_cuts = (unsigned int *)to_device(cuts, sizeof cuts);
    cut_everywhere<<<1, 128>>>(d_keys, WIDTH, d_length, count, d_cuts);
    LAUNCH_CHECK();
    CUDA_CHECK(cudaMemcpy(cuts, d_cuts, sizeof cuts, cudaMemcpyDeviceToHost));
    for (unsigned int rank = 0; rank <= count; rank++) {
      const unsigned int *const cut = cuts + rank * 4;
      assert_int_equal(cut[0] + cut[1] + cut[2] + cut[3], rank);
      for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
          assert_true(cut[j] <= length[j]);
          if (cut[i] == 0 || cut[j] == length[j]) continue;
          const Key before = keys[i * WIDTH + cut[i] - 1], behind = keys[j * WIDTH + cut[j]];
          assert_true(less(before, behind) || (!less(behind, before) && i <= j));
        }
    }
    CUDA_CHECK(cudaFree(d_keys));
    CUDA_CHECK(cudaFree(d_length));
    CUDA_CHECK(cudaFree(d_cuts));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_two_words, begin),
      cmocka_unit_test_setup(test_equal_keys_keep_their_order, begin),
      cmocka_unit_test(test_cuts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
