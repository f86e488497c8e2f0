// One pass of radix_v5: a single launch that reads every element once and writes it once.
//
// A tile stays on the chip from its load to its scatter (Adinets and Merrill, "Onesweep: A Faster
// Least Significant Digit Radix Sort for GPUs", 2022). The phases of a block:
//
//   load       the tile's keys into registers
//   rank       each warp ranks its keys among equal digits, by ballots, and so counts them
//   count      a thread per bin adds up the warps' counts and publishes the tile's count
//   exchange   keys into shared memory, in order of their digits
//   look back  for the counts of all tiles before this one (gsort/block/look_back.cuh)
//   scatter    keys and positions to the output, in runs of equal digits
#ifndef RADIX_V5_ONE_SWEEP_CUH
#define RADIX_V5_ONE_SWEEP_CUH

#include <cuda_runtime.h>

#include "common/pairs.cuh"
#include "gsort/block/look_back.cuh"
#include "gsort/block/scan.cuh"
#include "gsort/warp/match.cuh"
#include "radix_v5/histogram.cuh"

enum {
  SWEEP_THREADS = BINS,  // threads of a block: one per bin
  SWEEP_WARPS = SWEEP_THREADS / WARP_SIZE,
};
static constexpr unsigned int ALL_LANES = 0xffffffffu;

// One pass over n elements in tiles of SWEEP_THREADS * kItems. Count holds an index of the output
// and a value of look_back.cuh: unsigned int for n < 2^30, else unsigned long long. Inside a tile,
// 32 bits are always enough.
template <class Count>
struct SweepPass {
  int number;                  // 0 is the pass over the lowest digit
  const Count *start;          // [BINS] index in the output of each bin's first element
  unsigned int *tile_counter;  // 0 before the launch; numbers the tiles in the order they start
  Count *look_back;            // [tiles][BINS] values of look_back.cuh, 0 before the launch
};

// Shared memory of a block.
template <int kItems, class Count>
struct SweepShared {
  unsigned int tile_number;
  unsigned int warp_sums[MAX_WARPS];
  unsigned int warp_bin[SWEEP_WARPS][BINS];  // count of each bin in a warp; then in warps before it
  unsigned int tile_start[BINS];             // index in the tile of each bin's first element
  Count shift[BINS];                         // index in the output minus index in the tile
  unsigned int tile[SWEEP_THREADS * kItems];  // keys in order of their digits; then positions
};

// Index in the tile of the thread's first element; the next ones follow WARP_SIZE apart. So a warp
// holds neighbours, its loads are coalesced, and (u, lane) is the order of the input.
template <int kItems>
static __device__ __forceinline__ unsigned int first_item(void) {
  return threadIdx.x / WARP_SIZE * WARP_SIZE * kItems + threadIdx.x % WARP_SIZE;
}

// ---- load ---------------------------------------------------------------------------------------

// The thread's items of in[0..valid), the tile's part of the input. The rest is padding: the
// largest key, which ranks behind all others and is not written.
template <int kItems>
static __device__ __forceinline__ void load(const unsigned int *in, unsigned int valid,
                                            unsigned int (&item)[kItems]) {
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int i = first_item<kItems>() + u * WARP_SIZE;
    item[u] = i < valid ? in[i] : 0xffffffffu;
  }
}

// ---- rank ---------------------------------------------------------------------------------------

// rank[u] = number of keys with the same digit before key[u] in the warp. bin[BINS], zeros before,
// belongs to the warp and counts along: afterwards it is the warp's histogram.
template <int kItems>
static __device__ __forceinline__ void rank_in_warp(const unsigned int (&key)[kItems], int pass,
                                                    unsigned int *bin,
                                                    unsigned int (&rank)[kItems]) {
  const unsigned int below = (1u << threadIdx.x % WARP_SIZE) - 1;  // the lanes before this one
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int digit = digit_of(key[u], pass), lanes = warp_match(digit, DIGIT_BITS);
    rank[u] = bin[digit] + (unsigned int)__popc((int)(lanes & below));
    __syncwarp();
    // The first of the matching lanes counts for all.
    if ((lanes & below) == 0) bin[digit] = rank[u] + (unsigned int)__popc((int)lanes);
    __syncwarp();
  }
}

// ---- count --------------------------------------------------------------------------------------

// The tile's count of the thread's bin. warp_bin becomes the count in the warps before.
//   counts of one bin in four warps  [2 0 3 1]  ->  [0 2 2 5], returns 6
static __device__ __forceinline__ unsigned int count_bin(unsigned int (*warp_bin)[BINS]) {
  unsigned int count = 0;
#pragma unroll
  for (int warp = 0; warp < SWEEP_WARPS; warp++) {
    const unsigned int of_warp = warp_bin[warp][threadIdx.x];
    warp_bin[warp][threadIdx.x] = count;
    count += of_warp;
  }
  return count;
}

