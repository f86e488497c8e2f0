// Merges two sorted runs in shared memory with all threads at work: each thread finds by a binary
// search where its share of the output begins, and merges it in registers.
// Merge path: O. Green, R. McColl and D. A. Bader, "GPU Merge Path", ICS 2012.
#ifndef MERGE_V2_MERGE_PATH_CUH
#define MERGE_V2_MERGE_PATH_CUH

#include "merge_v2/elements.cuh"
#include "merge_v2/networks.cuh"

// A sorted run in a tile.
typedef struct Run {
  unsigned int begin, length;
} Run;

// Number of elements of `a` among the first `rank` of the merged runs; equal keys of `a`
// come first. rank <= a.length + b.length.
//   a [2 5 8], b [1 5 9], rank 3: merged [1 2 5 | 5 8 9], 2 of them from a
static __device__ __forceinline__ unsigned int merge_path(const Key *keys, Run a, Run b,
                                                          unsigned int rank) {
  unsigned int low = rank > b.length ? rank - b.length : 0;
  unsigned int high = rank < a.length ? rank : a.length;
  const Key *const first_a = keys + a.begin, *const last_b = keys + b.begin + rank - 1;
  while (low < high) {
    const unsigned int middle = (low + high) / 2;
    if (less(last_b[-(int)middle], first_a[middle]))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

// Loads `from_a` keys from i on in reverse order, then the keys from j on, `share` in all, and
// sorts them. Missing keys are replaced by copies of the greatest, which stay behind the others.
template <int ITEMS>
static __device__ __forceinline__ void merge_keys(const Key *keys, unsigned int i, unsigned int j,
                                                  unsigned int from_a, unsigned int share,
                                                  Key *key) {
  const Key *const down = keys + i + from_a - 1, *const up = keys + j - from_a;
#pragma unroll
  for (int k = 0; k < ITEMS; k++) key[k] = *(k < (int)from_a ? down - k : up + k);
  if (share < ITEMS)
#pragma unroll
    for (int k = 1; k < ITEMS; k++)
      if (k >= (int)share) key[k] = less(key[k - 1], key[0]) ? key[0] : key[k - 1];
  merge_network<ITEMS>(key);
}

// Merges ITEMS pairs one by one, from i and j on, stably. What it returns behind the ends of both
// runs has no meaning. b lies behind a.
template <int ITEMS>
static __device__ __forceinline__ void merge_pairs(KeyArrays tile, unsigned int i, unsigned int j,
                                                   unsigned int a_end, unsigned int b_end, Key *key,
                                                   unsigned int *position) {
  Key a_key = tile.keys[i], b_key = a_key;
  if (j < b_end) b_key = tile.keys[j];
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    const bool take_a = j >= b_end || (i < a_end && !less(b_key, a_key));
    key[k] = take_a ? a_key : b_key;
    const unsigned int taken = take_a ? i : j;
    position[k] = 0;
    if (taken < b_end) position[k] = tile.positions[taken];
    // One load for both cases, so that the warp does not diverge.
    Key next = Key();
    if (taken + 1 < b_end) next = tile.keys[taken + 1];
    a_key = take_a ? next : a_key;
    b_key = take_a ? b_key : next;
    i += take_a;
    j += !take_a;
  }
}

static __device__ __forceinline__ void wait_for_threads(bool of_warp) {
  if (of_warp)
    __syncwarp();
  else
    __syncthreads();
}

// A round: the thread merges elements rank .. rank + ITEMS - 1 of the runs a and b, as far as there
// are any, to ITEMS places of the tile that no other thread writes. All threads of the block call
// it; a thread without a share passes a rank beyond both runs. in_warp: no two runs are merged by
// threads of two warps. cuts: a value for each thread.
template <int ITEMS, bool PAIRS>
static __device__ __forceinline__ void merge_round(KeyArrays tile, unsigned int *cuts, Run a, Run b,
                                                   unsigned int rank, bool in_warp) {
  const unsigned int total = a.length + b.length;
  const bool active = rank < total;
  if (!active) rank = total;  // reads something, writes nothing
  Key key[ITEMS];
  unsigned int position[ITEMS];
  wait_for_threads(in_warp);
  const unsigned int from_a = merge_path(tile.keys, a, b, rank);
  const unsigned int i = a.begin + from_a, j = b.begin + rank - from_a;
  if (PAIRS) {
    merge_pairs<ITEMS>(tile, i, j, a.begin + a.length, b.begin + b.length, key, position);
  } else {
    cuts[threadIdx.x] = from_a;
    wait_for_threads(in_warp);
    const bool last = total - rank <= ITEMS;
    const unsigned int end_a = last ? a.length : cuts[threadIdx.x + 1];
    merge_keys<ITEMS>(tile.keys, i, j, end_a - from_a, last ? total - rank : ITEMS, key);
  }
  wait_for_threads(in_warp);
  if (!active) return;
  const KeyArrays own = elements_at<PAIRS>(tile, threadIdx.x * ITEMS);
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    own.keys[k] = key[k];
    if (PAIRS) own.positions[k] = position[k];
  }
}

#endif
