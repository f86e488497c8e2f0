// For tests of radix_v7's ways to sort pairs: inputs, and the check of one sort.
#ifndef TESTS_VERSIONS_RADIX_V7_PAIRS_CUH
#define TESTS_VERSIONS_RADIX_V7_PAIRS_CUH

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
#include "radix_v7/evenness.cuh"
#include "radix_v7/prefix_plans.cuh"
#include "tests/reference_sort.h"

static const char *const stages[] = {"hist", "sweep", NULL};
static const SortKnob knobs[] = {{"shape", 0, 0, SHAPES, ""},
                                 {"frequentFrom", FREQUENT_FROM, 1, 1 << 30, ""},
                                 {"largeFrom", 1, 1, 1 << 30, ""},
                                 {"longRuns", 0, 0, 2, ""},
                                 {"packedFrom", PACKED_FROM, 0, 1 << 30, ""},
                                 {"prefixPlan", 0, -1, PREFIX_PLANS, ""},
                                 {"sampledUpTo", 500000, 0, 500000, ""},
                                 {}};
static const SortVersion version = {"", "", "", true, UINT32_MAX, 0, stages, knobs};

#ifndef PAIRS_ROOM
#define PAIRS_ROOM 250000
#endif
enum { MOST = 60000, ROOM = PAIRS_ROOM };  // a test defines PAIRS_ROOM if it has more
static uint32_t keys[ROOM], positions[ROOM], expected[ROOM], order[ROOM], result[ROOM];

static inline int begin(void **) {
  knobs_begin(&version);
  stages_begin(&version, false);
  return 0;
}

static inline void set(const char *name, int value) {
  knob_set(knob_find(&version, name, strlen(name)), value);
}

static uint32_t random_word(void) {
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 32);
}

typedef bool Sort(Pairs, Pairs, size_t);

enum { ALIGNED_WORDS = 64 };  // scratch memory is aligned to 256 bytes

// A copy of keys[0..n) and positions[0..n), each array 0 to 3 words behind an aligned address.
static Pairs allocate(size_t n) {
  const size_t bytes = (n + 3) * sizeof *keys;
  const Pairs pairs = {(unsigned int *)scratch_alloc(bytes) + random_word() % 4,
                       (unsigned int *)scratch_alloc(bytes) + random_word() % 4};
  CUDA_CHECK(cudaMemcpy(pairs.keys, keys, n * sizeof *keys, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(pairs.positions, positions, n * sizeof *keys, cudaMemcpyHostToDevice));
  return pairs;
}

static void release(Pairs pairs) {
  scratch_free(pairs.positions - (uintptr_t)pairs.positions / sizeof *keys % ALIGNED_WORDS);
  scratch_free(pairs.keys - (uintptr_t)pairs.keys / sizeof *keys % ALIGNED_WORDS);
}

static void compare(const char *what, const unsigned int *device, const uint32_t *with, size_t n) {
  CUDA_CHECK(cudaMemcpy(result, device, n * sizeof *result, cudaMemcpyDeviceToHost));
  for (size_t i = 0; i < n; i++)
    if (result[i] != with[i]) fail_msg("%s[%zu] is %u, expected %u", what, i, result[i], with[i]);
}

// Sorts keys[0..n) with positions; checks the result, or the input if it did not fit.
static bool sorts(Sort *sort, size_t n) {
  for (size_t i = 0; i < n; i++) {
    expected[i] = keys[i];
    positions[i] = (uint32_t)i;
  }
  reference_sort(expected, order, n);
  const Pairs in = allocate(n), out = allocate(n);
  const bool sorted = sort(in, out, n);
  compare("key", sorted ? out.keys : in.keys, sorted ? expected : keys, n);
  compare("position", sorted ? out.positions : in.positions, sorted ? order : positions, n);
  release(out);
  release(in);
  assert_int_equal(scratch_outstanding(), 0);
  return sorted;
}

// Inputs by number: uniform; two random halves with few values below; sorted; all equal in the
// lower bits; one key in 20 the same.
enum { KINDS = 5 };
static inline void fill(size_t n, int kind) {
  for (size_t i = 0; i < n; i++) {
    const uint32_t word = random_word();
    keys[i] = kind == 0   ? word
              : kind == 1 ? (word & 0xffff0000u) | (random_word() & 3)
              : kind == 2 ? (uint32_t)(((uint64_t)i << 32) / n)
              : kind == 3 ? word & 0xfff00000u
                          : (word % 20 == 0 ? 0x80000001u : random_word());
  }
}

// Every sixth key in one of `large` buckets by the first `bits` bits, too large for `capacity`: of
// one value, and of many; first, last and between. Returns how many keys.
static inline size_t fill_large(uint32_t large, uint32_t capacity, int bits) {
  const int low_bits = 32 - bits;
  const size_t n = 6 * large * (capacity + 99);
  assert_true(n <= ROOM);
  for (size_t i = 0; i < n; i++) {
    const uint32_t which = (uint32_t)(i / 6) % large;
    const uint32_t bucket = which == 0 ? 0 : which == 1 ? ~0u : 0x9e3779b9u * which;
    const uint32_t lower = which == 1 ? 77 : random_word();
    keys[i] = i % 6 != 0 ? random_word()
                         : (bucket >> low_bits << low_bits) | (lower & ((1u << low_bits) - 1));
  }
  return n;
}

// What the kernels' samples scramble their numbers by (watched_count.cuh).
static inline uint32_t scrambled(uint32_t x) {
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

// Whether the sample of evenness.cuh has key i of n.
static inline bool is_sampled(size_t i, size_t n) {
  const size_t samples = LOOK_THREADS * LOOK_EACH;
  const uint64_t nearest = i * samples / n;
  for (uint64_t s = nearest < 1 ? 0 : nearest - 1; s <= nearest + 1 && s < samples; s++) {
    const uint64_t within = (uint64_t)scrambled((uint32_t)s) * (n / samples) >> 32;
    const size_t sampled = s * n / samples + within;
    if (i == sampled) return true;
  }
  return false;
}

// The first plan whose sweeps take `low` and `high` bits, as a value of the knob prefixPlan.
static inline int plan_of(int low, int high) {
  for (int i = 0; i < PREFIX_PLANS; i++)
    if (prefix_plans[i].bits.low == low && prefix_plans[i].bits.high == high) return i + 1;
  fail_msg("no plan of %d and %d bits", low, high);
  return 0;
}

// Whether a plan has more buckets than the cpu backend sorts in reasonable time.
static inline bool many_buckets(int plan) {
  return prefix_plans[plan - 1].bits.low + prefix_plans[plan - 1].bits.high > 13;
}

#endif