// ---- exchange -----------------------------------------------------------------------------------

// Puts the keys into the tile in order of their digits; rank[u] becomes key[u]'s index in the tile.
template <int kItems, class Count>
static __device__ __forceinline__ void exchange(SweepShared<kItems, Count> &shared,
                                                const unsigned int (&key)[kItems], int pass,
                                                unsigned int (&rank)[kItems]) {
  const unsigned int *const warps_before = shared.warp_bin[threadIdx.x / WARP_SIZE];
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int digit = digit_of(key[u], pass);
    rank[u] += shared.tile_start[digit] + warps_before[digit];
    shared.tile[rank[u]] = key[u];
  }
}

// ---- scatter ------------------------------------------------------------------------------------

// Writes the keys of the tile; to[u] is where the thread's u-th key went. Neighbouring threads hold
// neighbours of a run and write to neighbouring addresses.
template <int kItems, class Count>
static __device__ __forceinline__ void scatter_keys(const SweepShared<kItems, Count> &shared,
                                                    unsigned int *out, unsigned int valid, int pass,
                                                    Count (&to)[kItems]) {
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int i = threadIdx.x + u * SWEEP_THREADS, key = shared.tile[i];
    to[u] = i + shared.shift[digit_of(key, pass)];
    if (i < valid) out[to[u]] = key;
  }
}

// The positions follow their keys through the same shared memory: into the tile by rank, then out.
template <int kItems, class Count>
static __device__ __forceinline__ void scatter_positions(SweepShared<kItems, Count> &shared,
                                                         const unsigned int *in, unsigned int *out,
                                                         unsigned int valid,
                                                         const unsigned int (&rank)[kItems],
                                                         const Count (&to)[kItems]) {
  unsigned int position[kItems];
  load(in, valid, position);
  __syncthreads();  // all keys have been read from the tile
#pragma unroll
  for (int u = 0; u < kItems; u++) shared.tile[rank[u]] = position[u];
  __syncthreads();
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int i = threadIdx.x + u * SWEEP_THREADS;
    if (i < valid) out[to[u]] = shared.tile[i];
  }
}

// ---- the pass -----------------------------------------------------------------------------------

template <int kItems, class Count>
static __global__ void __launch_bounds__(SWEEP_THREADS)
    one_sweep(Pairs in, Pairs out, Count n, SweepPass<Count> pass) {
  __shared__ SweepShared<kItems, Count> shared;
  const unsigned int bin = threadIdx.x;
  // A tile waits for the tiles before it, so these must belong to blocks that have started: hence
  // numbers in the order of starting, not blockIdx.x (look_back.cuh).
  if (threadIdx.x == 0) shared.tile_number = atomicAdd(pass.tile_counter, 1u);
  for (int warp = 0; warp < SWEEP_WARPS; warp++) shared.warp_bin[warp][bin] = 0;
  __syncthreads();
  const unsigned int tile = shared.tile_number;
  const Count begin = (Count)tile * SWEEP_THREADS * kItems;
  const unsigned int valid = (unsigned int)min(n - begin, (Count)SWEEP_THREADS * kItems);

  unsigned int key[kItems], rank[kItems];
  Count to[kItems];
  load(in.keys + begin, valid, key);
  rank_in_warp(key, pass.number, shared.warp_bin[threadIdx.x / WARP_SIZE], rank);
  __syncthreads();

  // Published before anything else is done: later tiles may be waiting for it.
  const unsigned int count = count_bin(shared.warp_bin);
  Count *const word = &pass.look_back[(size_t)tile * BINS + bin];
  look_back_publish(word,
                    count | (tile == 0 ? look_back_inclusive<Count> : look_back_partial<Count>));
  const unsigned int tile_start = block_inclusive_scan(count, shared.warp_sums) - count;
  shared.tile_start[bin] = tile_start;
  __syncthreads();

  exchange(shared, key, pass.number, rank);

  const Count before = look_back_sum(pass.look_back + bin, BINS, tile);
  if (tile > 0) look_back_publish(word, (before + count) | look_back_inclusive<Count>);
  shared.shift[bin] = pass.start[bin] + before - tile_start;
  __syncthreads();

  scatter_keys(shared, out.keys, valid, pass.number, to);
  if (in.positions != NULL)
    scatter_positions(shared, in.positions + begin, out.positions, valid, rank, to);
}

#endif
