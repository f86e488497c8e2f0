// The local sort of bare keys whose counts by the upper 16 bits are known: gsort's sort by
// buckets without its count, and without its first partition if the keys have arrived in order of
// their upper 8 bits.
#ifndef MULTI_DEVICE_BUCKET_FINISH_H
#define MULTI_DEVICE_BUCKET_FINISH_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FINISH_BUCKETS = 1 << 16, FINISH_DIGITS = 1 << 8 };

typedef struct BucketFinish {
  uint32_t
      *start;  // [FINISH_BUCKETS + 1] page-locked: where each bucket begins, the last: n < 2^30
  const void *shape;
  bool halves;  // buckets are too large, but probably not their halves, by the next bit
  int digits;   // of the first part
  void *device;
  cudaStream_t stream;  // of all that is queued; it goes before other streams
} BucketFinish;

BucketFinish finish_create(void);
void finish_destroy(BucketFinish *finish);

// After finish->start has been written: queues what the device needs. The first `digits` values of
// the upper 8 bits are the first part of the keys, the others the second one. False if blocks of
// this device cannot sort some bucket, nor its halves if they are about equal, or there is no key.
bool finish_prepare(BucketFinish *finish, int digits);

// After finish_prepare() returned true: queues the sort of part 0 or 1 of the keys from `in` to
// `out`. by_digit: they are in order of their upper 8 bits; otherwise all of them are in part 0,
// and `in` is overwritten.
void finish_sort(BucketFinish *finish, int part, unsigned int *in, unsigned int *out,
                 bool by_digit);

// Waits for what is queued. False if some half of a bucket does not fit: then `in` has the keys, in
// any order.
bool finish_wait(BucketFinish *finish);

#ifdef __cplusplus
}
#endif
#endif
