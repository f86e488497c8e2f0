// Ranges that fit the data: a sorted sample of a part's keys gives the borders of the fine ranges,
// so that each holds about as many keys, however these are distributed. A table of ranges of equal
// width says which borders a key may have to be compared with: one or two where keys are spread
// evenly.
#ifndef MPPSORT_V2_RANGES_CUH
#define MPPSORT_V2_RANGES_CUH

#include "common/block_scan.cuh"
#include "common/overlap.cuh"
#include "common/pairs.cuh"

enum {
  MOST_FINE_BITS = 12,
  FEW_GROUP_BITS = 8,
  MANY_GROUP_BITS = 10,
  MOST_PARTS = 1024,  // of a level
  PARTS_THREADS = 1024,
};

// How the keys of a part are looked up: entry r of its table is for keys from least + (r << shift)
// on, the first also for smaller ones and the last for greater ones.
typedef struct Root {
  unsigned int least, ranges;  // of the sample; entries of the table
  int shift;
  unsigned int borders;  // fine range i has the keys from border i - 1 on and below border i
} Root;

// Keys that are partitioned together.
typedef struct Part {
  unsigned int begin, length;
} Part;

// Elements for a block to sort, or to copy if they are equal.
typedef struct Group {
  unsigned int begin, length;
  bool equal;     // their keys are equal
  bool at_input;  // they are where the input was, not where the output will be
} Group;

// A partition step of up to most_parts parts. Pointers are to device memory.
typedef struct Level {
  unsigned int most_parts, tile;  // keys of a tile of the move
  int fine_bits, group_bits;      // at most 2^fine_bits entries and borders, 2^group_bits groups
  unsigned int capacity, join;    // a block sorts capacity; groups are joined up to `join`
  bool stable;                    // pairs
  bool large_tiles;               // of the move of pairs
  bool copies;                    // the level moves to the input: equal keys must be copied
  // Zero before the level.
  unsigned int *parts, *tiles_dealt;  // numbers
  unsigned int *counts;               // [parts][2 << fine_bits] of the fine ranges
  unsigned long long *look_back;      // [tiles][groups / 2], for pairs
  // The others.
  Part *part;                  // [parts]
  unsigned int *first_tile;    // [parts + 1] number of each part's first tile
  Root *root;                  // [parts]
  unsigned int *table;         // [parts][2^fine_bits] first border | borders << 16; then of groups
  unsigned int *border;        // [parts][2^fine_bits]
  unsigned int *group_border;  // [parts][groups]
  unsigned int *group_begin;   // [parts][groups]; with bare keys, where the next key goes
} Level;

// The next ones: groups for blocks, and parts of the next level.
typedef struct Results {
  unsigned int *groups, *parts, *joined;  // numbers, zero before; joined: blocks that have listed
  Group *group;
  Part *part;
  volatile unsigned int *host_parts;  // in the host's memory, or NULL: 1 + number of parts
} Results;

static __host__ __device__ __forceinline__ unsigned int entry_of(unsigned int key,
                                                                 const Root &root) {
  const unsigned int last = root.ranges - 1, entry = (key - root.least) >> root.shift;
  return key < root.least ? 0 : entry < last ? entry : last;
}

// The number of borders that are not greater than the key: its fine range, or its group.
static __host__ __device__ __forceinline__ unsigned int find_range(unsigned int key,
                                                                   const Root &root,
                                                                   const unsigned int *table,
                                                                   const unsigned int *border) {
  const unsigned int entry = table[entry_of(key, root)];
  unsigned int low = entry & 0xffffu;
  for (unsigned int length = entry >> 16; length > 0;) {
    const unsigned int half = length / 2;
    const bool behind = border[low + half] <= key;
    low += behind ? half + 1 : 0;
    length = behind ? length - half - 1 : half;
  }
  return low;
}

// Copies words to shared memory; a barrier must follow.
static __device__ __forceinline__ void load_words(unsigned int *to, const unsigned int *from,
                                                  unsigned int words) {
  for (unsigned int i = threadIdx.x; i < words; i += blockDim.x) to[i] = from[i];
}

// A part's tables of groups in shared memory.
typedef struct GroupTables {
  unsigned int *table, *border;
} GroupTables;

static inline size_t group_tables_bytes(const Level &level) {
  return (((size_t)1 << level.fine_bits) + ((size_t)1 << level.group_bits)) * sizeof(unsigned int);
}

static __device__ __forceinline__ GroupTables group_tables_in(void *memory, const Level &level) {
  const GroupTables tables = {(unsigned int *)memory,
                              (unsigned int *)memory + (1u << level.fine_bits)};
  return tables;
}

// A barrier must follow.
static __device__ __forceinline__ void load_group_tables(GroupTables tables, const Level &level,
                                                         unsigned int part, const Root &root) {
  load_words(tables.table, level.table + ((size_t)part << level.fine_bits), root.ranges);
  load_words(tables.border, level.group_border + ((size_t)part << level.group_bits),
             1u << level.group_bits);
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
