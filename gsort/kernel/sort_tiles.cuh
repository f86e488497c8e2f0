// First step of a sort of pairs by runs: each tile of the input is sorted by the upper bits of its
// keys, and stays where it was.
//
//   tiles, upper 2 bits of keys   (3 a) (1 b) (2 c) (1 d)   (0 e) (1 f) (3 g) (2 h)
//   sorted                        (1 b) (1 d) (2 c) (3 a)   (0 e) (1 f) (2 h) (3 g)
//   first[tile][b]                0 0 2 3                   0 1 2 3
//
// The order within a digit stays, so that the whole sort is stable. kernel/gather_runs.cuh follows.
// Moves 16 bytes a pair, and a little for the table.
#ifndef GSORT_KERNEL_SORT_TILES_CUH
#define GSORT_KERNEL_SORT_TILES_CUH

#include "gsort/block/run_tile.cuh"

// Digits are the first bits of the keys of a range.
template <int kBits>
struct UpperDigits {
  static constexpr bool kMayBeSampled = true;
  KeyRange range;

  // Nothing here: the first tile is counted before the previous kernel has ended.
  __device__ __forceinline__ void prepare(void) const {}

  template <int kItems>
  __device__ __forceinline__ PairDigitAt<kBits> of(const PairItems<kItems> &) const {
    return {32 - kBits - range.skip};
  }

  // Bits in which some key is not in the range.
  template <int kItems>
  __device__ __forceinline__ unsigned int beyond(const PairItems<kItems> &item,
                                                 unsigned int valid) const {
    unsigned int differing = 0;
    if (range.skip == 0) return 0;
#pragma unroll
    for (int u = 0; u < kItems; u++)
      if (first_item<kItems>() + u * WARP_SIZE < valid) differing |= item.key[u] ^ range.common;
    return differing & ~(~0u >> range.skip);
  }
};

template <int kThreads, int kItems, int kBits, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    sort_tiles(Elements in, RunState state, KeyRange range) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  sort_tiles_of_block(*(TileShared<kThreads, kItems, kBits> *)shared_memory, in, state,
                      UpperDigits<kBits>{range});
}

#endif
