// The functions that GCC calls for every load and store in code compiled with -fsanitize=thread
// (gcc/sanitizer.def). ThreadSanitizer's own library is not linked.
#include <cuda_cpu/thread.h>

#include <cstdint>
#include <cstring>

#include "../src/diagnosis/check.h"
#include "../src/launch/preempt.h"
#include "access.h"

using namespace cuda_cpu::check;

namespace {

// threadIdx and its like, and the upper end of the thread's stack: more than half of all accesses,
// and of no interest. Device and shared memory are further away from either (shadow.cpp,
// src/diagnosis/check.h).
[[gnu::always_inline]] inline bool is_near(const void *address) {
  const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(address),
                       built_in = reinterpret_cast<std::uintptr_t>(&cuda_cpu::current),
                       stack = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return at - (built_in - 1024) < 2048 || at - stack < 8192;
}

// Called before the hooks of accesses whose type is known to be aligned. GCC calls the hooks of 16
// bytes for types with an alignment of 8, too.
[[gnu::always_inline]] inline void check_alignment(const volatile void *address, std::size_t bytes,
                                                   bool writes, std::uintptr_t pc) {
  const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(address);
  const std::size_t alignment = bytes < 8 ? bytes : 8;
  if (at % alignment != 0) visit_misaligned(at, alignment, writes, pc);
}

// On a GPU it takes accesses of `part` bytes.
void visit_range(const void *address, std::size_t bytes, bool writes, std::uintptr_t pc,
                 std::size_t part) {
  if (bytes == 0 || is_near(address)) return;
  if (!kCounts) part = bytes;
  for (std::size_t i = 0; i < bytes; i += part)
    visit(reinterpret_cast<std::uintptr_t>(address) + i, part, {!writes, writes, false, false}, pc);
}

// The widest access of a GPU that all these are multiples of.
std::size_t widest(std::uintptr_t all_bits) { return (all_bits | 16) & -(all_bits | 16); }
std::size_t widest(const void *to, const void *from, std::size_t bytes) {
  return widest(reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from) |
                bytes);
}

}  // namespace

#define CUDA_CPU_PC reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))
#define CUDA_CPU_HOOK(name, bytes, reads, writes)                                          \
  void __tsan_##name(const void *address) {                                                \
    if (is_near(address)) return;                                                          \
    check_alignment(address, bytes, writes, CUDA_CPU_PC);                                  \
    visit(reinterpret_cast<std::uintptr_t>(address), bytes, {reads, writes, false, false}, \
          CUDA_CPU_PC);                                                                    \
  }
#define CUDA_CPU_VOLATILE_HOOK(name, bytes, writes)                                        \
  void __tsan_##name(const void *address) {                                                \
    visit_volatile(reinterpret_cast<std::uintptr_t>(address), bytes, writes, CUDA_CPU_PC); \
    if (!(writes)) cuda_cpu::may_interrupt(CUDA_CPU_PC); /* not where `current` is set */  \
  }
