// The last step of buckets.cuh: sorts each bucket in the shared memory of a block.
#ifndef RADIX_V5_BUCKET_SORT_CUH
#define RADIX_V5_BUCKET_SORT_CUH

#include "common/overlap.cuh"
#include "radix_v5/buckets.cuh"

// Shared memory for a bucket of at most kThreads * kItems keys and 2^kFineBits bins.
template <int kThreads, int kItems, int kFineBits>
struct BucketShared {
  unsigned int tile[kThreads * kItems];
  unsigned int bin[1 << kFineBits];
  unsigned int warp_sums[MAX_WARPS];
  // Bins with more than MANY_KEYS keys: where they begin x 2^16 + how many keys they have.
  unsigned int crowded[kThreads * kItems / MANY_KEYS];
  unsigned int crowded_count;
};

static __device__ __forceinline__ void order(unsigned int &a, unsigned int &b) {
  const unsigned int lesser = min(a, b);
  b = max(a, b);
  a = lesser;
}

// Sorts up to FEW_KEYS keys in registers, by the shortest network for eight (19 comparators; Knuth,
// "The Art of Computer Programming" 3, 5.3.4).
static __device__ __forceinline__ void sort_few(unsigned int *keys, unsigned int count) {
  unsigned int k[FEW_KEYS];
#pragma unroll
  for (unsigned int i = 0; i < FEW_KEYS; i++) k[i] = i < count ? keys[i] : 0xffffffffu;
  order(k[0], k[1]), order(k[2], k[3]), order(k[4], k[5]), order(k[6], k[7]);
  order(k[0], k[2]), order(k[1], k[3]), order(k[4], k[6]), order(k[5], k[7]);
  order(k[1], k[2]), order(k[5], k[6]), order(k[0], k[4]), order(k[3], k[7]);
  order(k[1], k[5]), order(k[2], k[6]);
  order(k[1], k[4]), order(k[3], k[6]);
  order(k[2], k[4]), order(k[3], k[5]);
  order(k[3], k[4]);
#pragma unroll
  for (unsigned int i = 0; i < FEW_KEYS; i++)
    if (i < count) keys[i] = k[i];
}

static __device__ __forceinline__ void sort_by_insertion(unsigned int *keys, unsigned int count) {
  for (unsigned int i = 1; i < count; i++) {
    const unsigned int key = keys[i];
    unsigned int to = i;
    for (; to > 0 && keys[to - 1] > key; to--) keys[to] = keys[to - 1];
    keys[to] = key;
  }
}

// Sorts any number of keys that differ in their lowest `bits` only, by all threads of the block:
// how often each of the 2^bits values occurs says what stands where. So no input is slow for good.
static __device__ void rewrite_by_counts(unsigned int *keys, unsigned int count, int bits,
                                         unsigned int *counters, unsigned int *warp_sums) {
  const unsigned int values = 1u << bits, upper = keys[0] & ~(values - 1);
  __syncthreads();
  for (unsigned int v = threadIdx.x; v < values; v += blockDim.x) counters[v] = 0;
  __syncthreads();
  for (unsigned int i = threadIdx.x; i < count; i += blockDim.x)
    atomicAdd(&counters[keys[i] & (values - 1)], 1u);
  exclusive_scan_in_place(counters, values, warp_sums);
  for (unsigned int i = threadIdx.x; i < count; i += blockDim.x) {
    unsigned int low = 0, high = values;  // the last value whose run begins at or before i
    while (high - low > 1) {
      const unsigned int middle = (low + high) / 2;
      if (counters[middle] <= i)
        low = middle;
      else
        high = middle;
    }
    keys[i] = upper | low;
  }
  __syncthreads();
}

template <int kThreads, int kItems, int kFineBits>
static __global__ void __launch_bounds__(kThreads)
    sort_buckets(const unsigned int *in, unsigned int *out, const unsigned int *start, int shift) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  typedef BucketShared<kThreads, kItems, kFineBits> Shared;
  Shared &shared = *(Shared *)shared_memory;
  static_assert(kThreads * kItems < 1 << 16, "places have 16 bits");
  static_assert(32 - MIN_BUCKET_BITS - kFineBits <= kFineBits, "bin[] counts what is left, too");
  constexpr unsigned int kBins = 1u << kFineBits;
  wait_for_previous_kernel();
  const unsigned int begin = start[blockIdx.x], count = start[blockIdx.x + 1] - begin;
  const int fine_shift = shift - kFineBits;
  unsigned int key[kItems];
#pragma unroll
  for (int u = 0; u < kItems; u++)
    if (threadIdx.x + u * kThreads < count)
      key[u] = __ldcs(&in[begin + threadIdx.x + u * kThreads]);
  for (unsigned int b = threadIdx.x; b < kBins; b += kThreads) shared.bin[b] = 0;
  if (threadIdx.x == 0) shared.crowded_count = 0;
  __syncthreads();
#pragma unroll
  for (int u = 0; u < kItems; u++)
    if (threadIdx.x + u * kThreads < count)
      atomicAdd(&shared.bin[key[u] >> fine_shift & (kBins - 1)], 1u);
  exclusive_scan_in_place(shared.bin, kBins, shared.warp_sums);
