// A block per bucket of wide keys between splitters, where it lies, with its values: as
// sort_wide_buckets.cuh, by a map of the bucket's own, or, where this does not spread them, by
// merging. A bucket that is too large for a block, which is rare, is merged in global memory.
#ifndef GSORT_KERNEL_SORT_WIDE_IN_PLACE_CUH
#define GSORT_KERNEL_SORT_WIDE_IN_PLACE_CUH

#include <type_traits>

#include "gsort/block/findings.cuh"
#include "gsort/block/overlap.cuh"
#include "gsort/block/wide_bucket.cuh"
#include "gsort/block/wide_splitters.cuh"

// Shared memory of a block. Value: None for bare keys.
template <int kThreads, int kItems, int kBinBits, class Value>
using InPlaceShared =
    std::conditional_t<IS_NONE<Value>, WideBucketShared<kThreads, kItems, kBinBits>,
                       WidePairShared<kThreads, kItems, kBinBits, Value>>;

// A bucket of at most kThreads * kFew elements. shared.bin is 0 before, without a barrier.
template <int kFew, class Value, class Shared>
static __device__ __forceinline__ void sort_small_bucket(Shared &shared, const BinBetween &bucket,
                                                         Wide *keys, Value *values, WideCode code) {
  const Wide *const my_keys = opaque_address(keys + bucket.begin + threadIdx.x);
  [[maybe_unused]] const Value *const my_values =
      opaque_address(values + bucket.begin + threadIdx.x);
  Wide mine[kFew] = {};
  [[maybe_unused]] Value value[kFew] = {};
#pragma unroll
  for (int u = 0; u < kFew; u++) {
    if (threadIdx.x + u * Shared::kThreads >= bucket.count) continue;
    mine[u] = __ldcs(&my_keys[u * Shared::kThreads]);
    if constexpr (!IS_NONE<Value>) value[u] = __ldcs(&my_values[u * Shared::kThreads]);
  }
  if constexpr (!IS_NONE<Value>) put_values<Shared::kThreads>(shared, value, bucket.count);
  __syncthreads();
  // All codes lie between the ends of the map, so that it tells few codes apart.
  const bool exact = bucket.map.up >= 32 + Shared::kPlaceBits;
  unsigned int word[kFew];
  find_words<AFFINE>(bucket.map, mine, 0, word);
  sort_codes<Value>(shared, mine, word, bucket.count, exact);
  write_sorted_bucket<kFew>(shared, bucket.count, keys, values, bucket.begin, code);
}

// One that a block has not enough memory for. spare: memory for as many elements as the output has.
template <int kItems, class Value, class Shared>
static __device__ __noinline__ void sort_large_bucket(Shared &shared, const BinBetween bucket,
                                                      Wide *keys, Value *values, Wide *spare,
                                                      Value *spare_values, WideCode code) {
  constexpr unsigned int kRun = Shared::kThreads * kItems;
  BinBetween run = bucket;
  for (unsigned int done = 0; done < bucket.count; done += kRun) {
    run.begin = bucket.begin + done;
    run.count = min(kRun, bucket.count - done);
    clear_counters<Shared::kThreads>(shared.bin, 1u << Shared::kBinBits);
    sort_small_bucket<kItems>(shared, run, keys, values, {0, 0});
    __syncthreads();
  }
  Runs<Value> tile = {shared.code, NULL}, from = {keys + bucket.begin, values + bucket.begin},
              to = {spare + bucket.begin, spare_values + bucket.begin};
  if constexpr (!IS_NONE<Value>) tile.values = shared.value;
  for (unsigned int length = kRun; length < bucket.count; length *= 2) {
    for (unsigned int at = 0; at < bucket.count; at += kRun) {
      merge_part<Shared::kThreads, kItems>(tile, from, bucket.count, length, at, to);
      __syncthreads();
    }
    const Runs<Value> merged = to;
    to = from;
    from = merged;
  }
  for (unsigned int i = threadIdx.x; i < bucket.count; i += Shared::kThreads) {
    keys[bucket.begin + i] = decode(code, from.codes[i]);
    if constexpr (!IS_NONE<Value>) values[bucket.begin + i] = from.values[i];
  }
}

// Most buckets have at most kFew elements of a thread. A block sorts every gridDim.x-th of them: a
// block for each costs more than the sort if the keys turn out to be sorted already.
template <int kThreads, int kFew, int kItems, int kBinBits, int kBlocksPerSm, class Value>
static __global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    sort_wide_in_place(const BinBetween *buckets, unsigned int count, Wide *keys, Value *values,
                       Wide *spare, Value *spare_values, WideCode code, const Findings *findings) {
  typedef InPlaceShared<kThreads, kItems, kBinBits, Value> Shared;
  extern __shared__ __align__(16) unsigned char shared_memory[];
  Shared &shared = *(Shared *)shared_memory;
  wait_for_previous_kernel();
  if (findings->stop != 0) return;
  for (unsigned int number = blockIdx.x; number < count; number += gridDim.x) {
    const BinBetween bucket = buckets[number];
    if (bucket.count == 0) continue;
    clear_counters<Shared::kThreads>(shared.bin, 1u << Shared::kBinBits);
    if (bucket.count <= kThreads * kFew)
      sort_small_bucket<kFew>(shared, bucket, keys, values, code);
    else if (bucket.count <= Shared::kCapacity)
      sort_small_bucket<kItems>(shared, bucket, keys, values, code);
    else
      sort_large_bucket<kItems>(shared, bucket, keys, values, spare, spare_values, code);
    __syncthreads();
  }
}

#endif
