// What the network sorts: keys, or keys with their positions. Each operation exists for both.
#ifndef BITONIC_V2_ITEM_CUH
#define BITONIC_V2_ITEM_CUH

#include "common/block_bitonic.cuh"

static __device__ __forceinline__ void order(unsigned int *a, unsigned int *b) {
  const unsigned int lesser = min(*a, *b);
  *b = max(*a, *b);
  *a = lesser;
}

static __device__ __forceinline__ void order(Element *a, Element *b) {
  compare_exchange<true>(a, b);
}

// The one of two that stays in this lane: the lesser in the lower lane. Equal elements stay.
static __device__ __forceinline__ unsigned int keep(unsigned int own, unsigned int other,
                                                    bool lower) {
  return (own < other) == lower ? own : other;
}

static __device__ __forceinline__ Element keep(Element own, Element other, bool lower) {
  const bool exchange = lower ? own.key > other.key : own.key < other.key;
  const Element kept = {exchange ? other.key : own.key, exchange ? other.position : own.position};
  return kept;
}

static __device__ __forceinline__ unsigned int from_lane(unsigned int item, int lane_mask) {
  return __shfl_xor_sync(0xffffffffu, item, lane_mask);
}

static __device__ __forceinline__ Element from_lane(Element item, int lane_mask) {
  const Element other = {from_lane(item.key, lane_mask), from_lane(item.position, lane_mask)};
  return other;
}

static __device__ __forceinline__ void put(Pairs to, unsigned int i, unsigned int item) {
  to.keys[i] = item;
}

static __device__ __forceinline__ void put(Pairs to, unsigned int i, Element item) {
  to.keys[i] = item.key;
  to.positions[i] = item.position;
}

static __device__ __forceinline__ void get(unsigned int *item, Pairs from, unsigned int i) {
  *item = from.keys[i];
}

static __device__ __forceinline__ void get(Element *item, Pairs from, unsigned int i) {
  item->key = from.keys[i];
  item->position = from.positions[i];
}

// Padding is no less than any element.
static __device__ __forceinline__ void make_padding(unsigned int *item) { *item = UINT32_MAX; }

static __device__ __forceinline__ void make_padding(Element *item) {
  const Element padding = {UINT32_MAX, 0u};
  *item = padding;
}

// The elements from number `first` on.
static __device__ __forceinline__ Pairs from_element(Pairs pairs, size_t first) {
  const Pairs rest = {pairs.keys + first, pairs.positions == NULL ? NULL : pairs.positions + first};
  return rest;
}

#endif
