// One call of a sort, seen from the host: what its four arrays held before and hold afterwards.
// Pure host code, so that a process without the sort and without a device can judge it.
#ifndef HARNESS_TRIAL_H
#define HARNESS_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/input/mix.h"

// The arrays in the order of your_sort()'s parameters.
typedef enum TrialArray { KEYS_IN, POSITIONS_IN, KEYS_OUT, POSITIONS_OUT, TRIAL_ARRAYS } TrialArray;

// An element outside the arrays that the sort changed.
typedef struct TrialOutside {
  bool found;
  TrialArray array;
  int64_t index;  // relative to the array: negative is before it, n or more is behind it
  uint32_t expected, actual;
} TrialOutside;

typedef struct Trial {
  size_t n;
  size_t guard;   // elements before and after each device array that must not change
  uint64_t seed;  // of the contents of outputs and guards before the sort
  bool filled;    // instead, all of both outputs is `filling`, as by memset()
  unsigned char filling;
  bool zero_memory;  // memory that the sort allocates holds zeros, not values drawn from the seed
  bool bare_keys;    // no positions: their arrays are copies of the keys' arrays
  uint32_t *keys, *positions;     // the input
  uint32_t *after[TRIAL_ARRAYS];  // what each array holds after the sort
  TrialOutside outside;
} Trial;

// Inputs that differ in the mistakes that they uncover.
typedef enum TrialKind {
  TRIAL_RANDOM,    // 32 random bits
  TRIAL_SPARSE,    // each bit set in one key of 16: keys that differ in few bits, also in bit 31
  TRIAL_FEW,       // 16 different keys
  TRIAL_EQUAL,     // one key
  TRIAL_SORTED,    // ascending
  TRIAL_REVERSED,  // descending
  TRIAL_MIXED,     // runs of n / 8 keys of each kind above, three of them random
  TRIAL_KINDS
} TrialKind;

// What to call an input of that kind: "random keys".
extern const char *const trial_kind_names[TRIAL_KINDS];

// Allocates the arrays for n elements; without memory the program ends with exit code 3.
Trial trial_create(size_t n, size_t guard, uint64_t seed);
void trial_free(Trial *trial);

// Draws keys of a kind. The positions ascend, but none equals its index. They ascend because a
// sort of key and position as one number is stable with such positions only, and CS344 has no
// other.
void trial_draw(Trial *trial, TrialKind kind, uint64_t seed);

// What element i of an array holds before the sort; i counts from the array's start and may lie in
// its guards.
uint32_t trial_before(const Trial *trial, TrialArray array, int64_t i);

// Writes the array as the sort must find it, guards included: n + 2 guard elements.
void trial_fill(const Trial *trial, TrialArray array, uint32_t *elements);

// Takes the array as the sort left it, guards included, into trial->after and trial->outside.
void trial_take(Trial *trial, TrialArray array, const uint32_t *elements);

// The input, sorted: keys ascending, equal keys in input order.
typedef struct TrialReference {
  uint32_t *keys, *positions;
} TrialReference;

TrialReference trial_reference(const Trial *trial);
void trial_reference_free(TrialReference *reference);

// Is the output right? Keys as in the reference, each position with its key, equal keys in input
// order if the sort claims to be stable; nothing written outside the arrays.
bool trial_right(const Trial *trial, bool stable);

// malloc() that ends the program with exit code 3 instead of failing.
__attribute__((returns_nonnull)) void *host_memory(size_t count, size_t size);

#endif
