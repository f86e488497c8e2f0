// The group of all threads of a cluster. cooperative_groups.h includes it.
#ifndef CUDA_CPU_COOPERATIVE_GROUPS_CLUSTER_H
#define CUDA_CPU_COOPERATIVE_GROUPS_CLUSTER_H

#include <cuda_cpu/cluster.h>

namespace cooperative_groups {

struct cluster_group {
  struct arrival_token {};
  void sync(CUDA_CPU_CALLER) const {
    const cuda_cpu::Site site = {"cluster.sync", file, line};
    cuda_cpu::cluster_barrier(&site);
  }
  // The wait does both: no thread can see when another one arrived.
  arrival_token barrier_arrive() const { return {}; }
  void barrier_wait(CUDA_CPU_CALLER) const {
    const cuda_cpu::Site site = {"cluster.barrier_wait", file, line};
    cuda_cpu::cluster_barrier(&site);
  }
  void barrier_wait(arrival_token &&, CUDA_CPU_CALLER) const { barrier_wait(file, line); }

  dim3 dim_blocks() const { return cuda_cpu::cluster_shape(); }
  unsigned int num_blocks() const {
    const dim3 shape = dim_blocks();
    return shape.x * shape.y * shape.z;
  }
  dim3 block_index() const { return cuda_cpu::cluster_block_index(); }
  unsigned int block_rank() const {
    const dim3 shape = dim_blocks(), index = block_index();
    return (index.z * shape.y + index.y) * shape.x + index.x;
  }
  dim3 dim_threads() const {
    const dim3 shape = dim_blocks();
    return dim3(shape.x * blockDim.x, shape.y * blockDim.y, shape.z * blockDim.z);
  }
  dim3 thread_index() const {
    const dim3 index = block_index();
    return dim3(index.x * blockDim.x + threadIdx.x, index.y * blockDim.y + threadIdx.y,
                index.z * blockDim.z + threadIdx.z);
  }
  unsigned int num_threads() const { return num_blocks() * blockDim.x * blockDim.y * blockDim.z; }
  unsigned int size() const { return num_threads(); }
  unsigned int thread_rank() const {
    return block_rank() * blockDim.x * blockDim.y * blockDim.z + cuda_cpu::current->number;
  }

  // The same shared variable in the block of this rank.
  template <class T>
  T *map_shared_rank(T *address, unsigned int rank) const {
    return static_cast<T *>(cuda_cpu::map_shared(address, rank));
  }
};

inline cluster_group this_cluster() { return {}; }

}  // namespace cooperative_groups

#endif
