// libcu++'s cuda::atomic, cuda::atomic_ref and cuda::std::atomic (libcu++ documentation, "Extended
// API", "Synchronization primitives"): types of 1, 2, 4 or 8 bytes.
//
// Atomic operations of device scope are atomic for a block and for the host too, so scopes change
// only what CHECK builds learn: order within a block comes from fences of the block around relaxed
// operations. A loop that spins on load(), exchange() or compare_exchange() lets other threads run.
#ifndef CUDA_CPU_SCOPED_ATOMICS_H
#define CUDA_CPU_SCOPED_ATOMICS_H

#include <cuda_runtime.h>

#include <atomic>
#include <cstddef>
#include <type_traits>

namespace cuda {

// In here `std` is cuda::std; C++'s is ::std.
namespace memory_orders {
using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;
}  // namespace memory_orders
using namespace memory_orders;
namespace std {
using namespace memory_orders;
}

enum thread_scope {
  thread_scope_system = 0,
  thread_scope_device = 1,
  thread_scope_block = 2,
  thread_scope_thread = 3,
};

inline void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system) {
  if (order == memory_order_relaxed) return;
  if (scope >= thread_scope_block)
    __threadfence_block();
  else
    __threadfence();
}

namespace detail {

// Every 64th call lets other threads run, which a spinning one may be waiting for.
inline __thread unsigned calls;
inline void may_spin() {
  if (++calls % 64 != 0) return;
  const cuda_cpu::Site site = {"cuda::atomic", __FILE__, __LINE__};
  cuda_cpu::spin_yield(&site);
}

// A failed compare and swap only reads, so it cannot release.
constexpr int failure_order(memory_order order) {
  return order == memory_order_acq_rel   ? __ATOMIC_ACQUIRE
         : order == memory_order_release ? __ATOMIC_RELAXED
                                         : static_cast<int>(order);
}

constexpr bool acquires(memory_order order) {
  return order != memory_order_relaxed && order != memory_order_release;
}
constexpr bool releases(memory_order order) {
  return order == memory_order_release || order == memory_order_acq_rel ||
         order == memory_order_seq_cst;
}

// The operations on a T at the address that Self::address() returns.
template <class Self, class T, thread_scope Scope>
class atomic_calls {
  static constexpr bool kWithinBlock = Scope >= thread_scope_block;
  // Stands before an operation and returns its order; after() stands behind it.
  static int before(memory_order order) {
    if (!kWithinBlock) return static_cast<int>(order);
    if (releases(order)) __threadfence_block();
    return __ATOMIC_RELAXED;
  }
  static void after(memory_order order) {
    if (kWithinBlock && acquires(order)) __threadfence_block();
  }

  static_assert(::std::is_trivially_copyable_v<T> && sizeof(T) <= 8 &&
                    (sizeof(T) & (sizeof(T) - 1)) == 0,
                "cuda::atomic takes trivially copyable types of 1, 2, 4 or 8 bytes");
  T *at() const { return static_cast<const Self *>(this)->address(); }
  template <class F>
  T update(memory_order order, F change) const {
    T seen = load(memory_order_relaxed);
    while (!compare_exchange_weak(seen, change(seen), order, memory_order_relaxed)) {
    }
    return seen;
  }
  using Difference = ::std::conditional_t<::std::is_pointer_v<T>, ::std::ptrdiff_t, T>;

 public:
  using value_type = T;
  static constexpr bool is_always_lock_free = true;
  bool is_lock_free() const { return true; }

