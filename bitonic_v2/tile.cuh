// A bitonic network over a tile whose elements stay in registers. An element's index in the tile
// determines the thread that holds it, and the distance of a step determines how partners are
// compared:
//
//   2^ITEM_BITS neighbours a thread     distances below 2^ITEM_BITS: both in the thread's registers
//                                       the next five bits: in another lane, by a shuffle
//   larger distances                    the tile goes through shared memory to another layout, in
//                                       which a thread holds elements THREADS apart
//
//   tile of 4,096: 256 threads x 16     index  [11 10 9 8 | 7 6 5 4 3 2 1 0]
//     neighbours                                 warp   lane      register
//     columns                                    register   thread
//
// The network is that of common/block_bitonic.cuh: all comparisons ascending, the first of a stage
// with the mirror image. So padding at the end stays there.
#ifndef BITONIC_V2_TILE_CUH
#define BITONIC_V2_TILE_CUH

#include "common/block_bitonic.cuh"

enum { LANE_BITS = 5 };

// A tile: ITEMS = 2^ITEM_BITS elements in each of THREADS = 2^THREAD_BITS threads. The index bits
// above the lanes' have to fit into the registers of the other layout: THREAD_BITS - 5 <=
// ITEM_BITS.
#define TILE_PARAMETERS int ITEM_BITS, int THREAD_BITS, bool PAIRS
#define TILE_ARGUMENTS ITEM_BITS, THREAD_BITS, PAIRS

// Address of element i in shared memory. Bits 5 to 8 are XORed into the bank, so that lanes which
// access elements 8 or 16 apart, or neighbours, use 32 different banks.
static __device__ __forceinline__ unsigned int bank_place(unsigned int i) {
  return i ^ (i >> 5 & 15u);
}

// Index in the tile of the thread's element e, as one of its neighbours.
template <int ITEM_BITS>
static __device__ __forceinline__ unsigned int neighbour(unsigned int e) {
  return threadIdx.x << ITEM_BITS | e;
}

// Index of the thread's element e in the layout of columns. In the mirrored half of a run of
// 2^mirrored_bits columns are counted backwards, so that a thread also holds the mirror images;
// mirrored_bits 0: no mirror.
template <int THREAD_BITS>
static __device__ __forceinline__ unsigned int column(unsigned int e, int mirrored_bits) {
  const unsigned int i = e << THREAD_BITS | threadIdx.x;
  const bool backwards = mirrored_bits > 0 && (i >> (mirrored_bits - 1) & 1u) != 0;
  return backwards ? i ^ ((1u << THREAD_BITS) - 1) : i;
}

template <bool PAIRS>
static __device__ __forceinline__ void put(Pairs tile, unsigned int i, Element element) {
  tile.keys[bank_place(i)] = element.key;
  if (PAIRS) tile.positions[bank_place(i)] = element.position;
}

template <bool PAIRS>
static __device__ __forceinline__ Element get(Pairs tile, unsigned int i) {
  Element element = {tile.keys[bank_place(i)], 0u};
  if (PAIRS) element.position = tile.positions[bank_place(i)];
  return element;
}

// From one layout to the other. A thread writes where it read last, so one barrier is enough.
template <TILE_PARAMETERS>
static __device__ __forceinline__ void to_columns(Element *element, Pairs tile, int mirrored_bits) {
  for (unsigned int e = 0; e < 1u << ITEM_BITS; e++)
    put<PAIRS>(tile, neighbour<ITEM_BITS>(e), element[e]);
  __syncthreads();
  for (unsigned int e = 0; e < 1u << ITEM_BITS; e++)
    element[e] = get<PAIRS>(tile, column<THREAD_BITS>(e, mirrored_bits));
}

template <TILE_PARAMETERS>
static __device__ __forceinline__ void to_neighbours(Element *element, Pairs tile,
                                                     int mirrored_bits) {
  for (unsigned int e = 0; e < 1u << ITEM_BITS; e++)
    put<PAIRS>(tile, column<THREAD_BITS>(e, mirrored_bits), element[e]);
  __syncthreads();
  for (unsigned int e = 0; e < 1u << ITEM_BITS; e++)
    element[e] = get<PAIRS>(tile, neighbour<ITEM_BITS>(e));
}

// The element that stays with this lane: the lesser of two in the lower lane. Equal keys stay.
template <bool PAIRS>
static __device__ __forceinline__ Element keep(Element own, Element other, bool lower) {
  const bool exchange = lower ? own.key > other.key : other.key > own.key;
  Element kept = {exchange ? other.key : own.key, 0u};
  if (PAIRS) kept.position = exchange ? other.position : own.position;
  return kept;
}

template <bool PAIRS>
static __device__ __forceinline__ Element from_lane(Element element, int lane_mask) {
  Element other = {__shfl_xor_sync(0xffffffffu, element.key, lane_mask), 0u};
  if (PAIRS) other.position = __shfl_xor_sync(0xffffffffu, element.position, lane_mask);
  return other;
}

