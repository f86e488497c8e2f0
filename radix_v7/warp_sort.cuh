// The full bins of a block, with too many elements for one thread: a warp sorts each.
#ifndef RADIX_V7_WARP_SORT_CUH
#define RADIX_V7_WARP_SORT_CUH

#include "gsort/block/scan.cuh"

// Elements of a bin that a warp sorts. With more, passes over all of the block's are faster.
enum { MOST_IN_BIN = 2 * WARP_SIZE };

// A warp sorts up to MOST_IN_BIN elements: the index of each is the number of smaller ones. kEqual:
// elements may be equal, and mostly all of them are.
template <bool kEqual>
static __device__ __forceinline__ void rank_in_bin(unsigned int *element, unsigned int members) {
  constexpr int kEach = MOST_IN_BIN / WARP_SIZE;
  const unsigned int lane = threadIdx.x % WARP_SIZE;
  unsigned int mine[kEach], rank[kEach];
  bool differs = !kEqual;
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    const bool exists = lane + k * WARP_SIZE < members;
    mine[k] = exists ? element[lane + k * WARP_SIZE] : ~0u;
    rank[k] = 0;
    if (kEqual) differs |= exists && mine[k] != element[0];
  }
  if (kEqual && !__any_sync(0xffffffffu, differs)) return;
#pragma unroll 8
  for (unsigned int i = 0; i < members; i++)
#pragma unroll
    for (int k = 0; k < kEach; k++)
      rank[k] +=
          element[i] < mine[k] || (kEqual && element[i] == mine[k] && i < lane + k * WARP_SIZE);
  __syncwarp();
#pragma unroll
  for (int k = 0; k < kEach; k++)
    if (lane + k * WARP_SIZE < members) element[rank[k]] = mine[k];
}

#endif
