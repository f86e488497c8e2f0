// bitonic_v2's tile: do the windows cover it without bank conflicts, and is the sort of pairs by
// words stable for keys that agree in their upper bits?
#include "tests/unit.h"

#include "bitonic_v2/tile.cuh"
#include "bitonic_v2/words.cuh"

enum { MOST = 4096 };
static uint32_t keys[MOST], positions[MOST], expected[MOST], order_of[MOST], result[MOST];

// places[e threads + t]: place of item e of thread t.
template <int ITEM_BITS>
static __global__ void compute_places(unsigned int *places, int low, bool mirror) {
  const Window window = window_at<ITEM_BITS>(low, mirror);
  for (unsigned int e = 0; e < 1u << ITEM_BITS; e++)
    places[e * blockDim.x + threadIdx.x] = window_place<ITEM_BITS>(window, e);
}

// Each place occurs once; the 32 accesses of a warp to item e go to 32 banks.
static void check_places(unsigned int items, unsigned int threads, int low) {
  static bool taken[MOST];
  memset(taken, 0, sizeof taken);
  for (unsigned int first = 0; first < items * threads; first += WARP) {
    uint32_t banks = 0;
    for (unsigned int i = first; i < first + WARP; i++) {
      assert_true(result[i] < items * threads && !taken[result[i]]);
      taken[result[i]] = true;
      banks |= 1u << result[i] % WARP;
    }
    if (banks != UINT32_MAX)
      fail_msg("%u items, window at %d: banks %08x", items, low, (unsigned int)banks);
  }
}

template <int ITEM_BITS>
static void check_windows(void) {
  enum { THREADS = 128, THREAD_BITS = 7, TILE = THREADS << ITEM_BITS };
  for (int low = 0; low <= THREAD_BITS; low++)
    for (int mirror = 0; mirror < 2; mirror++) {
      unsigned int *const places = to_device(result, TILE);
      compute_places<ITEM_BITS><<<1, THREADS>>>(places, low, mirror != 0);
      LAUNCH_CHECK();
      to_host(result, places, TILE);
      free_device(places);
      check_places(1u << ITEM_BITS, THREADS, low);
    }
}

TEST(test_windows) {
  check_windows<1>();
  check_windows<2>();
  check_windows<3>();
  check_windows<4>();
  check_windows<5>();
}

template <int ITEM_BITS, int THREAD_BITS>
static __global__ void __launch_bounds__(1 << THREAD_BITS)
    sort_one_pair_tile(Pairs from, Pairs to, unsigned int n) {
  extern __shared__ unsigned int shared[];
  sort_pairs<ITEM_BITS, THREAD_BITS>(from, to, n, shared);
}

enum { TILE_OF_PAIRS = 1024 };

static void check_pairs(size_t n) {
  for (size_t i = 0; i < n; i++) {
    expected[i] = keys[i];
    positions[i] = (uint32_t)i;
  }
  reference_sort(expected, order_of, n);
  const Pairs from = {to_device(keys, n), to_device(positions, n)};
  const Pairs to = {to_device(keys, n), to_device(positions, n)};
  sort_one_pair_tile<3, 7>
      <<<1, 128, 3 * TILE_OF_PAIRS * sizeof(unsigned int)>>>(from, to, (unsigned int)n);
  LAUNCH_CHECK();
  expect_device("keys", to.keys, expected, n);
  expect_device("positions", to.positions, order_of, n);
  free_device(to.keys, to.positions, from.keys, from.positions);
}

// Keys by kind: uniform; equal; few bits; all bits, but in pairs that differ in the lowest bit
// (odd-even exchanges repair them); one outlier above keys that differ in the lower bits only (they
// cannot); 0 and 2^32 - 1.
enum { KINDS = 6 };
static uint32_t key_of_kind(int kind, size_t i, size_t n) {
  const uint32_t word = next_random();
  if (kind == 0) return word;
  if (kind == 1) return 7u << 29;
  if (kind == 2) return word & 0x3f0u;
  if (kind == 3) return (uint32_t)(i / 2 * 2654435761u & ~1u) | (uint32_t)(i % 2 == 0);
  if (kind == 4) return i == n / 3 ? UINT32_MAX : word & 1023u;
  return word % 2 == 0 ? 0 : UINT32_MAX;
}

TEST(test_pairs) {
  static const size_t sizes[] = {1, 2, 31, 33, 500, TILE_OF_PAIRS - 1, TILE_OF_PAIRS};
  for (int kind = 0; kind < KINDS; kind++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      for (size_t i = 0; i < sizes[s]; i++) keys[i] = key_of_kind(kind, i, sizes[s]);
      check_pairs(sizes[s]);
    }
}

RUN_TESTS("bitonic_v2: tile", NULL, NULL)
