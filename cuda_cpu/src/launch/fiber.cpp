// Stacks for fibers, and making, lending and releasing them.
#include "fiber.h"

#include <signal.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include <cuda_cpu/thread.h>

#include "../diagnosis/diagnose.h"
#include "../memory/poison.h"

namespace cuda_cpu {

__thread Pool *pool_of_this_thread = nullptr;

namespace {

constexpr std::size_t kStackBytes = kStackKilobytes * 1024;
constexpr std::size_t kPage = 4096;
// Below each stack, a page without access rights. Each costs the system two mappings, of which it
// allows 65,530, so only this many stacks have one; the others have only the canary.
constexpr unsigned kMostGuards = 8192;
std::atomic<unsigned> guards{0};
// Stacks at equal offsets from a power of two would all compete for the same few cache sets: with
// 256 fibers every switch would miss. So their tops are shifted by an odd number of cache lines
// within one more page.
constexpr std::size_t kShift = 5 * 64;
constexpr std::size_t kStackStride = kPage + kStackBytes + kPage;
constexpr std::size_t kStacksPerSlab = 64;
// In the lowest 8 bytes of a stack; changed when the stack has overflowed.
constexpr std::uint64_t kCanary = 0x5ca1ab1e0ddba11dULL;

// A stack on which signal handlers run, as that of a CUDA thread may be full.
constexpr std::size_t kSignalStackBytes = 256 * 1024;

#ifdef __x86_64__

asm(R"(
.pushsection .text
.globl cuda_cpu_switch_stacks
.hidden cuda_cpu_switch_stacks
.type cuda_cpu_switch_stacks, @function
cuda_cpu_switch_stacks:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  movq %rdx, %rax
  popq %rcx
  jmp *%rcx
.size cuda_cpu_switch_stacks, .-cuda_cpu_switch_stacks
.popsection
)");

// Where a new stack begins. The worker comes as the saved value of a register.
extern "C" void cuda_cpu_start_worker();
asm(R"(
.pushsection .text
.hidden cuda_cpu_start_worker
.type cuda_cpu_start_worker, @function
cuda_cpu_start_worker:
  movq %rbx, %rdi
  xorl %ebp, %ebp
  call cuda_cpu_run_worker
  ud2
.size cuda_cpu_start_worker, .-cuda_cpu_start_worker
.popsection
)");

extern "C" [[gnu::visibility("hidden"), gnu::used]] void cuda_cpu_run_worker(Worker *worker) {
  arrived(nullptr);
  worker->function(worker);
}

// As cuda_cpu_switch_stacks() leaves a stack: six registers, then the return address, behind which
// the stack is aligned to 16 bytes.
Suspended suspended_at_start(Worker *worker) {
  constexpr int kFirst = -9, kRbx = -5, kReturnAddress = -3;
  void **const top = reinterpret_cast<void **>(worker);
  std::memset(top + kFirst, 0, static_cast<std::size_t>(-kFirst) * sizeof *top);
  top[kRbx] = worker;
  top[kReturnAddress] = reinterpret_cast<void *>(cuda_cpu_start_worker);
  return top + kFirst;
}

#else

namespace bc = boost::context;

// The stack belongs to a slab, so this allocator releases nothing.
struct SlabStack {
  bc::stack_context context;
  bc::stack_context allocate() { return context; }
  void deallocate(bc::stack_context &) {}
};

Suspended suspended_at_start(Worker *worker) {
  SlabStack stack;
  stack.context.sp = worker;
  stack.context.size = worker->stack_bytes;
  return bc::fiber(std::allocator_arg, stack, [worker](bc::fiber &&from) -> bc::fiber {
    pool_of_this_thread->switched_from->suspended = std::move(from);
    arrived(nullptr);
    worker->function(worker);
    return {};  // not reached
  });
}

#endif

std::size_t usable_of(std::size_t shift) {
  return kStackBytes + shift - (sizeof(Worker) + 63) / 64 * 64;
}

Worker *make_worker(void *stack_bottom, std::size_t shift) {
  const std::size_t usable = usable_of(shift);
  void *const top = static_cast<char *>(stack_bottom) + usable;
  Worker *const worker = new (top) Worker;
  worker->stack_bottom = stack_bottom;
  worker->stack_bytes = usable;
  *static_cast<std::uint64_t *>(stack_bottom) = kCanary;
  worker->suspended = suspended_at_start(worker);
#ifdef __x86_64__
  worker->stack = kByWorker ? worker : worker->suspended;
#else
  worker->stack = worker;
#endif
  return worker;
}

void *make_signal_stack() {
  stack_t stack = {};
  if (sigaltstack(nullptr, &stack) == 0 && (stack.ss_flags & SS_DISABLE) == 0) return nullptr;
  void *const memory = mmap(nullptr, kSignalStackBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  stack = {};
  stack.ss_sp = memory;
  stack.ss_size = kSignalStackBytes;
  sigaltstack(&stack, nullptr);
  return memory;
}

// Releases the stacks when their operating system thread ends. The workers are idle then and are
// not destroyed: unwinding a worker would resume it.
struct PoolOwner {
  Pool *pool = nullptr;
  ~PoolOwner() {
    if (pool == nullptr || current_block != nullptr) return;  // exit() called inside a kernel
    for (void *slab : pool->slabs) {
      ASAN_UNPOISON_MEMORY_REGION(slab, kStackStride * kStacksPerSlab);
      munmap(slab, kStackStride * kStacksPerSlab);
    }
    if (pool->signal_stack != nullptr) {
      stack_t none = {};
      none.ss_flags = SS_DISABLE;
      sigaltstack(&none, nullptr);
      munmap(pool->signal_stack, kSignalStackBytes);
    }
    delete pool;
    pool_of_this_thread = nullptr;
  }
};

}  // namespace

void begin_anew([[maybe_unused]] Worker *worker) {
  worker->loop = Worker::kNoLoop;
#ifdef __x86_64__
  worker->suspended = suspended_at_start(worker);
  worker->stack = kByWorker ? worker : worker->suspended;
#endif
}

Pool *make_pool() {
  static thread_local PoolOwner owner;
  pool_of_this_thread = owner.pool = new Pool;
  pool_of_this_thread->slabs.reserve(1024);  // no call of the library where a tick may come
  pool_of_this_thread->signal_stack = make_signal_stack();
  return pool_of_this_thread;
}

void grow(Pool &p) {
  void *const slab = mmap(nullptr, kStackStride * kStacksPerSlab, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (slab == MAP_FAILED) {
    std::fprintf(stderr, "cpu backend: no memory for the stacks of CUDA threads\n");
    std::_Exit(3);
  }
  p.slabs.push_back(slab);
  for (std::size_t i = 0; i < kStacksPerSlab; i++) {
    char *const guard = static_cast<char *>(slab) + i * kStackStride;
    Worker *const worker = make_worker(guard + kPage, i * kShift % kPage);
    worker->guarded = guards.fetch_add(1) < kMostGuards && mprotect(guard, kPage, PROT_NONE) == 0;
    worker->next = p.spare;
    p.spare = worker;
  }
}

const Worker *worker_of(const void *address) {
  const Pool *const p = pool_of_this_thread;
  if (p == nullptr) return nullptr;
  for (void *slab : p->slabs) {
    const std::size_t offset =
        reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(slab);
    const std::size_t i = offset / kStackStride;
    if (i < kStacksPerSlab)
      return reinterpret_cast<const Worker *>(static_cast<const char *>(slab) + i * kStackStride +
                                              kPage + usable_of(i * kShift % kPage));
  }
  return nullptr;
}

bool stack_overflowed(const void *address) {
  const Pool *const p = pool_of_this_thread;
  if (p == nullptr || current_block == nullptr) return false;
  for (const void *slab : p->slabs) {  // each stack has its guard below it
    const std::size_t offset =
        reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(slab);
    if (offset < kStackStride * kStacksPerSlab) return offset % kStackStride < kPage;
  }
  return false;
}

void check_stack(const Worker *worker) {
  if (*static_cast<const std::uint64_t *>(worker->stack_bottom) != kCanary)
    diagnose("memcheck", "a CUDA thread overflowed its stack of %zu KB", kStackKilobytes);
}

}  // namespace cuda_cpu
