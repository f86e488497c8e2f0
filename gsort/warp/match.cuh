// The lanes of a warp whose digits are equal.
#ifndef GSORT_WARP_MATCH_CUH
#define GSORT_WARP_MATCH_CUH

#include "gsort/warp/instructions.cuh"
#include "gsort/warp/scan.cuh"

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

// The lanes of `among` whose value equals the caller's in its `bits` lowest bits: a vote for each
// bit. All lanes of the warp call it.
//
//   lane           0  1  2  3
//   value         01 11 01 00
//   votes, bit 0   1  1  1  0
//   votes, bit 1   0  1  0  0
//   match of lane 0: voted 1 for bit 0 and 0 for bit 1, lanes 0 and 2
static __device__ __forceinline__ unsigned int warp_match(unsigned int value, int bits,
                                                          unsigned int among = 0xffffffffu) {
  for (int bit = 0; bit < bits; bit++) {
    const bool set = (value >> bit & 1u) != 0;
    const unsigned int votes = __ballot_sync(0xffffffffu, set);
    among &= set ? votes : ~votes;
  }
  return among;
}

// How many items of the warp with the caller's digit come before the caller's: those of earlier
// rows, which are counted, and those of lanes below. Counts the row. masks: a word for each digit,
// of this warp alone, 0 between rows. All lanes of the warp call it. A third of the instructions
// that votes for eight bits take.
template <class Count>
static __device__ __forceinline__ unsigned int rank_in_row(unsigned int *masks, Count *counts,
                                                           unsigned int digit, bool exists) {
  const unsigned int lane = 1u << threadIdx.x % WARP_SIZE;
  if (exists) atomicOr(&masks[digit], lane);
  __syncwarp();
  const unsigned int lanes = masks[digit], counted = counts[digit],
                     before = (unsigned int)__popc((int)(lanes & (lane - 1)));
  __syncwarp();
  if (exists && before == 0) {
    counts[digit] = (Count)(counted + (unsigned int)__popc((int)lanes));
    masks[digit] = 0;
  }
  __syncwarp();
  return counted + before;
}

#endif
