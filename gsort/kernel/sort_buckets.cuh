// The last step of bare keys: a block for each bucket sorts it in shared memory and writes it to
// its place.
//
//   bucket 1, in any order       18 12 11 15
//   bins of its next bits        [12 11] [15] [18]
//   each sorted by a thread      11 12 15 18
//
// A counting sort by the next 10 to 12 bits leaves bins of a few keys, each of which a thread sorts
// in registers. A warp sorts a bin with more; a block that has a bin with even more sorts by stable
// passes instead (block/passes.cuh). Moves 8 bytes a key.
#ifndef GSORT_KERNEL_SORT_BUCKETS_CUH
#define GSORT_KERNEL_SORT_BUCKETS_CUH

#include "gsort/block/bins.cuh"
#include "gsort/block/digits.cuh"
#include "gsort/block/key_code.cuh"
#include "gsort/block/partition.cuh"
#include "gsort/block/passes.cuh"
#include "gsort/warp/small_sorts.cuh"

enum {
  KEYS_OF_THREAD = 16,  // with more keys than that in a bin, warps sort the full bins of the bucket
  PADDED = 3,           // keys of a thread that are loaded, or padded, or not at all
};

// Shared memory for a bucket of at most kThreads * kItems keys and 2^kFineBits bins.
template <int kThreads, int kItems, int kFineBits>
struct BucketShared {
  static constexpr int kBins = 1 << kFineBits, kWarpBins = kThreads / WARP_SIZE * PASS_BINS;
  // A counter for each bin and WARP_SIZE for padding; or the counters of the passes.
  unsigned int bin[kWarpBins > kBins + WARP_SIZE ? kWarpBins : kBins + WARP_SIZE];
  unsigned int warp_sums[MAX_WARPS];
  unsigned int full_count;
  SeenBits seen;
  unsigned int tile[kThreads * kItems + kThreads * PADDED];  // padding goes to the end

  // Bins that a warp sorts, instead of the padding: first key x 2^16 | keys.
  __device__ unsigned int *full_bins() { return tile + kThreads * kItems; }
};

// Sorts the keys of each bin, which stand side by side in the tile; bin[b] is where bin b
// ends. kCrowded: some bin has more keys than a thread can sort, and warps sort all full ones.
template <int kFewKeys, bool kCrowded, int kThreads, int kItems, int kFineBits>
static __device__ __forceinline__ void sort_bins(
    BucketShared<kThreads, kItems, kFineBits> &shared) {
  static_assert(kItems <= PADDED * (kFewKeys + 1), "memory for full bins");
#pragma unroll(kCrowded ? 1 : 2)
  for (unsigned int b = threadIdx.x; b < 1u << kFineBits; b += kThreads) {
    const unsigned int first = b == 0 ? 0 : shared.bin[b - 1];
    const int keys = (int)(shared.bin[b] - first);
    if (keys > kFewKeys && kCrowded)
      shared.full_bins()[atomicAdd(&shared.full_count, 1u)] = first << 16 | (unsigned int)keys;
    else if (keys > kFewKeys)
      sort_few<KEYS_OF_THREAD>(&shared.tile[first], keys);
    else if (keys > 1)
      sort_few<kFewKeys>(&shared.tile[first], keys);
  }
  if (!kCrowded) return;
  __syncthreads();
  for (unsigned int f = threadIdx.x / WARP_SIZE; f < shared.full_count; f += kThreads / WARP_SIZE)
    rank_in_bin<true>(&shared.tile[shared.full_bins()[f] >> 16], shared.full_bins()[f] & 0xffffu);
}

// Before sort_bucket(): clears what it counts in.
template <int kThreads, class Shared>
static __device__ __forceinline__ void prepare_bucket(Shared &shared) {
  clear_counters<kThreads>(shared.bin, Shared::kBins);
  if (threadIdx.x > 0) return;
  shared.full_count = 0;
  shared.seen = {0, 0};
}

// Sorts bucket `number`, the codes in[0..count), whose bits from `shift` up are equal, into
// shared.tile. After prepare_bucket() and a barrier.
template <int kThreads, int kItems, int kFineBits, int kFewKeys>
static __device__ __forceinline__ void sort_bucket(
    BucketShared<kThreads, kItems, kFineBits> &shared, const unsigned int *in, unsigned int count,
    unsigned int number, int shift) {
  typedef BucketShared<kThreads, kItems, kFineBits> Shared;
  static_assert(kThreads * kItems < 1 << 16, "places have 16 bits");
  static_assert(kItems % PADDED == 0, "whole groups");
  constexpr unsigned int kBins = Shared::kBins, kCapacity = kThreads * kItems;
  // The digit has one bit more than the bins need, the lowest bit of the bucket's number. The flip
  // makes it 0 for the keys of the bucket and 1 for padding, whose bins lie behind the others. So
  // padding needs no comparison.
  Digit digit = {shift - kFineBits, 2 * kBins - 1, number % 2 * kBins, 0};
  const unsigned int padding = (~number % 2 * kBins + threadIdx.x % WARP_SIZE) << digit.shift;
  const unsigned int *const first = in + threadIdx.x;
  const int left = (int)count - (int)threadIdx.x;
  unsigned int key[kItems];
#pragma unroll
  for (int u = 0; u < kItems; u++)
    key[u] = left > u * kThreads ? __ldcs(&first[u * kThreads]) : padding;
  // Groups that are padding in all lanes of the warp are skipped.
  const int left_of_warp = (int)count - (int)(threadIdx.x & ~(WARP_SIZE - 1u));
#pragma unroll
  for (int u = 0; u < kItems; u += PADDED)
    if (left_of_warp > u * kThreads) count_in_bins<PADDED>(&key[u], digit, shared.bin);
  __syncthreads();
  const unsigned int largest =
      scan_counters<Shared::kBins / kThreads>(shared.bin, shared.warp_sums, 1, NULL, 0);
  if (threadIdx.x < WARP_SIZE)  // behind the keys, space for the padding of each lane
    shared.bin[kBins + threadIdx.x] = kCapacity + threadIdx.x * (kThreads / WARP_SIZE * PADDED);
  const bool crowded = __syncthreads_or(largest > KEYS_OF_THREAD) != 0,
             by_passes = crowded && __syncthreads_or(largest > MOST_IN_BIN) != 0;
  digit = opaque_digit(digit);
  if (!by_passes) {
#pragma unroll
    for (int u = 0; u < kItems; u += PADDED)
      if (left_of_warp > u * kThreads)
        place_in_tile<PADDED>(&key[u], digit, shared.bin, shared.tile);
    __syncthreads();
    if (crowded)
      sort_bins<kFewKeys, true>(shared);
    else
      sort_bins<kFewKeys, false>(shared);
    __syncthreads();
  } else {
    see_bits<kThreads>(key, 0, count, &shared.seen);
#pragma unroll
    for (int u = 0; u < kItems; u++)
      if (left > u * kThreads) shared.tile[threadIdx.x + u * kThreads] = key[u];
    __syncthreads();
    sort_by_passes<kThreads, kItems>(shared.tile, count, KeyInElement{0},
                                     shared.seen.set & shared.seen.clear, shared.bin,
                                     shared.warp_sums);
  }
}

