// A block for each bucket of packed pairs that two sweeps have left one behind the other
// (block/pair_bucket.cuh). Moves 16 bytes a pair.
#ifndef GSORT_KERNEL_SORT_PAIR_BUCKETS_CUH
#define GSORT_KERNEL_SORT_PAIR_BUCKETS_CUH

#include "gsort/block/overlap.cuh"
#include "gsort/block/pair_bucket.cuh"

// *spread: of a digit of the sweeps.
template <int kThreads, int kItems, int kBinBits, int kFew, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    sort_pair_buckets(const uint2 *in, Elements out, KeyCode code, const unsigned int *start,
                      int low_bits, const unsigned int *spread, KeyRange range) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  auto &shared = *(PairBlockShared<kThreads, kItems, kBinBits, IN_ELEMENT> *)shared_memory;
  prepare_block(shared);
  wait_for_previous_kernel();
  if (*spread == DIGIT_UNUSED) return;
  const CountedPlace<BucketOfBlock> place = {{}, in, start};
  sort_pairs_of_bucket<kFew>(shared, BucketOfBlock(), place, out, code, low_bits, range);
}

#endif
