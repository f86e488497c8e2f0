// The last step of buckets.cuh: sorts each bucket in the shared memory of a block.
//
// A counting sort by the next 10 or 11 bits leaves bins of a few keys, each of which a thread sorts
// in registers.
#ifndef RADIX_V7_BUCKET_SORT_CUH
#define RADIX_V7_BUCKET_SORT_CUH

#include "radix_v7/few_keys.cuh"
#include "radix_v7/partition.cuh"

enum {
  MANY_KEYS = 32,  // bins with more keys are sorted by counting, not by comparison
  PADDED = 3,      // keys of a thread that are loaded, padded or skipped together
};

// Shared memory for a bucket of at most kThreads * kItems keys and 2^kFineBits bins.
template <int kThreads, int kItems, int kFineBits>
struct BucketShared {
  // A counter per bin and WARP_SIZE for padding; or one for each value of the key's remaining bits.
  static constexpr int kLeftBits = 32 - MIN_BUCKET_BITS - kFineBits;
  static constexpr int kBins = 1 << kFineBits, kLeft = 1 << kLeftBits;
  unsigned int bin[kLeft > kBins + WARP_SIZE ? kLeft : kBins + WARP_SIZE];
  unsigned int warp_sums[MAX_WARPS];
  // Bins with more than MANY_KEYS keys: index of the first key * 2^16 + number of keys.
  unsigned int crowded[kThreads * kItems / MANY_KEYS];
  unsigned int crowded_count;
  unsigned int tile[kThreads * kItems + kThreads * PADDED];  // padding goes to the end
};

// Like place_in_tile(), for in[0..valid), but with one atomic for all lanes of a warp that hit the
// same bin. Faster on skewed bins, slower on even ones.
static __device__ void place_by_match(const unsigned int *in, unsigned int valid, Digit digit,
                                      unsigned int *bin, unsigned int *tile) {
  const unsigned int below = (1u << threadIdx.x % WARP_SIZE) - 1;
  for (unsigned int i = threadIdx.x; i - threadIdx.x < valid; i += blockDim.x) {
    const unsigned int key = i < valid ? in[i] : 0;
    const unsigned int value = i < valid ? digit_value(key, digit) : 0xffffffffu;
    const unsigned int lanes = __match_any_sync(0xffffffffu, value);
    unsigned int place = 0;
    if (i < valid && (lanes & below) == 0)
      place = atomicAdd(&bin[value], (unsigned int)__popc((int)lanes));
    place = __shfl_sync(0xffffffffu, place, __ffs((int)lanes) - 1);
    if (i < valid) tile[place + (unsigned int)__popc((int)(lanes & below))] = key;
  }
}

// Counting sort by the whole block, for any number of keys that differ in their lowest `bits` bits
// only: the scanned counts of the 2^bits values determine each key. It bounds the time for crowded
// bins, on which comparisons would be quadratic.
template <int kThreads, int kMostBits>
static __device__ void counting_sort(unsigned int *keys, unsigned int count, int bits,
                                     unsigned int *counters, unsigned int *warp_sums) {
  const unsigned int values = 1u << bits, upper = keys[0] & ~(values - 1);
  __syncthreads();
  clear_counters<kThreads>(counters, 1u << kMostBits);
  __syncthreads();
  for (unsigned int i = threadIdx.x; i < count; i += kThreads)
    atomicAdd(&counters[keys[i] & (values - 1)], 1u);
  __syncthreads();
  scan_counters<(1 << kMostBits) / kThreads>(counters, warp_sums, 1, NULL, 0);
  __syncthreads();
  for (unsigned int i = threadIdx.x; i < count; i += kThreads) {
    unsigned int low = 0, high = values;  // the last value whose run begins at or before i
    while (high - low > 1) {
      const unsigned int middle = (low + high) / 2;
      if (counters[middle] <= i)
        low = middle;
      else
        high = middle;
    }
    keys[i] = upper | low;
  }
  __syncthreads();
}

