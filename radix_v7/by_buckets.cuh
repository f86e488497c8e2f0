// Host side of buckets.cuh: choice of bucket bits and block shapes by n, and the launches.
#ifndef RADIX_V7_BY_BUCKETS_CUH
#define RADIX_V7_BY_BUCKETS_CUH

#include <stdint.h>

#include "common/check.h"
#include "common/device.h"
#include "common/knobs.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "radix_v6/by_sweeps.cuh"
#include "radix_v7/bucket_shapes.cuh"

typedef void PartitionKernel(const unsigned int *, unsigned int *, unsigned int, PartitionStep);

// A kernel partition<...> and its blocks: threads, keys of a tile, shared counters.
typedef struct PartitionShape {
  unsigned int threads, tile, counters;
  size_t shared_bytes;
  PartitionKernel *kernel;
} PartitionShape;

#define PARTITION_SHAPE(threads, items, each, max_bins, blocks_per_sm) \
  {                                                                    \
    threads, threads *items, threads *each,                            \
        sizeof(PartitionShared<threads, items, each, max_bins>),       \
        partition<threads, items, each, max_bins, blocks_per_sm>       \
  }

// Fastest on an H200 (LOG.md). A single step makes 1,024 bins; small n takes small tiles, so
// that all multiprocessors have one. Each of two steps makes at most 256 bins. The first one writes
// to all of the output at once, where long runs count most; so does the second with 256 bins.
static const PartitionShape small_tiles = PARTITION_SHAPE(512, 8, 4, 1024, 3),
                            medium_tiles = PARTITION_SHAPE(512, 20, 4, 1024, 2),
                            large_tiles = PARTITION_SHAPE(512, 32, 4, 1024, 2),
                            first_tiles = PARTITION_SHAPE(512, 40, 4, MAX_PARTS, 2),
                            second_tiles = PARTITION_SHAPE(256, 44, 8, MAX_PARTS, 3),
                            second_tiles_of_256 = PARTITION_SHAPE(512, 32, 4, MAX_PARTS, 2);
enum { SMALL_TILES_UP_TO = 750000, MEDIUM_TILES_UP_TO = 6000000 };

// Bucket bits and kernels for one sort.
typedef struct BucketPlan {
  BucketBits bits;
  const PartitionShape *first, *second;  // second: if there are two steps
  const BucketShape *buckets;
} BucketPlan;

// Whether 2^bits buckets of n keys of `range` fit into blocks of this shape. The size of a bucket
// has a standard deviation of about the square root of its mean, times that of the number of equal
// keys; six of them are exceeded in one of 10^9.
static bool buckets_fit(size_t n, KeyRange range, int bits, const BucketShape *shape) {
  const double average = (double)n * range.crowd / (double)(1 << bits),
               room = shape->capacity - average;
  return room > 0 && room * room >= 36 * average * range.alike;
}

// Shared memory of count_buckets().
static size_t counter_bytes(int bits) {
  return sizeof(unsigned int) << (bits >= PACKED_BUCKET_BITS ? bits - 1 : bits);
}

// Chooses the fewest bits, and for these the smallest shape, with which uniform keys fit. The knobs
// bucketBits and bucketShape, if not 0, override the choice. False if no plan fits n or the device.
static bool plan_buckets(size_t n, KeyRange range, BucketPlan *plan) {
  const int wanted_bits = knob("bucketBits"), wanted_shape = knob("bucketShape");
  int bits = wanted_bits > 0 ? wanted_bits : MIN_BUCKET_BITS;
  if (bits < MIN_BUCKET_BITS) return false;
  const BucketShape *buckets = NULL;
  for (; buckets == NULL && bits <= MAX_BUCKET_BITS; bits++) {
    for (int i = 0; buckets == NULL && i < shapes_for(bits); i++) {
      const BucketShape *const shape = &bucket_shapes[i];
      if (wanted_shape > 0 ? wanted_shape != i + 1 : !buckets_fit(n, range, bits, shape)) continue;
      buckets = shape;
    }
    if (buckets != NULL || wanted_bits > 0) break;
  }
  // Keys of a narrow range have too few bits for the buckets and for the bins of their blocks.
  if (buckets == NULL || bits + buckets->fine_bits > 32 - range.skip) return false;
  // Two steps to buckets that mostly are far from full, or from keys in order, take longer than
  // sweeps.
  const bool uneven = !range.even && range.crowd > MOST_CROWD_OF_TWO_STEPS;
  if (bits > MIN_BUCKET_BITS && (uneven || range.in_order)) return false;
  plan->bits.first = bits == MIN_BUCKET_BITS ? bits : (bits + 1) / 2;
  plan->bits.second = bits - plan->bits.first;
  plan->first = plan->bits.second > 0     ? &first_tiles
                : n <= SMALL_TILES_UP_TO  ? &small_tiles
                : n <= MEDIUM_TILES_UP_TO ? &medium_tiles
                                          : &large_tiles;
  plan->second = plan->bits.second < 8 ? &second_tiles : &second_tiles_of_256;
  plan->buckets = buckets;
  const size_t limit = dynamic_shared_limit();
  return plan->first->shared_bytes <= limit && plan->second->shared_bytes <= limit &&
         plan->buckets->shared_bytes <= limit && counter_bytes(bits) <= limit;
}

// The most first bits that n keys may share, so that buckets by the next ones sort them; else all
// bits that are left are too few for the buckets and for the bins of their blocks.
static inline int most_skip_of_buckets(size_t n) {
  BucketPlan plan;
  if (!plan_buckets(n, A_LITTLE_UNEVEN, &plan)) return 0;
  return 32 - plan.bits.first - plan.bits.second - plan.buckets->fine_bits;
}

