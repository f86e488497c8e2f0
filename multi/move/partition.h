// A stable partition of a shard by destination, on the rank's device. All arrays are device arrays;
// kernels go to the default stream. A CUDA failure ends the program with exit code 3
// (common/check.h).
#ifndef MULTI_MOVE_PARTITION_H
#define MULTI_MOVE_PARTITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "multi/split/splitters.h"

#ifdef __cplusplus
extern "C" {
#endif

// A tile, the part of the array that one block partitions at a time.
enum {
  PARTITION_THREADS = 512,
  PARTITION_ITEMS = 16,
  PARTITION_TILE = PARTITION_THREADS * PARTITION_ITEMS,
};

// Where a partition reads and writes. positions and positions_to are NULL for bare keys.
typedef struct PartitionArrays {
  const unsigned int *keys, *positions;                // the shard
  unsigned int *const *keys_to, *const *positions_to;  // [ranks] arrays of each destination
} PartitionArrays;

// Arrays in one block of memory, which begins with splitters.
typedef struct PartitionTables {
  Splitter *splitters;  // [ranks]; the last one is not used
  unsigned int **to;    // [2][ranks] keys, positions
  unsigned int *next;   // [2][ranks] next free index of each destination, for even and odd chunks
} PartitionTables;

// State of a partition in chunks of one shard.
typedef struct Partition {
  int ranks;
  const unsigned int *keys, *positions;
  PartitionTables host, device;
  unsigned int *look_back;  // [tiles of a chunk][ranks], and behind it the number of the next tile
} Partition;

// Memory for chunks of at most `chunk` < 2^30 elements; from common/scratch.h.
Partition partition_create(int ranks, size_t chunk);
void partition_destroy(Partition *partition);

// Begins with a shard. first[d] is the index in the arrays of destination d where its first element
// goes. splitters, first and arrays of pointers are host arrays. The partition before must be
// complete.
void partition_begin(Partition *partition, PartitionArrays arrays, const Splitter *splitters,
                     const uint32_t *first);

// Moves elements begin .. end - 1 of the shard to their destinations, in order; the chunk with
// number `chunk`. Does not wait. The returned device array [ranks] has the next free index of each
// destination; it stays until the chunk after the next begins.
const unsigned int *partition_chunk(Partition *partition, int chunk, size_t begin, size_t end);

#ifdef __cplusplus
}
#endif
#endif
