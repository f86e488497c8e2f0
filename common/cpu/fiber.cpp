#include "common/cpu/fiber.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>

namespace cuda_cpu {

namespace bc = boost::context;

// Never destroyed: OpenMP's threads live as long as the program, and workers that are suspended
// at its end must not be unwound.
__thread Pool *pool_of_this_thread = nullptr;

Pool *make_pool() { return pool_of_this_thread = new Pool; }

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t kStackBytes = 256 * 1024;  // instrumented frames are several times larger
#else
constexpr std::size_t kStackBytes = 64 * 1024;
#endif
// Stacks at equal offsets from a power of two would all compete for the same few cache sets: with
// 256 fibers every switch would miss. An odd number of cache lines more spreads them.
constexpr std::size_t kStackStride = kStackBytes + 5 * 64;
constexpr std::size_t kStacksPerSlab = 64;
// The lowest word of a stack; changed when the stack has overflowed.
constexpr std::uint64_t kCanary = 0x5ca1ab1e0ddba11dULL;

// The stack comes from a slab, so releasing it is not this allocator's business.
struct SlabStack {
  bc::stack_context context;
  bc::stack_context allocate() { return context; }
  void deallocate(bc::stack_context &) {}
};

Worker *make_worker(void *stack_bottom) {
  Worker *const worker = new Worker;
  worker->stack_bottom = stack_bottom;
  worker->stack_bytes = kStackBytes;
  *static_cast<std::uint64_t *>(stack_bottom) = kCanary;
  SlabStack stack;
  stack.context.sp = static_cast<char *>(stack_bottom) + kStackBytes;
  stack.context.size = kStackBytes;
  worker->suspended = bc::fiber(std::allocator_arg, stack, [worker](bc::fiber &&from) -> bc::fiber {
    arrived(std::move(from), nullptr);
    for (;;) {
      worker->body();
      worker->idle();
    }
  });
  return worker;
}

void grow(Pool &p) {
  void *const slab = mmap(nullptr, kStackStride * kStacksPerSlab, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (slab == MAP_FAILED) {
    std::fprintf(stderr, "cpu backend: no memory for the stacks of CUDA threads\n");
    std::_Exit(3);
  }
  for (std::size_t i = 0; i < kStacksPerSlab; i++)
    p.spare.push_back(make_worker(static_cast<char *>(slab) + i * kStackStride));
}

}  // namespace

Worker *take_worker(void (*body)(), void (*idle)()) {
  Pool &p = pool();
  if (p.spare.empty()) grow(p);
  Worker *const worker = p.spare.back();
  p.spare.pop_back();
  worker->body = body;
  worker->idle = idle;
  return worker;
}

void return_worker(Worker *worker) {
  if (*static_cast<std::uint64_t *>(worker->stack_bottom) != kCanary) {
    std::fprintf(stderr, "memcheck: a CUDA thread overflowed its stack of %zu KB\n",
                 kStackBytes / 1024);
    std::_Exit(3);
  }
  pool().spare.push_back(worker);
}

}  // namespace cuda_cpu
