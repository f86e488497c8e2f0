// Pairs by prefix without a count (by_prefix.cuh has the same with one):
//
//   look    a sample shows whether keys are even enough; one block, while others clear
//   sweep   two, by regions (sweep_regions.cuh)                                   16 bytes each
//   blocks  sort each bucket; where its result goes has come out of the sweeps    16
//
// 48 bytes a pair instead of 52. The input is as it was if a region has no room, or a bucket does
// not fit into its block.
#ifndef RADIX_V7_PAIRS_REGIONS_CUH
#define RADIX_V7_PAIRS_REGIONS_CUH

#include "common/launch.cuh"
#include "radix_v7/find_frequent.cuh"
#include "radix_v7/second_look.cuh"
#include "radix_v7/sweep_regions.cuh"

// Device memory that a sort begins with.
typedef struct PairRegionState {
  unsigned int *look_back;  // [look_back_size] of all sweeps; a multiple of 4
  size_t look_back_size;
  unsigned int *tile_counter;  // [2]
  RegionFindings *findings;
  unsigned int most_large;  // large buckets, up to which the others are sorted as buckets
  volatile HostVerdict *host;
} PairRegionState;

// The first block looks at a sample; room: pairs of a group of LOOK_GROUP_BITS upper bits for which
// there is room. The next `second` ones look again, and one for frequent values, if `third` is 1;
// the others clear.
static __global__ void __launch_bounds__(LOOK_THREADS)
    look_at_pairs(const unsigned int *keys, size_t n, float room, unsigned int second,
                  unsigned int third, PairRegionState state) {
  wait_for_previous_kernel();
  const unsigned int looking = 1 + second + third;
  if (blockIdx.x >= looking) {
    const size_t thread = (size_t)(blockIdx.x - looking) * LOOK_THREADS + threadIdx.x,
                 threads = (size_t)(gridDim.x - looking) * LOOK_THREADS;
    for (size_t i = thread; i < state.look_back_size / 4; i += threads)
      ((uint4 *)state.look_back)[i] = make_uint4(0, 0, 0, 0);
    return;
  }
  if (blockIdx.x > second) {
    find_frequent(keys, n);
    return;
  }
  if (blockIdx.x > 0) {
    look_again(keys, n, blockIdx.x, second, MOST_ALIKE_PAIRS, &state.findings->roomier, state.host);
    return;
  }
  if (threadIdx.x < 2) state.tile_counter[threadIdx.x] = 0;
  const unsigned int verdict =
      look_at<false>(keys, n, {room, state.most_large, ANY_SKIP}, state.host);
  if (threadIdx.x > 0) return;
  state.findings->hopeless = verdict != FITS;
  state.findings->full[0] = state.findings->full[1] = 0;
  state.findings->useless = 1;
  if (verdict == FITS) state.host->verdict = SEEMS_EVEN;
}

#endif
