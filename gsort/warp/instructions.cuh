// Operations of the hot loops that the compiler does not find by itself, one function each. Those
// in PTX have a C form for the cpu backend, which also documents them.
//
// On Hopper, logic, shifts, comparisons and ballots share one pipe of each scheduler, which takes
// an instruction every second cycle, and this pipe limits the sweeps. The multiply-add pipe beside
// it idles. Hence addresses by multiply-add and digits by byte permutation.
#ifndef GSORT_WARP_INSTRUCTIONS_CUH
#define GSORT_WARP_INSTRUCTIONS_CUH

#include <cuda_runtime.h>

// Byte 0 to 3 of `key`, zero-extended: one byte permutation instead of shift and mask.
static __device__ __forceinline__ unsigned int byte_of(unsigned int key, unsigned int byte) {
  return __byte_perm(key, 0, 0x4440u | byte);  // selector 4: a byte of the 0
}

// `value` with byte `to` replaced by byte `from` of `source`: one byte permutation.
static __device__ __forceinline__ unsigned int with_byte(unsigned int value, unsigned int to,
                                                         unsigned int source, unsigned int from) {
  return __byte_perm(value, source, (0x3210u & ~(0xfu << to * 4)) | (4u | from) << to * 4);
}

// &array[bytes / 4]. An index kept in bytes needs no shift at each use.
static __device__ __forceinline__ unsigned int *at_offset(unsigned int *array, unsigned int bytes) {
  return (unsigned int *)((char *)array + bytes);
}

// Asks for `bytes` bytes, a multiple of 16, to be in the L2 cache soon. Before Hopper, and of an
// address that is no multiple of 16, nothing happens.
static __device__ __forceinline__ void prefetch_to_l2(const void *from, unsigned int bytes) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if ((size_t)from % 16 != 0) return;
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(from)),
               "r"(bytes)
               : "memory");
#else
  (void)from, (void)bytes;
#endif
}

// Threads that write a run by copy_from_shared(): the copy engine needs one, but up to three
// elements are left of a run.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
static constexpr unsigned int LEAST_COPYING = 4;
#else
static constexpr unsigned int LEAST_COPYING = 32;
#endif

// Copies `bytes` bytes from shared to global memory; the size and both addresses are multiples of
// 16. Threads 0 to `threads` - 1 call it. From Hopper on, thread 0 leaves the work to the copy
// engine and goes on (PTX ISA, cp.async.bulk). So each thread of the block calls
// publish_to_copy_engine() between its last write to `from` and the barrier in front of the copy,
// and wait_for_copy_engine() before a barrier behind which `from` is written again.
static __device__ __forceinline__ void copy_from_shared(void *to, const void *from,
                                                        unsigned int bytes, unsigned int thread,
                                                        unsigned int threads) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if (thread != 0 || bytes == 0) return;
  asm volatile(
      "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
      "cp.async.bulk.commit_group;" ::"l"(__cvta_generic_to_global(to)),
      "r"((unsigned int)__cvta_generic_to_shared(from)), "r"(bytes)
      : "memory");
#else
  for (unsigned int i = thread; i < bytes / 16; i += threads)
    ((uint4 *)to)[i] = ((const uint4 *)from)[i];
#endif
}

static __device__ __forceinline__ void publish_to_copy_engine(void) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

static __device__ __forceinline__ void wait_for_copy_engine(void) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
}

// if (zero == 0) *address = value; address is in shared memory. A predicated store: a branch here
// makes the compiler spill registers.
static __device__ __forceinline__ void store_shared_if_zero(unsigned int zero,
                                                            unsigned int *address,
                                                            unsigned int value) {
#ifdef __CUDA_ARCH__
  asm volatile(
      "{ .reg .pred p;"
      "  setp.eq.u32 p, %2, 0;"
      "  @p st.shared.u32 [%0], %1; }" ::"r"((unsigned int)__cvta_generic_to_shared(address)),
      "r"(value), "r"(zero)
      : "memory");
#else
  if (zero == 0) *address = value;
#endif
}

// The lanes whose digit agrees with the caller's in the bits of the mask `bit`, a power of two.
// A test, a ballot and a predicated complement; the compiler makes more instructions of the C form.
static __device__ __forceinline__ unsigned int match_bit(unsigned int digit, unsigned int bit) {
#ifdef __CUDA_ARCH__
  unsigned int lanes;
  asm volatile(
      "{ .reg .pred set; .reg .u32 masked;"
      "  and.b32 masked, %1, %2;"
      "  setp.ne.u32 set, masked, 0;"
      "  vote.sync.ballot.b32 %0, set, 0xffffffff;"
      "  @!set not.b32 %0, %0; }"
      : "=r"(lanes)
      : "r"(digit), "r"(bit));
  return lanes;
#else
  const unsigned int votes = __ballot_sync(0xffffffffu, (digit & bit) != 0);
  return (digit & bit) != 0 ? votes : ~votes;
#endif
}

// a & b & c as one three-input instruction, which the compiler does not always find.
static __device__ __forceinline__ unsigned int and3(unsigned int a, unsigned int b,
                                                    unsigned int c) {
#ifdef __CUDA_ARCH__
  asm("lop3.b32 %0, %0, %1, %2, 0x80;" : "+r"(a) : "r"(b), "r"(c));
  return a;
#else
  return a & b & c;
#endif
}

// The same value, opaque to the optimiser. Digits are computed from the keys three times; if the
// compiler knew that they are the same, it would keep them in registers that the keys need. And a
// product by an opaque 4 stays a multiplication, which goes to the idle pipe.
static __device__ __forceinline__ unsigned int opaque(unsigned int value) {
  asm volatile("" : "+r"(value));
  return value;
}

// The same for an address: constant offsets to it then cost nothing, where the compiler might add
// them to a part of the sum that it is made of.
template <class T>
static __device__ __forceinline__ T *opaque_address(T *address) {
#ifdef CUDA_CPU
  asm volatile("" : "+r"(address));
#else
  asm volatile("" : "+l"(address));
#endif
  return address;
}

// A fence for the compiler only: memory accesses stay on their side of it. Without it all loads of
// an unrolled loop move ahead of the first use, and registers run out.
static __device__ __forceinline__ void compiler_fence(void) { asm volatile("" ::: "memory"); }

#endif
