// Few wide keys of any kind, with or without values: a block sorts each tile as the last step of
// sort_wide_buckets.cuh sorts a bucket, and tiles are merged in pairs. The order is that of the
// bits that count; keys and values are fetched from the input by place, so that the other bits
// travel along.
#ifndef GSORT_KERNEL_SORT_WIDE_TILES_CUH
#define GSORT_KERNEL_SORT_WIDE_TILES_CUH

#include "gsort/block/index.cuh"
#include "gsort/block/wide_bucket.cuh"
#include "gsort/kernel/rank.cuh"
#include "gsort/kernel/wide_sample.cuh"

// A tile of kThreads * kItems elements for each block. tiles: sorted codes, and the place of each
// in the input.
template <int kThreads, int kItems, int kBinBits>
static __global__ void __launch_bounds__(kThreads)
    sort_wide_tiles(const Wide *keys, unsigned int n, WideBits number_of,
                    Runs<unsigned int> tiles) {
  typedef WideBucketShared<kThreads, kItems, kBinBits> Shared;
  extern __shared__ __align__(16) unsigned char shared_memory[];
  __shared__ Wide ends[2][MAX_WARPS];
  Shared &shared = *(Shared *)shared_memory;
  clear_counters<kThreads>(shared.bin, 1u << kBinBits);
  const unsigned int begin = blockIdx.x * Shared::kCapacity,
                     count = min(n - begin, (unsigned int)Shared::kCapacity);
  wait_for_previous_kernel();
  Wide mine[kItems], least, most;
#pragma unroll
  for (int u = 0; u < kItems; u++)
    mine[u] = number_of(keys[begin + min(threadIdx.x + u * kThreads, count - 1)]);
  find_ends(mine, &least, &most, ends);
  WideMap map;
  unsigned int word[kItems];
  bool by_value = number_of.code.negative != 0 && number_of.mask == ~0ull &&
                  make_by_value(number_of.code, least, most, &map);
  if (by_value) {
    // If most values lie at one end of their range, their codes may be spread more evenly.
    find_words<BY_VALUE>(map, mine, 0, word);
    by_value = __syncthreads_count(word[0] + (1u << 28) < 1u << 29) < kThreads / 2;
  }
  if (!by_value) {
    make_affine(least, least < most ? most : least + 1, &map);
    find_words<AFFINE>(map, mine, 0, word);
  }
  // As pairs: equal keys stay in their order.
  sort_codes<unsigned int>(shared, mine, word, count,
                           !by_value && map.up >= 32 + Shared::kPlaceBits);
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int i = threadIdx.x + u * kThreads;
    if (i >= count) continue;
    const unsigned int p = shared.word[i] & Shared::kPlaces;
    tiles.put(begin + i, shared.code[p], begin + p);
  }
}

// Merges runs of `run` elements in pairs. to: Runs, or, for the last two, PlacesByIndex.
template <int kItems, class Output>
static __global__ void __launch_bounds__(MERGE_THREADS, MERGE_BLOCKS)
    merge_tiles(Runs<unsigned int> from, Output to, unsigned int n, unsigned int run) {
  constexpr unsigned int kPart = MERGE_THREADS * kItems;
  __shared__ Wide codes[kPart];
  __shared__ unsigned int places[kPart];
  wait_for_previous_kernel();
  merge_part<MERGE_THREADS, kItems>(Runs<unsigned int>{codes, places}, from, n, run,
                                    blockIdx.x * kPart, to);
}

#endif
