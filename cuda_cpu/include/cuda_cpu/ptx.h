// Parts of the C++ that the rewriter makes of inline PTX (rewrite/ptx.c).
#ifndef CUDA_CPU_PTX_H
#define CUDA_CPU_PTX_H

#include <cstring>
#include <type_traits>

#include <cuda_cpu/warp.h>

// Functions, where CUDA's own names are macros: the rewriter runs behind the preprocessor.

namespace cuda_cpu {

inline unsigned ptx_active_mask(CUDA_CPU_CALLER) {
  const Site site = {"activemask", file, line};
  return active_mask(&site);
}
inline unsigned ptx_vote(int operation, unsigned mask, bool predicate, CUDA_CPU_CALLER) {
  const Site site = {"vote.sync", file, line};
  return vote(operation, &site, mask, predicate);
}
inline unsigned ptx_match(unsigned mask, unsigned value, CUDA_CPU_CALLER) {
  const Site site = {"match.any.sync", file, line};
  return match(kMatchAny, &site, mask, value, nullptr);
}
inline unsigned ptx_shuffle(int operation, unsigned mask, unsigned value, unsigned lane,
                            CUDA_CPU_CALLER) {
  const Site site = {"shfl.sync", file, line};
  return shuffle(operation, &site, mask, value, static_cast<int>(lane));
}

inline void ptx_barrier(CUDA_CPU_CALLER) {
  const Site site = {"bar.sync", file, line};
  block_barrier(&site);
}
inline void ptx_named_barrier(unsigned id, unsigned count, bool wait, CUDA_CPU_CALLER) {
  const Site site = {wait ? "bar.sync" : "bar.arrive", file, line};
  named_barrier(&site, id, count, wait);
}
inline void ptx_nanosleep(CUDA_CPU_CALLER) {
  const Site site = {"nanosleep", file, line};
  spin_yield(&site);
}

template <class T>
T ptx_load_acquire(const T *from) {
  return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}
template <class T>
void ptx_store_release(T *to, T value) {
  __atomic_store_n(to, value, __ATOMIC_RELEASE);
}

// The bits of a value as another type of the same size; other sizes are converted.
template <class T, class V>
T ptx_bits(V value) {
  if constexpr (sizeof(T) == sizeof(V)) {
    T result;
    std::memcpy(&result, &value, sizeof result);
    return result;
  } else {
    return static_cast<T>(value);
  }
}
template <class T, class V>
void ptx_set(T &to, V value) {
  to = ptx_bits<T>(value);
}

// [pointer + offset]; the pointer may be an integer.
template <class T>
void *ptx_address(T base, long offset) {
  return (char *)base + offset;
}

// Bit i of the table is the result for inputs that read as i, a first.
inline unsigned ptx_lop3(unsigned a, unsigned b, unsigned c, unsigned table) {
  unsigned result = 0;
  for (unsigned i = 0; i < 8; i++)
    if ((table >> i & 1u) != 0)
      result |= ((i & 4u) != 0 ? a : ~a) & ((i & 2u) != 0 ? b : ~b) & ((i & 1u) != 0 ? c : ~c);
  return result;
}

}  // namespace cuda_cpu
#endif
