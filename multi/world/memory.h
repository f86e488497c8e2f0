// Arrays of elements, and memory that all ranks of one machine see.
#ifndef MULTI_WORLD_MEMORY_H
#define MULTI_WORLD_MEMORY_H

#include <stddef.h>

#include "multi/world/world.h"

// Elements on a device, or on the host. positions is NULL for bare keys.
typedef struct Elements {
  unsigned int *keys, *positions;
} Elements;

// The elements from index i on.
static inline Elements elements_at(Elements elements, size_t i) {
  const Elements at = {elements.keys + i,
                       elements.positions == NULL ? NULL : elements.positions + i};
  return at;
}

// A multiple of 128 bytes: positions behind this number of keys are aligned like the keys.
static inline size_t elements_aligned(size_t count) { return (count / 32 + 1) * 32; }

// Allocates arrays on the device, or page-locked ones on the host: elements_aligned(count) keys,
// and the positions behind them, so that the memory also holds as many packed pairs. False, and
// NULLs, if there is too little memory.
bool elements_alloc(Elements *elements, size_t count, bool pairs);
bool elements_alloc_host(Elements *elements, size_t count, bool pairs);
void elements_free(Elements *elements);
void elements_free_host(Elements *elements);

// Whether the sort's scratch memory of `each` bytes an element fits, too. -1: not known, no.
bool scratch_fits(size_t count, double each);

// Copies `count` elements between any two memories, without positions if `to` or `from` has none.
void elements_copy(Elements to, Elements from, size_t count);

// The result of a sort on this rank.
typedef struct SortResult {
  Elements elements;  // on the device or the host, until the next run
  uint64_t begin;     // index of the first one in the sorted array
  size_t count;
  uint64_t received;  // elements that came from other ranks
} SortResult;

// Host memory that all ranks of one machine see, page-locked for copies of their devices: MPI's
// shared windows.
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

// Device arrays that all ranks of a machine can write to: mapped by CUDA's interprocess
// communication, over NVLink or PCIe if the ranks have different GPUs.
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
