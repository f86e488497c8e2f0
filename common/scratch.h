// Scratch device memory from a pool that all versions share.
//
// cudaMalloc synchronises the device and can take longer than a whole sort. The pool keeps returned
// blocks, so that after a warm-up call no allocation is timed.
#ifndef COMMON_SCRATCH_H
#define COMMON_SCRATCH_H

#include <stddef.h>

enum { SCRATCH_ALIGNMENT = 256 };  // bytes

#ifdef __cplusplus
extern "C" {
#endif

// Device memory of at least `bytes` bytes, aligned to SCRATCH_ALIGNMENT, with undefined contents.
// Never NULL: if the device is full even after the pool was emptied, the program ends with exit
// code 3.
void *scratch_alloc(size_t bytes);

// Returns a block to the pool. Because all work goes to one stream, a block may be returned while
// kernels that use it are still queued. A pointer that is not a block in use is a bug: reported on
// stderr, exit code 3. So is a later use of the block, which only the cpu backend finds.
void scratch_free(void *block);

// Called by the harness: number of blocks not yet returned; 0 if the version freed all it took.
size_t scratch_outstanding(void);

// Called by the harness: frees the device memory of all blocks in the pool.
void scratch_trim(void);

// `bytes` rounded up: where the next part of a block may begin.
static inline size_t scratch_aligned(size_t bytes) {
  return (bytes + SCRATCH_ALIGNMENT - 1) / SCRATCH_ALIGNMENT * SCRATCH_ALIGNMENT;
}

#ifdef __cplusplus
}
#endif
#endif
