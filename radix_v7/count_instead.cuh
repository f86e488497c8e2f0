// Keys that a look has found too uneven for buckets are sorted by sweeps over all digits, which
// begin with a count. The blocks that were to move such keys count them instead: the host, which
// hears of the verdict only now, then launches the sweeps meanwhile.
#ifndef RADIX_V7_COUNT_INSTEAD_CUH
#define RADIX_V7_COUNT_INSTEAD_CUH

#include "radix_v6/histogram.cuh"
#include "radix_v7/verdict.cuh"

// Whether two looks leave nothing but sweeps over all digits.
static __device__ __forceinline__ bool leave_only_sweeps(unsigned int first_look,
                                                         unsigned int second_look) {
  return (first_look == FITS ? second_look : first_look) == TOO_LARGE;
}

enum { COUNTER_COPIES = 8, COUNTER_WORDS = PASSES * BINS * COUNTER_COPIES };

// A function of its own, as inlined it would take registers from the kernel around it.
static __device__ __noinline__ void count_in_shared_memory(unsigned int *counters,
                                                           const unsigned int *keys, size_t n,
                                                           SweepState sweeps) {
  __syncthreads();  // that memory may still be in use
  count_digits_by_grid(counters, COUNTER_COPIES, keys, n, sweeps);
}

// All threads of the grid call it, in blocks of 256 or 512; `shared` is then memory for counters.
template <class Shared>
static __device__ __forceinline__ void count_instead(Shared &shared, const unsigned int *keys,
                                                     size_t n, const SweepState &sweeps) {
  static_assert(sizeof(Shared) >= COUNTER_WORDS * sizeof(unsigned int), "room for counters");
  count_in_shared_memory((unsigned int *)&shared, keys, n, sweeps);
}

#endif
