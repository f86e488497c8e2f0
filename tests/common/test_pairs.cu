// Keys with or without positions, on the device and on the host, and overlapped launches.
#include "common/host_pairs.h"
#include "common/launch.cuh"
#include "common/pairs.cuh"
#include "tests/unit.h"

enum { LARGEST = 1025 };

static uint32_t keys[LARGEST], positions[LARGEST], actual[LARGEST];

static const size_t sizes[] = {0, 1, 31, 32, 33, 255, 256, 257, 1023, 1024, LARGEST};

// Copies n keys and, unless `positions` is NULL, their positions; pairs_free frees the copies.
static Pairs pairs_to_device(const uint32_t *keys, const uint32_t *positions, size_t n) {
  return Pairs{to_device(keys, n), positions != NULL ? to_device(positions, n) : NULL};
}

static void pairs_free(Pairs pairs) {
  CUDA_CHECK(cudaFree(pairs.keys));
  CUDA_CHECK(cudaFree(pairs.positions));
}

// Compares n keys and, unless it holds bare keys, their positions with those expected.
static void expect_pairs(Pairs pairs, const uint32_t *keys, const uint32_t *positions, size_t n) {
  uint32_t *const actual = (uint32_t *)MEMORY_CHECK(malloc((n + 1) * sizeof *actual));
  to_host(actual, pairs.keys, n);
  expect_array("keys", actual, keys, n);
  if (pairs.positions != NULL) {
    to_host(actual, pairs.positions, n);
    expect_array("positions", actual, positions, n);
  }
  free(actual);
}

static int draw(void **) {
  for (uint32_t i = 0; i < LARGEST; i++) {
    keys[i] = next_random();
    positions[i] = next_random();
  }
  return 0;
}

static Pairs pairs_alloc(size_t n, bool with_positions) {
  return pairs_to_device(keys, with_positions ? positions : NULL, n);
}

TEST(test_blocks_for) {
  assert_int_equal(blocks_for(0, 256), 0);
  assert_int_equal(blocks_for(1, 256), 1);
  assert_int_equal(blocks_for(256, 256), 1);
  assert_int_equal(blocks_for(257, 256), 2);
  assert_int_equal(blocks_for((size_t)1 << 33, 1024), 1 << 23);
}

static __global__ void reverse(Pairs from, Pairs to, size_t n) {
  const size_t i = global_index();
  if (i < n) move_pair(to, n - 1 - i, from, i);
}

static void check_moves(size_t n, bool with_positions) {
  static uint32_t reversed_keys[LARGEST], reversed_positions[LARGEST];
  for (size_t i = 0; i < n; i++) {
    reversed_keys[i] = keys[n - 1 - i];
    reversed_positions[i] = positions[n - 1 - i];
  }
  Pairs from = pairs_alloc(n, with_positions), to = pairs_alloc(n, with_positions);
  reverse<<<blocks_for(n, 64) + 1, 64>>>(from, to, n);
  LAUNCH_CHECK();
  expect_pairs(from, keys, positions, n);
  expect_pairs(to, reversed_keys, reversed_positions, n);
  swap_pairs(&from, &to);
  expect_pairs(from, reversed_keys, reversed_positions, n);
  expect_pairs(to, keys, positions, n);
  copy_pairs(to, from, n);
  expect_pairs(to, reversed_keys, reversed_positions, n);
  pairs_free(from);
  pairs_free(to);
}

TEST(test_moves) {
  for (size_t n : sizes) {
    check_moves(n, false);
    check_moves(n, true);
  }
}

static void check_host(size_t n, bool with_positions) {
  const Pairs device = pairs_alloc(n, with_positions);
  const HostPairs host = host_pairs_alloc(n, with_positions);
  assert_int_equal(host.positions != NULL, with_positions);
  copy_to_host(host, device.keys, device.positions, n);
  expect_array("keys", host.keys, keys, n);
  if (with_positions) expect_array("positions", host.positions, positions, n);
  for (size_t i = 0; i < n; i++) host.keys[i] = ~keys[i];
  copy_to_device(device.keys, device.positions, host, n);
  to_host(actual, device.keys, n);
  for (size_t i = 0; i < n; i++) assert_int_equal(actual[i], ~keys[i]);
  host_pairs_free(host);
  pairs_free(device);
}

TEST(test_host) {
  for (size_t n : sizes) {
    check_host(n, false);
    check_host(n, true);
  }
}

// Each kernel needs the result of the one before it.
static __global__ void add_neighbour(const unsigned int *in, unsigned int *out, unsigned int n) {
  wait_for_previous_kernel();
  const unsigned int i = (unsigned int)global_index();
  if (i < n) out[i] = in[i] + in[(i + 1) % n];
}

TEST(test_overlapped_launches) {
  uint32_t *d_in = to_device(keys, LARGEST), *d_out = to_device(keys, LARGEST);
  uint32_t expected[LARGEST], next[LARGEST];
  memcpy(expected, keys, sizeof expected);
  for (int round = 0; round < 20; round++) {
    launch_overlapped(add_neighbour, blocks_for(LARGEST, 64), 64, 0, d_in, d_out,
                      (unsigned int)LARGEST);
    for (int i = 0; i < LARGEST; i++) next[i] = expected[i] + expected[(i + 1) % LARGEST];
    memcpy(expected, next, sizeof expected);
    uint32_t *const d_next = d_in;
    d_in = d_out;
    d_out = d_next;
  }
  to_host(actual, d_in, LARGEST);
  expect_array("overlapped", actual, expected, LARGEST);
  CUDA_CHECK(cudaFree(d_in));
  CUDA_CHECK(cudaFree(d_out));
}

RUN_TESTS("pairs", draw, NULL)
