// Parts of sorted runs in the ranks' host memories: seen where they lie, on one machine, or
// exchanged by MPI.
#ifndef MULTI_HOST_HOST_EXCHANGE_H
#define MULTI_HOST_HOST_EXCHANGE_H

#include "multi/host/pipeline.h"
#include "multi/world/memory.h"

// Collective. Rank r gets of runs[k] the elements cut[r * count + k] to cut[(r + 1) * count + k]
// - 1. They are written to `to` in the order of (rank, run), one slice for each run of each rank.
// Returns the slices, malloc'ed, and sets *slices to their number and *received to the number of
// elements from other ranks. If they are more than `capacity`, the program ends with EXIT_DEVICE.
HostSlice *host_exchange(const World *world, const HostSlice *runs, int count, const size_t *cut,
                         Elements to, size_t capacity, int *slices, uint64_t *received);

// Collective. The same slices, where they lie: the runs of each rank are in its part of `keys` and
// `positions` (whose `of` is NULL for bare keys). Nothing is copied.
HostSlice *host_view(const World *world, const HostSlice *runs, int count, const size_t *cut,
                     const SharedMemory *keys, const SharedMemory *positions, int *slices,
                     uint64_t *received);

#endif
