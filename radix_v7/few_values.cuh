// Keys with few distinct values: a table of these, found in a sample, takes the place of a digit.
//
//   values of the table        3       7            bins   < 3   = 3   3..7   = 7   > 7
//   keys   7 3 3 7 9 3 7                            keys           3            3     1
//
// Bin 2 j + 1 has the keys that equal value j, and bin 2 j those between it and the value before:
// strays, which the sample has overlooked. sort_values.cuh has the sort.
#ifndef RADIX_V7_FEW_VALUES_CUH
#define RADIX_V7_FEW_VALUES_CUH

#include "common/block_scan.cuh"

enum {
  MOST_VALUES = 31,
  VALUE_BITS = 6,
  VALUE_BINS = 1 << VALUE_BITS,
};

// Ascending; what is not used is the largest key. Bin of the largest key: always that of a value.
static __device__ unsigned int value_table[MOST_VALUES + 1];

// The bin of a key as a digit of a sweep; `value` is a copy of value_table in shared memory. Its
// entries are in different banks.
struct ValueBin {
  const unsigned int *value;
  __device__ __forceinline__ unsigned int operator()(unsigned int key, int) const {
    unsigned int below = 0;  // values < key
#pragma unroll
    for (unsigned int step = (MOST_VALUES + 1) / 2; step > 0; step /= 2)
      below += value[below + step - 1] < key ? step : 0;
    return 2 * below + (value[below] == key ? 1 : 0);
  }
};

static __device__ __forceinline__ void load_value_table(unsigned int *value) {
  if (threadIdx.x <= MOST_VALUES) value[threadIdx.x] = value_table[threadIdx.x];
}

// The block's samples, kEach of a thread: writes value_table and returns true if they have few
// values. All threads call it. flag: shared memory, a word for each thread; smallest: MAX_WARPS.
template <int kEach>
static __device__ bool find_few_values(const unsigned int (&key)[kEach], unsigned int *flag,
                                       unsigned int *smallest) {
  // Hashes that differ are values that differ.
  flag[threadIdx.x] = 0;
  __syncthreads();
#pragma unroll
  for (int u = 0; u < kEach; u++) flag[key[u] * 0x9e3779b1u % blockDim.x] = 1;
  __syncthreads();
  if (__syncthreads_count((int)flag[threadIdx.x]) > MOST_VALUES) return false;
  // The smallest key that is larger than the last one, again and again.
  unsigned int above = 0, found = 0;  // keys >= above are still to come
  for (; found <= MOST_VALUES; found++) {
    unsigned int least = ~0u;
#pragma unroll
    for (int u = 0; u < kEach; u++)
      if (key[u] >= above) least = min(least, key[u]);
    for (unsigned int distance = WARP_SIZE / 2; distance > 0; distance /= 2)
      least = min(least, __shfl_xor_sync(0xffffffffu, least, (int)distance));
    if (threadIdx.x % WARP_SIZE == 0) smallest[threadIdx.x / WARP_SIZE] = least;
    __syncthreads();
    for (unsigned int warp = 0; warp < blockDim.x / WARP_SIZE; warp++)
      least = min(least, smallest[warp]);
    if (threadIdx.x == 0) value_table[found] = least;
    __syncthreads();
    above = least + 1;
    if (least == ~0u) break;  // that, or there are no more: the table's unused values
  }
  if (found > MOST_VALUES) return false;
  if (threadIdx.x > found && threadIdx.x <= MOST_VALUES) value_table[threadIdx.x] = ~0u;
  return true;
}

#endif
