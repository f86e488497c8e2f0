// Cooperative groups: copies by all threads of a group, complete at wait().
#ifndef CUDA_CPU_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define CUDA_CPU_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include <cooperative_groups.h>

#include <cuda_cpu/copy.h>

namespace cooperative_groups {

template <class Group, class T, class Bytes>
void memcpy_async(const Group &group, T *to, const T *from, const Bytes &bytes) {
  cuda_cpu::copy_by_group(group, to, from, static_cast<std::size_t>(bytes));
}
template <class Group>
void wait(const Group &group) {
  group.sync();
}

}  // namespace cooperative_groups
#endif
