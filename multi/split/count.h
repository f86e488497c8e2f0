// Counts of the upper or lower halves of keys, and the index of one of many equal keys, on a rank's
// device. A CUDA failure ends the program with exit code 3 (common/check.h).
#ifndef MULTI_SPLIT_COUNT_H
#define MULTI_SPLIT_COUNT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { UPPER_HALF = -1 };

// keys: a device array, aligned to 16 bytes; n < 2^32.
// counts[v] = number of keys whose upper half is v; with `prefix` other than UPPER_HALF, number of
// keys with that upper half whose lower half is v. counts: 65,536 elements on the device, aligned
// to 8 bytes.
void count_halves(const unsigned int *keys, size_t n, int prefix, uint32_t *counts);

// wide[v] = counts[v], 65,536 elements of device arrays.
void widen_counts(const uint32_t *counts, uint64_t *wide);

// Index of the (skipped + 1)-th key that equals `key`; there must be as many. Waits for the device.
size_t find_equal(const unsigned int *keys, size_t n, unsigned int key, size_t skipped);

#ifdef __cplusplus
}
#endif
#endif
