// Whether all buckets fit into their blocks: a count or a sample finds out on the device, and the
// host waits for it. A few large buckets are no obstacle: each is sorted as an array of its own.
#ifndef RADIX_V7_VERDICT_CUH
#define RADIX_V7_VERDICT_CUH

#include <cuda_runtime.h>

#include "common/check.h"
#include "common/knobs.h"

// TO_COUNT and FEW_VALUES: of evenness.cuh; TO_RANGE: buckets may fit by other bits
// (key_range.cuh); SEEMS_EVEN: not known yet, but a sample is even; OVERFULL: it was, and yet some
// region had no room; ROOMIER: a second look has seen that this would be so (second_look.cuh). For
// these two, see verdict_of_regions().
enum Verdict {
  UNKNOWN,
  FITS,
  TOO_LARGE,
  TO_COUNT,
  TO_RANGE,
  FEW_VALUES,
  SEEMS_EVEN,
  OVERFULL,
  ROOMIER
};
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
  float alike;          // keys that equal a key, on average, itself among them (equal_keys.cuh)
} KeyRange;
static constexpr KeyRange WHOLE_RANGE = {0, 0, 1, true, false, 1};  // as far as is known
// Of keys that are OVERFULL: a sample would show if some part had many more than that.
static constexpr KeyRange A_LITTLE_UNEVEN = {0, 0, 1.3f, false, false, 4};
// With more equal keys than that on average, sweeps are faster than larger blocks: bare keys,
// pairs.
static constexpr float MOST_ALIKE_BARE = 2, MOST_ALIKE_PAIRS = 5;

// For a second try, if buckets of that range did not fit, though a sample shows no reason.
static inline KeyRange with_more_room(KeyRange range) {
  if (range.skip > 0 || range.crowd > A_LITTLE_UNEVEN.crowd) return range;
  range.crowd = A_LITTLE_UNEVEN.crowd;
  range.even = false;
  if (range.alike < A_LITTLE_UNEVEN.alike) range.alike = A_LITTLE_UNEVEN.alike;
  return range;
}

static __host__ __device__ __forceinline__ bool is_whole(KeyRange range) {
  return range.skip == 0 && range.crowd == 1 && range.alike == 1;
}

// In memory that both the host and the device see.
typedef struct HostVerdict {
  unsigned int verdict;  // a Verdict
  unsigned int large;    // with FITS: number of buckets that are too large for a block
  unsigned int most;     // large buckets, up to which the others are sorted as buckets
  LargeBucket bucket[MOST_LARGE];
  KeyRange range;    // with TO_RANGE
  KeyRange roomier;  // with ROOMIER
} HostVerdict;

static inline __host__ __device__ void set_range(volatile KeyRange *to, KeyRange range) {
  to->skip = range.skip;
  to->common = range.common;
  to->crowd = range.crowd;
  to->even = range.even;
  to->in_order = range.in_order;
  to->alike = range.alike;
}

static inline KeyRange copy_of(volatile const KeyRange *range) {
  return {range->skip, range->common, range->crowd, range->even, range->in_order, range->alike};
}

static inline KeyRange range_of(volatile const HostVerdict *host) { return copy_of(&host->range); }

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
  set_range(&host->range, WHOLE_RANGE);
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

// The result of a sort by regions or runs, after the device has written its verdict. If some region
// or bucket was too full (OVERFULL, ROOMIER), it is TO_RANGE, and *range asks for more room. In all
// other cases it is the verdict, and *range is what a sample shows.
static inline unsigned int verdict_of_regions(volatile const HostVerdict *host, KeyRange *range) {
  const bool overfull = host->verdict == OVERFULL, roomier = host->verdict == ROOMIER;
  *range = overfull ? A_LITTLE_UNEVEN : copy_of(roomier ? &host->roomier : &host->range);
  return overfull || roomier ? (unsigned int)TO_RANGE : host->verdict;
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
