// The verdict over all ranks: is the array that they hold the sorted input?
#ifndef MULTI_JUDGE_H
#define MULTI_JUDGE_H

#include "multi/slice.h"
#include "multi/world.h"

// What a rank knows of its part of the input, made anew from its source, and of the result.
typedef struct Evidence {
  Slice input;  // only its count and hash sums matter
  Slice output;
  uint64_t begin;  // the place in the sorted array that the sort gives for the first element
} Evidence;

typedef struct Judgement {
  bool right;
  char text[512];    // "PASS", or "FAIL: " and a clause for each part that fails
  uint64_t largest;  // elements of the rank that holds most
} Judgement;

// Collective; all ranks get the same judgement. Parts: order (inside ranks and across their
// borders), elements (nothing lost or invented, positions still with their keys: counts and 128
// bits of hash sums), stability of pairs if `stable`, places (each rank's first element is where
// its share begins) and balance (no rank holds over 1% more than its share).
Judgement judge(const World *world, const Evidence *evidence, bool pairs, bool stable);

#endif
