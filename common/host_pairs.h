// Keys with or without positions in host memory, for the versions that sort on the CPU.
#ifndef COMMON_HOST_PAIRS_H
#define COMMON_HOST_PAIRS_H

#include <stdlib.h>

#include "common/check.h"
#include "common/stages.h"

// n keys and their positions; positions is NULL for bare keys.
typedef struct HostPairs {
  unsigned int *keys, *positions;
} HostPairs;

// `count` elements. Never NULL: if there is no memory, the program ends with exit code 3.
static inline unsigned int *host_alloc(size_t count) {
  return (unsigned int *)MEMORY_CHECK(malloc(count * sizeof(unsigned int)));
}

// Arrays of n elements each; host_pairs_free frees them.
static inline HostPairs host_pairs_alloc(size_t n, bool with_positions) {
  const HostPairs pairs = {host_alloc(n), with_positions ? host_alloc(n) : NULL};
  return pairs;
}

static inline void host_pairs_free(HostPairs pairs) {
  free(pairs.keys);
  free(pairs.positions);
}

// Copies n elements, unless `to` is NULL.
static inline void copy_array(void *to, const void *from, size_t n, enum cudaMemcpyKind kind) {
  if (to != NULL) CUDA_CHECK(cudaMemcpy(to, from, n * sizeof(unsigned int), kind));
}

// Copies from the device to new arrays, and back, timed as a separate stage "copy": the CPU sorts
// of the reports have their data on the host.
static inline HostPairs copy_to_host(const unsigned int *d_keys, const unsigned int *d_positions,
                                     size_t n) {
  const HostPairs to = host_pairs_alloc(n, d_positions != NULL);
  stage_start("copy");
  copy_array(to.keys, d_keys, n, cudaMemcpyDeviceToHost);
  copy_array(to.positions, d_positions, n, cudaMemcpyDeviceToHost);
  stage_stop();
  return to;
}

static inline void copy_to_device(unsigned int *d_keys, unsigned int *d_positions, HostPairs from,
                                  size_t n) {
  stage_start("copy");
  copy_array(d_keys, from.keys, n, cudaMemcpyHostToDevice);
  copy_array(d_positions, from.positions, n, cudaMemcpyHostToDevice);
  stage_stop();
}

#endif
