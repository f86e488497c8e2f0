// Threads that wait for others in a loop without a barrier, as a GPU's threads may.
//
// A timer of its CPU time interrupts each thread of the system that runs blocks. A CUDA thread that
// has run since the last time steps aside, as in __nanosleep(), so that the others of its block and
// other blocks run before it goes on. Where threads have been found again and again with equal
// registers at the same instructions, and all others wait, the loop cannot end.
#ifndef CUDA_CPU_PREEMPT_H
#define CUDA_CPU_PREEMPT_H

#include <csignal>
#include <cstdint>
#include <ctime>
#include <memory>
#include <vector>

#include <cuda_cpu/thread.h>

namespace cuda_cpu {

struct BlockState;
struct Grid;

// The timers of one thread of the system, made and deleted by itself.
class Ticks {
 public:
  Ticks();
  ~Ticks();

 private:
  timer_t timers_[2];
  int made_ = 0;
};
// From the first interruption of a grid on, ticks come more often, until this is called.
void grid_ends();

// Where such a thread waits; its `value` is the instruction.
extern const Site kLoop;
// Do all that step aside wait in loops that nothing has changed for long?
bool all_in_loops(const BlockState &block);

// `blocks` are all of the calling thread of the system, and have stepped aside; no other block can
// begin here. Ends the program when none of the grid's blocks can go on, for seconds.
void check_loops(Grid &grid, const std::vector<std::unique_ptr<BlockState>> &blocks);

// SIGQUIT came where no CUDA thread ran: the next tick in a kernel raises it again.
extern volatile std::sig_atomic_t quit_at_tick;

// In CHECK builds, where most time passes in functions of ours: asks for the interruption there.
extern __thread bool wants_to_interrupt;
void interrupt(std::uintptr_t pc);
inline void may_interrupt(std::uintptr_t pc) {
  if (__builtin_expect(wants_to_interrupt, false)) interrupt(pc);
}

}  // namespace cuda_cpu
#endif
