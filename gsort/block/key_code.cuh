// Keys of any type as unsigned numbers of the same order, and back. Of 32 bits (b = 31), or of 64.
//
//   type                 code of x >= 0      of x < 0
//   unsigned             x                   -
//   signed               x ^ 2^b             x ^ 2^b
//   float                x ^ 2^b             ~x
//
// Descending: all bits inverted. Floats have two zeros, which count as equal, but are told apart by
// their code. So a sort that moves codes is right only if there is no -0.
#ifndef GSORT_BLOCK_KEY_CODE_CUH
#define GSORT_BLOCK_KEY_CODE_CUH

#include "gsort/call.h"

typedef unsigned long long Wide;
typedef char None;  // the value of a bare key
template <class Value>
static constexpr bool IS_NONE = sizeof(Value) == sizeof(None);

static constexpr Wide WIDE_MINUS_ZERO = 1ull << 63;

// All bits, if the first one is set.
static __device__ __forceinline__ unsigned int sign_mask(unsigned int key) {
  return (unsigned int)((int)key >> 31);
}
static __device__ __forceinline__ Wide sign_mask(Wide key) { return (Wide)((long long)key >> 63); }

// Code: KeyCode, or WideCode for a Wide.
template <class Code>
static __host__ __device__ __forceinline__ bool is_plain(Code code) {
  return (code.flip | code.negative) == 0;
}

template <class Code, typename Key>
static __device__ __forceinline__ Key encode(Code code, Key key) {
  return key ^ code.flip ^ (sign_mask(key) & code.negative);
}

template <class Code, typename Key>
static __device__ __forceinline__ Key decode(Code code, Key number) {
  const Key key = number ^ code.flip;
  return key ^ (sign_mask(key) & code.negative);
}

// A code that sweeps move: rotated to the right, so that their digits are bytes of it.
struct SweepCode : KeyCode {
  unsigned int right;
};

static __device__ __forceinline__ bool is_plain(SweepCode code) {
  return (code.flip | code.negative | code.right) == 0;
}

static __device__ __forceinline__ unsigned int encode(SweepCode code, unsigned int key) {
  const unsigned int number = encode((KeyCode)code, key);
  return __funnelshift_r(number, number, code.right);
}

static __device__ __forceinline__ unsigned int decode(SweepCode code, unsigned int number) {
  return decode((KeyCode)code, __funnelshift_l(number, number, code.right));
}

template <class Code, typename Key>
static __device__ __forceinline__ bool is_minus_zero(Code code, Key key) {
  return code.negative != 0 && key == (Key)1 << (8 * sizeof(Key) - 1);
}

// The same as encode(), but -0 becomes +0: for sorts that move the keys themselves.
template <class Code, typename Key>
static __device__ __forceinline__ Key order_of(Code code, Key key) {
  return encode(code, is_minus_zero(code, key) ? 0 : key);
}

// The bits of a wide key that count, as a number.
struct WideBits {
  WideCode code;
  int begin_bit;
  Wide mask;
  __device__ __forceinline__ Wide operator()(Wide key) const {
    return order_of(code, key) >> begin_bit & mask;
  }
};

// The items of a thread. All threads take the same branch. Returns whether some key is a -0; the
// padding of a tile does not count, if it is the largest number.
template <int kItems, class Code, typename Key>
static __device__ __forceinline__ bool encode_all(Code code, Key (&key)[kItems]) {
  if (is_plain(code)) return false;
  bool minus_zero = false;
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    minus_zero |= is_minus_zero(code, key[u]);
    key[u] = encode(code, key[u]);
  }
  return minus_zero;
}

// decode() for the items of a thread. All threads take the same branch.
template <int kItems, class Code, typename Key>
static __device__ __forceinline__ void decode_all(Code code, Key (&key)[kItems]) {
  if (is_plain(code)) return;
#pragma unroll
  for (int u = 0; u < kItems; u++) key[u] = decode(code, key[u]);
}

#endif
