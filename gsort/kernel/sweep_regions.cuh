// Sweeps without a count: each bin has a region of the memory behind the sweep, a little larger
// than its share of even keys. A bin's first place is then known beforehand; its size comes out of
// the look-back. The next sweep reads the regions one after the other, in tiles of each.
//
//   tiles of a sweep       |  0  |  1  |  2  |
//   regions of its bins    |0 0 0 . .|1 1 . . .|2 2 2 2 .|3 3 . . .|
//   tiles of the next one  |  0  | 1 |  2  | 3 |  4  | 5 |  6  | 7 |
//
// Where a region of the sweep before begins, the sums of the look-back count all pairs with
// smaller lower digits: so they are places where the buckets of both digits begin.
//
//   sample  shows whether keys are even enough; one block, while others clear
//   sweep   two, the lower digit first                                            16 bytes each
//   blocks  sort each bucket; where its result goes has come out of the sweeps    16
//
// 48 bytes a pair. If a region or a block is too small for its pairs, nothing else than memory of
// the sort has been written.
#ifndef GSORT_KERNEL_SWEEP_REGIONS_CUH
#define GSORT_KERNEL_SWEEP_REGIONS_CUH

#include "gsort/block/count.cuh"
#include "gsort/block/findings.cuh"
#include "gsort/block/pair_bucket.cuh"
#include "gsort/block/pair_sweep.cuh"
#include "gsort/block/range_map.cuh"

// What the sweeps find out; the sample's kernel clears it.
typedef struct RegionsFit {
  unsigned int full[2];  // 1: some region of this sweep is too small; nothing of it is of use
  bool buckets;          // all is well, and the blocks may sort the buckets
} RegionsFit;

// The regions that one sweep reads and writes. Sources are what it reads: the regions of the sweep
// before, or the input.
typedef struct SweepRegions {
  unsigned int capacity;             // pairs of a bin's region
  unsigned int sources;              // 1: the input
  unsigned int source_capacity;      // pairs of a source
  unsigned int tiles_of_source;      // for source_capacity
  const unsigned int *source_start;  // `start` of the sweep before; NULL: the input
  unsigned int *start;  // [bins][sources + 1] in its bin's region: where the pairs of each source
                        // begin; the last: number of all pairs of the bin
  unsigned int *base;   // [bins] of the second sweep: pairs of all bins before
  unsigned int bucket_capacity;  // of the block that sorts a bucket, of the second sweep
  RegionsFit *fit;
  Findings *findings;
} SweepRegions;

static __host__ __device__ __forceinline__ unsigned int tiles_of(const SweepRegions &regions) {
  return regions.sources * regions.tiles_of_source;
}

// Where a sweep by regions reads and writes. What it depends on does not change while it runs: a
// block that has taken a tile never drops it, as others wait for its counts.
static __device__ __forceinline__ void find_region_places(const SweepRegions &regions, int pass,
                                                          int *from, int *to,
                                                          volatile HostVerdict *host) {
  const Findings *const findings = regions.findings;
  const unsigned int first = findings->first_sample;
  const bool uneven = finding_of_samples(findings) != EVEN,
             stop = uneven || (pass > 0 && regions.fit->full[0] != 0);
  if (pass == 0 && blockIdx.x == 0 && uneven && is_even(first))
    host->finding = findings->second_sample;
  *from = pass == 0 ? AT_INPUT : AT_HALVES;
  *to = stop ? NOWHERE : pass == 0 ? AT_HALVES : AT_SCRATCH;
}

// The sort ends without a result: the first one to find out tells the host.
static __device__ __forceinline__ void end_regions(const SweepRegions &regions, int pass,
                                                   volatile HostVerdict *host) {
  if (atomicExch(&regions.fit->full[pass], 1u) == 0) host->finding = UNEVEN;
}

// For sweep_tiles().
template <unsigned int kTileSize, int kBits>
struct BinsInRegions : CountedBins<kTileSize, kBits> {
  const SweepRegions &regions;
  const unsigned int *source_count;  // shared memory
  volatile HostVerdict *host;

