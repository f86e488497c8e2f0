// The counts and splitters of a ShardSort; for the shard_*.c files.
#ifndef MULTI_SHARD_WORK_H
#define MULTI_SHARD_WORK_H

#include <cuda_runtime_api.h>

#include "multi/bucket_finish.h"
#include "multi/pair_finish.h"
#include "multi/partition.h"
#include "multi/scatter.h"
#include "multi/shard_sort.h"
#include "multi/shared_memory.h"
#include "multi/splitters.h"

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

struct ShardWork {
  uint32_t *own_counts;  // [HALF_VALUES], on the device
  uint64_t *all_counts;  // the same
  HalfCounts counts[HALF_KINDS];
  void *host_counts;                 // their memory; without the own ones, if there is:
  SharedMemory shared;               // a SharedCounts of each rank, if elements travel directly
  Border *border;                    // [ranks - 1]
  uint32_t *prefixes;                // [ranks - 1]
  uint64_t *less, *equal, *earlier;  // [ranks - 1], of each border's key, on this rank; `earlier`:
                                     // equal ones on smaller ranks
  uint32_t first_key, last_key;      // no key of any rank is less or greater
  Stretch *stretches;                // [ranks] of the keys that each rank gets
  Splitter *splitters;               // [ranks - 1]
  uint64_t *to, *from;               // [ranks] elements for and from each rank
  uint32_t *first;                   // [ranks] see partition_begin()
  unsigned int **keys_to, **positions_to;  // [ranks] the same
  uint32_t *next;                          // [chunks][ranks], page-locked
  cudaEvent_t *partitioned;                // [chunks]
  Segments segments;                       // of one chunk
  Partition partition;
  Scatter scatter;      // if elements travel directly, as bare keys
  BucketFinish finish;  // the same
  bool finishes;        // its buckets fit
  // If elements travel directly, as pairs: in order of a digit, and the sort that goes on from
  // there.
  bool by_digit;  // this run does so
  PairPlan pair_plan;
  PairMove pair_move;
  PairFinish pair_finish;  // tables: NULL where this cannot be
};

// The key range of rank r: first <= key <= last, if it has any.
void shard_key_range(const struct ShardWork *work, int ranks, int r, uint32_t *first,
                     uint32_t *last);

// Collective: counts the keys' upper halves (prefix UPPER_HALF), or the lower ones of those with
// this upper half, to sort->work->counts[kind].
void shard_count(ShardSort *sort, int prefix, HalfKind kind);

// Chooses how each rank is to sort: sets stretches and the plan for pairs that travel directly.
// After the borders are known.
void shard_choose_local(ShardSort *sort);

// Moves this rank's elements to the memory of the ranks that they belong to, and waits until all
// ranks have done so. sort->direct only.
void shard_move_directly(ShardSort *sort);

// Sorts `count` elements that have arrived in sort->output. Returns the arrays of the result, which
// are sort->output or sort->input; both are overwritten.
Elements shard_sort_arrived(ShardSort *sort, size_t count);

#endif
