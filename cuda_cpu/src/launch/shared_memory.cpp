// Shared memory: the dynamic array and the static ones.
#include <cuda_cpu/launch_calls.h>
#include <cuda_cpu/shared.h>

#include <algorithm>
#include <cstring>

#include "../diagnosis/check.h"
#include "block.h"
#include "../diagnosis/diagnose.h"
#include "grid.h"
#include "../diagnosis/limits.h"
#include "../memory/poison.h"

namespace cuda_cpu {

namespace {

constexpr std::size_t kGap = 32;  // so that AddressSanitizer sees a step beyond an array
constexpr std::size_t kArenaBytes =
    kSharedOptIn + kMaxStaticArrays * kGap + 2 * check::kSharedGuard;

// The launch fails if nothing but the running thread has to end for that.
[[noreturn]] void exceed(BlockState &block, std::size_t bytes, std::size_t limit) {
  const bool alone = !block.collective || block.returned + 1 == block.started;
  if (!alone || block.cluster != nullptr)
    diagnose("memcheck", "the block's shared memory exceeds its limit of %zu bytes", limit);
  if (!block.grid->refused.exchange(true))
    note("launch",
         "kernel %s has %zu bytes of static and dynamic shared memory in a block, %zu are allowed: "
         "the launch fails",
         block.grid->launch.name, bytes, limit);
  throw LaunchRefused{0};
}

}  // namespace

std::size_t SharedMemory::bytes() { return kArenaBytes; }

void SharedMemory::reset(std::size_t dynamic_bytes) {
  if (arena == nullptr)
    arena.reset(static_cast<char *>(operator new(kArenaBytes, kSharedAlignment)));
  arrays = 0;
  used = check::kSharedGuard + dynamic_bytes;
  ASAN_POISON_MEMORY_REGION(arena.get(), kArenaBytes);
  ASAN_UNPOISON_MEMORY_REGION(arena.get(), used);
  std::memset(arena.get(), kPoison, used);
}

void *dynamic_shared([[maybe_unused]] const char *name,
                     [[maybe_unused]] std::size_t element_bytes) {
  if (current_block == nullptr)
    diagnose("memcheck", "an extern __shared__ array is used outside a kernel");
  BlockState &block = state_of(*current_block);
  void *const memory = block.shared.arena.get() + check::kSharedGuard;
  if constexpr (check::kOn) check::shared_array(block, memory, 0, name, element_bytes);
  return memory;
}

void *static_shared_in(BlockState &block, const void *key, std::size_t bytes,
                       std::size_t alignment) {
  SharedMemory &shared = block.shared;
  for (int i = 0; i < shared.arrays; i++)
    if (shared.array[i].key == key) return shared.array[i].memory;
  if (shared.arrays == kMaxStaticArrays)
    diagnose("memcheck", "a block with more than %d static __shared__ arrays", kMaxStaticArrays);
  if constexpr (check::kOn) alignment = std::max<std::size_t>(alignment, 4);
  const std::size_t from = (shared.used + kGap + alignment - 1) / alignment * alignment;
  const std::size_t gaps = check::kSharedGuard + kGap * static_cast<std::size_t>(shared.arrays + 1);
  const std::size_t total = from + bytes - gaps, dynamic = block.grid->launch.shared_bytes;
  if (total - dynamic > kSharedDefault)
    diagnose("memcheck",
             "the block's static __shared__ arrays exceed their limit of %zu bytes; nvcc does not "
             "compile that",
             kSharedDefault);
  // Static and dynamic arrays together; launch() checks the dynamic part alone.
  const std::size_t limit = kernel_limits(block.grid->launch.kernel).shared_bytes > kSharedDefault
                                ? kSharedOptIn
                                : kSharedDefault;
  if (total > limit) exceed(block, total, limit);
  char *const memory = shared.arena.get() + from;
  ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
  std::memset(memory, kPoison, bytes);
  shared.used = from + bytes;
  shared.array[shared.arrays++] = {key, memory, bytes, alignment};
  return memory;
}

void *static_shared(const void *key, std::size_t bytes, std::size_t alignment,
                    [[maybe_unused]] const char *name, [[maybe_unused]] std::size_t element_bytes) {
  if (current_block == nullptr) diagnose("memcheck", "a __shared__ array is used outside a kernel");
  BlockState &block = state_of(*current_block);
  [[maybe_unused]] const int arrays = block.shared.arrays;
  void *const memory = static_shared_in(block, key, bytes, alignment);
  if constexpr (check::kOn)
    if (block.shared.arrays > arrays)
      check::shared_array(block, memory, bytes, name, element_bytes);
  return memory;
}

}  // namespace cuda_cpu
