// A mistake that hides: each thread adds its left neighbour's value, which it must not read before
// the neighbour has written it. Threads that run in index order give the right result even without
// a barrier. racecheck shuffles them:
//
//   build/missing_barrier                        right by luck
//   CUDA_CPU_RACECHECK=1 build/missing_barrier   wrong, and it says which sums
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

static void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "missing_barrier: %s\n", cudaGetErrorString(error));
  exit(3);
}

enum { kThreads = 64 };

static __global__ void add_left(unsigned *out) {
  __shared__ unsigned values[kThreads];
  const unsigned i = threadIdx.x;
  values[i] = i;
  // __syncthreads() is missing here.
  out[i] = values[i] + (i > 0 ? values[i - 1] : 0);
}

int main() {
  unsigned *out = nullptr, sums[kThreads];
  check(cudaMalloc(&out, sizeof sums));
  add_left<<<1, kThreads>>>(out);
  check(cudaGetLastError());
  check(cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost));
  check(cudaFree(out));
  unsigned wrong = 0;
  for (unsigned i = 1; i < kThreads; i++) {
    if (sums[i] == 2 * i - 1) continue;
    if (wrong++ == 0) printf("sum %u is 0x%08x, expected 0x%08x\n", i, sums[i], 2 * i - 1);
  }
  printf("%u of %d sums are wrong\n", wrong, kThreads);
  return wrong == 0 ? 0 : 1;
}
