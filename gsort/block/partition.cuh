// A tile of bare keys to the next free places of their bins in the output, in any order within a
// bin. The bins lie one behind the other, as they have been counted, or each has a region.
#ifndef GSORT_BLOCK_PARTITION_CUH
#define GSORT_BLOCK_PARTITION_CUH

#include "gsort/block/bins.cuh"
#include "gsort/block/key_code.cuh"
#include "gsort/block/key_range.cuh"
#include "gsort/block/overlap.cuh"
#include "gsort/block/range_map.cuh"

enum {
  MAX_BUCKET_BITS = 16,
  MAX_PARTS = 1 << (MAX_BUCKET_BITS + 1) / 2,  // results of the first of two steps
};

// The upper bits of the keys that number the buckets.
typedef struct BucketBits {
  int first, second;  // bits of the two partition steps; second may be 0
} BucketBits;

// Shared memory of a block. A bin has as many counters as fit, up to one for each lane of a warp:
// with one each, lanes never meet in a bank, and atomics on equal digits do not serialise.
template <int kThreads, int kItems, int kEach, int kMaxBins>
struct PartitionShared {
  unsigned int counter[kThreads * kEach];  // counts, then indices in the tile
  unsigned int first[kMaxBins + 1];        // index in the tile of each bin's first key
  unsigned int to[kMaxBins];               // index in the output minus index in the tile
  unsigned int warp_sums[MAX_WARPS];
  unsigned int part, begin, end;  // the tile's part, first key, and the end of its part
  unsigned int tile[kThreads * kItems];
};

// Where bins have regions of the output, all of the same size.
typedef struct Regions {
  unsigned int capacity;        // of a region, in keys
  unsigned int *next;           // [bins] index in the output of each bin's next key
  Findings *findings;           // nothing is to be moved unless both samples are EVEN
  unsigned int early;           // blocks that load their tile before the regions are prepared
  unsigned int first;           // number of the region of bin 0
  unsigned int split, *behind;  // REGIONS_IN_PIECES: key i, for i >= split, is behind[i]
} Regions;

// How bins lie in the output: one behind the other; in regions; or in regions of two arrays.
enum BinKind { COUNTED_BINS, REGIONS, REGIONS_IN_PIECES };

static __device__ __forceinline__ bool nothing_to_move(Regions regions) {
  return finding_of_samples(regions.findings) != EVEN;
}

// Waits for the kernel that prepares the regions; false if there is nothing to do.
static __device__ __forceinline__ bool regions_ready(Regions regions) {
  wait_for_previous_kernel();
  return !nothing_to_move(regions);
}

// Takes the places of `count` keys of a bin; returns the first. kBothEnds: two bins share a part of
// the output, whose sizes are not known: even ones fill it from its beginning, odd ones from its
// end.
template <bool kBothEnds>
static __device__ __forceinline__ unsigned int reserve_run(unsigned int *next, unsigned int bin,
                                                           unsigned int count) {
  if (kBothEnds && bin % 2 == 1) return atomicAdd(&next[bin], 0u - count) - count;
  return atomicAdd(&next[bin], count);
}

// partition_tile() for a whole tile, whose keys stay in registers, or for a shorter one, which is
// read twice.
template <bool kFull, bool kBothEnds, int kKind, bool kMaps, int kThreads, int kItems, int kEach,
          int kMaxBins>
