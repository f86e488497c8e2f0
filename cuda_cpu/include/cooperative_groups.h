// The cooperative groups that cuda_cpu has: the grid, the block, tiles of up to a warp, and the
// threads of a warp that are here together (CUDA C++ Programming Guide, "Cooperative Groups").
#ifndef CUDA_CPU_COOPERATIVE_GROUPS_H
#define CUDA_CPU_COOPERATIVE_GROUPS_H

#include <cuda_runtime.h>

#include <cstring>
#include <type_traits>

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
  dim3 group_dim() const { return gridDim; }
  dim3 dim_blocks() const { return gridDim; }
  dim3 block_index() const { return dim3(blockIdx); }
  unsigned long long num_threads() const { return size(); }
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
  dim3 group_dim() const { return blockDim; }
  dim3 dim_threads() const { return blockDim; }
  dim3 group_index() const { return dim3(blockIdx); }
  dim3 thread_index() const { return dim3(threadIdx); }
};

// ---- threads of one warp, named by a mask of lanes ----------------------------------------------

namespace detail {

inline unsigned lane() { return cuda_cpu::current->number % 32; }

// The lane of the thread with this rank among the lanes of `mask`.
inline unsigned lane_of(unsigned mask, unsigned rank) {
  for (; rank > 0 && mask != 0; rank--) mask &= mask - 1;
  return mask == 0 ? 0 : static_cast<unsigned>(__builtin_ctz(mask));
}

// The value of lane `from`, of a type of any size.
template <class T>
T shuffle(unsigned mask, const T &value, unsigned from) {
  static_assert(std::is_trivially_copyable_v<T>);
  T result = value;
  char *const bytes = reinterpret_cast<char *>(&result);
  for (std::size_t at = 0; at < sizeof(T); at += 8) {
    const std::size_t part = sizeof(T) - at < 8 ? sizeof(T) - at : 8;
    unsigned long long word = 0;
    std::memcpy(&word, bytes + at, part);
    word = __shfl_sync(mask, word, static_cast<int>(from));
    std::memcpy(bytes + at, &word, part);
  }
  return result;
}

// The bits of a group's lanes, moved together: bit r is that of the thread with rank r.
inline unsigned packed(unsigned mask, unsigned bits) {
  unsigned result = 0;
  for (unsigned rank = 0; mask != 0; mask &= mask - 1, rank++)
    result |= (bits >> __builtin_ctz(mask) & 1u) << rank;
  return result;
}

}  // namespace detail

// What tiles and coalesced groups have in common.
class lanes_group {
 public:
  unsigned int size() const { return static_cast<unsigned>(__popc(mask_)); }
  unsigned int num_threads() const { return size(); }
  unsigned int thread_rank() const {
    return static_cast<unsigned>(__popc(mask_ & ((1u << detail::lane()) - 1)));
  }
  unsigned int meta_group_rank() const { return meta_rank_; }
  unsigned int meta_group_size() const { return meta_size_; }
  void sync(CUDA_CPU_CALLER) const {
    const cuda_cpu::Site site = {"group.sync", file, line};
    cuda_cpu::sync_warp(&site, mask_);
  }
  template <class T>
  T shfl(T value, unsigned rank) const {
    return detail::shuffle(mask_, value, detail::lane_of(mask_, rank % size()));
  }
  // Beyond the group's ends a thread keeps its value.
  template <class T>
  T shfl_up(T value, unsigned distance) const {
    return from_rank(value, thread_rank() < distance ? size() : thread_rank() - distance);
  }
  template <class T>
  T shfl_down(T value, unsigned distance) const {
    return from_rank(value, thread_rank() + distance);
  }
  template <class T>
  T shfl_xor(T value, unsigned bits) const {
    return from_rank(value, thread_rank() ^ bits);
  }
  unsigned int ballot(int predicate) const {
    return detail::packed(mask_, __ballot_sync(mask_, predicate));
  }
  int any(int predicate) const { return __any_sync(mask_, predicate); }
  int all(int predicate) const { return __all_sync(mask_, predicate); }
  template <class T>
  unsigned int match_any(T value) const {
    return detail::packed(mask_, __match_any_sync(mask_, value));
  }
  template <class T>
  unsigned int match_all(T value, int &all_equal) const {
    return detail::packed(mask_, __match_all_sync(mask_, value, &all_equal));
  }
  unsigned int lanes() const { return mask_; }  // not CUDA's: for the functions below

