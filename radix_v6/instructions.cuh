// Small pieces of the hot loops that the compiler does not find by itself. What is in PTX has a
// twin for the cpu backend, which says what it does.
#ifndef RADIX_V6_INSTRUCTIONS_CUH
#define RADIX_V6_INSTRUCTIONS_CUH

#include <cuda_runtime.h>

// What costs time here is the pipe that does logic, shifts and ballots: it takes a warp's
// instruction every second cycle only. The multiply-add pipe beside it idles. So addresses are made
// by multiply-add, and the digit, a byte of the key, by one byte permutation.
static __device__ __forceinline__ unsigned int byte_of(unsigned int key, unsigned int byte) {
  return __byte_perm(key, 0, 0x4440u | byte);  // the three bytes above it come from the 0
}

// `word` with its byte `to` replaced by byte `from` of `source`.
static __device__ __forceinline__ unsigned int with_byte(unsigned int word, unsigned int to,
                                                         unsigned int source, unsigned int from) {
  return __byte_perm(word, source, (0x3210u & ~(0xfu << to * 4)) | (4u | from) << to * 4);
}

// The word `bytes` behind the first.
static __device__ __forceinline__ unsigned int *at_offset(unsigned int *words, unsigned int bytes) {
  return (unsigned int *)((char *)words + bytes);
}

// if (zero == 0) *address = value, in shared memory. As a predicated store: with a branch the
// compiler runs out of registers and spills.
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

// The lanes that agree with mine in one bit of `digit`.
static __device__ __forceinline__ unsigned int lanes_with_bit(unsigned int digit,
                                                              unsigned int bit) {
#ifdef __CUDA_ARCH__
  // From C the compiler makes more instructions of it: README.md, the log.
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

// a & b & c in one instruction, which the compiler does not always find.
static __device__ __forceinline__ unsigned int and3(unsigned int a, unsigned int b,
                                                    unsigned int c) {
#ifdef __CUDA_ARCH__
  asm("lop3.b32 %0, %0, %1, %2, 0x80;" : "+r"(a) : "r"(b), "r"(c));
  return a;
#else
  return a & b & c;
#endif
}

// The same number, but the compiler no longer knows that. Digits are taken from the keys three
// times; with a known byte it would take them once and keep them in registers that are needed for
// keys. And a multiplication by a 4 that it does not know stays one.
static __device__ __forceinline__ unsigned int forget(unsigned int value) {
  asm volatile("" : "+r"(value));
  return value;
}

// The same for an address: constant offsets to it then cost nothing, where the compiler might add
// them to a part of the sum that it is made of.
template <class T>
static __device__ __forceinline__ T *forget_address(T *address) {
#ifdef CUDA_CPU
  asm volatile("" : "+r"(address));
#else
  asm volatile("" : "+l"(address));
#endif
  return address;
}

// Keeps the compiler from moving memory accesses past this point. Left alone it would begin all
// loads of an unrolled loop before the first use, and run out of registers.
static __device__ __forceinline__ void keep_order(void) { asm volatile("" ::: "memory"); }

#endif
