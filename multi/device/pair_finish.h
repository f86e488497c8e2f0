// The local sort of packed pairs that have arrived in order of the lower part of a prefix
// (multi/move/bins.h): gsort's sweep by the upper part, and a block for each bucket. The
// counts of all prefixes are known, so nothing is counted.
#ifndef MULTI_DEVICE_PAIR_FINISH_H
#define MULTI_DEVICE_PAIR_FINISH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "multi/move/bins.h"

#ifdef __cplusplus
extern "C" {
#endif

// How all ranks sort: 2^prefix_bits buckets by the upper bits; `digit` is their lower part. With
// more than COUNTED_BITS the counts do not show the sizes of bins and buckets: bins are counted
// anew (count_pair_bins()), and buckets are found when they are in order.
enum { COUNTED_BITS = 16 };
typedef struct PairPlan {
  int row, prefix_bits;
  PairDigitBits digit;
} PairPlan;

// Sets *plan so that all buckets fit into blocks, with more than COUNTED_BITS: probably; false if
// no plan suits. counts: [2^16] keys of all ranks with each upper half. first[r] .. last[r]: the
// keys of rank r. average: n / ranks.
bool pair_finish_choose(const uint64_t *counts, const uint32_t *first, const uint32_t *last,
                        int ranks, uint64_t average, PairPlan *plan);

typedef struct PairFinish {
  uint32_t *tables;  // page-locked: see pair_finish.cu
  void *device;
  unsigned int *look_back;       // device memory: of the move, and behind it of the sweep
  size_t move_words, all_words;  // of it
} PairFinish;

// For results of at most `capacity` pairs and shards of at most `shard`.
PairFinish pair_finish_create(size_t capacity, size_t shard);
void pair_finish_destroy(PairFinish *finish);

// Queues clearing what the next move and sort look back at; while the device is idle.
void pair_finish_clear(const PairFinish *finish);

// The keys of the caller's rank are first .. last; of all keys in order, theirs have the places
// begin .. end - 1. Queues copies to the device.
void pair_finish_prepare(PairFinish *finish, const PairPlan *plan, const uint64_t *counts,
                         uint32_t first, uint32_t last, uint64_t begin, uint64_t end);

// After pair_finish_clear() and pair_finish_prepare(): sorts the `n` pairs packed in `arrived`, by
// way of `spare`, which holds as many packed pairs, to keys and positions, which may overlap
// `arrived`. Waits only with more than COUNTED_BITS. False if some bucket does not fit: then keys
// and positions hold the pairs in order of their prefixes, stably.
bool pair_finish_sort(PairFinish *finish, const PairPlan *plan, size_t n, unsigned int *arrived,
                      unsigned int *spare, unsigned int *keys, unsigned int *positions);

#ifdef __cplusplus
}
#endif
#endif
