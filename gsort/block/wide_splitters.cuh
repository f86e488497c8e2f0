// Bins between splitters of a sorted sample, for wide keys that no map makes even. Bin b has the
// codes from bound b - 1 on and below bound b:
//
//   splitters   10      25      25      40           a frequent value is several splitters
//   bounds      10      25      26      40           the last of them becomes the value + 1
//   bins    0..9  10..24    25    26..39   40..      so that the value has a bin, which is sorted
//
// A code's bin is found by a walk down a tree of the bounds, level by level in memory, so that the
// lanes of a warp meet in a bank of shared memory less often than in a sorted array. (Both ideas:
// P. Sanders and S. Winkel, "Super Scalar Sample Sort", ESA 2004.) Shared memory limits the walk,
// so the tree has words of 32 bits where these tell the bounds apart.
#ifndef GSORT_BLOCK_WIDE_SPLITTERS_CUH
#define GSORT_BLOCK_WIDE_SPLITTERS_CUH

#include "gsort/block/wide_map.cuh"

enum { MOST_WIDE_BINS = 1024 };

// The sample between two parts, of which `bins` bins are made.
typedef struct WideSample {
  const Wide *sorted;
  unsigned int count, bins;
  int levels;  // of the tree: the least with 2^levels >= bins
} WideSample;

// Node k of the tree has the children 2 k and 2 k + 1.
typedef struct WideBins {
  union {
    Wide tree[MOST_WIDE_BINS];
    unsigned int words[MOST_WIDE_BINS];
  };
  unsigned char is_one_value[MOST_WIDE_BINS];  // all codes of a bin are equal
  bool has_words;
  Wide base;  // of words
  int shift;
  // A word that is 0 below the base, and never decreases.
  __device__ __forceinline__ unsigned int word_of(Wide code) const {
    const Wide above = (code - base) >> shift;
    return code < base ? 0 : above < ~1u ? (unsigned int)above + 1 : ~0u;
  }
  // The least code with this word, which is not 0.
  __device__ __forceinline__ Wide least_of_word(unsigned int word) const {
    return base + ((Wide)(word - 1) << shift);
  }
} WideBins;

// A bin of a step: where its keys begin, and how many are still to be split or sorted, 0 if they
// are equal; the map of codes between its bounds.
typedef struct BinBetween {
  unsigned int begin, count;
  WideMap map;
} BinBetween;

static __device__ __forceinline__ Wide splitter_of(const WideSample &sample, unsigned int i) {
  return sample.sorted[(unsigned long long)sample.count * i / sample.bins];
}

// All threads of a block, after a barrier; another has to follow. bound: receives the bounds, and
// behind the last the largest code; shared memory.
[[maybe_unused]] static __device__ __noinline__ void make_bins(const WideSample &sample,
                                                               Wide *bound, WideBins &bins) {
  const unsigned int size = 1u << sample.levels, bounds = sample.bins - 1;
  for (unsigned int b = threadIdx.x; b < size; b += blockDim.x) {
    Wide value = ~0ull;
    if (b < bounds) {
      value = splitter_of(sample, b + 1);
      const bool repeated = b > 0 && splitter_of(sample, b) == value,
                 last = b + 1 == bounds || splitter_of(sample, b + 2) != value;
      if (repeated && last && value != ~0ull) value++;
    }
    bound[b] = value;
  }
  __syncthreads();
  const Wide range = bound[bounds - 1] - bound[0];
  if (threadIdx.x == 0) {
    bins.base = bound[0];
    // Words of the bounds are below 2^32 - 1, or the shift is not 0.
    bins.shift = max(range > ~0u - 2u ? 1 : 0, 32 - __clzll((long long)range));
  }
  __syncthreads();
  const bool exact = bins.shift == 0;
  bool meet = false;
  for (unsigned int b = threadIdx.x; b < bounds; b += blockDim.x)
    meet |= b > 0 && !exact && bins.word_of(bound[b]) == bins.word_of(bound[b - 1]);
  const bool words = __syncthreads_or(meet) == 0;
  if (threadIdx.x == 0) bins.has_words = words;
  // Words tell codes apart by their upper bits only, and so shall whoever reads the bounds.
  for (unsigned int b = threadIdx.x; words && b < bounds; b += blockDim.x)
    bound[b] = bins.least_of_word(bins.word_of(bound[b]));
  __syncthreads();
  for (unsigned int b = threadIdx.x; b < size; b += blockDim.x) {
    const bool one =
        b > 0 && (bound[b - 1] == ~0ull || (b < bounds && bound[b] - bound[b - 1] == 1));
    bins.is_one_value[b] = one && (exact || !words);
    if (b == 0) continue;
    const int level = 31 - __clz((int)b);
    const unsigned int at = ((2 * (b - (1u << level)) + 1) << (sample.levels - 1 - level)) - 1;
    if (words)
      bins.words[b] = at < bounds ? bins.word_of(bound[at]) : ~0u;
    else
      bins.tree[b] = bound[at];
  }
}

// The bins of the codes of a thread. Key: of the tree. Nodes are kept as bytes from its beginning.
template <class Key, int kItems>
static __device__ __forceinline__ void find_bins(const WideBins &bins, const WideSample &sample,
                                                 const Wide (&code)[kItems],
                                                 unsigned int (&bin)[kItems]) {
  constexpr unsigned int kBytes = sizeof(Key);
  Key key[kItems];
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    if constexpr (kBytes == sizeof(Wide))
      key[u] = code[u];
    else
      key[u] = bins.word_of(code[u]);
    bin[u] = kBytes;
  }
  for (int level = 0; level < sample.levels; level++)
#pragma unroll
    for (int u = 0; u < kItems; u++) {
      const Key node = *(const Key *)((const char *)bins.words + bin[u]);
      bin[u] = 2 * bin[u] + (node <= key[u] ? kBytes : 0);
    }
  const unsigned int first = 1u << sample.levels, last = sample.bins - 1;
#pragma unroll
  for (int u = 0; u < kItems; u++) bin[u] = min(bin[u] / kBytes - first, last);
}

// Index of the first code of the sample that is not less.
static __device__ __forceinline__ unsigned int lower_bound_of(const WideSample &sample, Wide code) {
  unsigned int first = 0, last = sample.count;
  while (first < last) {
    const unsigned int middle = first + (last - first) / 2;
    if (sample.sorted[middle] < code)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

#endif
