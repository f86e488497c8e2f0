// Digits of the bits of wide keys that vary. Letters, decimal digits, or small numbers side by side
// leave some bits of every byte alike, so that sweeps over bytes are more than sweeps over the
// other bits:
//
//   four letters, the bits that vary   ...xxxxx ...xxxxx ...xxxxx ...xxxxx
//   the digit that each belongs to     ...33332 ...22222 ...22111 ...11111     3 digits, not 4
//
// A digit has at most 8 bits, of at most three runs of neighbours in four bytes.
#ifndef GSORT_BLOCK_VARYING_BITS_CUH
#define GSORT_BLOCK_VARYING_BITS_CUH

#include "gsort/block/findings.cuh"
#include "gsort/block/key_code.cuh"

template <int kRuns = DIGIT_RUNS>
static __device__ __forceinline__ unsigned int digit_of(const WideDigit &digit, Wide number) {
  const unsigned int four =
      __byte_perm((unsigned int)number, (unsigned int)(number >> 32), digit.bytes);
  unsigned int value = 0;
#pragma unroll
  for (int run = 0; run < kRuns; run++) value |= four >> digit.shift[run] & digit.mask[run];
  return value;
}

// WideDigit.bytes: four bytes, of which the first has bit `at`. The last byte may come repeatedly.
static __device__ __forceinline__ unsigned int bytes_from(unsigned int at) {
  unsigned int bytes = 0;
  for (unsigned int i = 0; i < 4; i++) bytes |= min(at / 8 + i, 7u) << 4 * i;
  return bytes;
}

// Digit number `pass` of the `bits` bits from begin_bit on. It has 8 bits; the last digit may have
// fewer.
static __device__ __forceinline__ WideDigit digit_of_bits(unsigned int begin_bit, unsigned int bits,
                                                          unsigned int pass) {
  const unsigned int at = begin_bit + pass * DIGIT_BITS;
  return {bytes_from(at), {at % 8}, {(1u << min(bits - pass * DIGIT_BITS, 8u)) - 1}};
}

// How many digits the bits in `varying` make. digit: [MAX_PASSES], receives the first ones; or
// NULL.
static __device__ unsigned int make_digits(Wide varying, WideDigit *digit) {
  constexpr unsigned int kMost = DIGIT_BITS;
  unsigned int digits = 0;
  do {
    WideDigit next = {};
    unsigned int bits = 0, begin = 0;  // the first one of the four bytes
    for (int run = 0; run < DIGIT_RUNS && varying != 0 && bits < kMost; run++) {
      const unsigned int at = (unsigned int)__ffsll((long long)varying) - 1,
                         behind = (unsigned int)__ffsll((long long)~(varying >> at));
      if (run == 0) {
        begin = at / 8 * 8;
        next.bytes = bytes_from(at);
      }
      if (at >= begin + 32) break;
      // Behind 64 bits `behind` is 0.
      const unsigned int length = min(min(behind - 1, kMost - bits), begin + 32 - at);
      next.shift[run] = at - begin - bits;
      next.mask[run] = ((1u << length) - 1) << bits;
      varying &= ~((((Wide)1 << length) - 1) << at);
      bits += length;
    }
    if (digit != NULL && digits < MAX_PASSES) digit[digits] = next;
    digits++;
  } while (varying != 0);
  return digits;
}

// The bits that some thread of a block has. All threads call it.
static __device__ __forceinline__ Wide or_of_block(Wide mine) {
  __shared__ unsigned int some[2];
  if (threadIdx.x < 2) some[threadIdx.x] = 0;
  __syncthreads();
  for (int lanes = WARP_SIZE / 2; lanes > 0; lanes /= 2)
    mine |= __shfl_xor_sync(0xffffffffu, mine, lanes);
  if (threadIdx.x % WARP_SIZE < 2) {
    const unsigned int half = threadIdx.x % WARP_SIZE;
    atomicOr(&some[half], (unsigned int)(mine >> 32 * half));
  }
  __syncthreads();
  return (Wide)some[1] << 32 | some[0];
}

// Up to how many digits of the bits that vary sweeps are better than splitters: `few`, or two less
// than the bytes from the first bit that varies to the last one, as no map spreads such keys. 0 if
// a sample has more digits. All threads of a block call it.
template <int kEach>
static __device__ unsigned int digits_for_sweeps(const Wide (&key)[kEach], unsigned int few) {
  __shared__ Wide first;
  if (threadIdx.x == 0) first = key[0];
  __syncthreads();
  Wide mine = 0;
#pragma unroll
  for (int u = 0; u < kEach; u++) mine |= key[u] ^ first;
  const Wide varying = or_of_block(mine);
  // Bits that are alike in front of all others, or behind them, do no harm.
  const int bits =
      varying == 0 ? 0 : 65 - __clzll((long long)varying) - __ffsll((long long)varying);
  const unsigned int bytes = (unsigned int)(bits + 7) / 8,
                     most = max(few, bytes > 2 ? bytes - 2 : 0u);
  // Mostly the first of two questions is enough.
  return (unsigned int)__popcll(varying) <= DIGIT_BITS * most && make_digits(varying, NULL) <= most
             ? most
             : 0;
}

#endif
