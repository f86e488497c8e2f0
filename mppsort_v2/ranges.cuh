// Ranges that fit the data. The keys of a part, from the least to the greatest of a sample, are
// divided into fine ranges of equal width; a fine range with many sampled keys is divided again,
// from the least to the greatest of these, and if it is still overfull a third time. So skew costs
// up to two more table look-ups, and no pass over the keys.
#ifndef MPPSORT_V2_RANGES_CUH
#define MPPSORT_V2_RANGES_CUH

#include "common/launch.cuh"
#include "common/pairs.cuh"
#include "gsort/block/scan.cuh"

enum {
  MOST_FINE_BITS = 12,
  FEW_GROUP_BITS = 8,
  MANY_GROUP_BITS = 10,
  DIVIDED = 0x8000,   // of an entry: the rest is the number of a division
  ONE_KEY = 0x8000,   // of an element of `order`: the fine range is one key wide
  MOST_PARTS = 1024,  // of a level
};

// A division of an interval of keys into `ranges` fine ranges of 2^shift keys from `least` on, one
// for smaller keys before them and one for greater keys behind them: ranges + 2 slots in all.
typedef struct Division {
  unsigned int least;
  unsigned int packed;  // shift | ranges << 5 | first slot << 17
} Division;

enum { MOST_RANGES = (1 << 12) - 1 };  // of a packed division

// The first division of a part, whose slots are 0 .. ranges + 1.
typedef struct Root {
  unsigned int least, ranges;
  int shift;
  unsigned int slots, divisions, leaves;  // in use; leaves: slots that are not divided again
} Root;

// Keys that are partitioned together.
typedef struct Part {
  unsigned int begin, length;
} Part;

// KeyArrays for a block to sort, or to copy if they are equal.
typedef struct Group {
  unsigned int begin, length;
  bool equal;     // their keys are equal
  bool at_input;  // they are where the input was, not where the output will be
} Group;

// A partition step of up to most_parts parts. Pointers are to device memory.
typedef struct Level {
  unsigned int most_parts, tile;  // keys of a tile of the move
  unsigned int slots, divisions;  // per part, at most
  int fine_bits, group_bits;      // 2^fine_bits + 2 slots of the first division
  unsigned int capacity, join;    // a block sorts capacity; groups are joined up to `join`
  bool stable;                    // pairs
  bool large_tiles;               // of the move of pairs
  bool copies;                    // the level moves to the input: equal keys must be copied
  // Zero before the level.
  unsigned int *parts, *tiles_dealt;  // numbers
  unsigned int *counts;               // [parts][slots]
  unsigned long long *look_back;      // [tiles][groups / 2], for pairs
  // The others.
  Part *part;                 // [parts]
  unsigned int *first_tile;   // [parts + 1] number of each part's first tile
  Root *root;                 // [parts]
  unsigned short *entry;      // [parts][slots] DIVIDED | division, or the slot's group
  Division *division;         // [parts][divisions]
  unsigned short *order;      // [parts][slots] slots in order of their keys; ONE_KEY
  unsigned int *group_begin;  // [parts][groups]; with bare keys, where the next key goes
} Level;

// The next ones: groups for blocks, and parts of the next level.
typedef struct Results {
  unsigned int *groups, *parts, *joined;  // numbers, zero before; joined: blocks that have listed
  Group *group;
  Part *part;
  volatile unsigned int *host_parts;  // in the host's memory, or NULL: 1 + number of parts
} Results;

// The least and the greatest of all lanes' numbers, in all of them.
static __device__ __forceinline__ void find_extremes(unsigned int *low, unsigned int *high) {
  for (int lanes = WARP_SIZE / 2; lanes > 0; lanes /= 2) {
    *low = min(*low, __shfl_xor_sync(0xffffffffu, *low, lanes));
    *high = max(*high, __shfl_xor_sync(0xffffffffu, *high, lanes));
  }
}

// The thread's part of the least and the greatest key of the block.
static __device__ __forceinline__ void add_extremes(unsigned int low, unsigned int high,
                                                    unsigned int *least, unsigned int *greatest) {
  find_extremes(&low, &high);
  if (threadIdx.x % WARP_SIZE != 0) return;
  atomicMin(least, low);
  atomicMax(greatest, high);
}

static __host__ __device__ __forceinline__ unsigned int slot_in(unsigned int key,
                                                                unsigned int least, int shift,
                                                                unsigned int ranges) {
  const unsigned int range = min((key - least) >> shift, ranges);
  return key < least ? 0 : range + 1;
}

// The slot of a key, at most `depth` divisions below the first.
static __host__ __device__ __forceinline__ unsigned int find_slot(unsigned int key,
                                                                  const Root &root,
                                                                  const unsigned short *entry,
                                                                  const Division *division,
                                                                  int depth) {
  unsigned int slot = slot_in(key, root.least, root.shift, root.ranges);
  for (unsigned int next; depth > 0 && ((next = entry[slot]) & DIVIDED) != 0; depth--) {
    const Division d = division[next & ~DIVIDED];
    slot =
        (d.packed >> 17) + slot_in(key, d.least, (int)(d.packed & 31), d.packed >> 5 & MOST_RANGES);
  }
  return slot;
}

// The group of a key, when entries of slots are groups.
static __device__ __forceinline__ unsigned int find_group(unsigned int key, const Root &root,
                                                          const unsigned short *entry,
                                                          const Division *division) {
  unsigned int next = entry[slot_in(key, root.least, root.shift, root.ranges)];
  while ((next & DIVIDED) != 0) {
    const Division d = division[next & ~DIVIDED];
    next = entry[(d.packed >> 17) +
                 slot_in(key, d.least, (int)(d.packed & 31), d.packed >> 5 & MOST_RANGES)];
  }
  return next;
}

// Copies a part's tables to shared memory; a barrier must follow.
static __device__ __forceinline__ void load_tables(const Level &level, unsigned int part,
                                                   const Root &root, unsigned short *entry,
                                                   Division *division) {
  const unsigned int *const from = (const unsigned int *)(level.entry + (size_t)part * level.slots);
  for (unsigned int i = threadIdx.x; i < (root.slots + 1) / 2; i += blockDim.x)
    ((unsigned int *)entry)[i] = from[i];
  for (unsigned int i = threadIdx.x; i < root.divisions; i += blockDim.x)
    division[i] = level.division[(size_t)part * level.divisions + i];
}

// The part of a tile, for all threads of the block; *shared_part is shared memory. Barriers inside.
static __device__ __forceinline__ unsigned int part_of_tile(const Level &level, unsigned int parts,
                                                            unsigned int tile,
                                                            unsigned int *shared_part) {
  if (parts == 1) return 0;
  for (unsigned int p = threadIdx.x; p < parts; p += blockDim.x)
    if (level.first_tile[p] <= tile && tile < level.first_tile[p + 1]) *shared_part = p;
  __syncthreads();
  const unsigned int part = *shared_part;
  __syncthreads();
  return part;
}

#endif
