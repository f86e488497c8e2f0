// Step 1: a block per part draws a sample, sorts it, and takes every few sampled keys as borders of
// the fine ranges.
#ifndef MPPSORT_V2_SPLIT_CUH
#define MPPSORT_V2_SPLIT_CUH

#include "mppsort_v2/order_group.cuh"

enum {
  SPLIT_THREADS = 1024,
  SPLIT_BIN_BITS = 12,
  SAMPLED_PER_GROUP = 32,
  LEAST_SAMPLE = 4096,
};

static __device__ __forceinline__ unsigned int mix_bits(unsigned int x) {
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

// Sampled keys of a part: SAMPLED_PER_GROUP for each group, but at least LEAST_SAMPLE.
static __host__ __device__ __forceinline__ size_t sample_for(size_t length, unsigned int join) {
  const size_t wanted = length * SAMPLED_PER_GROUP / join;
  return wanted > LEAST_SAMPLE ? wanted : 0u + LEAST_SAMPLE;
}

// The place of sampled key i: one of each stride of the part. Strides are measured in 2^-32 of a
// key: their beginnings need no division.
static __device__ __forceinline__ unsigned int sampled_place(unsigned int i,
                                                             unsigned long long stride) {
  return (unsigned int)(i * stride >> 32) + __umulhi(mix_bits(i), (unsigned int)(stride >> 32));
}

// The least shift with which the keys least .. greatest lie in at most `ranges` fine ranges.
static __device__ __forceinline__ int shift_for_ranges(unsigned int least, unsigned int greatest,
                                                       unsigned int ranges) {
  const unsigned int width = greatest - least;
  int shift = max(__clz((int)ranges) - __clz((int)width), 0);
  while (width >> shift >= ranges) shift++;
  return shift;
}

// A level's parts and tiles: of level 0, which has one part of `all` keys, or those listed before.
static __device__ void number_tiles(const Level &level, unsigned int all, unsigned int parts,
                                    unsigned int *warp_sums) {
  const unsigned int p = threadIdx.x;
  if (all > 0 && p == 0) {
    const Part part = {0, all};
    level.part[0] = part;
    *level.parts = 1;
  }
  const unsigned int length = p >= parts ? 0 : all > 0 ? all : level.part[p].length;
  const unsigned int tiles = length == 0 ? 0 : (length - 1) / level.tile + 1;
  const unsigned int up_to_here = block_inclusive_scan(tiles, warp_sums);
  if (p < parts) level.first_tile[p + 1] = up_to_here;
  if (p == 0) level.first_tile[0] = 0;
  __syncthreads();
}

// The borders that candidate c gives, 0 to 2 of them; candidates are sampled keys in order. A key
// that is there twice gets a fine range of its own: it is a border, and so is the next key.
template <class Candidate>
static __device__ __forceinline__ int borders_of(Candidate candidate, unsigned int c,
                                                 unsigned int candidates,
                                                 unsigned int (&border)[2]) {
  const unsigned int key = candidate(c);
  int borders = 0;
  const bool again = c > 0 && candidate(c - 1) == key;
  if (!again) border[borders++] = key;
  const unsigned int next = c + 1 < candidates ? candidate(c + 1) : key;
  const bool last = c + 1 == candidates || next != key;
  const bool free = c + 1 == candidates || next != key + 1;
  if (again && last && free && key != ~0u) border[borders++] = key + 1;
  return borders;
}

// Writes the borders to shared memory and to the level; returns their number. sampled(i): sampled
// key i in order; one of `step` is a candidate.
template <class Sampled>
static __device__ unsigned int take_borders(Sampled sampled, unsigned int wanted, unsigned int step,
                                            unsigned int *shared_border, unsigned int *border,
                                            unsigned int *warp_sums) {
  __shared__ unsigned int all;
  const auto candidate = [&](unsigned int c) { return sampled((c + 1) * step - 1); };
  const unsigned int candidates = wanted / step;
  const unsigned int each = (candidates + SPLIT_THREADS - 1) / SPLIT_THREADS;
  const unsigned int from = min(threadIdx.x * each, candidates), to = min(from + each, candidates);
  unsigned int own[2], number = 0;
  for (unsigned int c = from; c < to; c++)
    number += (unsigned int)borders_of(candidate, c, candidates, own);
  const unsigned int up_to_here = block_inclusive_scan(number, warp_sums);
  unsigned int at = up_to_here - number;
  for (unsigned int c = from; c < to; c++)
    for (int b = 0, borders = borders_of(candidate, c, candidates, own); b < borders; b++, at++)
      shared_border[at] = border[at] = own[b];
  if (threadIdx.x == SPLIT_THREADS - 1) all = up_to_here;
  __syncthreads();
  return all;
}

// Number of borders below the key.
static __device__ __forceinline__ unsigned int borders_below(const unsigned int *border,
                                                             unsigned int borders,
                                                             unsigned int key) {
  unsigned int low = 0;
  for (unsigned int length = borders; length > 0;) {
    const unsigned int half = length / 2;
    const bool below = border[low + half] < key;
    low += below ? half + 1 : 0;
    length = below ? length - half - 1 : half;
  }
  return low;
}

// all: number of keys at level 0, else 0.
template <int kItems>
static __global__ void __launch_bounds__(SPLIT_THREADS)
    split_ranges(const unsigned int *keys, Level level, unsigned int all) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  typedef SortShared<false, SPLIT_THREADS, kItems, SPLIT_BIN_BITS> Shared;
  Shared &shared = *(Shared *)shared_memory;
  wait_for_previous_kernel();
  const unsigned int parts = all > 0 ? 1 : *level.parts;
  if (blockIdx.x == 0) number_tiles(level, all, parts, shared.warp_sums);
  if (blockIdx.x >= parts) return;
  clear_for_sort(shared);
  const Part whole = {0, all}, part = all > 0 ? whole : level.part[blockIdx.x];
  const unsigned int most_sampled = min(part.length, 0u + kItems * SPLIT_THREADS);
  const unsigned int wanted =
      (unsigned int)min(sample_for(part.length, level.join), (size_t)most_sampled);
  const unsigned long long stride = ((unsigned long long)part.length << 32) / wanted;
  const auto key_at = [&](unsigned int i) { return keys[part.begin + sampled_place(i, stride)]; };
  unsigned int key[kItems] = {}, low = ~0u, high = 0;
#pragma unroll
  for (int k = 0; k < kItems; k++)
    if (threadIdx.x + k * SPLIT_THREADS < wanted) key[k] = key_at(threadIdx.x + k * SPLIT_THREADS);
#pragma unroll
  for (int k = 0; k < kItems; k++) {
    if (threadIdx.x + k * SPLIT_THREADS >= wanted) continue;
    low = min(low, key[k]);
    high = max(high, key[k]);
  }
  __syncthreads();
  find_extremes(shared, low, high);
  __syncthreads();
  const unsigned int least = shared.least, greatest = shared.greatest;
  const int shift = least == greatest ? 31 : __clz((int)(greatest - least));
  int by;
  order_group(shared, key, key_at, wanted, least, shift, &by);
  __syncthreads();

  const unsigned int most = 1u << level.fine_bits;
  const auto sampled = [&](unsigned int i) { return (shared.element[i] >> shift) + least; };
  unsigned int *const border = shared.bins.entry;  // the bins are done
  const size_t row = (size_t)blockIdx.x << level.fine_bits;
  Root root = {};
  root.borders = take_borders(sampled, wanted, (wanted + most - 1) / most, border,
                              level.border + row, shared.warp_sums);
  root.least = least;
  root.shift = shift_for_ranges(least, greatest, most);
  root.ranges = ((greatest - least) >> root.shift) + 1;
  if (threadIdx.x == 0) level.root[blockIdx.x] = root;
  for (unsigned int r = threadIdx.x; r < root.ranges; r += SPLIT_THREADS) {
    const unsigned int first =
        r == 0 ? 0 : borders_below(border, root.borders, least + (r << root.shift));
    const unsigned int behind =
        r + 1 == root.ranges ? root.borders
                             : borders_below(border, root.borders, least + ((r + 1) << root.shift));
    level.table[row + r] = first | (behind - first) << 16;
  }
}

// A kernel split_ranges<...> and the most keys that it samples of a part.
typedef struct SplitShape {
  size_t most, shared_bytes;
  void (*kernel)(const unsigned int *, Level, unsigned int);
} SplitShape;

#define SPLIT(items)                                                                       \
  {                                                                                        \
    items *SPLIT_THREADS, sizeof(SortShared<false, SPLIT_THREADS, items, SPLIT_BIN_BITS>), \
        split_ranges<items>                                                                \
  }

// For parts of `length` keys on average. Older GPUs have less shared memory.
static const SplitShape *choose_split(size_t length, unsigned int join) {
  static const SplitShape shapes[] = {SPLIT(4), SPLIT(8), SPLIT(16)};
  const SplitShape *shape = shapes;
  while (shape < shapes + 2 && shape->most < sample_for(length, join) &&
         shape[1].shared_bytes <= dynamic_shared_limit())
    shape++;
  return shape;
}

#endif
