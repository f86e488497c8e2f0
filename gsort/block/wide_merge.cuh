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
    // One load for both runs: threads of a warp do not branch.
    a += takes_a ? 1 : 0;
    b += takes_a ? 0 : 1;
    const unsigned int next = takes_a ? a : b;
    const Wide code = next < (takes_a ? middle : end) ? codes[next] : ~0ull;
    of_a = takes_a ? code : of_a;
    of_b = takes_a ? of_b : code;
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

// How many of the first `diagonal` elements of two merged runs are from the first run. All lanes of
// a warp, which compare in 32 places at a time.
static __device__ __forceinline__ unsigned int split_by_warp(const Wide *a, unsigned int in_a,
                                                             const Wide *b, unsigned int in_b,
                                                             unsigned int diagonal) {
  const unsigned int lane = threadIdx.x % WARP_SIZE;
  unsigned int low = diagonal > in_b ? diagonal - in_b : 0, high = min(diagonal, in_a);
  while (low < high) {
    const unsigned int stride = (high - low) / (WARP_SIZE + 1) + 1,
                       probe = low + (lane + 1) * stride - 1;
    const bool is_before = probe < high && a[probe] <= b[diagonal - 1 - probe];
    low += (unsigned int)__popc((int)__ballot_sync(0xffffffffu, is_before)) * stride;
    high = min(high, low + stride - 1);
  }
  return low;
}

enum { MERGE_THREADS = 256, MERGE_BLOCKS = 5 };  // of kernels that merge; on a multiprocessor

// Sorted runs of codes, and what goes with each code. Value: None for bare keys.
template <class Value>
struct Runs {
  Wide *codes;
  Value *values;
  __device__ __forceinline__ void put(unsigned int i, Wide code, Value value) const {
    codes[i] = code;
    if constexpr (!IS_NONE<Value>) values[i] = value;
  }
};

// All threads of a block: of `count` elements, whose sorted runs of `run` are merged in pairs, the
// kThreads * kItems from index `at` on, to `to`. tile: shared memory for as many. at and 2 x run
// are multiples of that. A barrier has to be before, and behind.
template <int kThreads, int kItems, class Value>
static __device__ __forceinline__ void merge_part(Runs<Value> tile, Runs<Value> from,
                                                  unsigned int count, unsigned int run,
                                                  unsigned int at, Runs<Value> to) {
  __shared__ unsigned int split[2];
  const unsigned int first = at / run / 2 * 2 * run, middle = first + min(run, count - first),
                     end = middle + min(run, count - middle),
                     all = min((unsigned int)(kThreads * kItems), end - at),
                     warp = threadIdx.x / WARP_SIZE;
  if (warp < 2) {
    const unsigned int of_first =
        split_by_warp(from.codes + first, middle - first, from.codes + middle, end - middle,
                      at - first + warp * all);
    if (threadIdx.x % WARP_SIZE == 0) split[warp] = of_first;
  }
  __syncthreads();
  const unsigned int in_a = split[1] - split[0], a = first + split[0],
                     b = middle + (at - first - split[0]) - in_a;
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int i = threadIdx.x + u * kThreads;
    if (i >= all) continue;
    tile.codes[i] = from.codes[(i < in_a ? a : b) + i];
    if constexpr (!IS_NONE<Value>) tile.values[i] = from.values[(i < in_a ? a : b) + i];
  }
  __syncthreads();
  Wide item[kItems];
  Value value[kItems] = {};
  const unsigned int mine = min(threadIdx.x * kItems, all);
  load_merged(tile.codes, tile.values, 0, in_a, all, mine, item, value);
  __syncthreads();
  store_items(tile.codes, tile.values, mine, all, item, value);
  __syncthreads();
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int i = threadIdx.x + u * kThreads;
    if (i >= all) continue;
    Value of_code = {};
    if constexpr (!IS_NONE<Value>) of_code = tile.values[i];
    to.put(at + i, tile.codes[i], of_code);
  }
}

#endif