// Writes the keys of the numbers tile[0..count) to `out`. map: NULL, or of these to codes.
template <int kThreads, int kItems>
static __device__ __forceinline__ void write_bucket(const unsigned int *tile, unsigned int *out,
                                                    unsigned int count, const RangeMap *map,
                                                    KeyCode code) {
  out += threadIdx.x;
  const int left = (int)opaque(count - threadIdx.x);  // not kept in registers till here
  const auto write = [&](auto key_of) {
#pragma unroll
    for (int u = 0; u < kItems; u++)
      if (left > u * kThreads) out[u * kThreads] = key_of(tile[threadIdx.x + u * kThreads]);
  };
  if (map != NULL)
    write([=, by = *map](unsigned int number) { return decode(code, unmap_key(by, number)); });
  else if (is_plain(code))
    write([](unsigned int number) { return number; });
  else
    write([=](unsigned int number) { return decode(code, number); });
}

// Buckets in regions, after one step or two.
typedef struct RegionBuckets {
  Regions parts;    // of the first of two steps; part p is split into 2^bits.second regions
  Regions regions;  // of the buckets
  BucketBits bits;  // second: 0 if there is one step, and no parts
  KeyCode code;
  volatile HostVerdict *host;
} RegionBuckets;

// A thread's share of the number of keys in the regions from `first` up to `end`.
template <int kThreads>
static __device__ __forceinline__ unsigned int keys_in_regions(Regions regions, unsigned int first,
                                                               unsigned int end) {
  unsigned int sum = 0;
  for (unsigned int b = first + threadIdx.x; b < end; b += kThreads)
    sum += regions.next[b] - b * regions.capacity;
  return sum;
}

// A block for each region, or for every gridDim.x-th. A bucket's place is the number of keys in the
// regions before it. Tells the host.
template <int kThreads, int kItems, int kFineBits, int kFewKeys, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    sort_regions(const unsigned int *in, unsigned int *out, RegionBuckets buckets) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  __shared__ unsigned int keys_before[kThreads / WARP_SIZE];  // of each warp's share
  auto &shared = *(BucketShared<kThreads, kItems, kFineBits> *)shared_memory;
  const Regions regions = buckets.regions;
  prepare_bucket<kThreads>(shared);
  wait_for_previous_kernel();
  if (nothing_to_move(regions)) return;
  const unsigned int stop = regions.findings->stop;
  if (blockIdx.x == 0 && threadIdx.x == 0) buckets.host->finding = stop == 0 ? SORTED : STOPPED;
  if (stop != 0) return;
  const int bits = buckets.bits.first + buckets.bits.second;
  for (unsigned int bucket = blockIdx.x;;) {
    const unsigned int begin = bucket * regions.capacity, count = regions.next[bucket] - begin,
                       part = buckets.bits.second > 0 ? bucket >> buckets.bits.second : 0,
                       before = warp_inclusive_scan(
                           keys_in_regions<kThreads>(buckets.parts, 0, part) +
                           keys_in_regions<kThreads>(regions, part << buckets.bits.second, bucket));
    if (threadIdx.x % WARP_SIZE == WARP_SIZE - 1) keys_before[threadIdx.x / WARP_SIZE] = before;
    __syncthreads();
    sort_bucket<kThreads, kItems, kFineBits, kFewKeys>(shared, in + begin, count, bucket,
                                                       32 - bits);
    // Added up here, as a register until here would be one too many.
    unsigned int *to = out;
#pragma unroll
    for (int warp = 0; warp < kThreads / WARP_SIZE; warp++) to += keys_before[warp];
    const RangeMap *const map = range_map_of(regions.findings);
    write_bucket<kThreads, kItems>(shared.tile, to, count, map, buckets.code);
    if (map != NULL && (bucket == 0 || bucket + 1 == 1u << bits)) {
      __syncthreads();
      if (bucket == 0)
        put_outliers(regions.findings, 0, to, buckets.code);
      else
        put_outliers(regions.findings, 1, to + count, buckets.code);
    }
    bucket += gridDim.x;
    if (bucket >> bits != 0) return;
    __syncthreads();
    prepare_bucket<kThreads>(shared);
  }
}

#endif
