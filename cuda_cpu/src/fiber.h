// Fibers: one stack per CUDA thread that has to wait, on Boost.Context.
//
// A worker is a fiber that runs one piece of code over and over. Switching from one worker to
// another costs a few nanoseconds and involves no system call. A worker stays on the operating
// system's thread that made it.
#ifndef CUDA_CPU_FIBER_H
#define CUDA_CPU_FIBER_H

#include <boost/context/fiber.hpp>
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

// Stored at the top of its own stack, so releasing the stack releases it too.
struct Worker {
  boost::context::fiber suspended;  // where to go on; empty while the worker runs
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

// Called on every arrival on a stack: stores where the sender stopped. `fake_stack` is
// AddressSanitizer's record of the stack that is entered (null the first time).
inline void arrived(boost::context::fiber &&from, [[maybe_unused]] void *fake_stack) {
  Worker *const sender = pool_of_this_thread->switched_from;
  sender->suspended = std::move(from);
#if defined(__SANITIZE_ADDRESS__)
  const void *bottom = nullptr;
  __sanitizer_finish_switch_fiber(fake_stack, &bottom, &sender->stack_bytes);
  sender->stack_bottom = const_cast<void *>(bottom);  // unknown before only for `main`
#endif
}

// Suspends the running worker and resumes `target`. Returns when another worker switches back.
inline void switch_to(Worker *target) {
  Pool &p = pool();
  if (target == p.running) return;
  p.switched_from = p.running;
  p.running = target;
  void *fake_stack = nullptr;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&fake_stack, target->stack_bottom, target->stack_bytes);
#endif
  boost::context::fiber from = std::move(target->suspended).resume();
  arrived(std::move(from), fake_stack);
}

}  // namespace cuda_cpu
#endif
