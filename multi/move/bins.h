// The moves between the ranks' devices on one machine: each rank writes its elements to where they
// belong, into the memory of any GPU, in bins by destination and digit.
//
// Bare keys go to bins by their upper bits, in any order within a bin, as equal bare keys are
// identical (scatter.cu). Pairs are packed into 8 bytes and go to bins by destination and a digit
// below the upper bits. They keep their order within a bin, so that a pass over the digits above
// sorts by both (pair_move.cu).
#ifndef MULTI_MOVE_BINS_H
#define MULTI_MOVE_BINS_H

#include <stddef.h>
#include <stdint.h>

#include "multi/split/splitters.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  BINS_MOST_RANKS = 64,
  SCATTER_MOST_BITS = 8,
  SCATTER_MOST_BINS = 320,  // at least scatter_bins() with most ranks and bits
  PAIR_MOVE_MOST_BINS = 512,
};

// As a choice of bits. Keys: SCATTER_MOST_BITS; pairs: a part of the prefix (pair_finish.h) if they
// are many. Otherwise 0 is none for pairs, and any other number such a part, however few they are.
enum { DIGITS_AUTO = -1 };

// The digit of a pair: `bits` bits of the key from bit `shift` on.
typedef struct PairDigitBits {
  int shift, bits;
} PairDigitBits;

// Tables of a move among 2 to BINS_MOST_RANKS ranks, in page-locked and in device memory.
typedef struct BinTables {
  int ranks;
  void *host, *device;
} BinTables;

BinTables bin_tables_create(int ranks);
void bin_tables_destroy(BinTables *tables);

// Some of the bins; the others' keys are not moved. They are left to another call.
typedef struct BinPart {
  uint32_t word[SCATTER_MOST_BINS / 32];  // bit b % 32 of word b / 32: bin b
  int blocks;  // that stay and take tile after tile, so that other kernels find room; 0: any number
} BinPart;

// Moves n < 2^32 - 2^15 keys to scatter_bins(ranks, bits) bins, 0 to 8 bits. Those of bin b go to
// arrays[b], from index first[b] on. splitters, arrays and first are host arrays. part: NULL is all
// bins. Does not wait; the next call may follow when the device has finished this one, or at once
// if it differs in the part only.
void scatter_keys(const BinTables *tables, int bits, const unsigned int *keys, size_t n,
                  const Splitter *splitters, unsigned int *const *arrays, const uint64_t *first,
                  const BinPart *part);

// 32-bit words of look-back memory for n pairs; a multiple of 4.
size_t pair_move_look_back(size_t n);

// size[b] = pairs of bin b = destination << digit.bits | digit among n < 2^30. Waits for the
// device.
void count_pair_bins(const BinTables *tables, const unsigned int *keys, size_t n,
                     const Splitter *splitters, PairDigitBits digit, uint64_t *size);

// Moves n < 2^30 pairs as scatter_keys() does. arrays[b] is an array of packed pairs, with the key
// in the lower half. look_back is device memory of pair_move_look_back(n) words, all zero.
void move_pairs_to_bins(const BinTables *tables, const unsigned int *keys,
                        const unsigned int *positions, size_t n, const Splitter *splitters,
                        PairDigitBits digit, unsigned int *const *arrays, const uint64_t *first,
                        unsigned int *look_back);

#ifdef __cplusplus
}
#endif
#endif
