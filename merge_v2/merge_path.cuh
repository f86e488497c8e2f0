// Merges two sorted runs in shared memory with all threads at work: each thread finds by a binary
// search where its share of the output begins, then merges that many elements one by one.
// Merge path: O. Green, R. McColl and D. A. Bader, "GPU Merge Path", ICS 2012.
#ifndef MERGE_V2_MERGE_PATH_CUH
#define MERGE_V2_MERGE_PATH_CUH

#include "merge_v2/elements.cuh"

// A sorted run in a tile.
typedef struct Run {
  unsigned int begin, length;
} Run;

// Number of elements of `a` among the first `rank` of the merged runs; of equal keys those of `a`
// come first. rank <= a.length + b.length.
//   a [2 5 8], b [1 5 9], rank 3: merged [1 2 5 | 5 8 9], 2 of them from a
static __device__ __forceinline__ unsigned int merge_path(const Key *keys, Run a, Run b,
                                                          unsigned int rank) {
  unsigned int low = rank > b.length ? rank - b.length : 0;
  unsigned int high = rank < a.length ? rank : a.length;
  while (low < high) {
    const unsigned int middle = (low + high) / 2;
    if (less(keys[b.begin + rank - 1 - middle], keys[a.begin + middle]))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

// One thread merges elements rank .. rank + ITEMS - 1 of the merged runs, as far as there are any,
// to to[begin + rank ..]. Without a share: rank 0 of two empty runs.
template <int ITEMS, bool PAIRS>
static __device__ __forceinline__ void merge_share(Tile from, Run a, Run b, Tile to,
                                                   unsigned int begin, unsigned int rank) {
  const unsigned int total = a.length + b.length;
  const unsigned int from_a = merge_path(from.keys, a, b, rank);
  unsigned int i = a.begin + from_a, j = b.begin + rank - from_a;
  const unsigned int a_end = a.begin + a.length, b_end = b.begin + b.length;
  Key a_key = {}, b_key = {};
  if (i < a_end) a_key = from.keys[i];
  if (j < b_end) b_key = from.keys[j];
#pragma unroll
  for (unsigned int k = 0; k < ITEMS; k++) {
    if (rank + k >= total) return;
    const bool take_a = j >= b_end || (i < a_end && !less(b_key, a_key));
    to.keys[begin + rank + k] = take_a ? a_key : b_key;
    if (PAIRS) to.places[begin + rank + k] = from.places[take_a ? i : j];
    // One load for both cases, so that the warp does not diverge.
    const unsigned int next = take_a ? ++i : ++j;
    if (next < (take_a ? a_end : b_end)) {
      const Key key = from.keys[next];
      if (take_a)
        a_key = key;
      else
        b_key = key;
    }
  }
}

#endif
