// The sort of arrays in host memory, of any size that the host holds. Each element goes through a
// device twice:
//
//   runs      pieces of the shard that fit into the device are sorted, each in place
//   cuts      exact indices of the ranks' borders in all runs of all ranks (sorted_cut.h)
//   exchange  the parts of the runs go to their ranks, from host memory to host memory; ranks of
//             one machine read them where they lie instead
//   ranges    pieces of the result, cut out of the runs in the same way, are sorted and written to
//             their final indices
//
// With one rank there is no exchange.
#ifndef MULTI_HOST_HOST_SORT_H
#define MULTI_HOST_HOST_SORT_H

#include "multi/host/pipeline.h"
#include "multi/move/exchange.h"

extern const char *const host_stages[];  // names; ends with NULL

typedef struct HostSort {
  const World *world;
  uint64_t n;              // of all ranks
  size_t shard;            // elements of this rank
  size_t share, capacity;  // of this rank: elements of its result, and of each array
  Elements first, second;  // page-locked host arrays; the shard is to be in `first`
  bool shared;             // the other ranks see `first`
  SharedMemory keys, positions;
  Pipeline pipeline;
} HostSort;

// Collective. device_memory: bytes that a rank may take on its device; 0: what is free. If a rank
// has too little memory, all end with EXIT_DEVICE and a sentence.
HostSort host_sort_create(const World *world, Exchange *exchange, uint64_t n, size_t shard,
                          bool pairs, uint64_t device_memory);
void host_sort_destroy(HostSort *sort);

// Collective: sorts; the result is on the host. The time of each stage on this rank is added to
// `seconds`, if that is not NULL; then the stages wait for each other.
SortResult host_sort_run(HostSort *sort, double *seconds);

#endif
