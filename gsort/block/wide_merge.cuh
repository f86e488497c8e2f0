// A stable merge sort of wide codes and their values by a block, for codes that no map spreads over
// bins: each thread sorts a few in registers, and runs are merged in pairs by merge path (S. Odeh
// et al., "Merge Path", 2012). Value: None for bare keys, whose values may be NULL.
#ifndef GSORT_BLOCK_WIDE_MERGE_CUH
#define GSORT_BLOCK_WIDE_MERGE_CUH

#include "gsort/block/key_code.cuh"
#include "gsort/warp/small_sorts.cuh"

// Merges two runs, codes[first..middle) and codes[middle..end), as far as one thread has to: the
// kItems codes from index `at` on, and the index of each.
template <int kItems>
static __device__ __forceinline__ void merge_items(const Wide *codes, unsigned int first,
                                                   unsigned int middle, unsigned int end,
                                                   unsigned int at, Wide (&merged)[kItems],
                                                   unsigned int (&from)[kItems]) {
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
    from[u] = takes_a ? a : b;
    if (takes_a) {
      a++;
      of_a = a < middle ? codes[a] : ~0ull;
    } else {
      b++;
      of_b = b < end ? codes[b] : ~0ull;
    }
  }
}

template <class Value, int kItems>
static __device__ __forceinline__ void store_items(Wide *codes, Value *values, unsigned int at,
                                                   unsigned int end, const Wide (&item)[kItems],
                                                   const Value (&value)[kItems]) {
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    if (at + u >= end) continue;
    codes[at + u] = item[u];
    if constexpr (!IS_NONE<Value>) values[at + u] = value[u];
  }
}

// The kItems elements from index `at` of two runs; others are left as they are.
template <class Value, int kItems>
static __device__ __forceinline__ void load_merged(const Wide *codes, const Value *values,
                                                   unsigned int first, unsigned int middle,
                                                   unsigned int end, unsigned int at,
                                                   Wide (&item)[kItems], Value (&value)[kItems]) {
  unsigned int from[kItems];
  merge_items(codes, first, middle, end, at, item, from);
  if constexpr (!IS_NONE<Value>)
#pragma unroll
    for (int u = 0; u < kItems; u++)
      if (at + u < end) value[u] = values[from[u]];
}

// Sorts the elements of a thread, stable: neighbours change places, in as many rounds as items.
template <class Value, int kItems>
static __device__ __forceinline__ void sort_stably(Wide (&item)[kItems], Value (&value)[kItems]) {
#pragma unroll
  for (int round = 0; round < kItems; round++)
#pragma unroll
    for (int u = round % 2; u + 1 < kItems; u += 2) {
      const bool swaps = item[u] > item[u + 1];
      const Wide lesser = swaps ? item[u + 1] : item[u];
      const Value of_lesser = swaps ? value[u + 1] : value[u];
      if (swaps) item[u + 1] = item[u];
      if (swaps) value[u + 1] = value[u];
      item[u] = lesser;
      value[u] = of_lesser;
    }
}

// Sorts count <= kThreads * kItems elements in shared memory. All threads call it after a barrier,
// and there is one at its end.
template <int kThreads, int kItems, class Value>
static __device__ __noinline__ void merge_sort_codes(Wide *codes, Value *values,
                                                     unsigned int count) {
  const unsigned int at = min(threadIdx.x * kItems, count);
  Wide item[kItems];
  Value value[kItems] = {};
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    item[u] = at + u < count ? codes[at + u] : ~0ull;
    if constexpr (!IS_NONE<Value>)
      if (at + u < count) value[u] = values[at + u];
  }
  if constexpr (IS_NONE<Value>)
    sort_in_registers(item);
  else
    sort_stably(item, value);
  store_items(codes, values, at, count, item, value);
  for (unsigned int run = kItems; run < count; run *= 2) {
    __syncthreads();
    const unsigned int first = at / (2 * run) * (2 * run), middle = min(first + run, count),
                       end = min(first + 2 * run, count);
    load_merged(codes, values, first, middle, end, at, item, value);
    __syncthreads();
    store_items(codes, values, at, end, item, value);
  }
  __syncthreads();
}

// Merges count elements, which are sorted runs of `run`, in pairs, as far as one thread has to: the
// kItems elements from index `at` on. run and at are multiples of kItems.
template <int kItems, class Value>
static __device__ __forceinline__ void merge_runs_at(const Wide *from, const Value *from_values,
                                                     Wide *to, Value *to_values, unsigned int count,
                                                     unsigned int run, unsigned int at) {
  if (at >= count) return;
  const unsigned int first = at / run / 2 * 2 * run, middle = min(first + run, count),
                     end = middle + min(run, count - middle);
  Wide item[kItems];
  Value value[kItems] = {};
  load_merged(from, from_values, first, middle, end, at, item, value);
  store_items(to, to_values, at, end, item, value);
}

// All threads of a block: merges sorted runs of `run` elements until there is one, from one array
// to the other and back; returns whether they are in the spare one in the end. run: a multiple of
// kItems.
template <int kThreads, int kItems, class Value>
static __device__ __noinline__ bool merge_runs(Wide *codes, Value *values, Wide *spare,
                                               Value *spare_values, unsigned int count,
                                               unsigned int run) {
  bool in_spare = false;
  for (; run < count; run *= 2) {
    for (unsigned int at = threadIdx.x * kItems; at < count; at += kThreads * kItems)
      if (in_spare)
        merge_runs_at<kItems>(spare, spare_values, codes, values, count, run, at);
      else
        merge_runs_at<kItems>(codes, values, spare, spare_values, count, run, at);
    __syncthreads();
    in_spare = !in_spare;
  }
  return in_spare;
}

#endif
