// The last step of bare keys: a block for each bucket sorts it in shared memory and writes it to
// its place (block/key_bucket.cuh).
//
//   bucket 1, in any order       18 12 11 15
//   bins of its next bits        [12 11] [15] [18]
//   each sorted by a thread      11 12 15 18
//
// Moves 8 bytes a key.
#ifndef GSORT_KERNEL_SORT_BUCKETS_CUH
#define GSORT_KERNEL_SORT_BUCKETS_CUH

#include "gsort/block/digits.cuh"
#include "gsort/block/key_bucket.cuh"
#include "gsort/block/partition.cuh"

// Buckets that lie one behind the other.
typedef struct CountedBuckets {
  const unsigned int *start;  // [buckets + 1] index where each begins; the last: where they end
  int shift;                  // bits of a key behind the bucket's number
  const unsigned int *stop;   // not 0: there is nothing to sort
} CountedBuckets;

// Sorts the bucket of the block from `in` to `out`, which may be equal: a block reads all of its
// bucket before it writes.
template <int kThreads, int kItems, int kFineBits, int kFewKeys>
static __device__ __forceinline__ void sort_bucket_of_block(const unsigned int *in,
                                                            unsigned int *out,
                                                            CountedBuckets buckets, KeyRange range,
                                                            KeyCode code) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  auto &shared = *(BucketShared<kThreads, kItems, kFineBits> *)shared_memory;
  prepare_bucket<kThreads>(shared);
  wait_for_previous_kernel();
  if (*buckets.stop != 0) return;
  __syncthreads();
  const unsigned int begin = buckets.start[blockIdx.x],
                     count = buckets.start[blockIdx.x + 1] - begin;
  if (count > kThreads * kItems) return;  // a large bucket is sorted by itself
  sort_bucket<kThreads, kItems, kFineBits, kFewKeys>(shared, in + begin, count, blockIdx.x,
                                                     buckets.shift, range);
  write_bucket<kThreads, kItems>(shared.tile, out + begin, count, range, code);
}

template <int kThreads, int kItems, int kFineBits, int kFewKeys, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    sort_buckets(const unsigned int *in, unsigned int *out, CountedBuckets buckets) {
  sort_bucket_of_block<kThreads, kItems, kFineBits, kFewKeys>(in, out, buckets, WHOLE_RANGE,
                                                              KeyCode{0, 0});
}

// sort_buckets() for keys that share their first range.skip bits, and for codes. Asking whether
// there are any would cost sort_buckets() registers.
template <int kThreads, int kItems, int kFineBits, int kFewKeys, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    sort_buckets_of_range(const unsigned int *in, unsigned int *out, CountedBuckets buckets,
                          KeyRange range, KeyCode code) {
  sort_bucket_of_block<kThreads, kItems, kFineBits, kFewKeys>(in, out, buckets, range, code);
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
  if (blockIdx.x == 0 && threadIdx.x == 0)
    buckets.host->finding = stop == 0 ? SORTED : stop == STOP ? STOPPED : OVERFULL;
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
    sort_bucket<kThreads, kItems, kFineBits, kFewKeys>(shared, in + begin, count, bucket, 32 - bits,
                                                       WHOLE_RANGE);
    // Added up here, as a register until here would be one too many.
    unsigned int *to = out;
#pragma unroll
    for (int warp = 0; warp < kThreads / WARP_SIZE; warp++) to += keys_before[warp];
    write_bucket<kThreads, kItems>(shared.tile, to, count, WHOLE_RANGE, buckets.code);
    bucket += gridDim.x;
    if (bucket >> bits != 0) return;
    __syncthreads();
    prepare_bucket<kThreads>(shared);
  }
}

#endif
