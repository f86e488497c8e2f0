// A merge sort of wide codes by a block, for codes that no map spreads over bins: each thread sorts
// a few in registers, and runs are merged in pairs by merge path (S. Odeh et al., "Merge Path",
// 2012).
#ifndef GSORT_BLOCK_WIDE_MERGE_CUH
#define GSORT_BLOCK_WIDE_MERGE_CUH

#include "gsort/block/key_code.cuh"
#include "gsort/warp/small_sorts.cuh"

// Merges two runs, codes[first..middle) and codes[middle..end), as far as one thread has to: the
// kItems codes from index `at` on.
template <int kItems>
static __device__ __forceinline__ void merge_items(const Wide *codes, unsigned int first,
                                                   unsigned int middle, unsigned int end,
                                                   unsigned int at, Wide (&merged)[kItems]) {
  const unsigned int diagonal = at - first, in_a = middle - first, in_b = end - middle;
  unsigned int low = diagonal > in_b ? diagonal - in_b : 0, high = min(diagonal, in_a);
  while (low < high) {
    const unsigned int probe = (low + high) / 2;
    if (codes[first + probe] <= codes[middle + diagonal - 1 - probe])
      low = probe + 1;
    else
      high = probe;
  }
  unsigned int a = first + low, b = middle + diagonal - low;
  Wide of_a = a < middle ? codes[a] : ~0ull, of_b = b < end ? codes[b] : ~0ull;
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const bool takes_a = b >= end || (a < middle && of_a <= of_b);
    merged[u] = takes_a ? of_a : of_b;
    if (takes_a) {
      a++;
      of_a = a < middle ? codes[a] : ~0ull;
    } else {
      b++;
      of_b = b < end ? codes[b] : ~0ull;
    }
  }
}

template <int kItems>
static __device__ __forceinline__ void store_items(Wide *codes, unsigned int at, unsigned int end,
                                                   const Wide (&item)[kItems]) {
#pragma unroll
  for (int u = 0; u < kItems; u++)
    if (at + u < end) codes[at + u] = item[u];
}

// Sorts codes[0..count) in shared memory, count <= kThreads * kItems. All threads call it after a
// barrier, and there is one at its end.
template <int kThreads, int kItems>
static __device__ __noinline__ void merge_sort_codes(Wide *codes, unsigned int count) {
  const unsigned int at = min(threadIdx.x * kItems, count);
  Wide item[kItems];
#pragma unroll
  for (int u = 0; u < kItems; u++) item[u] = at + u < count ? codes[at + u] : ~0ull;
  sort_in_registers(item);
  store_items(codes, at, count, item);
  for (unsigned int run = kItems; run < count; run *= 2) {
    __syncthreads();
    const unsigned int first = at / (2 * run) * (2 * run), middle = min(first + run, count),
                       end = min(first + 2 * run, count);
    merge_items(codes, first, middle, end, at, item);
    __syncthreads();
    store_items(codes, at, end, item);
  }
  __syncthreads();
}

// Merges from[0..count), which are sorted runs of `run` codes, in pairs, as far as one thread has
// to: the kItems codes from index `at` on. run and at are multiples of kItems.
template <int kItems>
static __device__ __forceinline__ void merge_runs_at(const Wide *from, Wide *to, unsigned int count,
                                                     unsigned int run, unsigned int at) {
  if (at >= count) return;
  const unsigned int first = at / run / 2 * 2 * run, middle = min(first + run, count),
                     end = middle + min(run, count - middle);
  Wide item[kItems];
  merge_items(from, first, middle, end, at, item);
  store_items(to, at, end, item);
}

// All threads of a block: merges sorted runs of `run` codes until there is one, from one array to
// the other and back; returns where they are in the end. run: a multiple of kItems.
template <int kThreads, int kItems>
static __device__ __noinline__ Wide *merge_runs(Wide *codes, Wide *spare, unsigned int count,
                                                unsigned int run) {
  for (; run < count; run *= 2) {
    for (unsigned int at = threadIdx.x * kItems; at < count; at += kThreads * kItems)
      merge_runs_at<kItems>(codes, spare, count, run, at);
    __syncthreads();
    Wide *const from = codes;
    codes = spare;
    spare = from;
  }
  return codes;
}

#endif
