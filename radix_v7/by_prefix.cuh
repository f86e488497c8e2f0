// Stable pairs by prefix: one or two stable sweeps over the upper 7 to 16 bits, then a block per
// bucket for the rest. Which n is sorted how, and the launches.
//
//   count   sizes of the buckets, one read                            (pairs_count.cuh)    4 bytes
//   sweep   by the lower part of the prefix, then by the upper part   (pairs_sweep.cuh)   16 each
//   blocks  sort each bucket by the rest of the key                   (pairs_block.cuh)   16
//
// 52 bytes a pair, or 36 with one sweep, where four sweeps move 68. If some bucket does not fit
// into its block, the count says so before anything has moved, and four sweeps take over.
#ifndef RADIX_V7_BY_PREFIX_CUH
#define RADIX_V7_BY_PREFIX_CUH

#include <stdint.h>

#include "common/check.h"
#include "common/device.h"
#include "common/knobs.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "radix_v6/by_sweeps.cuh"
#include "radix_v7/pairs_block.cuh"
#include "radix_v7/pairs_count.cuh"
#include "radix_v7/pairs_sweep.cuh"

typedef void PairSweepKernel(PairBuffers, unsigned int, PairSweep);
typedef void PairBlockKernel(const uint2 *, Pairs, const unsigned int *, int, const unsigned int *);

// A kernel sweep_pairs<...>: bits of its digit, threads, pairs of a tile, blocks of an SM.
typedef struct PairSweepShape {
  int bits;
  unsigned int threads, tile, blocks_per_sm;
  size_t shared_bytes;
  PairSweepKernel *kernel;
} PairSweepShape;

#define PAIR_SWEEP(threads, items, bits, blocks)                                          \
  {                                                                                       \
    bits, threads, threads *items, blocks, sizeof(PairSweepShared<threads, items, bits>), \
        sweep_pairs<threads, items, bits, blocks>                                         \
  }

// Small tiles where there are few pairs for all SMs.
static const PairSweepShape small_7 = PAIR_SWEEP(256, 8, 7, 4), small_9 = PAIR_SWEEP(512, 8, 9, 2),
                            large_6 = PAIR_SWEEP(256, 20, 6, 3),
                            large_7 = PAIR_SWEEP(256, 36, 7, 2),
                            large_8 = PAIR_SWEEP(256, 40, 8, 2);

// A kernel sort_pair_bucket<...>, and the most pairs of its bucket.
typedef struct PairBlockShape {
  unsigned int threads, capacity;
  bool gathers_keys;
  size_t shared_bytes;
  PairBlockKernel *kernel;
} PairBlockShape;

#define PAIR_BLOCK(threads, items, bin_bits, few, blocks, gathers)                                \
  {                                                                                               \
    threads, threads *items, gathers, sizeof(PairBlockShared<threads, items, bin_bits, gathers>), \
        sort_pair_bucket<threads, items, bin_bits, few, blocks, gathers>                          \
  }

static const PairBlockShape block_512x6g = PAIR_BLOCK(512, 6, 11, 8, 2, true),
                            block_512x9g = PAIR_BLOCK(512, 9, 11, 10, 2, true),
                            block_256x9g = PAIR_BLOCK(256, 9, 10, 10, 4, true),
                            block_256x9 = PAIR_BLOCK(256, 9, 10, 10, 5, false),
                            block_256x18 = PAIR_BLOCK(256, 18, 10, 12, 4, false),
                            block_512x18 = PAIR_BLOCK(512, 18, 11, 12, 2, false),
                            block_512x36 = PAIR_BLOCK(512, 36, 12, 12, 1, false);

// How pairs are sorted.
typedef struct PrefixPlan {
  PrefixBits bits;
  const PairSweepShape *low, *high;  // sweeps; high is NULL if there is one only
  const PairBlockShape *block;
} PrefixPlan;

// By size, the least work first: one sweep or two, few or many buckets.
static const PrefixPlan prefix_plans[] = {
    {{7, 0}, &small_7, NULL, &block_512x6g},     {{7, 0}, &small_7, NULL, &block_512x9g},
    {{9, 0}, &small_9, NULL, &block_256x9g},     {{9, 0}, &small_9, NULL, &block_512x9g},
    {{6, 6}, &large_6, &large_6, &block_256x9},  {{6, 6}, &large_6, &large_6, &block_512x9g},
    {{6, 7}, &large_6, &large_7, &block_256x18}, {{7, 7}, &large_7, &large_7, &block_256x18},
    {{7, 8}, &large_7, &large_8, &block_256x18}, {{8, 8}, &large_8, &large_8, &block_256x18},
    {{8, 8}, &large_8, &large_8, &block_512x18}, {{8, 8}, &large_8, &large_8, &block_512x36},
};
enum { PREFIX_PLANS = sizeof prefix_plans / sizeof *prefix_plans };

