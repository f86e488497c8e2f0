// Step 1: ranges that fit the data. The keys between the least and the greatest of a segment are
// counted in up to 2^15 fine ranges of equal width; neighbouring fine ranges are then joined to
// groups of at most what a block sorts.
#ifndef MPPSORT_V2_RANGES_CUH
#define MPPSORT_V2_RANGES_CUH

#include "common/block_scan.cuh"
#include "common/overlap.cuh"
#include "common/pairs.cuh"

enum { RANGE_THREADS = 512, GROUP_THREADS = 1024, MOST_FINE_BITS = 15 };

// Keys begin .. begin + length - 1, which are partitioned together. They are in 2^fine_bits fine
// ranges, and a block sorts up to `capacity` of them.
typedef struct Segment {
  unsigned int begin, length;
  int fine_bits;
  unsigned int capacity;
} Segment;

// The next step for keys that do not fit into a block.
enum LargeKind {
  PARTITION_AGAIN,  // they were moved, and are partitioned alone
  MOVED_EQUAL,      // they were moved, and are all equal
  SEGMENT_EQUAL,    // the whole segment: nothing was moved, because all its keys are equal
};

typedef struct Large {
  unsigned int begin, length;
  enum LargeKind kind;
} Large;

// Device memory of the large ones of a level, at most one for each `capacity` keys.
typedef struct LargeList {
  unsigned int *count;
  Large *large;
} LargeList;

// Device memory that describes the segment in work.
typedef struct Ranges {
  // [2] Greatest key, and greatest complement of a key. Zero at first, as fine_count is.
  unsigned int *extremes;
  unsigned int *fine_count;       // [2^fine_bits] keys of each fine range; follows `extremes`
  unsigned int *groups;           // number of groups; 0 if all keys are equal
  unsigned int *group_start;      // [groups + 1] first key of each group, counted in the segment
  unsigned short *group_of_fine;  // [2^fine_bits]
} Ranges;

// Keys to fine ranges: (key - least) >> shift.
typedef struct Scale {
  unsigned int least;
  int shift;
  bool equal;  // all keys
} Scale;

static __device__ __forceinline__ Scale scale_of(const unsigned int *extremes, int fine_bits) {
  const unsigned int least = ~extremes[1], width = extremes[0] - least;
  const int bits = 32 - __clz((int)width);
  const Scale scale = {least, bits > fine_bits ? bits - fine_bits : 0, width == 0};
  return scale;
}

static __device__ __forceinline__ unsigned int fine_range(unsigned int key, Scale scale) {
  return (key - scale.least) >> scale.shift;
}

static __global__ void __launch_bounds__(RANGE_THREADS)
    find_extremes(const unsigned int *keys, unsigned int length, unsigned int *extremes) {
  __shared__ unsigned int block[2];
  wait_for_previous_kernel();
  if (threadIdx.x < 2) block[threadIdx.x] = 0;
  __syncthreads();
  unsigned int greatest = 0, complement = 0;
  const size_t step = (size_t)gridDim.x * blockDim.x;
#pragma unroll 4
  for (size_t i = global_index(); i < length; i += step) {
    greatest = max(greatest, keys[i]);
    complement = max(complement, ~keys[i]);
  }
  for (int lanes = WARP_SIZE / 2; lanes > 0; lanes /= 2) {
    greatest = max(greatest, __shfl_xor_sync(0xffffffffu, greatest, lanes));
    complement = max(complement, __shfl_xor_sync(0xffffffffu, complement, lanes));
  }
  if (threadIdx.x % WARP_SIZE == 0) {
    atomicMax(&block[0], greatest);
    atomicMax(&block[1], complement);
  }
  __syncthreads();
  if (threadIdx.x < 2) atomicMax(&extremes[threadIdx.x], block[threadIdx.x]);
}

