// A bitonic network over a tile whose elements stay in registers. A block of THREADS =
// 2^THREAD_BITS threads has a tile of TILE = 2^(ITEM_BITS + THREAD_BITS) elements, ITEMS =
// 2^ITEM_BITS in each thread. Which ones, is the thread's *window*: the elements whose indices
// differ in the bits low .. low + ITEM_BITS - 1. All steps that compare elements at these distances
// are then within the thread's registers.
//
//   tile of 4,096: 256 threads x 16       index bits  11 10 9 8 7 6 5 4 3 2 1 0
//     window at 0, 16 neighbours                       t  t t t t t t t r r r r     t: of the
//     thread window at 4                                      t  t t t r r r r t t t t     r:
//     registers window at 8, columns                             r  r r r t t t t t t t t
//
// From one window to the next the tile goes through shared memory. One or two steps alone are
// cheaper as an exchange between lanes.
//
// The network is that of common/block_bitonic.cuh: all comparisons ascending, the first of a stage
// with the mirror image. So padding at the end stays there.
#ifndef BITONIC_V2_TILE_CUH
#define BITONIC_V2_TILE_CUH

#include "bitonic_v2/item.cuh"

enum { LANE_BITS = 5, WARP = 1 << LANE_BITS };

// Most bits, above the bits of a thread's neighbours, whose steps are exchanges between lanes.
enum { SHUFFLED_BITS = 2 };

#define TILE_PARAMETERS int ITEM_BITS, int THREAD_BITS, class Item
#define TILE_ARGUMENTS ITEM_BITS, THREAD_BITS, Item

// Place of element i in shared memory. The bits from 5 to ITEM_BITS + 4 are XORed into the bank so
// that the lanes of a warp use 32 different banks in every window.
template <int ITEM_BITS>
static __device__ __forceinline__ unsigned int bank_place(unsigned int i) {
  const unsigned int upper = i & ((1u << ITEM_BITS) - 1) << LANE_BITS;
  unsigned int place = i;
#pragma unroll
  for (int shift = ITEM_BITS; shift < LANE_BITS + ITEM_BITS; shift += ITEM_BITS)
    place ^= upper >> shift & (WARP - 1u);
  return place;
}

// The places of a thread's window. In the mirrored half of a run the other bits are counted
// backwards, so that the thread also holds the mirror images.
typedef struct Window {
  unsigned int first, mirrored;  // index of item 0, and that from which the upper half is counted
  int low;
} Window;

template <int ITEM_BITS>
static __device__ __forceinline__ Window window_at(int low, bool mirror) {
  const unsigned int below = (1u << low) - 1, thread = threadIdx.x;
  const unsigned int first = (thread & below) | (thread & ~below) << ITEM_BITS;
  const Window window = {first, mirror ? first ^ below : first, low};
  return window;
}

template <int ITEM_BITS>
static __device__ __forceinline__ unsigned int window_place(Window window, unsigned int e) {
  const unsigned int first = e >> (ITEM_BITS - 1) != 0 ? window.mirrored : window.first;
  return bank_place<ITEM_BITS>(first) ^ bank_place<ITEM_BITS>(e << window.low);
}

static __device__ __forceinline__ unsigned int window_index(Window window, unsigned int e) {
  return window.first | e << window.low;
}

// The tile changes from one window to another. A thread writes where it read last, so one barrier
// is enough. In windows up to LANE_BITS each warp has one part of the tile.
template <TILE_PARAMETERS>
static __device__ __forceinline__ void change_window(Item *item, Pairs tile, Window from,
                                                     Window to) {
#pragma unroll
  for (unsigned int e = 0; e < 1u << ITEM_BITS; e++)
    put(tile, window_place<ITEM_BITS>(from, e), item[e]);
  if (THREAD_BITS > LANE_BITS && (from.low > LANE_BITS || to.low > LANE_BITS))
    __syncthreads();
  else
    __syncwarp();
#pragma unroll
  for (unsigned int e = 0; e < 1u << ITEM_BITS; e++)
    get(&item[e], tile, window_place<ITEM_BITS>(to, e));
}

// Compares every item[e] with item[e ^ mask].
template <int ITEM_BITS, class Item>
static __device__ __forceinline__ void order_all(Item *item, int mask) {
#pragma unroll
  for (int e = 0; e < 1 << ITEM_BITS; e++)
    if ((e ^ mask) > e) order(&item[e], &item[e ^ mask]);
}

// The last `steps` steps among the thread's registers.
template <int ITEM_BITS, class Item>
static __device__ __forceinline__ void order_window(Item *item, int steps) {
#pragma unroll
  for (int d = ITEM_BITS - 1; d >= 0; d--)
    if (d < steps) order_all<ITEM_BITS>(item, 1 << d);
}

// Sorts the items of each thread.
template <int ITEM_BITS, class Item>
static __device__ __forceinline__ void sort_items(Item *item) {
#pragma unroll
  for (int stage = 1; stage <= ITEM_BITS; stage++) {
    order_all<ITEM_BITS>(item, (1 << stage) - 1);
    order_window<ITEM_BITS>(item, stage - 1);
  }
}

// Step with the lane whose number differs in bit `bit`.
template <int ITEM_BITS, class Item>
static __device__ __forceinline__ void lane_step(Item *item, int bit) {
  const bool lower = (threadIdx.x >> bit & 1u) == 0;
#pragma unroll
  for (int e = 0; e < 1 << ITEM_BITS; e++)
    item[e] = keep(item[e], from_lane(item[e], 1 << bit), lower);
}

