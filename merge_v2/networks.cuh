// Sorting a thread's keys in its registers: K. E. Batcher, "Sorting Networks and Their
// Applications", 1968, and odd-even transposition. A network compares the same places whatever the
// keys are, so every key stays in a register of a fixed name.
#ifndef MERGE_V2_NETWORKS_CUH
#define MERGE_V2_NETWORKS_CUH

#include "merge_v2/order.cuh"

static __device__ __forceinline__ void put_in_order(Key *a, Key *b) {
  const bool exchange = less(*b, *a);
  const Key low = exchange ? *b : *a, high = exchange ? *a : *b;
  *a = low;
  *b = high;
}

// Sorts N bare keys of which the first ones descend and the others ascend: Batcher's bitonic
// merger. Behind a length that is no power of two one may imagine greater keys that ascend; they
// would not be moved. APART is a power of two, at least N / 2.
template <int N, int APART = 64>
static __device__ __forceinline__ void merge_network(Key *key) {
#pragma unroll
  for (int i = 0; i + APART < N; i++)
    if (i / APART % 2 == 0) put_in_order(&key[i], &key[i + APART]);
  if constexpr (APART > 1) merge_network<N, APART / 2>(key);
}

// Sorts N bare keys by Batcher's odd-even merge sort: sorted runs of WIDTH keys are merged in
// pairs, and keys APART places apart are put in order. Equal keys may change places.
template <int N, int WIDTH = 1, int APART = WIDTH>
static __device__ __forceinline__ void sort_network(Key *key) {
#pragma unroll
  for (int i = APART % WIDTH; i + APART < N; i++)
    if ((i - APART % WIDTH) / APART % 2 == 0 && i / (2 * WIDTH) == (i + APART) / (2 * WIDTH))
      put_in_order(&key[i], &key[i + APART]);
  if constexpr (APART > 1)
    sort_network<N, WIDTH, APART / 2>(key);
  else if constexpr (2 * WIDTH < N)
    sort_network<N, 2 * WIDTH>(key);
}

// Sorts N pairs by odd-even transposition. Only neighbours are exchanged, and only if the right one
// is less: the order of equal keys is kept.
template <int N>
static __device__ __forceinline__ void sort_pairs(Key *key, unsigned int *position) {
#pragma unroll
  for (int round = 0; round < N; round++)
#pragma unroll
    for (int i = round % 2; i + 1 < N; i += 2) {
      const bool exchange = less(key[i + 1], key[i]);
      const unsigned int first = exchange ? position[i + 1] : position[i];
      position[i + 1] = exchange ? position[i] : position[i + 1];
      position[i] = first;
      put_in_order(&key[i], &key[i + 1]);
    }
}

#endif
