// Sorts pieces of host arrays on the device: while one piece is sorted, the next one is copied in
// and the one before is copied out.
#ifndef MULTI_HOST_PIPELINE_H
#define MULTI_HOST_PIPELINE_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "multi/world/memory.h"

// A run of elements in host memory. positions is NULL for bare keys.
typedef struct HostSlice {
  Elements elements;
  size_t count;
} HostSlice;

// A unit of work: several slices, in this order, are sorted together into one array. It may be the
// memory of the slices, if they are adjacent.
typedef struct Piece {
  const HostSlice *slices;
  int slice_count;
  Elements to;
  size_t count;  // the sum of the slices' counts, at most the pipeline's `most`
} Piece;

typedef struct Pipeline {
  size_t most;             // elements of a piece
  Elements in[2], out[2];  // on the device
  cudaStream_t loader, saver;
  cudaEvent_t loaded[2], sorted[2], saved[2];
} Pipeline;

// Bytes of device memory for each element of a piece: two buffers for each direction, and the
// version's scratch memory.
double pipeline_bytes_per_element(bool pairs);

// Returns false if the device has too little memory for it. pipeline_destroy() frees it either way.
bool pipeline_create(Pipeline *pipeline, size_t most, bool pairs);
void pipeline_destroy(Pipeline *pipeline);

// Sorts the pieces, one after another, and waits until all have been written.
void pipeline_run(Pipeline *pipeline, const Piece *pieces, int count);

#endif