static void partition_step(const PartitionShape *shape, const unsigned int *in, unsigned int *out,
                           size_t n, int bits, PartitionStep step) {
  step.digit.mask = (1u << bits) - 1;
  while (step.digit.copy_bits < 5 && 2u << (bits + step.digit.copy_bits) <= shape->counters)
    step.digit.copy_bits++;
  // Each part may end in a short tile.
  const unsigned int tiles = blocks_for(n, (int)shape->tile) + step.parts - 1;
  launch_overlapped(shape->kernel, tiles, shape->threads, shape->shared_bytes, in, out,
                    (unsigned int)n, step);
}

// Issues all launches. The first one sets state.too_large, on which the others return at once.
static void launch_bucket_sort(const BucketPlan *plan, const unsigned int *in, unsigned int *spare,
                               unsigned int *out, size_t n, KeyRange range, BucketState state) {
  const BucketBits bits = plan->bits;
  const int all_bits = bits.first + bits.second, shift = 32 - all_bits;
  const bool packed = all_bits >= PACKED_BUCKET_BITS;
  const size_t bytes = counter_bytes(all_bits);
  const auto count = packed ? count_buckets<true> : count_buckets<false>;
  allow_shared_memory(count, bytes);
  allow_shared_memory(plan->first->kernel, plan->first->shared_bytes);
  allow_shared_memory(plan->second->kernel, plan->second->shared_bytes);
  allow_shared_memory(plan->buckets->kernel, plan->buckets->shared_bytes);
  allow_shared_memory(plan->buckets->of_range, plan->buckets->shared_bytes);

  stage_start("hist");
  const unsigned int most =
      (packed ? 1 : 2) * (unsigned int)device_attribute(cudaDevAttrMultiProcessorCount);
  unsigned int blocks = blocks_for(n, HISTOGRAM_THREADS * 4);
  if (blocks > most) blocks = most;
  count<<<blocks, HISTOGRAM_THREADS, bytes>>>(in, n, bits, range, plan->second->tile,
                                              plan->buckets->capacity, state);
  LAUNCH_CHECK();
  stage_stop();
  stage_start("sweep");
  PartitionStep step = {
      {32 - bits.first - range.skip, 0, 0, 0}, state.next_in_part, 1, NULL, NULL, state.too_large};
  partition_step(plan->first, in, spare, n, bits.first, step);
  const unsigned int *bucketed = spare;
  if (bits.second > 0) {
    step.digit.shift = shift - range.skip;
    step.next = state.next_in_bucket;
    step.parts = 1u << bits.first;
    step.first_tile = state.first_tile;
    step.start = state.start;
    partition_step(plan->second, spare, out, n, bits.second, step);
    bucketed = out;
  }
  const BucketShape *const shape = plan->buckets;
  if (range.skip == 0)
    launch_overlapped(shape->kernel, 1u << all_bits, shape->threads, shape->shared_bytes, bucketed,
                      out, state.start, shift, state.too_large);
  else
    launch_overlapped(shape->of_range, 1u << all_bits, shape->threads, shape->shared_bytes,
                      bucketed, out, state.start, shift, state.too_large, range);
  stage_stop();
}

// Sorts each large bucket of the bare keys `bucketed` to its place in `out`, which may be the same
// array. Both are overwritten there, and `spare`, which has room for all n keys: more than the
// sweeps of a large bucket need, a quarter of all keys at most.
static void sort_large_keys(volatile const HostVerdict *host, unsigned int *bucketed,
                            unsigned int *spare, unsigned int *out) {
  void *const memory = (void *)scratch_aligned((uintptr_t)spare);
  for (unsigned int i = 0; i < host->large; i++) {
    const unsigned int begin = host->bucket[i].begin;
    sort_by_sweeps({bucketed + begin, NULL}, {out + begin, NULL}, host->bucket[i].count, memory);
  }
}

// Sorts n keys, all of `range`, from `in` to `out`: FITS. Else `in` is unchanged, `spare` and `out`
// are undefined: TO_RANGE, with *found, if the range should be wider; TOO_LARGE if no plan fits n
// or too many keys are in large buckets. The host waits for the counting kernel only.
static unsigned int sort_by_buckets(unsigned int *in, unsigned int *spare, unsigned int *out,
                                    size_t n, KeyRange range = WHOLE_RANGE,
                                    KeyRange *found = NULL) {
  BucketPlan plan;
  if (!plan_buckets(n, range, &plan)) return TOO_LARGE;
  const size_t parts = (size_t)1 << plan.bits.first, buckets = parts << plan.bits.second;
  unsigned int *const start =
      (unsigned int *)scratch_alloc((2 * buckets + 2 * parts + 3) * sizeof *start);
  unsigned int *const next_in_bucket = start + buckets + 1;
  unsigned int *const next_in_part = next_in_bucket + buckets;
  unsigned int *const first_tile = next_in_part + parts, *const too_large = first_tile + parts + 1;
  const BucketState state = {start,      next_in_part, next_in_bucket,
                             first_tile, too_large,    fresh_host_verdict(n)};
  launch_bucket_sort(&plan, in, spare, out, n, range, state);
  scratch_free(start);
  if (!verdict_fits(state.host)) {
    if (found != NULL) *found = range_of(state.host);
    return state.host->verdict;
  }
  const bool two_steps = plan.bits.second > 0;
  sort_large_keys(state.host, two_steps ? out : spare, two_steps ? spare : in, out);
  return FITS;
}

#endif
