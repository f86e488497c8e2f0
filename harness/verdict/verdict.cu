// The verdict's kernels. Each part counts its wrong elements and finds the first of them by
// atomics; the values expected there are looked up afterwards.
#include "harness/verdict/verdict.h"

#include <stdio.h>

#include "common/check.h"
#include "common/scratch.h"
#include "harness/input/mix.h"
#include "harness/verdict/verdict_bad.cuh"

template <class Word>
static __global__ void check_order(KeyType type, const Word *keys, size_t n, Bad *order) {
  Count count = 0, first = ~0ull;
  FOR_EACH_INDEX(i, 1, n) {
    if (code_of(type, keys[i - 1]) > code_of(type, keys[i])) note(&count, &first, i);
  }
  report(order, count, first);
}

template <class Word, class Position>
static __global__ void check_stability(KeyType type, const Word *keys, const Position *positions,
                                       size_t n, Bad *stability) {
  Count count = 0, first = ~0ull;
  FOR_EACH_INDEX(i, 1, n) {
    if (code_of(type, keys[i - 1]) == code_of(type, keys[i]) && positions[i - 1] > positions[i])
      note(&count, &first, i);
  }
  report(stability, count, first);
}

// Checks multiset and pairing at once: every key is written to its position in an array that at
// first differs from the snapshot everywhere. If the two are equal afterwards, every position
// occurred with its key, and each once, as there are n of them. This costs one scattered write per
// element. The kernels below, which find out which part fails and where, need a scattered read and
// a scattered atomic.
template <class Word>
static __global__ void fill_unlike(const Word *snapshot, size_t n, Word *marks) {
  FOR_EACH_INDEX(i, 0, n) marks[i] = ~snapshot[i];
}

template <class Word, class Position>
static __global__ void write_to_positions(const Word *keys, const Position *positions, size_t n,
                                          Word *marks) {
  FOR_EACH_INDEX(i, 0, n) {
    const Position position = positions[i];
    if (position < n) marks[position] = keys[i];
  }
}

