// Bare keys, too many for the buckets of buckets.cuh: two sweeps of radix_v6 over the upper 16
// bits, the first one unordered, as equal bare keys are identical; then a block per bucket. 28
// bytes a key instead of 36.
#ifndef RADIX_V7_KEYS_BY_PREFIX_CUH
#define RADIX_V7_KEYS_BY_PREFIX_CUH

#include "radix_v7/by_buckets.cuh"
#include "radix_v7/by_prefix.cuh"

enum { MOST_KEYS_BY_BUCKETS = 280000000 };

#define WIDE_BUCKET_SHAPE(items, few) \
  { 512, 512 * items, sizeof(BucketShared<512, items, 12>), sort_buckets<512, items, 12, few, 2> }

static const BucketShape wide_buckets[] = {WIDE_BUCKET_SHAPE(18, 8), WIDE_BUCKET_SHAPE(33, 12),
                                           WIDE_BUCKET_SHAPE(36, 12)};
enum { WIDE_BUCKETS = sizeof wide_buckets / sizeof *wide_buckets };

// Sorts n keys from `in` to `out`; false, and `in` is as it was, if n does not suit it or some
// bucket has too many keys.
static bool sort_keys_by_prefix(unsigned int *in, unsigned int *spare, unsigned int *out, size_t n,
                                const BucketShape *bucket) {
  const PrefixBits bits = {DIGIT_BITS, DIGIT_BITS};
  const Shape *const shape = choose_shape(n, false);
  const size_t limit = dynamic_shared_limit(), buckets = MAX_PREFIXES;
  if (count_shared_bytes(MAX_PREFIX_BITS, n) > limit || bucket->shared_bytes > limit) return false;
  const unsigned int tiles = blocks_for(n, SWEEP_THREADS * shape->items);
  const size_t look_back_one = (size_t)tiles * BINS;
  PrefixState state = {};
  void *const memory = allocate_prefix_state(&state, n, bits, 2 * look_back_one);

  stage_start("hist");
  launch_count(in, n, bits, bucket->capacity, true, state);
  stage_stop();
  stage_start("sweep");
  allow_shared_memory(shape->keys, shape->shared_bytes);
  allow_shared_memory(bucket->kernel, bucket->shared_bytes);
  const Pairs stations[] = {{in, NULL}, {spare, NULL}, {out, NULL}};
  for (unsigned int pass = 0; pass < 2; pass++) {
    const SweepPass sweep = {2 + pass,
                             pass == 0,
                             state.spread + pass,
                             pass == 0 ? state.low_start : state.high_start,
                             state.tile_counter + pass,
                             state.look_back + pass * look_back_one};
    launch_overlapped(shape->keys, tiles, SWEEP_THREADS, shape->shared_bytes, stations[pass],
                      stations[pass + 1], (unsigned int)n, sweep);
  }
  launch_overlapped(bucket->kernel, (unsigned int)buckets, bucket->threads, bucket->shared_bytes,
                    out, out, state.start, 32 - MAX_PREFIX_BITS, state.spread);
  stage_stop();
  scratch_free(memory);
  if (!verdict_fits(state.host)) return false;
  sort_large_keys(state.host, out, spare, out);
  return true;
}

// Which buckets suit n uniform keys; NULL if none, or if n is so small that by_buckets.cuh is
// better.
static const BucketShape *choose_wide_buckets(size_t n) {
  if (n <= MOST_KEYS_BY_BUCKETS) return NULL;
  for (int i = 0; i < WIDE_BUCKETS; i++)
    if (buckets_fit(n, MAX_PREFIX_BITS, &wide_buckets[i])) return &wide_buckets[i];
  return NULL;
}

#endif
