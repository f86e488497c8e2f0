// Splitters from a sample, for keys that may be spread in any way, such as the scores of an image:
// every bucket gets about as many pairs, whatever the keys are. Else as block/run_index.cuh: the
// digit of a tile's sort is the number of splitters <= key.
//
// Source: W. D. Frazer and A. C. McKellar, "Samplesort", Journal of the ACM 17(3), 1970.
#ifndef GSORT_KERNEL_SPLITTERS_CUH
#define GSORT_KERNEL_SPLITTERS_CUH

#include "gsort/block/overlap.cuh"
#include "gsort/block/run_index.cuh"
#include "gsort/block/run_tile.cuh"
#include "gsort/block/sample.cuh"
#include "gsort/kernel/rank.cuh"

// Sampled keys of a bucket. One bucket in some 10^4 then has more than 2.3 times its share.
enum { SAMPLES_EACH = 16 };

// Device memory: the sorted sample, and every SAMPLES_EACH-th key of it once more, side by side, as
// many blocks read them all.
template <class Key>
struct Splitters {
  const Key *key;     // [buckets]
  const Key *sorted;  // [SAMPLES_EACH * buckets]
  unsigned int buckets;

  // The least key of bucket j; 0 for j == buckets stands for one more than the largest key. Usually
  // it is splitter j. A key s that is frequent in the sample moves it:
  //
  //   s is two splitters or more: the first is s, the next is s + 1. Bucket s .. s holds keys s
  //     alone, and may have any size. The buckets of the further splitters s are empty.
  //   s is one splitter, and so are the half bucket of samples before it and the half behind it:
  //     likewise, s, and the next splitter becomes s + 1.
  //   s is one splitter, and only the half before it equals s: s + 1. The keys s go to the bucket
  //     before, as with them this one would get nearly twice its share.
  __device__ __forceinline__ Key edge(unsigned int j) const {
    if (j == 0 || j == buckets) return 0;
    const Key before = key[j - 1], here = key[j], next = j + 1 < buckets ? key[j + 1] : ~here;
    if (j < 2 || before == ~(Key)0) return here;
    if (before == here || (here != next && runs_back(j - 1) && runs_on(j - 1))) return before + 1;
    return here + (runs_back(j) && !runs_on(j));
  }

 private:
  __device__ __forceinline__ bool runs_back(unsigned int j) const {
    return sorted[SAMPLES_EACH * j - SAMPLES_EACH / 2] == key[j];
  }
  __device__ __forceinline__ bool runs_on(unsigned int j) const {
    return sorted[SAMPLES_EACH * j + SAMPLES_EACH / 2] == key[j];
  }
};

// First step: a sample of the keys is sorted, each of them by counting the
// smaller ones (rank.cuh), and every SAMPLES_EACH-th key of it is a splitter.
//
//   sample, 2 for each bucket   30 10 70 20 50 60    sorted 10 20 30 50 60 70
//   splitters                   10 30 60             buckets < 30, 30 .. 59, >= 60
//
// Moves some 16 KB. Splitters as where a sorted sample goes.
template <class Key>
struct SplitterPlaces {
  Key *key, *sorted;
  __device__ __forceinline__ void put(unsigned int place, Key sampled, unsigned int) const {
    sorted[place] = sampled;
    if (place % SAMPLES_EACH == 0) key[place / SAMPLES_EACH] = sampled;
  }
};

// The sample: the code of a key of each of `samples` parts of the input.
template <class Key, class NumberOf>
struct SampleOf {
  const Key *keys;
  unsigned int n, samples;
  NumberOf number_of;
  __device__ __forceinline__ Key key(unsigned int j) const {
    const unsigned int begin = (unsigned int)((unsigned long long)j * n / samples);
    return number_of(keys[begin + __umulhi(scramble(j), n / samples)]);
  }
  __device__ __forceinline__ unsigned int value(unsigned int) const { return 0; }
};

// Ranks a sample of kRows * RANK_THREADS keys, kOwn of them in each block.
template <int kRows, int kOwn, class Key, class NumberOf>
static __global__ void __launch_bounds__(RANK_THREADS)
    sample_splitters(const Key *keys, unsigned int n, NumberOf number_of, SplitterPlaces<Key> out,
                     Findings *findings) {
  constexpr unsigned int kSamples = kRows * RANK_THREADS;
  __shared__ RankShared<kOwn, Key> shared;
  if (blockIdx.x == 0) clear_findings(findings);
  rank_and_move<kRows, kOwn, false>(shared, SampleOf<Key, NumberOf>{keys, n, kSamples, number_of},
                                    out, kSamples);
}