// Whether the buckets of n uniform keys fit. Their sizes spread by the square root of what they
// are on average; 5.5 times that is exceeded in one of 5 x 10^7 buckets.
static bool uniform_fits(size_t n, const PrefixPlan *plan) {
  const double average = (double)n / (double)(1 << (plan->bits.low + plan->bits.high));
  const double room = plan->block->capacity - (WARP_SIZE - 1) - average;
  return room > 0 && room * room >= 30 * average;
}

static unsigned int count_copies(int bits) {
  unsigned int copies = 8;
  while (copies > 1 && (sizeof(unsigned int) << bits) * copies > 64 * 1024) copies /= 2;
  return copies;
}

static size_t count_shared_bytes(int bits) {
  if (bits >= PACKED_COUNTER_BITS) return sizeof(unsigned int) << (bits - 1);
  return (sizeof(unsigned int) << bits) * count_copies(bits);
}

// NULL if n, or this device's shared memory, suits no plan. The knob prefixPlan, if not 0, decides.
static const PrefixPlan *plan_prefix(size_t n) {
  const int wanted = knob("prefixPlan");
  const size_t limit = dynamic_shared_limit();
  if (wanted < 0) return NULL;
  for (int i = 0; i < PREFIX_PLANS; i++) {
    const PrefixPlan *const plan = &prefix_plans[i];
    if (wanted > 0 ? wanted != i + 1 : !uniform_fits(n, plan)) continue;
    const bool fits = plan->low->shared_bytes <= limit && plan->block->shared_bytes <= limit &&
                      (plan->high == NULL || plan->high->shared_bytes <= limit) &&
                      count_shared_bytes(plan->bits.low + plan->bits.high) <= limit;
    return fits ? plan : NULL;
  }
  return NULL;
}

static size_t look_back_size(const PairSweepShape *shape, size_t n) {
  return (size_t)blocks_for(n, (int)shape->tile) << shape->bits;
}

// Makes room for n packed pairs twice: in `scratch`, and in the output arrays. A piece there ends
// with a tile of either sweep; what the two do not hold goes behind `scratch`, and if they are not
// aligned to 8 bytes, all of it. Returns the bytes of scratch memory to be allocated.
static size_t place_halves(PairBuffers *buffers, size_t n, unsigned int tile) {
  const bool aligned =
      ((uintptr_t)buffers->output.keys | (uintptr_t)buffers->output.positions) % sizeof(uint2) == 0;
  const size_t half = aligned ? n / 2 / tile * tile : 0;
  buffers->halves.half = (unsigned int)half;
  buffers->scratch.half = NO_HALF;
  return (n + n - 2 * half) * sizeof(uint2);
}

static void point_to_halves(PairBuffers *buffers, size_t n, void *memory) {
  Packed *const scratch = &buffers->scratch, *const halves = &buffers->halves;
  scratch->first = scratch->second = scratch->rest = (uint2 *)memory;
  halves->first = (uint2 *)buffers->output.keys;
  halves->second = (uint2 *)buffers->output.positions - halves->half;
  halves->rest = scratch->first + n - 2 * (size_t)halves->half;
}

static void launch_sweep(const PairSweepShape *shape, PairBuffers buffers, size_t n,
                         PairSweep sweep) {
  const unsigned int tiles = blocks_for(n, (int)shape->tile);
  const unsigned int most =
      shape->blocks_per_sm * (unsigned int)device_attribute(cudaDevAttrMultiProcessorCount);
  allow_shared_memory(shape->kernel, shape->shared_bytes);
  launch_overlapped(shape->kernel, tiles < most ? tiles : most, shape->threads, shape->shared_bytes,
                    buffers, (unsigned int)n, sweep);
}

static void launch_count(const unsigned int *keys, size_t n, PrefixBits bits, unsigned int capacity,
                         PrefixState state, size_t look_back) {
  const int all_bits = bits.low + bits.high;
  const bool packed = all_bits >= PACKED_COUNTER_BITS;
  const size_t bytes = count_shared_bytes(all_bits);
  const unsigned int threads = n <= 400000 || n > 2000000 ? HISTOGRAM_THREADS : 512;
  const unsigned int most =
      (bytes > 100 * 1024 ? 1 : 2) * (unsigned int)device_attribute(cudaDevAttrMultiProcessorCount);
  const unsigned int wanted = blocks_for(n, (int)threads * 4);
  const unsigned int blocks = wanted < most ? wanted : most;
  if (packed) {
    allow_shared_memory(count_prefixes<true>, bytes);
    count_prefixes<true><<<blocks, threads, bytes>>>(keys, n, bits, capacity, 1, look_back, state);
  } else {
    allow_shared_memory(count_prefixes<false>, bytes);
    count_prefixes<false><<<blocks, threads, bytes>>>(keys, n, bits, capacity,
                                                      count_copies(all_bits), look_back, state);
  }
  LAUNCH_CHECK();
}

