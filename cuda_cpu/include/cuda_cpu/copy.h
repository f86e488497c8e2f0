// Copies by all threads of a group.
#ifndef CUDA_CPU_COPY_H
#define CUDA_CPU_COPY_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cuda_cpu {

// In parts as wide as a GPU's cp.async takes them, which COUNT builds count.
template <class Group>
void copy_by_group(const Group &group, void *to, const void *from, std::size_t bytes) {
  const std::size_t all = reinterpret_cast<std::uintptr_t>(to) |
                          reinterpret_cast<std::uintptr_t>(from) | bytes | 16,
                    part = all & -all;
  for (std::size_t i = group.thread_rank() * part; i < bytes; i += group.size() * part)
    std::memcpy(static_cast<char *>(to) + i, static_cast<const char *>(from) + i, part);
}

}  // namespace cuda_cpu
#endif
