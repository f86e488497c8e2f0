// Inside the cpu backend: what exec.cpp (one block), grid.cpp (all blocks of a launch) and
// diagnose.cpp share.
#ifndef CUDA_CPU_GRID_H
#define CUDA_CPU_GRID_H

#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "cuda_cpu/exec.h"

namespace cuda_cpu {

// A small generator for shuffled runs (splitmix64; Steele, Lea and Flood 2014).
struct Random {
  std::uint64_t state = 0;
  std::uint64_t next() {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  unsigned below(unsigned bound) { return static_cast<unsigned>((next() >> 32) * bound >> 32); }
};

// A launch that waits for the launching grid to end.
struct PendingLaunch {
  Launch launch;
  std::unique_ptr<KernelCall> call;
};

struct Grid {
  Launch launch;
  GridShape shape;
  const KernelCall *call;
  std::uint64_t number;  // launches are counted, so that a shuffled run can be repeated
  std::uint64_t blocks;
  std::atomic<std::uint64_t> next_block{0};
  std::mutex children_mutex;
  std::vector<PendingLaunch> children;
  // Grid barrier of a cooperative launch:
  std::atomic<std::uint64_t> generation{0}, arrived{0}, finished{0};
};

constexpr std::align_val_t kSharedAlignment{1024};  // the most that a __shared__ array can ask for
struct FreeShared {
  void operator()(char *memory) const { operator delete(memory, kSharedAlignment); }
};

// A block with the memory that it needs; reused from block to block.
struct BlockState : Block {
  dim3 shape = dim3(0, 0, 0);  // that `thread_memory` is laid out for
  std::vector<Thread> thread_memory;
  std::vector<Warp> warp_memory;
  std::vector<unsigned> order_memory;
  std::unique_ptr<char[], FreeShared> shared_memory;
  Random random;
  bool at_grid_barrier = false;  // with all its threads
};

enum class Outcome { kDone, kAtGridBarrier, kYielded };

// Runs the threads of a prepared block until all have returned or none can go on alone.
Outcome run_block(Block &block);

// Ends the program with a list of where the threads of the block wait.
[[noreturn]] void diagnose_waiting(const Block &block, const char *problem);

}  // namespace cuda_cpu
#endif
