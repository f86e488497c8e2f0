// Cuts groups of sorted runs so that every tile of the merged output can be computed independently.
#ifndef MERGE_V2_CUT_RUNS_CUH
#define MERGE_V2_CUT_RUNS_CUH

#include "common/overlap.cuh"
#include "merge_v2/elements.cuh"

// A pass merges groups of `ways` neighbouring sorted runs of `width` elements; the last run may be
// shorter and the last group may have fewer. Its output is made in tiles of `tile` elements; a
// group has `tiles_per_group`, the last one perhaps fewer.
typedef struct Pass {
  size_t n, width;
  unsigned int ways, tile, tiles_per_group, tiles;
} Pass;

static inline Pass plan_pass(size_t n, size_t width, unsigned int ways, unsigned int tile) {
  const size_t group = width * ways, whole = n / group;
  Pass pass = {n, width, ways, tile, 0, 0};
  pass.tiles_per_group = (unsigned int)((group + tile - 1) / tile);
  pass.tiles = (unsigned int)(whole * pass.tiles_per_group + (n % group + tile - 1) / tile);
  return pass;
}

// Length of the run that begins at `begin`; 0 beyond the end.
static __device__ __forceinline__ unsigned int run_length(Pass pass, size_t begin) {
  if (begin >= pass.n) return 0;
  return (unsigned int)(pass.n - begin < pass.width ? pass.n - begin : pass.width);
}

// Cuts WAYS sorted runs so that `rank` elements lie before the cuts, and none of them comes after
// one behind the cuts; of equal keys those of an earlier run come first. Run j begins at first + j
// * width.
//
// The cuts move forward in steps, which are halved. With steps of s elements the run whose s-th
// next element is least may go on if at least WAYS * (s - 1) + 1 elements are missing: at most s -
// 1 elements of each other run come before that element, so all s belong to the first `rank`. After
// all steps of 1 none is missing. There are at most about WAYS steps of each size.
//
//   runs [1 3 5 7] [2 3 4 9], rank 5
//   s = 2: 5 >= 3 are missing; 3 and 3 are the next, the first run's goes on: cuts 2 0, missing 3
//          3 >= 3;             7 and 3,  the second run's:                     cuts 2 2, missing 1
//   s = 1: 5 and 4, the second's:                                             cuts 2 3, missing 0
template <int WAYS>
static __device__ __forceinline__ void cut_at_rank(const Key *first, size_t width,
                                                   const unsigned int *length, unsigned int rank,
                                                   unsigned int *cut) {
  unsigned int missing = rank, step = 1;
  while (2 * (size_t)step <= width && (size_t)WAYS * (2 * (size_t)step - 1) < missing) step *= 2;
#pragma unroll
  for (int j = 0; j < WAYS; j++) cut[j] = 0;
  for (; missing > 0; step /= 2) {
    Key next[WAYS] = {};
#pragma unroll
    for (int j = 0; j < WAYS; j++)
      if (length[j] - cut[j] >= step) next[j] = first[j * width + cut[j] + step - 1];
    while (missing > WAYS * (step - 1)) {
      int least = -1;
      Key key = {};
#pragma unroll
      for (int j = 0; j < WAYS; j++)
        if (length[j] - cut[j] >= step && (least < 0 || less(next[j], key))) {
          least = j;
          key = next[j];
        }
      missing -= step;
#pragma unroll
      for (int j = 0; j < WAYS; j++)  // not next[least]: registers have no index
        if (j == least) {
          cut[j] += step;
          if (length[j] - cut[j] >= step) next[j] = first[j * width + cut[j] + step - 1];
        }
    }
  }
}

// A thread per tile: cuts[tile * WAYS + j] = the elements of run j of its group before the tile.
template <int WAYS>
static __global__ void cut_runs(const Key *keys, unsigned int *cuts, Pass pass) {
  wait_for_previous_kernel();
  const unsigned int tile = blockIdx.x * blockDim.x + threadIdx.x;
  if (tile >= pass.tiles) return;
  const size_t first = (size_t)(tile / pass.tiles_per_group) * WAYS * pass.width;
  unsigned int length[WAYS], cut[WAYS];
#pragma unroll
  for (int j = 0; j < WAYS; j++) length[j] = run_length(pass, first + j * pass.width);
  cut_at_rank<WAYS>(keys + first, pass.width, length, tile % pass.tiles_per_group * pass.tile, cut);
#pragma unroll
  for (int j = 0; j < WAYS; j++) cuts[(size_t)tile * WAYS + j] = cut[j];
}

#endif
