// Shared memory of the running block. The rewriter turns __shared__ declarations into these calls.
#ifndef CUDA_CPU_SHARED_H
#define CUDA_CPU_SHARED_H

#include <cstddef>
#include <type_traits>

namespace cuda_cpu {

// The dynamic part, of the size that the launch asked for. Ends the program outside kernels.
void *dynamic_shared(const char *name = nullptr, std::size_t element_bytes = 1);

// The static array that `key` identifies; all threads of a block get the same memory. Its bytes are
// kPoison when the block first asks for it. Ends the program outside kernels and beyond the limits.
void *static_shared(const void *key, std::size_t bytes, std::size_t alignment,
                    const char *name = nullptr, std::size_t element_bytes = 1);

// A __shared__ variable that is declared outside functions. As large as a T, so that sizeof is
// right; members of a struct cannot be named through it.
template <class T, const char *Name>
class SharedVariable {
 public:
  T &get() const {
    return *static_cast<T *>(static_shared(this, sizeof(T), alignof(SharedVariable), Name,
                                           sizeof(std::remove_all_extents_t<T>)));
  }
  operator T &() const { return get(); }
  T *operator&() const { return &get(); }
  template <class I>
  auto &operator[](I index) const {
    return get()[index];
  }
#define CUDA_CPU_ASSIGN(symbol)                        \
  template <class V>                                   \
  T &operator symbol(const V &value) const {           \
    return get() symbol static_cast<const V &>(value); \
  }
  CUDA_CPU_ASSIGN(=)
  CUDA_CPU_ASSIGN(+=)
  CUDA_CPU_ASSIGN(-=)
  CUDA_CPU_ASSIGN(*=)
  CUDA_CPU_ASSIGN(/=)
  CUDA_CPU_ASSIGN(%=)
  CUDA_CPU_ASSIGN(&=)
  CUDA_CPU_ASSIGN(|=)
  CUDA_CPU_ASSIGN(^=)
  CUDA_CPU_ASSIGN(<<=)
  CUDA_CPU_ASSIGN(>>=)
#undef CUDA_CPU_ASSIGN
  T &operator=(const SharedVariable &other) const { return get() = other.get(); }
  T &operator++() const { return ++get(); }
  T &operator--() const { return --get(); }
  auto operator++(int) const { return get()++; }
  auto operator--(int) const { return get()--; }

 private:
  alignas(T) char place_[sizeof(T)];  // only its size and its address are used
};

// The dynamic array, declared outside functions: a pointer to T.
template <class T, const char *Name>
class DynamicShared {
 public:
  operator T *() const { return static_cast<T *>(dynamic_shared(Name, sizeof(T))); }
};

}  // namespace cuda_cpu
#endif
