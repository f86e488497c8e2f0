// The step between the ranks' devices for bare keys on one machine: each rank moves its keys to
// where they belong, into the memory of any GPU, in bins by destination and upper 8 bits. Equal
// bare keys are identical, so their order in a bin does not matter.
#ifndef MULTI_SCATTER_H
#define MULTI_SCATTER_H

#include "multi/partition.h"

#ifdef __cplusplus
extern "C" {
#endif

// Bin = upper 8 bits + destination, which ascends with the key: a border inside a digit divides it
// into two bins.
enum { SCATTER_DIGITS = 256, SCATTER_MOST_RANKS = 64, SCATTER_MOST_BINS = 320 };

static inline int scatter_bins(int ranks) { return SCATTER_DIGITS + ranks - 1; }

// Sizes of the intersections of digits and destinations, if n sorted elements are cut at both:
// digit g has elements digit[g] .. digit[g + 1] - 1, destination d has cut[d] .. cut[d + 1] - 1.
// size: [scatter_bins(ranks)].
void scatter_bin_sizes(const uint64_t digit[SCATTER_DIGITS + 1], const uint64_t *cut, int ranks,
                       uint64_t *size);

// Tables of a scatter among 2 to SCATTER_MOST_RANKS ranks, in page-locked and in device memory.
typedef struct Scatter {
  int ranks;
  void *host, *device;
} Scatter;

Scatter scatter_create(int ranks);
void scatter_destroy(Scatter *scatter);

// Moves n < 2^32 - 2^15 keys, 16-byte aligned. Those of bin b go to arrays[b], from index first[b]
// on, which may be mapped memory of another device. splitters, arrays and first are host arrays.
// Does not wait; the next call may follow when the device has finished this one.
void scatter_keys(Scatter *scatter, const unsigned int *keys, size_t n, const Splitter *splitters,
                  unsigned int *const *arrays, const uint64_t *first);

#ifdef __cplusplus
}
#endif
#endif
