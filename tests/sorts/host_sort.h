// A sort on the host, and means that several sorts use that try to get a PASS without one.
#ifndef TESTS_SORTS_HOST_SORT_H
#define TESTS_SORTS_HOST_SORT_H

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <algorithm>
#include <vector>

#include "common/check.h"

// Does the environment variable CHEAT name this way?
static inline bool attacks_by(const char *way) {
  const char *const chosen = getenv("CHEAT");
  return chosen != NULL && strcmp(chosen, way) == 0;
}

typedef struct Job {
  unsigned int *keys_in, *positions_in, *keys_out, *positions_out;
  size_t n;
} Job;

typedef std::vector<unsigned int> Array;

static inline void sort_arrays(Array &keys, Array &positions) {
  std::vector<std::pair<unsigned int, unsigned int>> pairs(keys.size());
  for (size_t i = 0; i < keys.size(); i++) pairs[i] = {keys[i], positions[i]};
  std::sort(pairs.begin(), pairs.end());
  for (size_t i = 0; i < keys.size(); i++) {
    keys[i] = pairs[i].first;
    positions[i] = pairs[i].second;
  }
}

static inline void get(const Job &job, Array &keys, Array &positions) {
  const size_t bytes = job.n * sizeof(unsigned int);
  keys.resize(job.n);
  positions.resize(job.n);
  CUDA_CHECK(cudaMemcpy(keys.data(), job.keys_in, bytes, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaMemcpy(positions.data(), job.positions_in, bytes, cudaMemcpyDeviceToHost));
}

static inline void put(const Job &job, const Array &keys, const Array &positions) {
  const size_t bytes = job.n * sizeof(unsigned int);
  CUDA_CHECK(cudaMemcpy(job.keys_out, keys.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(job.positions_out, positions.data(), bytes, cudaMemcpyHostToDevice));
}

static inline void honest_sort(const Job &job) {
  Array keys, positions;
  get(job, keys, positions);
  sort_arrays(keys, positions);
  put(job, keys, positions);
}

// cudaEventElapsedTime() writes nothing and returns cudaSuccess: xor eax, eax; ret. `on`: or else
// its own code again.
static inline void patch_the_timer(bool on) {
#ifdef __x86_64__
  static const unsigned char patch[] = {0x31, 0xc0, 0xc3};
  static unsigned char before[sizeof patch];
  void *const function = (void *)cudaEventElapsedTime;
  char *const page = (char *)((size_t)function & ~(size_t)4095);
  if (mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0) {
    if (on) memcpy(before, function, sizeof before);
    memcpy(function, on ? patch : before, sizeof patch);
  }
#else
  (void)on;
#endif
}

#endif
