// Sorts of a few keys in shared memory: by one thread, in registers, or by one warp.
#ifndef GSORT_WARP_SMALL_SORTS_CUH
#define GSORT_WARP_SMALL_SORTS_CUH

#include "gsort/warp/scan.cuh"

// A sorting network: comparison c is between the indices a[c] < b[c].
typedef struct Network {
  int length, a[192], b[192];
} Network;

// Batcher's merge exchange for any number of keys (Knuth, "The Art of Computer Programming" 3,
// 5.2.2, algorithm M): sorted runs are merged in pairs. Eight keys take 19 comparisons.
static __host__ __device__ constexpr Network merge_exchange(int keys) {
  Network network = {};
  for (int run = 1; run < keys; run *= 2)
    for (int distance = run; distance > 0; distance /= 2)
      for (int begin = distance % run; begin + distance < keys; begin += 2 * distance)
        for (int a = begin; a < begin + distance && a + distance < keys; a++)
          if (a / (2 * run) == (a + distance) / (2 * run)) {
            network.a[network.length] = a;
            network.b[network.length++] = a + distance;
          }
  return network;
}

// Sorts the keys of a thread.
template <int kSlots, class Key>
static __device__ __forceinline__ void sort_in_registers(Key (&k)[kSlots]) {
  constexpr Network network = merge_exchange(kSlots);
#pragma unroll
  for (int c = 0; c < network.length; c++) {
    const Key lesser = min(k[network.a[c]], k[network.b[c]]);
    k[network.b[c]] = max(k[network.a[c]], k[network.b[c]]);
    k[network.a[c]] = lesser;
  }
}

// Sorts keys[0..count), count <= kSlots, in registers k; empty slots hold the largest key.
template <int kSlots>
static __device__ __forceinline__ void sort_few(unsigned int *keys, int count,
                                                unsigned int (&k)[kSlots]) {
#pragma unroll
  for (int i = 0; i < kSlots; i++) k[i] = i < count ? keys[i] : 0xffffffffu;
  sort_in_registers(k);
#pragma unroll
  for (int i = 0; i < kSlots; i++)
    if (i < count) keys[i] = k[i];
}

template <int kSlots>
static __device__ __forceinline__ void sort_few(unsigned int *keys, int count) {
  unsigned int k[kSlots];
  sort_few<kSlots>(keys, count, k);
}

// Elements of a bin that a warp sorts. With more, passes over all of the block's are faster.
enum { MOST_IN_BIN = 2 * WARP_SIZE };

// A warp sorts up to MOST_IN_BIN elements: the index of each is the number of smaller ones. kEqual:
// elements may be equal, and mostly all of them are.
template <bool kEqual>
static __device__ __forceinline__ void rank_in_bin(unsigned int *element, unsigned int members) {
  constexpr int kEach = MOST_IN_BIN / WARP_SIZE;
  const unsigned int lane = threadIdx.x % WARP_SIZE;
  unsigned int mine[kEach], rank[kEach];
  bool differs = !kEqual;
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    const bool exists = lane + k * WARP_SIZE < members;
    mine[k] = exists ? element[lane + k * WARP_SIZE] : ~0u;
    rank[k] = 0;
    if (kEqual) differs |= exists && mine[k] != element[0];
  }
  if (kEqual && !__any_sync(0xffffffffu, differs)) return;
#pragma unroll 8
  for (unsigned int i = 0; i < members; i++)
#pragma unroll
    for (int k = 0; k < kEach; k++)
      rank[k] +=
          element[i] < mine[k] || (kEqual && element[i] == mine[k] && i < lane + k * WARP_SIZE);
  __syncwarp();
#pragma unroll
  for (int k = 0; k < kEach; k++)
    if (lane + k * WARP_SIZE < members) element[rank[k]] = mine[k];
}

#endif