  __device__ __forceinline__ unsigned int tiles(void) const { return tiles_of(regions); }
  __device__ __forceinline__ TileSpan span(unsigned int tile) const {
    const unsigned int source = tile / regions.tiles_of_source;
    return span_of<kTileSize>(source * regions.source_capacity, source_count[source],
                              tile - source * regions.tiles_of_source);
  }
  __device__ __forceinline__ unsigned int start(unsigned int bin) const {
    return bin * regions.capacity;
  }
  __device__ __forceinline__ bool is_ended(void) const {
    return *(volatile unsigned int *)&regions.fit->full[this->sweep.route.pass] != 0;
  }
  __device__ __forceinline__ unsigned int padding(unsigned int valid) const {
    return kTileSize - valid;
  }
  template <int kItems>
  __device__ __forceinline__ void see(unsigned int (&key)[kItems], unsigned int valid,
                                      bool minus_zero) {
    if (this->sweep.route.pass > 0) return;
    const bool beyond = map_all(range_map_of(regions.findings), key, [=](int u) {
      return first_item<kItems>() + u * WARP_SIZE < valid;
    });
    if (minus_zero || beyond) end_regions(regions, 0, host);
  }
  __device__ __forceinline__ bool note_run(unsigned int tile, unsigned int, unsigned int before,
                                           unsigned int up_to_here) const {
    unsigned int *const start = regions.start + threadIdx.x * (regions.sources + 1);
    const unsigned int source = tile / regions.tiles_of_source;
    if (tile == source * regions.tiles_of_source) start[source] = before;
    if (tile == tiles() - 1) start[regions.sources] = up_to_here;
    if (up_to_here <= regions.capacity) return true;
    end_regions(regions, this->sweep.route.pass, host);
    return false;
  }
};

// All threads of each block call it at the end of the last sweep. The last block finds out where
// the bins go in the output, and whether each bucket fits into its block.
static __device__ __forceinline__ void finish_regions(const SweepRegions &regions,
                                                      unsigned int bins, unsigned int *warp_sums,
                                                      volatile HostVerdict *host) {
  if (!is_last_block(&regions.findings->arrived)) return;
  volatile RegionsFit *const fit = regions.fit;
  if ((fit->full[0] | fit->full[1]) != 0) return;
  const unsigned int columns = regions.sources + 1, bin = threadIdx.x;
  const unsigned int count = bin < bins ? regions.start[bin * columns + regions.sources] : 0;
  const unsigned int up_to_here = block_inclusive_scan(count, warp_sums);
  if (bin < bins) regions.base[bin] = up_to_here - count;
  bool too_large = false;
  for (unsigned int b = threadIdx.x / WARP_SIZE; b < bins; b += blockDim.x / WARP_SIZE) {
    const unsigned int *const start = &regions.start[b * columns];
#pragma unroll 4
    for (unsigned int s = threadIdx.x % WARP_SIZE; s < regions.sources; s += WARP_SIZE)
      too_large |= start[s + 1] - start[s] > regions.bucket_capacity - MOST_LEAD;
  }
  const bool fits = __syncthreads_or(too_large) == 0;
  if (threadIdx.x > 0) return;
  fit->buckets = fits;
  host->finding = fits ? SORTED : UNEVEN;
}

// The bucket of the calling block. A bucket's number is the upper digit's bin, then the lower
// one's, of which there are `sources`. `regions`: of the last sweep.
struct RegionPlace {
  const SweepRegions &regions;
  const uint2 *in;
  __device__ __forceinline__ BucketPlace operator()(void) const {
    const unsigned int bin = blockIdx.x / regions.sources;
    const unsigned int *const start = regions.start + blockIdx.x + bin;  // sources + 1 columns
    const unsigned int begin = start[0];
    return {start[1] - begin, regions.base[bin] + begin};
  }
  __device__ __forceinline__ BucketPlace again(BucketPlace) const { return (*this)(); }
  __device__ __forceinline__ PairsSideBySide pairs(BucketPlace place, unsigned int lead) const {
    const unsigned int bin = blockIdx.x / regions.sources;
    return pairs_from(in, bin * regions.capacity + place.to - regions.base[bin], lead);
  }
};

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
  if (threadIdx.x < regions.sources)  // at most a source per thread
    source_count[threadIdx.x] =
        regions.source_start == NULL ? sweep.n : regions.source_start[2 * threadIdx.x + 1];
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
  sort_pairs_of_bucket<kFew>(shared, blockIdx.x, RegionPlace{regions, in}, out,
                             MappedKeys{code, regions.findings}, low_bits);
}

#endif
