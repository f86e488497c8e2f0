// SIMD intrinsics: a 32-bit value as four bytes (names that end with 4) or two halves (2), each
// computed by itself (CUDA Math API, "SIMD Intrinsics").
#ifndef CUDA_CPU_SIMD_H
#define CUDA_CPU_SIMD_H

#include <cstdint>
#include <limits>

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

template <class T>
int clamped(int x) {
  constexpr int low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  return x < low ? low : x > high ? high : x;
}
template <class T>
unsigned absolute_differences(unsigned a, unsigned b) {
  unsigned sum = 0;
  each_part<T>(a, b, [&](int x, int y) {
    sum += static_cast<unsigned>(x > y ? x - y : y - x);
    return 0;
  });
  return sum;
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
// Of the same bits for signed and unsigned values.
#define CUDA_CPU_SIMD_ANY(name, expression)       \
  CUDA_CPU_SIMD(name##4, std::int8_t, expression) \
  CUDA_CPU_SIMD(name##2, std::int16_t, expression)
#define CUDA_CPU_SIMD_SATURATED(name, s, T4, T2, expression)                 \
  CUDA_CPU_SIMD(name##s##4, std::T4, cuda_cpu::clamped<std::T4>(expression)) \
  CUDA_CPU_SIMD(name##s##2, std::T2, cuda_cpu::clamped<std::T2>(expression))
CUDA_CPU_SIMD_ANY(__vadd, x + y)
CUDA_CPU_SIMD_ANY(__vsub, x - y)
CUDA_CPU_SIMD_ANY(__vcmpeq, x == y ? -1 : 0)
CUDA_CPU_SIMD_ANY(__vcmpne, x != y ? -1 : 0)
CUDA_CPU_SIMD_ANY(__vseteq, x == y)
CUDA_CPU_SIMD_ANY(__vsetne, x != y)
CUDA_CPU_SIMD_SATURATED(__vadd, us, uint8_t, uint16_t, x + y)
CUDA_CPU_SIMD_SATURATED(__vsub, us, uint8_t, uint16_t, x - y)
CUDA_CPU_SIMD_SATURATED(__vadd, ss, int8_t, int16_t, x + y)
CUDA_CPU_SIMD_SATURATED(__vsub, ss, int8_t, int16_t, x - y)
CUDA_CPU_SIMD_BOTH(__vavg, (x + y + (x + y >= 0)) >> 1)  // halves away from 0
CUDA_CPU_SIMD(__vhaddu4, std::uint8_t, (x + y) / 2)
CUDA_CPU_SIMD(__vhaddu2, std::uint16_t, (x + y) / 2)
CUDA_CPU_SIMD_BOTH(__vmax, x > y ? x : y)
CUDA_CPU_SIMD_BOTH(__vmin, x < y ? x : y)
CUDA_CPU_SIMD_BOTH(__vabsdiff, x > y ? x - y : y - x)
CUDA_CPU_SIMD_BOTH(__vcmpgt, x > y ? -1 : 0)
CUDA_CPU_SIMD_BOTH(__vcmpge, x >= y ? -1 : 0)
CUDA_CPU_SIMD_BOTH(__vcmplt, x < y ? -1 : 0)
CUDA_CPU_SIMD_BOTH(__vcmple, x <= y ? -1 : 0)
CUDA_CPU_SIMD_BOTH(__vsetgt, x > y)
CUDA_CPU_SIMD_BOTH(__vsetge, x >= y)
CUDA_CPU_SIMD_BOTH(__vsetlt, x < y)
CUDA_CPU_SIMD_BOTH(__vsetle, x <= y)
#undef CUDA_CPU_SIMD_SATURATED
#undef CUDA_CPU_SIMD_ANY
#undef CUDA_CPU_SIMD_BOTH
#undef CUDA_CPU_SIMD

inline unsigned int __vneg4(unsigned int a) { return __vsub4(0, a); }
inline unsigned int __vneg2(unsigned int a) { return __vsub2(0, a); }
inline unsigned int __vnegss4(unsigned int a) { return __vsubss4(0, a); }
inline unsigned int __vnegss2(unsigned int a) { return __vsubss2(0, a); }
inline unsigned int __vabs4(unsigned int a) { return __vabsdiffs4(a, 0); }
inline unsigned int __vabs2(unsigned int a) { return __vabsdiffs2(a, 0); }
inline unsigned int __vabsss4(unsigned int a) { return __vmaxs4(a, __vnegss4(a)); }
inline unsigned int __vabsss2(unsigned int a) { return __vmaxs2(a, __vnegss2(a)); }

// Sums of absolute differences.
inline unsigned int __vsadu4(unsigned int a, unsigned int b) {
  return cuda_cpu::absolute_differences<std::uint8_t>(a, b);
}
inline unsigned int __vsadu2(unsigned int a, unsigned int b) {
  return cuda_cpu::absolute_differences<std::uint16_t>(a, b);
}
inline unsigned int __vsads4(unsigned int a, unsigned int b) {
  return cuda_cpu::absolute_differences<std::int8_t>(a, b);
}
inline unsigned int __vsads2(unsigned int a, unsigned int b) {
  return cuda_cpu::absolute_differences<std::int16_t>(a, b);
}

#endif
