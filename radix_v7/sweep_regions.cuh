// Sweeps without a count: each bin has a region of the memory behind the sweep, with a little more
// room than its share of even keys. A bin's first place is then known beforehand; its size comes
// out of the look-back. The next sweep reads the regions one after the other, each by tiles of its
// own.
//
//   tiles of a sweep       |  0  |  1  |  2  |
//   regions of its bins    |0 0 0 . .|1 1 . . .|2 2 2 2 .|3 3 . . .|
//   tiles of the next one  |  0  | 1 |  2  | 3 |  4  | 5 |  6  | 7 |
//
// Where a region of the sweep before begins, the sums of the look-back are those of all pairs with
// smaller lower digits: places where the buckets of both digits begin.
#ifndef RADIX_V7_SWEEP_REGIONS_CUH
#define RADIX_V7_SWEEP_REGIONS_CUH

#include "gsort/block/scan.cuh"
#include "radix_v6/counting.cuh"
#include "radix_v7/pairs_tile.cuh"

// What a sort by regions finds out, in device memory.
typedef struct RegionFindings {
  unsigned int hopeless;  // 1: a sample is not even, and nothing moves
  unsigned int full[2];   // 1: some region of this sweep has no room; the result is of no use
  unsigned int useless;   // 0: all is well, and the blocks may sort the buckets
  unsigned int roomier;   // verdict of a second look; FITS, or some region would be full
} RegionFindings;

// The regions that one sweep reads and writes. Sources are what it reads: the regions of the sweep
// before, or the input.
typedef struct SweepRegions {
  unsigned int room;                 // pairs of a bin's region; 0: bins are counted, and have none
  unsigned int sources;              // 1: the input
  unsigned int source_room;          // pairs of a source
  unsigned int tiles_of_source;      // for source_room
  const unsigned int *source_start;  // `start` of the sweep before; NULL: the input
  unsigned int *start;    // [bins][sources + 1] in its bin's region: where the pairs of each source
                          // begin; the last: number of all pairs of the bin
  unsigned int *base;     // [bins] of the second sweep: pairs of all bins before
  unsigned int capacity;  // of the block that sorts a bucket, of the second sweep
  RegionFindings *findings;
} SweepRegions;

// Sweeps' blocks that have ended. Zero between sorts: the last one clears it.
static __device__ unsigned int region_blocks_arrived;

static __host__ __device__ __forceinline__ unsigned int tiles_of(SweepRegions regions) {
  return regions.sources * regions.tiles_of_source;
}

// The sizes of the sources, to shared memory; at most a source per thread.
static __device__ __forceinline__ void load_source_counts(SweepRegions regions, unsigned int n,
                                                          unsigned int *count) {
  if (threadIdx.x >= regions.sources) return;
  count[threadIdx.x] = regions.source_start == NULL ? n : regions.source_start[2 * threadIdx.x + 1];
}

template <unsigned int kTile>
static __device__ __forceinline__ TileSpan region_span(SweepRegions regions,
                                                       const unsigned int *source_count,
                                                       unsigned int tile) {
  const unsigned int source = tile / regions.tiles_of_source;
  return span_of<kTile>(source * regions.source_room, source_count[source],
                        tile - source * regions.tiles_of_source);
}

// Where a sweep by regions reads and writes. What it depends on does not change while it runs: a
// block that has taken a tile never drops it, as others wait for its counts.
static __device__ __forceinline__ void find_region_places(SweepRegions regions, SweepRoute route,
                                                          int *from, int *to) {
  const RegionFindings *const findings = regions.findings;
  const bool stop = findings->hopeless != 0 || findings->roomier != FITS ||
                    (route.pass > 0 && findings->full[0] != 0);
  if (route.pass == 0 && blockIdx.x == 0 && stop && findings->hopeless == 0)
    route.host->verdict = findings->roomier;
  *from = route.pass == 0 ? AT_INPUT : AT_HALVES;
  *to = stop ? NOWHERE : route.pass == route.passes - 1 ? AT_SCRATCH : AT_HALVES;
}

// A thread per bin, with the number of its pairs in all tiles before this one, and up to its end.
// False if they have no room.
static __device__ __forceinline__ bool note_run(SweepRegions regions, SweepRoute route,
                                                unsigned int tile, unsigned int before,
                                                unsigned int up_to_here) {
  unsigned int *const start = regions.start + threadIdx.x * (regions.sources + 1);
  const unsigned int source = tile / regions.tiles_of_source;
  if (tile == source * regions.tiles_of_source) start[source] = before;
  if (tile == tiles_of(regions) - 1) start[regions.sources] = up_to_here;
  if (up_to_here <= regions.room) return true;
  if (atomicExch(&regions.findings->full[route.pass], 1u) == 0) route.host->verdict = OVERFULL;
  return false;
}

static __device__ __forceinline__ bool is_full(SweepRegions regions, SweepRoute route) {
  return *(volatile unsigned int *)&regions.findings->full[route.pass] != 0;
}

// All threads of each block call it at the end of the last sweep. The last block finds out where
// the bins go in the output, and whether each bucket fits into its block.
static __device__ void finish_regions(SweepRegions regions, SweepRoute route, unsigned int bins,
                                      unsigned int *warp_sums) {
  if (!is_last_block(&region_blocks_arrived)) return;
  volatile RegionFindings *const findings = regions.findings;
  if ((findings->full[0] | findings->full[1]) != 0) return;
  const unsigned int columns = regions.sources + 1, bin = threadIdx.x;
  const unsigned int count = bin < bins ? regions.start[bin * columns + regions.sources] : 0;
  const unsigned int up_to_here = block_inclusive_scan(count, warp_sums);
  if (bin < bins) regions.base[bin] = up_to_here - count;
  bool too_large = false;
  for (unsigned int b = threadIdx.x / WARP_SIZE; b < bins; b += blockDim.x / WARP_SIZE) {
    const unsigned int *const start = &regions.start[b * columns];
#pragma unroll 4
    for (unsigned int s = threadIdx.x % WARP_SIZE; s < regions.sources; s += WARP_SIZE)
      too_large |= start[s + 1] - start[s] > regions.capacity - MOST_LEAD;
  }
  const bool useless = __syncthreads_or(too_large) != 0;
  if (threadIdx.x > 0) return;
  findings->useless = useless;
  route.host->verdict = useless ? OVERFULL : FITS;
}

#endif
