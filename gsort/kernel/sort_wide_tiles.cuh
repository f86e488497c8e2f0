// Few wide keys of any kind, with or without values: a block sorts each tile as the last step of
// sort_wide_buckets.cuh sorts a bucket, and tiles are merged in pairs. The order is that of the
// bits that count; keys and values are fetched from the input by place, so that the other bits
// travel along.
#ifndef GSORT_KERNEL_SORT_WIDE_TILES_CUH
#define GSORT_KERNEL_SORT_WIDE_TILES_CUH

#include "gsort/block/index.cuh"
#include "gsort/block/wide_bucket.cuh"
#include "gsort/kernel/wide_sample.cuh"

enum { PASS_THREADS = 256, PASS_ITEMS = 2 };

// The input and the output. values: NULL: none, or, if there are out_values, indices.
template <class Value>
struct FewPairs {
  const Wide *keys;
  const Value *values;
  unsigned int n;  // not 0
  Wide *out_keys;
  Value *out_values;
  // The element at `place` of the input comes `i`-th.
  __device__ __forceinline__ void put(unsigned int i, unsigned int place) const {
    out_keys[i] = keys[place];
    if (out_values != NULL) out_values[i] = values == NULL ? (Value)place : values[place];
  }
};

// Sorted codes, and the place of each in the input.
typedef struct CodesInOrder {
  Wide *codes;
  unsigned int *places;
} CodesInOrder;

// A tile of kThreads * kItems elements for each block. tiles: NULL if there is one tile.
template <int kThreads, int kItems, int kBinBits, class Value>
static __global__ void __launch_bounds__(kThreads)
    sort_wide_tiles(FewPairs<Value> pairs, WideBits number_of, CodesInOrder tiles) {
  typedef WideBucketShared<kThreads, kItems, kBinBits> Shared;
  extern __shared__ __align__(16) unsigned char shared_memory[];
  __shared__ Wide ends[2][MAX_WARPS];
  Shared &shared = *(Shared *)shared_memory;
  clear_counters<kThreads>(shared.bin, 1u << kBinBits);
  const unsigned int begin = blockIdx.x * Shared::kCapacity,
                     count = min(pairs.n - begin, (unsigned int)Shared::kCapacity);
  wait_for_previous_kernel();
  Wide mine[kItems], least, most;
#pragma unroll
  for (int u = 0; u < kItems; u++)
    mine[u] = number_of(pairs.keys[begin + min(threadIdx.x + u * kThreads, count - 1)]);
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
    if (tiles.codes == NULL) {
      pairs.put(i, p);
    } else {
      tiles.codes[begin + i] = shared.code[p];
      tiles.places[begin + i] = begin + p;
    }
  }
}

// Merges runs of `run` elements in pairs.
static __global__ void __launch_bounds__(PASS_THREADS)
    merge_tiles(CodesInOrder from, CodesInOrder to, unsigned int n, unsigned int run) {
  wait_for_previous_kernel();
  merge_runs_at<PASS_ITEMS>(from.codes, from.places, to.codes, to.places, n, run,
                            (unsigned int)global_index() * PASS_ITEMS);
}

// The last two runs.
template <class Value>
static __global__ void __launch_bounds__(PASS_THREADS)
    merge_last_tiles(FewPairs<Value> pairs, CodesInOrder from, unsigned int run) {
  const unsigned int at = (unsigned int)global_index() * PASS_ITEMS, n = pairs.n;
  wait_for_previous_kernel();
  if (at >= n) return;
  Wide code[PASS_ITEMS];
  unsigned int place[PASS_ITEMS];
  load_merged(from.codes, from.places, 0, run, n, at, code, place);
#pragma unroll
  for (int u = 0; u < PASS_ITEMS; u++)
    if (at + u < n) pairs.put(at + u, place[u]);
}

#endif
