// For clangd alone: makes clang's own CUDA mode accept the headers of cuda_cpu in place of the
// toolkit's, so that an editor knows CUDA on a machine without a toolkit. compile_commands.json
// includes it first; no build uses it.
#ifndef LABS_EDITOR_CLANGD_CUDA_H
#define LABS_EDITOR_CLANGD_CUDA_H

// clang's wrappers of the headers need the two macros; cuda_runtime.h would define them again.
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#undef __host__
#undef __device__

// glibc has internal functions with the same names, for the host alone.
#define __sinf clangd_cuda_sinf
#define __cosf clangd_cuda_cosf
#define __tanf clangd_cuda_tanf
#define __sincosf clangd_cuda_sincosf
#define __expf clangd_cuda_expf
#define __exp10f clangd_cuda_exp10f
#define __logf clangd_cuda_logf
#define __log2f clangd_cuda_log2f
#define __log10f clangd_cuda_log10f
#define __powf clangd_cuda_powf

// The functions of cuda_cpu may be called from kernels and from the host.
#pragma clang force_cuda_host_device begin
#include <cuda_runtime.h>
#pragma clang force_cuda_host_device end

// clang turns kernel<<<grid, block, shared, stream>>>() into a call of it.
extern "C" unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0,
                                                    cudaStream_t stream = nullptr);

// cuda_runtime.h defines these as nothing, for g++.
#undef __global__
#undef __device__
#undef __host__
#undef __constant__
#undef __shared__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
// Nothing: libstdc++ writes __attribute__((__noinline__)), which stays right so.
#define __noinline__

#ifdef CLANGD_GPU  // make compile_commands BACKEND=cuda: shows the code for a GPU, not that for the
                   // cpu backend
#undef CUDA_CPU
#endif

#endif
