// The cooperative groups that cuda_cpu has: the grid, the block, and tiles of up to a warp (CUDA
// C++ Programming Guide, "Cooperative Groups").
#ifndef CUDA_CPU_COOPERATIVE_GROUPS_H
#define CUDA_CPU_COOPERATIVE_GROUPS_H

#include <cuda_runtime.h>

// Diagnoses name the place of the call, not this header. The site may live on the caller's stack:
// it is not read after the caller has gone on.
#define CUDA_CPU_CALLER const char *file = __builtin_FILE(), int line = __builtin_LINE()

namespace cooperative_groups {

struct grid_group {
  bool is_valid() const { return true; }
  void sync(CUDA_CPU_CALLER) const {
    const cuda_cpu::Site site = {"grid.sync", file, line};
    cuda_cpu::grid_barrier(&site);
  }
  unsigned long long num_blocks() const {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  unsigned long long block_rank() const {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x +
           blockIdx.x;
  }
  unsigned long long size() const { return num_blocks() * blockDim.x * blockDim.y * blockDim.z; }
  unsigned long long thread_rank() const {
    return block_rank() * blockDim.x * blockDim.y * blockDim.z + cuda_cpu::current->number;
  }
};

struct thread_block {
  void sync(CUDA_CPU_CALLER) const {
    const cuda_cpu::Site site = {"block.sync", file, line};
    cuda_cpu::block_barrier(&site);
  }
  unsigned int size() const { return blockDim.x * blockDim.y * blockDim.z; }
  unsigned int num_threads() const { return size(); }
  unsigned int thread_rank() const { return cuda_cpu::current->number; }
  dim3 group_index() const { return dim3(blockIdx); }
  dim3 thread_index() const { return dim3(threadIdx); }
};

template <unsigned int Size>
struct thread_block_tile {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0);
  unsigned int thread_rank() const { return cuda_cpu::current->number % Size; }
  unsigned int meta_group_rank() const { return cuda_cpu::current->number / Size; }
  unsigned int size() const { return Size; }
  void sync(CUDA_CPU_CALLER) const {
    const cuda_cpu::Site site = {"tile.sync", file, line};
    cuda_cpu::sync_warp(&site, mask());
  }
  template <class T>
  T shfl(T v, int lane) const {
    return __shfl_sync(mask(), v, lane, Size);
  }
  template <class T>
  T shfl_up(T v, int d) const {
    return __shfl_up_sync(mask(), v, d, Size);
  }
  template <class T>
  T shfl_down(T v, int d) const {
    return __shfl_down_sync(mask(), v, d, Size);
  }
  template <class T>
  T shfl_xor(T v, int m) const {
    return __shfl_xor_sync(mask(), v, m, Size);
  }
  unsigned int ballot(int p) const { return __ballot_sync(mask(), p) >> first(); }
  int any(int p) const { return __any_sync(mask(), p); }
  int all(int p) const { return __all_sync(mask(), p); }

 private:
  unsigned int first() const { return cuda_cpu::current->number % 32 / Size * Size; }
  unsigned int mask() const { return (0xffffffffu >> (32 - Size)) << first(); }
};

inline grid_group this_grid() { return {}; }
inline thread_block this_thread_block() { return {}; }
template <unsigned int Size>
thread_block_tile<Size> tiled_partition(const thread_block &) {
  return {};
}
inline void sync(const grid_group &g, CUDA_CPU_CALLER) { g.sync(file, line); }
inline void sync(const thread_block &b, CUDA_CPU_CALLER) { b.sync(file, line); }

}  // namespace cooperative_groups

#undef CUDA_CPU_CALLER
#endif
