// One partition step of buckets.cuh: blocks move the keys of their tiles to the bins of a digit.
#ifndef RADIX_V7_PARTITION_CUH
#define RADIX_V7_PARTITION_CUH

#include "radix_v7/buckets.cuh"
#include "radix_v6/instructions.cuh"

enum {
  PLACE_BATCH = 4,  // keys of a thread that are placed at a time
};

// A digit of any width; its values are the bins of a block.
typedef struct Digit {
  int shift;          // at least 2 + copy_bits
  unsigned int mask;  // bins - 1
  unsigned int flip;  // XORed with the digit
  int copy_bits;      // each bin has 2^copy_bits counters side by side
} Digit;

// ---- steps of a block, here and in bucket_sort.cuh ----------------------------------------------

static __device__ __forceinline__ unsigned int digit_value(unsigned int key, Digit digit) {
  return (key >> digit.shift & digit.mask) ^ digit.flip;
}

// The first counter of a key's bin. Two instructions: a shift, and one for all the logic.
static __device__ __forceinline__ unsigned int *bin_of(unsigned int *bin, unsigned int key,
                                                       Digit digit) {
  const int bytes = 2 + digit.copy_bits;
  return at_offset(bin, (key >> (digit.shift - bytes) & digit.mask << bytes) ^ digit.flip << bytes);
}

// The same digit, opaque to the compiler, which would otherwise keep the bins of all keys in
// registers from one step to the next and spill.
static __device__ __forceinline__ Digit opaque_digit(Digit digit) {
  digit.shift = (int)opaque((unsigned int)digit.shift);
  return digit;
}

// counter[0..count) = 0; 16-byte aligned, count a multiple of 4.
template <int kThreads>
static __device__ __forceinline__ void clear_counters(unsigned int *counter, unsigned int count) {
  for (unsigned int i = threadIdx.x; i < count / 4; i += kThreads)
    ((uint4 *)counter)[i] = make_uint4(0, 0, 0, 0);
}

template <int kItems>
static __device__ __forceinline__ void count_in_bins(const unsigned int *key, Digit digit,
                                                     unsigned int *bin) {
#pragma unroll
  for (int u = 0; u < kItems; u++) atomicAdd(bin_of(bin, key[u], digit), 1u);
}

// Puts each key into the tile at the index that the counter of its bin holds, and increments it.
template <int kItems>
static __device__ __forceinline__ void place_in_tile(const unsigned int *key, Digit digit,
                                                     unsigned int *bin, unsigned int *tile) {
  unsigned int place[kItems];
#pragma unroll
  for (int u = 0; u < kItems; u++) place[u] = atomicAdd(bin_of(bin, key[u], digit), 1u);
#pragma unroll
  for (int u = 0; u < kItems; u++) tile[place[u]] = key[u];
}

// Exclusive scan over counter[0..kThreads * kEach), in place; each thread scans kEach consecutive
// counters. A bin has `copies` consecutive counters; first[b] becomes the scan at the first of bin
// b, for b < bins. Returns the largest count among the thread's counters. Contains one barrier; the
// caller must follow with another.
//   counter  [3 1 7 0], 2 copies  ->  [0 3 4 11], first [0 4]
template <int kEach>
static __device__ __forceinline__ unsigned int scan_counters(unsigned int *counter,
                                                             unsigned int *warp_sums,
                                                             unsigned int copies,
                                                             unsigned int *first,
                                                             unsigned int bins) {
  static_assert(kEach % 4 == 0, "16 bytes at a time");
  const unsigned int begin = threadIdx.x * kEach;
  unsigned int count[kEach], sum = 0, largest = 0;
#pragma unroll
  for (int i = 0; i < kEach; i += 4) {
    const uint4 four = *(const uint4 *)&counter[begin + i];
    count[i] = four.x, count[i + 1] = four.y, count[i + 2] = four.z, count[i + 3] = four.w;
  }
#pragma unroll
  for (int i = 0; i < kEach; i++) {
    sum += count[i];
    largest = max(largest, count[i]);
  }
  unsigned int before = block_inclusive_scan_one_barrier(sum, warp_sums) - sum;
#pragma unroll
  for (int i = 0; i < kEach; i++) {
    const unsigned int next = before + count[i];
    count[i] = before;
    before = next;
  }
#pragma unroll
  for (int i = 0; i < kEach; i += 4)
    *(uint4 *)&counter[begin + i] = make_uint4(count[i], count[i + 1], count[i + 2], count[i + 3]);
#pragma unroll
  for (int i = 0; i < kEach; i++)
    if ((begin + i) % copies == 0 && (begin + i) / copies < bins)
      first[(begin + i) / copies] = count[i];
  return largest;
}

