// As sort_tiles.cuh, with the number of splitters <= key as a key's digit.
#ifndef RADIX_V7_SPLIT_TILES_CUH
#define RADIX_V7_SPLIT_TILES_CUH

#include "radix_v7/sort_tiles.cuh"
#include "radix_v7/splitters.cuh"

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

  static constexpr bool kMayBeLookedAt = false;
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
  __device__ __forceinline__ KeptDigits<kItems> of(const PairItems<kItems> &item,
                                                   unsigned int) const {
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
};

template <int kThreads, int kItems, int kBits, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    split_tiles(Pairs in, RunState state, Splitters splitters) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  typedef SplitTileShared<kThreads, kItems, kBits> Shared;
  Shared &shared = *(Shared *)shared_memory;
  sort_tiles_of_block(shared.tile, in, state, SplitDigits<kBits>{shared.tree, splitters});
}

#endif