 protected:
  lanes_group(unsigned mask, unsigned meta_rank, unsigned meta_size)
      : mask_(mask), meta_rank_(meta_rank), meta_size_(meta_size) {}

 private:
  template <class T>
  T from_rank(T value, unsigned rank) const {
    return detail::shuffle(mask_, value,
                           rank < size() ? detail::lane_of(mask_, rank) : detail::lane());
  }
  unsigned mask_, meta_rank_, meta_size_;
};

class coalesced_group : public lanes_group {
 public:
  explicit coalesced_group(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1)
      : lanes_group(mask, meta_rank, meta_size) {}
};

namespace detail {

// The tile of `size` threads of which the calling thread is one, in a block or in a larger tile.
inline unsigned tile_mask(unsigned size) {
  const unsigned present =
      blockDim.x * blockDim.y * blockDim.z - cuda_cpu::current->number / 32 * 32;
  const unsigned exist = present >= 32 ? 0xffffffffu : (1u << present) - 1;
  return (size >= 32 ? 0xffffffffu : ((1u << size) - 1) << (lane() / size * size)) & exist;
}

}  // namespace detail

template <unsigned int Size, class Parent = void, bool OneWarp = Size <= 32>
class thread_block_tile : public lanes_group {
  static_assert(Size >= 1 && (Size & (Size - 1)) == 0);

 public:
  thread_block_tile(unsigned meta_rank, unsigned meta_size)
      : lanes_group(detail::tile_mask(Size), meta_rank, meta_size) {}
  template <class Other>
  thread_block_tile(const thread_block_tile<Size, Other> &tile)
      : thread_block_tile(tile.meta_group_rank(), tile.meta_group_size()) {}
  static constexpr unsigned int size() { return Size; }
  static constexpr unsigned int num_threads() { return Size; }
  unsigned int thread_rank() const { return detail::lane() % Size; }
  template <class T>
  T shfl_xor(T value, int bits) const {  // one operation of the warp
    if constexpr (std::is_arithmetic_v<T>)
      return __shfl_xor_sync(lanes(), value, bits, Size);
    else
      return lanes_group::shfl_xor(value, static_cast<unsigned>(bits));
  }
  template <class T>
  T shfl_down(T value, unsigned distance) const {
    if constexpr (std::is_arithmetic_v<T>)
      return __shfl_down_sync(lanes(), value, static_cast<int>(distance), Size);
    else
      return lanes_group::shfl_down(value, distance);
  }
  template <class T>
  T shfl_up(T value, unsigned distance) const {
    if constexpr (std::is_arithmetic_v<T>)
      return __shfl_up_sync(lanes(), value, static_cast<int>(distance), Size);
    else
      return lanes_group::shfl_up(value, distance);
  }
};

// Shared memory for tiles of several warps: a barrier for each tile, a value for each thread.
template <unsigned int MaxBlockSize = 1024>
struct block_tile_memory {
  unsigned arrived[32], generation[32];
  alignas(16) char values[MaxBlockSize][16];
};

template <unsigned int Size, class Parent>
class thread_block_tile<Size, Parent, false> {
 public:
  explicit thread_block_tile(block_tile_memory<1> *memory) : memory_(memory) {}
  static constexpr unsigned int size() { return Size; }
  static constexpr unsigned int num_threads() { return Size; }
  unsigned int thread_rank() const { return cuda_cpu::current->number % Size; }
  unsigned int meta_group_rank() const { return cuda_cpu::current->number / Size; }
  unsigned int meta_group_size() const { return (thread_block().size() + Size - 1) / Size; }
  // Atomic with memory orders, from which CHECK builds learn what the tile's threads know.
  void sync(CUDA_CPU_CALLER) const {
    const cuda_cpu::Site site = {"tile.sync", file, line};
    unsigned *const arrived = &memory_->arrived[meta_group_rank()];
    unsigned *const generation = &memory_->generation[meta_group_rank()];
    const unsigned before = __atomic_load_n(generation, __ATOMIC_RELAXED);
    if (__atomic_add_fetch(arrived, 1, __ATOMIC_ACQ_REL) == Size) {
      __atomic_store_n(arrived, 0, __ATOMIC_RELAXED);
      __atomic_store_n(generation, before + 1, __ATOMIC_RELEASE);
    }
    while (__atomic_load_n(generation, __ATOMIC_ACQUIRE) == before) cuda_cpu::spin_yield(&site);
  }
  template <class T>
  T shfl(const T &value, unsigned rank) const {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 16);
    T result;
    std::memcpy(memory_->values[cuda_cpu::current->number], &value, sizeof value);
    sync();
    std::memcpy(&result, memory_->values[meta_group_rank() * Size + rank % Size], sizeof result);
    sync();
    return result;
  }
  template <class T>
  T shfl_down(T value, unsigned distance) const {
    return shfl(value, thread_rank() + distance < Size ? thread_rank() + distance : thread_rank());
  }
  template <class T>
  T shfl_up(T value, unsigned distance) const {
    return shfl(value, thread_rank() < distance ? thread_rank() : thread_rank() - distance);
  }

 private:
  block_tile_memory<1> *memory_;
};

