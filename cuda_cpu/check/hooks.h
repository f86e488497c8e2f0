// What the hooks of -fsanitize=thread call.
#ifndef CUDA_CPU_CHECK_HOOKS_H
#define CUDA_CPU_CHECK_HOOKS_H

#include <cstddef>
#include <cstdint>

namespace cuda_cpu::check {

struct Kind {
  bool reads, writes, is_atomic, is_volatile;
};

// Called before the access. `pc` is the hook's return address.
void visit(std::uintptr_t address, std::size_t bytes, Kind kind, std::uintptr_t pc);
// As above, for the most frequent kinds of access.
void visit_read4(std::uintptr_t address, std::uintptr_t pc);
void visit_write4(std::uintptr_t address, std::uintptr_t pc);
void visit_volatile(std::uintptr_t address, std::size_t bytes, bool writes, std::uintptr_t pc);
// `order` is one of GCC's __ATOMIC_... .
void visit_atomic(std::uintptr_t address, std::size_t bytes, bool reads, bool writes, bool is_swap,
                  int order, std::uintptr_t pc);
void visit_fence(bool in_its_block_only);
// Besides: the address is no multiple of the type's alignment.
void visit_misaligned(std::uintptr_t address, std::size_t alignment, bool writes,
                      std::uintptr_t pc);

}  // namespace cuda_cpu::check
#endif
