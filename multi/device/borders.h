// The borders between the ranks, from counts of all keys, and what follows from them: this rank's
// splitters, and how many of its elements go where.
#ifndef MULTI_DEVICE_BORDERS_H
#define MULTI_DEVICE_BORDERS_H

#include "multi/device/shard.h"

// Collective: counts the upper halves of all keys.
void shard_count(ShardSort *sort);

// Collective, after shard_count(): finds borders and splitters. Lower halves are counted where a
// border is inside a prefix.
void shard_find_borders(ShardSort *sort);

// Collective, after that: where segments begin, in the sent and in the received arrays. Returns the
// number of elements that this rank will have.
uint64_t shard_lay_out(ShardSort *sort);

// Index in the sorted array of the first element of rank r, and with r = ranks behind the last one.
uint64_t shard_place(const ShardSort *sort, int r);

// The key range of rank r: first <= key <= last, if it has any.
void shard_key_range(const ShardSort *sort, int r, uint32_t *first, uint32_t *last);

#endif
