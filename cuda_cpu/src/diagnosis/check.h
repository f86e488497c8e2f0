// CHECK builds: every load and store of a kernel is seen. README.md explains how.
//
// The runtime tells this module what happens. In other builds kOn is false, the calls are discarded
// and the module is not linked: `if constexpr (check::kOn) check::...`.
#ifndef CUDA_CPU_CHECK_CHECK_H
#define CUDA_CPU_CHECK_CHECK_H

#include <cstddef>
#include <cstdint>

namespace cuda_cpu {

struct BlockState;
struct Thread;

namespace check {

#ifdef CUDA_CPU_CHECK
inline constexpr bool kOn = true;
// A COUNT build: what it sees is counted (../../count), not checked.
inline constexpr bool kCounts = __builtin_strcmp(CUDA_CPU_CHECK, "count") == 0;
#else
inline constexpr bool kOn = false, kCounts = false;
#endif

// ---- order --------------------------------------------------------------------------------------

// Numbers for the blocks of a grid, or of a part of it between two grid barriers: block i is the
// returned number plus i. Ends the program when 2^32 are used up.
std::uint32_t reserve_numbers(std::uint64_t blocks);
// The block starts, or goes on behind a grid barrier. `first_number` is from reserve_numbers().
void block_begins(BlockState &block, std::uint32_t first_number, std::uint64_t index, bool resumes);
void block_synchronised(BlockState &block);
// These lanes have called a WarpOperation (cuda_cpu/warp.h). But for kSyncWarp only reads before
// are ordered, with writes behind.
void warp_called(BlockState &block, unsigned warp, unsigned lanes, int operation);
// A shuffle gives `thread` the value of a lane that has returned or does not exist.
void shuffled_from_nobody(const Thread &thread, unsigned lane);
// A barrier with phases, named by its state's address, for some threads of a block or of several:
// the running thread arrives, as the first one of a phase or not; all have arrived at this phase;
// the running thread has waited for it. Arriving is a release, waiting an acquire.
void phase_arrived(BlockState &block, const void *state, bool is_first);
void phase_completed(BlockState &block, const void *state, std::uint32_t phase);
void phase_waited(BlockState &block, const void *state, std::uint32_t phase);
// The block stops running, for now or at its end: settles what its last access has left open.
void block_pauses();

// ---- memory -------------------------------------------------------------------------------------

// Bytes that a block's shared memory leaves unused at either end, for accesses beyond an array.
inline constexpr std::size_t kSharedGuard = kOn ? 64 * 1024 : 0;

// A __shared__ array or, with `name` null, the dynamic one before its name is known.
void shared_array(BlockState &block, void *memory, std::size_t bytes, const char *name,
                  std::size_t element_bytes);

// The array that `own` has at `memory` is at `same` in another block of the cluster, which may not
// have come to its declaration yet.
void shared_array_of_peer(BlockState &own, BlockState &other, const void *memory, void *same);

// Device and pinned memory. Null when there is none.
void *heap_allocate(std::size_t bytes, bool pinned);
void heap_release(void *memory);
// Whether an address is where that memory is, in an array or not.
bool in_heap(const void *memory);
// cudaMemset, and cudaMemcpy with what `from` held. Other addresses than the heap's are ignored.
void heap_written(void *memory, std::size_t bytes);
void heap_copied(void *to, const void *from, std::size_t bytes);
// A library has run on the device: what it wrote is not known, so all counts as written.
void heap_written_by_library();
// A launch's arguments, which CUDA code has allocated for the runtime.
void is_not_the_hosts(const void *memory);
// A pointer that a kernel is launched with, the `index`-th of its arguments, for reports.
void kernel_argument(const char *kernel, int index, const void *pointer);
// A memory fault: ends the program with a report if it is the last access that a kernel made.
void report_fault(const void *address);
// cudaProfilerStart() or, with false, cudaProfilerStop().
void profile(bool on);
// For COUNT builds: bytes that cudaMemcpy or cudaMemset has read and written within device memory,
// and that have gone to the host or come from it.
void copied(std::size_t device_bytes, std::size_t host_bytes);
// Allows or forbids host code to use device memory from now on.
void open_to_host(bool open);

}  // namespace check
}  // namespace cuda_cpu
#endif
