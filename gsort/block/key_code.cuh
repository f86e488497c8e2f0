// Keys of 32 bits of any type as unsigned numbers of the same order, and back.
//
//   type                 code of x >= 0      of x < 0
//   unsigned             x                   -
//   signed               x ^ 2^31            x ^ 2^31
//   float                x ^ 2^31            ~x
//
// Descending: all bits inverted. Floats have two zeros, which count as equal, but are told apart by
// their code. So a sort that moves codes is right only if there is no -0.
#ifndef GSORT_BLOCK_KEY_CODE_CUH
#define GSORT_BLOCK_KEY_CODE_CUH

#include "gsort/call.h"

static constexpr unsigned int MINUS_ZERO = 1u << 31;

static __host__ __device__ __forceinline__ bool is_plain(KeyCode code) {
  return (code.flip | code.negative) == 0;
}

static __device__ __forceinline__ unsigned int encode(KeyCode code, unsigned int key) {
  return key ^ code.flip ^ ((unsigned int)((int)key >> 31) & code.negative);
}

static __device__ __forceinline__ unsigned int decode(KeyCode code, unsigned int number) {
  const unsigned int key = number ^ code.flip;
  return key ^ ((unsigned int)((int)key >> 31) & code.negative);
}

static __device__ __forceinline__ bool is_minus_zero(KeyCode code, unsigned int key) {
  return code.negative != 0 && key == MINUS_ZERO;
}

// The same as encode(), but -0 becomes +0: for sorts that move the keys themselves.
static __device__ __forceinline__ unsigned int order_of(KeyCode code, unsigned int key) {
  return encode(code, is_minus_zero(code, key) ? 0 : key);
}

// The items of a thread. All threads take the same branch. Returns whether some key is a -0; the
// padding of a tile does not count, if it is the largest number.
template <int kItems>
static __device__ __forceinline__ bool encode_all(KeyCode code, unsigned int (&key)[kItems]) {
  if (is_plain(code)) return false;
  bool minus_zero = false;
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    minus_zero |= is_minus_zero(code, key[u]);
    key[u] = encode(code, key[u]);
  }
  return minus_zero;
}

#endif
