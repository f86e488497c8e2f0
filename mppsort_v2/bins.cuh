// A warp sorts a bin of elements in shared memory that has too many for one thread.
#ifndef MPPSORT_V2_BINS_CUH
#define MPPSORT_V2_BINS_CUH

#include "mppsort_v2/ranges.cuh"

// How a bin is sorted: by a thread, if it has up to kFew elements; by a warp, which ranks them or
// sorts them by finer bins; for larger ones, unless their elements are equal, the group is merged.
enum {
  RANKED = 32,
  BINNED = 256,
  WARP_BIN_BITS = 8,
  WARP_BINS = 1 << WARP_BIN_BITS,
  COMPARED = 64,
  OVERFULL_SHARE = 4,  // more than a quarter of a group in larger bins: merging is faster
};

// For all lanes of a warp.
static __device__ __forceinline__ bool all_equal(const unsigned int *element,
                                                 unsigned int members) {
  bool equal = true;
  for (unsigned int i = threadIdx.x % WARP_SIZE; i < members; i += WARP_SIZE)
    equal &= element[i] == element[0];
  return __all_sync(0xffffffffu, equal) != 0;
}

// A warp sorts a bin of up to RANKED elements: the place of an element is the number of smaller
// ones, and of equal ones before it.
static __device__ __forceinline__ void rank_bin(unsigned int *element, unsigned int members) {
  constexpr int kEach = RANKED / WARP_SIZE;
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

// Exclusive scan over WARP_BINS counts by a warp, in place.
static __device__ __forceinline__ void scan_warp_bins(unsigned int *count) {
  uint4 *const mine = (uint4 *)count + threadIdx.x % WARP_SIZE * 2;
  uint4 a = mine[0], b = mine[1];
  const unsigned int low = a.x + a.y + a.z + a.w, sum = low + b.x + b.y + b.z + b.w;
  const unsigned int before = warp_inclusive_scan(sum) - sum;
  mine[0] = make_uint4(before, before + a.x, before + a.x + a.y, before + a.x + a.y + a.z);
  const unsigned int middle = before + low;
  mine[1] = make_uint4(middle, middle + b.x, middle + b.x + b.y, middle + b.x + b.y + b.z);
}

// A warp sorts a larger bin by finer bins, as the block has sorted the group. count: WARP_BINS of
// shared memory. False if there are too many elements, or too many different ones in a finer bin.
static __device__ __forceinline__ bool bin_by_warp(unsigned int *element, unsigned int members,
                                                   unsigned int *count) {
  constexpr int kEach = BINNED / WARP_SIZE;
  const unsigned int lane = threadIdx.x % WARP_SIZE;
  unsigned int low = ~0u, high = 0;
  for (unsigned int i = lane; i < members; i += WARP_SIZE) {
    low = min(low, element[i]);
    high = max(high, element[i]);
  }
  find_extremes(&low, &high);
  if (low == high) return true;
  if (members > BINNED) return false;
  const int left = (int)members - (int)lane, shift = __clz((int)(high - low));
  unsigned int mine[kEach];
  for (unsigned int b = lane; b < WARP_BINS; b += WARP_SIZE) count[b] = 0;
  __syncwarp();
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    if (left <= k * WARP_SIZE) continue;
    mine[k] = element[lane + k * WARP_SIZE] - low;
    atomicAdd(&count[mine[k] << shift >> (32 - WARP_BIN_BITS)], 1u);
  }
  __syncwarp();
  scan_warp_bins(count);
  __syncwarp();
#pragma unroll
  for (int k = 0; k < kEach; k++)
    if (left > k * WARP_SIZE)
      element[atomicAdd(&count[mine[k] << shift >> (32 - WARP_BIN_BITS)], 1u)] = mine[k] + low;
  __syncwarp();
  // The place of an element in its finer bin: as in rank_bin(), by the element's own lane.
  bool sorted = true;
  unsigned int to[kEach / 2] = {};  // two places each
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    if (left <= k * WARP_SIZE) continue;
    const unsigned int i = lane + k * WARP_SIZE, own = element[i];
    const unsigned int b = (own - low) << shift >> (32 - WARP_BIN_BITS);
    const unsigned int first = b == 0 ? 0 : count[b - 1], behind = count[b];
    unsigned int place = first;
    if (behind - first > COMPARED) {
      sorted &= own == element[first];
      place = i;
    } else {
#pragma unroll 1
      for (unsigned int other = first; other < behind; other++)
        place += element[other] < own || (element[other] == own && other < i);
    }
    mine[k] = own;
    to[k / 2] |= place << k % 2 * 16;
  }
  __syncwarp();
#pragma unroll
  for (int k = 0; k < kEach; k++)
    if (left > k * WARP_SIZE) element[to[k / 2] >> k % 2 * 16 & 0xffffu] = mine[k];
  return __all_sync(0xffffffffu, sorted) != 0;
}

#endif
