// radix_v7: bare keys with fewer trips through memory: small buckets, sorted on the chip.
//
// Builds on: radix_v6, whose sweeps sort pairs, and keys that are not even.
// Build:     make radix_v7 compare
// Run:       ./compare radix_v7 --n 1M --keys
// New here:  keys are moved by their upper bits to regions, one for each bucket, while a sample is
//            judged (gsort/kernel/move_to_regions.cuh); a block sorts each bucket in shared memory
//            (gsort/kernel/sort_buckets.cuh).
// Lesson:    equal bare keys are identical, so a sort of them need not pay for stability.
#include "common/your_sort.h"
#include "gsort/kernel/move_to_regions.cuh"
#include "radix_v6/few.cuh"
#include "radix_v6/sweeps.cuh"

// Blocks that sort a bucket: the smallest first.
typedef struct BucketShape {
  unsigned int threads, capacity;  // of keys
  size_t bytes;
  void (*sort)(const unsigned int *, unsigned int *, RegionBuckets);
} BucketShape;

#define BUCKET_SHAPE(threads, items, fine_bits, few, blocks_per_sm)           \
  {                                                                           \
    threads, threads *items, sizeof(BucketShared<threads, items, fine_bits>), \
        sort_regions<threads, items, fine_bits, few, blocks_per_sm>           \
  }
static const BucketShape bucket_shapes[] = {
    BUCKET_SHAPE(256, 9, 10, 8, 6), BUCKET_SHAPE(256, 18, 11, 8, 5),
    BUCKET_SHAPE(256, 33, 11, 12, 4), BUCKET_SHAPE(512, 36, 12, 12, 2)};
enum { BUCKET_SHAPES = sizeof bucket_shapes / sizeof *bucket_shapes };

// One step makes at most 2^10 regions; of two steps, each makes at most 2^8.
enum { MOVE_THREADS = 512, MOVE_ITEMS = 40, SPLIT_ITEMS = 32, COUNTERS = 4, ONE_STEP_BITS = 10 };
static const auto move_once =
    move_to_regions<MOVE_THREADS, MOVE_ITEMS, COUNTERS, 1 << ONE_STEP_BITS, 2, REGIONS>;
static const auto move_to_parts =
    move_to_regions<MOVE_THREADS, MOVE_ITEMS, COUNTERS, MAX_PARTS, 2, REGIONS_IN_PIECES>;
static const auto split = split_parts<MOVE_THREADS, SPLIT_ITEMS, COUNTERS, MAX_PARTS, 2>;
static const size_t move_bytes = sizeof(
                        PartitionShared<MOVE_THREADS, MOVE_ITEMS, COUNTERS, 1 << ONE_STEP_BITS>),
                    split_bytes =
                        sizeof(PartitionShared<MOVE_THREADS, SPLIT_ITEMS, COUNTERS, MAX_PARTS>);

enum { LARGEST = (1 << 30) - 1 };
static const char *const stages[] = {"hist", "sweep", NULL};
static const SortKnob knobs[] = {
    {"rankedUpTo", RANKED_MOST, 0, RANKED_MOST, "largest n that is sorted in one launch, by rank"},
    {"regionsFrom", 100000, 1, LARGEST, "smallest n of bare keys that go to buckets"},
    {"bucketBits", 9, 8, MAX_BUCKET_BITS,
     "keys go to 2^bucketBits buckets, or more if these would be too large for a block"},
    {"shape", 0, 0, SHAPES, "tile shape of the sweeps, a row of radix_v6's table; 0: chosen by n"},
    {},
};

extern "C" const SortVersion sort_version = {
    .name = "radix_v7",
    .title = "bare keys by their upper bits to small buckets, each sorted on the chip",
    .source = "gsort/, in this repository",
    .stable = true,
    .max_n = LARGEST,  // a count of the look-back shares 32 bits with two flags
    .slow_n = 0,
    .stages = stages,
    .knobs = knobs,
    .scratch_per_key = 5.1,  // at 500,000 keys: regions with capacity to spare; 4.3 at 8 million
    .scratch_per_pair = 8.4,
};

// How n keys are sorted, and the words of the memory: the regions of the buckets, then the parts
// that do not fit into the output, then where the next key of each goes.
typedef struct Plan {
  BucketBits bits;  // second: 0 if there is one step
  const BucketShape *shape;
  unsigned int capacity, part_capacity;  // of a region of each step
  size_t split_at;                       // key i of the parts lies in the output if i < split_at
  size_t behind, next, words;            // where these begin, and all together
} Plan;

// As few buckets as fit into blocks: sizes differ by chance, so a region has capacity for six
// standard deviations more than its share.
static Plan plan_regions(size_t n) {
  Plan plan = {};
  int bits = knob("bucketBits");
  const unsigned int most = bucket_shapes[bits < MAX_BUCKET_BITS ? 2 : 3].capacity;
  while (bits < MAX_BUCKET_BITS && region_capacity(n, bits) > most) bits++;
  plan.bits.first = bits <= ONE_STEP_BITS ? bits : (bits + 1) / 2;
  plan.bits.second = bits - plan.bits.first;
  plan.capacity = region_capacity(n, bits);
  plan.shape = bucket_shapes;
  while (plan.shape->capacity < plan.capacity) plan.shape++;
  const size_t parts = plan.bits.second > 0 ? (size_t)1 << plan.bits.first : 0;
  plan.part_capacity = parts > 0 ? region_capacity(n, plan.bits.first) : 0;
  plan.split_at = parts > 0 ? n / plan.part_capacity * plan.part_capacity : 0;
  plan.behind = (size_t)plan.capacity << bits;
  plan.next = plan.behind + parts * plan.part_capacity - plan.split_at;
  plan.words = plan.next + ((size_t)1 << bits) + parts;
  return plan;
}

