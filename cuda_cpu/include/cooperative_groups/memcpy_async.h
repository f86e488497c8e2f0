// Cooperative groups: copies by all threads of a group, complete at wait().
#ifndef CUDA_CPU_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define CUDA_CPU_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include <cooperative_groups.h>

namespace cooperative_groups {

template <class Group, class T, class Bytes>
void memcpy_async(const Group &group, T *to, const T *from, const Bytes &bytes) {
  const std::size_t count = static_cast<std::size_t>(bytes);
  for (std::size_t i = group.thread_rank(); i < count; i += group.size())
    reinterpret_cast<char *>(to)[i] = reinterpret_cast<const char *>(from)[i];
}
template <class Group>
void wait(const Group &group) {
  group.sync();
}

}  // namespace cooperative_groups
#endif
