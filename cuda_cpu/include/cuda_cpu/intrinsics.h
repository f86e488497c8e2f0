// Bit operations, clocks, registers of the running thread, loads and stores with a cache hint, min
// and max.
#ifndef CUDA_CPU_INTRINSICS_H
#define CUDA_CPU_INTRINSICS_H

#include <time.h>

#include <cuda_cpu/bits.h>
#include <cuda_cpu/thread.h>

// ---- bits

inline int __popc(unsigned int x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned long long __brevll(unsigned long long x) {
  unsigned long long reversed = 0;
  for (int i = 0; i < 64; i++) reversed |= (x >> i & 1ULL) << (63 - i);
  return reversed;
}
inline unsigned int __brev(unsigned int x) { return static_cast<unsigned int>(__brevll(x) >> 32); }
inline unsigned int __umulhi(unsigned int a, unsigned int b) {
  return static_cast<unsigned int>(static_cast<unsigned long long>(a) * b >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
// The upper or lower half of hi:lo shifted; "wrap" takes the distance modulo 32, "clamp" at 32.
inline unsigned int __funnelshift_l(unsigned int lo, unsigned int hi, unsigned int s) {
  const unsigned long long both = static_cast<unsigned long long>(hi) << 32 | lo;
  return static_cast<unsigned int>(both << (s & 31) >> 32);
}
inline unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int s) {
  const unsigned long long both = static_cast<unsigned long long>(hi) << 32 | lo;
  return static_cast<unsigned int>(both >> (s & 31));
}
inline unsigned int __funnelshift_lc(unsigned int lo, unsigned int hi, unsigned int s) {
  return s >= 32 ? lo : __funnelshift_l(lo, hi, s);
}
inline unsigned int __funnelshift_rc(unsigned int lo, unsigned int hi, unsigned int s) {
  return s >= 32 ? hi : __funnelshift_r(lo, hi, s);
}
// Picks four of the eight bytes of y:x; bit 3 of a selector replicates the byte's sign.
inline unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selectors) {
  const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
  unsigned int result = 0;
  for (int i = 0; i < 4; i++) {
    const unsigned int selector = selectors >> (4 * i) & 15u;
    unsigned int byte = static_cast<unsigned int>(bytes >> (8 * (selector & 7u))) & 255u;
    if ((selector & 8u) != 0) byte = (byte & 128u) != 0 ? 255u : 0u;
    result |= byte << (8 * i);
  }
  return result;
}
inline unsigned int __float_as_uint(float x) {
  return cuda_cpu::from_bits<unsigned>(cuda_cpu::to_bits(x));
}
inline int __float_as_int(float x) { return cuda_cpu::from_bits<int>(cuda_cpu::to_bits(x)); }
inline float __uint_as_float(unsigned int x) { return cuda_cpu::from_bits<float>(x); }
inline float __int_as_float(int x) { return cuda_cpu::from_bits<float>(cuda_cpu::to_bits(x)); }

// ---- clocks and registers

// In nanoseconds, whereas a GPU counts cycles.
inline long long clock64() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<long long>(now.tv_sec) * 1000000000 + now.tv_nsec;
}
// clock() in device code, as the rewriter writes it. C's own clock() counts microseconds.
namespace cuda_cpu {
inline clock_t device_clock() { return static_cast<clock_t>(clock64()); }
}  // namespace cuda_cpu
inline unsigned long long globaltimer() { return static_cast<unsigned long long>(clock64()); }

namespace cuda_cpu {

inline unsigned lane_id() { return current->number % 32; }
inline unsigned warp_id() { return current->number / 32; }
inline unsigned lanemask_eq() { return 1u << lane_id(); }
inline unsigned lanemask_lt() { return lanemask_eq() - 1; }
inline unsigned lanemask_le() { return lanemask_lt() | lanemask_eq(); }
inline unsigned lanemask_ge() { return ~lanemask_lt(); }
inline unsigned lanemask_gt() { return ~lanemask_le(); }
// A field of `count` bits from `first` on, and the same replaced.
inline unsigned bit_field(unsigned x, unsigned first, unsigned count) {
  first &= 255u;
  count &= 255u;
  if (first >= 32 || count == 0) return 0;
  return x >> first & (count >= 32 ? ~0u : (1u << count) - 1);
}
inline unsigned replace_bit_field(unsigned field, unsigned x, unsigned first, unsigned count) {
  first &= 255u;
  count &= 255u;
  if (first >= 32 || count == 0) return x;
  const unsigned mask = (count >= 32 ? ~0u : (1u << count) - 1) << first;
  return (x & ~mask) | (field << first & mask);
}

}  // namespace cuda_cpu

// ---- loads and stores with a cache hint: the hint has no meaning here

#define CUDA_CPU_LOAD(name)                  \
  template <class T>                         \
  CUDA_CPU_INLINE T name(const T *address) { \
    return *address;                         \
  }
CUDA_CPU_LOAD(__ldg)
CUDA_CPU_LOAD(__ldca)
CUDA_CPU_LOAD(__ldcg)
CUDA_CPU_LOAD(__ldcs)
CUDA_CPU_LOAD(__ldlu)
#undef CUDA_CPU_LOAD
#define CUDA_CPU_STORE(name)                       \
  template <class T, class V>                      \
  CUDA_CPU_INLINE void name(T *address, V value) { \
    *address = value;                              \
  }
CUDA_CPU_STORE(__stcg)
CUDA_CPU_STORE(__stcs)
CUDA_CPU_STORE(__stwb)
CUDA_CPU_STORE(__stwt)
#undef CUDA_CPU_STORE

// ---- min and max, which CUDA has without std::

// Templates, so that a program may have functions with the same parameters, as
// helper_math.h of cuda-samples does.
#define CUDA_CPU_MIN_MAX(T, A, B)                                                         \
  template <class = void>                                                                 \
  inline T min(A a, B b) {                                                                \
    return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a); \
  }                                                                                       \
  template <class = void>                                                                 \
  inline T max(A a, B b) {                                                                \
    return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a); \
  }
// Two types of one size, or float and double, may be mixed: the larger range wins.
#define CUDA_CPU_MIN_MAX_MIXED(T, S) \
  CUDA_CPU_MIN_MAX(T, T, T)          \
  CUDA_CPU_MIN_MAX(T, T, S)          \
  CUDA_CPU_MIN_MAX(T, S, T)          \
  CUDA_CPU_MIN_MAX(S, S, S)
CUDA_CPU_MIN_MAX_MIXED(unsigned int, int)
CUDA_CPU_MIN_MAX_MIXED(unsigned long, long)
CUDA_CPU_MIN_MAX_MIXED(unsigned long long, long long)
CUDA_CPU_MIN_MAX_MIXED(double, float)
#undef CUDA_CPU_MIN_MAX_MIXED
#undef CUDA_CPU_MIN_MAX

#endif
