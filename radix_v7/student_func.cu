// radix_v7: fewer trips through memory. Keys and pairs are sorted in small buckets, one block each.
//
// Builds on: radix_v6, whose sweeps sort what does not fit into buckets.
// Build:     make radix_v7
// Run:       ./HW4 samples/portrait.ppm samples/template.ppm
// New here:  bare keys, if evenly distributed, are moved by their upper bits to buckets, each of
//            which a block sorts in shared memory (buckets.cuh); a block gathers pairs from sorted
//            tiles (runs.cuh), or stable sweeps over the upper bits move them (by_prefix.cuh); few
//            pairs get there by splitters from a sample (by_splitters.cuh); up to 16,384 elements
//            are placed by counting those before each (ranked.cuh).
// Lesson:    equal bare keys are identical, so a sort of them need not pay for stability; nor need
//            the block that sorts pairs, because (rest of the key, index) is never equal.
#include "common/knobs.h"
#include "common/pairs.cuh"
#include "common/scratch.h"
#include "common/stages.h"
#include "common/your_sort.h"
#include "radix_v6/by_sweeps.cuh"
#include "radix_v7/by_buckets.cuh"
#include "radix_v7/by_few_values.cuh"
#include "radix_v7/by_frequent_values.cuh"
#include "radix_v7/by_pair_regions.cuh"
#include "radix_v7/by_prefix.cuh"
#include "radix_v7/by_regions.cuh"
#include "radix_v7/by_runs.cuh"
#include "radix_v7/by_splitters.cuh"
#include "radix_v7/ranked.cuh"

enum { MOST_RANGES = 2 };  // that are tried: what a sample shows, and once a wider one

static const char *const stages[] = {"hist", "sweep", NULL};
static const SortKnob knobs[] = {
    {"shape", 0, 0, SHAPES, "tile shape, a row of the table `shapes`; 0: chosen by n"},
    {"rankedUpTo", RANKED_MAX, 0, RANKED_MAX, "largest n that is sorted by rank"},
    {"bucketBits", 0, 0, MAX_BUCKET_BITS,
     "bare keys go to 2^bucketBits buckets first; 0: chosen by n, 1 to 9: no buckets"},
    {"bucketShape", 0, 0, BUCKET_SHAPES,
     "size of the buckets, a row of the table `bucket_shapes`; 0: chosen by n"},
    {"counted", 0, 0, 1, "1: buckets are always counted first, 0: not where keys seem even"},
    {"prefixPlan", 0, -1, PREFIX_PLANS,
     "how pairs are sorted by two sweeps, a row of prefix_plans.cuh; 0: after runs, -1: sweeps"},
    {"runPlan", 0, -1, RUN_PLANS,
     "how pairs are sorted by runs, a row of by_runs.cuh; 0: chosen by n; -1: not"},
    {"sampledUpTo", SPLIT_MOST, 0, SPLIT_MOST, "largest n that is sorted by splitters of a sample"},
    {"packedFrom", PACKED_FROM, 0, 1 << 30,
     "smallest n whose pairs are packed between sweeps, if they are sorted by sweeps"},
    {"frequentFrom", FREQUENT_FROM, 1, 1 << 30,
     "smallest n of pairs whose frequent values leave after the first of four sweeps"},
    {"longRuns", 0, 0, 2,
     "tiles of 512 x 44 pairs in sweeps of 7 and 8 bits; 0: chosen by n; 1: no; 2: yes"},
    {"largeFrom", LARGE_FROM, 1, 1 << 30,
     "elements per bucket that is too large for a block and sorted by itself"},
    {},
};

extern "C" const SortVersion sort_version = {
    .name = "radix_v7",
    .title = "small buckets by the upper bits, sorted on the chip; sweeps where they do not fit",
    .source = "Adinets and Merrill, Onesweep (2022)",
    .stable = true,
    .max_n = (1u << 30) - 1,  // a count of the look-back shares 32 bits with two flags
    .slow_n = 0,
    .stages = stages,
    .knobs = knobs,
    // Up to 500,000 elements splitters' runs take 8.2 to 9.7 bytes a key, 8.7 to 10.5 a pair. From
    // there on, measured with inputs of compare:
    .scratch_per_key = 4.9,   // at 500,001 keys: a copy of the input with room in its regions;
                              // 4.6 at 1 million, 4.5 from 1.5 million on, 4.3 at 8 million
    .scratch_per_pair = 8.8,  // at 550,000: a copy of the input, the look-back of radix_v6's sweeps
                              // and the table of runs; 8.5 from 1 million on, 8.3 from 3.2 million
};

