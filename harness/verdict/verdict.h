// The verdict: is the output the sorted input? The check runs on the device, at any n, and compares
// with a snapshot of the input that the sort had no access to. It is exact, but for the multiset of
// bare keys: a hash sum, by which a wrong output passes with a probability of about 2^-64.
#ifndef HARNESS_VERDICT_H
#define HARNESS_VERDICT_H

#include "common/your_sort.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum VerdictPart {
  VERDICT_ORDER,      // no key is smaller than the one before it
  VERDICT_MULTISET,   // nothing lost, nothing invented. Bare keys: every key as often as before
                      // (judged only if the order holds); pairs: every position exactly once
  VERDICT_PAIRING,    // each position still belongs to its key
  VERDICT_STABILITY,  // equal keys keep their order; judged only if the version claims it
  VERDICT_PARTS
} VerdictPart;

typedef enum VerdictState { VERDICT_HOLDS, VERDICT_FAILS, VERDICT_NOT_JUDGED } VerdictState;

typedef struct VerdictFinding {
  VerdictState state;
  uint64_t bad_count;  // number of wrong elements; 0 for the multiset of bare keys: the hash
                       // sum shows neither how many nor which
  uint64_t first_bad;  // the first of them: an index of the output; multiset of pairs: a position
  // At first_bad. Order: the key before it and the key. Pairing: keys.
  // Signed and floating keys as unsigned numbers of the same order. Multiset of pairs: how often
  // the position occurs. Stability: positions.
  uint64_t expected, actual;
} VerdictFinding;

typedef struct Verdict {
  bool pairs;      // false: bare keys
  bool unsettled;  // the output changed after the sort had returned; fails
  VerdictFinding part[VERDICT_PARTS];
} Verdict;

// The version names the types. d_snapshot: the keys before the sort; their positions were 0, 1, ..
// n - 1. d_keys, d_positions: the sort's output; d_positions is NULL for bare keys. All are device
// arrays of n elements; pairs: n < 2^32, bare keys: n < 2^48. For pairs it takes scratch memory for
// n keys. A CUDA failure ends the program with exit code 3.
Verdict verdict_judge(const SortVersion *version, const void *d_snapshot, const void *d_keys,
                      const void *d_positions, size_t n);

// Whether verdict_judge() would pass the output, in one pass over the arrays: the order, and a hash
// sum of the elements.
bool verdict_quick(const SortVersion *version, const void *d_snapshot, const void *d_keys,
                   const void *d_positions, size_t n);

// Does no part fail?
bool verdict_passes(const Verdict *verdict);

// Writes "PASS", or "FAIL: " and a clause for each part that fails, into text[size].
void verdict_describe(const Verdict *verdict, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
