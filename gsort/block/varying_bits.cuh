// Digits of the bits of wide keys that vary. Letters, decimal digits, or small numbers side by side
// leave some bits of every byte alike, so that sweeps over bytes are more than sweeps over the
// other bits:
//
//   four letters, the bits that vary   ...xxxxx ...xxxxx ...xxxxx ...xxxxx
//   the digit that each belongs to     ...33332 ...22222 ...22111 ...11111     3 digits, not 4
//
// A digit has at most 8 bits, of at most three runs of neighbours.
#ifndef GSORT_BLOCK_VARYING_BITS_CUH
#define GSORT_BLOCK_VARYING_BITS_CUH

#include "gsort/block/count.cuh"
#include "gsort/block/findings.cuh"
#include "gsort/block/index.cuh"
#include "gsort/block/key_code.cuh"

static __device__ __forceinline__ unsigned int digit_of(const WideDigit &digit, Wide number) {
  unsigned int value = 0;
#pragma unroll
  for (int run = 0; run < DIGIT_RUNS; run++)
    value |= (unsigned int)(number >> digit.shift[run]) & digit.mask[run];
  return value;
}

// Digit `pass` of all bits.
static __device__ __forceinline__ WideDigit byte_of_number(unsigned int pass) {
  return {{pass * DIGIT_BITS}, {BINS - 1}};
}

// How many digits the bits in `varying` make, and, if these are not too many, *varying_digits.
static __device__ unsigned int make_digits(Wide varying, VaryingDigits *varying_digits) {
  constexpr unsigned int kMost = DIGIT_BITS;
  unsigned int digits = 0;
  do {
    WideDigit digit = {};
    unsigned int bits = 0;
    for (int run = 0; run < DIGIT_RUNS && varying != 0 && bits < kMost; run++) {
      const unsigned int at = (unsigned int)__ffsll((long long)varying) - 1,
                         behind = (unsigned int)__ffsll((long long)~(varying >> at)),
                         length = min(behind - 1, kMost - bits);  // behind 64 bits: the latter
      digit.shift[run] = at - bits;
      digit.mask[run] = ((1u << length) - 1) << bits;
      varying &= ~((((Wide)1 << length) - 1) << at);
      bits += length;
    }
    if (varying_digits != NULL && digits < MAX_PASSES) varying_digits->digit[digits] = digit;
    digits++;
  } while (varying != 0);
  if (varying_digits != NULL && digits <= MAX_PASSES) varying_digits->count = digits;
  return digits;
}

// The bits in which the numbers of some keys of a block differ from `first`. All threads call it.
static __device__ __forceinline__ Wide or_of_block(Wide mine) {
  __shared__ unsigned int differ[2];
  if (threadIdx.x < 2) differ[threadIdx.x] = 0;
  __syncthreads();
  const unsigned int lower = warp_or((unsigned int)mine),
                     upper = warp_or((unsigned int)(mine >> 32));
  if (threadIdx.x % WARP_SIZE == 0) {
    atomicOr(&differ[0], lower);
    atomicOr(&differ[1], upper);
  }
  __syncthreads();
  return (Wide)differ[1] << 32 | differ[0];
}

// The most digits of bits that vary with which sweeps over them are better than splitters, if those
// of a sample are not more, or 0. Of whole numbers, so many less than bytes that no map spreads
// them; or `few`. All threads of a block call it.
template <int kEach>
static __device__ unsigned int digits_for_sweeps(const Wide (&key)[kEach], bool whole_numbers,
                                                 unsigned int few) {
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
                     most = max(few, whole_numbers && bytes > 2 ? bytes - 2 : 0u);
  // Mostly the first of two questions is enough.
  return (unsigned int)__popcll(varying) <= DIGIT_BITS * most && make_digits(varying, NULL) <= most
             ? most
             : 0;
}

// Finds the bits in which the numbers of all keys differ, and their digits if they are not more
// than findings->most_digits. All threads of the grid call it. True in the block that ends last.
static __device__ __forceinline__ bool find_varying_bits(const Wide *keys, size_t n, WideCode code,
                                                         Findings *findings) {
  const Wide first = order_of(code, keys[0]);
  const size_t step = (size_t)gridDim.x * blockDim.x;
  Wide mine = 0;
#pragma unroll 8
  for (size_t i = global_index(); i < n; i += step) mine |= order_of(code, keys[i]) ^ first;
  const Wide of_block = or_of_block(mine);
  unsigned int *const bits = findings->varying.bits;
  if (threadIdx.x < 2) atomicOr(&bits[threadIdx.x], (unsigned int)(of_block >> 32 * threadIdx.x));
  if (!is_last_block(&findings->arrived)) return false;
  const Wide varying = (Wide)__ldcg(&bits[1]) << 32 | __ldcg(&bits[0]);
  if (threadIdx.x == 0 && make_digits(varying, &findings->varying) > findings->most_digits)
    findings->varying.count = 0;
  return true;
}

#endif
