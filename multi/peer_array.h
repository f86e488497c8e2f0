// Device arrays that all ranks of a machine can write to: mapped by CUDA's interprocess
// communication, over NVLink or PCIe if the ranks have different GPUs.
#ifndef MULTI_PEER_ARRAY_H
#define MULTI_PEER_ARRAY_H

#include <stddef.h>

#include "multi/shared_memory.h"

typedef struct PeerArray {
  unsigned int **of;    // [ranks] the array of each rank, as this rank sees it
  SharedMemory memory;  // cpu backend only
} PeerArray;

// Collective: a device array of `count` elements, of any length on each rank. False on all ranks,
// and no memory is taken, if a device has too little or cannot be reached from another, or if the
// ranks are on several machines.
bool peer_array_create(const World *world, size_t count, PeerArray *array);

// Collective: no rank uses the array any more. Does nothing if array->of is NULL.
void peer_array_destroy(const World *world, PeerArray *array);

#endif
