// The verdict: was the input sorted? Judged from a snapshot of the input that the sort could not
// touch, exactly, at any n, on the device.
#ifndef HARNESS_VERDICT_H
#define HARNESS_VERDICT_H

#include "common/your_sort.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum VerdictPart {
  VERDICT_ORDER,      // no key is smaller than the one before it
  VERDICT_MULTISET,   // nothing lost, nothing invented. Bare keys: every key as often as before
                      // (judged once the order holds); pairs: every position exactly once
  VERDICT_PAIRING,    // each position still belongs to its key
  VERDICT_STABILITY,  // equal keys keep their order (only where it is claimed)
  VERDICT_PARTS
} VerdictPart;

typedef enum VerdictState { VERDICT_HOLDS, VERDICT_FAILS, VERDICT_NOT_JUDGED } VerdictState;

typedef struct VerdictFinding {
  VerdictState state;
  uint64_t bad_count;  // how many places are wrong; 0 of a multiset that fails by its hash alone
  uint64_t first_bad;  // the first: an index of the output; for the multiset of pairs, the position
  uint64_t expected, actual;  // order: the key before, the key; multiset of bare keys and pairing:
                              // keys; of pairs: how often the position occurs; stability: positions
} VerdictFinding;

typedef struct Verdict {
  bool pairs;  // or bare keys
  VerdictFinding part[VERDICT_PARTS];
} Verdict;

// d_snapshot: the keys before the sort; their positions were 0, 1, .. n-1. d_keys, d_positions:
// the sort's output; d_positions is NULL for bare keys. All device arrays of n < 2^32 elements.
Verdict verdict_judge(const SortVersion *version, const unsigned int *d_snapshot,
                      const unsigned int *d_keys, const unsigned int *d_positions, size_t n);

bool verdict_passes(const Verdict *verdict);

// "PASS", or "FAIL: " and a clause for each part that fails, into text[size].
void verdict_describe(const Verdict *verdict, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