// Second step: as sort_tiles() (kernel/runs.cuh), with the number of splitters <= key as a key's
// digit, which a tree of them finds.
//
//   splitters 30 60      tile  (70 a) (20 b) (30 c) (25 d)    digits 2 0 1 0
//                        sorted (20 b) (25 d) (30 c) (70 a)
//
// Moves 16 bytes a pair, 12 a bare key.
template <int kThreads, int kItems, int kBits, class Key>
struct SplitTileShared {
  TileShared<kThreads, kItems, kBits> tile;
  Key tree[1 << kBits];  // splitters: node i has the children 2 i and 2 i + 1
};

// A tree of splitters, for all threads of a block; a barrier has to follow.
template <int kBits, class Key>
static __device__ __forceinline__ void fill_tree(Key *tree, const Splitters<Key> &splitters) {
  for (unsigned int node = threadIdx.x; node < 1u << kBits; node += blockDim.x) {
    if (node == 0) continue;
    const int depth = 31 - __clz((int)node);
    tree[node] = splitters.edge((2 * (node - (1u << depth)) + 1) << (kBits - 1 - depth));
  }
}

enum { SEARCH_BATCH = 4 };  // searches of a thread under way at a time

// bucket[q]: the number of splitters <= key_at(q).
template <int kBits, class Key, class KeyAt>
static __device__ __forceinline__ void search_tree(const Key *tree, KeyAt key_at,
                                                   unsigned int (&bucket)[SEARCH_BATCH]) {
#pragma unroll
  for (int q = 0; q < SEARCH_BATCH; q++) bucket[q] = 1;
#pragma unroll
  for (int level = 0; level < kBits; level++)
#pragma unroll
    for (int q = 0; q < SEARCH_BATCH; q++)
      bucket[q] = 2 * bucket[q] + (tree[bucket[q]] <= key_at(q));
#pragma unroll
  for (int q = 0; q < SEARCH_BATCH; q++) bucket[q] -= 1u << kBits;
}

// Two digits in a register, by item.
template <int kItems>
struct KeptDigits {
  unsigned int two[kItems / 2];
  __device__ __forceinline__ unsigned int operator()(unsigned int, int u) const {
    return u % 2 == 0 ? two[u / 2] & 0xffffu : two[u / 2] >> 16;
  }
};

template <int kBits>
struct SplitDigits {
  unsigned int *tree;  // in shared memory
  Splitters<unsigned int> splitters;

  static constexpr bool kMayBeSampled = false;
  __device__ __forceinline__ void prepare(void) const {
    wait_for_previous_kernel();
    fill_tree<kBits>(tree, splitters);
    __syncthreads();
  }

  template <int kItems>
  __device__ __forceinline__ KeptDigits<kItems> of(const PairItems<kItems> &item) const {
    KeptDigits<kItems> digits;
#pragma unroll
    for (int first = 0; first < kItems; first += SEARCH_BATCH) {
      compiler_fence();
      unsigned int bucket[SEARCH_BATCH];
      search_tree<kBits>(
          tree, [&](int q) { return item.key[first + q]; }, bucket);
#pragma unroll
      for (int q = 0; q < SEARCH_BATCH; q += 2)
        digits.two[(first + q) / 2] = bucket[q] | bucket[q + 1] << 16;
    }
    return digits;
  }
};

template <int kThreads, int kItems, int kBits, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    split_tiles(Elements in, RunState state, Splitters<unsigned int> splitters) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  auto &shared = *(SplitTileShared<kThreads, kItems, kBits, unsigned int> *)shared_memory;
  sort_tiles_of_block(shared.tile, in, state, SplitDigits<kBits>{shared.tree, splitters});
}

// Third step: a block gathers the runs of its bucket, as gather_runs() does, and sorts them. Its
// keys lie between two splitters, so that bins are ranges of keys. Equal keys between two equal
// splitters are only copied.
//
//   splitters 30 30 60   bucket 1: 30 alone, copied     bucket 2: 31 .. 59, in bins of 8 from 31 on
//
// Moves 16 bytes a pair, 12 a bare key.
//
// A block's part of the work: of bucket number `bucket`, `part` of `parts`. A bucket of equal keys
// is in order already. The blocks of the empty buckets beside it help to copy it: the more keys
// it has, the more of them there are.
typedef struct Share {
  unsigned int bucket, part, parts;
  bool equal;
} Share;

