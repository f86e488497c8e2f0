// Exact multiway selection: cuts several sorted slices at given indices of their common sorted
// order, without merging them. Host code without MPI.
#ifndef MULTI_SPLIT_SORTED_CUT_H
#define MULTI_SPLIT_SORTED_CUT_H

#include <stddef.h>
#include <stdint.h>

typedef struct SortedSlice {
  const uint32_t *keys;  // ascending, in host memory
  size_t count;
} SortedSlice;

// Sums of counts over several ranks. All ranks then cut at the same indices.
typedef struct CutSums {
  const void *context;
  void (*sum)(const void *context, uint64_t *values, int count);  // in place, over all ranks
  void (*before)(const void *context, const uint64_t *values, uint64_t *before, int count);
} CutSums;

// cut[p * count + k] = number of elements of slices[k] that are among the first place[p] of all, by
// (key, rank, slice, index). sums is NULL if all slices are here. The key is found bit by bit: 32
// rounds of one binary search in each slice, whose range narrows from round to round.
void cut_sorted(const SortedSlice *slices, int count, const uint64_t *place, int places,
                const CutSums *sums, size_t *cut);

#endif