static __device__ __forceinline__ bool partition_tile_of(
    const unsigned int *in, unsigned int *out, unsigned int valid, KeyCode code, Digit digit,
    unsigned int *next, PartitionShared<kThreads, kItems, kEach, kMaxBins> &shared,
    Regions regions) {
  constexpr bool kRegions = kKind != COUNTED_BINS;
  const unsigned int bins = digit.mask + 1, copies = 1u << digit.copy_bits;
  unsigned int *const counter = shared.counter + threadIdx.x % copies;
  in += threadIdx.x;
  const int left = (int)valid - (int)threadIdx.x;
  unsigned int key[kFull ? kItems : 1];
  bool minus_zero = false, beyond = false;
  const auto map = [&] { return kMaps ? range_map_of(regions.findings) : NULL; };
  const auto always = [](int) { return true; };
  const auto number_of = [&](unsigned int from_input) {
    unsigned int number[1] = {encode(code, from_input)};
    beyond |= map_all(map(), number, always);
    return number[0];
  };
  if constexpr (kFull) {
#pragma unroll
    for (int u = 0; u < kItems; u++) key[u] = __ldcs(&in[u * kThreads]);
    if (kRegions && !regions_ready(regions)) return false;
    minus_zero = encode_all(code, key);
    beyond = map_all(map(), key, always);
    count_in_bins<kItems>(key, digit, counter);
  } else {
    if (kRegions && !regions_ready(regions)) return false;
    for (int i = 0; i < left; i += kThreads) {
      minus_zero |= is_minus_zero(code, in[i]);
      atomicAdd(bin_of(counter, number_of(in[i]), digit), 1u);
    }
  }
  if (kRegions && minus_zero) regions.findings->stop = STOP;
  if (kMaps && beyond)  // rare, so keys are simply read again
    for (int i = 0; i < left; i += kThreads) {
      const unsigned int number = encode(code, in[i]);
      if (is_beyond(regions.findings->range_map, number) && !note_outlier(regions.findings, number))
        regions.findings->stop = STOP;
    }
  __syncthreads();
  scan_counters<kEach>(shared.counter, shared.warp_sums, copies, shared.first, bins);
  if (threadIdx.x == 0) shared.first[bins] = valid;
  __syncthreads();

  // Takes places for the tile's run of each bin; the answers arrive while the tile is filled.
  constexpr int kRuns = (kMaxBins + kThreads - 1) / kThreads;
  unsigned int to[kRuns];
#pragma unroll
  for (int r = 0; r < kRuns; r++) {
    const unsigned int b = threadIdx.x + r * kThreads;
    const unsigned int count = b < bins ? shared.first[b + 1] - shared.first[b] : 0;
    to[r] = count > 0 ? reserve_run<kBothEnds>(next, b, count) : 0;
  }
  digit = opaque_digit(digit);
  if constexpr (kFull) {
#pragma unroll
    for (int u = 0; u < kItems; u += PLACE_BATCH)
      place_in_tile<PLACE_BATCH>(&key[u], digit, counter, shared.tile);
  } else {
    for (int i = 0; i < left; i += kThreads) {
      const unsigned int number = number_of(in[i]);
      shared.tile[atomicAdd(bin_of(counter, number, digit), 1u)] = number;
    }
  }
  bool full = false;
#pragma unroll
  for (int r = 0; r < kRuns; r++) {
    const unsigned int b = threadIdx.x + r * kThreads;
    if (b >= bins) continue;
    const unsigned int count = shared.first[b + 1] - shared.first[b];
    // A difference: the end of the run may be beyond 32 bits.
    if (kRegions && count > 0)
      full |= to[r] - (regions.first + b) * regions.capacity + count > regions.capacity;
    shared.to[b] = to[r] - shared.first[b];
  }
  if (kRegions && full) regions.findings->stop = STOP;
  if constexpr (kRegions) {
    if (__syncthreads_or(full) != 0) return true;
  } else {
    __syncthreads();
  }
  digit.copy_bits = 0;
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    if (u % PLACE_BATCH == 0) compiler_fence();
    if (!kFull && left <= u * kThreads) break;
    const unsigned int i = threadIdx.x + u * kThreads, moved = shared.tile[i];
    const unsigned int at = *bin_of(shared.to, moved, digit) + i;
    (kKind == REGIONS_IN_PIECES && at >= regions.split ? regions.behind : out)[at] = moved;
  }
  return true;
}

// Moves in[0..left), or the first tile of it, to the next free indices of their bins in `out`,
// as codes. kKind: a BinKind; bins may have `regions`, which the previous kernel prepares while
// keys are loaded here. kMaps: keys of a range are mapped. False if the previous kernel has found
// that nothing is to be moved.
template <bool kBothEnds, int kKind, bool kMaps, int kThreads, int kItems, int kEach, int kMaxBins>
static __device__ __forceinline__ bool partition_tile(
    const unsigned int *in, unsigned int *out, unsigned int left, KeyCode code, Digit digit,
    unsigned int *next, PartitionShared<kThreads, kItems, kEach, kMaxBins> &shared,
    Regions regions) {
  constexpr unsigned int kTile = kThreads * kItems;
  if (left >= kTile)
    return partition_tile_of<true, kBothEnds, kKind, kMaps>(in, out, kTile, code, digit, next,
                                                            shared, regions);
  return partition_tile_of<false, kBothEnds, kKind, kMaps>(in, out, left, code, digit, next, shared,
                                                           regions);
}

#endif
