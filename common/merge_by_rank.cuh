// Merges two neighbouring sorted runs: by one thread, or with one thread per element.
#ifndef COMMON_MERGE_BY_RANK_CUH
#define COMMON_MERGE_BY_RANK_CUH

#include "common/pairs.cuh"

// Two neighbouring sorted runs: [begin, middle) and [middle, end). The right one may be empty.
typedef struct Runs {
  size_t begin, middle, end;
} Runs;

// Runs number 2 * pair and 2 * pair + 1 of n elements in runs of `width`. The last run may be
// shorter.
//   n 7, width 2:  pair 0 is [0, 2) [2, 4), pair 1 is [4, 6) [6, 7)
static __host__ __device__ __forceinline__ Runs runs_of_pair(size_t pair, size_t width, size_t n) {
  const size_t begin = pair * 2 * width, middle = begin + width, end = middle + width;
  const Runs runs = {begin, middle < n ? middle : n, end < n ? end : n};
  return runs;
}

// One thread merges two runs, element by element. Of equal keys the left run's comes first.
//   [2 5 | 1 5 7]  ->  [1 2 5 5 7]
static __device__ __forceinline__ void merge_serially(Pairs from, Pairs to, Runs runs) {
  size_t i = runs.begin, j = runs.middle;
  for (size_t k = runs.begin; k < runs.end; k++) {
    const bool left = j == runs.end || (i < runs.middle && from.keys[i] <= from.keys[j]);
    move_pair(to, k, from, left ? i++ : j++);
  }
}

// Number of elements of a sorted run that are less than `key`, or with equal_too not greater.
//   run [2 5 5 8], key 5  ->  1; with equal_too 3
static __device__ __forceinline__ unsigned int count_before(const unsigned int *run,
                                                            unsigned int length, unsigned int key,
                                                            bool equal_too) {
  unsigned int first = 0;  // run[0 .. first) comes before the key; `length` more are undecided
  while (length > 0) {
    const unsigned int half = length / 2, probe = run[first + half];
    const bool before = equal_too ? probe <= key : probe < key;
    if (before) first += half + 1;
    length = before ? length - half - 1 : half;
  }
  return first;
}

// Index of element i after two neighbouring sorted runs are merged: its index in its run plus
// the number of elements of the other run that come before it. Of equal keys the left run's come
// first, so an element of the right run also counts those equal to it. `tile`, in shared or in
// device memory, holds `left` elements of the left run, then the elements of the right run, `count`
// in all.
//   tile [2 5 | 1 5 7]  own index [0 1 0 1 2] + before it in the other run [1 1 0 2 2]
//   place [1 2 0 3 4]
static __device__ __forceinline__ unsigned int place_in_merge(const unsigned int *tile,
                                                              unsigned int left, unsigned int count,
                                                              unsigned int i) {
  if (i < left) return i + count_before(tile + left, count - left, tile[i], false);
  return i - left + count_before(tile, left, tile[i], true);
}

#endif
