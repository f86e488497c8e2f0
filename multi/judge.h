// The verdict over all ranks: is the array that they hold the sorted input?
#ifndef MULTI_JUDGE_H
#define MULTI_JUDGE_H

#include "multi/slice.h"
#include "multi/world/world.h"

// Summaries of a rank's part of the input, which is made anew from its source, and of its part of
// the result.
typedef struct Evidence {
  Slice input;  // only its count and hash sums matter
  Slice output;
  uint64_t begin;  // index in the sorted array of the first element, as the sort reports it
} Evidence;

typedef struct Judgement {
  bool right;
  char text[512];    // "PASS", or "FAIL: " and a clause for each part that fails
  uint64_t largest;  // elements of the rank that holds most
} Judgement;

// Collective; all ranks get the same judgement. Parts: order (inside ranks and across their
// borders), elements (nothing lost or invented, positions still with their keys: counts and 128
// bits of hash sums), stability of pairs if `stable`, places (each rank's elements begin at the
// index that the sort reported) and, if `exact`, balance (no rank holds over 1% more than its
// share).
Judgement judge(const World *world, const Evidence *evidence, bool pairs, bool stable, bool exact);

#endif
