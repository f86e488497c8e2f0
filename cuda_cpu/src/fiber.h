// Fibers: one stack per CUDA thread that has to wait. On x86-64 a few instructions switch stacks,
// elsewhere Boost.Context does.
//
// A worker is a fiber that runs one piece of code over and over. Switching from one worker to
// another costs a few nanoseconds and involves no system call. A worker stays on the operating
// system's thread that made it.
#ifndef CUDA_CPU_FIBER_H
#define CUDA_CPU_FIBER_H

#ifndef __x86_64__
#include <boost/context/fiber.hpp>
#endif
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace cuda_cpu {

#if defined(__SANITIZE_ADDRESS__) || defined(CUDA_CPU_CHECK)
// Instrumented frames are larger, and reports need room.
inline constexpr std::size_t kStackKilobytes = 256;
#else
inline constexpr std::size_t kStackKilobytes = 64;
#endif

#ifdef __x86_64__
// A suspended stack: its stack pointer, above which its registers lie.
using Suspended = void *;
// Stores the running stack in *from and goes on with `to`. It ends with `ret`: Boost's jump would
// leave the processor's return stack one entry too deep, so that later returns are mispredicted.
// Rounding mode and exception masks are not switched: no kernel changes them across a barrier.
extern "C" void cuda_cpu_switch_stacks(Suspended *from, Suspended to);
#else
using Suspended = boost::context::fiber;
#endif

// Stored at the top of its own stack, so releasing the stack releases it too.
struct Worker {
  Suspended suspended{};  // where to go on; not valid while the worker runs
  void (*body)() = nullptr;
  void (*idle)() = nullptr;
  void *stack_bottom = nullptr;
  std::size_t stack_bytes = 0;
};

// The workers of one thread of the operating system.
struct Pool {
  Worker main;  // stands for that thread's own stack
  Worker *running = &main;
  Worker *switched_from = nullptr;  // the worker that resumed the running one
  std::vector<Worker *> spare;
  std::vector<void *> slabs;  // of stacks
  void *signal_stack = nullptr;
};

extern __thread Pool *pool_of_this_thread;
Pool *make_pool();
inline Pool &pool() { return pool_of_this_thread != nullptr ? *pool_of_this_thread : *make_pool(); }

// Borrows an unused worker; returns one. When a worker is resumed it finishes the call it is in;
// then it calls `body` and `idle` in turn. `idle` must switch away.
Worker *take_worker(void (*body)(), void (*idle)());
void return_worker(Worker *worker);

// Did the running worker touch this address below its stack? Safe in signal handlers.
bool stack_overflowed(const void *address);

// Loads the top of a suspended stack into the cache. The stacks of a block of hundreds of threads
// do not fit into the first level, and each is used once between two barriers.
inline void prefetch_stack([[maybe_unused]] const Worker *worker) {
#ifdef __x86_64__
  constexpr int kLines = 4, kLineBytes = 64;
  const char *const stack = static_cast<const char *>(worker->suspended);
  for (int line = 0; line < kLines; line++) __builtin_prefetch(stack + line * kLineBytes);
#endif
}

// Called on every arrival on a stack. `fake_stack` is AddressSanitizer's record of the stack that
// is entered (null the first time).
inline void arrived([[maybe_unused]] void *fake_stack) {
#if defined(__SANITIZE_ADDRESS__)
  Worker *const sender = pool_of_this_thread->switched_from;
  const void *bottom = nullptr;
  __sanitizer_finish_switch_fiber(fake_stack, &bottom, &sender->stack_bytes);
  sender->stack_bottom = const_cast<void *>(bottom);  // unknown before only for `main`
#endif
}

// Suspends the running worker and resumes `target`. Returns when another worker switches back.
inline void switch_to(Worker *target) {
  Pool &p = pool();
  Worker *const self = p.running;
  if (target == self) return;
  p.switched_from = self;
  p.running = target;
  void *fake_stack = nullptr;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&fake_stack, target->stack_bottom, target->stack_bytes);
#endif
#ifdef __x86_64__
  cuda_cpu_switch_stacks(&self->suspended, target->suspended);
#else
  boost::context::fiber from = std::move(target->suspended).resume();
  p.switched_from->suspended = std::move(from);
#endif
  arrived(fake_stack);
}

}  // namespace cuda_cpu
#endif
