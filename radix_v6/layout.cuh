// What the kernels of radix_v6 share: digits, and the memory between the launches.
#ifndef RADIX_V6_LAYOUT_CUH
#define RADIX_V6_LAYOUT_CUH

#include <cuda_runtime.h>
#include <stddef.h>

enum {
  DIGIT_BITS = 8,
  BINS = 1 << DIGIT_BITS,
  PASSES = 32 / DIGIT_BITS,
  HISTOGRAM_THREADS = 1024,  // at most
  HISTOGRAM_UNROLL = 4,      // 16-byte loads in flight per thread
};

// How the keys are spread over the values of a digit.
typedef enum DigitSpread {
  DIGIT_EVEN,      // no value has more than one key in SKEW_LIMIT
  DIGIT_SKEWED,    // one has
  DIGIT_CONSTANT,  // one has all
  DIGIT_UNUSED,    // the sort goes another way: sweeps return at once
} DigitSpread;
enum { SKEW_LIMIT = 16 };

// Device memory of one sort.
typedef struct SweepState {
  unsigned int *start;         // [PASSES][BINS] where the run of each digit starts
  unsigned int *tile_counter;  // [PASSES] deals out tile numbers
  unsigned int *spread;        // [PASSES] a DigitSpread each
  unsigned int *look_back;     // [PASSES][tiles][BINS] words of look_back.cuh
} SweepState;

static __device__ __forceinline__ unsigned int digit_of(unsigned int key, int pass) {
  return key >> (pass * DIGIT_BITS) & (BINS - 1);
}

// So many blocks of `threads` are to share a multiprocessor, but no more than the smallest of its
// architecture holds (CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability"). For __launch_bounds__, which refuses more.
static __host__ __device__ constexpr int resident_blocks(int threads, int blocks) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  const int threads_per_sm = 1024;
#else
  const int threads_per_sm = 1536;
#endif
  return blocks * threads <= threads_per_sm ? blocks : threads_per_sm / threads;
}

#endif
