// Wide keys that are not even, by buckets between splitters of a sample:
//
//   one step     in -split-> out -sort-> out
//   two steps    in -split-> parts in the workspace -split-> out -sort-> out
//
// 40 or 64 bytes a key move, and for bins of one value 24 or 48; of a value, 4 or 6 times its size,
// and 2 or 4.
#include "gsort/kernel/sample_wide_splitters.cuh"
#include "gsort/kernel/sort_wide_in_place.cuh"
#include "gsort/kernel/split_between_wide.cuh"
#include "gsort/way/launch.cuh"
#include "gsort/way/sweeps.cuh"

// Keys and samples of a bucket on average. A value that is two splitters gets a bin. So a bucket
// has less than twice its samples, and seldom more keys than a block has memory for. If they save
// the second step, buckets have more of both.
enum { BUCKET_AVERAGE = 1280, BUCKET_SAMPLES = 10, LARGER_AVERAGE = 1900, LARGER_SAMPLES = 20 };
// Below NO_WAIT_FROM, launches that return at once, 19 us, would cost even keys too much (H200,
// LOG.md).
enum { NO_WAIT_FROM = 6000000 };
enum { SORT_THREADS = 256, SORT_FEW = 7, SORT_BIN_BITS = 10, SORT_ROUNDS = 16 };

// The last step. Blocks of a multiprocessor: as many as its memory has room for.
template <class Value>
struct SortShape {
  static constexpr int kItems = sizeof(Value) == 4 ? 15 : 13, kBlocks = IS_NONE<Value> ? 4 : 3;
  static constexpr auto kKernel =
      sort_wide_in_place<SORT_THREADS, SORT_FEW, kItems, SORT_BIN_BITS, kBlocks, Value>;
  typedef InPlaceShared<SORT_THREADS, kItems, SORT_BIN_BITS, Value> Shared;
};

typedef struct BetweenPlan {
  unsigned int parts, buckets_of_part;  // 1: one step
  unsigned int samples;
  // The workspace: parts, with their values; the sample, which merges take to and fro between its
  // memory and that of the parts; and what the kernels leave for those behind them.
  Wide *keys, *sample;
  void *values;
  BinBetween *part, *bucket;
  unsigned int *next, *part_sample, *of_block;
  size_t bytes;
} BetweenPlan;

static bool plan_between(const Call *call, char *workspace, BetweenPlan *plan) {
  const size_t n = call->n, buckets = parts_of(n, BUCKET_AVERAGE),
               sms = call->device->multiprocessors;
  const bool pairs = call->value_bytes > 0;
  const unsigned int most = pairs ? BetweenShared<Wide>::kBins : BetweenShared<None>::kBins;
  if (call->bits < 64 || call->n_on_device != NULL || (call->no_host_wait && n < NO_WAIT_FROM) ||
      buckets > (size_t)most * most)
    return false;
  const bool larger = buckets > most && n <= (size_t)most * LARGER_AVERAGE;
  plan->parts = larger ? most : (unsigned int)buckets;
  plan->buckets_of_part = 1;
  if (plan->parts > most) {
    plan->parts = buckets < 2048 ? 128 : 256;
    while ((size_t)plan->parts * plan->parts < buckets && plan->parts < most) plan->parts *= 2;
    plan->buckets_of_part = parts_of(buckets, plan->parts);
  }
  const size_t all = (size_t)plan->parts * plan->buckets_of_part;
  plan->samples = (unsigned int)all * (larger ? LARGER_SAMPLES : BUCKET_SAMPLES);
  Pieces pieces = {workspace, 0};
  plan->keys = pieces.next<Wide>(n);
  plan->values = pieces.next<char>(n * call->value_bytes);
  plan->sample = pieces.next<Wide>(plan->samples);
  plan->part = plan->bucket = pieces.next<BinBetween>(plan->parts);
  if (plan->buckets_of_part > 1) plan->bucket = pieces.next<BinBetween>(all);
  plan->next = pieces.next<unsigned int>(plan->parts);
  plan->part_sample = pieces.next<unsigned int>(plan->parts + 1);
  plan->of_block = pieces.next<unsigned int>(pairs ? BETWEEN_BLOCKS * sms * plan->parts : 0);
  plan->bytes = pieces.bytes;
  const size_t shared =
      pairs ? greatest_of(sizeof(BetweenShared<Wide>), sizeof(BetweenShared<unsigned int>))
            : sizeof(BetweenShared<None>);
  return shared <= call->device->shared_limit;
}

