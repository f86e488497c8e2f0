#include "harness/workload.h"

#include <cuda_runtime_api.h>
#include <math.h>

#include "common/check.h"
#include "harness/input.h"
#include "harness/mix.h"
#include "harness/verdict_multiset.h"

double workload_bytes(const SortVersion *version, size_t n, bool pairs) {
  // Snapshot, keys in and out. Pairs: positions in and out, and the verdict's marks.
  const double arrays = (pairs ? 3 + 2 + 1 : 3) * sizeof(unsigned int);
  const double scratch = pairs ? version->scratch_per_pair : version->scratch_per_key;
  const double fixed = 64e6, verdict = pairs ? 0.0 : verdict_multiset_bytes(n);
  return fixed + (double)n * (arrays + fmax(scratch, 0.0)) + verdict;
}

size_t workload_largest_n(const SortVersion *version, bool pairs, double bytes) {
  size_t fits = 0, too_many = (size_t)1 << 48;
  while (too_many - fits > 1) {
    const size_t middle = fits + (too_many - fits) / 2;
    if (workload_bytes(version, middle, pairs) <= bytes)
      fits = middle;
    else
      too_many = middle;
  }
  return fits;
}

static unsigned int *device_array(size_t n) {
  void *memory = NULL;
  CUDA_CHECK(cudaMalloc(&memory, (n == 0 ? 1 : n) * sizeof(unsigned int)));
  return memory;
}

Workload workload_create(size_t n, bool pairs) {
  return (Workload){
      .n = n,
      .pairs = pairs,
      .snapshot = device_array(n),
      .keys_in = device_array(n),
      .positions_in = pairs ? device_array(n) : NULL,
      .keys_out = device_array(n),
      .positions_out = pairs ? device_array(n) : NULL,
      .kind = -1,
  };
}

void workload_destroy(Workload *w) {
  unsigned int *const arrays[] = {w->snapshot, w->keys_in, w->positions_in, w->keys_out,
                                  w->positions_out};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) CUDA_CHECK(cudaFree(arrays[i]));
  *w = (Workload){0};
}

void workload_draw(Workload *w, int kind, uint64_t seed) {
  w->kind = kind;
  w->seed = seed;
  input_keys(kind, seed, w->snapshot, w->n);
}

void workload_load(Workload *w, const unsigned int *keys, size_t count) {
  w->kind = -1;
  for (size_t done = 0; done < w->n;) {
    const size_t part = w->n - done < count ? w->n - done : count;
    CUDA_CHECK(cudaMemcpy(w->snapshot + done, keys, part * sizeof *keys, cudaMemcpyHostToDevice));
    done += part;
  }
}

void workload_refresh(const Workload *w) {
  if (w->n == 0) return;
  CUDA_CHECK(
      cudaMemcpy(w->keys_in, w->snapshot, w->n * sizeof(unsigned int), cudaMemcpyDeviceToDevice));
  if (w->pairs) input_positions(w->positions_in, w->n);
  CUDA_CHECK(cudaDeviceSynchronize());
}

void workload_vary(const Workload *w, uint64_t index) {
  if (w->kind < 0) return;
  input_keys(w->kind, index == 0 ? w->seed : mix64(mix64(w->seed) + index), w->snapshot, w->n);
}

void workload_poison(const Workload *w, uint64_t index) {
  const int byte = (int)((0xa5 + 0x3b * index) & 0xff);
  CUDA_CHECK(cudaMemset(w->keys_out, byte, w->n * sizeof(unsigned int)));
  if (w->pairs) CUDA_CHECK(cudaMemset(w->positions_out, byte, w->n * sizeof(unsigned int)));
}
