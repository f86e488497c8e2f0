// Decoupled look-back: a scan over tiles in one launch. Each tile computes the sum of all tiles
// before it while those may still be running (Merrill and Garland, "Single-pass Parallel Prefix
// Scan with Decoupled Look-back", NVIDIA technical report NVR-2016-002).
//
// Every tile owns one value per bin, of 32 or 64 bits: two flag bits and a count. It publishes
// first the tile's count (PARTIAL), later the sum of all tiles up to and including itself
// (INCLUSIVE). To compute the sum before it, a tile walks back, adding partial counts, until it
// meets an inclusive one:
//
//   tile          0          1          2          3
//   tile's count  5          2          4          .
//   published     5 incl.    7 incl.    4 partial  .      tile 3 adds 4, then 7: 11 before it
//
// Count and flags are written in one store, so no fence is needed between them.
//
// Forward progress: a tile waits only for tiles with smaller numbers. A block takes its tile's
// number from an atomic counter when it starts to run. So all smaller numbers belong to blocks that
// already run, and the smallest unfinished tile never waits.
#ifndef GSORT_LOOK_BACK_CUH
#define GSORT_LOOK_BACK_CUH

#include <cuda_runtime.h>

// Value: unsigned int for counts below 2^30, or unsigned long long for counts below 2^62.
template <class Value>
static constexpr Value look_back_partial = (Value)1 << (8 * sizeof(Value) - 2);
template <class Value>
static constexpr Value look_back_inclusive = (Value)1 << (8 * sizeof(Value) - 1);
template <class Value>
static constexpr Value look_back_count = look_back_partial<Value> - 1;

static constexpr unsigned int LOOK_BACK_PARTIAL = look_back_partial<unsigned int>;
static constexpr unsigned int LOOK_BACK_INCLUSIVE = look_back_inclusive<unsigned int>;
static constexpr unsigned int LOOK_BACK_COUNT = look_back_count<unsigned int>;
static constexpr int LOOK_BACK_DEPTH = 4;  // values loaded at a time: their latencies overlap

// Called in a loop that waits for another block. On the cpu backend the threads of a block take
// turns, so a thread that waits must yield.
static __device__ __forceinline__ void relax(void) {
#ifdef CUDA_CPU
  __nanosleep(0);
#endif
}

// One store; volatile, so that the compiler neither splits nor delays it.
template <class Value>
static __device__ __forceinline__ void look_back_publish(Value *word, Value value) {
  *(volatile Value *)word = value;
}

// Sum of the counts of all tiles before `tile`; tile t publishes at words[t * stride]. Spins until
// all of them have published.
template <class Value>
static __device__ __forceinline__ Value look_back_sum(const Value *words, unsigned int stride,
                                                      unsigned int tile) {
  Value sum = 0;
  int next = (int)tile - 1;  // the tile to be added next
  for (bool done = next < 0; !done;) {
    Value word[LOOK_BACK_DEPTH];
#pragma unroll
    for (int k = 0; k < LOOK_BACK_DEPTH; k++)
      word[k] = next - k < 0 ? look_back_inclusive<Value>
                             : *(const volatile Value *)&words[(size_t)(next - k) * stride];
    int added = 0;
#pragma unroll
    for (int k = 0; k < LOOK_BACK_DEPTH; k++) {
      if (done || added != k || word[k] == 0) continue;  // 0: not published yet
      sum += word[k] & look_back_count<Value>;
      added++;
      done = (word[k] & look_back_inclusive<Value>) != 0;
    }
    next -= added;
    if (!done && added == 0) relax();
  }
  return sum;
}

#endif
