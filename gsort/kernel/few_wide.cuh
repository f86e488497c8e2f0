// Few wide keys of any kind, with or without values, between splitters (kernel/splitters.cuh). The
// order is that of the bits that count. Tiles are sorted by bucket, but hold only the bucket and
// the index of each element; a block then fetches the keys of its bucket from the input, where they
// are in the L2 cache, and sorts them as sort_wide_buckets.cuh does. Keys and values of the output
// are fetched in the same way, so that the other bits travel along.
//
//   splitters 30 60    tile  70 20 30 25    as bucket, index   2 0 | 0 1 | 1 2 | 0 3
//                                           sorted             0 1 | 0 3 | 1 2 | 2 0
#ifndef GSORT_KERNEL_FEW_WIDE_CUH
#define GSORT_KERNEL_FEW_WIDE_CUH

#include "gsort/block/wide_bucket.cuh"
#include "gsort/kernel/splitters.cuh"

// Where sort_tiles_of_block() has its elements from. tree: 2^kBits splitters, in shared memory.
template <int kBits>
struct WideTiles {
  const Wide *keys;
  WideBits number_of;
  const Wide *tree;
};

// As load_pairs() of pair_tile.cuh. Behind the input there are elements of the last bucket.
template <int kThreads, int kItems, int kBits>
static __device__ __forceinline__ void load_pairs(const WideTiles<kBits> &in, TileSpan span,
                                                  unsigned int, PairItems<kItems> &item) {
  const unsigned int first = first_item<kItems>(), last = span.valid - 1;
  Wide number[kItems];
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    item.value[u] = span.begin + first + u * WARP_SIZE;
    number[u] = in.number_of(in.keys[span.begin + min(first + u * WARP_SIZE, last)]);
  }
#pragma unroll
  for (int u = 0; u < kItems; u += SEARCH_BATCH) {
    unsigned int bucket[SEARCH_BATCH];
    search_tree<kBits>(
        in.tree, [&](int q) { return number[u + q]; }, bucket);
#pragma unroll
    for (int q = 0; q < SEARCH_BATCH; q++)
      item.key[u + q] = first + (u + q) * WARP_SIZE <= last ? bucket[q] : (1u << kBits) - 1;
  }
}

template <unsigned int kTile, int kBits>
static __device__ __forceinline__ void prefetch_pairs(const WideTiles<kBits> &, TileSpan) {}

// An element's digit is its key: the bucket.
struct BucketDigits {
  static constexpr bool kMayBeSampled = false;
  __device__ __forceinline__ void prepare(void) const {}
  template <int kItems>
  __device__ __forceinline__ auto of(const PairItems<kItems> &) const {
    return [](unsigned int bucket, int) { return bucket; };
  }
};

template <int kThreads, int kItems, int kBits, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    split_few_wide(const Wide *keys, WideBits number_of, RunState state,
                   Splitters<Wide> splitters) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  auto &shared = *(SplitTileShared<kThreads, kItems, kBits, Wide> *)shared_memory;
  wait_for_previous_kernel();
  fill_tree<kBits>(shared.tree, splitters);
  __syncthreads();
  sort_tiles_of_block(shared.tile, WideTiles<kBits>{keys, number_of, shared.tree}, state,
                      BucketDigits());
}

// A block gathers the elements of its bucket, and sorts them. ends: shared memory.
template <int kItems, class Shared, class Index, class Value>
static __device__ __forceinline__ void sort_wide_bucket(Shared &shared, const Index &index,
                                                        const RunState &state, BucketPlace place,
                                                        const PlacesByIndex<Wide, Value> &places,
                                                        const WideBits &number_of,
                                                        Wide (*ends)[MAX_WARPS]) {
  constexpr int kThreads = Shared::kThreads;
  unsigned int element[kItems], word[kItems];
  Wide number[kItems], least, most;
#pragma unroll
  for (int u = 0; u < kItems; u++)
    element[u] = state.pairs[index.at(min(threadIdx.x + u * kThreads, place.count - 1))].y;
#pragma unroll
  for (int u = 0; u < kItems; u++) number[u] = number_of(places.keys[element[u]]);
  put_values<kThreads>(shared, element, place.count);
  find_ends(number, &least, &most, ends);
  WideMap map;
  make_affine(least, least < most ? most : least + 1, &map);
  find_words<AFFINE>(map, number, 0, word);
  sort_codes<unsigned int>(shared, number, word, place.count, map.up >= 32 + Shared::kPlaceBits);
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int i = threadIdx.x + u * kThreads;
    if (i < place.count)
      places.put(place.to + i, 0, shared.value[shared.word[i] & Shared::kPlaces]);
  }
}

// Most buckets have at most kFew elements of a thread.
template <int kThreads, int kFew, int kItems, int kBinBits, int kBlocksPerSm, class Value>
static __global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    sort_few_wide(PlacesByIndex<Wide, Value> places, WideBits number_of, RunState state,
                  Splitters<Wide> splitters) {
  typedef WidePairShared<kThreads, kItems, kBinBits, unsigned int> Shared;
  typedef RunIndex<kThreads, Shared::kCapacity> Index;
  extern __shared__ __align__(16) unsigned int shared_memory[];
  __shared__ Wide ends[2][MAX_WARPS];
  __shared__ bool stopped;
  Shared &shared = *(Shared *)shared_memory;
  static_assert(sizeof(Index) <= sizeof shared.word, "the index lies where words will be");
  static_assert(MOST_TILES <= Shared::kCapacity, "the tiles of equal keys need as much memory");
  Index &index = *(Index *)shared.word;
  clear_counters<kThreads>(shared.bin, 1u << kBinBits);
  index.clear();
  wait_for_previous_kernel();
  const Share share = share_of_block(splitters);
  if (threadIdx.x == 0) stopped = is_stopped(state);
  RunsOfThread<kThreads> mine;
  const BucketPlace place = find_runs(state, share.bucket, mine, index.sums);
  const bool useless = stopped, fits = place.count <= Shared::kCapacity;
  if (threadIdx.x == 0) tell_of_bucket(state, !fits && !share.equal);
  if (useless || place.count == 0) return;
  if (share.equal) {
    copy_equal<kThreads>(state, mine, share, place, true, (unsigned int *)shared.code, shared.value,
                         shared.sums,
                         [&](unsigned int i, unsigned int element) { places.put(i, 0, element); });
  } else if (fits) {
    index.fill(state, mine, 0);
    __syncthreads();
    if (place.count <= kThreads * kFew)
      sort_wide_bucket<kFew>(shared, index, state, place, places, number_of, ends);
    else
      sort_wide_bucket<kItems>(shared, index, state, place, places, number_of, ends);
  }
}

#endif