static __global__ void __launch_bounds__(RANGE_THREADS)
    count_fine(const unsigned int *keys, Segment segment, Ranges ranges) {
  extern __shared__ unsigned int counters[];  // [2^fine_bits]
  wait_for_previous_kernel();
  const Scale scale = scale_of(ranges.extremes, segment.fine_bits);
  if (scale.equal) return;
  for (unsigned int f = threadIdx.x; f < 1u << segment.fine_bits; f += blockDim.x) counters[f] = 0;
  __syncthreads();
  const size_t step = (size_t)gridDim.x * blockDim.x;
#pragma unroll 4
  for (size_t i = global_index(); i < segment.length; i += step)
    atomicAdd(&counters[fine_range(keys[i], scale)], 1u);
  __syncthreads();
  for (unsigned int f = threadIdx.x; f < 1u << segment.fine_bits; f += blockDim.x)
    if (counters[f] > 0) atomicAdd(&ranges.fine_count[f], counters[f]);
}

// All fine ranges of a group begin in the same stretch of `stretch` keys, and all but its first
// have at most capacity - stretch keys. So it has at most `capacity` keys, unless it is one fine
// range.
static __host__ __device__ __forceinline__ unsigned int stretch_of(unsigned int capacity) {
  return capacity / 4 * 3;
}

// Does a group begin with this fine range, of `count` keys from the segment's key `start` on?
// `before`: keys of the fine range before it.
static __device__ __forceinline__ bool group_begins(unsigned int start, unsigned int count,
                                                    unsigned int before, unsigned int capacity) {
  const unsigned int stretch = stretch_of(capacity);
  return start == 0 || count > capacity - stretch || start / stretch != (start - before) / stretch;
}

static __device__ __forceinline__ void add_large(LargeList list, unsigned int begin,
                                                 unsigned int length, enum LargeKind kind) {
  const Large large = {begin, length, kind};
  list.large[atomicAdd(list.count, 1u)] = large;
}

// One block: joins neighbouring fine ranges and lists what is too large. Fine ranges before the
// first key do not exist: the least key is in range 0. A thread has neighbouring fine ranges.
static __global__ void __launch_bounds__(GROUP_THREADS)
    join_ranges(Segment segment, Ranges ranges, LargeList list) {
  __shared__ unsigned int warp_sums[MAX_WARPS];
  wait_for_previous_kernel();
  const Scale scale = scale_of(ranges.extremes, segment.fine_bits);
  if (scale.equal) {
    if (threadIdx.x == 0) {
      *ranges.groups = 0;
      add_large(list, segment.begin, segment.length, SEGMENT_EQUAL);
    }
    return;
  }
  const unsigned int all = 1u << segment.fine_bits, *const count = ranges.fine_count;
  const unsigned int each = (all + blockDim.x - 1) / blockDim.x;
  const unsigned int first = min(threadIdx.x * each, all), end = min(first + each, all);
  unsigned int keys = 0, begins = 0;
  for (unsigned int f = first; f < end; f++) keys += count[f];
  const unsigned int start = block_inclusive_scan(keys, warp_sums) - keys;
  const unsigned int before = first > 0 && first < all ? count[first - 1] : 0;
  __syncthreads();
  for (unsigned int f = first, at = start, last = before; f < end; f++) {
    if (group_begins(at, count[f], last, segment.capacity)) begins++;
    at += last = count[f];
  }
  const unsigned int groups = block_inclusive_scan(begins, warp_sums);
  unsigned int next = groups - begins;
  for (unsigned int f = first, at = start, last = before; f < end; f++) {
    if (group_begins(at, count[f], last, segment.capacity)) ranges.group_start[next++] = at;
    ranges.group_of_fine[f] = (unsigned short)(next - 1);
    // A fine range that is too large is a group of its own.
    if (count[f] > segment.capacity)
      add_large(list, segment.begin + at, count[f],
                scale.shift == 0 ? MOVED_EQUAL : PARTITION_AGAIN);
    at += last = count[f];
  }
  if (threadIdx.x == blockDim.x - 1) {
    ranges.group_start[groups] = segment.length;
    *ranges.groups = groups;
  }
}

#endif