// Marks every position that occurs in a bitmap, and compares each key with the snapshot's key at
// its position.
template <class Word, class Position>
static __global__ void check_pairing(const Word *snapshot, const Word *keys,
                                     const Position *positions, size_t n, unsigned int *seen,
                                     Bad *pairing) {
  Count count = 0, first = ~0ull;
  FOR_EACH_INDEX(i, 0, n) {
    const Position position = positions[i];
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

template <class T>
static T fetch(const T *d_array, size_t i) {
  T value = 0;
  CUDA_CHECK(cudaMemcpy(&value, d_array + i, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

// Word: the keys' width.
template <class Word, class Position>
struct Judge {
  KeyType type;
  const Word *snapshot, *keys;
  const Position *positions;
  size_t n;
  unsigned int blocks;  // of every kernel
  Bad *d_bad;           // one for each part
};

static VerdictFinding finding(const Bad *d_bad) {
  Bad bad;
  CUDA_CHECK(cudaMemcpy(&bad, d_bad, sizeof bad, cudaMemcpyDeviceToHost));
  VerdictFinding found = {};
  found.state = bad.count == 0 ? VERDICT_HOLDS : VERDICT_FAILS;
  found.bad_count = bad.count;
  if (bad.count > 0) found.first_bad = bad.first;
  return found;
}

// The finding of a part that compares each element of d_array, of that type, with the one before.
template <class T>
static VerdictFinding finding_of_neighbours(const Bad *d_bad, KeyType type, const T *d_array) {
  VerdictFinding found = finding(d_bad);
  if (found.state == VERDICT_FAILS) {
    found.expected = code_of(type, fetch(d_array, found.first_bad - 1));
    found.actual = code_of(type, fetch(d_array, found.first_bad));
  }
  return found;
}

template <class Word, class Position>
static VerdictFinding judge_order(const Judge<Word, Position> *judge) {
  Bad *const d_bad = judge->d_bad + VERDICT_ORDER;
  check_order<<<judge->blocks, VERDICT_BLOCK>>>(judge->type, judge->keys, judge->n, d_bad);
  LAUNCH_CHECK();
  return finding_of_neighbours(d_bad, judge->type, judge->keys);
}

// Does every position occur once, with its key, bit for bit?
template <class Word, class Position>
static bool positions_right(const Judge<Word, Position> *judge) {
  Word *const d_marks = (Word *)scratch_alloc(judge->n * sizeof *d_marks);
  Bad *const d_bad = judge->d_bad + VERDICT_MULTISET;
  fill_unlike<<<judge->blocks, VERDICT_BLOCK>>>(judge->snapshot, judge->n, d_marks);
  write_to_positions<<<judge->blocks, VERDICT_BLOCK>>>(judge->keys, judge->positions, judge->n,
                                                       d_marks);
  check_equal<<<judge->blocks, VERDICT_BLOCK>>>(KEY_U32, judge->snapshot, d_marks, judge->n, 0,
                                                d_bad);
  LAUNCH_CHECK();
  const bool right = finding(d_bad).state == VERDICT_HOLDS;
  scratch_free(d_marks);
  const Bad none = {0, ~0ull};
  CUDA_CHECK(cudaMemcpy(d_bad, &none, sizeof none, cudaMemcpyHostToDevice));
  return right;
}

// Judges multiset and pairing of pairs.
template <class Word, class Position>
static void judge_positions(const Judge<Word, Position> *judge, Verdict *verdict) {
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
  *multiset = finding(judge->d_bad + VERDICT_MULTISET);
  multiset->expected = 1;  // actual stays 0
  VerdictFinding *const pairing = &verdict->part[VERDICT_PAIRING];
  *pairing = finding(judge->d_bad + VERDICT_PAIRING);
  if (pairing->state == VERDICT_FAILS) {
    const size_t position = fetch(judge->positions, pairing->first_bad);
    pairing->actual = code_of(judge->type, fetch(judge->keys, pairing->first_bad));
    pairing->expected = code_of(judge->type, fetch(judge->snapshot, position));
  }
}

template <class Word, class Position>
static VerdictFinding judge_stability(const Judge<Word, Position> *judge) {
  Bad *const d_bad = judge->d_bad + VERDICT_STABILITY;
  check_stability<<<judge->blocks, VERDICT_BLOCK>>>(judge->type, judge->keys, judge->positions,
                                                    judge->n, d_bad);
  LAUNCH_CHECK();
  return finding_of_neighbours(d_bad, KEY_U32, judge->positions);
}

template <class Word, class Position>
static Verdict judge_as(const SortVersion *version, const void *d_snapshot, const void *d_keys,
                        const void *d_positions, size_t n) {
  Verdict verdict = {.pairs = d_positions != NULL, .unsettled = false, .part = {}};
  for (int part = 0; part < VERDICT_PARTS; part++) verdict.part[part].state = VERDICT_NOT_JUDGED;
  Bad bad[VERDICT_PARTS];
  for (int part = 0; part < VERDICT_PARTS; part++) bad[part] = {0, ~0ull};
  const Judge<Word, Position> judge = {.type = version->key,
                                       .snapshot = (const Word *)d_snapshot,
                                       .keys = (const Word *)d_keys,
                                       .positions = (const Position *)d_positions,
                                       .n = n,
                                       .blocks = verdict_blocks(n),
                                       .d_bad = (Bad *)scratch_alloc(sizeof bad)};
  CUDA_CHECK(cudaMemcpy(judge.d_bad, bad, sizeof bad, cudaMemcpyHostToDevice));

  verdict.part[VERDICT_ORDER] = judge_order(&judge);
  if (verdict.pairs) {
    judge_positions(&judge, &verdict);
    if (version->stable) verdict.part[VERDICT_STABILITY] = judge_stability(&judge);
  } else if (verdict.part[VERDICT_ORDER].state == VERDICT_HOLDS) {
    verdict.part[VERDICT_MULTISET] =
        verdict_multiset_of_keys(version->key, d_snapshot, d_keys, n, VERDICT_SLICE);
  }
  scratch_free(judge.d_bad);
  return verdict;
}

// Calls a function template for a version's keys and positions.
#define FOR_TYPES_OF(version, function, ...)                                     \
  ((version)->key < KEY_U64 ? function<uint32_t, uint32_t>(version, __VA_ARGS__) \
   : (version)->values64    ? function<uint64_t, uint64_t>(version, __VA_ARGS__) \
                            : function<uint64_t, uint32_t>(version, __VA_ARGS__))

Verdict verdict_judge(const SortVersion *version, const void *d_snapshot, const void *d_keys,
                      const void *d_positions, size_t n) {
  return FOR_TYPES_OF(version, judge_as, d_snapshot, d_keys, d_positions, n);
}

// ---- for every timed run: right or wrong, at the cost of reading the arrays once ----------------

typedef struct Findings {
  Count disorder;    // places where a key is smaller than the one before, or stability fails
  Count difference;  // sum of the input's hashes minus sum of the output's
} Findings;

static __device__ Count hash_of(uint64_t key, uint64_t position) {
  return mix64(mix64(key) + position);
}

static __device__ Count warp_sum(Count value) {
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_down_sync(~0u, value, distance);
  return value;
}

// positions: NULL for bare keys.
template <class Word, class Position>
static __global__ void check_quickly(KeyType type, const Word *snapshot, const Word *keys,
                                     const Position *positions, size_t n, bool stable,
                                     Findings *findings) {
  Count disorder = 0, difference = 0;
  FOR_EACH_INDEX(i, 0, n) {
    const Position position = positions != NULL ? positions[i] : 0;
    difference += hash_of(snapshot[i], positions != NULL ? i : 0);
    difference -= hash_of(keys[i], position);
    if (i == 0) continue;
    const Word before = code_of(type, keys[i - 1]), key = code_of(type, keys[i]);
    disorder += before > key || (stable && before == key && positions[i - 1] > position);
  }
  disorder = warp_sum(disorder);
  difference = warp_sum(difference);
  if (threadIdx.x % 32 != 0) return;
  if (disorder != 0) atomicAdd(&findings->disorder, disorder);
  if (difference != 0) atomicAdd(&findings->difference, difference);
}

template <class Word, class Position>
static bool quick_as(const SortVersion *version, const void *d_snapshot, const void *d_keys,
                     const void *d_positions, size_t n) {
  if (n == 0) return true;
  Findings *const d_findings = (Findings *)scratch_alloc(sizeof *d_findings);
  CUDA_CHECK(cudaMemsetAsync(d_findings, 0, sizeof *d_findings, 0));
  check_quickly<<<verdict_blocks(n), VERDICT_BLOCK>>>(
      version->key, (const Word *)d_snapshot, (const Word *)d_keys, (const Position *)d_positions,
      n, version->stable && d_positions != NULL, d_findings);
  LAUNCH_CHECK();
  Findings findings;
  CUDA_CHECK(cudaMemcpy(&findings, d_findings, sizeof findings, cudaMemcpyDeviceToHost));
  scratch_free(d_findings);
  return findings.disorder == 0 && findings.difference == 0;
}

bool verdict_quick(const SortVersion *version, const void *d_snapshot, const void *d_keys,
                   const void *d_positions, size_t n) {
  return FOR_TYPES_OF(version, quick_as, d_snapshot, d_keys, d_positions, n);
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
