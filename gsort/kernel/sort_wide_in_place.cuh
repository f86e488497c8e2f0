// A block per bucket of wide keys between splitters, where it lies: as sort_wide_buckets.cuh, by
// a map of the bucket's own, or, where this does not spread them, by merging. A bucket that is too
// large for a block, which is rare, is merged in global memory.
#ifndef GSORT_KERNEL_SORT_WIDE_IN_PLACE_CUH
#define GSORT_KERNEL_SORT_WIDE_IN_PLACE_CUH

#include "gsort/block/wide_merge.cuh"
#include "gsort/block/wide_splitters.cuh"
#include "gsort/kernel/sort_wide_buckets.cuh"

// Crowded bins: the codes by themselves.
template <int kItems>
struct ByMerging {
  static constexpr bool kAnyOrderOfEqual = true;
  template <class Shared>
  __device__ __forceinline__ void operator()(Shared &shared, unsigned int count) const {
    merge_sort_codes<Shared::kThreads, kItems>(shared.code, count);
    for (unsigned int p = threadIdx.x; p < count; p += Shared::kThreads) shared.word[p] = p;
    __syncthreads();
  }
};

// One that a block has not enough memory for.
template <int kThreads, int kItems, int kBinBits>
static __device__ __noinline__ void sort_large_bucket(
    WideBucketShared<kThreads, kItems, kBinBits> &shared, Wide *codes, Wide *spare,
    unsigned int count, WideCode code) {
  constexpr unsigned int kRun = kThreads * kItems;
  for (unsigned int begin = 0; begin < count; begin += kRun) {
    const unsigned int valid = min(kRun, count - begin);
    for (unsigned int i = threadIdx.x; i < valid; i += kThreads) shared.code[i] = codes[begin + i];
    __syncthreads();
    merge_sort_codes<kThreads, kItems>(shared.code, valid);
    for (unsigned int i = threadIdx.x; i < valid; i += kThreads) codes[begin + i] = shared.code[i];
    __syncthreads();
  }
  const Wide *const sorted = merge_runs<kThreads, kItems>(codes, spare, count, kRun);
  for (unsigned int i = threadIdx.x; i < count; i += kThreads) codes[i] = decode(code, sorted[i]);
}

// A bucket of at most kThreads * kFew codes. shared.bin is 0 before, without a barrier.
template <int kFew, int kThreads, int kItems, int kBinBits>
static __device__ __forceinline__ void sort_small_bucket(
    WideBucketShared<kThreads, kItems, kBinBits> &shared, const BinBetween &bucket, Wide *out,
    WideCode code) {
  Wide mine[kFew];
#pragma unroll
  for (int u = 0; u < kFew; u++) {
    const unsigned int p = threadIdx.x + u * kThreads;
    if (p < bucket.count) mine[u] = __ldcs(&out[(size_t)bucket.begin + p]);
  }
  __syncthreads();
  sort_codes<AFFINE, kThreads>(shared, mine, bucket.count, bucket.map, 0, ByMerging<kFew>());
  write_sorted_codes(shared, bucket.count, out, bucket.begin, code);
}

// spare: memory for as many codes as the output has. Most buckets have at most kFew codes of a
// thread.
template <int kThreads, int kFew, int kItems, int kBinBits, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    sort_wide_in_place(const BinBetween *buckets, Wide *out, Wide *spare, WideCode code,
                       const Findings *findings) {
  typedef WideBucketShared<kThreads, kItems, kBinBits> Shared;
  extern __shared__ __align__(16) unsigned char shared_memory[];
  Shared &shared = *(Shared *)shared_memory;
  for (unsigned int b = threadIdx.x; b < 1u << kBinBits; b += kThreads) shared.bin[b] = 0;
  wait_for_previous_kernel();
  const BinBetween bucket = buckets[blockIdx.x];
  const unsigned int stop = *(const volatile unsigned int *)&findings->stop;
  if (bucket.count == 0 || stop != 0) return;
  if (bucket.count <= kThreads * kFew)
    sort_small_bucket<kFew>(shared, bucket, out, code);
  else if (bucket.count <= Shared::kCapacity)
    sort_small_bucket<kItems>(shared, bucket, out, code);
  else
    sort_large_bucket(shared, out + bucket.begin, spare + bucket.begin, bucket.count, code);
}

#endif
