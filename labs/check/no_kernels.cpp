// Makes labs/check/worker a device on which no kernel runs: launches succeed and do nothing. The
// grader sorts with it once. A result that is right all the same was not computed by kernels.
//
// These functions take the place of the runtime's, also for the submission, because the linker and
// the loader take the first definition that they find.
#include <cuda_runtime_api.h>

#ifdef CUDA_CPU
#include <cuda_cpu/launch.h>

namespace cuda_cpu {
cudaError_t run_grid(const Launch &launch, const KernelCall &call);  // cuda_cpu/src/launch/grid.h
}
cudaError_t cuda_cpu::run_grid(const Launch &, const KernelCall &) { return cudaSuccess; }

#else
// What nvcc makes of <<<>>> calls __cudaLaunchKernel() from CUDA 13 on, cudaLaunchKernel() before.
extern "C" {
cudaError_t __cudaLaunchKernel(void *, dim3, dim3, void **, size_t, cudaStream_t) {
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel_ptsz(void *, dim3, dim3, void **, size_t, cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *, const void *, void **) {
  return cudaSuccess;
}
cudaError_t cudaLaunchCooperativeKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
}
#endif
