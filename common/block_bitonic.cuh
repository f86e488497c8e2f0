// Bitonic sorting of any number of elements, several steps of the network per visit to memory.
//
// The network (Batcher, "Sorting networks and their applications", 1968), here in the form in which
// every comparison is ascending: stage m merges sorted runs of 2^(m-1) elements to runs of 2^m. Its
// first step compares each element with its mirror image in the run of 2^m, i with i ^ (2^m - 1);
// the other steps compare i with i ^ distance, for distance 2^(m-2), .., 2, 1.
//
//   stage 3     [1 4 6 8 | 2 3 5 7]
//   mirror       1-7 4-5 6-3 8-2            ->  [1 4 3 2 | 8 6 5 7]
//   distance 2   1-3 4-2       8-5 6-7      ->  [1 2 | 3 4 | 5 6 | 8 7]
//   distance 1   1-2   3-4   5-6   8-7      ->  [1 2 3 4 5 6 7 8]
//
// Any length: the array counts as padded with infinity to the next power of two. An ascending
// comparison never moves the padding, because it is already the greater element of its pair. So the
// padding needs no memory, and a comparison with it can be skipped. (In the textbooks' network runs
// alternate between ascending and descending, and the descending comparisons would move it.)
//
// Several steps per visit: 2^STEPS elements whose indices differ only in STEPS bits are compared
// only with each other in the STEPS steps that belong to these bits. A thread loads such a group
// into registers, performs the steps there, and stores it: 3 steps per visit cost a third of the
// memory traffic and of the barriers.
//
// Not stable: two equal keys are never exchanged, but one can overtake the other in an exchange
// with a third key.
#ifndef COMMON_BLOCK_BITONIC_CUH
#define COMMON_BLOCK_BITONIC_CUH

#include <stdint.h>

#include "common/device.h"
#include "common/pairs.cuh"

enum { MAX_BITONIC_STEPS = 3 };

// The steps of a visit.
enum BitonicVisit {
  SORT_NEIGHBOURS,  // all steps that sort 2^STEPS neighbours
  MIRROR_FIRST,     // the first steps of a stage; the very first compares mirror images
  ONWARD            // later steps of a stage
};

typedef struct Element {
  unsigned int key, position;
} Element;

// PAIRS false: bare keys; positions are neither read nor written.
template <bool PAIRS>
static __device__ __forceinline__ void compare_exchange(Element *a, Element *b) {
  const Element first = *a, second = *b;
  const bool exchange = first.key > second.key;
  a->key = min(first.key, second.key);
  b->key = max(first.key, second.key);
  if (PAIRS) a->position = exchange ? second.position : first.position;
  if (PAIRS) b->position = exchange ? first.position : second.position;
}

// Compares every element[e] with element[e ^ mask].
//   mask 3  [4 3 2 1]  ->  [1 2 3 4]
template <int STEPS, bool PAIRS>
static __device__ __forceinline__ void exchange_all(Element *element, int mask) {
#pragma unroll
  for (int e = 0; e < 1 << STEPS; e++)
    if ((e ^ mask) > e) compare_exchange<PAIRS>(&element[e], &element[e ^ mask]);
}

// Performs the last `active` of STEPS steps on elements in registers. Bit d of an index there
// stands for the distance stride << d in memory.
template <int STEPS, bool PAIRS, BitonicVisit VISIT>
static __device__ __forceinline__ void do_steps_in_registers(Element *element, int active) {
  if (VISIT == SORT_NEIGHBOURS) {
#pragma unroll
    for (int stage = 1; stage <= STEPS; stage++) {
      exchange_all<STEPS, PAIRS>(element, (1 << stage) - 1);
#pragma unroll
      for (int d = stage - 2; d >= 0; d--) exchange_all<STEPS, PAIRS>(element, 1 << d);
    }
  } else {
#pragma unroll
    for (int d = STEPS - 1; d >= 0; d--) {
      const bool mirror = VISIT == MIRROR_FIRST && d == STEPS - 1;
      if (d < active) exchange_all<STEPS, PAIRS>(element, mirror ? (1 << STEPS) - 1 : 1 << d);
    }
  }
}

// Address of element i in shared memory: bits 5, 6 and 7 of i are XORed into its bank, bits 0 to 4.
// The lanes of a warp access elements whose distance is a power of two from 1 to 32, in groups that
// lie 8 distances apart. With STEPS 3 they then access 32 different banks; with 1 and 2, at most
// two lanes share a bank. place(a ^ b) = place(a) ^ place(b), so each access costs one operation.
static __device__ __forceinline__ unsigned int place(unsigned int i) {
  return i ^ (i >> 3 & 4u) ^ (i >> 6 & 3u) * 9u;
}

// Number of groups of 2^steps elements, 2^log_stride apart, that hold at least one of n elements.
//   n 11, steps 1, stride 2:  0-2 1-3 4-6 5-7 8-10 9-11  ->  6 (element 11 is padding, 9 is not)
static __host__ __device__ __forceinline__ unsigned int bitonic_groups(unsigned int n, int steps,
                                                                       int log_stride) {
  const uint64_t stride = (uint64_t)1 << log_stride, span = stride << steps;
  const uint64_t whole_spans = (uint64_t)n >> (log_stride + steps), rest = n & (span - 1);
  return (unsigned int)((whole_spans << log_stride) + (rest < stride ? rest : stride));
}

