// Few elements: one block sorts them all in one launch, as pairs_block.cuh sorts a bucket, with as
// many bins as elements. Where bins would be crowded: one pass over the ranks of few values
// (few_values.cuh), or passes over the keys.
#ifndef RADIX_V7_ALONE_CUH
#define RADIX_V7_ALONE_CUH

#include "common/check.h"
#include "common/device.h"
#include "radix_v7/few_values.cuh"
#include "radix_v7/pairs_block.cuh"

enum { MANY_ALIKE = 6 };  // of 32 keys

// Keys of few values: sorts indices by the values' ranks. False if there are too many values.
template <int kThreads, int kItems, class Shared>
static __device__ __forceinline__ bool order_few_values(Shared &shared,
                                                        const unsigned int (&key)[kItems],
                                                        unsigned int n) {
  constexpr int kPlaceBits = bits_to_count(Shared::kCapacity);
  static_assert(sizeof(ValueTable) <= sizeof shared.extra, "room for the table");
  ValueTable *const table = (ValueTable *)shared.extra;
  const int left = (int)n - (int)threadIdx.x;
  clear_values(table);
  __syncthreads();
  unsigned int rank[kItems];
  const int bits = rank_values<kThreads, kItems>(table, key, left, rank);
  if (bits == 0) return false;
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int p = threadIdx.x + u * kThreads;
    if (left <= u * kThreads) break;
    shared.element[p] = (rank[u] << kPlaceBits) + p;
    shared.key[p] = key[u];
  }
  __syncthreads();
  sort_by_passes<kThreads, kItems, false>(shared.element, n, NULL, kPlaceBits, (1u << bits) - 1,
                                          shared.extra, shared.warp_sums);
  return true;
}

// Sorts n <= kThreads * kItems elements; one block. Within a bin keys agree in their first kBinBits
// bits, so that the others and the index fit into an element.
template <int kThreads, int kItems, int kBinBits, bool kPairs>
static __global__ void __launch_bounds__(kThreads) sort_alone(Pairs in, Pairs out, unsigned int n) {
  typedef PairBlockShared<kThreads, kItems, kBinBits, true> Shared;
  constexpr int kFew = 8;  // elements of a bin that are sorted in registers
  constexpr unsigned int kPlaces = 1u << bits_to_count(Shared::kCapacity);
  static_assert(kPlaces <= 1u << kBinBits, "elements have 32 bits");
  extern __shared__ __align__(16) unsigned int shared_memory[];
  Shared &shared = *(Shared *)shared_memory;
  const int left = (int)n - (int)threadIdx.x;
  wait_for_previous_kernel();
  unsigned int key[kItems] = {};
#pragma unroll
  for (int u = 0; u < kItems; u++)
    if (left > u * kThreads) key[u] = in.keys[threadIdx.x + u * kThreads];
  prepare_block(shared);
  if constexpr (kPairs) {
#pragma unroll
    for (int u = 0; u < kItems; u++)
      if (left > u * kThreads)
        shared.position[threadIdx.x + u * kThreads] = in.positions[threadIdx.x + u * kThreads];
  }
  // If many first keys of a warp share a bin, that bin will be crowded: do not count bins at all.
  const unsigned int bin = left > 0 ? key[0] >> (32 - kBinBits) : ~threadIdx.x;
  const bool crowded = __popc((int)__match_any_sync(0xffffffffu, bin)) >= MANY_ALIKE;
  const bool by_passes = __syncthreads_or(crowded) != 0;
  const Digit digit = {32 - kBinBits, Shared::kBins - 1, 0, 0};
  if (!by_passes || !order_few_values<kThreads, kItems>(shared, key, n))
    order_places<kFew, false>(shared, key, key, 0, n, digit, 32, by_passes);
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int i = threadIdx.x + u * kThreads;
    if (left <= u * kThreads) break;
    const unsigned int place = shared.element[i] & (kPlaces - 1);
    out.keys[i] = shared.key[place];
    if (kPairs) out.positions[i] = shared.position[place];
  }
}

// A kernel sort_alone<...> and the most elements it sorts.
typedef struct AloneShape {
  unsigned int threads, most;
  size_t shared_bytes;
  void (*keys)(Pairs, Pairs, unsigned int), (*pairs)(Pairs, Pairs, unsigned int);
} AloneShape;

#define ALONE(threads, items, bin_bits)                                                         \
  {                                                                                             \
    threads, threads *items, sizeof(PairBlockShared<threads, items, bin_bits, true>),           \
        sort_alone<threads, items, bin_bits, false>, sort_alone<threads, items, bin_bits, true> \
  }

static const AloneShape alone_shapes[] = {ALONE(256, 4, 10), ALONE(512, 4, 11), ALONE(1024, 4, 12),
                                          ALONE(1024, 8, 13)};
enum { ALONE_SHAPES = sizeof alone_shapes / sizeof *alone_shapes, ALONE_MAX = 8192 };

// False if n is too large, or this device's shared memory too small.
static bool sort_alone_in_a_block(Pairs in, Pairs out, size_t n) {
  const AloneShape *shape = alone_shapes;
  while (shape < alone_shapes + ALONE_SHAPES && n > shape->most) shape++;
  if (shape == alone_shapes + ALONE_SHAPES || shape->shared_bytes > dynamic_shared_limit())
    return false;
  void (*const kernel)(Pairs, Pairs, unsigned int) =
      in.positions == NULL ? shape->keys : shape->pairs;
  allow_shared_memory(kernel, shape->shared_bytes);
  launch_overlapped(kernel, 1, shape->threads, shape->shared_bytes, in, out, (unsigned int)n);
  return true;
}

#endif
