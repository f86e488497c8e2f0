// The verdict: is the output the sorted input? The check runs on the device, is exact at any n, and
// compares with a snapshot of the input that the sort had no access to.
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
  uint64_t bad_count;  // number of wrong elements; 0 if a multiset fails only by its hash sums
  uint64_t first_bad;  // the first of them: an index of the output; multiset of pairs: a position
  // At first_bad. Order: the key before it and the key. Multiset of bare keys, pairing: keys.
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
// arrays of n elements; pairs: n < 2^32, bare keys: n < 2^48. Takes scratch memory for n pairs or
// for n keys, but of keys at most 4.6 GB, of 64 bits 9.1 GB. A CUDA failure ends the program with
// exit code 3.
Verdict verdict_judge(const SortVersion *version, const void *d_snapshot, const void *d_keys,
                      const void *d_positions, size_t n);

// Whether verdict_judge() would pass the output, in one pass over the arrays: the order, and a hash
// of the elements that does not depend on their order. A wrong output passes with a probability of
// about 2^-64.
bool verdict_quick(const SortVersion *version, const void *d_snapshot, const void *d_keys,
                   const void *d_positions, size_t n);

// Keys that a library sorts at a time: 1 or 2 GB. More are sorted in slices of the range of keys,
// so that the scratch memory does not grow with n.
#define VERDICT_SLICE ((size_t)1 << 28)

// Scratch memory in bytes for n keys in slices of VERDICT_SLICE: the sorted keys and the library's
// scratch; of a slice also its unsorted keys, and the library's scratch for a smaller one.
double verdict_multiset_bytes(KeyType type, size_t n);

// Compares d_keys[0..n) with the sorted keys of d_snapshot[0..n). Sorts at most `slice` keys at a
// time; the finding does not depend on it. Any n that fits; device arrays.
VerdictFinding verdict_multiset_of_keys(KeyType type, const void *d_snapshot, const void *d_keys,
                                        size_t n, size_t slice);

// Does no part fail?
bool verdict_passes(const Verdict *verdict);

// Writes "PASS", or "FAIL: " and a clause for each part that fails, into text[size].
void verdict_describe(const Verdict *verdict, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