// ---- the kernel ---------------------------------------------------------------------------------

// One partition step. With more than one part, every part is partitioned by itself.
typedef struct PartitionStep {
  Digit digit;
  unsigned int *next;              // [parts][bins] index in the output of each bin's next key
  unsigned int parts;              // at least 1
  const unsigned int *first_tile;  // [parts + 1] number of each part's first tile, if parts > 1
  const unsigned int *start;       // [parts * bins + 1] where each bin begins, if parts > 1
  const unsigned int *too_large;   // not 0: the kernel returns at once
} PartitionStep;

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

// Room for `count` keys of a bin; returns the index of the first. kBothEnds: two bins share a part
// of the output, whose sizes are not known: even ones fill it from its beginning, odd ones from its
// end.
template <bool kBothEnds>
static __device__ __forceinline__ unsigned int reserve_run(unsigned int *next, unsigned int bin,
                                                           unsigned int count) {
  if (kBothEnds && bin % 2 == 1) return atomicAdd(&next[bin], 0u - count) - count;
  return atomicAdd(&next[bin], count);
}

// Where bins have regions of the output (regions.cuh), all of the same size.
typedef struct Regions {
  unsigned int room;             // of a region, in keys
  unsigned int *next;            // [bins] index in the output of each bin's next key
  const unsigned int *hopeless;  // [2] verdicts; nothing is to be moved but for FITS
  unsigned int *full;            // 1: some region had no room, and the result is of no use
  unsigned int early;            // blocks that load their tile before the regions are prepared
  unsigned int first;            // number of the region of bin 0
  unsigned int split, *behind;   // REGIONS_IN_PIECES: key i, for i >= split, is behind[i]
} Regions;

// How bins lie in the output: one behind the other, as counted; in regions; or in regions of two
// arrays.
enum BinKind { COUNTED_BINS, REGIONS, REGIONS_IN_PIECES };

static __device__ __forceinline__ bool nothing_to_move(Regions regions) {
  return regions.hopeless[0] != FITS || regions.hopeless[1] != FITS;
}

// Waits for the kernel that prepares the regions; false if there is nothing to do.
static __device__ __forceinline__ bool regions_ready(Regions regions) {
  wait_for_previous_kernel();
  return !nothing_to_move(regions);
}

// partition_tile() for a whole tile, whose keys stay in registers, or for a shorter one, which is
// read twice. False if nothing is to be moved.
template <bool kFull, bool kBothEnds, int kKind, int kThreads, int kItems, int kEach, int kMaxBins>
static __device__ __forceinline__ bool partition_tile_of(
    const unsigned int *in, unsigned int *out, unsigned int valid, Digit digit, unsigned int *next,
    PartitionShared<kThreads, kItems, kEach, kMaxBins> &shared, Regions regions) {
  constexpr bool kRegions = kKind != COUNTED_BINS;
  const unsigned int bins = digit.mask + 1, copies = 1u << digit.copy_bits;
  unsigned int *const counter = shared.counter + threadIdx.x % copies;
  in += threadIdx.x;
  const int left = (int)valid - (int)threadIdx.x;
  unsigned int key[kFull ? kItems : 1];
  if constexpr (kFull) {
#pragma unroll
    for (int u = 0; u < kItems; u++) key[u] = __ldcs(&in[u * kThreads]);
    if (kRegions && !regions_ready(regions)) return false;
    count_in_bins<kItems>(key, digit, counter);
  } else {
    if (kRegions && !regions_ready(regions)) return false;
    for (int i = 0; i < left; i += kThreads) atomicAdd(bin_of(counter, in[i], digit), 1u);
  }
  __syncthreads();
  scan_counters<kEach>(shared.counter, shared.warp_sums, copies, shared.first, bins);
  if (threadIdx.x == 0) shared.first[bins] = valid;
  __syncthreads();

  // Reserves room for the tile's run of each bin; the answers arrive while the tile is filled.
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
    for (int i = 0; i < left; i += kThreads)
      shared.tile[atomicAdd(bin_of(counter, in[i], digit), 1u)] = in[i];
  }
