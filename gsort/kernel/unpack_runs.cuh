// Unpacks (unpack.cuh) a large bucket whose pairs are in runs.
#ifndef GSORT_KERNEL_UNPACK_RUNS_CUH
#define GSORT_KERNEL_UNPACK_RUNS_CUH

#include "gsort/block/run_index.cuh"
#include "gsort/kernel/unpack.cuh"

// The bucket begins at `begin` in the output. A block for each tile copies its run.
static __global__ void __launch_bounds__(UNPACK_THREADS)
    unpack_runs(RunState state, unsigned int begin, Elements out) {
  __shared__ unsigned int bucket, before;
  if (threadIdx.x == 0) bucket = before = 0;
  __syncthreads();
  for (unsigned int b = threadIdx.x; b < 1u << state.bits; b += UNPACK_THREADS)
    if (state.start[b] == begin && state.start[b + 1] > begin) bucket = b;
  __syncthreads();
  unsigned int sum = 0;
  for (unsigned int t = threadIdx.x; t < blockIdx.x; t += UNPACK_THREADS)
    sum += run_of(state, t, bucket).count;
  if (sum > 0) atomicAdd(&before, sum);
  __syncthreads();
  const Run run = run_of(state, blockIdx.x, bucket);
  const uint2 *const from = state.pairs + (size_t)blockIdx.x * state.tile + run.begin;
  for (unsigned int i = threadIdx.x; i < run.count; i += UNPACK_THREADS) {
    out.keys[before + i] = decode(state.code, from[i].x);
    out.values[before + i] = from[i].y;
  }
}

#endif
