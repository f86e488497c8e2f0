// Inputs for tests and measurements: key distributions, generated on the device. Each is a pure
// function of (seed, index, n) in integer arithmetic, so the same seed gives the same input on both
// backends. A CUDA failure ends the program with exit code 3 (common/check.h).
#ifndef HARNESS_INPUT_H
#define HARNESS_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/your_sort.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct InputKind {
  const char *name;     // as typed; NULL ends the list
  const char *meaning;  // one line: the formula and where it is from
  bool everywhere;      // every version is tested with it at every size: keep their number small
} InputKind;

extern const InputKind input_kinds[];

// Index in input_kinds of the entry with this name, or -1.
int input_find(const char *name);

// Inputs for other keys than KEY_U32: those above, and these, of 64 bits or, where `everywhere` is
// false, of floats.
extern const InputKind wide_kinds[];

// FIRST_WIDE + an index in wide_kinds, or -1.
enum { FIRST_WIDE = 1000 };
int wide_find(const char *name);

// Is the kind, of input_find() or wide_find(), one for keys of that type?
bool input_fits(int kind, KeyType type);

// Writes n < 2^48 keys of that type. All but the floating ones of wide_kinds are numbers of the
// key's width first, by the formulas of input_kinds with 64 in the place of 32. A signed key is the
// number less half of the range; a float is the number / 2^32, a double the number / 2^64.
void input_typed(KeyType type, int kind, uint64_t seed, void *d_keys, size_t n);

// Writes n < 2^48 keys of the kind input_kinds[kind] to the device array d_keys.
void input_keys(int kind, uint64_t seed, unsigned int *d_keys, size_t n);

// Writes only the keys first .. first + count - 1 of all n; d_keys[0] is the first of
// them.
void input_keys_part(int kind, uint64_t seed, unsigned int *d_keys, size_t first, size_t count,
                     size_t n);

// Writes 0, 1, .. n - 1 to the device array d_positions; n <= 2^32.
void input_positions(unsigned int *d_positions, size_t n);

// Writes first, first + 1, .. first + count - 1 to the device array d_positions[count];
// first + count <= 2^32.
void input_positions_range(unsigned int *d_positions, uint64_t first, size_t count);

// Writes 0, 1, .. n - 1 to an array of 64-bit numbers.
void input_positions64(uint64_t *d_positions, size_t n);

#ifdef __cplusplus
}
#endif
#endif