// For all threads of a block, which has the bucket of its number; barriers inside, but not always.
template <class Key>
static __device__ __forceinline__ Share share_of_block(const Splitters<Key> &splitters) {
  const unsigned int b = blockIdx.x, buckets = splitters.buckets;
  const Key *const key = splitters.key;
  const bool equal = splitters.edge(b + 1) - splitters.edge(b) == 1;
  const Share alone = {b, 0, 1, equal};
  if (b == 0 || ((b == 1 || key[b - 1] != key[b]) && (b == buckets - 1 || key[b + 1] != key[b])))
    return alone;
  unsigned int first = 1, same = 0;  // splitters that equal mine: the first one, and how many
  for (unsigned int base = 1; base < buckets; base += blockDim.x) {
    const unsigned int j = base + threadIdx.x;
    const Key other = j < buckets ? key[j] : 0;
    first += (unsigned int)__syncthreads_count(j < buckets && other < key[b]);
    same += (unsigned int)__syncthreads_count(j < buckets && other == key[b]);
  }
  if (key[b] == ~(Key)0) return {buckets - 1, b - first, same, true};  // those before it are empty
  if (b == first + same - 1) return alone;
  return {first, b - first, same - 1, true};
}

// Elements have 32 bits: what of a number is not a bin's, above the place in the bucket.
static __host__ __device__ constexpr int number_bits(int capacity, int bin_bits) {
  const int more = bits_to_count(capacity) - bin_bits;
  return 32 - (more > 0 ? more : 0);
}

// How keys spread over the bins: each of up to two ranges linearly over a half of them. Only the
// first and the last bucket have two, as no splitter bounds them: what lies beyond the sample
// may be far away.
typedef struct BinMap {
  unsigned int begin[2], half[2];  // first key and first number of each range
  int shift[2];
  int drop;     // low bits of a number that are left out
  bool coarse;  // different keys may have the same number
} BinMap;

static __device__ __forceinline__ int shift_for(unsigned int low, unsigned int high) {
  return high <= low ? 0 : __clz((int)(high - low));
}

// smallest, largest: of the bucket's keys. Numbers have `bits` bits.
static __device__ BinMap make_bin_map(unsigned int smallest, unsigned int largest,
                                      const Splitters<unsigned int> &splitters, int bits) {
  unsigned int middle = smallest;  // first key of the second range
  if (blockIdx.x == 0) middle = splitters.sorted[0];
  if (blockIdx.x == splitters.buckets - 1)
    middle = splitters.sorted[SAMPLES_EACH * splitters.buckets - 1];
  const bool two = smallest < middle && middle <= largest;
  const unsigned int end = two ? middle : largest, half = two ? 1u << (bits - 1) : 0;
  BinMap map = {{smallest, two ? middle : smallest}, {0, half}, {}, 32 - bits + two, false};
  map.shift[0] = shift_for(smallest, end);
  map.shift[1] = two ? shift_for(middle, largest) : map.shift[0];
  map.coarse = (map.shift[0] < map.drop && end - smallest > 1) ||
               (map.shift[1] < map.drop && two && largest - middle > 1);
  return map;
}

// Grows with the key.
static __device__ __forceinline__ unsigned int map_to_bins(const BinMap &map, unsigned int key) {
  const bool second = key >= map.begin[1];
  const unsigned int begin = second ? map.begin[1] : map.begin[0];
  const int shift = second ? map.shift[1] : map.shift[0];
  return (second ? map.half[1] : map.half[0]) | ((key - begin) << shift) >> map.drop;
}

// The calling block's share of a bucket of equal keys, of any size: put(i, value) with the values
// of its pairs in the order of the tiles, or with 0 if it does not need them. end, shift:
// [MOST_TILES] of shared memory; kEach: of RunsOfThread.
template <int kThreads, class Put>
static __device__ void copy_equal(const RunState &state, const RunsOfThread<kThreads> &mine,
                                  Share share, BucketPlace place, bool needs_values,
                                  unsigned int *end, unsigned int *shift, unsigned int *warp_sums,
                                  Put put) {
  unsigned int sum = 0;
#pragma unroll
  for (int e = 0; e < mine.kEach; e++) sum += mine.run[e].count;
  unsigned int before = block_inclusive_scan_one_barrier(sum, warp_sums) - sum;
#pragma unroll
  for (int e = 0; e < mine.kEach; e++) {
    const unsigned int tile = threadIdx.x * mine.kEach + e;
    if (tile >= state.tiles) continue;
    shift[tile] = tile * state.tile + mine.run[e].begin - before;
    before += mine.run[e].count;
    end[tile] = before;
  }
  __syncthreads();
  const unsigned long long count = place.count;
  const unsigned int behind = (unsigned int)(count * (share.part + 1) / share.parts);
#pragma unroll 4
  for (unsigned int p = (unsigned int)(count * share.part / share.parts) + threadIdx.x; p < behind;
       p += kThreads) {
    unsigned int tile = 0;  // the first that ends behind p
    if (needs_values)
#pragma unroll
      for (unsigned int step = 512; step > 0; step /= 2)
        if (tile + step <= state.tiles && end[tile + step - 1] <= p) tile += step;
    put(place.to + p, needs_values ? state.pairs[p + shift[tile]].y : 0);
  }
}