// The first step of a stage whose runs are held by 2^bits lanes: with the mirror image, which is in
// the mirrored lane and register.
template <int ITEM_BITS, class Item>
static __device__ __forceinline__ void lane_mirror(Item *item, int bits) {
  enum { LAST = (1 << ITEM_BITS) - 1 };
  const int lane_mask = (1 << bits) - 1;
  const bool lower = (threadIdx.x >> (bits - 1) & 1u) == 0;
#pragma unroll
  for (int e = 0; e <= LAST / 2; e++) {
    const Item first = item[e], second = item[LAST - e];
    item[e] = keep(first, from_lane(second, lane_mask), lower);
    item[LAST - e] = keep(second, from_lane(first, lane_mask), lower);
  }
}

// The steps of a stage at distances 2^(LOW - 1) down to 1, of items that are in the window at LOW;
// afterwards they are in the window at 0. Windows are template parameters, so that the compiler
// computes places in advance.
template <TILE_PARAMETERS, int LOW>
static __device__ __forceinline__ void finish_stage(Item *item, Pairs tile, Window window) {
  if constexpr (LOW > ITEM_BITS + SHUFFLED_BITS) {
    const Window next = window_at<ITEM_BITS>(LOW - ITEM_BITS, false);
    change_window<TILE_ARGUMENTS>(item, tile, window, next);
    order_window<ITEM_BITS>(item, ITEM_BITS);
    finish_stage<TILE_ARGUMENTS, LOW - ITEM_BITS>(item, tile, next);
  } else {
    change_window<TILE_ARGUMENTS>(item, tile, window, window_at<ITEM_BITS>(0, false));
#pragma unroll
    for (int bit = LOW - ITEM_BITS - 1; bit >= 0; bit--) lane_step<ITEM_BITS>(item, bit);
    order_window<ITEM_BITS>(item, LOW);
  }
}

// The stages from STAGE on. Stage m merges sorted runs of 2^(m-1) elements to runs of 2^m.
template <TILE_PARAMETERS, int STAGE>
static __device__ __forceinline__ void stages_from(Item *item, Pairs tile) {
  constexpr int LOW = STAGE - ITEM_BITS;
  if constexpr (LOW <= SHUFFLED_BITS) {
    lane_mirror<ITEM_BITS>(item, LOW);
#pragma unroll
    for (int bit = LOW - 2; bit >= 0; bit--) lane_step<ITEM_BITS>(item, bit);
    order_window<ITEM_BITS>(item, ITEM_BITS);
  } else {
    const Window window = window_at<ITEM_BITS>(LOW, true);
    change_window<TILE_ARGUMENTS>(item, tile, window_at<ITEM_BITS>(0, false), window);
    order_all<ITEM_BITS>(item, (1 << ITEM_BITS) - 1);
    order_window<ITEM_BITS>(item, ITEM_BITS - 1);
    finish_stage<TILE_ARGUMENTS, LOW>(item, tile, window);
  }
  if constexpr (LOW < THREAD_BITS) stages_from<TILE_ARGUMENTS, STAGE + 1>(item, tile);
}

// Sorts the tile. Afterwards each thread holds neighbours; before, any elements, as long as padding
// is greater than all others.
template <TILE_PARAMETERS>
static __device__ __forceinline__ void sort_tile(Item *item, Pairs tile) {
  sort_items<ITEM_BITS>(item);
  stages_from<TILE_ARGUMENTS, ITEM_BITS + 1>(item, tile);
}

// Between device memory and the window at LOW, which is LANE_BITS or more, so that neighbouring
// lanes access neighbouring elements: elements 0 to count - 1 of the tile; the others are padding.
template <int ITEM_BITS, int LOW, class Item>
static __device__ __forceinline__ void load_window(Item *item, Pairs from, unsigned int count) {
  const unsigned int first = window_at<ITEM_BITS>(LOW, false).first;
  const int left = (int)count - (int)first;
#pragma unroll
  for (int e = 0; e < 1 << ITEM_BITS; e++) {
    make_padding(&item[e]);
    if (left > e << LOW) get(&item[e], from_element(from, first), e << LOW);
  }
}

template <int ITEM_BITS, int LOW, class Item>
static __device__ __forceinline__ void store_window(Pairs to, const Item *item,
                                                    unsigned int count) {
  const unsigned int first = window_at<ITEM_BITS>(LOW, false).first;
  const int left = (int)count - (int)first;
#pragma unroll
  for (int e = 0; e < 1 << ITEM_BITS; e++)
    if (left > e << LOW) put(from_element(to, first), e << LOW, item[e]);
}

// Stores the tile, each of whose threads holds neighbours, by rows of a warp's lanes.
template <TILE_PARAMETERS>
static __device__ __forceinline__ void store_neighbours(Pairs to, Item *item, Pairs tile,
                                                        unsigned int count) {
  change_window<TILE_ARGUMENTS>(item, tile, window_at<ITEM_BITS>(0, false),
                                window_at<ITEM_BITS>(LANE_BITS, false));
  store_window<ITEM_BITS, LANE_BITS>(to, item, count);
}

// Puts the tile, each of whose threads holds neighbours, into shared memory.
template <int ITEM_BITS>
static __device__ __forceinline__ void put_neighbours(Pairs tile, const unsigned int *item) {
  const Window neighbours = window_at<ITEM_BITS>(0, false);
#pragma unroll
  for (unsigned int e = 0; e < 1u << ITEM_BITS; e++)
    put(tile, window_place<ITEM_BITS>(neighbours, e), item[e]);
}

#endif
