// Second step of a sort by splitters: as sort_tiles.cuh, with the number of splitters <= key as a
// key's digit, which a tree of them finds.
//
//   splitters 30 60      tile  (70 a) (20 b) (30 c) (25 d)    digits 2 0 1 0
//                        sorted (20 b) (25 d) (30 c) (70 a)
//
// Moves 16 bytes a pair, 12 a bare key.
#ifndef GSORT_KERNEL_SPLIT_TILES_CUH
#define GSORT_KERNEL_SPLIT_TILES_CUH

#include "gsort/block/run_tile.cuh"
#include "gsort/block/splitters.cuh"

template <int kThreads, int kItems, int kBits>
struct SplitTileShared {
  TileShared<kThreads, kItems, kBits> tile;
  unsigned int tree[1 << kBits];  // splitters: node i has the children 2 i and 2 i + 1
};

// Two digits in a register, by item.
template <int kItems>
struct KeptDigits {
  unsigned int two[kItems / 2];
  __device__ __forceinline__ unsigned int operator()(unsigned int, int u) const {
    return u % 2 == 0 ? two[u / 2] & 0xffffu : two[u / 2] >> 16;
  }
};

template <int kBits>
struct SplitDigits {
  unsigned int *tree;  // in shared memory
  Splitters splitters;

  static constexpr bool kMayBeSampled = false;
  __device__ __forceinline__ void prepare(void) const {
    wait_for_previous_kernel();
    for (unsigned int node = threadIdx.x; node < 1u << kBits; node += blockDim.x) {
      if (node == 0) continue;
      const int depth = 31 - __clz((int)node);
      tree[node] = splitters.edge((2 * (node - (1u << depth)) + 1) << (kBits - 1 - depth));
    }
    __syncthreads();
  }

  template <int kItems>
  __device__ __forceinline__ KeptDigits<kItems> of(const PairItems<kItems> &item) const {
    constexpr int kBatch = 4;  // searches under way at a time
    KeptDigits<kItems> digits;
#pragma unroll
    for (int first = 0; first < kItems; first += kBatch) {
      compiler_fence();
      unsigned int node[kBatch];
#pragma unroll
      for (int q = 0; q < kBatch; q++) node[q] = 1;
#pragma unroll
      for (int level = 0; level < kBits; level++)
#pragma unroll
        for (int q = 0; q < kBatch; q++)
          node[q] = 2 * node[q] + (tree[node[q]] <= item.key[first + q]);
#pragma unroll
      for (int q = 0; q < kBatch; q += 2)
        digits.two[(first + q) / 2] = (node[q] - (1u << kBits)) | (node[q + 1] - (1u << kBits))
                                                                      << 16;
    }
    return digits;
  }

  // Any key suits.
  template <int kItems>
  __device__ __forceinline__ unsigned int beyond(const PairItems<kItems> &, unsigned int) const {
    return 0;
  }
};

template <int kThreads, int kItems, int kBits, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    split_tiles(Elements in, RunState state, Splitters splitters) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  auto &shared = *(SplitTileShared<kThreads, kItems, kBits> *)shared_memory;
  sort_tiles_of_block(shared.tile, in, state, SplitDigits<kBits>{shared.tree, splitters});
}

#endif
