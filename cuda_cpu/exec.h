// Runs a grid of CUDA threads on the CPU's cores.
//
// Blocks are handed to OpenMP threads in index order; a block stays on the OpenMP thread that
// began it. Inside a block one worker (fiber.h) runs thread after thread in a plain loop. Only a
// thread that has to wait (barrier, warp collective, spin) keeps its worker; another worker then
// goes on with the loop. A kernel without barriers therefore costs no switch at all.
#ifndef CUDA_CPU_EXEC_H
#define CUDA_CPU_EXEC_H

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <tuple>

#include "cuda_cpu/vectors.h"

namespace cuda_cpu {

struct Block;
struct Worker;

constexpr int kMaxStaticArrays = 64;  // __shared__ arrays that a block may declare

// A place in the source, for diagnoses.
struct Site {
  const char *what;  // "__syncthreads"
  const char *file;
  int line;
};

// One CUDA thread of a running block. What every barrier touches shares one cache line.
struct alignas(64) Thread {
  uint3 index;             // threadIdx
  unsigned number;         // its linear index in the block; lane = number % 32
  Thread *next;            // in the queue that it is in
  Worker *worker;          // its stack, while it waits
  const Site *site;        // where it waits
  cudaError_t last_error;  // of launches from this thread
  // The warp collective that it has called:
  int operation;
  unsigned mask;
  int argument;
  std::uint64_t value, result;
};

struct Queue {
  Thread *head = nullptr, *tail = nullptr;
  unsigned length = 0;
  void push(Thread *thread) {
    thread->next = nullptr;
    (tail == nullptr ? head : tail->next) = thread;
    tail = thread;
    length++;
  }
  Thread *pop() {
    Thread *const thread = head;
    if (thread == nullptr) return nullptr;
    head = thread->next;
    if (head == nullptr) tail = nullptr;
    length--;
    return thread;
  }
  void append(Queue &other) {  // empties `other`
    if (other.head == nullptr) return;
    (tail == nullptr ? head : tail->next) = other.head;
    tail = other.tail;
    length += other.length;
    other = Queue();
  }
};

struct Warp {
  unsigned present = 0;   // lanes that exist
  unsigned returned = 0;  // of these, lanes whose thread has returned
  unsigned waiting = 0;   // lanes that wait in a collective
  unsigned gathered = 0;  // lanes that wait in __activemask()
};

// The threads of one block and what they wait for. Above the line stands what the loop in
// run_threads() reads; the rest belongs to exec.cpp.
struct Block {
  Thread *threads = nullptr;
  const unsigned *order = nullptr;  // the order in which threads start, when it is shuffled
  unsigned count = 0, started = 0;
  bool collective = false;  // a thread has called a barrier or a collective. Before that, all
                            // threads up to the running one have returned, and `started` and
                            // `returned` are not kept
  bool shuffled = false;
  bool launch_failed = false;  // some thread's `last_error` is set
  // ---
  struct Grid *grid = nullptr;
  uint3 index = {0, 0, 0};
  Warp *warps = nullptr;
  unsigned returned = 0;
  Queue ready, barrier, grid_barrier, active_mask, yielded;
  Queue misplaced;                     // at another barrier than those in `barrier`: a mistake
  const Site *barrier_site = nullptr;  // of the first thread that waits there
  int barrier_true = 0;                // of __syncthreads_count/_and/_or: how many so far
  int barrier_result = 0;              // of the last barrier: how many were true
  int barrier_arrived = 0;             // ... and how many threads came to it
  std::uint64_t generation = 0;        // of the grid barrier that its threads wait for
  char *shared = nullptr;              // shared memory: dynamic first, then the static arrays
  std::size_t shared_used = 0;
  int static_arrays = 0;
  struct {
    const void *key;
    void *memory;
  } static_array[kMaxStaticArrays];
};

struct GridShape {
  dim3 grid, block;
};

// The running CUDA thread and its block; null outside kernels. `__thread`, not `thread_local`:
// a plain load instead of a call.
extern __thread Thread *current;
extern __thread Block *current_block;
// CUDA's built-in variables, set whenever another CUDA thread runs.
extern __thread uint3 threadIdx, blockIdx;
extern __thread dim3 blockDim, gridDim;

// A kernel call whose arguments are already evaluated.
struct KernelCall {
  virtual ~KernelCall() = default;
  // Runs the threads of `block` that have not started yet, one after another.
  virtual void run_threads(Block &block) const = 0;
};

// Counts the running thread as returned and lets those go who waited only for it.
void thread_returned(Block &block, Thread &thread);

// Runs the threads of `block` that have not started, each as one call of `kernel`.
template <class F>
inline void run_unstarted_threads(Block &block, F kernel) {
  // Until the first barrier this is a plain loop in index order, and what it stores is kept to
  // the least: begin_collectives() reconstructs the rest.
  if (!block.collective && block.order == nullptr) {
    Thread *thread = block.threads;
    Thread *const end = thread + block.count;
    threadIdx = {0, 0, 0};
    do {
      current = thread++;
      kernel();
      threadIdx.x++;
      if (threadIdx.x == blockDim.x && thread != end) threadIdx = thread->index;
    } while (thread != end && !block.collective);
    if (!block.collective) {
      block.started = block.count;
      return;
    }
    thread_returned(block, thread[-1]);
  }
  // From then on other workers run the same loop whenever a thread waits.
  while (block.started < block.count) {
    const unsigned i = block.started++;
    Thread *const thread = &block.threads[block.order == nullptr ? i : block.order[i]];
    current = thread;
    threadIdx = thread->index;
    kernel();
    thread_returned(block, *thread);
  }
}

// Kernel is a template parameter, so that its body is inlined into the loop.
template <auto Kernel, class... P>
struct StaticKernelCall final : KernelCall {
  std::tuple<P...> arguments;
  explicit StaticKernelCall(P... p) : arguments(p...) {}
  void run_threads(Block &block) const override {
    const std::tuple<P...> local = arguments;  // in registers: no store of the kernel aliases it
    run_unstarted_threads(block, [&local] { std::apply(Kernel, local); });
  }
};

// The same for a kernel that is known only at run time (cudaLaunchKernelEx and friends).
template <class... P>
struct PointerKernelCall final : KernelCall {
  void (*kernel)(P...);
  std::tuple<P...> arguments;
  PointerKernelCall(void (*k)(P...), P... p) : kernel(k), arguments(p...) {}
  void run_threads(Block &block) const override {
    run_unstarted_threads(block, [this] { std::apply(kernel, arguments); });
  }
};

struct Launch {
  const char *name;    // for diagnoses
  const void *kernel;  // its address, for cudaFuncSetAttribute
  dim3 grid, block;
  std::size_t shared_bytes;
  cudaStream_t stream;
  bool cooperative;
};

// Checks the configuration as a GPU would, and runs the grid; from inside a kernel it is queued
// and runs when the launching grid has finished. Sets the last error.
cudaError_t launch(const Launch &launch, std::unique_ptr<KernelCall> call);

// Ends the program with exit code 3 after a diagnosis in the manner of compute-sanitizer.
[[noreturn]] void diagnose(const char *tool, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
const char *running_kernel();

// Arguments that are pointers must not point into host memory (memcheck).
void check_pointer_argument(const char *kernel, int index, const void *pointer);
template <class T>
void check_argument(const char *, int, const T &) {}
template <class T>
void check_argument(const char *kernel, int index, T *const &pointer) {
  check_pointer_argument(kernel, index, (const void *)pointer);  // volatile or not
}
template <class... P>
void check_arguments([[maybe_unused]] const char *kernel, const P &...arguments) {
  [[maybe_unused]] int index = 0;
  (check_argument(kernel, ++index, arguments), ...);
}

// kernel<<<grid, block, shared, stream>>>(arguments) becomes
// cuda_cpu::launcher<kernel>("kernel", grid, block, shared, stream)(arguments).
template <auto Kernel, class Type>
struct Launcher;
template <auto Kernel, class... P>
struct Launcher<Kernel, void (*)(P...)> {
  Launch configuration;
  void operator()(P... arguments) const {
    check_arguments(configuration.name, arguments...);
    launch(configuration, std::make_unique<StaticKernelCall<Kernel, P...>>(arguments...));
  }
};
template <auto Kernel>
Launcher<Kernel, decltype(Kernel)> launcher(const char *name, dim3 grid, dim3 block,
                                            std::size_t shared_bytes = 0,
                                            cudaStream_t stream = nullptr) {
  return {{name, reinterpret_cast<const void *>(Kernel), grid, block, shared_bytes, stream, false}};
}

// What kernels call (device.h).
int block_barrier(const Site *site, int predicate, int kind);  // kind: 0 plain 1 count 2 and 3 or
void grid_barrier(const Site *site);
void spin_yield(const Site *site);
unsigned active_mask(const Site *site);
void *dynamic_shared();
void *static_shared(const void *key, std::size_t bytes, std::size_t alignment);
// One of warp.h's operations among the lanes of `mask`.
std::uint64_t warp_collective(int operation, const Site *site, unsigned mask, std::uint64_t value,
                              int argument);

}  // namespace cuda_cpu
#endif
