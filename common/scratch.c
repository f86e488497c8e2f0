#include "common/scratch.h"

#include <stdbool.h>
#include <stdlib.h>

#include "common/check.h"

// Of the cpu backend, which then names uses of a returned block; NULL on a GPU.
__attribute__((weak)) void cuda_cpu_mark_unused(void *array, const char *by);

typedef struct Block {
  void *memory;
  size_t bytes;
  bool in_use;
  struct Block *next;
} Block;

static Block *pool;

// The smallest free block that fits, unless it would waste more than half of itself.
static Block *best_fit(size_t bytes) {
  Block *best = NULL;
  for (Block *block = pool; block != NULL; block = block->next)
    if (!block->in_use && block->bytes >= bytes && block->bytes / 2 <= bytes &&
        (best == NULL || block->bytes < best->bytes))
      best = block;
  return best;
}

void *scratch_alloc(size_t bytes) {
  if (bytes < 256) bytes = 256;  // an empty request gets an address too; small ones share blocks
  Block *block = best_fit(bytes);
  if (block == NULL) {
    block = MEMORY_CHECK(calloc(1, sizeof *block));
    cudaError_t error = cudaMalloc(&block->memory, bytes);
    if (error == cudaErrorMemoryAllocation) {
      (void)cudaGetLastError();  // forget the failure: it is retried
      scratch_trim();
      error = cudaMalloc(&block->memory, bytes);
    }
    check_cuda(error, "cudaMalloc of scratch memory", __FILE__, __LINE__);
    block->bytes = bytes;
    block->next = pool;
    pool = block;
  } else if (cuda_cpu_mark_unused != NULL) {
    cuda_cpu_mark_unused(block->memory, NULL);
  }
  block->in_use = true;
  return block->memory;
}

void scratch_free(void *memory) {
  for (Block *block = pool; block != NULL; block = block->next)
    if (block->memory == memory && block->in_use) {
      block->in_use = false;
      if (cuda_cpu_mark_unused != NULL) cuda_cpu_mark_unused(memory, __func__);
      return;
    }
  check_fail("scratch: %p is not a block that is in use", memory);
}

size_t scratch_outstanding(void) {
  size_t count = 0;
  for (const Block *block = pool; block != NULL; block = block->next) count += block->in_use;
  return count;
}

void scratch_trim(void) {
  for (Block **link = &pool; *link != NULL;) {
    Block *const block = *link;
    if (block->in_use) {
      link = &block->next;
      continue;
    }
    *link = block->next;
    CUDA_CHECK(cudaFree(block->memory));
    free(block);
  }
}