// Adds the calling thread's smallest and largest key to the block's. All threads call it.
static __device__ __forceinline__ void add_to_range(unsigned int low, unsigned int high,
                                                    unsigned int *smallest, unsigned int *largest) {
  low = warp_min(low);
  high = ~warp_min(~high);
  if (threadIdx.x % WARP_SIZE != 0) return;
  atomicMin(smallest, low);
  atomicMax(largest, high);
}

template <int kThreads, int kItems, int kBinBits, class Index>
static __device__ __forceinline__ void sort_split_bucket(
    PairBlockShared<kThreads, kItems, kBinBits, FETCHED> &shared, Index &index,
    const RunState &state, const RunsOfThread<kThreads> &mine, BucketPlace place,
    const Splitters<unsigned int> &splitters, Elements out, unsigned int *smallest,
    unsigned int *largest) {
  constexpr int kPlaceBits = bits_to_count(kThreads * kItems);
  constexpr int kNumberBits = number_bits(kThreads * kItems, kBinBits);
  constexpr unsigned int kPlaces = (1u << kPlaceBits) - 1;
  const unsigned int lead = place.to % WARP_SIZE, behind = lead + place.count;
  const int left = (int)behind - (int)threadIdx.x, ahead = (int)lead - (int)threadIdx.x;
  index.fill(state, mine, lead);
  __syncthreads();
  unsigned int key[kItems] = {}, low = ~0u, high = 0;
#pragma unroll
  for (int u = 0; u < kItems; u++)
    if (left > u * kThreads && (u > 0 || ahead <= 0)) {
      const unsigned int p = threadIdx.x + u * kThreads;
      const uint2 pair = __ldcs(&state.pairs[index.at(p)]);
      key[u] = pair.x;
      shared.value[p] = pair.y;
      low = min(low, pair.x);
      high = max(high, pair.x);
    }
  add_to_range(low, high, smallest, largest);
  __syncthreads();
  const BinMap map = make_bin_map(*smallest, *largest, splitters, kNumberBits);
  unsigned int number[kItems];
#pragma unroll
  for (int u = 0; u < kItems; u++) number[u] = map_to_bins(map, key[u]);
  const Digit digit = {kNumberBits - kBinBits, (1u << kBinBits) - 1, 0, 0};
  order_places<8, false>(shared, number, key, lead, behind, digit, 32, map.coarse);
#pragma unroll
  for (int u = 0; u < kItems; u++)
    if (left > u * kThreads && (u > 0 || ahead <= 0)) {
      const unsigned int p = threadIdx.x + u * kThreads, to = place.to - lead + p;
      const unsigned int index_of = shared.element[p - lead] & kPlaces;
      const unsigned int sorted = shared.key[index_of];
      out.keys[to] = is_plain(state.code) ? sorted : decode(state.code, sorted);
      if (out.values != NULL) out.values[to] = shared.value[index_of];
    }
}

template <int kThreads, int kItems, int kBinBits, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    sort_between_splitters(Elements out, RunState state, Splitters<unsigned int> splitters) {
  typedef PairBlockShared<kThreads, kItems, kBinBits, FETCHED> Shared;
  typedef RunIndex<kThreads, Shared::kCapacity> Index;
  extern __shared__ __align__(16) unsigned int shared_memory[];
  __shared__ unsigned int smallest, largest;
  __shared__ bool stopped;
  Shared &shared = *(Shared *)shared_memory;
  static_assert(sizeof(Index) <= sizeof shared.element, "the index lies where elements will be");
  static_assert(MOST_TILES <= Shared::kCapacity, "so do the tiles of equal keys");
  Index &index = *(Index *)shared.element;
  prepare_block(shared);
  index.clear();
  if (threadIdx.x == 0) {
    smallest = ~0u;
    largest = 0;
  }
  wait_for_previous_kernel();
  const Share share = share_of_block(splitters);
  if (threadIdx.x == 0) stopped = is_stopped(state);
  RunsOfThread<kThreads> mine;
  const BucketPlace place = find_runs(state, share.bucket, mine, index.sums);
  const bool useless = stopped, fits = place.count <= Shared::kCapacity - MOST_LEAD;
  if (threadIdx.x == 0) tell_of_bucket(state, !fits && !share.equal);
  if (useless || place.count == 0) return;
  if (share.equal) {
    const unsigned int key = decode(state.code, splitters.edge(share.bucket));
    copy_equal<kThreads>(state, mine, share, place, out.values != NULL, shared.key, shared.value,
                         shared.warp_sums, [&](unsigned int i, unsigned int value) {
                           out.keys[i] = key;
                           if (out.values != NULL) out.values[i] = value;
                         });
  } else if (fits) {
    sort_split_bucket(shared, index, state, mine, place, splitters, out, &smallest, &largest);
  }
}

#endif
