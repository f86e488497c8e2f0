// The bins of a group. A bin with many elements is divided again, by the next bits of its elements,
// into as many bins as it has elements for, and so are its bins; so that skew costs a look-up more
// for some elements, as in the fine ranges of ranges.cuh. All threads of the block do this at once.
//
//   bin          0     1     2     3          [2 9 1 3] elements; more than eight are many
//   entry        0     2 | divided: 4, 5, 6, 7
//   bin          4     5     6     7          [3 1 4 1] of the nine
//   entry        2     5     6    10          where the first element of the bin goes
#ifndef MPPSORT_V2_REFINE_CUH
#define MPPSORT_V2_REFINE_CUH

#include "common/block_scan.cuh"

enum {
  RANKED = 32,    // elements of a bin up to which it is not divided
  DIVISIONS = 3,  // bits of an element are looked up at most that often after its first bin
  LEAST_BITS = 3  // a bin of 33 elements or more is divided into 8 or more
};

static constexpr unsigned int FINER = 1u << 31;  // of an entry: bits << 16 | first of 2^bits bins

// The bins of a group of up to CAPACITY elements, in shared memory.
template <int CAPACITY, int BIN_BITS>
struct Bins {
  static constexpr unsigned int kFirst = 1u << BIN_BITS;  // bins before any is divided
  static constexpr unsigned int kMost = kFirst + CAPACITY / 4;
  unsigned int entry[kMost];
  unsigned int divided[CAPACITY / 4 >> LEAST_BITS];  // first element << 18 | bits << 14 | first bin
  unsigned int used, number;                         // of entry[], of divided[]
};

// The bin of an element whose first bin is `bin`; rest: the bits of the element that come next.
static __device__ __forceinline__ unsigned int find_bin(const unsigned int *entry, unsigned int bin,
                                                        unsigned int rest) {
  for (unsigned int e; ((e = entry[bin]) & FINER) != 0;) {
    const unsigned int bits = e >> 16 & 31;
    bin = (e & 0xffffu) + (rest >> (32 - bits));
    rest <<= bits;
  }
  return bin;
}

// The entry of a bin of `count` elements, the first of which goes to `place`: the place, or the
// bins into which it is divided.
template <class AllBins>
static __device__ __forceinline__ unsigned int make_entry(AllBins &bins, unsigned int count,
                                                          unsigned int place) {
  if (count <= RANKED) return place;
  const unsigned int bits = 29u - (unsigned int)__clz((int)count);  // 4 to 8 elements a bin
  const unsigned int first = atomicAdd(&bins.used, 1u << bits);
  if (first + (1u << bits) > AllBins::kMost) return place;
  bins.divided[atomicAdd(&bins.number, 1u)] = place << 18 | bits << 14 | first;
  return FINER | bits << 16 | first;
}

// A warp turns the counts of a divided bin's 2^bits bins, from `first` on, into entries.
template <class AllBins>
static __device__ __forceinline__ void scan_finer(AllBins &bins, unsigned int divided, bool again) {
  const unsigned int first = divided & 0x3fffu, finer = 1u << (divided >> 14 & 15);
  unsigned int place = divided >> 18;
  for (unsigned int b = threadIdx.x % WARP_SIZE; b - threadIdx.x % WARP_SIZE < finer;
       b += WARP_SIZE) {
    const unsigned int count = b < finer ? bins.entry[first + b] : 0;
    const unsigned int up_to_here = place + warp_inclusive_scan(count);
    if (b < finer)
      bins.entry[first + b] =
          again ? make_entry(bins, count, up_to_here - count) : up_to_here - count;
    place = __shfl_sync(0xffffffffu, up_to_here, WARP_SIZE - 1);
  }
}

// Divides bins with many elements. element_at(u, &bin, &rest): the first bin of the thread's
// element u and its bits behind that, or false if there is none. All threads call it after the
// barrier behind the entries of the first bins; one is at its end.
template <int kItems, class AllBins, class ElementAt>
static __device__ __forceinline__ void divide_bins(AllBins &bins, ElementAt element_at) {
  unsigned int before = 0, begin = AllBins::kFirst;
  for (int depth = 1; depth <= DIVISIONS; depth++) {
    const unsigned int behind = bins.number, end = bins.used;
    if (before == behind) return;
#pragma unroll
    for (int u = 0; u < kItems; u++) {
      unsigned int bin, rest;
      if (!element_at(u, &bin, &rest)) continue;
      bin = find_bin(bins.entry, bin, rest);
      if (bin >= begin) atomicAdd(&bins.entry[bin], 1u);
    }
    __syncthreads();
    for (unsigned int d = before + threadIdx.x / WARP_SIZE; d < behind; d += blockDim.x / WARP_SIZE)
      scan_finer(bins, bins.divided[d], depth < DIVISIONS);
    __syncthreads();
    before = behind;
    begin = end;
  }
}

// Where the elements of a bin end, when all have been placed: the first bin's entry, or that of the
// last bin into which it is divided.
static __device__ __forceinline__ unsigned int end_of_bin(const unsigned int *entry,
                                                          unsigned int bin) {
  unsigned int e = entry[bin];
  while ((e & FINER) != 0) e = entry[(e & 0xffffu) + (1u << (e >> 16 & 31)) - 1];
  return e;
}

#endif