static size_t between_bytes(const Call *call, const KeyRange *) {
  BetweenPlan plan;
  return plan_between(call, NULL, &plan) ? plan.bytes : 0;
}

// Merges go to and fro, and the last one ends in plan.sample, as parts take the other memory.
static void launch_sample(Call *call, const BetweenPlan &plan) {
  Wide *const memory[2] = {plan.sample, plan.keys};
  const unsigned int merges = sample_merges(plan.samples);
  launch_first(call, sample_between, parts_of(plan.samples, SAMPLE_RUN), SAMPLE_THREADS,
               SAMPLE_RUN * sizeof(Wide), (const Wide *)call->input.keys, call->n, call->wide_code,
               memory[merges % 2], plan.samples, plan.next, plan.parts, call->findings);
  if (merges == 0) return;
  launch_next(
      call, merge_sample,
      least_of(parts_of(plan.samples, MERGE_PART), MERGE_BLOCKS * call->device->multiprocessors),
      MERGE_THREADS, 0, memory[merges % 2], memory[1 - merges % 2], plan.samples, call->findings);
}

template <class Value>
static void launch_between(Call *call, const BetweenPlan &plan, volatile HostVerdict *host) {
  const size_t n = call->n;
  const unsigned int blocks = BETWEEN_BLOCKS * call->device->multiprocessors,
                     shared_bytes = sizeof(BetweenShared<Value>),
                     buckets = plan.parts * plan.buckets_of_part;
  const bool single_step = plan.buckets_of_part == 1;
  const Wide *const in = (const Wide *)call->input.keys;
  const Value *const in_values = (const Value *)call->input.values;
  Wide *const scratch = plan.keys, *const out = (Wide *)call->output.keys;
  Value *const values = (Value *)plan.values, *const out_values = (Value *)call->output.values;
  const BetweenState state = {plan.part,   plan.next,      plan.of_block, plan.part_sample,
                              plan.bucket, call->findings, host};
  const BetweenOutput<Value> to_out = {out, out, out_values, out_values, call->wide_code},
                             to_parts = {scratch, out, values, out_values, call->wide_code};
  const WideSample sample = {plan.sample, plan.samples, plan.parts},
                   of_part = {plan.sample, plan.samples, plan.buckets_of_part};
  launch_sample(call, plan);
  launch_next(call, count_between<Value>, blocks, BETWEEN_THREADS, shared_bytes, in, n,
              call->wide_code, sample, state);
  launch_next(call, split_between<Value>, blocks, BETWEEN_THREADS, shared_bytes, in, in_values, n,
              call->wide_code, sample, single_step ? to_out : to_parts, state);
  if (!single_step)
    launch_next(call, split_parts_between<Value>, plan.parts, BETWEEN_THREADS, shared_bytes,
                (const Wide *)scratch, (const Value *)values, of_part, to_out, state);
  typedef SortShape<Value> Sort;
  const unsigned int at_once = Sort::kBlocks * call->device->multiprocessors;
  launch_next(call, Sort::kKernel, least_of(buckets, SORT_ROUNDS * at_once), SORT_THREADS,
              sizeof(typename Sort::Shared), (const BinBetween *)plan.bucket, buckets, out,
              out_values, scratch, values, call->wide_code, (const Findings *)call->findings);
}

static bool launch_any_between(Call *call) {
  BetweenPlan plan;
  if (!plan_between(call, call->workspace, &plan)) return false;
  volatile HostVerdict *const host = fresh_verdict(call);
  if (call->value_bytes == 0)
    launch_between<None>(call, plan, host);
  else if (call->value_bytes == 4)
    launch_between<unsigned int>(call, plan, host);
  else
    launch_between<Wide>(call, plan, host);
  return true;
}

static Finding between_run(Call *call, Known *) {
  return launch_any_between(call) ? wait_for_finding(call, UNKNOWN) : STOPPED;
}

Finding sort_wide_if_unsorted(Call *call) {
  find_digits_if_sparse(call);
  launch_any_between(call);
  return sweep_wide_if_unsorted(call);
}

extern "C" const Way way_wide_splitters = {"wide splitters", between_bytes, between_run};
