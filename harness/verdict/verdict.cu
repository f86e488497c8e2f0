// The verdict's kernels. Each part counts its wrong elements and finds the first of them by
// atomics; the values expected there are looked up afterwards.
#include "harness/verdict/verdict.h"

#include <stdio.h>

#include "common/check.h"
#include "common/scratch.h"
#include "harness/input/mix.h"
#include "harness/verdict/verdict_bad.cuh"

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

// There are n positions for n elements: if one occurs twice, another is lost. So it is enough to
// count the lost ones.
static __global__ void check_all_seen(const unsigned int *seen, size_t n, Bad *multiset) {
  Count count = 0, first = ~0ull;
  FOR_EACH_INDEX(i, 0, n) {
    if ((seen[i / 32] >> (i % 32) & 1u) == 0) note(&count, &first, i);
  }
  report(multiset, count, first);
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
  check_order<<<judge->blocks, VERDICT_BLOCK>>>(judge->keys, judge->n,
                                                judge->d_bad + VERDICT_ORDER);
  LAUNCH_CHECK();
  return finding_of_neighbours(judge, VERDICT_ORDER, judge->keys);
}

// Does every position occur once, with its key?
static bool positions_right(const Judge *judge) {
  unsigned int *const d_marks = (unsigned int *)scratch_alloc(judge->n * sizeof *d_marks);
  Bad *const d_bad = judge->d_bad + VERDICT_MULTISET;
  fill_unlike<<<judge->blocks, VERDICT_BLOCK>>>(judge->snapshot, judge->n, d_marks);
  write_to_positions<<<judge->blocks, VERDICT_BLOCK>>>(judge->keys, judge->positions, judge->n,
                                                       d_marks);
  check_equal<<<judge->blocks, VERDICT_BLOCK>>>(judge->snapshot, d_marks, judge->n, 0, d_bad);
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
  check_pairing<<<judge->blocks, VERDICT_BLOCK>>>(judge->snapshot, judge->keys, judge->positions,
                                                  judge->n, d_seen, judge->d_bad + VERDICT_PAIRING);
  LAUNCH_CHECK();
  check_all_seen<<<judge->blocks, VERDICT_BLOCK>>>(d_seen, judge->n,
                                                   judge->d_bad + VERDICT_MULTISET);
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
  check_stability<<<judge->blocks, VERDICT_BLOCK>>>(judge->keys, judge->positions, judge->n,
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
  const Judge judge = {.snapshot = d_snapshot,
                       .keys = d_keys,
                       .positions = d_positions,
                       .n = n,
                       .blocks = verdict_blocks(n),
                       .d_bad = (Bad *)scratch_alloc(sizeof bad)};
  CUDA_CHECK(cudaMemcpy(judge.d_bad, bad, sizeof bad, cudaMemcpyHostToDevice));

  verdict.part[VERDICT_ORDER] = judge_order(&judge);
  if (verdict.pairs) {
    judge_positions(&judge, &verdict);
    if (version->stable) verdict.part[VERDICT_STABILITY] = judge_stability(&judge);
  } else if (verdict.part[VERDICT_ORDER].state == VERDICT_HOLDS) {
    verdict.part[VERDICT_MULTISET] = verdict_multiset_of_keys(d_snapshot, d_keys, n, VERDICT_SLICE);
  }
  scratch_free(judge.d_bad);
  return verdict;
}

// ---- for every timed run: right or wrong, at the cost of reading the arrays once ----------------

typedef struct Findings {
  Count disorder;    // places where a key is smaller than the one before, or stability fails
  Count difference;  // sum of the input's hashes minus sum of the output's
} Findings;

static __device__ Count hash_of(unsigned int key, unsigned int position) {
  return splitmix(1, (uint64_t)key << 32 | position);
}

static __device__ Count warp_sum(Count value) {
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_down_sync(~0u, value, distance);
  return value;
}

// positions: NULL for bare keys.
static __global__ void check_quickly(const unsigned int *snapshot, const unsigned int *keys,
                                     const unsigned int *positions, size_t n, bool stable,
                                     Findings *findings) {
  Count disorder = 0, difference = 0;
  FOR_EACH_INDEX(i, 0, n) {
    const unsigned int key = keys[i], position = positions != NULL ? positions[i] : 0;
    difference += hash_of(snapshot[i], positions != NULL ? (unsigned int)i : 0);
    difference -= hash_of(key, position);
    if (i == 0) continue;
    const unsigned int before = keys[i - 1];
    disorder += before > key || (stable && before == key && positions[i - 1] > position);
  }
  disorder = warp_sum(disorder);
  difference = warp_sum(difference);
  if (threadIdx.x % 32 != 0) return;
  if (disorder != 0) atomicAdd(&findings->disorder, disorder);
  if (difference != 0) atomicAdd(&findings->difference, difference);
}

bool verdict_quick(const SortVersion *version, const unsigned int *d_snapshot,
                   const unsigned int *d_keys, const unsigned int *d_positions, size_t n) {
  if (n == 0) return true;
  Findings *const d_findings = (Findings *)scratch_alloc(sizeof *d_findings);
  CUDA_CHECK(cudaMemsetAsync(d_findings, 0, sizeof *d_findings, 0));
  check_quickly<<<verdict_blocks(n), VERDICT_BLOCK>>>(
      d_snapshot, d_keys, d_positions, n, version->stable && d_positions != NULL, d_findings);
  LAUNCH_CHECK();
  Findings findings;
  CUDA_CHECK(cudaMemcpy(&findings, d_findings, sizeof findings, cudaMemcpyDeviceToHost));
  scratch_free(d_findings);
  return findings.disorder == 0 && findings.difference == 0;
}

// ---- in words -----------------------------------------------------------------------------------

bool verdict_passes(const Verdict *verdict) {
  if (verdict->unsettled) return false;
  for (int part = 0; part < VERDICT_PARTS; part++)
    if (verdict->part[part].state == VERDICT_FAILS) return false;
  return true;
}

void verdict_describe(const Verdict *verdict, char *text, size_t size) {
  const char *const clauses[VERDICT_PARTS] = {
      "order: at index %llu key %llu follows key %llu (%llu place%s)",
      verdict->pairs ? "multiset: position %llu occurs %llu times instead of %llu (%llu position%s)"
                     : "multiset: the key at index %llu is %llu instead of %llu (%llu place%s)",
      "pairing: index %llu holds key %llu with the position of key %llu (%llu place%s)",
      "stability: at index %llu position %llu follows position %llu of an equal key (%llu place%s)",
  };
  if (verdict_passes(verdict)) {
    snprintf(text, size, "PASS");
    return;
  }
  if (verdict->unsettled) {
    snprintf(text, size,
             "FAIL: the output was wrong when the sort returned, and still changed afterwards");
    return;
  }
  size_t used = (size_t)snprintf(text, size, "FAIL: ");
  const char *separator = "";
  for (int part = 0; part < VERDICT_PARTS; part++) {
    const VerdictFinding *const found = &verdict->part[part];
    if (found->state != VERDICT_FAILS || used >= size) continue;
    char clause[200] = "multiset: keys were lost or invented, by the library's sort as well";
    if (found->bad_count > 0)
      snprintf(clause, sizeof clause, clauses[part], (unsigned long long)found->first_bad,
               (unsigned long long)found->actual, (unsigned long long)found->expected,
               (unsigned long long)found->bad_count, found->bad_count == 1 ? "" : "s");
    used += (size_t)snprintf(text + used, size - used, "%s%s", separator, clause);
    separator = "; ";
  }
}