// Step with the lane whose number differs in bit `bit`.
template <TILE_PARAMETERS>
static __device__ __forceinline__ void lane_step(Element *element, int bit) {
  const bool lower = (threadIdx.x >> bit & 1u) == 0;
  for (int e = 0; e < 1 << ITEM_BITS; e++)
    element[e] = keep<PAIRS>(element[e], from_lane<PAIRS>(element[e], 1 << bit), lower);
}

// The first step of a stage whose runs are held by 2^bits lanes: with the mirror image, which is in
// the mirrored lane and register.
template <TILE_PARAMETERS>
static __device__ __forceinline__ void lane_mirror(Element *element, int bits) {
  enum { LAST = (1 << ITEM_BITS) - 1 };
  const bool lower = (threadIdx.x >> (bits - 1) & 1u) == 0;
  for (int e = 0; e <= LAST / 2; e++) {
    const Element first = element[e], second = element[LAST - e];
    const int lane_mask = (1 << bits) - 1;
    element[e] = keep<PAIRS>(first, from_lane<PAIRS>(second, lane_mask), lower);
    element[LAST - e] = keep<PAIRS>(second, from_lane<PAIRS>(first, lane_mask), lower);
  }
}

// The last steps of a stage: those of the lanes' bits below `lane_bits`, then those of the
// registers.
template <TILE_PARAMETERS>
static __device__ __forceinline__ void finish_in_warp(Element *element, int lane_bits) {
  for (int bit = lane_bits - 1; bit >= 0; bit--) lane_step<TILE_ARGUMENTS>(element, bit);
  for (int d = ITEM_BITS - 1; d >= 0; d--) exchange_all<ITEM_BITS, PAIRS>(element, 1 << d);
}

// Steps between warps, in the layout of columns: those of the register bits from `from` down to the
// first that belongs to a lane. Loops have constant bounds here, because registers have no index.
template <TILE_PARAMETERS>
static __device__ __forceinline__ void steps_between_warps(Element *element, int from) {
#pragma unroll
  for (int d = ITEM_BITS - 1; d >= ITEM_BITS + LANE_BITS - THREAD_BITS; d--)
    if (d <= from) exchange_all<ITEM_BITS, PAIRS>(element, 1 << d);
}

// The first step of a stage that involves `bits` of the register bits, in the mirrored layout.
template <TILE_PARAMETERS>
static __device__ __forceinline__ void mirror_between_warps(Element *element, int bits) {
#pragma unroll
  for (int b = 1; b <= ITEM_BITS; b++)
    if (b == bits) exchange_all<ITEM_BITS, PAIRS>(element, (1 << b) - 1);
}

// Sorts the tile; before and after, each thread holds neighbours.
template <TILE_PARAMETERS>
static __device__ __forceinline__ void sort_tile(Element *element, Pairs tile) {
  do_steps_in_registers<ITEM_BITS, PAIRS, SORT_NEIGHBOURS>(element, 0);
#pragma unroll 1  // the code of one stage, not of all
  for (int bits = 1; bits <= LANE_BITS; bits++) {
    lane_mirror<TILE_ARGUMENTS>(element, bits);
    finish_in_warp<TILE_ARGUMENTS>(element, bits - 1);
  }
#pragma unroll 1
  for (int stage = ITEM_BITS + LANE_BITS + 1; stage <= ITEM_BITS + THREAD_BITS; stage++) {
    to_columns<TILE_ARGUMENTS>(element, tile, stage);
    mirror_between_warps<TILE_ARGUMENTS>(element, stage - THREAD_BITS);
    steps_between_warps<TILE_ARGUMENTS>(element, stage - THREAD_BITS - 2);
    to_neighbours<TILE_ARGUMENTS>(element, tile, stage);
    finish_in_warp<TILE_ARGUMENTS>(element, LANE_BITS);
  }
}

// All steps of a stage whose distances are below the tile; before, each thread holds columns, after
// it neighbours.
template <TILE_PARAMETERS>
static __device__ __forceinline__ void finish_tile(Element *element, Pairs tile) {
  steps_between_warps<TILE_ARGUMENTS>(element, ITEM_BITS - 1);
  to_neighbours<TILE_ARGUMENTS>(element, tile, 0);
  finish_in_warp<TILE_ARGUMENTS>(element, LANE_BITS);
}

// Between device memory and columns: elements 0 to count - 1 of the tile; the others are padding.
template <TILE_PARAMETERS>
static __device__ __forceinline__ void load_columns(Element *element, Pairs from,
                                                    unsigned int count) {
  for (unsigned int e = 0; e < 1u << ITEM_BITS; e++) {
    const unsigned int i = column<THREAD_BITS>(e, 0);
    element[e].key = i < count ? from.keys[i] : UINT32_MAX;
    if (PAIRS) element[e].position = i < count ? from.positions[i] : 0u;
  }
}

template <TILE_PARAMETERS>
static __device__ __forceinline__ void store_columns(Pairs to, const Element *element,
                                                     unsigned int count) {
  for (unsigned int e = 0; e < 1u << ITEM_BITS; e++) {
    const unsigned int i = column<THREAD_BITS>(e, 0);
    if (i >= count) continue;
    to.keys[i] = element[e].key;
    if (PAIRS) to.positions[i] = element[e].position;
  }
}

#endif