// As many counters for each bin as there are, up to one for each lane.
static Digit step_digit(int shift, int bits) {
  Digit digit = {shift, (1u << bits) - 1, 0, 0};
  while (digit.copy_bits < 5 && 2u << (bits + digit.copy_bits) <= COUNTERS * MOVE_THREADS)
    digit.copy_bits++;
  return digit;
}

// What the device has found, once it is not `not_this` any more.
static Finding wait_for_finding(volatile HostVerdict *host, Finding not_this) {
  while (host->finding == (unsigned int)not_this && cudaStreamQuery(0) == cudaErrorNotReady) {
  }
  CUDA_CHECK(cudaPeekAtLastError());
  return (Finding)host->finding;
}

// Sorts n keys from `in` to `out` by regions, or by sweeps if a sample leaves nothing else. False,
// with the input as it was, if they do not suit regions for another reason.
static bool sort_by_regions(unsigned int *in, unsigned int *out, size_t n, const Plan *plan,
                            unsigned int *memory, Findings *findings) {
  static HostVerdict *pinned = NULL;
  if (pinned == NULL) CUDA_CHECK(cudaMallocHost((void **)&pinned, sizeof *pinned));
  volatile HostVerdict *const host = pinned;
  host->finding = UNKNOWN;
  const BucketBits bits = plan->bits;
  const int all_bits = bits.first + bits.second;
  const bool two_steps = bits.second > 0;
  unsigned int *const next = memory + plan->next;
  const unsigned int early = 2 * multiprocessors();
  RegionBuckets buckets = {};
  buckets.regions = {plan->capacity, next, findings, early, 0, 0, NULL};
  if (two_steps)
    buckets.parts = {
        plan->part_capacity,          next + ((size_t)1 << all_bits),        findings, early, 0,
        (unsigned int)plan->split_at, memory + plan->behind - plan->split_at};
  buckets.bits = bits;
  buckets.host = host;
  const Regions first = two_steps ? buckets.parts : buckets.regions;
  const SweepState sweeps = two_steps ? SweepState() : sweep_state(n, false, memory);
  // Keys of a group of 2^4 may be as many as its regions can hold.
  const float capacity = (float)(first.capacity << (bits.first - GROUP_BITS));
  const unsigned int second = second_blocks(n);

  stage_start("hist");
  if (second > 1) CUDA_CHECK(cudaMemsetAsync(findings, 0, CLEARED_BYTES, 0));
  sample_keys<<<1 + second, SAMPLE_THREADS>>>(in, n, 1, capacity, buckets, true);
  LAUNCH_CHECK();
  stage_stop();
  stage_start("sweep");
  const auto move = two_steps ? move_to_parts : move_once;
  allow_shared_memory(move, move_bytes);
  launch_overlapped(move, parts_of(n, MOVE_THREADS * MOVE_ITEMS), MOVE_THREADS, move_bytes, in,
                    two_steps ? out : memory, (unsigned int)n, KeyCode{0, 0},
                    step_digit(32 - bits.first, bits.first), first, sweeps, host);
  Finding found = wait_for_finding(host, UNKNOWN);
  if (found == EVEN) {
    if (two_steps) {
      const unsigned int tiles = parts_of(plan->part_capacity, MOVE_THREADS * SPLIT_ITEMS);
      allow_shared_memory(split, split_bytes);
      launch_overlapped(split, tiles << bits.first, MOVE_THREADS, split_bytes, out, memory, tiles,
                        step_digit(32 - all_bits, bits.second), buckets.parts, buckets.regions);
    }
    allow_shared_memory(plan->shape->sort, plan->shape->bytes);
    launch_overlapped(plan->shape->sort, 1u << all_bits, plan->shape->threads, plan->shape->bytes,
                      memory, out, buckets);
    found = wait_for_finding(host, EVEN);
  }
  stage_stop();
  const bool counted = found == UNEVEN && !two_steps;
  if (counted) sweep_all_digits({in, NULL}, {out, NULL}, n, memory);
  return counted || found == SORTED;
}

static bool suits_regions(size_t n) {
  const size_t limit = dynamic_shared_limit();
  return n >= (size_t)knob("regionsFrom") && move_bytes <= limit && split_bytes <= limit &&
         bucket_shapes[BUCKET_SHAPES - 1].bytes <= limit;
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  const size_t n = numElems;
  const Elements input = {d_inputVals, d_inputPos}, output = {d_outputVals, d_outputPos};
  if (n == 0) return;
  if (n <= (size_t)knob("rankedUpTo")) {
    sort_by_rank(input, output, n);
    return;
  }
  if (d_inputPos == NULL && suits_regions(n)) {
    const Plan plan = plan_regions(n);
    const size_t regions = plan.words * sizeof(unsigned int), sweeps = sweeps_bytes(n, false),
                 bytes = scratch_aligned(regions > sweeps ? regions : sweeps);
    char *const memory = (char *)scratch_alloc(bytes + sizeof(Findings));
    const bool sorted = sort_by_regions(d_inputVals, d_outputVals, n, &plan, (unsigned int *)memory,
                                        (Findings *)(memory + bytes));
    scratch_free(memory);
    if (sorted) return;
  }
  sort_by_sweeps(input, output, n);
}
