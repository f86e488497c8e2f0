// The step between the ranks' devices for bare keys on one machine: each rank moves its keys to
// where they belong, into the memory of any GPU, in bins by destination and upper bits. Equal
// bare keys are identical, so their order in a bin does not matter.
#ifndef MULTI_SCATTER_H
#define MULTI_SCATTER_H

#include "multi/partition.h"

#ifdef __cplusplus
extern "C" {
#endif

// Bin = digit (the upper `bits` bits) + destination, which ascends with the key: a border inside a
// digit divides it into two bins. bits: 0 to 8.
enum { SCATTER_MOST_BITS = 8, SCATTER_MOST_RANKS = 64, SCATTER_MOST_BINS = 320 };

// As a choice of bits. Keys: SCATTER_MOST_BITS; pairs: a part of the prefix (pair_finish.h) if they
// are many. Otherwise 0 is none for pairs, and any other number such a part, however few they are.
enum { DIGITS_AUTO = -1 };

static inline int scatter_bins(int ranks, int bits) { return (1 << bits) + ranks - 1; }

// Sizes of the intersections of digits and destinations, if n sorted elements are cut at both:
// digit g has elements digit[g] .. digit[g + 1] - 1, destination d has cut[d] .. cut[d + 1] - 1.
// digit: [2^bits + 1]; cut: [ranks + 1]; size: [scatter_bins(ranks, bits)].
void scatter_bin_sizes(const uint64_t *digit, int bits, const uint64_t *cut, int ranks,
                       uint64_t *size);

// Sizes of the bins by destination and a digit below the upper bits: size[d << bits | g] elements
// whose upper half has the digit g in its `bits` bits from bit `shift` on go to destination d.
// counts: [2^16] elements with each upper half; cut: [ranks + 1], as above.
void digit_bin_sizes(const uint32_t *counts, const uint64_t *cut, int ranks, int shift, int bits,
                     uint64_t *size);

// Tables of a scatter among 2 to SCATTER_MOST_RANKS ranks, in page-locked and in device memory.
typedef struct Scatter {
  int ranks, bits;
  void *host, *device;
} Scatter;

Scatter scatter_create(int ranks, int bits);
void scatter_destroy(Scatter *scatter);

// Moves n < 2^32 - 2^15 keys. Those of bin b go to arrays[b], from index first[b]
// on, which may be mapped memory of another device. splitters, arrays and first are host arrays.
// Does not wait; the next call may follow when the device has finished this one.
void scatter_keys(Scatter *scatter, const unsigned int *keys, size_t n, const Splitter *splitters,
                  unsigned int *const *arrays, const uint64_t *first);

#ifdef __cplusplus
}
#endif
#endif
