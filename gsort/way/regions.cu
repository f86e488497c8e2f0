// Bare keys that are even, over all numbers or within a range: to regions of buckets, which nothing
// is counted for.
//
//   one step:    in -move-> regions in the workspace -sort-> out
//   two steps:   in -move-> parts in `out` and behind the regions -split-> regions -sort-> out
#include "gsort/kernel/move_to_regions.cuh"
#include "gsort/kernel/sort_buckets.cuh"
#include "gsort/way/launch.cuh"
#include "gsort/way/sweeps.cuh"

// Shapes of the blocks that sort buckets.
// OF(threads, items, fine_bits, few, per_sm) for each: the smallest first; the last one is for 2^16
// buckets and more.
#define BUCKET_SHAPES(OF)                                                                     \
  OF(256, 9, 10, 8, 6), OF(256, 18, 11, 8, 5), OF(256, 24, 11, 8, 5), OF(256, 33, 11, 12, 4), \
      OF(256, 39, 11, 12, 3), OF(512, 36, 12, 12, 2)

#define BUCKET_SHAPE(threads, items, fine_bits, few, per_sm) \
  SHAPE(threads, items, fine_bits, per_sm, BucketShared<threads, items, fine_bits>)
static const Shape bucket_shapes[] = {BUCKET_SHAPES(BUCKET_SHAPE)};
enum { SHAPES = sizeof bucket_shapes / sizeof *bucket_shapes };

// Shapes that may sort 2^bits buckets.
static inline int shapes_for(int bits) { return bits >= MAX_BUCKET_BITS ? SHAPES : SHAPES - 1; }

// A kernel that moves keys to bins, its tiles, and the shared counters of a block.
template <class Kernel>
struct StepShape {
  Shape tiles;
  unsigned int counters;
  Kernel *kernel;
};

// Behind the numbers: blocks of a multiprocessor, and what else the kernel is told.
#define STEP_SHAPE(kernel, threads, items, each, max_bins, ...)                                  \
  {                                                                                              \
    SHAPE(threads, items, 0, 0, PartitionShared<threads, items, each, max_bins>), threads *each, \
        kernel<threads, items, each, max_bins, __VA_ARGS__>                                      \
  }

// A digit of a step whose blocks have that many counters.
static inline Digit step_digit(int shift, int bits, unsigned int counters) {
  Digit digit = {shift, (1u << bits) - 1, 0, 0};
  while (digit.copy_bits < 5 && 2u << (bits + digit.copy_bits) <= counters) digit.copy_bits++;
  return digit;
}

typedef void MoveKernel(const unsigned int *, unsigned int *, unsigned int, KeyCode, Digit, Regions,
                        SweepState, volatile HostVerdict *);
typedef void SplitKernel(const unsigned int *, unsigned int *, unsigned int, Digit, Regions,
                         Regions);
typedef void SortKernel(const unsigned int *, unsigned int *, RegionBuckets);
typedef StepShape<MoveKernel> MoveShape;
typedef StepShape<SplitKernel> SplitShape;

// Regions of a single step. For few keys there are half as many, as the capacity to spare grows
// with the root of a region's keys.
enum { MOST_REGION_BITS = 10, MOST_REGIONS = 1 << MOST_REGION_BITS, FEW_REGIONS_UP_TO = 2700000 };

// Of two steps each makes 2^9 parts at most.
enum { MOST_BITS = 18, MOST_PARTS = 1 << MOST_BITS / 2 };

// A single step, with small tiles where there are few keys for all multiprocessors; the first of
// two steps; the second, for less than 256 regions of a part and for more. In the last two, long
// runs count most: their parts, or regions, are all of the output.
static const MoveShape small_moves =
                           STEP_SHAPE(move_to_regions, 512, 16, 4, MOST_REGIONS, 2, REGIONS),
                       large_moves =
                           STEP_SHAPE(move_to_regions, 512, 40, 4, MOST_REGIONS, 2, REGIONS),
                       moves_to_parts = STEP_SHAPE(move_to_regions, 512, 40, 4, MOST_PARTS, 2,
                                                   REGIONS_IN_PIECES);
static const SplitShape splits = STEP_SHAPE(split_parts, 256, 44, 8, MAX_PARTS, 3),
                        splits_to_many = STEP_SHAPE(split_parts, 512, 32, 4, MOST_PARTS, 2);
