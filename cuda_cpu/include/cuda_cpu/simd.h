// SIMD intrinsics: a 32-bit value as four bytes (names that end with 4) or two halves (2), each
// computed by itself (CUDA Math API, "SIMD Intrinsics").
#ifndef CUDA_CPU_SIMD_H
#define CUDA_CPU_SIMD_H

#include <cstdint>

namespace cuda_cpu {

// Applies `f` to each pair of elements of type T; only the result's low bits count.
template <class T, class F>
unsigned each_part(unsigned a, unsigned b, F f) {
  unsigned result = 0;
  constexpr unsigned bits = 8 * sizeof(T), mask = (1u << bits) - 1;
  for (unsigned at = 0; at < 32; at += bits)
    result |= (static_cast<unsigned>(f(static_cast<int>(static_cast<T>(a >> at)),
                                       static_cast<int>(static_cast<T>(b >> at)))) &
               mask)
              << at;
  return result;
}

}  // namespace cuda_cpu

#define CUDA_CPU_SIMD(name, type, expression)                                          \
  inline unsigned int name(unsigned int a, unsigned int b) {                           \
    return cuda_cpu::each_part<type>(a, b, [](int x, int y) { return (expression); }); \
  }
// Signed and unsigned bytes and halves: `s` or `u` stands in front of the number.
#define CUDA_CPU_SIMD_BOTH(name, expression)        \
  CUDA_CPU_SIMD(name##s4, std::int8_t, expression)  \
  CUDA_CPU_SIMD(name##u4, std::uint8_t, expression) \
  CUDA_CPU_SIMD(name##s2, std::int16_t, expression) \
  CUDA_CPU_SIMD(name##u2, std::uint16_t, expression)
CUDA_CPU_SIMD(__vadd4, std::uint8_t, x + y)
CUDA_CPU_SIMD(__vadd2, std::uint16_t, x + y)
CUDA_CPU_SIMD(__vsub4, std::uint8_t, x - y)
CUDA_CPU_SIMD(__vsub2, std::uint16_t, x - y)
CUDA_CPU_SIMD(__vaddus4, std::uint8_t, x + y > 255 ? 255 : x + y)
CUDA_CPU_SIMD(__vaddus2, std::uint16_t, x + y > 65535 ? 65535 : x + y)
CUDA_CPU_SIMD(__vsubus4, std::uint8_t, x < y ? 0 : x - y)
CUDA_CPU_SIMD(__vsubus2, std::uint16_t, x < y ? 0 : x - y)
CUDA_CPU_SIMD(__vavgu4, std::uint8_t, (x + y + 1) / 2)
CUDA_CPU_SIMD(__vavgu2, std::uint16_t, (x + y + 1) / 2)
CUDA_CPU_SIMD(__vcmpeq4, std::uint8_t, x == y ? -1 : 0)
CUDA_CPU_SIMD(__vcmpeq2, std::uint16_t, x == y ? -1 : 0)
CUDA_CPU_SIMD(__vcmpne4, std::uint8_t, x != y ? -1 : 0)
CUDA_CPU_SIMD(__vcmpne2, std::uint16_t, x != y ? -1 : 0)
CUDA_CPU_SIMD_BOTH(__vmax, x > y ? x : y)
CUDA_CPU_SIMD_BOTH(__vmin, x < y ? x : y)
CUDA_CPU_SIMD_BOTH(__vabsdiff, x > y ? x - y : y - x)
CUDA_CPU_SIMD_BOTH(__vcmpgt, x > y ? -1 : 0)
CUDA_CPU_SIMD_BOTH(__vcmpge, x >= y ? -1 : 0)
CUDA_CPU_SIMD_BOTH(__vcmplt, x < y ? -1 : 0)
CUDA_CPU_SIMD_BOTH(__vcmple, x <= y ? -1 : 0)
#undef CUDA_CPU_SIMD_BOTH
#undef CUDA_CPU_SIMD

// The sum of the bytes' absolute differences.
inline unsigned int __vsadu4(unsigned int a, unsigned int b) {
  const unsigned int d = __vabsdiffu4(a, b);
  return (d & 255u) + (d >> 8 & 255u) + (d >> 16 & 255u) + (d >> 24);
}

#endif
