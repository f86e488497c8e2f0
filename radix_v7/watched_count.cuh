// Counts keys by their upper bits, and ends early if a sample shows that some bucket will not fit:
// for pairs_count.cuh and buckets.cuh.
//
// Each block looks at a sample before it counts. These signs end the count of the whole grid:
//   - several buckets have many of a block's samples, or one has very many
//   - many share their first 4 bits: more than there would be if all of these buckets were full
//   - of bare keys: the last 16 bits have few values, so that bins inside a block would be crowded
// Uniform keys look like that in less than one of 10^3 sorts, which then take the slower way.
#ifndef RADIX_V7_WATCHED_COUNT_CUH
#define RADIX_V7_WATCHED_COUNT_CUH

#include "gsort/block/scan.cuh"
#include "radix_v6/counting.cuh"
#include "radix_v7/key_range.cuh"

enum {
  WATCHED_FROM = 100000,       // with this many keys there is a sample
  MANY_WATCH_FROM = 16000000,  // and with this many a larger one
  GROUP_BITS = 4,
  MOST_BIN_BITS = 11,  // of the digit by which a block sorts a bucket of bare keys
  FEW_ALIKE = 4,       // buckets with many of a block's samples, up to which counting goes on
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900)
  COUNTING_BLOCKS = 2,  // counting blocks that an SM holds: 2,048 threads
#else
  COUNTING_BLOCKS = 1,
#endif
};

// Not 0: the count has been ended, or is in vain. 1, or bits in which some key is not in the range,
// which are never the lowest. The last block of a count sets it back.
static __device__ unsigned int count_hopeless;

static __device__ __forceinline__ unsigned int hopeless_bits(void) {
  return *(volatile unsigned int *)&count_hopeless;
}

static __device__ __forceinline__ bool is_hopeless(void) { return hopeless_bits() != 0; }

