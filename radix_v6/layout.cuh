// Digits, and the device memory that the kernels of radix_v6 share.
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

// How the keys are distributed over the values of a digit.
typedef enum DigitSpread {
  DIGIT_EVEN,      // no value has more than n / SKEW_LIMIT keys
  DIGIT_SKEWED,    // some value has more, none has all
  DIGIT_CONSTANT,  // one value has all n keys
  DIGIT_UNUSED,    // the sort goes another way: sweeps return at once
} DigitSpread;
enum { SKEW_LIMIT = 16 };

// Device memory of one sort.
typedef struct SweepState {
  unsigned int *start;         // [PASSES][BINS] index in the output where each digit's run starts
  unsigned int *tile_counter;  // [PASSES] numbers the tiles in the order they start
  unsigned int *spread;        // [PASSES] a DigitSpread each
  unsigned int *look_back;     // [2][tiles][BINS] words of look_back.cuh, for the passes in turns
  size_t look_back_words;      // that the count clears
} SweepState;

// Clamps `blocks` of `threads` threads to what one multiprocessor can hold on the smallest GPU of
// the architecture (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
// For __launch_bounds__, which refuses more.
static __host__ __device__ constexpr int resident_blocks(int threads, int blocks) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  const int threads_per_sm = 1024;
#else
  const int threads_per_sm = 1536;
#endif
  return blocks * threads <= threads_per_sm ? blocks : threads_per_sm / threads;
}

#endif