// False, with the input as it was, if the keys are not spread evenly and have many values. *looked:
// whether frequent ones were looked for.
static bool sort_pairs_by_digits(Pairs input, Pairs output, size_t n, bool *looked) {
  KeyRange range = WHOLE_RANGE;
  const bool counted = knob("counted") > 0, runs = !counted && knob("prefixPlan") == 0;
  unsigned int verdict = TO_COUNT;
  if (runs) verdict = sort_pairs_by_runs(input, output, n, WHOLE_RANGE, &range);
  *looked = verdict == TO_COUNT && !counted && regions_look(n);
  if (*looked) verdict = sort_pairs_by_regions(input, output, n, &range);
  if (verdict == TO_COUNT) {
    verdict = sort_pairs_by_prefix(input, output, n, WHOLE_RANGE, &range);
    range = with_more_room(range);
  }
  for (int tries = 0; verdict == TO_RANGE && tries < MOST_RANGES; tries++) {
    const KeyRange known = range;
    verdict = TO_COUNT;
    if (runs) verdict = sort_pairs_by_runs(input, output, n, known, &range);
    if (verdict == TO_COUNT) verdict = sort_pairs_by_prefix(input, output, n, known, &range);
  }
  return verdict == FITS || (verdict == FEW_VALUES && sort_pairs_by_values(input, output, n));
}

static void sort_pairs(Pairs input, Pairs output, size_t n) {
  const SplitPlan *const plan = plan_splitters(n);
  bool looked = false;
  if (plan != NULL ? sort_pairs_by_splitters(plan, input, output, n)
                   : sort_pairs_by_digits(input, output, n, &looked))
    return;
  void *const memory = scratch_alloc(all_digits_bytes(output, n));
  sort_uneven_pairs(input, output, n, looked, memory);
  scratch_free(memory);
}

// The same for bare keys.
static bool sort_keys_by_digits(unsigned int *in, unsigned int *out, size_t n) {
  const bool counted = knob("counted") > 0 || knob("bucketBits") > 0 || knob("bucketShape") > 0;
  KeyRange range = WHOLE_RANGE;
  unsigned int verdict = counted ? (unsigned int)TO_COUNT
                                 : sort_by_regions(in, out, n, &range, most_skip_of_buckets(n));
  if (verdict == FITS) return true;
  if (verdict == TO_COUNT || verdict == TO_RANGE) {
    // As much as the sweeps would take: then the pool has one block for all ways.
    unsigned int *const spare = (unsigned int *)scratch_alloc(sweeps_bytes(n, false));
    if (verdict == TO_COUNT) {
      verdict = sort_by_buckets(in, spare, out, n);
      if (verdict != FITS) verdict = why_unfit(in, n, &range);
      range = with_more_room(range);
    }
    for (int tries = 0; verdict == TO_RANGE && tries < MOST_RANGES; tries++)
      verdict = sort_by_buckets(in, spare, out, n, range, &range);
    scratch_free(spare);
    if (verdict == FITS) return true;
  }
  return verdict == FEW_VALUES && sort_keys_by_values(in, out, n);
}

static void sort_keys(unsigned int *in, unsigned int *out, size_t n) {
  // As fast as buckets by digits for even keys, and faster for all others.
  const SplitPlan *const plan = plan_splitters(n);
  if (plan != NULL ? sort_pairs_by_splitters(plan, {in, in}, {out, NULL}, n)
                   : sort_keys_by_digits(in, out, n))
    return;
  void *const memory = scratch_alloc(sweeps_bytes(n, false));
  sort_by_sweeps({in, NULL}, {out, NULL}, n, memory);
  scratch_free(memory);
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  const size_t n = numElems;
  const Pairs input = {d_inputVals, d_inputPos}, output = {d_outputVals, d_outputPos};
  if (n == 1) {  // nothing to sort, nothing to launch
    copy_pairs(output, input, n);
    return;
  }
  if (n <= (size_t)knob("rankedUpTo")) {
    stage_start("sweep");
    sort_by_rank(input, output, n);
    stage_stop();
    return;
  }
  if (d_inputPos != NULL)
    sort_pairs(input, output, n);
  else
    sort_keys(d_inputVals, d_outputVals, n);
}