// The number to XOR into the index of a group's element 0 to get the index of its element e: e
// strides further on; in the mirrored half, counted backwards.
template <int STEPS, BitonicVisit VISIT>
static __device__ __forceinline__ unsigned int offset_in_group(unsigned int e, int log_stride) {
  const bool backwards = VISIT == MIRROR_FIRST && e >= 1u << (STEPS - 1);
  return e << log_stride | (backwards ? (1u << log_stride) - 1 : 0u);
}

// The calling thread loads group number `group`, performs the steps of the visit, and stores it.
//   group 5 of STEPS 1, stride 2: elements 9 and 11; with the mirror 9 and 10
template <int STEPS, bool PAIRS, BitonicVisit VISIT, bool SHARED>
static __device__ __forceinline__ void visit_group(Pairs data, unsigned int n, unsigned int group,
                                                   int log_stride, int active) {
  const uint64_t span_begin = (uint64_t)(group >> log_stride) << (log_stride + STEPS);
  const unsigned int base = (unsigned int)span_begin | (group & ((1u << log_stride) - 1));
  const unsigned int home = SHARED ? place(base) : base;
  Element element[1 << STEPS];
  for (unsigned int e = 0; e < 1u << STEPS; e++) {
    const unsigned int offset = offset_in_group<STEPS, VISIT>(e, log_stride);
    const unsigned int at = home ^ (SHARED ? place(offset) : offset);
    const bool exists = (base ^ offset) < n;
    element[e].key = exists ? data.keys[at] : UINT32_MAX;
    if (PAIRS) element[e].position = exists ? data.positions[at] : 0u;
  }
  do_steps_in_registers<STEPS, PAIRS, VISIT>(element, active);
  for (unsigned int e = 0; e < 1u << STEPS; e++) {
    const unsigned int offset = offset_in_group<STEPS, VISIT>(e, log_stride);
    const unsigned int at = home ^ (SHARED ? place(offset) : offset);
    if ((base ^ offset) >= n) continue;
    data.keys[at] = element[e].key;
    if (PAIRS) data.positions[at] = element[e].position;
  }
}

// Visits all groups of a tile, distributed over the threads of the block. Ends with a barrier.
template <int STEPS, bool PAIRS, BitonicVisit VISIT>
static __device__ __forceinline__ void visit_tile(Pairs tile, unsigned int n, int log_stride,
                                                  int active) {
  const unsigned int groups = bitonic_groups(n, STEPS, log_stride);
  for (unsigned int group = threadIdx.x; group < groups; group += blockDim.x)
    visit_group<STEPS, PAIRS, VISIT, true>(tile, n, group, log_stride, active);
  __syncthreads();
}

// Performs the last `left` steps of a stage on n elements in shared memory.
template <int STEPS, bool PAIRS>
static __device__ __forceinline__ void block_bitonic_finish(Pairs tile, unsigned int n, int left) {
  for (; left > 0; left -= STEPS) {
    const int log_stride = left > STEPS ? left - STEPS : 0;
    visit_tile<STEPS, PAIRS, ONWARD>(tile, n, log_stride, left);
  }
}

// Sorts n elements in shared memory; all threads of the block call it after a barrier.
//   n 6  [5 2 6 1 4 3]  ->  [1 2 3 4 5 6]
template <int STEPS, bool PAIRS>
static __device__ __forceinline__ void block_bitonic_sort(Pairs tile, unsigned int n) {
  visit_tile<STEPS, PAIRS, SORT_NEIGHBOURS>(tile, n, 0, 0);
  for (int stage = STEPS + 1; n > 1u << (stage - 1); stage++) {
    visit_tile<STEPS, PAIRS, MIRROR_FIRST>(tile, n, stage - STEPS, STEPS);
    block_bitonic_finish<STEPS, PAIRS>(tile, n, stage - STEPS);
  }
}

// Copies from.keys[begin .. begin + n) to the addresses place(0 .. n) of a tile in shared memory,
// and the positions likewise. Ends with a barrier. store_tile copies back, without one.
template <bool PAIRS>
static __device__ __forceinline__ void fetch_tile(Pairs tile, Pairs from, size_t begin,
                                                  unsigned int n) {
  for (unsigned int i = threadIdx.x; i < n; i += blockDim.x) {
    tile.keys[place(i)] = from.keys[begin + i];
    if (PAIRS) tile.positions[place(i)] = from.positions[begin + i];
  }
  __syncthreads();
}
template <bool PAIRS>
static __device__ __forceinline__ void store_tile(Pairs to, size_t begin, Pairs tile,
                                                  unsigned int n) {
  for (unsigned int i = threadIdx.x; i < n; i += blockDim.x) {
    to.keys[begin + i] = tile.keys[place(i)];
    if (PAIRS) to.positions[begin + i] = tile.positions[place(i)];
  }
}

// Bytes of dynamic shared memory for a tile of `elements` keys and, for pairs, their positions.
static inline size_t tile_bytes(unsigned int elements, bool pairs) {
  return ((size_t)elements + 31) / 32 * 32 * (pairs ? 2 : 1) * sizeof(unsigned int);
}

// Elements of the largest tile, at most `wanted`, that fits into a block's shared memory here.
static inline unsigned int tile_that_fits(unsigned int wanted, bool pairs) {
  const unsigned int bytes =
      (unsigned int)device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  const unsigned int most = bytes / (pairs ? 8 : 4) / 32 * 32;
  return wanted < most ? wanted : most;
}

#endif
