// COUNT builds: what kernels and copies have asked of memory, in sums (count/README.md). Plain C.
#ifndef CUDA_CPU_COUNTS_H
#define CUDA_CPU_COUNTS_H

typedef struct CudaCpuCounts {
  double bytes;              // that the sectors below, copies and sets have moved
  double requests, sectors;  // of global memory
  double conflicts;          // of shared memory
  double atomics;            // of lanes, on both memories
} CudaCpuCounts;

#ifdef __cplusplus
extern "C" {
#endif
// Adds what has been counted since the last call. Null in other builds.
void cuda_cpu_take_counts(CudaCpuCounts *counts) __attribute__((weak));
#ifdef __cplusplus
}
#endif

#endif