static __device__ __forceinline__ unsigned int scramble(unsigned int x) {
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

// A sampled key. The input is cut into a stretch for each thread of a block; in it each block has a
// sample, whose turn differs from stretch to stretch. So a block's samples are far apart, and keys
// in order do not pass for equal ones, nor do periodic keys.
static __device__ __forceinline__ unsigned int sampled_key(const unsigned int *keys, size_t n,
                                                           unsigned int threads) {
  const size_t stride = n / ((size_t)gridDim.x * threads);
  const unsigned int turn = scramble(threadIdx.x) % gridDim.x;
  const size_t sample = (size_t)threadIdx.x * gridDim.x + (blockIdx.x + turn) % gridDim.x;
  const size_t jitter = __umulhi(scramble((unsigned int)sample), (unsigned int)stride);
  return keys[sample * stride + jitter];
}

// Where sample u of a thread is, of kEach, in a block of 2^k threads. series: other samples of the
// same stretches.
template <int kEach>
static __device__ __forceinline__ size_t block_sample_index(size_t n, int u,
                                                            unsigned int series = 0) {
  const unsigned int samples = blockDim.x * kEach;
  const int bits = 31 - __clz((int)samples);
  const unsigned int sample = threadIdx.x * kEach + (threadIdx.x + u) % kEach;
  return ((size_t)sample * n >> bits) +
         __umulhi(scramble(sample + series * samples), (unsigned int)(n >> bits));
}

// A sample for one block: kEach keys of a thread, each of another stretch of the input. Neighbours'
// first keys are not equally far apart: keys in order would have the same lower bits there.
template <int kEach>
static __device__ __forceinline__ void load_block_sample(const unsigned int *keys, size_t n,
                                                         unsigned int (&key)[kEach],
                                                         unsigned int series = 0) {
#pragma unroll
  for (int u = 0; u < kEach; u++) key[u] = keys[block_sample_index<kEach>(n, u, series)];
}

// host: NULL, or is told.
static __device__ __forceinline__ void end_if_hopeless(bool hopeless, volatile HostVerdict *host) {
  if (!__any_sync(0xffffffffu, hopeless) || threadIdx.x % WARP_SIZE != 0) return;
  if (atomicExch(&count_hopeless, 1u) == 0 && host != NULL) host->verdict = TOO_LARGE;
}

// Whether the lanes' keys have few, but not one value in their last 16 bits, and few in the bits by
// which a block puts a bucket into bins: those below `shift`. Equal keys do not count: one frequent
// key is no obstacle.
static __device__ __forceinline__ bool few_lower_values(unsigned int key, int shift) {
  const int equal = __popc((int)__match_any_sync(0xffffffffu, key));
  const int alike = __popc((int)__match_any_sync(0xffffffffu, key & 0xffffu));
  const unsigned int bin = key << (32 - shift) >> (32 - MOST_BIN_BITS);
  const int same_bin = __popc((int)__match_any_sync(0xffffffffu, bin));
  return alike - equal >= 3 && alike < WARP_SIZE && same_bin >= 4;
}

// Few keys: four warps of each block look at 32 each.
template <bool kBare>
static __device__ void watch_by_warps(const unsigned int *keys, size_t n, int shift, int skip,
                                      volatile HostVerdict *host) {
  constexpr unsigned int kThreads = 4 * WARP_SIZE;
  if (threadIdx.x >= kThreads) return;
  const unsigned int key = sampled_key(keys, n, kThreads) << skip;
  const int alike = __popc((int)__match_any_sync(0xffffffffu, key >> shift));
  const bool few_lower = kBare && few_lower_values(key, shift);  // all lanes
  end_if_hopeless(alike >= (32 - shift >= 12 ? 6 : 12) || few_lower, host);
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
                                       const unsigned int *keys, size_t n, int shift, int skip,
                                       unsigned int capacity, volatile HostVerdict *host) {
  __shared__ unsigned int group[1 << GROUP_BITS], buckets_alike;
  if (threadIdx.x < 1u << GROUP_BITS) group[threadIdx.x] = 0;
  if (threadIdx.x == 0) buckets_alike = 0;
  __syncthreads();
  const int bits = 32 - shift;
  const unsigned int key = sampled_key(keys, n, blockDim.x) << skip, prefix = key >> shift;
  const unsigned int one = kPacked && prefix % 2 == 1 ? 1u << 16 : 1u;
  unsigned int *const counter = &counters[kPacked ? prefix / 2 : prefix * copies];
  const unsigned int alike = 1 + (atomicAdd(counter, one) / one & 0xffffu);
  const unsigned int many = bits >= 15 ? 6 : bits == 14 ? 8 : 12;
  const bool one_more = alike == many && atomicAdd(&buckets_alike, 1u) >= FEW_ALIKE;
  // A counter of 16 bits has room for one of 32 keys of a block; one for a quarter of all is slow.
  const bool very_many = alike > blockDim.x / (kPacked ? 40 : 4);
  const unsigned int in_group = 1 + atomicAdd(&group[prefix >> (bits - GROUP_BITS)], 1u);
  const bool few_lower = kBare && few_lower_values(key, shift);  // all lanes
  end_if_hopeless(one_more || very_many || few_lower || in_group > most_in_group(n, bits, capacity),
                  host);
  __syncthreads();
  atomicSub(counter, one);
  __syncthreads();
}

// Adds keys[0..n) to the counters of the grid's blocks, or ends early: is_hopeless(), also if a key
// is not in `range`. kBare: they have no positions; copies: of each counter, 1 if kPacked;
// capacity: of a bucket; host: NULL, or is told at once if it ends early. All threads of the grid's
// first `blocks` blocks call it after a barrier, and there is one at its end.
template <bool kPacked, bool kBare>
static __device__ __forceinline__ void count_watched(unsigned int *counters, unsigned int copies,
                                                     const unsigned int *keys, size_t n,
                                                     unsigned int blocks, int shift, KeyRange range,
                                                     unsigned int capacity,
                                                     volatile HostVerdict *host) {
  if (n >= MANY_WATCH_FROM)
    watch_by_blocks<kPacked, kBare>(counters, copies, keys, n, shift, range.skip, capacity, host);
  else if (n >= WATCHED_FROM)
    watch_by_warps<kBare>(keys, n, shift, range.skip, host);
  PrefixCounter<kPacked> counter = {counters, copies, shift, 0, 0};
  if (range.skip == 0) {
    for_each_key(keys, n, blocks, is_hopeless, [&](unsigned int key) { counter.add(key); });
  } else {
    unsigned int differing = 0;
    for_each_key(keys, n, blocks, is_hopeless, [&](unsigned int key) {
      differing |= key ^ range.common;
      counter.add(key << range.skip);
    });
    differing &= ~(~0u >> range.skip);
    if (differing != 0) atomicOr(&count_hopeless, differing);
  }
  counter.finish();
  __syncthreads();
}

#endif
