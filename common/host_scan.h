// Scan of a block-major table on the host, shared by radix_level1 and radix_level2.
//
// hist[blk * bins + b] is the count of bin b in the tile of block blk. The scan goes through the
// bins in ascending order, and inside a bin block by block: start[blk * bins + b] is the number of
// elements in smaller bins of any block plus those in bin b of earlier blocks.
//
//   hist  [2 1 0 1 | 1 1 1 1]   two blocks, four bins
//   start [0 3 5 6 | 2 4 5 7]
#ifndef COMMON_HOST_SCAN_H
#define COMMON_HOST_SCAN_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdlib.h>

#include "common/check.h"

// Copies the table d_hist to the host, scans it and copies the result to d_start.
static inline void scan_on_host(const unsigned int *d_hist, unsigned int *d_start, size_t blocks,
                                unsigned int bins) {
  const size_t bytes = blocks * bins * sizeof(unsigned int);
  unsigned int *const table = (unsigned int *)MEMORY_CHECK(malloc(bytes));
  CUDA_CHECK(cudaMemcpy(table, d_hist, bytes, cudaMemcpyDeviceToHost));
  unsigned int sum = 0;
  for (unsigned int bin = 0; bin < bins; bin++)
    for (size_t block = 0; block < blocks; block++) {
      const unsigned int count = table[block * bins + bin];
      table[block * bins + bin] = sum;
      sum += count;
    }
  CUDA_CHECK(cudaMemcpy(d_start, table, bytes, cudaMemcpyHostToDevice));
  free(table);
}

#endif
