// What kernels call: warp collectives by type, atomics, bit operations, fences, cached loads.
#ifndef CUDA_CPU_INTRINSICS_H
#define CUDA_CPU_INTRINSICS_H

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "cuda_cpu/exec.h"
#include "cuda_cpu/vectors.h"
#include "cuda_cpu/warp.h"

namespace cuda_cpu {

// Values of up to 64 bits travel through the collectives as bits.
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

inline void sync_warp(const Site *site, unsigned mask = 0xffffffffu) {
  warp_collective(kSyncWarp, site, mask, 0, 0);
}
template <class T>
T shuffle(int operation, const Site *site, unsigned mask, T value, int lane_or_distance,
          int width = 32) {
  // Distances beyond the segment leave the value where it is; 5 bits would wrap them.
  if ((operation == kShuffleUp || operation == kShuffleDown) && lane_or_distance >= 32)
    lane_or_distance = 0;
  return from_bits<T>(warp_collective(operation, site, mask, to_bits(value),
                                      shuffle_argument(lane_or_distance, width)));
}
inline unsigned vote(int operation, const Site *site, unsigned mask, bool predicate) {
  return static_cast<unsigned>(warp_collective(operation, site, mask, predicate, 0));
}
template <class T>
unsigned match(int operation, const Site *site, unsigned mask, T value, int *all_equal) {
  const unsigned lanes =
      static_cast<unsigned>(warp_collective(operation, site, mask, to_bits(value), 0));
  if (all_equal != nullptr) *all_equal = lanes != 0;
  return lanes;
}
// Overloads, as in CUDA, so that smaller types are promoted to int.
inline unsigned reduce(int if_unsigned, int, const Site *site, unsigned mask, unsigned value) {
  return static_cast<unsigned>(warp_collective(if_unsigned, site, mask, value, 0));
}
inline int reduce(int, int if_signed, const Site *site, unsigned mask, int value) {
  return from_bits<int>(warp_collective(if_signed, site, mask, to_bits(value), 0));
}

// A read-modify-write by compare and swap, for what the processor has no instruction for.
template <class T, class F>
T atomic_update(T *address, F change) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  Bits *const bits = reinterpret_cast<Bits *>(address);
  Bits seen = __atomic_load_n(bits, __ATOMIC_RELAXED);
  for (;;) {
    T old_value;
    std::memcpy(&old_value, &seen, sizeof old_value);
    const T new_value = change(old_value);
    Bits wanted;
    std::memcpy(&wanted, &new_value, sizeof wanted);
    if (__atomic_compare_exchange_n(bits, &seen, wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return old_value;
  }
}

}  // namespace cuda_cpu

// ---- atomics: relaxed, as CUDA's are; on 32 and 64 bits

#define CUDA_CPU_ATOMICS(T)                                                                 \
  inline T atomicAdd(T *a, T v) { return __atomic_fetch_add(a, v, __ATOMIC_RELAXED); }      \
  inline T atomicSub(T *a, T v) { return __atomic_fetch_sub(a, v, __ATOMIC_RELAXED); }      \
  inline T atomicAnd(T *a, T v) { return __atomic_fetch_and(a, v, __ATOMIC_RELAXED); }      \
  inline T atomicOr(T *a, T v) { return __atomic_fetch_or(a, v, __ATOMIC_RELAXED); }        \
  inline T atomicXor(T *a, T v) { return __atomic_fetch_xor(a, v, __ATOMIC_RELAXED); }      \
  inline T atomicExch(T *a, T v) { return __atomic_exchange_n(a, v, __ATOMIC_RELAXED); }    \
  inline T atomicCAS(T *a, T compare, T v) {                                                \
    __atomic_compare_exchange_n(a, &compare, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
    return compare;                                                                         \
  }                                                                                         \
  inline T atomicMin(T *a, T v) {                                                           \
    return cuda_cpu::atomic_update(a, [v](T old) { return old < v ? old : v; });            \
  }                                                                                         \
  inline T atomicMax(T *a, T v) {                                                           \
    return cuda_cpu::atomic_update(a, [v](T old) { return old > v ? old : v; });            \
  }
CUDA_CPU_ATOMICS(int)
CUDA_CPU_ATOMICS(unsigned int)
CUDA_CPU_ATOMICS(long long)
CUDA_CPU_ATOMICS(unsigned long long)
#undef CUDA_CPU_ATOMICS

inline float atomicAdd(float *a, float v) {
  return cuda_cpu::atomic_update(a, [v](float old) { return old + v; });
}
inline double atomicAdd(double *a, double v) {
  return cuda_cpu::atomic_update(a, [v](double old) { return old + v; });
}
inline float atomicExch(float *a, float v) {
  return cuda_cpu::atomic_update(a, [v](float) { return v; });
}
inline unsigned int atomicInc(unsigned int *a, unsigned int limit) {
  return cuda_cpu::atomic_update(a, [limit](unsigned int x) { return x >= limit ? 0 : x + 1; });
}
inline unsigned int atomicDec(unsigned int *a, unsigned int limit) {
  return cuda_cpu::atomic_update(
      a, [limit](unsigned int x) { return x == 0 || x > limit ? limit : x - 1; });
}

inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

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

// ---- loads and stores with a cache hint: the hint has no meaning here

#define CUDA_CPU_LOAD(name)  \
  template <class T>         \
  T name(const T *address) { \
    return *address;         \
  }
CUDA_CPU_LOAD(__ldg)
CUDA_CPU_LOAD(__ldca)
CUDA_CPU_LOAD(__ldcg)
CUDA_CPU_LOAD(__ldcs)
CUDA_CPU_LOAD(__ldlu)
#undef CUDA_CPU_LOAD
#define CUDA_CPU_STORE(name)       \
  template <class T, class V>      \
  void name(T *address, V value) { \
    *address = value;              \
  }
CUDA_CPU_STORE(__stcg)
CUDA_CPU_STORE(__stcs)
CUDA_CPU_STORE(__stwb)
CUDA_CPU_STORE(__stwt)
#undef CUDA_CPU_STORE

// ---- min and max, which CUDA has without std::

#define CUDA_CPU_MIN_MAX(T, A, B)                                                         \
  inline T min(A a, B b) {                                                                \
    return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a); \
  }                                                                                       \
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