enum { SMALL_MOVES_UP_TO = 1500000, BLOCKS_PER_SM = 2 };

#define SORT_KERNEL(...) sort_regions<__VA_ARGS__>
static SortKernel *const sort_kernels[] = {BUCKET_SHAPES(SORT_KERNEL)};

// With that many keys, they take longer to move than the host to learn whether a sample is even. It
// waits for that before it launches the rest, which is of no use for other keys.
enum { HOST_WAITS_FROM = 3000000 };

// How n keys are sorted, and the words of the workspace: the regions of the buckets, the parts that
// do not fit into `out`, where the next key of each goes; or, if only sweeps are left, all that
// these need. Behind it the sums of their count, which have to be 0 before.
typedef struct RegionPlan {
  BucketBits bits;  // second: 0 if there is one step
  const MoveShape *move;
  const SplitShape *split;  // NULL if there is one step
  int sort;                 // a bucket shape
  size_t buckets, parts;    // parts: 0 if there is one step
  unsigned int capacity, part_capacity;
  size_t split_at;  // key i of the parts lies in `out` if i < split_at, else behind the regions
  size_t region_words, words;
} RegionPlan;

// Keys that so many regions can hold, at most. Unlike the sum of their capacities, this grows with
// n, so that a workspace is enough for fewer keys.
static double most_capacity(size_t n, size_t regions) {
  const double average = (double)n / (double)regions;
  return (double)regions * (region_capacity_of(average, 1) + WARP_SIZE);
}

static size_t most_words(size_t n, size_t buckets, size_t parts) {
  double words = most_capacity(n, buckets) + (double)(buckets + parts);
  if (parts > 0) {
    const double in_parts = most_capacity(n, parts);
    words += in_parts - (double)n + in_parts / (double)parts;  // one part more, as parts are whole
  }
  return (size_t)words;
}

// The smallest blocks for 2^bits buckets of n keys; SHAPES if none is large enough.
static int shape_of_regions(size_t n, int bits) {
  for (int i = 0; i < shapes_for(bits); i++)
    if (bucket_shapes[i].elements >= region_capacity(n, bits)) return i;
  return SHAPES;
}

// Plans as few buckets as fit, but 1,024 at least, or 512 for few keys. False if no plan suits n or
// the device.
static bool plan_regions(const Call *call, RegionPlan *plan) {
  const size_t n = call->n;
  int bits = n <= FEW_REGIONS_UP_TO ? MOST_REGION_BITS - 1 : MOST_REGION_BITS;
  while (bits < MOST_BITS && shape_of_regions(n, bits) == SHAPES) bits++;
  *plan = {};
  plan->bits.first = bits <= MOST_REGION_BITS ? bits : (bits + 1) / 2;
  plan->bits.second = bits - plan->bits.first;
  plan->sort = shape_of_regions(n, bits);
  plan->capacity = region_capacity(n, bits);
  plan->buckets = (size_t)1 << bits;
  plan->region_words = plan->buckets * plan->capacity;
  plan->move = n <= SMALL_MOVES_UP_TO ? &small_moves : &large_moves;
  if (plan->bits.second > 0) {
    plan->move = &moves_to_parts;
    plan->split = plan->bits.second < 8 ? &splits : &splits_to_many;
    plan->parts = (size_t)1 << plan->bits.first;
    plan->part_capacity = region_capacity(n, plan->bits.first);
    plan->split_at = n / plan->part_capacity * plan->part_capacity;  // whole parts
  }
  plan->words = greatest_of(most_words(n, plan->buckets, plan->parts),
                            all_digits(call, NULL).bytes / sizeof(unsigned int));
  // The kernels' indices have 32 bits.
  return plan->region_words <= UINT32_MAX && plan->sort < SHAPES &&
         fits(call, bucket_shapes[plan->sort]) && fits(call, plan->move->tiles) &&
         (plan->split == NULL || fits(call, plan->split->tiles));
}

static size_t regions_bytes(const Call *call, const KeyRange *) {
  RegionPlan plan;
  return plan_regions(call, &plan) ? plan.words * sizeof(unsigned int) : 0;
}

