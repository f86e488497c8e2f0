// Bare keys sorted by a library: what the verdict compares the output of a sort with.
#ifndef HARNESS_LIBRARY_SORT_H
#define HARNESS_LIBRARY_SORT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// d_to[0..n) = d_from[0..n), ascending; device arrays that do not overlap. On a GPU it takes
// scratch memory of about n elements. A failure ends the program with exit code 3 (common/check.h).
void library_sort(const unsigned int *d_from, unsigned int *d_to, size_t n);

#ifdef __cplusplus
}
#endif
#endif
