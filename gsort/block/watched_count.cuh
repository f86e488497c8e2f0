// Counts keys by their upper bits, and ends early if a sample shows that some bucket will not fit.
//
// Each block samples keys before it counts. These signs end the count of the whole grid:
//   - several buckets have many of a block's samples, or one has very many
//   - many share their first 4 bits: more than fit if all buckets of these 4 bits were full
//   - of bare keys: the last 16 bits have few values, so that bins inside a block would be too full
// Uniform keys look like that in less than one of 10^3 sorts, which then take the slower way.
#ifndef GSORT_BLOCK_WATCHED_COUNT_CUH
#define GSORT_BLOCK_WATCHED_COUNT_CUH

#include "gsort/block/count.cuh"
#include "gsort/block/evenness.cuh"

enum {
  MANY_WATCH_FROM = 16000000,  // with this many keys, the sample is larger
  MOST_FULL = 4,  // buckets with many of a block's samples, up to which counting goes on
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900)
  COUNTING_BLOCKS = 2,  // counting blocks that an SM holds: 2,048 threads
#else
  COUNTING_BLOCKS = 1,
#endif
};

static __device__ __forceinline__ bool is_stopped(const unsigned int *stop) {
  return *(const volatile unsigned int *)stop != 0;
}

// A sampled key. The input is cut into a stretch for each thread of a block; in it each block has a
// sample, whose turn differs from stretch to stretch. So a block's samples are far apart, and keys
// in order do not pass for equal ones, nor do periodic keys.
static __device__ __forceinline__ unsigned int sampled_key(const unsigned int *keys, size_t n,
                                                           KeyCode code, unsigned int threads) {
  const size_t stride = n / ((size_t)gridDim.x * threads);
  const unsigned int turn = scramble(threadIdx.x) % gridDim.x;
  const size_t sample = (size_t)threadIdx.x * gridDim.x + (blockIdx.x + turn) % gridDim.x;
  const size_t jitter = __umulhi(scramble((unsigned int)sample), (unsigned int)stride);
  return encode(code, keys[sample * stride + jitter]);
}

// host: NULL, or is told.
static __device__ __forceinline__ void stop_if(bool unfit, unsigned int *stop,
                                               volatile HostVerdict *host) {
  if (!__any_sync(0xffffffffu, unfit) || threadIdx.x % WARP_SIZE != 0) return;
  if (atomicExch(stop, (unsigned int)STOP) == 0 && host != NULL) host->finding = UNEVEN;
}

// Few keys: four warps of each block sample 32 each.
template <bool kBare>
static __device__ void watch_by_warps(const unsigned int *keys, size_t n, KeyCode code, int shift,
                                      int skip, unsigned int *stop, volatile HostVerdict *host) {
  constexpr unsigned int kThreads = 4 * WARP_SIZE;
  if (threadIdx.x >= kThreads) return;
  const unsigned int key = sampled_key(keys, n, code, kThreads) << skip;
  const int same = __popc((int)__match_any_sync(0xffffffffu, key >> shift));
  const bool few_lower = kBare && few_lower_values(key, shift);  // all lanes
  stop_if(same >= (32 - shift >= 12 ? 6 : 12) || few_lower, stop, host);
}

// Counts keys by prefix. kPacked: two counters of 16 bits in 32; if one overflows, the sum of all
// is not n. There a thread adds up what it sees of one prefix in a row: keys in order would else
// queue for one counter. (Hardware adds up a warp's ones itself, but not these.)
template <bool kPacked>
struct PrefixCounter {
  unsigned int *counters;
  unsigned int copies;
  int shift;
  unsigned int prefix, run;  // of kPacked

  __device__ __forceinline__ void add_run(void) {
    atomicAdd(&counters[prefix / 2], prefix % 2 == 0 ? run : run << 16);
  }
  __device__ __forceinline__ void add(unsigned int key) {
    if (!kPacked) {
      atomicAdd(&counters[(key >> shift) * copies + threadIdx.x % copies], 1u);
    } else {
      if (key >> shift != prefix) {
        add_run();
        prefix = key >> shift;
        run = 0;
      }
      run++;
    }
  }
  __device__ __forceinline__ void finish(void) {
    if (kPacked) add_run();
  }
};

// The most samples of a block that may share their first bits: as many as there are if these
// buckets are all full, and five standard deviations.
static __device__ __forceinline__ unsigned int most_in_group(size_t n, int bits,
                                                             unsigned int capacity) {
  const float full =
      (float)(blockDim.x >> GROUP_BITS) * (float)capacity * (float)(1u << bits) / (float)n;
  return (unsigned int)(full + 5 * sqrtf(full));
}

