// The local sort of bare keys whose counts by the upper 16 bits are known: gsort's sort by
// buckets without its count, and without its first partition if the keys have arrived in order of
// their upper 8 bits.
#ifndef MULTI_DEVICE_BUCKET_FINISH_H
#define MULTI_DEVICE_BUCKET_FINISH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FINISH_BUCKETS = 1 << 16 };

typedef struct BucketFinish {
  uint32_t
      *start;  // [FINISH_BUCKETS + 1] page-locked: where each bucket begins, the last: n < 2^30
  const void *shape;
  bool halves;  // buckets are too large, but probably not their halves, by the next bit
  void *device;
} BucketFinish;

BucketFinish finish_create(void);
void finish_destroy(BucketFinish *finish);

// After finish->start has been written: queues what the device needs. False if blocks of this
// device cannot sort some bucket, nor its halves if they are about equal, or there is no key.
bool finish_prepare(BucketFinish *finish);

// After finish_prepare() returned true: sorts the keys from `in` to `out`. by_digit: they are in
// order of their upper 8 bits; otherwise `in` is overwritten. Waits only for halves of buckets.
// False if some half does not fit: then `in` has the keys, in any order.
bool finish_sort(BucketFinish *finish, unsigned int *in, unsigned int *out, bool by_digit);

#ifdef __cplusplus
}
#endif
#endif
