// The sort of an array that is spread over the ranks, each shard on its rank's device.
#ifndef MULTI_DEVICE_SHARD_SORT_H
#define MULTI_DEVICE_SHARD_SORT_H

#include "multi/device/shard.h"

extern const char *const shard_stages[];  // names; ends with NULL

// Collective: sorts; the result is on the device. The time of each stage on this rank is added to
// `seconds`, if that is not NULL; then the stages wait for each other, and nothing overlaps.
SortResult shard_sort_run(ShardSort *sort, double *seconds);

#endif
