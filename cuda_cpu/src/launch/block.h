// One block: its threads, what they wait for, and running it. README.md draws how.
#ifndef CUDA_CPU_BLOCK_H
#define CUDA_CPU_BLOCK_H

#include <cuda_cpu/thread.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "../diagnosis/settings.h"

namespace cuda_cpu {

struct Grid;
namespace check {
struct BlockShadow;
}

struct Queue {
  Thread *head = nullptr, *tail = nullptr;
  unsigned length = 0;
  void push(Thread *thread) {
    thread->next = nullptr;
    (tail == nullptr ? head : tail->next) = thread;
    tail = thread;
    length++;
  }
  Thread *pop() {
    Thread *const thread = head;
    if (thread == nullptr) return nullptr;
    head = thread->next;
    if (head == nullptr) tail = nullptr;
    length--;
    return thread;
  }
  void append(Queue &other) {  // empties `other`
    if (other.head == nullptr) return;
    (tail == nullptr ? head : tail->next) = other.head;
    tail = other.tail;
    length += other.length;
    other = Queue();
  }
};

struct alignas(64) Warp {   // sets of lanes
  unsigned present = 0;     // lanes that exist
  unsigned returned = 0;    // lanes whose thread has returned
  unsigned ready = 0;       // lanes that have waited and can go on
  unsigned at_barrier = 0;  // lanes that wait at the block's barrier
  unsigned waiting = 0;     // lanes that wait in a collective
  unsigned gathered = 0;    // lanes that wait in __activemask()
  // The collective of all `waiting` lanes, or of the last ones. Where lanes wait with different
  // masks or operations, `mixed` is set and each Thread has both.
  unsigned mask = 0;
  int operation = 0;
  bool mixed = false;
};

constexpr int kMaxStaticArrays = 64;                // __shared__ variables that a block may declare
constexpr std::align_val_t kSharedAlignment{1024};  // the most that one of them may ask for

// The shared memory of one block: the dynamic part first, then the static arrays in the order in
// which the block reaches their declarations.
struct SharedMemory {
  struct FreeArena {
    void operator()(char *memory) const { operator delete(memory, kSharedAlignment); }
  };
  struct Array {
    const void *key;
    char *memory;
    std::size_t bytes, alignment;
  };
  std::unique_ptr<char[], FreeArena> arena;
  std::size_t used = 0;  // bytes
  int arrays = 0;
  Array array[kMaxStaticArrays];

  static std::size_t bytes();  // of the arena
  // Empties the arena except for `dynamic_bytes` of poison.
  void reset(std::size_t dynamic_bytes);
};

// How a thread was found where a timer interrupted it (preempt.h).
struct Found {
  std::uint64_t seen[64] = {};  // hashes of its registers
  unsigned count = 0;
  unsigned again = 0;  // the last ones in turn that had been seen before
};

// Everything about a running block that kernels do not read. Reused from block to block.
struct BlockState : Block {
  Grid *grid = nullptr;
  uint3 index = {0, 0, 0};
  Warp *warps = nullptr;
  unsigned returned = 0;
  void *stack_outside = nullptr;  // of run_block(), while a thread runs
  // The common course: all threads go from barrier to barrier, in index order, and the lanes of a
  // warp from collective to collective. Those before the running one wait at `barrier_site`, but
  // with kAtCollective those of its own warp in that warp's collective; those behind it that have
  // started can go on, and none has returned. Only then may the sets of lanes and `at_barrier` say
  // less: leave_wave() sets them.
  enum { kNoWave, kAtBarrier, kAtCollective } wave = kNoWave;
  unsigned wave_mask = 0;  // of that collective
  int wave_operation = 0;
  const Thread *wave_last = nullptr;  // of that warp
  // The end of a wave: all threads before the running one have returned, those behind it can go on.
  // The sets of lanes say less then, too.
  bool ending = false;
  unsigned warp = 0;         // of which lanes run now
  unsigned ready_warps = 0;  // those with ready lanes; `warp` may be among them without any
  unsigned turns = 0;  // collectives that its warps have completed; in a wave, since its start
  Queue grid_barrier, active_mask, yielded;
  Queue phases;                        // in a cuda::barrier
  std::uint64_t named[16] = {};        // the barriers of inline PTX, barrier.cpp
  Queue misplaced;                     // at another barrier than `at_barrier`: a mistake
  unsigned at_barrier = 0;             // threads that wait at the barrier
  const Site *barrier_site = nullptr;  // of the first thread that waits there, or waited last
  int barrier_true = 0;                // true predicates at the barrier so far
  int barrier_result = 0;              // true predicates at the last barrier
  int barrier_arrived = 0;             // threads that came to the last barrier
  bool at_grid_barrier = false;        // with all its threads
  struct Cluster *cluster = nullptr;   // cluster.h; null for a cluster of one block
  std::uint64_t generation = 0;        // of the grid barrier that its threads wait for
  bool shuffled = false;               // runs in the order of `random`
  Random random;
  SharedMemory shared;
  std::vector<Found> found;                    // of each thread, once one was interrupted
  bool in_loops = false;                       // all_in_loops(), when it stepped aside last
  std::shared_ptr<check::BlockShadow> shadow;  // CHECK builds
  // Memory behind the pointers above and in Block, laid out for blocks of `shape`.
  dim3 shape = dim3(0, 0, 0);
  std::vector<Thread> thread_memory;
  std::vector<Warp> warp_memory;
  std::vector<unsigned> order_memory;
};

// A grid with more threads than its kernel's __launch_bounds__, or whose static and dynamic shared
// memory exceed the limit together, which its first thread finds. The exception ends that thread;
// then the launch fails, as on a GPU.
struct LaunchRefused {
  unsigned bound;  // or 0
};

// static_shared() in another block of the cluster.
void *static_shared_in(BlockState &block, const void *key, std::size_t bytes,
                       std::size_t alignment);

inline BlockState &state_of(Block &block) { return static_cast<BlockState &>(block); }

// Makes `block` the block number `index` of the grid, with no thread started.
void prepare(BlockState &block, Grid &grid, std::uint64_t index);

// The index of element i of a grid or block of this shape.
uint3 unflatten(std::uint64_t i, const dim3 &shape);
// ... and back.
inline std::uint64_t flatten(const uint3 &index, const dim3 &shape) {
  return (static_cast<std::uint64_t>(index.z) * shape.y + index.y) * shape.x + index.x;
}

// The id of a thread of the system that runs a block now, or 0. Safe in signal handlers.
int thread_in_kernel();

// synccheck: ends the program with a list of the places where the threads of the block wait.
[[noreturn]] void diagnose_waiting(const std::vector<BlockState *> &blocks, const char *problem);

enum class Outcome { kDone, kAtGridBarrier, kYielded };

// Runs the threads of a prepared block until all have returned or none can go on alone. Ends the
// program if they wait for each other forever (synccheck).
Outcome run_block(BlockState &block);

}  // namespace cuda_cpu
#endif
