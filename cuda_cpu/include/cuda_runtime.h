// CUDA C++ for machines without a GPU: the language's keywords, built-in variables and functions,
// so that a .cu file compiles with a C++ compiler once rewrite.c has dealt with <<<...>>> and
// __shared__. Semantics: CUDA C++ Programming Guide, "C++ Language Extensions".
#ifndef CUDA_CPU_CUDA_RUNTIME_H
#define CUDA_CPU_CUDA_RUNTIME_H

#include <cuda_runtime_api.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_cpu/exec.h"
#include "cuda_cpu/intrinsics.h"
#include "cuda_cpu/memory.h"
#include "cuda_cpu/runtime.h"

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __grid_constant__

using cuda_cpu::blockDim;
using cuda_cpu::blockIdx;
using cuda_cpu::gridDim;
using cuda_cpu::threadIdx;
static constexpr int warpSize = 32;

// ---- barriers and warp collectives: each remembers where it stands, for diagnoses

#define CUDA_CPU_SITE(name)                                            \
  ([]() -> const cuda_cpu::Site * {                                    \
    static constexpr cuda_cpu::Site site = {name, __FILE__, __LINE__}; \
    return &site;                                                      \
  }())

#define __syncthreads() ((void)cuda_cpu::block_barrier(CUDA_CPU_SITE("__syncthreads"), 0, 0))
// Predicates are `...` because they may hold commas outside parentheses: f<a, b>(x).
#define __syncthreads_count(...) \
  cuda_cpu::block_barrier(CUDA_CPU_SITE("__syncthreads_count"), (__VA_ARGS__) != 0, 1)
#define __syncthreads_and(...) \
  cuda_cpu::block_barrier(CUDA_CPU_SITE("__syncthreads_and"), (__VA_ARGS__) != 0, 2)
#define __syncthreads_or(...) \
  cuda_cpu::block_barrier(CUDA_CPU_SITE("__syncthreads_or"), (__VA_ARGS__) != 0, 3)
// A pause in a spin loop: lets the threads that are waited for run.
#define __nanosleep(duration) ((void)(duration), cuda_cpu::spin_yield(CUDA_CPU_SITE("__nanosleep")))

// __syncwarp() takes an optional mask, hence the function behind it.
#define __syncwarp(...) cuda_cpu::sync_warp(CUDA_CPU_SITE("__syncwarp") __VA_OPT__(, ) __VA_ARGS__)
#define __activemask() cuda_cpu::active_mask(CUDA_CPU_SITE("__activemask"))
#define __shfl_sync(mask, value, ...) \
  cuda_cpu::shuffle(cuda_cpu::kShuffle, CUDA_CPU_SITE("__shfl_sync"), mask, value, __VA_ARGS__)
#define __shfl_up_sync(mask, value, ...) \
  cuda_cpu::shuffle(cuda_cpu::kShuffleUp, CUDA_CPU_SITE("__shfl_up_sync"), mask, value, __VA_ARGS__)
#define __shfl_down_sync(mask, value, ...)                                                  \
  cuda_cpu::shuffle(cuda_cpu::kShuffleDown, CUDA_CPU_SITE("__shfl_down_sync"), mask, value, \
                    __VA_ARGS__)
#define __shfl_xor_sync(mask, value, ...)                                                 \
  cuda_cpu::shuffle(cuda_cpu::kShuffleXor, CUDA_CPU_SITE("__shfl_xor_sync"), mask, value, \
                    __VA_ARGS__)
#define __ballot_sync(mask, ...) \
  cuda_cpu::vote(cuda_cpu::kBallot, CUDA_CPU_SITE("__ballot_sync"), mask, (__VA_ARGS__) != 0)
#define __any_sync(mask, ...) \
  ((int)cuda_cpu::vote(cuda_cpu::kAny, CUDA_CPU_SITE("__any_sync"), mask, (__VA_ARGS__) != 0))
#define __all_sync(mask, ...) \
  ((int)cuda_cpu::vote(cuda_cpu::kAll, CUDA_CPU_SITE("__all_sync"), mask, (__VA_ARGS__) != 0))
#define __match_any_sync(mask, value) \
  cuda_cpu::match(cuda_cpu::kMatchAny, CUDA_CPU_SITE("__match_any_sync"), mask, value, nullptr)
#define __match_all_sync(mask, value, p) \
  cuda_cpu::match(cuda_cpu::kMatchAll, CUDA_CPU_SITE("__match_all_sync"), mask, value, p)
#define __reduce_add_sync(mask, value)                                                             \
  cuda_cpu::reduce(cuda_cpu::kReduceAdd, cuda_cpu::kReduceAdd, CUDA_CPU_SITE("__reduce_add_sync"), \
                   mask, value)
#define __reduce_min_sync(mask, value)                               \
  cuda_cpu::reduce(cuda_cpu::kReduceMin, cuda_cpu::kReduceMinSigned, \
                   CUDA_CPU_SITE("__reduce_min_sync"), mask, value)
#define __reduce_max_sync(mask, value)                               \
  cuda_cpu::reduce(cuda_cpu::kReduceMax, cuda_cpu::kReduceMaxSigned, \
                   CUDA_CPU_SITE("__reduce_max_sync"), mask, value)
