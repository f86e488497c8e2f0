// Sorting a thread's keys in its registers. A network compares the same places whatever the keys
// are, so every key stays in a register of a fixed name.
#ifndef MERGE_V2_NETWORKS_CUH
#define MERGE_V2_NETWORKS_CUH

#include "merge_v2/order.cuh"

static __device__ __forceinline__ void put_in_order(Key *a, Key *b) {
  const bool exchange = less(*b, *a);
  const Key low = exchange ? *b : *a, high = exchange ? *a : *b;
  *a = low;
  *b = high;
}

// Sorts N bare keys. K. E. Batcher's odd-even merge sort, 1968, for any N: runs of `width` keys
// are merged in pairs; equal keys may change places.
template <int N>
static __device__ __forceinline__ void sort_network(Key *key) {
#pragma unroll
  for (int width = 1; width < N; width *= 2)
#pragma unroll
    for (int apart = width; apart > 0; apart /= 2)
#pragma unroll
      for (int i = 0; i + apart < N; i++)
        if (i >= apart % width && (i - apart % width) / apart % 2 == 0 &&
            i / (2 * width) == (i + apart) / (2 * width))
          put_in_order(&key[i], &key[i + apart]);
}

// Sorts N bare keys of which the first ones descend and the others ascend: Batcher's bitonic
// merger, 1968. Behind a length that is no power of two one may imagine greater keys that ascend;
// they would not be moved.
template <int N>
static __device__ __forceinline__ void merge_network(Key *key) {
#pragma unroll
  for (int apart = 64; apart > 0; apart /= 2)
#pragma unroll
    for (int i = 0; i + apart < N; i++)
      if (i / apart % 2 == 0) put_in_order(&key[i], &key[i + apart]);
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
