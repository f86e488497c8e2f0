// Samples of the keys, spread over the input.
#ifndef GSORT_BLOCK_SAMPLE_CUH
#define GSORT_BLOCK_SAMPLE_CUH

#include <cooperative_groups.h>

#include "gsort/block/findings.cuh"
#include "gsort/block/key_code.cuh"

static __host__ __device__ __forceinline__ unsigned int scramble(unsigned int x) {
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
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
// key: their codes.
template <int kEach, class Key, class Code>
static __device__ __forceinline__ void load_block_sample(const Key *keys, size_t n, Code code,
                                                         Key (&key)[kEach],
                                                         unsigned int series = 0) {
#pragma unroll
  for (int u = 0; u < kEach; u++) key[u] = keys[block_sample_index<kEach>(n, u, series)];
  encode_all(code, key);
}

// A sample loaded by all blocks of a cluster: every key lies in another line of memory, and a
// multiprocessor takes a clock for each line, 8,192 for a sample. True in the last block of the
// cluster, with its sample of keys[0..n), series number `series`, and in *next the key behind the
// thread's first one. blocks is a power of two; without clusters, one block loads all.
template <class Key, class Code>
static __device__ __forceinline__ bool load_cluster_sample(const Key *keys, size_t n, Code code,
                                                           unsigned int series,
                                                           ClusterSample<Key> *shared,
                                                           unsigned int blocks,
                                                           Key (&key)[SAMPLE_EACH], Key *next) {
  const size_t behind = block_sample_index<SAMPLE_EACH>(n, 0, series) + 1;
  if (blocks == 1) {
    load_block_sample(keys, n, code, key, series);
    *next = encode(code, keys[behind < n ? behind : 0]);
    return true;
  }
  const unsigned int block = blockIdx.x & (blocks - 1);
#pragma unroll
  for (unsigned int u = 0; u < SAMPLE_EACH; u++)
    if ((u & (blocks - 1)) == block)
      shared->key[u][threadIdx.x] = keys[block_sample_index<SAMPLE_EACH>(n, (int)u, series)];
  if (block == 0) shared->key[SAMPLE_EACH][threadIdx.x] = keys[behind < n ? behind : 0];
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900  // else `blocks` is 1
  cooperative_groups::this_cluster().sync();
#endif
  if (block < blocks - 1) return false;
#pragma unroll
  for (int u = 0; u < SAMPLE_EACH; u++) key[u] = __ldcg(&shared->key[u][threadIdx.x]);
  encode_all(code, key);
  *next = encode(code, __ldcg(&shared->key[SAMPLE_EACH][threadIdx.x]));
  return true;
}

#endif
