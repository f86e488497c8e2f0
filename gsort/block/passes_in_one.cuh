// Several passes in one launch. If the host does not wait, and the passes turn out not to be
// needed, one kernel returns at once, not one for each pass.
//
// A block takes a tile of a pass, and the first tiles of the next pass are taken when all tiles of
// this one are. Before a block reads what a pass has written, it waits until all tiles of that pass
// are done. Blocks that run have taken all of them, and none waits for a tile that nobody has
// taken, so that the blocks of the grid need not be resident all together.
#ifndef GSORT_BLOCK_PASSES_IN_ONE_CUH
#define GSORT_BLOCK_PASSES_IN_ONE_CUH

#include "gsort/block/findings.cuh"
#include "gsort/block/look_back.cuh"

// All threads of a block: waits until *done is `least`, and sees what had been written before.
static __device__ __forceinline__ void wait_until(const unsigned int *done, unsigned int least) {
  if (threadIdx.x == 0) {
    while (*(const volatile unsigned int *)done < least) relax();
    __threadfence();
  }
  __syncthreads();
}

// All threads of a block: what they have written is done. tiles: how many they have taken. One call
// serves them all, as a fence waits for all stores.
static __device__ __forceinline__ void add_done(unsigned int *done, unsigned int tiles) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(done, tiles);
}

// All threads of a block: the number of the next part, for this block alone.
static __device__ __forceinline__ unsigned int take_part(unsigned int *taken) {
  __shared__ unsigned int part;
  __syncthreads();  // all threads know the last one
  if (threadIdx.x == 0) part = atomicAdd(taken, 1u);
  __syncthreads();
  return part;
}

// All threads of each block that is there: count(part) for each of `parts` parts, by one block
// each; then waits for all. The block that counts last calls add_done(&progress->done, 1).
template <class Count>
static __device__ __forceinline__ void count_in_parts(Progress *progress, unsigned int parts,
                                                      Count count) {
  for (;;) {
    const unsigned int part = take_part(&progress->taken);
    if (part >= parts) break;
    count(part);
  }
  wait_until(&progress->done, 1);
}

#endif
