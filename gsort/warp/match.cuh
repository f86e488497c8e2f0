// The lanes of a warp whose digits are equal.
#ifndef GSORT_WARP_MATCH_CUH
#define GSORT_WARP_MATCH_CUH

#include "gsort/warp/instructions.cuh"

// The lanes whose digit, of kBits bits, equals the caller's. On Hopper a ballot for each bit is
// faster than __match_any_sync; on the cpu backend it is slower.
template <int kBits>
static __device__ __forceinline__ unsigned int match_digit(unsigned int digit) {
#ifdef CUDA_CPU
  return __match_any_sync(0xffffffffu, digit);
#else
  static_assert(kBits <= 10, "bits of a digit");
  unsigned int lanes[10];
#pragma unroll
  for (int bit = 0; bit < 10; bit++)
    lanes[bit] = bit < kBits ? match_bit(digit, 1u << bit) : 0xffffffffu;
  const unsigned int of_nine =
      and3(and3(lanes[0], lanes[1], lanes[2]), and3(lanes[3], lanes[4], lanes[5]),
           and3(lanes[6], lanes[7], lanes[8]));
  return kBits > 9 ? of_nine & lanes[9] : of_nine;
#endif
}

#endif
