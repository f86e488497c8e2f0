// Host side of sample.cuh: the launches.
#ifndef RADIX_V7_BY_SAMPLE_CUH
#define RADIX_V7_BY_SAMPLE_CUH

#include <limits.h>

#include "common/knobs.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "radix_v7/counted_prefix.cuh"
#include "radix_v7/sample_block.cuh"
#include "radix_v7/sample_sweep.cuh"

typedef void SampledBucketKernel(Pairs, SampleState);

// A kernel sort_sampled_bucket<...> for n <= up_to.
typedef struct SampleShape {
  size_t up_to;
  unsigned int threads, capacity;
  size_t shared_bytes;
  SampledBucketKernel *kernel;
} SampleShape;

#define SAMPLE_SHAPE(up_to, threads, items, bin_bits)                                           \
  {                                                                                             \
    up_to, threads, threads *items, sizeof(PairBlockShared<threads, items, bin_bits, FETCHED>), \
        sort_sampled_bucket<threads, items, bin_bits>                                           \
  }

// Buckets grow by chance to twice their share and more, but have to fit into a block; and all tiles
// have to be on the device at once.
enum { SAMPLED_FROM = 8193, SAMPLED_MOST = 420000 };
static const SampleShape sample_shapes[] = {SAMPLE_SHAPE(235000, 1024, 4, 12),
                                            SAMPLE_SHAPE(SAMPLED_MOST, 1024, 8, 13)};

// NULL if n, or the device, suits none.
static const SampleShape *plan_sample(size_t n) {
#ifdef CUDA_CPU
  const unsigned int resident = UINT_MAX;  // blocks start in order there
#else
  const unsigned int resident = 2 * (unsigned int)device_attribute(cudaDevAttrMultiProcessorCount);
#endif
  if (n < SAMPLED_FROM || n > (size_t)knob("sampledUpTo")) return NULL;
  const SampleShape *shape = sample_shapes;
  while (n > shape->up_to) shape++;
  return blocks_for(n, SAMPLE_TILE) <= resident && shape->shared_bytes <= dynamic_shared_limit()
             ? shape
             : NULL;
}

// Sorts n pairs from input to output by a plan of plan_sample(); false, with the input as it was,
// if some bucket is too large. The host waits for that verdict when all is launched. For bare keys
// output.positions is NULL, and input.positions any n numbers.
static bool sort_pairs_by_sample(const SampleShape *shape, Pairs input, Pairs output, size_t n) {
  const unsigned int tiles = blocks_for(n, SAMPLE_TILE), count = (unsigned int)n;
  const size_t look_back = (size_t)tiles * SAMPLE_BUCKETS;
  const unsigned int room = (SAMPLE_ROOM * count / SAMPLE_BUCKETS / WARP_SIZE + 1) * WARP_SIZE;
  const size_t chunks = n / COPY_CHUNK + SAMPLE_BUCKETS;
  SampleState state = {};
  state.room = room;
  state.regions = (uint2 *)scratch_alloc((size_t)SAMPLE_BUCKETS * room * sizeof(uint2));
  state.look_back = (unsigned int *)scratch_alloc((look_back + SAMPLE + 2) * sizeof(unsigned int) +
                                                  (SAMPLE_BUCKETS + chunks) * sizeof(SampleBucket));
  state.look_back_size = (unsigned int)look_back;
  state.sorted = state.look_back + look_back;
  state.chunks = state.sorted + SAMPLE;
  state.verdict = state.chunks + 1;
  state.bucket = (SampleBucket *)(state.verdict + 1);
  state.chunk = state.bucket + SAMPLE_BUCKETS;
  state.host = fresh_host_verdict(n);
  allow_shared_memory(sweep_by_splitters, sizeof(SampleSweepShared));
  allow_shared_memory(shape->kernel, shape->shared_bytes);

  stage_start("hist");
  rank_sample<<<SAMPLE / SAMPLE_TARGETS, RANK_THREADS>>>(input.keys, count, state);
  LAUNCH_CHECK();
  stage_stop();
  stage_start("sweep");
  launch_overlapped(sweep_by_splitters, tiles, SAMPLE_SWEEP_THREADS, sizeof(SampleSweepShared),
                    input, count, shape->capacity, state);
  launch_overlapped(shape->kernel, SAMPLE_BUCKETS, shape->threads, shape->shared_bytes, output,
                    state);
  stage_stop();
  scratch_free(state.look_back);
  scratch_free(state.regions);
  return verdict_fits(state.host);
}

#endif
