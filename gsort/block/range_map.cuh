// Keys that are even within a part of all numbers, such as identifiers, positions, or numbers below
// 2^31: a map spreads them over all numbers, where buckets by the first bits suit them.
//
//   keys  1000 .. 1999     number = (key - least) x 2^32 / span        0, 4294967, 8589934, ..
//
// It never decreases, no two keys get the same number, and it can be undone. So it is applied when
// keys are read, undone when they are written, and no kernel in between knows of it.
//
// The ends of the range are a sample's, extended. A few keys may lie beyond them: outliers. They
// take part as the least or the greatest key of the range, and their places in the output are the
// first and the last ones, to which bare keys are written at last.
#ifndef GSORT_BLOCK_RANGE_MAP_CUH
#define GSORT_BLOCK_RANGE_MAP_CUH

#include "gsort/block/findings.cuh"
#include "gsort/block/key_code.cuh"
#include "gsort/block/scan.cuh"

// Samples that, on average, lie in what the range is extended by at each end. That some key lies
// beyond is then as likely as e^-16 for each end.
enum {
  SAMPLES_IN_MARGIN = 16,
  MARGINS_IN_RANGE = SAMPLE_THREADS * SAMPLE_EACH / SAMPLES_IN_MARGIN
};

static __device__ __forceinline__ unsigned int map_key(const RangeMap &map, unsigned int key) {
  return (unsigned int)((unsigned long long)(key - map.least) * map.scale >> 32);
}

// number x inverse / 2^64, rounded up. Rounding down has made the number of a key less by less than
// 1, and so this by less than 2^32 / scale < 1.
static __device__ __forceinline__ unsigned int unmap_key(const RangeMap &map, unsigned int number) {
  const unsigned int upper = (unsigned int)(map.inverse >> 32), lower = (unsigned int)map.inverse;
  const unsigned long long difference =
      (unsigned long long)number * upper + __umulhi(number, lower) + 0xffffffffu;
  return map.least + (unsigned int)(difference >> 32);
}

// The map of the findings; NULL if the first sample has not asked for one.
static __device__ __forceinline__ const RangeMap *range_map_of(const Findings *findings) {
  return findings->first_sample == MAPPED ? &findings->range_map : NULL;
}

static __device__ __forceinline__ bool is_beyond(const RangeMap &map, unsigned int key) {
  return key - map.least > map.range;
}

// Maps the keys of the thread's items. valid(u) tells whether item u is there; one that is not
// becomes the largest number, so that it comes last. With map = NULL all stays as it is. Returns
// whether some key is an outlier.
template <int kItems, class Valid>
static __device__ __forceinline__ bool map_all(const RangeMap *map, unsigned int (&key)[kItems],
                                               Valid valid) {
  if (map == NULL) return false;
  const RangeMap by = *map;
  bool beyond = false;
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    beyond |= valid(u) && is_beyond(by, key[u]);
    const unsigned int inside = min(max(key[u], by.least), by.least + by.range);
    key[u] = valid(u) ? map_key(by, inside) : ~0u;
  }
  return beyond;
}

// Writes an outlier down; false if there are too many.
static __device__ __forceinline__ bool note_outlier(Findings *findings, unsigned int key) {
  const unsigned int end = key > findings->range_map.least ? 1 : 0;
  const unsigned int i = atomicAdd(&findings->outliers[end], 1u);
  if (i < MOST_OUTLIERS) findings->outlier[end][i] = key;
  return i < MOST_OUTLIERS;
}

// Writes the outliers of an end in order: from out[0] on, or up to out[-1]. All threads of a block
// call it.
static __device__ __forceinline__ void put_outliers(const Findings *findings, int end,
                                                    unsigned int *out, KeyCode code) {
  const unsigned int count = findings->outliers[end];
  for (unsigned int i = threadIdx.x; i < count; i += blockDim.x) {
    const unsigned int key = findings->outlier[end][i];
    unsigned int rank = 0;
    for (unsigned int j = 0; j < count; j++) {
      const unsigned int other = findings->outlier[end][j];
      rank += other < key || (other == key && j < i);
    }
    *(out + rank - (end == 1 ? count : 0)) = decode(code, key);
  }
}

// The map for the block's samples of codes; false if they reach nearly all numbers, or very few:
// the greatest key of the range has to get to the last bucket. All threads of the block call it.
template <int kEach>
static __device__ bool find_range_map(const unsigned int (&key)[kEach], RangeMap *map) {
  __shared__ unsigned int ends[2][MAX_WARPS];
  unsigned int least, most;
  find_ends(key, &least, &most, ends);
  const unsigned int more = (most - least) / MARGINS_IN_RANGE + 1;
  least = least > more ? least - more : 0;
  most = most < ~0u - more ? most + more : ~0u;
  map->least = least;
  map->range = most - least;
  if (map->range > ~0u - (1u << 20) || map->range < 1u << 16) return false;
  map->scale = ~0ull / (map->range + 1ull);
  // A little too small, as it is rounded. unmap_key() is off by less than 10^-5 by that, and may be
  // by 1 - 2^32 / scale, which is more than 1 / 4096.
  map->inverse = (unsigned long long)(18446744073709551616.0 * 4294967296.0 / (double)map->scale *
                                      (1 - 1e-15));
  return true;
}

#endif