// Many keys: each block counts as many as it has threads, and takes them off its counters again.
// All threads call it after a barrier.
template <bool kPacked, bool kBare>
static __device__ void watch_by_blocks(unsigned int *counters, unsigned int copies,
                                       const unsigned int *keys, size_t n, KeyCode code, int shift,
                                       int skip, unsigned int capacity, unsigned int *stop,
                                       volatile HostVerdict *host) {
  __shared__ unsigned int group[1 << GROUP_BITS], full_buckets;
  if (threadIdx.x < 1u << GROUP_BITS) group[threadIdx.x] = 0;
  if (threadIdx.x == 0) full_buckets = 0;
  __syncthreads();
  const int bits = 32 - shift;
  const unsigned int key = sampled_key(keys, n, code, blockDim.x) << skip, prefix = key >> shift;
  const unsigned int one = kPacked && prefix % 2 == 1 ? 1u << 16 : 1u;
  unsigned int *const counter = &counters[kPacked ? prefix / 2 : prefix * copies];
  const unsigned int same = 1 + (atomicAdd(counter, one) / one & 0xffffu);
  const unsigned int many = bits >= 15 ? 6 : bits == 14 ? 8 : 12;
  const bool one_more = same == many && atomicAdd(&full_buckets, 1u) >= MOST_FULL;
  // A counter of 16 bits has room for one of 32 keys of a block; one for a quarter of all is slow.
  const bool very_many = same > blockDim.x / (kPacked ? 40 : 4);
  const unsigned int in_group = 1 + atomicAdd(&group[prefix >> (bits - GROUP_BITS)], 1u);
  const bool few_lower = kBare && few_lower_values(key, shift);  // all lanes
  stop_if(one_more || very_many || few_lower || in_group > most_in_group(n, bits, capacity), stop,
          host);
  __syncthreads();
  atomicSub(counter, one);
  __syncthreads();
}

// Adds keys[0..n) to the counters of the grid's blocks, or ends early, with *stop not 0: STOP, as
// if some key is -0; or bits in which some key is not in `range`. *stop is 0 before. kBare: keys
// have no values; copies: of each counter, 1 if kPacked; capacity: of a bucket; host: NULL, or is
// told at once if it ends early. All threads of the grid's first `blocks` blocks call it after a
// barrier, and there is one at its end.
template <bool kPacked, bool kBare>
static __device__ __forceinline__ void count_watched(unsigned int *counters, unsigned int copies,
                                                     const unsigned int *keys, size_t n,
                                                     KeyCode code, unsigned int blocks, int shift,
                                                     KeyRange range, unsigned int capacity,
                                                     unsigned int *stop,
                                                     volatile HostVerdict *host) {
  if (n >= MANY_WATCH_FROM)
    watch_by_blocks<kPacked, kBare>(counters, copies, keys, n, code, shift, range.skip, capacity,
                                    stop, host);
  else
    watch_by_warps<kBare>(keys, n, code, shift, range.skip, stop, host);
  PrefixCounter<kPacked> counter = {counters, copies, shift, 0, 0};
  const auto stopped = [=] { return is_stopped(stop); };
  if (range.skip == 0 && is_plain(code)) {
    for_each_key(keys, n, blocks, stopped, [&](unsigned int key) { counter.add(key); });
  } else {
    unsigned int differing = 0;
    bool minus_zero = false;
    for_each_key(keys, n, blocks, stopped, [&](unsigned int key) {
      minus_zero |= is_minus_zero(code, key);
      const unsigned int number = encode(code, key);
      differing |= number ^ range.common;
      counter.add(number << range.skip);
    });
    differing &= ~(~0u >> range.skip);
    if (minus_zero) differing |= STOP;
    if (differing != 0) atomicOr(stop, differing);
  }
  counter.finish();
  __syncthreads();
}

// After it: adds the block's counters to the grid's, two sums of 32 bits in each number. copies is
// a power of two.
template <bool kPacked>
static __device__ void add_counts(const unsigned int *counters, unsigned int copies,
                                  unsigned int buckets, unsigned long long *sums) {
  for (unsigned int b = threadIdx.x; b < buckets / 2; b += blockDim.x) {
    unsigned int two[2] = {};
    if (kPacked) {
      two[0] = counters[b] & 0xffffu;
      two[1] = counters[b] >> 16;
    } else {
      for (unsigned int k = 0; k < 2; k++)
        for (unsigned int c = 0; c < copies; c++)  // each lane begins at another bank
          two[k] += counters[(2 * b + k) * copies + ((c + threadIdx.x) & (copies - 1))];
    }
    const unsigned long long both = two[0] | (unsigned long long)two[1] << 32;
    if (both != 0) atomicAdd(&sums[b], both);
  }
}

#endif
