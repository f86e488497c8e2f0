// State shared by host_way.c and host_arrays.c.
#ifndef MULTI_HOST_STATE_H
#define MULTI_HOST_STATE_H

#include "multi/pipeline.h"
#include "multi/shared_memory.h"
#include "multi/way.h"

typedef struct HostState {
  Job job;
  size_t share, capacity;  // of this rank: elements of its result, and of each array
  Elements first, second;  // page-locked host arrays
  bool shared;             // the other ranks see `first`
  SharedMemory keys, positions;
  Pipeline pipeline;
  Elements result;
} HostState;

// See way.h.
void host_fill(void *state);
Evidence host_look(void *state);
void host_fetch(void *state, size_t first, size_t count, uint32_t *keys, uint32_t *positions);
void host_poke(void *state, size_t first, size_t count, const uint32_t *keys,
               const uint32_t *positions);

#endif
