// The shared memory of one block: the dynamic part first, then the static arrays in the order in
// which the block reaches their declarations.
#ifndef CUDA_CPU_SHARED_MEMORY_H
#define CUDA_CPU_SHARED_MEMORY_H

#include <cstddef>
#include <memory>
#include <new>

namespace cuda_cpu {

constexpr int kMaxStaticArrays = 64;                // __shared__ variables that a block may declare
constexpr std::align_val_t kSharedAlignment{1024};  // the most that one of them may ask for

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

struct BlockState;

// A grid whose static and dynamic shared memory exceed the limit together, which shows at the
// declaration in its first thread. The exception ends that thread; then the launch fails, as on a
// GPU.
struct SharedLimitExceeded {};

// static_shared() in another block of the cluster.
void *static_shared_in(BlockState &block, const void *key, std::size_t bytes,
                       std::size_t alignment);

}  // namespace cuda_cpu
#endif
