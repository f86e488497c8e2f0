// The running CUDA thread and its block, as kernels see them, and CUDA's built-in variables.
#ifndef CUDA_CPU_THREAD_H
#define CUDA_CPU_THREAD_H

#include <cuda_runtime_api.h>

#include <cstdint>

#include <cuda_cpu/switch.h>
#include <cuda_cpu/vectors.h>

// Last parameters of functions that wait: diagnoses name the line of the call, not one of a header.
// The site made of them may live on the caller's stack: it is not read after the caller has gone
// on.
#define CUDA_CPU_CALLER const char *file = __builtin_FILE(), int line = __builtin_LINE()

namespace cuda_cpu {

// A place in the source, for diagnoses.
struct Site {
  const char *what;  // "__syncthreads"
  const char *file;
  int line;
};

// One CUDA thread of a running block, in one cache line.
struct alignas(64) Thread {
  void *stack;             // where it goes on, while it waits (src/launch/fiber.h)
  const Site *site;        // where it waits
  std::uint64_t value;     // given to the warp collective that it has called; then its result
  int argument;            // of that collective
  unsigned number;         // its linear index in the block; lane = number % 32
  uint3 index;             // threadIdx
  cudaError_t last_error;  // of launches from this thread
  Thread *next;            // in the queue that it is in
  int operation;           // of the collective, and its mask: kept where lanes differ in them
  unsigned mask;
};
static_assert(sizeof(Thread) == 64);

// The part of a block's state that headers read: run_unstarted_threads() (launch.h);
// src/launch/block.h adds the rest.
struct Block {
  Thread *threads = nullptr;
  const unsigned *order = nullptr;  // start order of the threads, if shuffled (racecheck)
  unsigned count = 0, started = 0;  // threads
  WorkerBase *worker = nullptr;     // that has begun last
  bool collective = false;     // a thread has called a barrier or a collective. Before that, all
                               // threads up to the running one have returned, and `started` and the
                               // number of returned threads are not kept
  bool launch_failed = false;  // some thread's `last_error` is set
  const char *kernel = nullptr;  // its name, for diagnoses
};

// Null outside kernels. `__thread`, not `thread_local`: a plain load instead of a call.
extern __thread Thread *current;
extern __thread Block *current_block;
// CUDA's built-in variables, set whenever another CUDA thread runs.
extern __thread uint3 threadIdx, blockIdx;
extern __thread dim3 blockDim, gridDim;

}  // namespace cuda_cpu

using cuda_cpu::blockDim;
using cuda_cpu::blockIdx;
using cuda_cpu::gridDim;
using cuda_cpu::threadIdx;
static constexpr int warpSize = 32;

#endif
