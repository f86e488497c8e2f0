// Digits of 8 bits, and the device memory of a sort that sweeps over them.
#ifndef GSORT_BLOCK_DIGITS_CUH
#define GSORT_BLOCK_DIGITS_CUH

#include "gsort/block/key_code.cuh"
#include "gsort/warp/instructions.cuh"

enum {
  DIGIT_BITS = 8,
  BINS = 1 << DIGIT_BITS,
  PASSES = 32 / DIGIT_BITS,
  MAX_PASSES = 64 / DIGIT_BITS,
};

// How the keys are distributed over the values of a digit.
typedef enum DigitSpread {
  DIGIT_EVEN,      // no value has more than n / SKEW_LIMIT keys
  DIGIT_SKEWED,    // some value has more, none has all
  DIGIT_CONSTANT,  // one value has all n keys
  DIGIT_UNUSED,    // the sort goes another way: sweeps return at once
} DigitSpread;
enum { SKEW_LIMIT = 16 };

// Device memory of one sort.
typedef struct SweepState {
  unsigned int *start;         // [PASSES][BINS] index in the output where each digit's run starts
  unsigned int *tile_counter;  // [PASSES] numbers the tiles in the order they start
  unsigned int *spread;        // [PASSES] a DigitSpread each
  unsigned int *counts;        // [COUNT_WORDS] sums over all blocks, and number of blocks that
                               // have added theirs; 0 before the count, which leaves them so; then
                               // [HAS_MINUS_ZERO], which it sets if some key is a -0
  unsigned int *look_back;     // [2][tiles][BINS] words of look_back.cuh, for the passes in turns
  size_t look_back_words;      // of 32 bits, that the count clears
} SweepState;

// The bits that count, for keys of any type, and their digits.
//
//   13 bits from bit 2 on: digit 0 has bits 2 to 9, digit 1 bits 7 to 14
//
// The last digit has 8 bits, too, if there are as many: those that it shares with the digit before
// are in order already.
struct BitsThatCount {
  KeyCode code;
  int begin_bit, bits;
  // As a number.
  __device__ __forceinline__ unsigned int operator()(unsigned int key) const {
    return order_of(code, key) >> begin_bit & ~0u >> (32 - bits);
  }
  __host__ __device__ __forceinline__ int passes(void) const {
    return (bits + DIGIT_BITS - 1) / DIGIT_BITS;
  }
  // The first bit of a digit.
  __host__ __device__ __forceinline__ int shift_of(int pass) const {
    const int last = bits < DIGIT_BITS ? 0 : bits - DIGIT_BITS, shift = pass * DIGIT_BITS;
    return begin_bit + (shift < last ? shift : last);
  }
  __device__ __forceinline__ unsigned int digit_mask(void) const {
    return ~0u >> (32 - (bits < DIGIT_BITS ? bits : DIGIT_BITS));
  }
  // The code of a key, and a digit of that.
  __device__ __forceinline__ unsigned int code_of(unsigned int key) const {
    return order_of(code, key);
  }
  __device__ __forceinline__ unsigned int digit(unsigned int code_of_key, int pass) const {
    return code_of_key >> shift_of(pass) & digit_mask();
  }
  __device__ __forceinline__ bool is_minus_zero(unsigned int key) const {
    return ::is_minus_zero(code, key);
  }
};

// For a count of plain keys of which all bits count.
struct WholeKey {
  __device__ __forceinline__ unsigned int code_of(unsigned int key) const { return key; }
  __device__ __forceinline__ unsigned int digit(unsigned int key, int pass) const {
    return key >> (pass * DIGIT_BITS) & (BINS - 1);
  }
  __device__ __forceinline__ bool is_minus_zero(unsigned int) const { return false; }
};

// A key's digit in a sweep over codes, which are rotated (SweepCode): a byte.
struct ByteOfCode {
  static constexpr bool IS_OF_CODES = true;
  unsigned int byte;  // 0: the lowest
  static __device__ __forceinline__ ByteOfCode of_pass(BitsThatCount, unsigned int pass) {
    return {pass};
  }
  __device__ __forceinline__ unsigned int operator()(unsigned int code) const {
    return byte_of(code, byte);
  }
  // `word` with its byte number `to` replaced by the digit.
  __device__ __forceinline__ unsigned int keep(unsigned int word, unsigned int to,
                                               unsigned int code) const {
    return with_byte(word, to, code, byte);
  }
  // The same, opaque to the compiler, which would otherwise keep all digits in registers.
  __device__ __forceinline__ ByteOfCode again(void) const { return {opaque(byte)}; }
  // A key that ranks behind all others.
  __device__ __forceinline__ unsigned int padding(void) const { return ~0u; }
};

// In a sweep that moves keys as they are.
struct DigitOfKey {
  static constexpr bool IS_OF_CODES = false;
  KeyCode code;
  unsigned int shift, mask;
  static __device__ __forceinline__ DigitOfKey of_pass(BitsThatCount bits, unsigned int pass) {
    return {bits.code, (unsigned int)bits.shift_of((int)pass), bits.digit_mask()};
  }
  __device__ __forceinline__ unsigned int operator()(unsigned int key) const {
    return order_of(code, key) >> shift & mask;
  }
  __device__ __forceinline__ unsigned int keep(unsigned int word, unsigned int to,
                                               unsigned int key) const {
    return with_byte(word, to, (*this)(key), 0);
  }
  __device__ __forceinline__ DigitOfKey again(void) const { return {code, opaque(shift), mask}; }
  __device__ __forceinline__ unsigned int padding(void) const { return decode(code, ~0u); }
};

// Bits of the least number that is not less than `values` - 1.
static __host__ __device__ constexpr int bits_to_count(int values) {
  return values <= 1 ? 0 : 1 + bits_to_count((values + 1) / 2);
}

// Clamps `blocks` of `threads` threads to what one multiprocessor can hold on the smallest GPU of
// the architecture (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
// For __launch_bounds__, which refuses more.
static __host__ __device__ constexpr int resident_blocks(int threads, int blocks) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  const int threads_per_sm = 1024;
#else
  const int threads_per_sm = 1536;
#endif
  return blocks * threads <= threads_per_sm ? blocks : threads_per_sm / threads;
}

#endif
