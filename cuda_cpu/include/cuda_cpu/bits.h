// Values as bits and back, and inlining.
#ifndef CUDA_CPU_BITS_H
#define CUDA_CPU_BITS_H

#include <cstdint>
#include <cstring>
#include <type_traits>

// Always inlined, so that debug information leads from an operation to the kernel that calls it.
#define CUDA_CPU_INLINE [[gnu::always_inline]] inline

namespace cuda_cpu {

// At most 64 bits; the upper ones are 0.
template <class T>
std::uint64_t to_bits(T value) {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}
template <class T>
T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace cuda_cpu
#endif
