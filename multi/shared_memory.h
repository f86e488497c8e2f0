// Host memory that all ranks of one machine see, page-locked for their devices' copies: MPI's
// shared windows.
#ifndef MULTI_SHARED_MEMORY_H
#define MULTI_SHARED_MEMORY_H

#include <stddef.h>

#include "multi/world.h"

typedef struct SharedMemory {
  void **of;  // [ranks] the part of each rank, as this process sees it; NULL: none
  MPI_Win window;
} SharedMemory;

// Collective: `bytes` of memory on each rank, of any size. False on all ranks, and nothing is
// taken, if there is too little, if it cannot be page-locked, or if the ranks are on several
// machines.
bool shared_memory_create(const World *world, size_t bytes, SharedMemory *memory);

// Collective: no rank uses it any more. Does nothing if memory->of is NULL.
void shared_memory_destroy(const World *world, SharedMemory *memory);

#endif
