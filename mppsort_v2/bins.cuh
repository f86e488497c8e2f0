// A warp sorts a bin of elements in shared memory that has too many for one thread.
#ifndef MPPSORT_V2_BINS_CUH
#define MPPSORT_V2_BINS_CUH

#include "mppsort_v2/refine.cuh"

enum { COMPARED = 128 };  // elements of a bin up to which a warp compares all with all

// The place of an element is the number of smaller ones, and of equal ones before it.
template <int kMost>
static __device__ __forceinline__ void rank_bin(unsigned int *element, unsigned int members) {
  constexpr int kEach = kMost / WARP_SIZE;
  const unsigned int lane = threadIdx.x % WARP_SIZE;
  unsigned int mine[kEach], rank[kEach] = {};
#pragma unroll
  for (int k = 0; k < kEach; k++)
    mine[k] = lane + k * WARP_SIZE < members ? element[lane + k * WARP_SIZE] : ~0u;
#pragma unroll 4
  for (unsigned int i = 0; i < members; i++) {
    const unsigned int other = element[i];
#pragma unroll
    for (int k = 0; k < kEach; k++)
      rank[k] += other < mine[k] || (other == mine[k] && i < lane + k * WARP_SIZE);
  }
  __syncwarp();
#pragma unroll
  for (int k = 0; k < kEach; k++)
    if (lane + k * WARP_SIZE < members) element[rank[k]] = mine[k];
}

static __device__ __forceinline__ bool all_equal(const unsigned int *element,
                                                 unsigned int members) {
  bool equal = true;
  for (unsigned int i = threadIdx.x % WARP_SIZE; i < members; i += WARP_SIZE)
    equal &= element[i] == element[0];
  return __all_sync(0xffffffffu, equal) != 0;
}

// A warp sorts a bin. False if it has too many different elements.
static __device__ __forceinline__ bool sort_bin(unsigned int *element, unsigned int members) {
  if (members <= RANKED) {
    rank_bin<RANKED>(element, members);
    return true;
  }
  if (all_equal(element, members)) return true;
  if (members > COMPARED) return false;
  rank_bin<COMPARED>(element, members);
  return true;
}

#endif
