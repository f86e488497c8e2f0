// The verdict's kernels. Each part counts its wrong places and finds the first of them by atomics;
// the values expected there are looked up afterwards.
#include "harness/verdict.h"

#include "common/check.h"
#include "common/scratch.h"
#include "harness/library_sort.h"
#include "harness/splitmix.cuh"

static const unsigned int BLOCK_SIZE = 256, MAX_BLOCKS = 4096;

typedef unsigned long long Count;

typedef struct Bad {
  Count count, first;
} Bad;

// Adds the wrong places that the calling thread found to those of all threads.
static __device__ void report(Bad *bad, Count count, Count first) {
  if (count == 0) return;
  atomicAdd(&bad->count, count);
  atomicMin(&bad->first, first);
}

// Counts place i as wrong.
static __device__ void note(Count *count, Count *first, Count i) {
  (*count)++;
  if (i < *first) *first = i;
}

// Grid-stride loop, for any n: consecutive threads read consecutive elements.
#define FOR_EACH_INDEX(i, from, to)                                                 \
  for (size_t i = (from) + (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < (to); \
       i += (size_t)gridDim.x * blockDim.x)

static __global__ void check_order(const unsigned int *keys, size_t n, Bad *order) {
  Count count = 0, first = ~0ull;
  FOR_EACH_INDEX(i, 1, n) {
    if (keys[i - 1] > keys[i]) note(&count, &first, i);
  }
  report(order, count, first);
}

static __global__ void check_stability(const unsigned int *keys, const unsigned int *positions,
                                       size_t n, Bad *stability) {
  Count count = 0, first = ~0ull;
  FOR_EACH_INDEX(i, 1, n) {
    if (keys[i - 1] == keys[i] && positions[i - 1] > positions[i]) note(&count, &first, i);
  }
  report(stability, count, first);
}

// Checks multiset and pairing at once: every key is written to its position in an array that at
// first differs from the snapshot everywhere. If the two are equal afterwards, every position
// occurred with its key, and each once, as there are n of them. This costs one scattered write per
// element. The kernels below, which find out which part fails and where, need a scattered read and
// a scattered atomic.
static __global__ void fill_unlike(const unsigned int *snapshot, size_t n, unsigned int *marks) {
  FOR_EACH_INDEX(i, 0, n) marks[i] = ~snapshot[i];
}

static __global__ void write_to_positions(const unsigned int *keys, const unsigned int *positions,
                                          size_t n, unsigned int *marks) {
  FOR_EACH_INDEX(i, 0, n) {
    const unsigned int position = positions[i];
    if (position < n) marks[position] = keys[i];
  }
}

static __global__ void check_equal(const unsigned int *expected, const unsigned int *actual,
                                   size_t n, Bad *bad) {
  Count count = 0, first = ~0ull;
  FOR_EACH_INDEX(i, 0, n) {
    if (expected[i] != actual[i]) note(&count, &first, i);
  }
  report(bad, count, first);
}

// Marks every position that occurs in a bitmap, and compares each key with the snapshot's key at
// its position.
static __global__ void check_pairing(const unsigned int *snapshot, const unsigned int *keys,
                                     const unsigned int *positions, size_t n, unsigned int *seen,
                                     Bad *pairing) {
  Count count = 0, first = ~0ull;
  FOR_EACH_INDEX(i, 0, n) {
    const unsigned int position = positions[i];
    if (position >= n) continue;  // then another position is missing from the bitmap
    atomicOr(&seen[position / 32], 1u << (position % 32));
    if (snapshot[position] != keys[i]) note(&count, &first, i);
  }
  report(pairing, count, first);
}

// There are n positions in n places: if one occurs twice, another is lost. So it is enough to count
// the lost ones.
static __global__ void check_all_seen(const unsigned int *seen, size_t n, Bad *multiset) {
  Count count = 0, first = ~0ull;
  FOR_EACH_INDEX(i, 0, n) {
    if ((seen[i / 32] >> (i % 32) & 1u) == 0) note(&count, &first, i);
  }
  report(multiset, count, first);
}

// Hash sum of a's keys minus that of b's: 0 if both hold the same keys, in any order.
static __global__ void subtract_hashes(const unsigned int *a, const unsigned int *b, size_t n,
                                       Count *difference) {
  Count sum = 0;
  FOR_EACH_INDEX(i, 0, n) sum += splitmix(0, a[i]) - splitmix(0, b[i]);
  if (sum != 0) atomicAdd(difference, sum);
}

// ---- host --------------------------------------------------------------------------------------

static unsigned int fetch(const unsigned int *d_array, size_t i) {
  unsigned int value = 0;
  CUDA_CHECK(cudaMemcpy(&value, d_array + i, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

typedef struct Judge {
  const unsigned int *snapshot, *keys, *positions;
  size_t n;
  unsigned int blocks;  // of every kernel
  Bad *d_bad;           // one for each part
} Judge;

static VerdictFinding finding(const Judge *judge, VerdictPart part) {
  Bad bad;
  CUDA_CHECK(cudaMemcpy(&bad, judge->d_bad + part, sizeof bad, cudaMemcpyDeviceToHost));
  VerdictFinding found = {};
  found.state = bad.count == 0 ? VERDICT_HOLDS : VERDICT_FAILS;
  found.bad_count = bad.count;
  if (bad.count > 0) found.first_bad = bad.first;
  return found;
}

// The finding of a part that compares each element of d_array with the one before it.
static VerdictFinding finding_of_neighbours(const Judge *judge, VerdictPart part,
                                            const unsigned int *d_array) {
  VerdictFinding found = finding(judge, part);
  if (found.state == VERDICT_FAILS) {
    found.expected = fetch(d_array, found.first_bad - 1);
    found.actual = fetch(d_array, found.first_bad);
  }
  return found;
}

static VerdictFinding judge_order(const Judge *judge) {
  check_order<<<judge->blocks, BLOCK_SIZE>>>(judge->keys, judge->n, judge->d_bad + VERDICT_ORDER);
  LAUNCH_CHECK();
  return finding_of_neighbours(judge, VERDICT_ORDER, judge->keys);
}

// The output must equal the snapshot sorted by a library. If both lost the same keys (the version
// may be that library's sort), the hash sums of snapshot and output differ.
static VerdictFinding judge_multiset_of_keys(const Judge *judge) {
  unsigned int *const d_sorted = (unsigned int *)scratch_alloc(judge->n * sizeof *d_sorted);
  Count *const d_difference = (Count *)scratch_alloc(sizeof *d_difference);
  library_sort(judge->snapshot, d_sorted, judge->n);
  check_equal<<<judge->blocks, BLOCK_SIZE>>>(d_sorted, judge->keys, judge->n,
                                             judge->d_bad + VERDICT_MULTISET);
  CUDA_CHECK(cudaMemsetAsync(d_difference, 0, sizeof *d_difference, 0));
  subtract_hashes<<<judge->blocks, BLOCK_SIZE>>>(judge->snapshot, judge->keys, judge->n,
                                                 d_difference);
  LAUNCH_CHECK();
  VerdictFinding found = finding(judge, VERDICT_MULTISET);
  if (found.state == VERDICT_FAILS) {
    found.expected = fetch(d_sorted, found.first_bad);
    found.actual = fetch(judge->keys, found.first_bad);
  }
  Count difference = 0;
  CUDA_CHECK(cudaMemcpy(&difference, d_difference, sizeof difference, cudaMemcpyDeviceToHost));
  if (difference != 0) found.state = VERDICT_FAILS;
  // The next sort's scratch memory must not hold the answer.
  CUDA_CHECK(cudaMemsetAsync(d_sorted, 0xa5, judge->n * sizeof *d_sorted, 0));
  scratch_free(d_difference);
  scratch_free(d_sorted);
  return found;
}

// Does every position occur once, with its key?
static bool positions_right(const Judge *judge) {
  unsigned int *const d_marks = (unsigned int *)scratch_alloc(judge->n * sizeof *d_marks);
  Bad *const d_bad = judge->d_bad + VERDICT_MULTISET;
  fill_unlike<<<judge->blocks, BLOCK_SIZE>>>(judge->snapshot, judge->n, d_marks);
  write_to_positions<<<judge->blocks, BLOCK_SIZE>>>(judge->keys, judge->positions, judge->n,
                                                    d_marks);
  check_equal<<<judge->blocks, BLOCK_SIZE>>>(judge->snapshot, d_marks, judge->n, d_bad);
  LAUNCH_CHECK();
  const bool right = finding(judge, VERDICT_MULTISET).state == VERDICT_HOLDS;
  scratch_free(d_marks);
  const Bad none = {0, ~0ull};
  CUDA_CHECK(cudaMemcpy(d_bad, &none, sizeof none, cudaMemcpyHostToDevice));
  return right;
}

// Judges multiset and pairing of pairs.
static void judge_positions(const Judge *judge, Verdict *verdict) {
  if (positions_right(judge)) {
    verdict->part[VERDICT_MULTISET].state = VERDICT_HOLDS;
    verdict->part[VERDICT_PAIRING].state = VERDICT_HOLDS;
    return;
  }
  const size_t bytes = (judge->n + 31) / 32 * sizeof(unsigned int);
  unsigned int *const d_seen = (unsigned int *)scratch_alloc(bytes);
  CUDA_CHECK(cudaMemsetAsync(d_seen, 0, bytes, 0));
  check_pairing<<<judge->blocks, BLOCK_SIZE>>>(judge->snapshot, judge->keys, judge->positions,
                                               judge->n, d_seen, judge->d_bad + VERDICT_PAIRING);
  LAUNCH_CHECK();
  check_all_seen<<<judge->blocks, BLOCK_SIZE>>>(d_seen, judge->n, judge->d_bad + VERDICT_MULTISET);
  LAUNCH_CHECK();
  scratch_free(d_seen);

  VerdictFinding *const multiset = &verdict->part[VERDICT_MULTISET];
  *multiset = finding(judge, VERDICT_MULTISET);
  multiset->expected = 1;  // actual stays 0
  VerdictFinding *const pairing = &verdict->part[VERDICT_PAIRING];
  *pairing = finding(judge, VERDICT_PAIRING);
  if (pairing->state == VERDICT_FAILS) {
    pairing->actual = fetch(judge->keys, pairing->first_bad);
    pairing->expected = fetch(judge->snapshot, fetch(judge->positions, pairing->first_bad));
  }
}

static VerdictFinding judge_stability(const Judge *judge) {
  check_stability<<<judge->blocks, BLOCK_SIZE>>>(judge->keys, judge->positions, judge->n,
                                                 judge->d_bad + VERDICT_STABILITY);
  LAUNCH_CHECK();
  return finding_of_neighbours(judge, VERDICT_STABILITY, judge->positions);
}

Verdict verdict_judge(const SortVersion *version, const unsigned int *d_snapshot,
                      const unsigned int *d_keys, const unsigned int *d_positions, size_t n) {
  Verdict verdict = {.pairs = d_positions != NULL, .unsettled = false, .part = {}};
  for (int part = 0; part < VERDICT_PARTS; part++) verdict.part[part].state = VERDICT_NOT_JUDGED;
  Bad bad[VERDICT_PARTS];
  for (int part = 0; part < VERDICT_PARTS; part++) bad[part] = {0, ~0ull};
  const size_t blocks = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
  const Judge judge = {.snapshot = d_snapshot,
                       .keys = d_keys,
                       .positions = d_positions,
                       .n = n,
                       .blocks = (unsigned int)(blocks == 0           ? 1
                                                : blocks < MAX_BLOCKS ? blocks
                                                                      : MAX_BLOCKS),
                       .d_bad = (Bad *)scratch_alloc(sizeof bad)};
  CUDA_CHECK(cudaMemcpy(judge.d_bad, bad, sizeof bad, cudaMemcpyHostToDevice));

  verdict.part[VERDICT_ORDER] = judge_order(&judge);
  if (verdict.pairs) {
    judge_positions(&judge, &verdict);
    if (version->stable) verdict.part[VERDICT_STABILITY] = judge_stability(&judge);
  } else if (verdict.part[VERDICT_ORDER].state == VERDICT_HOLDS) {
    verdict.part[VERDICT_MULTISET] = judge_multiset_of_keys(&judge);
  }
  scratch_free(judge.d_bad);
  return verdict;
}
