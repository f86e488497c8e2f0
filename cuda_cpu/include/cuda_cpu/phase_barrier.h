// libcu++'s cuda::barrier and cuda::memcpy_async (libcu++ documentation, "Extended API").
//
// A copy is complete when memcpy_async() returns, so a missing wait does not show. A wait in a
// barrier of block scope that no thread can complete is reported (synccheck).
#ifndef CUDA_CPU_PHASE_BARRIER_H
#define CUDA_CPU_PHASE_BARRIER_H

#include <cuda_cpu/copy.h>
#include <cuda_cpu/scoped_atomics.h>

#include <cstdint>
#include <cstring>

namespace cuda_cpu {
// Waits until the phase in the upper half of *state differs from `phase`; implemented in
// barrier.cpp. `within_block`: only threads of this block can change it.
void phase_wait(const Site *site, const std::uint64_t *state, std::uint32_t phase,
                bool within_block);
// CHECK builds keep what the arrivals of `phase` have published, for those who wait for it.
void phase_completed(const std::uint64_t *state, std::uint32_t phase);
}  // namespace cuda_cpu

namespace cuda {

namespace detail {
struct no_completion {
  void operator()() const {}
};
}  // namespace detail

template <thread_scope Scope, class Completion = detail::no_completion>
class barrier {
  mutable ::std::uint64_t state_;     // phase << 32 | threads that have not arrived
  mutable ::std::uint32_t expected_;  // in each phase
  Completion completion_;

  static ::std::uint32_t phase_of(::std::uint64_t state) {
    return static_cast<::std::uint32_t>(state >> 32);
  }

 public:
  class arrival_token {
    friend barrier;
    ::std::uint32_t phase;
  };

  barrier() = default;  // to be initialised by init()
  explicit barrier(::std::ptrdiff_t expected, Completion completion = Completion())
      : state_(static_cast<::std::uint32_t>(expected)),
        expected_(static_cast<::std::uint32_t>(expected)),
        completion_(completion) {}
  barrier(const barrier &) = delete;
  barrier &operator=(const barrier &) = delete;
  friend void init(barrier *self, ::std::ptrdiff_t expected, Completion completion = Completion()) {
    new (self) barrier(expected, completion);
  }
  static constexpr ::std::ptrdiff_t max() { return (1 << 20) - 1; }

  [[nodiscard]] arrival_token arrive(::std::ptrdiff_t count = 1) {
    const ::std::uint64_t before =
        __atomic_fetch_sub(&state_, static_cast<::std::uint64_t>(count), __ATOMIC_ACQ_REL);
    if (static_cast<::std::uint32_t>(before) == static_cast<::std::uint32_t>(count)) {
      completion_();
      const ::std::uint64_t next = static_cast<::std::uint64_t>(phase_of(before) + 1) << 32;
      __atomic_store_n(&state_, next | __atomic_load_n(&expected_, __ATOMIC_RELAXED),
                       __ATOMIC_RELEASE);
      if (kChecked) cuda_cpu::phase_completed(&state_, phase_of(before));
    }
    arrival_token token;
    token.phase = phase_of(before);
    return token;
  }
  void wait(arrival_token &&token, CUDA_CPU_CALLER) const {
    wait_for_phase(token.phase, "cuda::barrier::wait", file, line);
  }
  void arrive_and_wait(CUDA_CPU_CALLER) {
    const arrival_token token = arrive();
    wait_for_phase(token.phase, "cuda::barrier::arrive_and_wait", file, line);
  }
  // One thread less from the next phase on.
  void arrive_and_drop() {
    __atomic_fetch_sub(&expected_, 1u, __ATOMIC_RELAXED);
    (void)arrive();
  }
  bool try_wait(arrival_token &&token) const { return ready(token.phase); }
  // Waits for the phase with this parity to be complete.
  void wait_parity(bool parity, CUDA_CPU_CALLER) const {
    const ::std::uint32_t present = phase_of(__atomic_load_n(&state_, __ATOMIC_ACQUIRE));
    if ((present & 1u) == static_cast<::std::uint32_t>(parity))
      wait_for_phase(present, "cuda::barrier::wait_parity", file, line);
  }

  // For cuda::pipeline: until the phase differs from `phase`.
  void wait_for_phase(::std::uint32_t phase, const char *name, const char *file, int line) const {
    const cuda_cpu::Site site = {name, file, line};
    // CHECK builds learn of the order from phase_wait().
    if (kChecked || !ready(phase))
      cuda_cpu::phase_wait(&site, &state_, phase, Scope >= thread_scope_block);
  }

 private:
#ifdef __SANITIZE_THREAD__
  static constexpr bool kChecked = true;
#else
  static constexpr bool kChecked = false;
#endif
  bool ready(::std::uint32_t phase) const {
    return phase_of(__atomic_load_n(&state_, __ATOMIC_ACQUIRE)) != phase;
  }
};

// A number of bytes, and the alignment of both addresses.
template <::std::size_t Alignment>
struct aligned_size_t {
  static constexpr ::std::size_t align = Alignment;
  ::std::size_t value;
  explicit constexpr aligned_size_t(::std::size_t bytes) : value(bytes) {}
  constexpr operator ::std::size_t() const { return value; }
};

template <class Sync>
struct copy_completion;  // the type of memcpy_async()'s last argument
template <thread_scope Scope, class Completion>
struct copy_completion<barrier<Scope, Completion>> {};

// By one thread.
template <class Size, class Sync, class = decltype(copy_completion<Sync>())>
void memcpy_async(void *to, const void *from, Size bytes, Sync &) {
  ::std::memcpy(to, from, bytes);
}
// By all threads of a group, each its part.
template <class Group, class Size, class Sync, class = decltype(copy_completion<Sync>())>
void memcpy_async(const Group &group, void *to, const void *from, Size bytes, Sync &) {
  ::cuda_cpu::copy_by_group(group, to, from, bytes);
}

namespace std {
template <class Completion = detail::no_completion>
using barrier = ::cuda::barrier<thread_scope_system, Completion>;
}  // namespace std

}  // namespace cuda
#endif