#define CUDA_CPU_HOOKS(bytes)                                          \
  CUDA_CPU_HOOK(unaligned_read##bytes, bytes, true, false)             \
  CUDA_CPU_HOOK(unaligned_write##bytes, bytes, false, true)            \
  CUDA_CPU_VOLATILE_HOOK(volatile_read##bytes, bytes, false)           \
  CUDA_CPU_VOLATILE_HOOK(volatile_write##bytes, bytes, true)           \
  CUDA_CPU_VOLATILE_HOOK(unaligned_volatile_read##bytes, bytes, false) \
  CUDA_CPU_VOLATILE_HOOK(unaligned_volatile_write##bytes, bytes, true)
#define CUDA_CPU_ALIGNED_HOOKS(bytes)            \
  CUDA_CPU_HOOK(read##bytes, bytes, true, false) \
  CUDA_CPU_HOOK(write##bytes, bytes, false, true)

// T is a type, which takes no parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define CUDA_CPU_VISIT_ATOMIC(reads, writes, is_swap, order)                                       \
  check_alignment(address, sizeof *address, writes, CUDA_CPU_PC);                                  \
  visit_atomic(reinterpret_cast<std::uintptr_t>(address), sizeof *address, reads, writes, is_swap, \
               order, CUDA_CPU_PC);                                                                \
  cuda_cpu::may_interrupt(CUDA_CPU_PC)
#define CUDA_CPU_UPDATE_HOOK(T, bits, name, builtin)                        \
  T __tsan_atomic##bits##_##name(volatile T *address, T value, int order) { \
    CUDA_CPU_VISIT_ATOMIC(true, true, false, order);                        \
    return builtin(address, value, __ATOMIC_SEQ_CST);                       \
  }
// One that fails only reads.
#define CUDA_CPU_SWAP_HOOK(T, bits, name)                                                       \
  bool __tsan_atomic##bits##_compare_exchange_##name(volatile T *address, T *expected, T value, \
                                                     int success, int failure) {                \
    const bool writes = kCounts || __atomic_load_n(address, __ATOMIC_SEQ_CST) == *expected;     \
    CUDA_CPU_VISIT_ATOMIC(true, writes, true, writes ? success : failure);                      \
    return __atomic_compare_exchange_n(address, expected, value, false, __ATOMIC_SEQ_CST,       \
                                       __ATOMIC_SEQ_CST);                                       \
  }
#define CUDA_CPU_ATOMIC_HOOKS(T, bits)                                        \
  CUDA_CPU_UPDATE_HOOK(T, bits, exchange, __atomic_exchange_n)                \
  CUDA_CPU_UPDATE_HOOK(T, bits, fetch_add, __atomic_fetch_add)                \
  CUDA_CPU_UPDATE_HOOK(T, bits, fetch_sub, __atomic_fetch_sub)                \
  CUDA_CPU_UPDATE_HOOK(T, bits, fetch_and, __atomic_fetch_and)                \
  CUDA_CPU_UPDATE_HOOK(T, bits, fetch_or, __atomic_fetch_or)                  \
  CUDA_CPU_UPDATE_HOOK(T, bits, fetch_xor, __atomic_fetch_xor)                \
  CUDA_CPU_UPDATE_HOOK(T, bits, fetch_nand, __atomic_fetch_nand)              \
  T __tsan_atomic##bits##_load(const volatile T *address, int order) {        \
    CUDA_CPU_VISIT_ATOMIC(true, false, false, order);                         \
    return __atomic_load_n(address, __ATOMIC_SEQ_CST);                        \
  }                                                                           \
  void __tsan_atomic##bits##_store(volatile T *address, T value, int order) { \
    CUDA_CPU_VISIT_ATOMIC(false, true, false, order);                         \
    __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                       \
  }                                                                           \
  CUDA_CPU_SWAP_HOOK(T, bits, strong)                                         \
  CUDA_CPU_SWAP_HOOK(T, bits, weak)
// NOLINTEND(bugprone-macro-parentheses)

// clang-format off
extern "C" {

CUDA_CPU_HOOKS(1)
CUDA_CPU_HOOKS(2)
CUDA_CPU_HOOKS(4)
CUDA_CPU_HOOKS(8)
CUDA_CPU_HOOKS(16)
CUDA_CPU_ALIGNED_HOOKS(1)
CUDA_CPU_ALIGNED_HOOKS(2)
CUDA_CPU_ALIGNED_HOOKS(8)
CUDA_CPU_ALIGNED_HOOKS(16)
CUDA_CPU_ATOMIC_HOOKS(std::uint8_t, 8)
CUDA_CPU_ATOMIC_HOOKS(std::uint16_t, 16)
CUDA_CPU_ATOMIC_HOOKS(std::uint32_t, 32)
CUDA_CPU_ATOMIC_HOOKS(std::uint64_t, 64)
// clang-format on

void __tsan_read4(const void *address) {
  if (is_near(address)) return;
  visit_read4(reinterpret_cast<std::uintptr_t>(address), CUDA_CPU_PC);
}
void __tsan_write4(const void *address) {
  if (is_near(address)) return;
  visit_write4(reinterpret_cast<std::uintptr_t>(address), CUDA_CPU_PC);
}
// What calls of memcpy, memmove and memset become (../cuda_cpu.mk).
void *cuda_cpu_watched_memcpy(void *to, const void *from, std::size_t bytes) {
  visit_range(from, bytes, false, CUDA_CPU_PC, widest(to, from, bytes));
  visit_range(to, bytes, true, CUDA_CPU_PC, widest(to, from, bytes));
  return std::memcpy(to, from, bytes);
}
void *cuda_cpu_watched_memmove(void *to, const void *from, std::size_t bytes) {
  visit_range(from, bytes, false, CUDA_CPU_PC, widest(to, from, bytes));
  visit_range(to, bytes, true, CUDA_CPU_PC, widest(to, from, bytes));
  return std::memmove(to, from, bytes);
}
void *cuda_cpu_watched_memset(void *to, int value, std::size_t bytes) {
  visit_range(to, bytes, true, CUDA_CPU_PC, widest(to, nullptr, bytes));
  return std::memset(to, value, bytes);
}

// Structures that are less aligned than they are large: of words, halves or bytes.
void __tsan_read_range(const void *address, std::size_t bytes) {
  visit_range(address, bytes, false, CUDA_CPU_PC, widest(bytes | 4));
}
void __tsan_write_range(const void *address, std::size_t bytes) {
  visit_range(address, bytes, true, CUDA_CPU_PC, widest(bytes | 4));
}

// include/cuda_cpu/atomics.h: __threadfence_block() is a weaker fence than the others.
void __tsan_atomic_thread_fence(int order) { visit_fence(order != __ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) {}

// What -fsanitize=alignment calls before a misaligned access. It knows the alignment of structures,
// but of a member's access only that of the whole, which does not matter; the hooks above look at
// the member. The layout is that of libubsan.
struct UbsanTypeMismatch {
  const char *file;
  std::uint32_t line, column;
  const void *type;
  unsigned char log_alignment, kind;  // 0 load, 1 store; 2 and more only compute an address
};
void __ubsan_handle_type_mismatch_v1(const UbsanTypeMismatch *what, const void *address) {
  if (what->kind <= 1)
    visit_misaligned(reinterpret_cast<std::uintptr_t>(address),
                     std::size_t{1} << what->log_alignment, what->kind == 1, CUDA_CPU_PC);
}

void __tsan_init(void) {}
void __tsan_func_entry(const void *) {}
void __tsan_func_exit(void) {}
void __tsan_vptr_update(void **, void *) {}
void __tsan_vptr_read(void **) {}

}  // extern "C"
