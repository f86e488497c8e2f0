// The step between the ranks' devices for pairs on one machine: each rank writes its pairs, packed
// into 8 bytes, to where they belong in the memory of any GPU, in order of (destination, digit).
// Stable: pairs of a bin keep their order. So a pass over the digits above sorts by both.
#ifndef MULTI_PAIR_MOVE_H
#define MULTI_PAIR_MOVE_H

#include "multi/partition.h"

#ifdef __cplusplus
extern "C" {
#endif

// Bin = destination << bits | digit. A shard has fewer than 2^30 pairs.
enum { PAIR_MOVE_MOST_BINS = 512, PAIR_MOVE_MOST_RANKS = 64 };

// The digit: `bits` bits of the key from bit `shift` on.
typedef struct PairDigitBits {
  int shift, bits;
} PairDigitBits;

// Tables of a move among 2 to PAIR_MOVE_MOST_RANKS ranks, in page-locked and in device memory.
typedef struct PairMove {
  int ranks;
  void *host, *device;
} PairMove;

PairMove pair_move_create(int ranks);
void pair_move_destroy(PairMove *move);

// 32-bit words of look-back memory for n pairs; a multiple of 4.
size_t pair_move_look_back(size_t n);

// size[b] = pairs of bin b among n; ranks << digit.bits bins. Waits for the device.
void count_pair_bins(PairMove *move, const unsigned int *keys, size_t n, const Splitter *splitters,
                     PairDigitBits digit, uint64_t *size);

// Moves n pairs. Those of bin b go to arrays[b], an array of packed pairs (key in the lower half),
// from index first[b] on; ranks << digit.bits bins. splitters, arrays and first are host arrays;
// look_back is device memory of pair_move_look_back(n) words, all zero. Does not wait; the next
// call may follow when the device has finished this one.
void move_pairs_to_bins(PairMove *move, const unsigned int *keys, const unsigned int *positions,
                        size_t n, const Splitter *splitters, PairDigitBits digit,
                        unsigned int *const *arrays, const uint64_t *first,
                        unsigned int *look_back);

#ifdef __cplusplus
}
#endif
#endif
