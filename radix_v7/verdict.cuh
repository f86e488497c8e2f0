// Whether all buckets fit into their blocks: a count or a sample finds out on the device, and the
// host waits for it.
#ifndef RADIX_V7_VERDICT_CUH
#define RADIX_V7_VERDICT_CUH

#include <cuda_runtime.h>

#include "common/check.h"

enum Verdict { UNKNOWN, FITS, TOO_LARGE };

// A verdict in memory that both the host and the device see, not known yet. Each sort has another
// one: kernels of the last sort may still be writing theirs.
static volatile unsigned int *fresh_host_verdict(void) {
  enum { VERDICTS = 8 };
  static volatile unsigned int *verdicts = NULL;
  static unsigned int next = 0;
  if (verdicts == NULL) CUDA_CHECK(cudaMallocHost((void **)&verdicts, VERDICTS * sizeof *verdicts));
  volatile unsigned int *const verdict = &verdicts[next++ % VERDICTS];
  *verdict = UNKNOWN;
  return verdict;
}

// Waits for the verdict: do all buckets fit? To be called after all other launches, so that the
// device is busy while the host waits.
static bool verdict_fits(volatile unsigned int *verdict) {
  while (*verdict == UNKNOWN && cudaStreamQuery(0) == cudaErrorNotReady) {
  }
  CUDA_CHECK(cudaPeekAtLastError());
  return *verdict == FITS;
}

#endif
