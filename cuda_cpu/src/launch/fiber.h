// Fibers: one stack per CUDA thread that has to wait. On x86-64 a few instructions switch stacks,
// elsewhere Boost.Context does.
//
// A worker is a fiber that runs one function, which never returns. Switching from one worker to
// another costs a few nanoseconds and involves no system call. A worker stays on the operating
// system's thread that made it.
#ifndef CUDA_CPU_FIBER_H
#define CUDA_CPU_FIBER_H

#ifndef __x86_64__
#include <boost/context/fiber.hpp>
#endif
#include <cuda_cpu/switch.h>

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
// Stores the running stack in *from and goes on with `to`, where the call that suspended it returns
// `value`. It ends with a jump: a `ret` would be predicted to return to where the running stack
// came from, and where two barriers take turns the other one comes from elsewhere. It is called
// last, so that few returns are mispredicted for it. Rounding mode and exception masks are not
// switched: no kernel changes them across a barrier.
extern "C" std::uint64_t cuda_cpu_switch_stacks(Suspended *from, Suspended to, std::uint64_t value);
#else
using Suspended = boost::context::fiber;
#endif

// Stored at the top of its stack, so releasing the stack releases it too.
struct Worker : WorkerBase {
  static constexpr std::uint64_t kNoLoop = UINT64_MAX;
  Suspended suspended{};  // where to go on, until it first runs; with kByWorker always
  void (*function)(Worker *) = nullptr;
  Worker *next = nullptr;  // in the list of spare ones
  bool guarded = false;    // by a page without access rights below its stack
  // Number of the grid in whose loop over threads it is suspended while it is spare, or kNoLoop.
  std::uint64_t loop = kNoLoop;
  void *stack_bottom = nullptr;
  std::size_t stack_bytes = 0;
};

// The workers of one thread of the operating system.
struct Pool {
  Worker main;  // stands for that thread's own stack
  // These three with kByWorker only:
  Worker *running = &main;
  Worker *switched_from = nullptr;  // the worker that resumed the running one
  std::uint64_t value = 0;          // for the worker that is resumed
  Worker *spare = nullptr;          // a list
  std::vector<void *> slabs;        // of stacks
  void *signal_stack = nullptr;
};

extern __thread Pool *pool_of_this_thread;
Pool *make_pool();
inline Pool &pool() { return pool_of_this_thread != nullptr ? *pool_of_this_thread : *make_pool(); }

// Borrows an unused worker, which runs `function`, the same for all. When `function` has nothing
// more to do it calls return_worker() and then switches away from worker->stack; it goes on from
// there when the worker is borrowed again. Inside a loop over threads it does so only for the grid
// `loop`: for another one the worker begins anew. Its frames are dropped, and nothing of code is
// called that may have been unloaded.
inline Worker *take_worker(void (*function)(Worker *), std::uint64_t loop);
inline void return_worker(Worker *worker, std::uint64_t loop = Worker::kNoLoop);

// The worker on whose stack an address is, or null. Safe in signal handlers.
const Worker *worker_of(const void *address);
// Is this address just below the stack of a worker? Safe in signal handlers.
bool stack_overflowed(const void *address);

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

// Is a stack named by its worker, or by its stack pointer, which saves following a pointer?
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
inline constexpr bool kByWorker = false;
#else
inline constexpr bool kByWorker = true;
#endif

// With kByWorker: suspends the running worker and resumes `target`. Returns when another worker
// switches back.
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
  cuda_cpu_switch_stacks(&self->suspended, target->suspended, 0);
#else
  boost::context::fiber from = std::move(target->suspended).resume();
  p.switched_from->suspended = std::move(from);
#endif
  arrived(fake_stack);
}

// Loads the top of a suspended stack into the cache. The stacks of a block of hundreds of threads
// do not fit into the first level, and each is used once between two barriers.
[[gnu::always_inline]] inline void prefetch_stack([[maybe_unused]] const void *stack) {
  constexpr int kLines = 3, kLineBytes = 64;
  for (int line = 0; !kByWorker && line < kLines; line++)
    __builtin_prefetch(static_cast<const char *>(stack) + line * kLineBytes);
}

void grow(Pool &pool);  // adds spare workers
void begin_anew(Worker *worker);
[[gnu::cold]] void check_stack(const Worker *worker);

[[gnu::always_inline]] inline Worker *take_worker(void (*function)(Worker *), std::uint64_t loop) {
  Pool &p = pool();
  if (__builtin_expect(p.spare == nullptr, false)) grow(p);
  Worker *const worker = p.spare;
  p.spare = worker->next;
  if (p.spare != nullptr) prefetch_stack(p.spare->stack);
  worker->function = function;
  if (worker->loop != loop && worker->loop != Worker::kNoLoop) begin_anew(worker);
  return worker;
}

[[gnu::always_inline]] inline void return_worker(Worker *worker, std::uint64_t loop) {
  if (__builtin_expect(!worker->guarded, false)) check_stack(worker);
  Pool &p = pool();
  worker->next = p.spare;
  p.spare = worker;
  worker->loop = loop;
}

// Suspends the running stack, stores it in *from and resumes the stack `to`. Returns when another
// call resumes *from, with the `value` of that call.
[[gnu::always_inline]] inline std::uint64_t switch_stacks(void **from, void *to,
                                                          std::uint64_t value) {
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
  return cuda_cpu_switch_stacks(from, to, value);
#else
  Pool &p = pool();
  *from = p.running;
  p.value = value;
  switch_to(static_cast<Worker *>(to));
  return p.value;
#endif
}

}  // namespace cuda_cpu
#endif
