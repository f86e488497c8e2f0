// The first pass for bare keys: each warp sorts 1,024 keys in its registers, without shared memory
// and without a search; then runs are merged in pairs until one is left.
#ifndef MERGE_V2_SORT_WARPS_CUH
#define MERGE_V2_SORT_WARPS_CUH

#include <string.h>

#include "common/overlap.cuh"
#include "merge_v2/merge_path.cuh"

enum { WARP_ITEMS = 32, WARP_RUN = 32 * WARP_ITEMS };

// The value of lane `lane ^ mask`, 32 bits at a time.
template <class Value>
static __device__ __forceinline__ Value shuffle_xor(Value value, unsigned int mask) {
  unsigned int part[sizeof(Value) / 4];
  memcpy(part, &value, sizeof value);
#pragma unroll
  for (unsigned int i = 0; i < sizeof(Value) / 4; i++)
    part[i] = __shfl_xor_sync(~0u, part[i], (int)mask);
  memcpy(&value, part, sizeof value);
  return value;
}

// The greater of two keys if `upper`, or the lesser.
static __device__ __forceinline__ Key pick(Key own, Key other, bool upper) {
  return less(other, own) != upper ? other : own;
}

// Sorts the keys of a warp, 32 consecutive ones of each lane: Batcher's bitonic sort. Runs of
// `lanes` / 2 lanes are merged in pairs. Key i of a run is compared with key i from the end of the
// next; what remains is bitonic, and lanes half as far apart are compared each time.
static __device__ __forceinline__ void sort_warp(Key *key) {
  const unsigned int lane = threadIdx.x % 32;
  sort_network<WARP_ITEMS>(key);
#pragma unroll 1
  for (unsigned int lanes = 2; lanes <= 32; lanes *= 2) {
    const bool upper = (lane & (lanes / 2)) != 0;
#pragma unroll
    for (int i = 0; i < WARP_ITEMS / 2; i++) {
      Key *const a = &key[i], *const b = &key[WARP_ITEMS - 1 - i];
      const Key from_a = shuffle_xor(*a, lanes - 1), from_b = shuffle_xor(*b, lanes - 1);
      *a = pick(*a, from_b, upper);
      *b = pick(*b, from_a, upper);
    }
#pragma unroll 1
    for (unsigned int apart = lanes / 4; apart > 0; apart /= 2)
#pragma unroll
      for (int i = 0; i < WARP_ITEMS; i++)
        key[i] = pick(key[i], shuffle_xor(key[i], apart), (lane & apart) != 0);
    merge_network<WARP_ITEMS>(key);
  }
}

// Loads keys lane, lane + 32, .. of a warp's `count`; missing ones become copies of the greatest.
static __device__ __forceinline__ void load_warp(const Key *from, unsigned int count, Key *key) {
  const unsigned int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < WARP_ITEMS; i++) key[i] = from[min(i * 32 + lane, count - 1)];
  if (count == WARP_RUN) return;
  Key greatest = key[0];
#pragma unroll
  for (int i = 1; i < WARP_ITEMS; i++) greatest = pick(greatest, key[i], true);
#pragma unroll 1
  for (unsigned int mask = 1; mask < 32; mask *= 2)
    greatest = pick(greatest, shuffle_xor(greatest, mask), true);
#pragma unroll
  for (int i = 0; i < WARP_ITEMS; i++)
    if (i * 32 + lane >= count) key[i] = greatest;
}

// Block b sorts keys b * tile to (b + 1) * tile - 1 of n, tile = THREADS * 32. `to` may be `from`.
template <int THREADS, int ITEMS>
static __global__ void __launch_bounds__(THREADS, resident_blocks(THREADS, ITEMS, false))
    sort_warps(const Key *from, Key *to, size_t n) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ unsigned int cuts[THREADS];
  enum { TILE = THREADS * WARP_ITEMS };
  static_assert(ITEMS == WARP_ITEMS + 1, "32 rows of ITEMS keys hold a warp's run");
  wait_for_previous_kernel();
  const size_t base = (size_t)blockIdx.x * TILE;
  const unsigned int count = (unsigned int)min(n - base, (size_t)TILE);
  const Elements tile = tile_in(shared, TileSize<THREADS, ITEMS>::ALL);
  const unsigned int lane = threadIdx.x % 32, begin = threadIdx.x / 32 * WARP_RUN;
  Key key[WARP_ITEMS];
  // Through rows of 33 keys, so that neither columns nor rows meet in a bank.
  Key *const rows = tile.keys + threadIdx.x / 32 * 32 * ITEMS;
  // A warp without keys sorts those of the first warp once more, and nobody reads them.
  const unsigned int of = begin < count ? begin : 0, own = count - of;
  load_warp(from + base + of, min(own, (unsigned int)WARP_RUN), key);
  sort_warp(key);
#pragma unroll
  for (int i = 0; i < WARP_ITEMS; i++) rows[lane * ITEMS + i] = key[i];
  __syncwarp();
#pragma unroll
  for (int i = 0; i < WARP_ITEMS; i++) key[i] = rows[i * ITEMS + lane];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < WARP_ITEMS; i++) tile.keys[begin + i * 32 + lane] = key[i];
  // Pairs of runs of `length` keys, `apart` places from one begin to the next.
  unsigned int apart = WARP_RUN;
  for (unsigned int length = WARP_RUN; length < count; length *= 2) {
    const unsigned int threads = (2 * length + ITEMS - 1) / ITEMS;
    const unsigned int pair = threadIdx.x / threads, first = pair * 2 * length;
    const unsigned int left = first < count ? count - first : 0;
    const unsigned int both = left < 2 * length ? left : 2 * length;
    const Run a = {left > 0 ? pair * 2 * apart : 0, both < length ? both : length};
    const Run b = {a.begin + apart, both - a.length};
    merge_round<ITEMS, false>(tile, cuts, a, b, threadIdx.x % threads * ITEMS, false);
    apart = threads * ITEMS;
  }
  __syncthreads();
  const Elements output = {to + base, NULL};
  write_tile<THREADS, ITEMS, false>(output, tile, count);
}

#endif
