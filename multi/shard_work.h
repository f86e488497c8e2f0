// The counts and splitters of a ShardSort; for shard_sort.c and shard_memory.c.
#ifndef MULTI_SHARD_WORK_H
#define MULTI_SHARD_WORK_H

#include <cuda_runtime_api.h>

#include "multi/partition.h"
#include "multi/shard_sort.h"
#include "multi/splitters.h"

struct ShardWork {
  uint64_t *device_counts;           // [HALF_VALUES], on the device
  uint64_t *own, *all;               // [HALF_VALUES], of this rank and of all
  Border *border;                    // [ranks - 1]
  uint32_t *prefixes;                // [ranks - 1]
  uint64_t *less, *equal, *earlier;  // [ranks - 1], of each border's key, on this rank; `earlier`:
                                     // equal ones on smaller ranks
  uint32_t first_key, last_key;      // no key of any rank is less or greater
  Stretch *stretches;                // [ranks] of the keys that each rank gets
  Splitter *splitters;               // [ranks - 1]
  uint64_t *to, *from;               // [ranks] elements for and from each rank
  uint32_t *first;                   // [ranks] see partition_begin()
  uint32_t *next;                    // [chunks][ranks], page-locked
  cudaEvent_t *partitioned;          // [chunks]
  Segments segments;                 // of one chunk
  Partition partition;
};

#endif
