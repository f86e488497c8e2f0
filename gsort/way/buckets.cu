// Bare keys that are even but for a few values, or within a part of all numbers: the keys of each
// bucket are counted first.
//
//   one step:    in -partition-> workspace -sort-> out
//   two steps:   in -partition-> workspace -partition-> out -sort-> out
#include "gsort/kernel/count_buckets.cuh"
#include "gsort/kernel/partition.cuh"
#include "gsort/way/key_buckets.cuh"
#include "gsort/way/sweeps.cuh"

typedef void PartitionKernel(const unsigned int *, unsigned int *, unsigned int, PartitionStep);
typedef StepShape<PartitionKernel> PartitionShape;

// Fastest on an H200 (LOG.md). A single step makes 1,024 bins; small n takes small tiles, so
// that all multiprocessors have one. Each of two steps makes at most 256 bins. The first one writes
// to all of the output at once, where long runs count most; so does the second with 256 bins.
static const PartitionShape small_tiles = STEP_SHAPE(partition, 512, 8, 4, 1024, 3),
                            medium_tiles = STEP_SHAPE(partition, 512, 20, 4, 1024, 2),
                            large_tiles = STEP_SHAPE(partition, 512, 32, 4, 1024, 2),
                            first_tiles = STEP_SHAPE(partition, 512, 40, 4, MAX_PARTS, 2),
                            second_tiles = STEP_SHAPE(partition, 256, 44, 8, MAX_PARTS, 3),
                            second_tiles_of_256 = STEP_SHAPE(partition, 512, 32, 4, MAX_PARTS, 2);
enum { SMALL_TILES_UP_TO = 750000, MEDIUM_TILES_UP_TO = 6000000 };

typedef void SortKernel(const unsigned int *, unsigned int *, CountedBuckets);
typedef void RangeKernel(const unsigned int *, unsigned int *, CountedBuckets, KeyRange, KeyCode);
#define SORT_KERNEL(...) sort_buckets<__VA_ARGS__>
#define RANGE_KERNEL(...) sort_buckets_of_range<__VA_ARGS__>
static SortKernel *const sort_kernels[] = {BUCKET_SHAPES(SORT_KERNEL)};
static RangeKernel *const range_kernels[] = {BUCKET_SHAPES(RANGE_KERNEL)};

typedef struct BucketPlan {
  BucketBits bits;
  const PartitionShape *first, *second;  // second: if there are two steps
  int sort;                              // a bucket shape
} BucketPlan;

// Whether 2^bits buckets of n keys of `range` fit into blocks of this shape. The size of a bucket
// has a standard deviation of about the square root of its mean, times that of the number of equal
// keys; six of them are exceeded in one of 10^9.
static bool buckets_fit(size_t n, const KeyRange *range, int bits, const Shape &shape) {
  const double average = (double)n * range->density / (double)(1 << bits),
               spare = shape.elements - average;
  return spare > 0 && spare * spare >= 36 * average * range->equals;
}

// Shared memory of count_buckets().
static size_t counter_bytes(int bits) {
  return sizeof(unsigned int) << (bits >= PACKED_BUCKET_BITS ? bits - 1 : bits);
}

// Chooses the fewest bits, and for these the smallest shape, with which keys of `range` fit. False
// if no plan suits n or the device.
static bool plan_buckets(const Call *call, const KeyRange *range, BucketPlan *plan) {
  const size_t n = call->n;
  int bits = MIN_BUCKET_BITS, sort = 0;
  for (; bits <= MAX_BUCKET_BITS; bits++) {
    for (sort = 0; sort < shapes_for(bits); sort++)
      if (buckets_fit(n, range, bits, bucket_shapes[sort])) break;
    if (sort < shapes_for(bits)) break;
  }
  // Keys of a narrow range have too few bits for the buckets and for the bins of their blocks.
  if (bits > MAX_BUCKET_BITS || bits + bucket_shapes[sort].bits > 32 - range->skip) return false;
  // Two steps to buckets that mostly are far from full, or from keys in order, take longer than
  // sweeps.
  const bool uneven = !range->even && range->density > MOST_DENSITY_OF_TWO_STEPS;
  if (bits > MIN_BUCKET_BITS && (uneven || range->in_order)) return false;
  plan->bits.first = bits == MIN_BUCKET_BITS ? bits : (bits + 1) / 2;
  plan->bits.second = bits - plan->bits.first;
  plan->first = plan->bits.second > 0     ? &first_tiles
                : n <= SMALL_TILES_UP_TO  ? &small_tiles
                : n <= MEDIUM_TILES_UP_TO ? &medium_tiles
                                          : &large_tiles;
  plan->second = plan->bits.second < 8 ? &second_tiles : &second_tiles_of_256;
  plan->sort = sort;
  return fits(call, plan->first->tiles) && fits(call, plan->second->tiles) &&
         fits(call, bucket_shapes[sort]) && counter_bytes(bits) <= call->device->shared_limit;
}

