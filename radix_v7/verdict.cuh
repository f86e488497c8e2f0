// Whether all buckets fit into their blocks: a count or a sample finds out on the device, and the
// host waits for it. A few large buckets are no obstacle: each is sorted as an array of its own.
#ifndef RADIX_V7_VERDICT_CUH
#define RADIX_V7_VERDICT_CUH

#include <cuda_runtime.h>

#include "common/check.h"
#include "common/knobs.h"

// TO_COUNT and FEW_VALUES: of evenness.cuh; TO_RANGE: buckets may fit by other bits
// (key_range.cuh); SEEMS_EVEN: not known yet, but a sample is even; OVERFULL: it was, and yet some
// region had no room (verdict_of_regions()).
enum Verdict { UNKNOWN, FITS, TOO_LARGE, TO_COUNT, TO_RANGE, FEW_VALUES, SEEMS_EVEN, OVERFULL };
enum {
  MOST_LARGE = 8,
  LARGE_FROM = 6000000,  // elements per large bucket: its launches take 20 to 30 us
};

typedef struct LargeBucket {
  unsigned int begin, count;
} LargeBucket;

// What is known of the keys (key_range.cuh).
typedef struct KeyRange {
  int skip;             // their first bits, which all share: those of `common`
  unsigned int common;  // its other bits are 0
  float crowd;          // keys in the fullest part of the range, to those of even keys
  bool even;            // from the least key to the greatest
  bool in_order;        // neighbours in the input differ little; looked at for bare keys only
} KeyRange;
static constexpr KeyRange WHOLE_RANGE = {0, 0, 1, true, false};  // as far as is known
// Of keys that are OVERFULL: a sample would show if some part had many more than that.
static constexpr KeyRange A_LITTLE_UNEVEN = {0, 0, 1.3f, false, false};

static __host__ __device__ __forceinline__ bool is_whole(KeyRange range) {
  return range.skip == 0 && range.crowd == 1;
}

// In memory that both the host and the device see.
typedef struct HostVerdict {
  unsigned int verdict;  // a Verdict
  unsigned int large;    // with FITS: number of buckets that are too large for a block
  unsigned int most;     // large buckets, up to which the others are sorted as buckets
  LargeBucket bucket[MOST_LARGE];
  KeyRange range;  // with TO_RANGE
} HostVerdict;

static inline __host__ __device__ void set_range(volatile HostVerdict *host, KeyRange range) {
  host->range.skip = range.skip;
  host->range.common = range.common;
  host->range.crowd = range.crowd;
  host->range.even = range.even;
  host->range.in_order = range.in_order;
}

static inline KeyRange range_of(volatile const HostVerdict *host) {
  return {host->range.skip, host->range.common, host->range.crowd, host->range.even,
          host->range.in_order};
}

// A verdict on n elements, not known yet. Each sort has another one: kernels of the last sort may
// still be writing theirs.
static inline volatile HostVerdict *fresh_host_verdict(size_t n) {
  enum { VERDICTS = 8 };
  static volatile HostVerdict *verdicts = NULL;
  static unsigned int next = 0;
  if (verdicts == NULL) CUDA_CHECK(cudaMallocHost((void **)&verdicts, VERDICTS * sizeof *verdicts));
  volatile HostVerdict *const host = &verdicts[next++ % VERDICTS];
  host->verdict = UNKNOWN;
  host->large = 0;
  set_range(host, WHOLE_RANGE);
  const size_t most = n / (size_t)knob("largeFrom");
  host->most = (unsigned int)(most < MOST_LARGE ? most : (size_t)MOST_LARGE);
  return host;
}

// Waits for another verdict than `not_this`, and returns it. To be called after all other launches,
// so that the device is busy while the host waits.
static inline unsigned int wait_for_verdict(volatile HostVerdict *host, unsigned int not_this) {
  while (host->verdict == not_this && cudaStreamQuery(0) == cudaErrorNotReady) {
  }
  CUDA_CHECK(cudaPeekAtLastError());
  return host->verdict;
}

// The same: do all buckets fit?
static inline bool verdict_fits(volatile HostVerdict *host) {
  return wait_for_verdict(host, UNKNOWN) == FITS;
}

// What a sort by regions returns when the verdict is there. Keys that are OVERFULL are TO_RANGE,
// with a range in which buckets have more room; with other verdicts *range is what a sample shows.
static inline unsigned int verdict_of_regions(volatile const HostVerdict *host, KeyRange *range) {
  const bool overfull = host->verdict == OVERFULL;
  *range = overfull ? A_LITTLE_UNEVEN : range_of(host);
  return overfull ? (unsigned int)TO_RANGE : host->verdict;
}

// Large buckets of a count, in shared memory of its last block. found is 0 at first, and may exceed
// MOST_LARGE.
typedef struct LargeBuckets {
  unsigned int found;
  LargeBucket bucket[MOST_LARGE];
} LargeBuckets;

static __device__ __forceinline__ void note_large(LargeBuckets *large, unsigned int begin,
                                                  unsigned int count) {
  const unsigned int i = atomicAdd(&large->found, 1u);
  if (i < MOST_LARGE) large->bucket[i] = {begin, count};
}

// One thread: tells the host the large buckets of n elements; false if there are too many, or they
// hold more than a quarter of all elements, so that sweeps over everything are better.
static __device__ __forceinline__ bool tell_large(const LargeBuckets *large, unsigned int n,
                                                  volatile HostVerdict *host) {
  if (large->found == 0) return true;
  if (large->found > MOST_LARGE || large->found > host->most) return false;
  unsigned int sum = 0;
  for (unsigned int i = 0; i < large->found; i++) {
    sum += large->bucket[i].count;
    host->bucket[i].begin = large->bucket[i].begin;
    host->bucket[i].count = large->bucket[i].count;
  }
  if (sum > n / 4) return false;
  host->large = large->found;
  __threadfence_system();
  return true;
}

#endif
