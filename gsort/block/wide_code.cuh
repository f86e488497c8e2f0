// Keys of 64 bits of any type as unsigned numbers of the same order, and back: as key_code.cuh.
#ifndef GSORT_BLOCK_WIDE_CODE_CUH
#define GSORT_BLOCK_WIDE_CODE_CUH

#include "gsort/call.h"

typedef unsigned long long Wide;

static constexpr Wide WIDE_MINUS_ZERO = 1ull << 63;

static __host__ __device__ __forceinline__ bool is_plain(WideCode code) {
  return (code.flip | code.negative) == 0;
}

static __device__ __forceinline__ Wide encode(WideCode code, Wide key) {
  return key ^ code.flip ^ ((Wide)((long long)key >> 63) & code.negative);
}

static __device__ __forceinline__ Wide decode(WideCode code, Wide number) {
  const Wide key = number ^ code.flip;
  return key ^ ((Wide)((long long)key >> 63) & code.negative);
}

// The same as encode(), but -0 becomes +0: for sorts that move the keys themselves.
static __device__ __forceinline__ Wide order_of(WideCode code, Wide key) {
  return encode(code, code.negative != 0 && key == WIDE_MINUS_ZERO ? 0 : key);
}

#endif
