// The way of elements from GPU to GPU without a message: the kernel that partitions a shard writes
// each element to where it belongs, in the memory of its rank's GPU. The counts give every rank a
// separate part of every destination, so that no two ranks write to the same place.
#ifndef MULTI_DEVICE_DIRECT_H
#define MULTI_DEVICE_DIRECT_H

#include "multi/device/shard.h"

// Collective: moves the elements, prepares the sort that goes on from their order, and waits until
// all ranks have moved theirs. sort->direct only.
void shard_move_directly(ShardSort *sort);

#endif