#pragma unroll
  for (int r = 0; r < kRuns; r++) {
    const unsigned int b = threadIdx.x + r * kThreads;
    if (b >= bins) continue;
    const unsigned int up_to = to[r] + shared.first[b + 1] - shared.first[b];
    if (kRegions && up_to > (regions.first + b + 1) * regions.room) {
      *regions.full = 1;
      to[r] = 0;  // anywhere
    }
    shared.to[b] = to[r] - shared.first[b];
  }
  __syncthreads();
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

// Moves in[0..left), or the first tile of these, to the next free indices of their bins in `out`.
// kKind: a BinKind; bins may have `regions`, which the previous kernel prepares while keys are
// loaded here. False if that has found that nothing is to be moved.
template <bool kBothEnds, int kKind, int kThreads, int kItems, int kEach, int kMaxBins>
static __device__ __forceinline__ bool partition_tile(
    const unsigned int *in, unsigned int *out, unsigned int left, Digit digit, unsigned int *next,
    PartitionShared<kThreads, kItems, kEach, kMaxBins> &shared, Regions regions) {
  constexpr unsigned int kTile = kThreads * kItems;
  if (left >= kTile)
    return partition_tile_of<true, kBothEnds, kKind>(in, out, kTile, digit, next, shared, regions);
  return partition_tile_of<false, kBothEnds, kKind>(in, out, left, digit, next, shared, regions);
}

template <int kThreads, int kItems, int kEach, int kMaxBins, int kBlocksPerSm,
          bool kBothEnds = false>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    partition(const unsigned int *in, unsigned int *out, unsigned int n, PartitionStep step) {
  constexpr unsigned int kTile = kThreads * kItems;
  extern __shared__ __align__(16) unsigned int shared_memory[];
  typedef PartitionShared<kThreads, kItems, kEach, kMaxBins> Shared;
  Shared &shared = *(Shared *)shared_memory;
  clear_counters<kThreads>(shared.counter, kThreads * kEach);
  wait_for_previous_kernel();
  const unsigned int bins = step.digit.mask + 1;
  unsigned int begin = blockIdx.x * kTile, end = n, *next = step.next;
  if (step.parts > 1) {
    // One thread per part; the one whose part holds this tile publishes it. In a block behind the
    // last tile none does.
    if (threadIdx.x == 0) shared.begin = shared.end = 0;
    __syncthreads();
    const unsigned int part = threadIdx.x;
    if (part < step.parts) {
      const unsigned int first_tile = step.first_tile[part], behind = step.first_tile[part + 1];
      const unsigned int start = step.start[part * bins],
                         end_of_part = step.start[(part + 1) * bins];
      if (first_tile <= blockIdx.x && blockIdx.x < behind) {
        shared.begin = start + (blockIdx.x - first_tile) * kTile;
        shared.end = end_of_part;
        shared.part = part;
      }
    }
  }
  const bool too_large = *step.too_large != 0;
  __syncthreads();
  if (step.parts > 1) {
    begin = shared.begin;
    end = shared.end;
    next += shared.part * bins;
  }
  if (too_large || begin == end) return;
  partition_tile<kBothEnds, COUNTED_BINS>(in + begin, out, end - begin, step.digit, next, shared,
                                          Regions());
}

#endif