  T load(memory_order order = memory_order_seq_cst) const {
    may_spin();
    T value;
    __atomic_load(at(), &value, kWithinBlock ? __ATOMIC_RELAXED : static_cast<int>(order));
    after(order);
    return value;
  }
  void store(T value, memory_order order = memory_order_seq_cst) const {
    __atomic_store(at(), &value, before(order));
  }
  T exchange(T value, memory_order order = memory_order_seq_cst) const {
    may_spin();
    T old_value;
    __atomic_exchange(at(), &value, &old_value, before(order));
    after(order);
    return old_value;
  }
  bool compare_exchange_strong(T &expected, T value, memory_order success,
                               memory_order failure) const {
    may_spin();
    const int order = before(success);
    const bool done =
        __atomic_compare_exchange(at(), &expected, &value, false, order,
                                  kWithinBlock ? __ATOMIC_RELAXED : static_cast<int>(failure));
    after(done ? success : failure);
    return done;
  }
  bool compare_exchange_strong(T &expected, T value,
                               memory_order order = memory_order_seq_cst) const {
    return compare_exchange_strong(expected, value, order,
                                   static_cast<memory_order>(failure_order(order)));
  }
  bool compare_exchange_weak(T &expected, T value, memory_order success,
                             memory_order failure) const {
    return compare_exchange_strong(expected, value, success, failure);
  }
  bool compare_exchange_weak(T &expected, T value,
                             memory_order order = memory_order_seq_cst) const {
    return compare_exchange_strong(expected, value, order);
  }

#define CUDA_CPU_FETCH(name, V, changed)                                 \
  T fetch_##name(V v, memory_order order = memory_order_seq_cst) const { \
    return update(order, [v](T x) { return static_cast<T>(changed); });  \
  }
  CUDA_CPU_FETCH(add, Difference, x + v)
  CUDA_CPU_FETCH(sub, Difference, x - v)
  CUDA_CPU_FETCH(and, T, (x & v))
  CUDA_CPU_FETCH(or, T, (x | v))
  CUDA_CPU_FETCH(xor, T, (x ^ v))
  CUDA_CPU_FETCH(min, T, v < x ? v : x)
  CUDA_CPU_FETCH(max, T, x < v ? v : x)
#undef CUDA_CPU_FETCH

  // Until the value is another than `old_value`.
  void wait(T old_value, memory_order order = memory_order_seq_cst) const {
    while (load(order) == old_value) {
    }
  }
  void notify_one() const {}
  void notify_all() const {}

  operator T() const { return load(); }
  T operator++(int) const { return fetch_add(1); }
  T operator--(int) const { return fetch_sub(1); }
  T operator++() const { return static_cast<T>(fetch_add(1) + 1); }
  T operator--() const { return static_cast<T>(fetch_sub(1) - 1); }
  T operator+=(Difference v) const { return static_cast<T>(fetch_add(v) + v); }
  T operator-=(Difference v) const { return static_cast<T>(fetch_sub(v) - v); }
  T operator&=(T v) const { return static_cast<T>(fetch_and(v) & v); }
  T operator|=(T v) const { return static_cast<T>(fetch_or(v) | v); }
  T operator^=(T v) const { return static_cast<T>(fetch_xor(v) ^ v); }
};

}  // namespace detail

template <class T, thread_scope Scope = thread_scope_system>
class atomic : public detail::atomic_calls<atomic<T, Scope>, T, Scope> {
  friend detail::atomic_calls<atomic<T, Scope>, T, Scope>;
  alignas(sizeof(T)) mutable T value_;
  T *address() const { return &value_; }

 public:
  atomic() = default;  // without a value, as in shared memory
  constexpr atomic(T value) : value_(value) {}
  atomic(const atomic &) = delete;
  atomic &operator=(const atomic &) = delete;
  T operator=(T value) {
    this->store(value);
    return value;
  }
};

template <class T, thread_scope Scope = thread_scope_system>
class atomic_ref : public detail::atomic_calls<atomic_ref<T, Scope>, T, Scope> {
  friend detail::atomic_calls<atomic_ref<T, Scope>, T, Scope>;
  T *const address_;
  T *address() const { return address_; }

 public:
  static constexpr ::std::size_t required_alignment = sizeof(T);
  explicit atomic_ref(T &value) : address_(&value) {}
  atomic_ref(const atomic_ref &) = default;
  atomic_ref &operator=(const atomic_ref &) = delete;
  T operator=(T value) {
    this->store(value);
    return value;
  }
};

namespace std {
template <class T>
using atomic = ::cuda::atomic<T, thread_scope_system>;
template <class T>
using atomic_ref = ::cuda::atomic_ref<T, thread_scope_system>;
using ::cuda::atomic_thread_fence;
}  // namespace std

}  // namespace cuda
#endif
