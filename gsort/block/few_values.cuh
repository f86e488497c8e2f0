// Keys with few distinct values: a table of the values, found in a sample, takes the place of a
// digit.
//
//   values of the table        3       7            bins   < 3   = 3   3..7   = 7   > 7
//   keys   7 3 3 7 9 3 7                            keys           3            3     1
//
// Bin 2 j + 1 has the keys that equal value j, and bin 2 j those between it and the value before:
// strays, which the sample has overlooked. kernel/values.cuh has the sort.
#ifndef GSORT_BLOCK_FEW_VALUES_CUH
#define GSORT_BLOCK_FEW_VALUES_CUH

#include "gsort/block/findings.cuh"

enum {
  VALUE_BITS = 7,
  VALUE_BINS = 1 << VALUE_BITS,
};

// Number of values < key; `value` has MOST_VALUES in ascending order.
static __device__ __forceinline__ unsigned int values_below(const unsigned int *value,
                                                            unsigned int key) {
  unsigned int below = 0;
#pragma unroll
  for (unsigned int step = (MOST_VALUES + 1) / 2; step > 0; step /= 2)
    below += value[below + step - 1] < key ? step : 0;
  return below;
}

// The bin of a key as a digit of a sweep; `value` is a copy of the table, of MOST_VALUES values and
// the largest key, in shared memory.
struct ValueBin {
  const unsigned int *value;
  __device__ __forceinline__ unsigned int operator()(unsigned int key, int) const {
    const unsigned int below = values_below(value, key);
    return 2 * below + (value[below] == key ? 1 : 0);
  }
};

// A copy of the table `values` of the findings to shared memory.
static __device__ __forceinline__ void load_value_table(const Findings *findings,
                                                        unsigned int *value) {
  if (threadIdx.x <= MOST_VALUES) value[threadIdx.x] = findings->values[threadIdx.x];
}

// The block's samples, kEach of a thread: fills the table `values` and returns true if they have
// few values. All threads call it. slot: shared memory, a word for each of 2^k threads.
//
// Each key goes to the slot of its hash, and the last one stays: a value of the list. Those that
// have lost their slot to another value try again, with another hash.
template <int kEach>
static __device__ bool find_few_values(const unsigned int (&key)[kEach], unsigned int *slot,
                                       unsigned int *values) {
  constexpr unsigned int kEmpty = ~0u;  // the largest key, which need not be in the list
  __shared__ unsigned int list[MOST_VALUES], found;
  const int shift = __clz((int)blockDim.x) + 1;
  unsigned int lost = (1u << kEach) - 1, factor = 0x9e3779b1u;
  if (threadIdx.x == 0) found = 0;
  do {
    slot[threadIdx.x] = kEmpty;
    __syncthreads();
#pragma unroll
    for (int u = 0; u < kEach; u++)
      if (lost >> u & 1) atomicExch(&slot[key[u] * factor >> shift], key[u]);
    __syncthreads();
#pragma unroll
    for (int u = 0; u < kEach; u++)
      if (slot[key[u] * factor >> shift] == key[u]) lost &= ~(1u << u);
    const unsigned int value = slot[threadIdx.x];
    if (__syncthreads_count(value != kEmpty) > MOST_VALUES) return false;
    if (value != kEmpty) {
      const unsigned int i = atomicAdd(&found, 1u);
      if (i < MOST_VALUES) list[i] = value;
    }
    factor += 0x7feb352cu;  // stays odd
    const bool some_lost = __syncthreads_or(lost != 0) != 0;
    if (!some_lost) break;
  } while (found <= MOST_VALUES);
  if (found > MOST_VALUES) return false;
  if (threadIdx.x > MOST_VALUES) return true;
  const unsigned int mine = threadIdx.x < found ? list[threadIdx.x] : kEmpty;
  unsigned int smaller = threadIdx.x < found ? 0 : threadIdx.x;
  for (unsigned int i = 0; threadIdx.x < found && i < found; i++) smaller += list[i] < mine;
  values[smaller] = mine;
  return true;
}

#endif
