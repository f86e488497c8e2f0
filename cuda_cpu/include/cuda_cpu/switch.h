// Switching stacks without a call, at the place in the kernel where a thread waits.
//
// The processor predicts where a `ret` goes from a separate stack of calls, which a switch does
// not exchange. Threads of a block call the same functions in the same order. So the prediction
// holds for the thread that goes on, unless the switch itself is a call that does not return, or
// returns elsewhere.
#ifndef CUDA_CPU_SWITCH_H
#define CUDA_CPU_SWITCH_H

#include <cstdint>

// The rewriter takes asm for PTX, except in system headers.
#pragma GCC system_header

// Without optimisation debuggers find the frames of a waiting thread; Clang may need registers that
// are exchanged here; AddressSanitizer has to be told of a switch.
#if defined(__x86_64__) && defined(__OPTIMIZE__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(CUDA_CPU_CHECK)
#define CUDA_CPU_SWITCH_INLINE 1
#else
#define CUDA_CPU_SWITCH_INLINE 0
#endif

// Without optimisation a debugger hides the frame of such a function.
#ifdef __OPTIMIZE__
#define CUDA_CPU_HOT [[gnu::always_inline]] inline
#else
#define CUDA_CPU_HOT inline
#endif

namespace cuda_cpu {

// The stack that runs next, suspended by switch_here() or by switch_stacks() (src/launch/fiber.h),
// and what the call that suspended it returns. A null stack: the running thread goes on.
struct Target {
  void *stack;
  std::uint64_t value;
};

struct Thread;

// A fiber that runs threads (src/launch/fiber.h).
struct WorkerBase {
  void *stack = nullptr;  // while it is spare
  // The thread that has begun on it and not ended; not kept while a block has no `collective`. A
  // tick (src/launch/preempt.h) knows by it whether `current` is the thread that runs.
  const Thread *thread = nullptr;
};

#if CUDA_CPU_SWITCH_INLINE
#ifdef __AVX512F__
#define CUDA_CPU_MORE_VECTORS                                                                   \
  , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",   \
      "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6", \
      "k7"
#else
#define CUDA_CPU_MORE_VECTORS
#endif

// Suspends the running stack, stored in *from, and goes on with the target. A suspended stack
// holds six registers, of which those saved here are not used, and where it goes on. The compiler
// saves what it needs of the registers named below, and cannot save rbp; below the stack pointer
// lie up to 128 bytes of a function without calls.
[[gnu::always_inline]] inline void switch_here(void **from, Target target) {
  asm volatile(
      "leaq -128(%%rsp), %%rsp\n\t"
      "pushq %%rbp\n\t"
      "leaq 1f(%%rip), %%rcx\n\t"
      "pushq %%rcx\n\t"
      "leaq -48(%%rsp), %%rsp\n\t"
      "movq %%rsp, (%[from])\n\t"
      "movq %[to], %%rsp\n\t"
      "popq %%r15\n\t"
      "popq %%r14\n\t"
      "popq %%r13\n\t"
      "popq %%r12\n\t"
      "popq %%rbx\n\t"
      "popq %%rbp\n\t"
      "popq %%rcx\n\t"
      "jmp *%%rcx\n"
      "1:\n\t"
      "popq %%rbp\n\t"
      "leaq 128(%%rsp), %%rsp"
      : [from] "+D"(from), [to] "+S"(target.stack), "+a"(target.value)
      :
      : "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc",
        "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)", "xmm0", "xmm1", "xmm2",
        "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",
        "xmm14", "xmm15" CUDA_CPU_MORE_VECTORS);
}
#undef CUDA_CPU_MORE_VECTORS
#endif

}  // namespace cuda_cpu
#endif
