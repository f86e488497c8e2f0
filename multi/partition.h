// The steps on a rank's own device before the exchange: counting, and a stable partition by
// destination. All arrays are device arrays; kernels go to the default stream. A CUDA failure ends
// the program with exit code 3 (common/check.h).
#ifndef MULTI_PARTITION_H
#define MULTI_PARTITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  UPPER_HALF = -1,
  // A tile, the part of the array that one block partitions at a time.
  PARTITION_THREADS = 512,
  PARTITION_ITEMS = 16,
  PARTITION_TILE = PARTITION_THREADS * PARTITION_ITEMS,
};

// keys: aligned to 16 bytes.
// counts[v] = number of keys whose upper half is v; with `prefix` other than UPPER_HALF, number of
// keys with that upper half whose lower half is v. counts: 65,536 elements, aligned to 8 bytes.
// n < 2^32.
void count_halves(const unsigned int *keys, size_t n, int prefix, uint32_t *counts);

// wide[v] = counts[v], 65,536 elements.
void widen_counts(const uint32_t *counts, uint64_t *wide);

// Index of the (skipped + 1)-th key that equals `key`; there must be as many. Waits for the device.
size_t find_equal(const unsigned int *keys, size_t n, unsigned int key, size_t skipped);

// The first element, by (key, index in the shard), that is right of a border: key << 32 | index.
// The destination of an element is the number of splitters that are not greater than it.
typedef uint64_t Splitter;

// Spreads the keys of a rank, base .. base + range - 1, over 32 bits, in order and so that
// different keys stay different: some versions are faster if the keys' upper bits are spread
// evenly.
typedef struct Stretch {
  uint64_t range;   // below 2^32, unless factor is 0
  uint64_t factor;  // floor((2^64 - 1) / range); 0: the keys stay as they are
  uint32_t base;
} Stretch;

// Whether to do so. STRETCH_AUTO: where it is expected to be faster.
typedef enum StretchChoice { STRETCH_AUTO, STRETCH_ON, STRETCH_OFF } StretchChoice;

// For the keys first .. last; the keys stay as they are if last <= first or all 2^32 keys are in
// it.
Stretch stretch_of(uint32_t first, uint32_t last);

// Replaces n stretched keys by the keys that they were.
void stretch_undo(unsigned int *keys, size_t n, Stretch stretch);

// Where a partition reads and writes. positions and positions_to are NULL for bare keys.
typedef struct PartitionArrays {
  const unsigned int *keys, *positions;                // the shard
  unsigned int *const *keys_to, *const *positions_to;  // [ranks] arrays of each destination
} PartitionArrays;

// Arrays in one block of memory, which begins with splitters.
typedef struct PartitionTables {
  Splitter *splitters;  // [ranks]; the last one is not used
  Stretch *stretches;   // [ranks]
  unsigned int **to;    // [2][ranks] keys, positions
  unsigned int *next;   // [2][ranks] next free index of each destination, for even and odd chunks
} PartitionTables;

// State of a partition in chunks of one shard.
typedef struct Partition {
  int ranks;
  const unsigned int *keys, *positions;
  bool stretched;
  PartitionTables host, device;
  unsigned int *look_back;  // [tiles of a chunk][ranks], and behind it the number of the next tile
} Partition;

// Memory for chunks of at most `chunk` < 2^30 elements; from common/scratch.h.
Partition partition_create(int ranks, size_t chunk);
void partition_destroy(Partition *partition);

// Begins with a shard. first[d] is the index in the arrays of destination d where its first element
// goes. The keys for destination d are stretched by stretches[d], if that is not NULL. splitters,
// first, stretches and arrays of pointers are host arrays. The partition before must be complete.
void partition_begin(Partition *partition, PartitionArrays arrays, const Splitter *splitters,
                     const uint32_t *first, const Stretch *stretches);

// Moves elements begin .. end - 1 of the shard to their destinations, in order; the chunk with
// number `chunk`. Does not wait. The returned device array [ranks] has the next free index of each
// destination; it stays until the chunk after the next begins.
const unsigned int *partition_chunk(Partition *partition, int chunk, size_t begin, size_t end);

#ifdef __cplusplus
}
#endif
#endif
