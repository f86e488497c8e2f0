// Counts wrong elements and finds the first of them, by atomics; for the kernels of the verdict.
#ifndef HARNESS_VERDICT_BAD_CUH
#define HARNESS_VERDICT_BAD_CUH

#include <cuda_runtime.h>
#include <stddef.h>

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

// Compares n elements; index i is reported as first_place + i.
static __global__ void check_equal(const unsigned int *expected, const unsigned int *actual,
                                   size_t n, size_t first_place, Bad *bad) {
  Count count = 0, first = ~0ull;
  FOR_EACH_INDEX(i, 0, n) {
    if (expected[i] != actual[i]) note(&count, &first, first_place + i);
  }
  report(bad, count, first);
}

#endif
