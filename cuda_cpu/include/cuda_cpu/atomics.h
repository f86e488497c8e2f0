// Atomic operations and fences.
#ifndef CUDA_CPU_ATOMICS_H
#define CUDA_CPU_ATOMICS_H

#include <cstdint>
#include <cstring>
#include <type_traits>

#include <cuda_cpu/bits.h>

namespace cuda_cpu {

// The first value that a loop of compare and swap tries. COUNT builds do not see this load: on a
// GPU the whole loop is one instruction.
template <class Bits>
#ifdef __SANITIZE_THREAD__
[[gnu::noinline, gnu::no_sanitize_thread]]
#else
[[gnu::always_inline]] inline
#endif
Bits first_guess(const Bits *bits) {
  return __atomic_load_n(bits, __ATOMIC_RELAXED);
}

// A read-modify-write by compare and swap, for operations without a processor instruction.
template <class T, class F>
CUDA_CPU_INLINE T atomic_update(T *address, F change) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  Bits *const bits = reinterpret_cast<Bits *>(address);
  Bits seen = first_guess(bits);
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

// Relaxed, as in CUDA. The same types as there, so that a program which builds here also builds
// with nvcc: long long has no sum and no exchange.

#define CUDA_CPU_BITWISE(T)                                                                     \
  CUDA_CPU_INLINE T atomicAnd(T *a, T v) { return __atomic_fetch_and(a, v, __ATOMIC_RELAXED); } \
  CUDA_CPU_INLINE T atomicOr(T *a, T v) { return __atomic_fetch_or(a, v, __ATOMIC_RELAXED); }   \
  CUDA_CPU_INLINE T atomicXor(T *a, T v) { return __atomic_fetch_xor(a, v, __ATOMIC_RELAXED); } \
  CUDA_CPU_INLINE T atomicMin(T *a, T v) {                                                      \
    return cuda_cpu::atomic_update(a, [v](T old) { return old < v ? old : v; });                \
  }                                                                                             \
  CUDA_CPU_INLINE T atomicMax(T *a, T v) {                                                      \
    return cuda_cpu::atomic_update(a, [v](T old) { return old > v ? old : v; });                \
  }
#define CUDA_CPU_EXCHANGES(T)                                                                     \
  CUDA_CPU_INLINE T atomicAdd(T *a, T v) { return __atomic_fetch_add(a, v, __ATOMIC_RELAXED); }   \
  CUDA_CPU_INLINE T atomicExch(T *a, T v) { return __atomic_exchange_n(a, v, __ATOMIC_RELAXED); } \
  CUDA_CPU_INLINE T atomicCAS(T *a, T compare, T v) {                                             \
    __atomic_compare_exchange_n(a, &compare, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);       \
    return compare;                                                                               \
  }
#define CUDA_CPU_DIFFERENCE(T) \
  CUDA_CPU_INLINE T atomicSub(T *a, T v) { return __atomic_fetch_sub(a, v, __ATOMIC_RELAXED); }
CUDA_CPU_BITWISE(int)
CUDA_CPU_BITWISE(unsigned int)
CUDA_CPU_BITWISE(long long)
CUDA_CPU_BITWISE(unsigned long long)
CUDA_CPU_EXCHANGES(int)
CUDA_CPU_EXCHANGES(unsigned int)
CUDA_CPU_EXCHANGES(unsigned long long)
CUDA_CPU_DIFFERENCE(int)
CUDA_CPU_DIFFERENCE(unsigned int)
#undef CUDA_CPU_BITWISE
#undef CUDA_CPU_EXCHANGES
#undef CUDA_CPU_DIFFERENCE

CUDA_CPU_INLINE float atomicAdd(float *a, float v) {
  return cuda_cpu::atomic_update(a, [v](float old) { return old + v; });
}
CUDA_CPU_INLINE double atomicAdd(double *a, double v) {
  return cuda_cpu::atomic_update(a, [v](double old) { return old + v; });
}
CUDA_CPU_INLINE float atomicExch(float *a, float v) {
  return cuda_cpu::atomic_update(a, [v](float) { return v; });
}
CUDA_CPU_INLINE unsigned int atomicInc(unsigned int *a, unsigned int limit) {
  return cuda_cpu::atomic_update(a, [limit](unsigned int x) { return x >= limit ? 0 : x + 1; });
}
CUDA_CPU_INLINE unsigned int atomicDec(unsigned int *a, unsigned int limit) {
  return cuda_cpu::atomic_update(
      a, [limit](unsigned int x) { return x == 0 || x > limit ? limit : x - 1; });
}

CUDA_CPU_INLINE unsigned short atomicCAS(unsigned short *a, unsigned short compare,
                                         unsigned short v) {
  __atomic_compare_exchange_n(a, &compare, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return compare;
}
// Scopes: whatever is atomic for the device is atomic for a block and for the host too.
#define CUDA_CPU_SCOPED(name)                          \
  template <class... A>                                \
  CUDA_CPU_INLINE auto name##_block(A... arguments) {  \
    return name(arguments...);                         \
  }                                                    \
  template <class... A>                                \
  CUDA_CPU_INLINE auto name##_system(A... arguments) { \
    return name(arguments...);                         \
  }
CUDA_CPU_SCOPED(atomicAdd)
CUDA_CPU_SCOPED(atomicSub)
CUDA_CPU_SCOPED(atomicAnd)
CUDA_CPU_SCOPED(atomicOr)
CUDA_CPU_SCOPED(atomicXor)
CUDA_CPU_SCOPED(atomicExch)
CUDA_CPU_SCOPED(atomicCAS)
CUDA_CPU_SCOPED(atomicMin)
CUDA_CPU_SCOPED(atomicMax)
CUDA_CPU_SCOPED(atomicInc)
CUDA_CPU_SCOPED(atomicDec)
#undef CUDA_CPU_SCOPED

CUDA_CPU_INLINE void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
// Weaker, which is enough: a block stays on one thread of the system. CHECK builds tell it by this.
CUDA_CPU_INLINE void __threadfence_block() { __atomic_thread_fence(__ATOMIC_ACQ_REL); }
CUDA_CPU_INLINE void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

#endif
