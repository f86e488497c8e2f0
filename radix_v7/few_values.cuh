// Keys of few different values in one block: a small hash table finds the values, each value's rank
// among them replaces the key, and one stable pass over the ranks sorts what would take four.
//
//   keys    90000 7 90000 555 7      values 7, 555, 90000
//   ranks       2 0     2   1 0      one digit of two bits
#ifndef RADIX_V7_FEW_VALUES_CUH
#define RADIX_V7_FEW_VALUES_CUH

#include "common/block_scan.cuh"

enum {
  VALUE_SLOTS = 128,
  VALUE_PROBES = 8,  // a key that finds no slot after that many gives up for all
  NO_SLOT = VALUE_SLOTS + 1,
};

// In shared memory. The largest key marks a free slot, and has a slot of its own behind the others.
typedef struct ValueTable {
  unsigned int value[VALUE_SLOTS];
  unsigned int rank[VALUE_SLOTS + 1];
  unsigned int found;  // values but for the largest key
} ValueTable;

static constexpr unsigned int FREE_SLOT = 0xffffffffu;

static __device__ __forceinline__ void clear_values(ValueTable *table) {
  for (unsigned int i = threadIdx.x; i < VALUE_SLOTS; i += blockDim.x) table->value[i] = FREE_SLOT;
  if (threadIdx.x == 0) table->found = 0;
}

// The slot of a key, which is entered if it is new; NO_SLOT if there is none near its hash.
static __device__ __forceinline__ unsigned int slot_of(ValueTable *table, unsigned int key) {
  if (key == FREE_SLOT) return VALUE_SLOTS;
  unsigned int slot = key * 0x9e3779b1u / (FREE_SLOT / VALUE_SLOTS + 1);
  for (int probe = 0; probe < VALUE_PROBES; probe++) {
    unsigned int value = *(volatile unsigned int *)&table->value[slot];
    if (value == FREE_SLOT) value = atomicCAS(&table->value[slot], FREE_SLOT, key);
    if (value == key || value == FREE_SLOT) return slot;
    slot = (slot + 1) % VALUE_SLOTS;
  }
  return NO_SLOT;
}

// Replaces each key by the rank of its value. Returns the bits of a rank, at least 1, or 0 if there
// are too many values; then `rank` is undefined. All threads call it after clear_values() and a
// barrier; those of items beyond `left` (item u is valid if left > u * kThreads) get rank 0.
template <int kThreads, int kItems>
static __device__ __forceinline__ int rank_values(ValueTable *table,
                                                  const unsigned int (&key)[kItems], int left,
                                                  unsigned int (&rank)[kItems]) {
  static_assert(kThreads >= VALUE_SLOTS, "a thread per slot");
  bool too_many = false;
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    rank[u] = left > u * kThreads ? slot_of(table, key[u]) : (unsigned int)VALUE_SLOTS;
    too_many |= rank[u] == NO_SLOT;
  }
  if (__syncthreads_or(too_many)) return 0;
  if (threadIdx.x < VALUE_SLOTS) {
    const unsigned int mine = table->value[threadIdx.x];
    unsigned int less = 0;
#pragma unroll 16
    for (int i = 0; i < VALUE_SLOTS; i++) less += table->value[i] < mine;
    table->rank[threadIdx.x] = less;
    if (mine != FREE_SLOT) atomicAdd(&table->found, 1u);
  }
  __syncthreads();
  const unsigned int largest = table->found;  // the rank of the largest key
#pragma unroll
  for (int u = 0; u < kItems; u++)
    rank[u] = left <= u * kThreads ? 0 : rank[u] == VALUE_SLOTS ? largest : table->rank[rank[u]];
  return largest == 0 ? 1 : 32 - __clz((int)largest);
}

#endif