#pragma unroll
  for (int u = 0; u < kItems; u++)
    if (threadIdx.x + u * kThreads < count)
      shared.tile[atomicAdd(&shared.bin[key[u] >> fine_shift & (kBins - 1)], 1u)] = key[u];
  __syncthreads();

  // bin[b] is now where the keys of bin b end.
  for (unsigned int b = threadIdx.x; b < kBins; b += kThreads) {
    const unsigned int first = b == 0 ? 0 : shared.bin[b - 1], keys = shared.bin[b] - first;
    if (keys > MANY_KEYS)
      shared.crowded[atomicAdd(&shared.crowded_count, 1u)] = first << 16 | keys;
    else if (keys > FEW_KEYS)
      sort_by_insertion(&shared.tile[first], keys);
    else if (keys > 1)
      sort_few(&shared.tile[first], keys);
  }
  __syncthreads();
  for (unsigned int c = 0; c < shared.crowded_count; c++) {
    const unsigned int bin = shared.crowded[c];
    rewrite_by_counts(&shared.tile[bin >> 16], bin & 0xffffu, fine_shift, shared.bin,
                      shared.warp_sums);
  }
#pragma unroll 8
  for (unsigned int i = threadIdx.x; i < count; i += kThreads) out[begin + i] = shared.tile[i];
}

// ---- host ---------------------------------------------------------------------------------------

typedef void BucketSortKernel(const unsigned int *, unsigned int *, const unsigned int *, int);

// The two shapes of a block of sort_buckets(): for buckets of up to so many keys.
typedef struct BucketShape {
  int threads;
  unsigned int capacity;  // keys
  size_t shared_bytes;
  BucketSortKernel *kernel;
} BucketShape;

#define BUCKET_SHAPE(threads, items, fine_bits)                               \
  {                                                                           \
    threads, threads *items, sizeof(BucketShared<threads, items, fine_bits>), \
        sort_buckets<threads, items, fine_bits>                               \
  }

static const BucketShape bucket_shapes[] = {BUCKET_SHAPE(256, 8, 11), BUCKET_SHAPE(512, 20, 12)};

// Buckets are filled to seven eighths on average, so that uniform keys fit.
static size_t most_keys(const BucketShape *shape, int bits) {
  return ((size_t)shape->capacity << bits) / 8 * 7;
}

// Sorts n keys from `in` to `out`; false, and nothing is changed but `spare` and `out`, if they are
// too many or too skewed, or need more than the `shared_limit` bytes that a block can have. blocks:
// how many of the counting kernel. device_words: BUCKET_WORDS of them.
static bool sort_by_buckets(const unsigned int *in, unsigned int *spare, unsigned int *out,
                            size_t n, bool large_buckets, unsigned int blocks, size_t shared_limit,
                            unsigned int *device_words) {
  const BucketShape *const shape =
      &bucket_shapes[large_buckets || n > most_keys(&bucket_shapes[0], MIN_BUCKET_BITS)];
  int bits = MIN_BUCKET_BITS;
  while (bits < MAX_BUCKET_BITS && n > most_keys(shape, bits)) bits++;
  const unsigned int buckets = 1u << bits;
  const size_t partition_bytes = (PARTITION_TILE + 2 * buckets) * sizeof(unsigned int);
  const size_t most_bytes =
      partition_bytes > shape->shared_bytes ? partition_bytes : shape->shared_bytes;
  if (n > most_keys(shape, bits) || most_bytes > shared_limit) return false;

  static unsigned int *host_too_large = NULL;
  static cudaEvent_t counted;
  if (host_too_large == NULL) {
    CUDA_CHECK(cudaMallocHost((void **)&host_too_large, sizeof *host_too_large));
    CUDA_CHECK(cudaEventCreateWithFlags(&counted, cudaEventDisableTiming));
  }
  const BucketState state = {device_words, device_words + MAX_BUCKETS + 1,
                             device_words + 2 * MAX_BUCKETS + 1, host_too_large};
  CUDA_CHECK(cudaFuncSetAttribute(partition, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  (int)partition_bytes));
  CUDA_CHECK(cudaFuncSetAttribute(shape->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  (int)shape->shared_bytes));
  count_buckets<<<blocks, HISTOGRAM_THREADS>>>(in, n, 32 - bits, shape->capacity, state);
  LAUNCH_CHECK();
  CUDA_CHECK(cudaEventRecord(counted, 0));
  partition<<<(unsigned int)((n + PARTITION_TILE - 1) / PARTITION_TILE), PARTITION_THREADS,
              partition_bytes>>>(in, spare, (unsigned int)n, 32 - bits, state);
  LAUNCH_CHECK();
  // The host learns whether all buckets fit while the keys are moved, and so costs no time.
  CUDA_CHECK(cudaEventSynchronize(counted));
  if (*(volatile unsigned int *)host_too_large != 0) return false;
  launch_overlapped(shape->kernel, buckets, (unsigned int)shape->threads, shape->shared_bytes,
                    spare, out, state.start, 32 - bits);
  return true;
}

#endif
