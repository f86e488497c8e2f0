// What the kernels of a call find out for those behind them: the first part of every workspace.
#ifndef GSORT_BLOCK_FINDINGS_CUH
#define GSORT_BLOCK_FINDINGS_CUH

#include "gsort/block/digits.cuh"
#include "gsort/call.h"
#include "gsort/warp/scan.cuh"

enum {
  SAMPLE_THREADS = 1024,
  SAMPLE_EACH = 8,     // sampled keys of a thread
  SAMPLE_CLUSTER = 8,  // blocks that load a sample, where there are clusters
  MOST_VALUES = 63,    // of keys with few values
  MOST_OUTLIERS = 64,  // at each end of a range
};

// A sample, and the keys behind each thread's first one, of the blocks of a cluster.
template <class Key>
struct ClusterSample {
  Key key[SAMPLE_EACH + 1][SAMPLE_THREADS];
};

// What the blocks of a second sample have seen, together.
typedef struct SecondSums {
  unsigned int group[WARP_SIZE];  // samples of each part of the range of a block's samples
  unsigned int matches, winners;  // of EqualKeys
  unsigned int equal_neighbours;  // samples that equal the key behind them
} SecondSums;

// How far the blocks of a kernel of several passes have come (block/passes_in_one.cuh): parts that
// are taken, and that are done.
typedef struct Progress {
  unsigned int taken, done;
} Progress;

// How far the blocks of a kernel have come that first counts digits, then sweeps over each.
typedef struct PassesDone {
  Progress count;                  // done: 1 if all are counted
  unsigned int tiles[MAX_PASSES];  // written, of each pass
} PassesDone;

// A digit of wide keys: of four bytes of a number, the bits (four >> shift) & mask of some runs of
// neighbours.
enum { DIGIT_RUNS = 3 };
typedef struct WideDigit {
  unsigned int bytes;  // which four, as __byte_perm() has them
  unsigned int shift[DIGIT_RUNS], mask[DIGIT_RUNS];
} WideDigit;

// The bits in which numbers of wide keys differ, and digits of them (block/varying_bits.cuh).
typedef struct VaryingDigits {
  unsigned int bits[2];  // of the lower word and the upper one
  unsigned int count;    // of digits; 0: digits are bytes
  WideDigit digit[MAX_PASSES];
} VaryingDigits;

// How keys of a range become numbers that are even over 32 bits, and back (block/range_map.cuh).
typedef struct RangeMap {
  unsigned int least, range;   // a key is at most least + range
  unsigned long long scale;    // number = (key - least) x scale / 2^32, rounded down
  unsigned long long inverse;  // 2^96 / scale
} RangeMap;

enum {
  STOP = 1,  // Findings.stop, for any reason; beside it:
  // of wide pairs: a block has far more pairs of some bin than the others have, as if pairs are in
  // order
  STOP_IN_ORDER = 2,
};

typedef struct Findings {
  // Cleared by the first kernel of a call (clear_findings()), or before it: CLEARED_BYTES.
  unsigned int stop;     // not 0: the way ends without a result
  unsigned int arrived;  // blocks that have come to some point
  unsigned int full;     // not 0: a bucket of runs has no room in its block
  HostVerdict verdict;   // of a call that the host does not wait for
  unsigned int digit_counts[MAX_PASSES * BINS + 1];  // SweepState.counts
  PassesDone done;
  Progress progress;  // of samples that are merged, or few values
  VaryingDigits varying;
  SecondSums second;
  unsigned int second_arrived;
  unsigned int outliers[2];  // numbers of them: keys below the range, and above it
  unsigned int in_bin[2 * (MOST_VALUES + 1)], strays;  // few values: a count (kernel/values.cuh)
  // Samples judged: a Finding each.
  unsigned int first_sample, second_sample;
  RangeMap range_map;        // if the first one is MAPPED
  unsigned int most_digits;  // if one of them is SPARSE: of bits that vary
  ClusterSample<unsigned int> sample[2];
  unsigned int outlier[2][MOST_OUTLIERS];  // of bare keys: their codes, in any order
  unsigned int values[MOST_VALUES + 1];    // few values: ascending, then the largest key
  HostVerdict ignored;                     // of a sample that the host does not hear of
} Findings;
static_assert(sizeof(Findings) <= FINDINGS_BYTES, "the workspace has room for findings");

enum { CLEARED_BYTES = offsetof(Findings, first_sample) };

static __device__ __forceinline__ bool is_even(unsigned int first_sample) {
  return first_sample == EVEN || first_sample == MAPPED;
}

// What two samples say together: EVEN, or why not.
static __device__ __forceinline__ unsigned int finding_of_both(unsigned int first_sample,
                                                               unsigned int second_sample) {
  return is_even(first_sample) ? second_sample : first_sample;
}

// The same of a call's samples, both of which have been judged.
static __device__ __forceinline__ unsigned int finding_of_samples(const Findings *findings) {
  const unsigned int first = findings->first_sample,
                     second = findings->second_sample;  // both loads at the same time
  return finding_of_both(first, second);
}

// Whether a way that the host did not wait for has sorted the keys.
static __device__ __forceinline__ bool is_sorted_already(const Findings *findings) {
  return findings->verdict.finding == SORTED;
}

// The same, or sweeps are better than splitters.
static __device__ __forceinline__ bool needs_no_splitters(const Findings *findings) {
  const unsigned int finding = *(const volatile unsigned int *)&findings->verdict.finding;
  return finding == SORTED || finding == HEAVY || finding == SPARSE;
}

// All threads of one block.
static __device__ __forceinline__ void clear_findings(Findings *findings) {
  for (unsigned int i = threadIdx.x; i < CLEARED_BYTES / sizeof(unsigned int); i += blockDim.x)
    ((unsigned int *)findings)[i] = 0;
}

#endif