#define __reduce_and_sync(mask, value)                                                             \
  cuda_cpu::reduce(cuda_cpu::kReduceAnd, cuda_cpu::kReduceAnd, CUDA_CPU_SITE("__reduce_and_sync"), \
                   mask, value)
#define __reduce_or_sync(mask, value)                                                           \
  cuda_cpu::reduce(cuda_cpu::kReduceOr, cuda_cpu::kReduceOr, CUDA_CPU_SITE("__reduce_or_sync"), \
                   mask, value)
#define __reduce_xor_sync(mask, value)                                                             \
  cuda_cpu::reduce(cuda_cpu::kReduceXor, cuda_cpu::kReduceXor, CUDA_CPU_SITE("__reduce_xor_sync"), \
                   mask, value)

// ---- runtime calls that are templates in CUDA's own header

template <class T>
cudaError_t cudaMalloc(T **memory, size_t bytes) {
  return cudaMalloc(reinterpret_cast<void **>(memory), bytes);
}
template <class T>
cudaError_t cudaMallocAsync(T **memory, size_t bytes, cudaStream_t stream) {
  return cudaMallocAsync(reinterpret_cast<void **>(memory), bytes, stream);
}
template <class T>
cudaError_t cudaMallocHost(T **memory, size_t bytes) {
  return cudaMallocHost(reinterpret_cast<void **>(memory), bytes);
}

template <class T>
cudaError_t cudaGetSymbolAddress(void **address, const T &symbol) {
  *address = const_cast<void *>(static_cast<const volatile void *>(&symbol));
  cuda_cpu::register_symbol(*address, sizeof symbol);
  return cudaSuccess;
}
template <class T>
cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  void *address = nullptr;
  if (offset + bytes > sizeof symbol) return cuda_cpu::fail(cudaErrorInvalidValue);
  cudaGetSymbolAddress(&address, symbol);
  return cudaMemcpy(static_cast<char *>(address) + offset, from, bytes, kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  void *address = nullptr;
  if (offset + bytes > sizeof symbol) return cuda_cpu::fail(cudaErrorInvalidValue);
  cudaGetSymbolAddress(&address, symbol);
  return cudaMemcpy(to, static_cast<const char *>(address) + offset, bytes, kind);
}

template <class... P>
cudaError_t cudaFuncSetAttribute(void (*kernel)(P...), cudaFuncAttribute attribute, int value) {
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;  // a hint
  return cuda_cpu::set_shared_limit(reinterpret_cast<const void *>(kernel), value);
}
// Registers and static shared memory are not modelled: threads and dynamic shared memory decide.
template <class... P>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void (*)(P...), int threads,
                                                          size_t shared_bytes) {
  *blocks =
      static_cast<int>(cuda_cpu::resident_blocks(static_cast<unsigned>(threads), shared_bytes));
  return cudaSuccess;
}

namespace cuda_cpu {
template <class... P, std::size_t... I>
cudaError_t launch_with_pointers(const Launch &configuration, void (*kernel)(P...),
                                 void **arguments, std::index_sequence<I...>) {
  check_arguments(configuration.name, *static_cast<P *>(arguments[I])...);
  return launch(configuration, std::make_unique<PointerKernelCall<P...>>(
                                   kernel, *static_cast<P *>(arguments[I])...));
}
}  // namespace cuda_cpu

// Give the kernel itself, not (void *)kernel: here its type is needed to unpack the arguments.
template <class... P>
cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P...), dim3 grid, dim3 block,
                                        void **arguments, size_t shared_bytes = 0,
                                        cudaStream_t stream = nullptr) {
  return cuda_cpu::launch_with_pointers({"(cooperative)", reinterpret_cast<const void *>(kernel),
                                         grid, block, shared_bytes, stream, true},
                                        kernel, arguments, std::index_sequence_for<P...>());
}
template <class... P>
cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void **arguments,
                             size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  return cuda_cpu::launch_with_pointers(
      {"(cudaLaunchKernel)", reinterpret_cast<const void *>(kernel), grid, block, shared_bytes,
       stream, false},
      kernel, arguments, std::index_sequence_for<P...>());
}

enum cudaLaunchAttributeID {
  cudaLaunchAttributeCooperative = 2,
  cudaLaunchAttributeProgrammaticStreamSerialization = 6,
};
union cudaLaunchAttributeValue {
  int cooperative;
  int programmaticStreamSerializationAllowed;  // nothing overlaps here, so it has no effect
};
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute *attrs;
  unsigned int numAttrs;
};
template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...), A... a) {
  bool cooperative = false;
  for (unsigned i = 0; i < config->numAttrs; i++)
    if (config->attrs[i].id == cudaLaunchAttributeCooperative)
      cooperative = config->attrs[i].val.cooperative != 0;
  cuda_cpu::check_arguments("(cudaLaunchKernelEx)", static_cast<P>(a)...);
  return cuda_cpu::launch(
      {"(cudaLaunchKernelEx)", reinterpret_cast<const void *>(kernel), config->gridDim,
       config->blockDim, config->dynamicSmemBytes, config->stream, cooperative},
      std::make_unique<cuda_cpu::PointerKernelCall<P...>>(kernel, static_cast<P>(a)...));
}

#endif
