// Barriers of a block and of a grid, and the pause in a spin loop. Each call remembers its place in
// the source, for diagnoses.
#ifndef CUDA_CPU_BARRIER_H
#define CUDA_CPU_BARRIER_H

#include <cuda_cpu/switch.h>
#include <cuda_cpu/thread.h>

namespace cuda_cpu {

enum class Vote { kCount, kAnd, kOr };  // the barrier's result over all predicates

// The running thread has come to a barrier of the block. Returns what runs while it waits, to be
// switched to from current->stack; or a null stack if it has waited.
Target come_to_barrier(const Site *site);
void wait_at_barrier(const Site *site);
// Waits for all threads of the block that have not returned.
CUDA_CPU_HOT void block_barrier(const Site *site) {
#if CUDA_CPU_SWITCH_INLINE
  Thread *const self = current;
  const Target next = come_to_barrier(site);
  if (next.stack != nullptr) switch_here(&self->stack, next);
#else
  wait_at_barrier(site);
#endif
}
int block_barrier(const Site *site, int predicate, Vote vote);
// Waits for all blocks of a cooperative launch.
void grid_barrier(const Site *site);
// Lets other threads and blocks run, which a spin loop may be waiting for.
void spin_yield(const Site *site);

// One of the block's 16 barriers for `count` threads, a multiple of 32. Waits until `count` threads
// have come, or only counts this one. Returned threads do not count.
void named_barrier(const Site *site, unsigned id, unsigned count, bool wait);

}  // namespace cuda_cpu

#define CUDA_CPU_SITE(name)                                            \
  ([]() -> const cuda_cpu::Site * {                                    \
    static constexpr cuda_cpu::Site site = {name, __FILE__, __LINE__}; \
    return &site;                                                      \
  }())

#define __syncthreads() cuda_cpu::block_barrier(CUDA_CPU_SITE("__syncthreads"))
// Predicates are int, as in CUDA, and `...` because they may hold commas outside parentheses: f<a,
// b>(x).
#define __syncthreads_count(...)                                \
  cuda_cpu::block_barrier(CUDA_CPU_SITE("__syncthreads_count"), \
                          static_cast<int>(__VA_ARGS__) != 0, cuda_cpu::Vote::kCount)
#define __syncthreads_and(...)                                                                    \
  cuda_cpu::block_barrier(CUDA_CPU_SITE("__syncthreads_and"), static_cast<int>(__VA_ARGS__) != 0, \
                          cuda_cpu::Vote::kAnd)
#define __syncthreads_or(...)                                                                    \
  cuda_cpu::block_barrier(CUDA_CPU_SITE("__syncthreads_or"), static_cast<int>(__VA_ARGS__) != 0, \
                          cuda_cpu::Vote::kOr)
#define __trap() __builtin_trap()  // a macro, so that the report names its line
#define __prof_trigger(counter) ((void)(counter))
#define __nanosleep(duration) ((void)(duration), cuda_cpu::spin_yield(CUDA_CPU_SITE("__nanosleep")))

#endif
