// The sort of an array that is spread over the ranks, each shard on its rank's device.
#ifndef MULTI_SHARD_SORT_H
#define MULTI_SHARD_SORT_H

#include "multi/exchange.h"
#include "multi/partition.h"
#include "multi/peer_array.h"

typedef enum Stage {
  STAGE_COUNT,
  STAGE_SPLITTERS,
  STAGE_PARTITION,
  STAGE_EXCHANGE,
  STAGE_SORT,
  STAGES
} Stage;

extern const char *const stage_names[STAGES + 1];  // ends with NULL

// Elements on a device, or on the host. positions is NULL for bare keys.
typedef struct Elements {
  unsigned int *keys, *positions;
} Elements;

// A problem and the memory for it.
typedef struct ShardSort {
  const World *world;
  Exchange *exchange;
  bool pairs;
  bool direct;     // ranks write to each other's memory; then nothing is sent
  int digit_bits;  // by which elements that travel directly are sorted on their way (scatter.h)
  StretchChoice stretch;
  uint64_t n;              // of all ranks
  size_t shard;            // elements of this rank
  int chunks;              // of the exchange, on every rank
  size_t chunk;            // elements of a chunk of this rank
  size_t capacity;         // elements that the arrays hold
  Elements input;          // to be filled with the shard before each run; afterwards undefined
  Elements output;         // device arrays; where the result is depends on the number of ranks
  Elements spare;          // NULL with one rank, or if elements travel directly
  PeerArray peer;          // if elements travel directly: the output of all ranks
  struct ShardWork *work;  // counts and splitters
} ShardSort;

// The result of a run on this rank.
typedef struct ShardResult {
  Elements elements;  // on the device, until the next run
  uint64_t begin;     // index of the first one in the sorted array
  size_t count;
  uint64_t moved;  // elements that this rank received from others
} ShardResult;

// Collective. Takes memory for shards of any size whose sum is n. If a rank has too little, all
// ranks end with EXIT_DEVICE and a sentence.
ShardSort shard_sort_create(const World *world, Exchange *exchange, uint64_t n, size_t shard,
                            bool pairs, int chunks, int digit_bits, StretchChoice stretch);
void shard_sort_destroy(ShardSort *sort);

// Collective: sorts. `seconds`, if not NULL, gets the time of each stage on this rank; for that the
// stages wait for each other, on all ranks, and nothing overlaps.
ShardResult shard_sort_run(ShardSort *sort, double seconds[STAGES]);

#endif