// Sorts n pairs from input to output; false, with the input as it was, if some bucket is too large
// or no plan suits n. The host waits for the count's verdict when all else is launched.
static bool sort_pairs_by_prefix(Pairs input, Pairs output, size_t n) {
  const PrefixPlan *const plan = plan_prefix(n);
  if (plan == NULL) return false;
  static volatile unsigned int *host_verdict = NULL;
  if (host_verdict == NULL)
    CUDA_CHECK(cudaMallocHost((void **)&host_verdict, sizeof *host_verdict));
  *host_verdict = PREFIX_UNKNOWN;
  const PrefixBits bits = plan->bits;
  const int sweeps = bits.high > 0 ? 2 : 1, low_bits = 32 - bits.low - bits.high;
  const size_t buckets = (size_t)1 << (bits.low + bits.high);
  const size_t look_back_low = look_back_size(plan->low, n),
               look_back_high = sweeps > 1 ? look_back_size(plan->high, n) : 0;
  const size_t look_back = (look_back_low + look_back_high + 3) / 4 * 4;

  PairBuffers buffers = {input, output, {}, {}};
  const unsigned int tile = sweeps > 1 ? plan->high->tile : plan->low->tile;
  void *const pairs = scratch_alloc(place_halves(&buffers, n, tile));
  point_to_halves(&buffers, n, pairs);
  unsigned int *const memory = (unsigned int *)scratch_alloc(
      (look_back + buckets + 4 + (1u << bits.low) + 4) * sizeof(unsigned int));
  PrefixState state = {};
  state.look_back = memory;
  state.start = memory + look_back;
  state.low_start = state.start + buckets + 4;
  state.spread = state.low_start + (1u << bits.low);
  state.tile_counter = state.spread + 2;
  state.host_verdict = host_verdict;

  stage_start("hist");
  launch_count(input.keys, n, bits, plan->block->capacity, state, look_back);
  stage_stop();
  stage_start("sweep");
  PairSweep sweep = {low_bits,        0,
                     state.low_start, state.tile_counter,
                     state.look_back, {state.spread, 0, sweeps, true}};
  launch_sweep(plan->low, buffers, n, sweep);
  if (sweeps > 1) {
    sweep.shift += bits.low;
    sweep.start_stride = bits.low;
    sweep.start = state.start;
    sweep.tile_counter++;
    sweep.look_back += look_back_low;
    sweep.route.pass = 1;
    launch_sweep(plan->high, buffers, n, sweep);
  }
  allow_shared_memory(plan->block->kernel, plan->block->shared_bytes);
  launch_overlapped(plan->block->kernel, (unsigned int)buckets, plan->block->threads,
                    plan->block->shared_bytes, buffers.scratch.first, output, state.start, low_bits,
                    state.spread);
  stage_stop();
  scratch_free(memory);
  scratch_free(pairs);
  while (*host_verdict == PREFIX_UNKNOWN && cudaStreamQuery(0) == cudaErrorNotReady) {
  }
  CUDA_CHECK(cudaPeekAtLastError());
  return *host_verdict == PREFIX_FITS;
}

static bool packed_sweeps_fit(void) { return large_8.shared_bytes <= dynamic_shared_limit(); }

// Sorts n pairs from input to output, which both are overwritten on the way, by four stable sweeps.
static void sort_pairs_by_sweeps(Pairs input, Pairs output, size_t n) {
  const PairSweepShape *const shape = &large_8;
  const size_t look_back_one = look_back_size(shape, n), look_back = PASSES * look_back_one;
  PairBuffers buffers = {input, output, {}, {}};
  void *const pairs = scratch_alloc(place_halves(&buffers, n, shape->tile));
  point_to_halves(&buffers, n, pairs);
  unsigned int *const memory = (unsigned int *)scratch_alloc(
      (look_back + PASSES * BINS + 2 * PASSES) * sizeof(unsigned int));
  unsigned int *const start = memory + look_back, *const counters = start + PASSES * BINS;
  const SweepState state = {start, counters, counters + PASSES, memory};
  stage_start("hist");
  histogram(input, n, state, look_back);
  stage_stop();
  stage_start("sweep");
  for (int pass = 0; pass < PASSES; pass++) {
    const PairSweep sweep = {pass * DIGIT_BITS,
                             0,
                             state.start + pass * BINS,
                             state.tile_counter + pass,
                             memory + pass * look_back_one,
                             {state.spread, pass, PASSES, false}};
    launch_sweep(shape, buffers, n, sweep);
  }
  stage_stop();
  scratch_free(memory);
  scratch_free(pairs);
}

#endif
