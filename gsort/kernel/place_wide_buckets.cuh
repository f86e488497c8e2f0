// Behind two steps of wide keys or pairs: where each bucket begins in the output, and whether all
// keys have found space.
//
//   keys of the regions   3 4 2 | 5 1 1      a block for each part adds up the parts before its own
//   begin                 0 3 7 | 9 14 15
#ifndef GSORT_KERNEL_PLACE_WIDE_BUCKETS_CUH
#define GSORT_KERNEL_PLACE_WIDE_BUCKETS_CUH

#include "gsort/block/findings.cuh"
#include "gsort/block/overlap.cuh"
#include "gsort/block/scan.cuh"

enum { PLACE_THREADS = 256 };

// A block for each part. Regions: WideRegions or PairRegions, whose pieces of a bucket or part
// follow each other; capacity: of a block that sorts a bucket. Tells the host whether all buckets
// fit.
template <class Parts, class Regions>
static __global__ void __launch_bounds__(PLACE_THREADS)
    place_wide_buckets(Parts parts, Regions regions, unsigned int buckets_of_part,
                       unsigned int capacity, unsigned int *start, Findings *findings,
                       volatile HostVerdict *host) {
  __shared__ unsigned int sums[MAX_WARPS], before_part, carry;
  wait_for_previous_kernel();
  if (findings->first_sample != EVEN || findings->second_sample != EVEN) return;
  if (threadIdx.x == 0) before_part = 0;
  __syncthreads();
  bool fits = parts.fits(blockIdx.x);
  unsigned int before = 0;
  for (unsigned int r = threadIdx.x; r < blockIdx.x * parts.pieces(); r += PLACE_THREADS)
    before += parts.keys_in(r);
  before = warp_sum(before);
  if (threadIdx.x % WARP_SIZE == 0) atomicAdd(&before_part, before);
  __syncthreads();
  before = before_part;
  for (unsigned int base = 0; base < buckets_of_part; base += PLACE_THREADS) {
    const unsigned int b = blockIdx.x * buckets_of_part + base + threadIdx.x;
    const bool exists = base + threadIdx.x < buckets_of_part;
    unsigned int count = 0;
    for (unsigned int j = 0; exists && j < regions.pieces(); j++)
      count += regions.keys_in(b * regions.pieces() + j);
    fits = fits && count <= capacity && (!exists || regions.fits(b));
    const unsigned int up_to_here = before + block_inclusive_scan(count, sums);
    if (exists) start[b] = up_to_here - count;
    if (threadIdx.x == PLACE_THREADS - 1) carry = up_to_here;
    __syncthreads();
    before = carry;
  }
  if (__syncthreads_or(!fits) != 0 && threadIdx.x == 0) atomicOr(&findings->stop, 1u);
  if (threadIdx.x > 0) return;
  __threadfence();
  if (atomicAdd(&findings->arrived, 1u) < gridDim.x - 1) return;
  __threadfence();
  const unsigned int stop = *(volatile unsigned int *)&findings->stop;
  host->finding = stop == 0 ? SORTED : (stop & STOP_IN_ORDER) != 0 ? IN_ORDER : UNEVEN;
}

#endif
