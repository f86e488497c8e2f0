// The multiset of bare keys: is an ascending output the sorted input? Part of the verdict.
#ifndef HARNESS_VERDICT_MULTISET_H
#define HARNESS_VERDICT_MULTISET_H

#include "harness/verdict/verdict.h"

#ifdef __cplusplus
extern "C" {
#endif

// Keys that a library sorts at a time: 1 GB. More are sorted in slices of the range of keys, so
// that the scratch memory does not grow with n.
#define VERDICT_SLICE ((size_t)1 << 28)

// Scratch memory in bytes for n keys in slices of VERDICT_SLICE: the sorted keys and the library's
// own scratch; of a slice also its unsorted keys, and the library's scratch for a smaller one.
double verdict_multiset_bytes(size_t n);

// Compares d_keys[0..n) with the sorted keys of d_snapshot[0..n). Sorts at most `slice` keys at a
// time; the finding does not depend on it. Any n that fits; device arrays.
VerdictFinding verdict_multiset_of_keys(const unsigned int *d_snapshot, const unsigned int *d_keys,
                                        size_t n, size_t slice);

#ifdef __cplusplus
}
#endif
#endif
