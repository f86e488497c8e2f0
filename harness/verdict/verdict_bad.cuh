// Counts wrong elements and finds the first of them, by atomics; for the kernels of the verdict.
// These know keys as words of 32 or 64 bits, and compare their codes.
#ifndef HARNESS_VERDICT_BAD_CUH
#define HARNESS_VERDICT_BAD_CUH

#include <cuda_runtime.h>
#include <stddef.h>

#include "common/your_sort.h"

typedef unsigned long long Count;

// Starts as {0, ~0}.
typedef struct Bad {
  Count count, first;
} Bad;

enum { VERDICT_BLOCK = 256 };

// A grid for FOR_EACH_INDEX over n elements.
static inline unsigned int verdict_blocks(size_t n) {
  static const size_t MAX_BLOCKS = 4096;
  const size_t blocks = (n + VERDICT_BLOCK - 1) / VERDICT_BLOCK;
  return (unsigned int)(blocks == 0 ? 1 : blocks < MAX_BLOCKS ? blocks : MAX_BLOCKS);
}

// Grid-stride loop, for any n: consecutive threads read consecutive elements.
#define FOR_EACH_INDEX(i, from, to)                                                 \
  for (size_t i = (from) + (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < (to); \
       i += (size_t)gridDim.x * blockDim.x)

// Adds the wrong elements that the calling thread found to the total of all threads.
static __device__ __forceinline__ void report(Bad *bad, Count count, Count first) {
  if (count == 0) return;
  atomicAdd(&bad->count, count);
  atomicMin(&bad->first, first);
}

// Counts element i as wrong.
static __device__ __forceinline__ void note(Count *count, Count *first, Count i) {
  (*count)++;
  if (i < *first) *first = i;
}

// A key as an unsigned number of the same order. -0 and +0 have one code.
template <class Word>
static __host__ __device__ __forceinline__ Word code_of(KeyType type, Word key) {
  const Word top = (Word)1 << (8 * sizeof(Word) - 1);
  if (type == KEY_U32 || type == KEY_U64) return key;
  if (type == KEY_I32 || type == KEY_I64) return key ^ top;
  return key == top ? top : (key & top) != 0 ? ~key : key | top;
}

// Compares n elements with expected codes; index i is reported as first_place + i.
template <class Word>
static __global__ void check_equal(KeyType type, const Word *expected, const Word *actual, size_t n,
                                   size_t first_place, Bad *bad) {
  Count count = 0, first = ~0ull;
  FOR_EACH_INDEX(i, 0, n) {
    if (expected[i] != code_of(type, actual[i])) note(&count, &first, first_place + i);
  }
  report(bad, count, first);
}

#endif