// A block with the memory that tiles of several warps need.
struct thread_block_with_memory : thread_block {
  block_tile_memory<1> *memory;
};

// Any of the groups, chosen at run time.
class thread_group {
 public:
  thread_group(const thread_block &) : mask_(0) {}
  thread_group(const lanes_group &group) : mask_(group.lanes()) {}
  unsigned int size() const {
    return mask_ == 0 ? thread_block().size() : coalesced_group(mask_).size();
  }
  unsigned int num_threads() const { return size(); }
  unsigned int thread_rank() const {
    return mask_ == 0 ? thread_block().thread_rank() : coalesced_group(mask_).thread_rank();
  }
  void sync(CUDA_CPU_CALLER) const {
    if (mask_ == 0)
      thread_block().sync(file, line);
    else
      coalesced_group(mask_).sync(file, line);
  }

 private:
  friend thread_group tiled_partition(const thread_group &parent, unsigned int size);
  unsigned mask_;  // 0: the block
};

// ---- making groups and using them ---------------------------------------------------------------

inline grid_group this_grid() { return {}; }
inline thread_block this_thread_block() { return {}; }
template <unsigned int MaxBlockSize>
thread_block_with_memory this_thread_block(block_tile_memory<MaxBlockSize> &memory) {
  const thread_block block;
  if (block.thread_rank() == 0)
    for (int i = 0; i < 32; i++) memory.arrived[i] = memory.generation[i] = 0;
  block.sync();
  // The memory for one thread has the same layout in front of its values.
  return {block, reinterpret_cast<block_tile_memory<1> *>(&memory)};
}
inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <unsigned int Size>
thread_block_tile<Size, thread_block> tiled_partition(const thread_block &block) {
  return {block.thread_rank() / Size, (block.size() + Size - 1) / Size};
}
template <unsigned int Size>
auto tiled_partition(const thread_block_with_memory &block) {
  if constexpr (Size <= 32)
    return tiled_partition<Size>(static_cast<const thread_block &>(block));
  else
    return thread_block_tile<Size, thread_block>(block.memory);
}
template <unsigned int Size, unsigned int Larger, class Parent>
thread_block_tile<Size, thread_block_tile<Larger, Parent>> tiled_partition(
    const thread_block_tile<Larger, Parent> &parent) {
  static_assert(Size <= Larger);
  return {parent.thread_rank() / Size, Larger / Size};
}
// Tiles of `size` threads, counted in the parent's ranks.
inline coalesced_group tiled_partition(const lanes_group &parent, unsigned int size) {
  const unsigned first = parent.thread_rank() / size * size;
  unsigned mask = 0;
  for (unsigned rank = first; rank < first + size && rank < parent.size(); rank++)
    mask |= 1u << detail::lane_of(parent.lanes(), rank);
  return coalesced_group(mask, first / size, (parent.size() + size - 1) / size);
}
inline thread_group tiled_partition(const thread_block &, unsigned int size) {
  return coalesced_group(detail::tile_mask(size));
}
inline thread_group tiled_partition(const thread_group &parent, unsigned int size) {
  if (parent.mask_ == 0) return tiled_partition(this_thread_block(), size);
  return tiled_partition(coalesced_group(parent.mask_), size);
}
// The threads that pass the same label.
template <class Label>
coalesced_group labeled_partition(const lanes_group &parent, Label label) {
  return coalesced_group(__match_any_sync(parent.lanes(), static_cast<long long>(label)));
}
inline coalesced_group binary_partition(const lanes_group &parent, bool predicate) {
  const unsigned truths = __ballot_sync(parent.lanes(), predicate);
  return coalesced_group(predicate ? truths : parent.lanes() & ~truths, predicate, 2);
}

template <class Group>
void sync(const Group &group, CUDA_CPU_CALLER) {
  group.sync(file, line);
}

}  // namespace cooperative_groups

#include <cooperative_groups/cluster.h>

#endif
