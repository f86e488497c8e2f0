// Scratch device memory from a pool that all versions share.
//
// cudaMalloc synchronises the device and can take longer than a whole sort. The pool keeps what
// is returned to it, so that after a warm-up call no allocation lands in a timing.
#ifndef COMMON_SCRATCH_H
#define COMMON_SCRATCH_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Device memory of at least `bytes` bytes, aligned to 256, with undefined contents. Never NULL:
// when the device has no room even after the pool was emptied, the program ends with exit code 3.
void *scratch_alloc(size_t bytes);

// Returns a block to the pool. Because all work goes to one stream, a block may be returned while
// kernels that use it are still queued.
void scratch_free(void *block);

// Called by the harness: how many blocks are out (0 after a version that returned all it took),
// and giving the pooled memory back to the device.
size_t scratch_outstanding(void);
void scratch_trim(void);

#ifdef __cplusplus
}
#endif
#endif