// Sorts each bin's keys, which are consecutive in the tile; bin[b] is the index behind those of bin
// b. bits_left: number of lower bits in which keys of a bin may differ.
template <int kThreads, int kItems, int kFineBits, int kFewKeys>
static __device__ __forceinline__ void sort_bins(BucketShared<kThreads, kItems, kFineBits> &shared,
                                                 int bits_left) {
  typedef BucketShared<kThreads, kItems, kFineBits> Shared;
#pragma unroll 2
  for (unsigned int b = threadIdx.x; b < Shared::kBins; b += kThreads) {
    const unsigned int first = b == 0 ? 0 : shared.bin[b - 1];
    const int keys = (int)(shared.bin[b] - first);
    if (keys > MANY_KEYS)
      shared.crowded[atomicAdd(&shared.crowded_count, 1u)] = first << 16 | (unsigned int)keys;
    else if (keys > kFewKeys)
      sort_by_insertion(&shared.tile[first], keys);
    else if (keys > 1)
      sort_few<kFewKeys>(&shared.tile[first], keys);
  }
  __syncthreads();
  for (unsigned int c = 0; c < shared.crowded_count; c++) {
    const unsigned int bin = shared.crowded[c];
    counting_sort<kThreads, Shared::kLeftBits>(&shared.tile[bin >> 16], bin & 0xffffu, bits_left,
                                               shared.bin, shared.warp_sums);
  }
}

// One block per bucket: sorts in[start[b]..start[b + 1]) to `out`. Keys of a bucket agree in all
// bits from `shift` up. `in` and `out` may be equal: a block reads all of its bucket before it
// writes.
template <int kThreads, int kItems, int kFineBits, int kFewKeys, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    sort_buckets(const unsigned int *in, unsigned int *out, const unsigned int *start, int shift,
                 const unsigned int *too_large) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  typedef BucketShared<kThreads, kItems, kFineBits> Shared;
  Shared &shared = *(Shared *)shared_memory;
  static_assert(kThreads * kItems < 1 << 16, "places have 16 bits");
  static_assert(kItems % PADDED == 0, "whole groups");
  constexpr unsigned int kBins = Shared::kBins, kCapacity = kThreads * kItems;
  clear_counters<kThreads>(shared.bin, kBins);
  if (threadIdx.x == 0) shared.crowded_count = 0;
  wait_for_previous_kernel();
  if (*too_large != 0) return;
  __syncthreads();
  const unsigned int begin = start[blockIdx.x], count = start[blockIdx.x + 1] - begin;

  // The digit has one bit more than the bins need, the lowest bit of the bucket's number. The flip
  // makes it 0 for the keys of the bucket and 1 for padding, whose bins lie behind the others. So
  // padding needs no comparison.
  Digit digit = {shift - kFineBits, 2 * kBins - 1, blockIdx.x % 2 * kBins, 0};
  const unsigned int padding = (~blockIdx.x % 2 * kBins + threadIdx.x % WARP_SIZE) << digit.shift;
  const unsigned int *const first = in + begin + threadIdx.x;
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
  if (threadIdx.x < WARP_SIZE)  // behind the keys, room for the padding of each lane
    shared.bin[kBins + threadIdx.x] = kCapacity + threadIdx.x * (kThreads / WARP_SIZE * PADDED);
  const bool skewed = __syncthreads_or(largest > MANY_KEYS) != 0;
  digit = opaque_digit(digit);
  if (!skewed) {
#pragma unroll
    for (int u = 0; u < kItems; u += PADDED)
      if (left_of_warp > u * kThreads)
        place_in_tile<PADDED>(&key[u], digit, shared.bin, shared.tile);
  } else {
    place_by_match(in + begin, count, digit, shared.bin, shared.tile);
  }
  __syncthreads();
  sort_bins<kThreads, kItems, kFineBits, kFewKeys>(shared, digit.shift);
  out += begin + threadIdx.x;
  const int left_again = (int)opaque((unsigned int)left);  // not kept in registers till here
#pragma unroll
  for (int u = 0; u < kItems; u++)
    if (left_again > u * kThreads) out[u * kThreads] = shared.tile[threadIdx.x + u * kThreads];
}

#endif