static RegionBuckets region_buckets(const Call *call, const RegionPlan *plan) {
  unsigned int *const memory = (unsigned int *)call->workspace,
                      *const behind = memory + plan->region_words,
                      *const next = behind + plan->parts * plan->part_capacity - plan->split_at;
  const unsigned int early = BLOCKS_PER_SM * call->device->multiprocessors;
  RegionBuckets buckets = {};
  buckets.regions = {plan->capacity, next, call->findings, early, 0, 0, NULL};
  if (plan->parts > 0)
    buckets.parts = {plan->part_capacity,          next + plan->buckets,   call->findings, early, 0,
                     (unsigned int)plan->split_at, behind - plan->split_at};
  buckets.bits = plan->bits;
  buckets.code = call->code;
  buckets.host = call->host;
  return buckets;
}

static void launch_sample(Call *call, const RegionPlan *plan, const RegionBuckets &buckets,
                          bool tells_even) {
  const unsigned int second = second_blocks(call->n),
                     loading = second == 1 && call->device->hopper ? SAMPLE_CLUSTER : 1;
  if (second > 1) clear_words(call, call->findings, CLEARED_BYTES);
  const float capacity = (float)(plan->parts > 0 ? plan->part_capacity : plan->capacity) *
                         (float)(1 << (plan->bits.first - GROUP_BITS));
  launch_as(call, false, loading, sample_keys, (1 + second) * loading, SAMPLE_THREADS, 0,
            (const unsigned int *)call->input.keys, call->n, loading, capacity, buckets,
            tells_even);
}

static void launch_split_and_sort(Call *call, const RegionPlan *plan,
                                  const RegionBuckets &buckets) {
  const BucketBits bits = plan->bits;
  const int all_bits = bits.first + bits.second;
  unsigned int *const regions = (unsigned int *)call->workspace;
  if (plan->split != NULL) {
    const SplitShape *const split = plan->split;
    const unsigned int tiles_of_part = parts_of(plan->part_capacity, split->tiles.elements);
    launch_shape(call, split->tiles, split->kernel, tiles_of_part << bits.first, call->output.keys,
                 regions, tiles_of_part, step_digit(32 - all_bits, bits.second, split->counters),
                 buckets.parts, buckets.regions);
  }
  // Many blocks that have nothing to do take longer to return than fewer ones that sort several.
  const bool few = call->no_host_wait && all_bits > 14;
  launch_shape(call, bucket_shapes[plan->sort], sort_kernels[plan->sort],
               1u << (few ? all_bits - 2 : all_bits), regions, call->output.keys, buckets);
}

static Finding regions_run(Call *call, Known *) {
  RegionPlan plan;
  plan_regions(call, &plan);
  const bool two_steps = plan.parts > 0,
             waits = !call->no_host_wait && (two_steps || call->n >= HOST_WAITS_FROM);
  const unsigned int n = (unsigned int)call->n;
  volatile HostVerdict *const host = fresh_verdict(call);
  const RegionBuckets buckets = region_buckets(call, &plan);
  // The blocks of more keys have less memory for counters than the count of the sweeps pays for.
  SweepState sweeps = {};
  if (!two_steps) sweeps = all_digits(call, call->workspace).state;
  launch_sample(call, &plan, buckets, waits);
  launch_shape(call, plan.move->tiles, plan.move->kernel, parts_of(n, plan.move->tiles.elements),
               call->input.keys, two_steps ? call->output.keys : (unsigned int *)call->workspace, n,
               call->code, step_digit(32 - plan.bits.first, plan.bits.first, plan.move->counters),
               two_steps ? buckets.parts : buckets.regions, sweeps, host);
  if (!waits || wait_for_finding(call, UNKNOWN) == EVEN) {
    launch_split_and_sort(call, &plan, buckets);
    if (call->no_host_wait) {
      launch_values_if_few(call);
      return sweep_if_unsorted(call, call->workspace, !two_steps);
    }
    wait_for_finding(call, waits ? EVEN : UNKNOWN);
  }
  if (call->error != cudaSuccess) return SORTED;
  if (host->finding == UNEVEN && !two_steps) {
    sweep_all_digits(call, call->workspace);
    return SORTED;
  }
  return host->finding == STOPPED ? UNEVEN : (Finding)host->finding;
}

extern "C" const Way way_regions = {"regions", regions_bytes, regions_run};
