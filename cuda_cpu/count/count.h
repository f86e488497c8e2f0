// COUNT builds: what the warps of each kernel ask of memory. README.md explains how.
//
// ../check sees the accesses and calls these functions, from one thread of the system at a time.
#ifndef CUDA_CPU_COUNT_COUNT_H
#define CUDA_CPU_COUNT_COUNT_H

#include <cuda_cpu/thread.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuda_cpu {

struct BlockState;

namespace count {

enum class Space : std::uint8_t { kGlobal, kShared };
enum class Operation : std::uint8_t { kLoad, kStore, kAtomic };

extern bool is_on;

// What a thread has accessed since its warp has met, in the order of time.
struct Entry {
  std::uint64_t site : 16, address : 48;
};
using Log = std::vector<Entry>;
// Of the thread with the last access, if its warp has not met since.
extern const Thread *last_thread;
extern Log *last_log;
void find_log();

// Instructions of the running kernel that were found last.
struct Slot {
  std::uint64_t key, site;
};
extern Slot slots[4096];
void find_site(Slot &slot, std::uint64_t key, Space space, Operation operation, std::size_t bytes,
               std::uintptr_t pc);

// An access of the running thread, of 1, 2, 4, 8 or 16 bytes, while is_on. `pc` tells the
// instruction. Inline, because every access passes here.
[[gnu::always_inline]] inline void visit(Space space, Operation operation, std::uintptr_t address,
                                         std::size_t bytes, std::uintptr_t pc) {
  const std::uint64_t key = pc << 16 | bytes << 8 | static_cast<std::uint64_t>(space) << 2 |
                            static_cast<std::uint64_t>(operation);
  Slot &slot = slots[(pc ^ pc >> 12) % 4096];
  if (slot.key != key) find_site(slot, key, space, operation, bytes, pc);
  if (last_thread != current) find_log();
  last_log->push_back({slot.site, address});
}

// Device memory beside kernels: bytes that cudaMemcpy and cudaMemset read or write within it, bytes
// that go to or come from the host, and accesses of host code, where Thrust's algorithms run.
extern std::uint64_t copied_bytes, host_copied_bytes, host_accesses;
inline void add(std::uint64_t &number, std::uint64_t count) {
  if (is_on) number += count;
}

void block_begins(BlockState &block);
void block_synchronised(BlockState &block);
// `operation` is a WarpOperation (cuda_cpu/warp.h) that these lanes have called.
void warp_called(BlockState &block, unsigned warp, unsigned lanes, int operation);
void block_ends(BlockState &block);

// cudaProfilerStart() and cudaProfilerStop(): a program that calls them has only what is between
// counted.
void start();
void stop();
// Writes the counts, if there are any, to the file that CUDA_CPU_COUNT names.
void report();

}  // namespace count
}  // namespace cuda_cpu
#endif
