// The arrays of a least-significant-digit radix sort, computed plainly, to compare with.
#ifndef LABS_CHECK_REFERENCE_H
#define LABS_CHECK_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/lab.h"

// The right contents of an array.
typedef struct Expected {
  uint32_t *values;  // freed by the caller
  size_t count;
  size_t bins, tiles;  // of a table hist[bin * tiles + tile]; bins 0: one value per element
  size_t width;        // of runs; 0: an array of a pass
  unsigned int pass;   // counted from 0
} Expected;

// Starts with the n input keys, which must stay where they are.
void reference_begin(const uint32_t *keys, size_t n);

// What the sort showed as the keys of the record's pass: its arrays are computed from them, so that
// a mistake in a step shows although an earlier one is missing.
void reference_keys(const LabRecord *record, const uint32_t *keys);

// Computes the array that the record names. Returns false for an unknown name.
bool reference_array(const LabRecord *record, Expected *expected);

// Sorts each part of runs whose parts may be in any order.
void reference_sort_parts(const LabRecord *record, uint32_t *actual);

// Writes where element i is: "in pass 0 at bin 3 of tile 1".
void reference_place(const Expected *expected, size_t i, char *text, size_t size);

// Writes what may be the mistake in parentheses, after a space; an empty string if unknown.
void reference_guess(const Expected *expected, const LabRecord *record, const uint32_t *actual,
                     char *text, size_t size);

#endif
