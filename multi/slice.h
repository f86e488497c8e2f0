// Summary of consecutive elements of an array, for the verdict. Summaries of adjacent slices can be
// joined, so each rank reads only the elements that it has, piece by piece.
#ifndef MULTI_SLICE_H
#define MULTI_SLICE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// An element that does not follow the one before it.
typedef struct SliceFault {
  uint64_t count;          // number of such elements
  uint64_t first;          // index in the slice of the first of them
  uint32_t before, value;  // there: the previous key (order) or position (stability), and the value
} SliceFault;

typedef struct Slice {
  uint64_t count;        // elements; if 0, all else is 0
  SliceFault order;      // the key is smaller than the one before
  SliceFault stability;  // the key is equal, the position is smaller
  uint64_t hash[2];      // sums over the elements, of two functions of (key, position)
  uint32_t first_key, first_position, last_key, last_position;
} Slice;

// Appends the n elements of device arrays; d_positions is NULL for bare keys. A CUDA failure ends
// the program with exit code 3 (common/check.h).
void slice_add(Slice *slice, const unsigned int *d_keys, const unsigned int *d_positions, size_t n);

// Appends the elements of `next` to `slice`.
void slice_join(Slice *slice, const Slice *next);

#ifdef __cplusplus
}
#endif
#endif
