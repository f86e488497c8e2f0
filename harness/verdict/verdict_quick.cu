// A verdict for every timed run: right or wrong, at the cost of reading the arrays once.
#include "common/check.h"
#include "common/scratch.h"
#include "harness/input/splitmix.cuh"
#include "harness/verdict/verdict.h"

static const unsigned int BLOCK_SIZE = 256, MAX_BLOCKS = 1024;

typedef unsigned long long Count;

typedef struct Findings {
  Count disorder;    // places where a key is smaller than the one before, or stability fails
  Count difference;  // sum of the input's hashes less that of the output's
} Findings;

static __device__ Count hash_of(unsigned int key, unsigned int position) {
  return splitmix(1, (uint64_t)key << 32 | position);
}

static __device__ Count warp_sum(Count value) {
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_down_sync(~0u, value, distance);
  return value;
}

// positions: NULL for bare keys.
static __global__ void look(const unsigned int *snapshot, const unsigned int *keys,
                            const unsigned int *positions, size_t n, bool stable,
                            Findings *findings) {
  Count disorder = 0, difference = 0;
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += (size_t)gridDim.x * blockDim.x) {
    const unsigned int key = keys[i], position = positions != NULL ? positions[i] : 0;
    difference += hash_of(snapshot[i], positions != NULL ? (unsigned int)i : 0);
    difference -= hash_of(key, position);
    if (i == 0) continue;
    const unsigned int before = keys[i - 1];
    disorder += before > key || (stable && before == key && positions[i - 1] > position);
  }
  disorder = warp_sum(disorder);
  difference = warp_sum(difference);
  if (threadIdx.x % 32 != 0) return;
  if (disorder != 0) atomicAdd(&findings->disorder, disorder);
  if (difference != 0) atomicAdd(&findings->difference, difference);
}

bool verdict_quick(const SortVersion *version, const unsigned int *d_snapshot,
                   const unsigned int *d_keys, const unsigned int *d_positions, size_t n) {
  if (n == 0) return true;
  Findings *const d_findings = (Findings *)scratch_alloc(sizeof *d_findings);
  CUDA_CHECK(cudaMemsetAsync(d_findings, 0, sizeof *d_findings, 0));
  const size_t blocks = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
  look<<<(unsigned int)(blocks < MAX_BLOCKS ? blocks : MAX_BLOCKS), BLOCK_SIZE>>>(
      d_snapshot, d_keys, d_positions, n, version->stable && d_positions != NULL, d_findings);
  LAUNCH_CHECK();
  Findings findings;
  CUDA_CHECK(cudaMemcpy(&findings, d_findings, sizeof findings, cudaMemcpyDeviceToHost));
  scratch_free(d_findings);
  return findings.disorder == 0 && findings.difference == 0;
}
