// The pages of device memory, and keeping host code out of them.
//
// Host code that touches device memory crashes on a machine with a GPU, so it has to crash here
// too. Kernels use the same addresses in the same process, so the access rights change with time:
//   keys   a protection key of the CPU (x86's PKU): a register of each thread holds its right of
//          access.
//          Opening and closing take no system call and hold for one thread.
//   pages  mprotect(): for all threads at once, and slow with much memory. Memory is closed only as
//          often as this costs at most 5% of the time; in between, mistakes are missed.
#ifndef CUDA_CPU_PAGES_H
#define CUDA_CPU_PAGES_H

#include <cstddef>

namespace cuda_cpu::pages {

// Whole pages, at least `bytes`, with any content. Null if there are none.
char *take(std::size_t bytes);
// Whether a pointer, not necessarily into an array, is where only device memory is.
bool in_range(const void *pointer);
// Gives back what take() returned. Accesses crash from now on, until take() returns it again.
void retire(char *memory);

// Pages that take() returned: whoever touches them crashes, kernels too, until they are in use
// again. Done only as often as it costs at most 1% of the time; in between, mistakes are missed.
void set_unused(char *memory, bool unused);

// Device memory is open to this thread (keys) or to all (pages) until as many calls of leave().
void enter(bool is_library);
void leave(bool is_library);

// As above, for one of OpenMP's threads while it runs blocks. It stays open to that thread after
// worker_leaves(), for libraries that use OpenMP inside a DeviceScope.
void worker_enters();
void worker_leaves();

// A handler of a signal begins without the right that the interrupted kernel has: for one that goes
// on with another thread's kernel.
void open_in_handler();

// After a fault at `address`: true if a library runs on the device, so that this is one of its own
// threads. Protection ends then; the access succeeds when it is repeated. Safe in signal handlers.
bool admit(const void *address);

}  // namespace cuda_cpu::pages
#endif
