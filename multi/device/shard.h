// An array that is spread over the ranks, each shard on its rank's device: the memory for its sort
// (shard.c), and its sort (shard_sort.c) with two of its steps (borders.c, direct.c).
#ifndef MULTI_DEVICE_SHARD_H
#define MULTI_DEVICE_SHARD_H

#include <cuda_runtime_api.h>

#include "multi/device/bucket_finish.h"
#include "multi/device/pair_finish.h"
#include "multi/move/exchange.h"
#include "multi/move/partition.h"
#include "multi/world/memory.h"

// Numbers of keys with each value of a half, in page-locked memory.
typedef struct HalfCounts {
  uint32_t *own;  // [HALF_VALUES] of this rank
  uint64_t *all;  // [HALF_VALUES] of all ranks
} HalfCounts;

// Whose counts: of all keys, or of those with the prefix that was refined last.
typedef enum HalfKind { UPPER_HALVES, LOWER_HALVES, HALF_KINDS } HalfKind;

// What a rank has in memory that all ranks see.
typedef struct SharedCounts {
  uint64_t sums[HALF_VALUES];  // of a part of the values
  uint32_t own[HALF_KINDS][HALF_VALUES];
} SharedCounts;

typedef struct ShardSort {
  // The problem
  const World *world;
  Exchange *exchange;
  bool pairs;
  bool direct;      // ranks write to each other's memory; then nothing is sent
  int digit_bits;   // that are sorted by on the way, if direct; of pairs also DIGITS_AUTO
  uint64_t n;       // of all ranks
  size_t shard;     // elements of this rank
  int chunks;       // of the exchange, on every rank
  size_t chunk;     // elements of a chunk of this rank
  size_t capacity;  // elements that the arrays hold
  Elements input;   // to be filled with the shard before each run; afterwards undefined
  Elements output;  // where the result is depends on the number of ranks
  Elements spare;   // NULL with one rank, or if elements travel directly and in one phase
  PeerArray peer;   // if elements travel directly: the output of all ranks
  // Counts and borders
  uint32_t *own_counts;  // [HALF_VALUES], on the device
  uint64_t *all_counts;  // the same
  HalfCounts counts[HALF_KINDS];
  SharedMemory shared;           // a SharedCounts of each rank, if elements travel directly
  Border *border;                // [ranks - 1]
  uint32_t first_key, last_key;  // no key of any rank is less or greater
  Splitter *splitters;           // [ranks - 1]
  uint64_t *to, *from;           // [ranks] elements for and from each rank
  // The partition and the exchange
  uint32_t *first;                         // [ranks] see partition_begin()
  unsigned int **keys_to, **positions_to;  // [ranks] the same
  uint32_t *next;                          // [chunks][ranks], page-locked
  cudaEvent_t *partitioned;                // [chunks]
  Segments segments;                       // of one chunk
  Partition partition;
  // If elements travel directly
  BinTables tables;
  BucketFinish finish;     // keys
  bool finishes;           // keys: its buckets fit
  bool overlaps;           // keys: this run has two phases, and the result is in `spare`
  cudaEvent_t part_moved;  // the first
  bool by_digit;  // pairs: this run moves them in order of a digit, and sorts on from there
  PairPlan pair_plan;
  PairFinish pair_finish;  // pairs; tables: NULL where this cannot be
} ShardSort;

// Collective. Takes memory for shards of any size whose sum is n. If a rank has too little, all
// ranks end with EXIT_DEVICE and a sentence.
ShardSort shard_sort_create(const World *world, Exchange *exchange, uint64_t n, size_t shard,
                            bool pairs, int chunks, int digit_bits);
void shard_sort_destroy(ShardSort *sort);

extern const char *const shard_stages[];  // names; ends with NULL

// Collective: sorts; the result is on the device. The time of each stage on this rank is added to
// `seconds`, if that is not NULL; then the stages wait for each other, and nothing overlaps.
SortResult shard_sort_run(ShardSort *sort, double *seconds);

// ---- the borders between the ranks, from counts of all keys -------------------------------------
// And what follows from them: this rank's splitters, and how many of its elements go where.

// Collective: counts the upper halves of all keys.
void shard_count(ShardSort *sort);

// Collective, after shard_count(): finds borders and splitters. Lower halves are counted where a
// border is inside a prefix.
void shard_find_borders(ShardSort *sort);

// Collective, after that: where segments begin, in the sent and in the received arrays. Returns the
// number of elements that this rank will have.
uint64_t shard_lay_out(ShardSort *sort);

// Index in the sorted array of the first element of rank r, and with r = ranks behind the last one.
uint64_t shard_place(const ShardSort *sort, int r);

// The key range of rank r: first <= key <= last, if it has any.
void shard_key_range(const ShardSort *sort, int r, uint32_t *first, uint32_t *last);

// ---- from GPU to GPU without a message ----------------------------------------------------------
// The kernel that partitions a shard writes each element to where it belongs, in the memory of its
// rank's GPU. The counts give every rank a separate part of every destination, so that no two ranks
// write to the same place.

// Collective: moves the elements, prepares the sort that goes on from their order, and waits until
// all ranks have moved theirs. sort->direct only.
void shard_move_directly(ShardSort *sort);

#endif
