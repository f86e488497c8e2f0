// The local sort of bare keys that have arrived in order of their upper 8 bits and whose counts by
// the upper 16 bits are known: the second half of radix_v7's sort by buckets.
#ifndef MULTI_BUCKET_FINISH_H
#define MULTI_BUCKET_FINISH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FINISH_BUCKETS = 1 << 16 };

typedef struct BucketFinish {
  uint32_t *start;  // [FINISH_BUCKETS + 1] page-locked: where each bucket begins, the last: n
  void *device;
} BucketFinish;

BucketFinish finish_create(void);
void finish_destroy(BucketFinish *finish);

// Whether blocks of this device can sort each bucket, by finish->start.
bool finish_suits(const BucketFinish *finish);

// Sorts n < 2^30 keys from `in` to `out`. Does not wait.
void finish_sort(BucketFinish *finish, const unsigned int *in, unsigned int *out, size_t n);

#ifdef __cplusplus
}
#endif
#endif
