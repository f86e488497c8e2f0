// Wide bare keys that are not even, by buckets between splitters of a sample:
//
//   one step     in -split-> out -sort-> out
//   two steps    in -split-> parts in the workspace -split-> out -sort-> out
//
// 40 or 64 bytes a key move, and for bins of one value 24 or 48.
#include <utility>

#include "gsort/kernel/sample_wide_splitters.cuh"
#include "gsort/kernel/sort_wide_in_place.cuh"
#include "gsort/kernel/split_between_wide.cuh"
#include "gsort/way/launch.cuh"

// Keys of a bucket on average, and samples. A value that is two splitters gets a bin. So a bucket
// has less than twice its samples, and seldom more keys than a block has memory for.
enum { BUCKET_AVERAGE = 1280, BUCKET_SAMPLES = 10 };
enum { BETWEEN_FROM = 300000, LEAST_PARTS = 256 };
enum { SORT_THREADS = 256, SORT_FEW = 7, SORT_ITEMS = 13, SORT_BIN_BITS = 10, SORT_BLOCKS = 4 };
typedef WideBucketShared<SORT_THREADS, SORT_ITEMS, SORT_BIN_BITS> SortShared;
static const auto sort_in_place =
    sort_wide_in_place<SORT_THREADS, SORT_FEW, SORT_ITEMS, SORT_BIN_BITS, SORT_BLOCKS>;

typedef struct BetweenPlan {
  unsigned int parts, buckets_of_part;  // 1: one step
  unsigned int samples;
  size_t sample_at, state_at, bytes;
} BetweenPlan;

static bool plan_between(const Call *call, BetweenPlan *plan) {
  const size_t n = call->n, buckets = parts_of(n, BUCKET_AVERAGE);
  if (call->bits < 64 || call->no_host_wait || n < BETWEEN_FROM ||
      buckets > (size_t)MOST_WIDE_BINS * MOST_WIDE_BINS)
    return false;
  plan->parts = (unsigned int)buckets;
  plan->buckets_of_part = 1;
  if (buckets > MOST_WIDE_BINS) {
    plan->parts = LEAST_PARTS;
    while ((size_t)plan->parts * plan->parts < buckets && plan->parts < MOST_WIDE_BINS)
      plan->parts *= 2;
    plan->buckets_of_part = parts_of(buckets, plan->parts);
  }
  const size_t all = (size_t)plan->parts * plan->buckets_of_part;
  plan->samples = (unsigned int)all * BUCKET_SAMPLES;
  plan->sample_at = aligned_bytes(n * sizeof(Wide));
  plan->state_at = plan->sample_at + aligned_bytes(plan->samples * sizeof(Wide));
  plan->bytes = plan->state_at + (all + plan->parts) * sizeof(BinBetween) +
                (2 * (size_t)plan->parts + 1) * sizeof(unsigned int);
  return sizeof(BetweenShared) <= call->device->shared_limit;
}

static size_t between_bytes(const Call *call, const KeyRange *) {
  BetweenPlan plan;
  return plan_between(call, &plan) ? plan.bytes : 0;
}

// Returns the sorted sample. Merges go to and fro between the memory of the parts and that behind
// it, where the last one ends.
static const Wide *sort_sample(Call *call, const BetweenPlan *plan, unsigned int *next) {
  Wide *from = (Wide *)(call->workspace + plan->sample_at), *to = (Wide *)call->workspace;
  for (unsigned int run = SAMPLE_RUN; run < plan->samples; run *= 2) std::swap(from, to);
  launch_first(call, sample_between, parts_of(plan->samples, SAMPLE_RUN), SAMPLE_THREADS,
               SAMPLE_RUN * sizeof(Wide), (const Wide *)call->input.keys, call->n, call->wide_code,
               from, plan->samples, next, plan->parts, call->findings);
  for (unsigned int run = SAMPLE_RUN; run < plan->samples; run *= 2) {
    launch_next(call, merge_samples, parts_of(plan->samples, MERGE_THREADS * MERGE_ITEMS),
                MERGE_THREADS, 0, (const Wide *)from, to, plan->samples, run);
    std::swap(from, to);
  }
  return from;
}

static WideSample sample_of(const Wide *sorted, unsigned int count, unsigned int bins) {
  WideSample sample = {sorted, count, bins, 0};
  while (1u << sample.levels < bins) sample.levels++;
  return sample;
}

static Finding between_run(Call *call, Known *) {
  BetweenPlan plan;
  if (!plan_between(call, &plan)) return STOPPED;
  const size_t n = call->n;
  const unsigned int blocks = BETWEEN_BLOCKS * call->device->multiprocessors,
                     shared_bytes = sizeof(BetweenShared),
                     buckets = plan.parts * plan.buckets_of_part;
  const bool single_step = plan.buckets_of_part == 1;
  Wide *const scratch = (Wide *)call->workspace, *const out = (Wide *)call->output.keys,
              *const to = single_step ? out : scratch;
  const Wide *const in = (const Wide *)call->input.keys;
  BinBetween *const part = (BinBetween *)(call->workspace + plan.state_at),
                    *const bucket = single_step ? part : part + plan.parts;
  unsigned int *const next = (unsigned int *)(bucket + buckets);
  volatile HostVerdict *const host = fresh_verdict(call);
  const BetweenState state = {part, next, next + plan.parts, bucket, call->findings, host};
  const WideSample sample = sample_of(sort_sample(call, &plan, next), plan.samples, plan.parts),
                   of_part = sample_of(sample.sorted, plan.samples, plan.buckets_of_part);
  launch_next(call, count_between, blocks, BETWEEN_THREADS, shared_bytes, in, n, call->wide_code,
              sample, state);
  launch_next(call, split_between, blocks, BETWEEN_THREADS, shared_bytes, in, n, call->wide_code,
              sample, to, out, state);
  if (!single_step)
    launch_next(call, split_parts_between, plan.parts, BETWEEN_THREADS, shared_bytes,
                (const Wide *)scratch, call->wide_code, of_part, out, state);
  launch_next(call, sort_in_place, buckets, SORT_THREADS, sizeof(SortShared),
              (const BinBetween *)bucket, out, scratch, call->wide_code,
              (const Findings *)call->findings);
  return wait_for_finding(call, UNKNOWN);
}

extern "C" const Way way_wide_splitters = {"wide splitters", between_bytes, between_run};
