// The kernels of a sort of even pairs by regions (block/pair_regions.cuh):
//
//   sample  shows whether keys are even enough; one block, while others clear
//   sweep   two, the lower digit first                                            16 bytes each
//   blocks  sort each bucket; where its result goes has come out of the sweeps    16
//
// 48 bytes a pair. If a region or a block is too small for its pairs, nothing else than memory of
// the sort has been written.
#ifndef GSORT_KERNEL_SWEEP_REGIONS_CUH
#define GSORT_KERNEL_SWEEP_REGIONS_CUH

#include "gsort/block/pair_regions.cuh"

template <int kThreads, int kItems, int kBits, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    sweep_regions(PairBuffers buffers, PairSweep sweep, SweepRegions regions,
                  volatile HostVerdict *host) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  __shared__ unsigned int source_count[1 << kBits];  // the sweep before has not more bins
  auto &shared = *(PairSweepShared<kThreads, kItems, kBits> *)shared_memory;
  PairItems<kItems> item;
  const bool early = begin_sweep(shared, buffers, sweep, item, [&] {
    find_region_places(regions, sweep.route.pass, &shared.from, &shared.to, host);
  });
  load_source_counts(regions, sweep.n, source_count);
  __syncthreads();
  const bool last = shared.to == AT_SCRATCH;
  const BinsInRegions<kThreads * kItems, kBits> bins = {
      {buffers, sweep}, regions, source_count, host};
  sweep_tiles<kBlocksPerSm == 1>(shared, buffers, sweep, early, item, bins);
  if (last) finish_regions(regions, 1u << kBits, shared.warp_sums, host);
}

// A block per bucket.
template <int kThreads, int kItems, int kBinBits, int kFew, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    sort_pair_regions(const uint2 *in, Elements out, KeyCode code, SweepRegions regions,
                      int low_bits) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  auto &shared = *(PairBlockShared<kThreads, kItems, kBinBits, IN_ELEMENT> *)shared_memory;
  prepare_block(shared);
  wait_for_previous_kernel();
  if (!regions.fit->buckets) return;
  sort_pairs_of_bucket<kFew>(shared, BucketOfBlock(), RegionPlace{regions, in}, out, code, low_bits,
                             WHOLE_RANGE);
}

#endif