// What lies in the workspace behind a copy of the keys, of which *bytes are needed in all; without
// one only these are of use.
static BucketState bucket_state(const Call *call, BucketBits bits, char *workspace, size_t *bytes) {
  const size_t parts = (size_t)1 << bits.first, buckets = parts << bits.second;
  Pieces pieces = {workspace, 0};
  BucketState state = {};
  pieces.next<unsigned int>(call->n);
  state.count = pieces.next<unsigned long long>(buckets / 2);
  state.arrived = pieces.next<unsigned int>(1);
  state.stop = pieces.next<unsigned int>(1);
  state.start = pieces.next<unsigned int>(buckets + 1);
  state.next_in_part = pieces.next<unsigned int>(parts);
  state.next_in_bucket = pieces.next<unsigned int>(buckets);
  state.first_tile = pieces.next<unsigned int>(parts + 1);
  state.host = call->host;
  *bytes = pieces.bytes;
  return state;
}

// The workspace has to do for any range. Keys of the greatest density get buckets of 660 keys on
// average at least, as half as many would have been too large: those have more than 1,000.
static size_t buckets_bytes(const Call *call, const KeyRange *range) {
  BucketPlan plan;
  if (!plan_buckets(call, range, &plan)) return 0;
  int bits = MIN_BUCKET_BITS;
  while (bits < MAX_BUCKET_BITS && call->n >> bits >= 1000) bits++;
  size_t bytes;
  bucket_state(call, {MIN_BUCKET_BITS, bits - MIN_BUCKET_BITS}, NULL, &bytes);
  return bytes;
}

static void launch_step(Call *call, const PartitionShape *shape, const unsigned int *in,
                        unsigned int *out, int shift, int bits, PartitionStep step) {
  step.digit = step_digit(shift, bits, shape->counters);
  // Each part may end in a short tile.
  const unsigned int tiles = parts_of(call->n, shape->tiles.elements) + step.parts - 1;
  launch_shape(call, shape->tiles, shape->kernel, tiles, in, out, (unsigned int)call->n, step);
}

// Issues all launches. The first one sets *state.stop, on which the others return at once.
static void launch_buckets(Call *call, const BucketPlan *plan, const KeyRange *range,
                           unsigned int *spare, BucketState state) {
  const BucketBits bits = plan->bits;
  const int all_bits = bits.first + bits.second, shift = 32 - all_bits;
  const bool packed = all_bits >= PACKED_BUCKET_BITS;
  const Shape &sort = bucket_shapes[plan->sort];
  const unsigned int *const in = call->input.keys;
  unsigned int *const out = call->output.keys;
  const unsigned int most = (packed ? 1 : 2) * call->device->multiprocessors;
  clear_words(call, state.count, (size_t)((char *)(state.stop + 1) - (char *)state.count));
  launch_first(call, packed ? count_buckets<true> : count_buckets<false>,
               least_of(parts_of(call->n, COUNT_THREADS * 4), most), COUNT_THREADS,
               counter_bytes(all_bits), in, call->n, call->code, bits, *range,
               plan->second->tiles.elements, sort.elements, state);
  const PartitionStep step = {call->code, {}, state.next_in_part, 1, NULL, NULL, state.stop};
  launch_step(call, plan->first, in, spare, 32 - bits.first - range->skip, bits.first, step);
  const unsigned int *bucketed = spare;
  if (bits.second > 0) {
    const PartitionStep second = {
        {}, {}, state.next_in_bucket, 1u << bits.first, state.first_tile, state.start, state.stop};
    launch_step(call, plan->second, spare, out, shift - range->skip, bits.second, second);
    bucketed = out;
  }
  const CountedBuckets buckets = {state.start, shift, state.stop};
  if (range->skip == 0 && is_plain(call->code))
    launch_shape(call, sort, sort_kernels[plan->sort], 1u << all_bits, bucketed, out, buckets);
  else
    launch_shape(call, sort, range_kernels[plan->sort], 1u << all_bits, bucketed, out, buckets,
                 *range, call->code);
}

// The host waits for the counting kernel only.
static Finding buckets_run(Call *call, Known *known) {
  const KeyRange range = known->range;
  BucketPlan plan;
  plan_buckets(call, &range, &plan);
  unsigned int *const spare = (unsigned int *)call->workspace;
  volatile HostVerdict *const host = fresh_verdict(call);
  size_t bytes;
  launch_buckets(call, &plan, &range, spare,
                 bucket_state(call, plan.bits, call->workspace, &bytes));
  const Finding finding = wait_for_finding(call, UNKNOWN);
  if (finding == IN_RANGE) known->range = copy_of(&host->range);
  return finding;
}

extern "C" const Way way_buckets = {"buckets", buckets_bytes, buckets_run};
