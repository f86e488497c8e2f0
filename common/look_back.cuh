// Decoupled look-back: how tiles of one launch learn the sum of all tiles before them, without a
// second launch (Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back",
// NVIDIA technical report NVR-2016-002).
//
// Every tile owns one word per bin: two flag bits and a count. It publishes first its own count
// (PARTIAL), later the sum of all tiles up to itself (INCLUSIVE). To find what comes before it, a
// tile walks back, adding partial counts, until it meets an inclusive one:
//
//   tile          0          1          2          3
//   own count     5          2          4          .
//   word          5 incl.    7 incl.    4 partial  .      tile 3 adds 4, then 7: 11 before it
//
// Count and flag travel in one word, so no fence is needed between them.
//
// Forward progress: a tile waits only for tiles with smaller numbers. Numbers are dealt out by an
// atomic counter when a block starts to run, so the smaller ones belong to blocks that are running
// already, and none of these waits for this one: the smallest unfinished tile never waits at all.
#ifndef COMMON_LOOK_BACK_CUH
#define COMMON_LOOK_BACK_CUH

#include <cuda_runtime.h>

static constexpr unsigned int LOOK_BACK_PARTIAL = 1u << 30;
static constexpr unsigned int LOOK_BACK_INCLUSIVE = 1u << 31;
static constexpr unsigned int LOOK_BACK_COUNT = (1u << 30) - 1;  // counts stay below 2^30
static constexpr int LOOK_BACK_DEPTH = 4;  // words fetched at a time: their latencies overlap

// Inside a loop that waits for another block. On the cpu backend the threads of a block take turns,
// and a thread that spins must hand over.
static __device__ __forceinline__ void relax(void) {
#ifdef CUDA_CPU
  __nanosleep(0);
#endif
}

// volatile: read from and written to memory every time, in one piece.
static __device__ __forceinline__ void look_back_publish(unsigned int *word, unsigned int value) {
  *(volatile unsigned int *)word = value;
}

// The sum over all tiles before `tile`, for the bin whose word in tile t is words[t * stride].
static __device__ __forceinline__ unsigned int look_back_sum(const unsigned int *words,
                                                             unsigned int stride,
                                                             unsigned int tile) {
  unsigned int sum = 0;
  int next = (int)tile - 1;  // the tile to be added next
  for (bool done = next < 0; !done;) {
    unsigned int word[LOOK_BACK_DEPTH];
#pragma unroll
    for (int k = 0; k < LOOK_BACK_DEPTH; k++)
      word[k] = next - k < 0 ? LOOK_BACK_INCLUSIVE
                             : *(const volatile unsigned int *)&words[(size_t)(next - k) * stride];
    int added = 0;
#pragma unroll
    for (int k = 0; k < LOOK_BACK_DEPTH; k++) {
      if (done || added != k || word[k] == 0) continue;  // 0: not published yet
      sum += word[k] & LOOK_BACK_COUNT;
      added++;
      done = (word[k] & LOOK_BACK_INCLUSIVE) != 0;
    }
    next -= added;
    if (!done && added == 0) relax();
  }
  return sum;
}

#endif
