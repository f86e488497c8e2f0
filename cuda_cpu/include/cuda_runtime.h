// CUDA C++ for machines without a GPU: the language's keywords, built-in variables and functions,
// so that a .cu file compiles with a C++ compiler once the rewriter has translated <<<...>>> and
// __shared__. Semantics: CUDA C++ Programming Guide, "C++ Language Extensions".
#ifndef CUDA_CPU_CUDA_RUNTIME_H
#define CUDA_CPU_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__  // CUDA's own guard, by which samples know the header

#include <cuda_runtime_api.h>

// What nvcc includes by itself.
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmath>
#include <new>
#include <utility>

#include <cuda_cpu/atomics.h>
#include <cuda_cpu/barrier.h>
#include <cuda_cpu/intrinsics.h>
#include <cuda_cpu/launch_calls.h>
#include <cuda_cpu/math.h>
#include <cuda_cpu/memory.h>
#include <cuda_cpu/ptx.h>
#include <cuda_cpu/shared.h>
#include <cuda_cpu/shift.h>
#include <cuda_cpu/simd.h>
#include <cuda_cpu/surfaces.h>
#include <cuda_cpu/textures.h>
#include <cuda_cpu/warp.h>

// Thrust's own backends for CPUs stand in for its CUDA backend; TBB and OMP are the others.
#ifndef THRUST_DEVICE_SYSTEM
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CPP
#endif

#ifdef CUDA_CPU_REWRITE  // preprocessing for the rewriter, which reads and removes them
#define __global__ __global__
#define __device__ __device__
#define __host__ __host__
#define __launch_bounds__(...) __launch_bounds__(__VA_ARGS__)
#else
#define __global__
#define __device__
#define __host__
#define __launch_bounds__(...)
#endif
#define __constant__
#define __managed__
// __noinline__ is the rewriter's: system headers have it as an attribute's name.
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __grid_constant__

#endif
