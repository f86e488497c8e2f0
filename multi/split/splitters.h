// Exact splitters: which elements go to which rank, from counts of the keys' two halves. Host code
// without MPI.
//
// Rank r is to hold indices n r / ranks to n (r + 1) / ranks - 1 of the sorted array. Border b, for
// b = 1 .. ranks - 1, is the boundary between ranks b - 1 and b.
//
//   1. The counts of the upper 16 bits, added up over all ranks, give the prefix of the key at each
//      border.
//   2. If a prefix begins near the border, the border moves there: to the one whose number has the
//      most zero bits at its end. Otherwise the counts of the lower 16 bits among the keys with the
//      border's prefix give the key.
//   3. Elements equal to that key are divided by (source rank, index): the first of them go left.
//
// So the order of (key, source rank, index) decides, and any input is divided evenly and stably.
#ifndef MULTI_SPLIT_SPLITTERS_H
#define MULTI_SPLIT_SPLITTERS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HALF_VALUES = 1 << 16 };  // values of the upper or lower half of a key

typedef struct Border {
  uint64_t wanted;         // elements that should be before the border
  uint64_t place;          // elements that are before it
  uint32_t prefix;         // upper half of the key at `wanted`, if refined
  uint64_t before_prefix;  // number of elements with smaller prefixes, if refined
  bool refined;            // the lower halves of this prefix have to be counted
  // Elements with smaller keys are left of the border; of those equal to `key` the first
  // `equal_before`, by (source rank, index).
  uint32_t key;
  uint64_t equal_before;
} Border;

// First index of rank r: floor(n r / ranks).
uint64_t share_begin(uint64_t n, int r, int ranks);

// Greatest distance from its exact index at which a border needs no refinement, in elements: 1/512
// of a share on each side.
uint64_t border_slack(uint64_t n, int ranks);

// The largest of the counts of all prefixes.
uint64_t largest_count(const uint64_t counts[HALF_VALUES]);

// Sets border[0..ranks - 2] from the counts of all prefixes, whose sum n may be 0.
void borders_by_prefix(const uint64_t counts[HALF_VALUES], uint64_t n, int ranks, Border *border);

// Completes a refined border from the counts of the lower halves of its prefix over all ranks.
void border_refine(Border *border, const uint64_t low_counts[HALF_VALUES]);

// How many of `equal` elements of one rank that are equal to the border's key are left of the
// border, if ranks before it have `earlier` of them.
uint64_t equal_left(const Border *border, uint64_t earlier, uint64_t equal);

// The first element, by (key, index in the shard), that is right of a border: key << 32 | index.
// The destination of an element is the number of splitters that are not greater than it.
typedef uint64_t Splitter;

// ---- sizes of bins, if a shard is divided by destination and digit ------------------------------

// Bins by the upper `bits` bits and destination: digit + destination. Both ascend with the key, so
// a border inside a digit divides it into two bins.
static inline int scatter_bins(int ranks, int bits) { return (1 << bits) + ranks - 1; }

// Sizes of the bins, if n sorted elements are cut at both: digit g has elements digit[g] ..
// digit[g + 1] - 1, destination d has cut[d] .. cut[d + 1] - 1.
// digit: [2^bits + 1]; cut: [ranks + 1]; size: [scatter_bins(ranks, bits)].
void scatter_bin_sizes(const uint64_t *digit, int bits, const uint64_t *cut, int ranks,
                       uint64_t *size);

// Sizes of the bins by destination and a digit below the upper bits: size[d << bits | g] elements
// whose upper half has the digit g in its `bits` bits from bit `shift` on go to destination d.
// counts: [HALF_VALUES] elements with each upper half; cut: [ranks + 1], as above.
void digit_bin_sizes(const uint32_t *counts, const uint64_t *cut, int ranks, int shift, int bits,
                     uint64_t *size);

#ifdef __cplusplus
}
#endif
#endif
