// Launches: checks what a GPU would check, deals the blocks out to OpenMP's threads, and runs
// what kernels launch themselves.
#include "cuda_cpu/grid.h"

#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "cuda_cpu/memory.h"
#include "cuda_cpu/runtime.h"
#include "cuda_cpu/settings.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#endif

namespace cuda_cpu {

namespace {

constexpr std::size_t kSharedGap = 32;  // so that AddressSanitizer sees a step beyond an array
constexpr std::size_t kSharedArena = kSharedOptIn + kMaxStaticArrays * kSharedGap;

// ---- preparing a block --------------------------------------------------------------------------

uint3 unflatten(std::uint64_t i, const dim3 &shape) {
  return {static_cast<unsigned>(i % shape.x), static_cast<unsigned>(i / shape.x % shape.y),
          static_cast<unsigned>(i / shape.x / shape.y)};
}

void lay_out_threads(BlockState &block, const dim3 &shape) {
  if (block.count > 0 && std::memcmp(&block.shape, &shape, sizeof shape) == 0) return;
  block.shape = shape;
  block.count = shape.x * shape.y * shape.z;
  block.thread_memory.assign(block.count, Thread{});
  block.warp_memory.assign((block.count + 31) / 32, Warp{});
  for (unsigned i = 0; i < block.count; i++) {
    block.thread_memory[i].index = unflatten(i, shape);
    block.thread_memory[i].number = i;
    block.warp_memory[i / 32].present |= 1u << (i % 32);
  }
  block.threads = block.thread_memory.data();
  block.warps = block.warp_memory.data();
  if (block.shared_memory == nullptr)
    block.shared_memory.reset(static_cast<char *>(operator new(kSharedArena, kSharedAlignment)));
  block.shared = block.shared_memory.get();
}

void shuffle_order(BlockState &block, const Grid &grid, std::uint64_t index) {
  block.random.state = settings().seed;
  block.random.state = block.random.next() + grid.number;
  block.random.state = block.random.next() + index;
  block.order_memory.resize(block.count);
  std::iota(block.order_memory.begin(), block.order_memory.end(), 0u);
  for (unsigned i = block.count; i > 1; i--)
    std::swap(block.order_memory[i - 1], block.order_memory[block.random.below(i)]);
  block.order = block.order_memory.data();
  block.shuffled = true;
  block.collective = true;  // start and return are counted from the first thread on
}

void prepare(BlockState &block, Grid &grid, std::uint64_t index) {
  lay_out_threads(block, grid.shape.block);
  block.grid = &grid;
  block.index = unflatten(index, grid.shape.grid);
  block.started = block.returned = 0;
  block.collective = false;
  block.generation = 0;
  for (Warp &warp : block.warp_memory) warp.returned = 0;
  if (block.launch_failed)
    for (Thread &thread : block.thread_memory) thread.last_error = cudaSuccess;
  block.launch_failed = false;
  block.static_arrays = 0;
  block.shared_used = grid.launch.shared_bytes;
  ASAN_POISON_MEMORY_REGION(block.shared, kSharedArena);
  ASAN_UNPOISON_MEMORY_REGION(block.shared, block.shared_used);
  std::memset(block.shared, kPoison, block.shared_used);
  if (settings().shuffle) shuffle_order(block, grid, index);
}

BlockState &block_of_this_thread() {
  static thread_local std::unique_ptr<BlockState> block;
  if (block == nullptr) block = std::make_unique<BlockState>();
  return *block;
}

// ---- ordinary and cooperative grids

void run_ordinary(Grid &grid) {
  BlockState &block = block_of_this_thread();
  // In index order: a block that waits for an earlier one waits for a block that has begun, or
  // that another thread of the system comes to without waiting for this one. Several at a time,
  // because neighbouring blocks read neighbouring memory.
  const std::uint64_t several = std::min<std::uint64_t>(1 + grid.blocks / 256, 16);
  std::uint64_t first;
  while ((first = grid.next_block.fetch_add(several)) < grid.blocks) {
    const std::uint64_t end = std::min(first + several, grid.blocks);
    for (std::uint64_t index = first; index < end; index++) {
      prepare(block, grid, index);
      while (run_block(block) == Outcome::kYielded) sched_yield();
    }
  }
}

// A block that waits for all others cannot keep its OpenMP thread. So each thread holds its share
// of the blocks at once, and takes turns among them.
void run_cooperative(Grid &grid, std::uint64_t first, std::uint64_t step) {
  std::vector<std::unique_ptr<BlockState>> blocks;
  for (std::uint64_t index = first; index < grid.blocks; index += step) {
    blocks.push_back(std::make_unique<BlockState>());
    prepare(*blocks.back(), grid, index);
  }
  while (!blocks.empty()) {
    bool progress = false;
    for (auto &block : blocks) {
      if (block->at_grid_barrier) {  // has it been released meanwhile?
        if (grid.generation.load() == block->generation) continue;
        block->ready.append(block->grid_barrier);
      }
      progress = true;
      block->generation = grid.generation.load();
      const Outcome outcome = run_block(*block);
      block->at_grid_barrier = outcome == Outcome::kAtGridBarrier;
      if (outcome == Outcome::kDone) {
        grid.finished++;
        block.reset();
      } else if (outcome == Outcome::kAtGridBarrier && ++grid.arrived == grid.blocks) {
        grid.arrived = 0;
        grid.generation++;
      }
    }
    if (!progress) {
      const std::uint64_t finished = grid.finished.load();
      if (finished > 0 && grid.arrived.load() + finished == grid.blocks) {
        current_block = blocks.front().get();
        diagnose_waiting(*current_block, "wait at grid.sync() for blocks that have returned");
      }
      sched_yield();
    }
    blocks.erase(std::remove(blocks.begin(), blocks.end(), nullptr), blocks.end());
  }
}

std::atomic<std::uint64_t> launches{0};

// Runs all blocks. What the kernel launches itself is put on top of `pending`, next one last.
void run_blocks(const Launch &launch, const KernelCall &call, std::vector<PendingLaunch> &pending) {
  Grid grid;
  grid.launch = launch;
  grid.shape = {launch.grid, launch.block};
  grid.call = &call;
  grid.number = launches++;
  grid.blocks = static_cast<std::uint64_t>(launch.grid.x) * launch.grid.y * launch.grid.z;
  // All of OpenMP's threads even for a few blocks: when a team is smaller than the one before, the
  // runtime ends threads, only to make new ones, with new stacks for CUDA threads, for the next.
  // A grid with little to do is done before other threads of the system have woken up.
  const bool tiny = grid.blocks * launch.block.x * launch.block.y * launch.block.z <= 2048;
  const int threads = grid.blocks == 1 || (tiny && !launch.cooperative) ? 1 : multiprocessors();
  {
    const DeviceScope device;
    if (launch.cooperative) {
#pragma omp parallel num_threads(threads)
      run_cooperative(grid, static_cast<std::uint64_t>(omp_get_thread_num()),
                      static_cast<std::uint64_t>(omp_get_num_threads()));
    } else if (threads == 1) {
      run_ordinary(grid);
    } else {
#pragma omp parallel num_threads(threads)
      run_ordinary(grid);
    }
  }
  for (const bool tail : {true, false})
    for (auto child = grid.children.rbegin(); child != grid.children.rend(); ++child)
      if ((child->launch.stream == cudaStreamTailLaunch) == tail)
        pending.push_back(std::move(*child));
}

// A grid is complete only when all that its threads launched is complete. CUDA leaves open when a
// child begins; here it begins after its parent's last block, tail launches last.
void run_grid(const Launch &launch, const KernelCall &call) {
  std::vector<PendingLaunch> pending;
  run_blocks(launch, call, pending);
  while (!pending.empty()) {
    const PendingLaunch next = std::move(pending.back());
    pending.pop_back();
    run_blocks(next.launch, *next.call, pending);
  }
}

// ---- what a GPU would refuse

cudaError_t check_configuration(const Launch &launch) {
  const dim3 &g = launch.grid, &b = launch.block;
  const std::uint64_t threads = static_cast<std::uint64_t>(b.x) * b.y * b.z;
  if (threads == 0 || threads > kMaxThreadsPerBlock || b.z > 64)
    return cudaErrorInvalidConfiguration;
  if (g.x == 0 || g.y == 0 || g.z == 0 || g.x > 0x7fffffffu || g.y > 65535 || g.z > 65535)
    return cudaErrorInvalidConfiguration;
  if (launch.shared_bytes > shared_limit(launch.kernel)) return cudaErrorInvalidValue;
  if (launch.cooperative) {
    const std::uint64_t fit = static_cast<std::uint64_t>(multiprocessors()) *
                              resident_blocks(static_cast<unsigned>(threads), launch.shared_bytes);
    if (static_cast<std::uint64_t>(g.x) * g.y * g.z > fit)
      return cudaErrorCooperativeLaunchTooLarge;
  }
  return cudaSuccess;
}

cudaError_t launch_from_kernel(const Launch &launch, std::unique_ptr<KernelCall> call) {
  Grid &parent = *current_block->grid;
  const std::lock_guard<std::mutex> guard(parent.children_mutex);
  if (parent.children.size() >= pending_launch_limit()) return cudaErrorLaunchPendingCountExceeded;
  parent.children.push_back({launch, std::move(call)});
  return cudaSuccess;
}

}  // namespace

cudaError_t launch(const Launch &launch, std::unique_ptr<KernelCall> call) {
  cudaError_t error = check_configuration(launch);
  if (error == cudaSuccess) {
    if (current != nullptr)
      error = launch_from_kernel(launch, std::move(call));
    else
      run_grid(launch, *call);
  }
  if (error != cudaSuccess) set_last_error(error);
  return error;
}

unsigned resident_blocks(unsigned threads, std::size_t shared_bytes) {
  if (threads == 0 || threads > kMaxThreadsPerBlock) return 0;
  const std::size_t by_shared = kSharedPerMultiprocessor / (shared_bytes + kSharedReservedPerBlock);
  const unsigned by_threads = kMaxThreadsPerMultiprocessor / ((threads + 31) / 32 * 32);
  return std::min({by_threads, static_cast<unsigned>(by_shared), kMaxBlocksPerMultiprocessor});
}

// ---- shared memory

void *dynamic_shared() {
  if (current_block == nullptr)
    diagnose("memcheck", "an extern __shared__ array is used outside a kernel");
  return current_block->shared;
}

void *static_shared(const void *key, std::size_t bytes, std::size_t alignment) {
  if (current_block == nullptr) diagnose("memcheck", "a __shared__ array is used outside a kernel");
  Block &block = *current_block;
  for (int i = 0; i < block.static_arrays; i++)
    if (block.static_array[i].key == key) return block.static_array[i].memory;
  if (block.static_arrays == kMaxStaticArrays)
    diagnose("memcheck", "a block with more than %d static __shared__ arrays", kMaxStaticArrays);
  const std::size_t from = (block.shared_used + kSharedGap + alignment - 1) / alignment * alignment;
  const std::size_t gaps = kSharedGap * static_cast<std::size_t>(block.static_arrays + 1);
  // Static and dynamic arrays together; what launch() checks is the dynamic part alone.
  const bool opted_in = shared_limit(block.grid->launch.kernel) > kSharedDefault;
  const std::size_t limit = opted_in ? kSharedOptIn : kSharedDefault;
  if (from + bytes - gaps > limit)
    diagnose("memcheck", "the block's shared memory exceeds its limit of %zu bytes", limit);
  void *const memory = block.shared + from;
  ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
  std::memset(memory, kPoison, bytes);
  block.shared_used = from + bytes;
  block.static_array[block.static_arrays++] = {key, memory};
  return memory;
}

}  // namespace cuda_cpu
