// Sorts bare keys by a library: the verdict compares the output of a version with it.
#ifndef HARNESS_LIBRARY_SORT_H
#define HARNESS_LIBRARY_SORT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// d_to[0..n) = d_from[0..n) in ascending order; device arrays that do not overlap. On a GPU (CUB)
// it takes scratch memory of about n elements; on the CPU it is std::sort. A failure ends the
// program with exit code 3 (common/check.h).
void library_sort(const unsigned int *d_from, unsigned int *d_to, size_t n);
void library_sort64(const uint64_t *d_from, uint64_t *d_to, size_t n);

#ifdef __cplusplus
}
#endif
#endif
