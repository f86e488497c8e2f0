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

// The bits that count, for keys of any type.
struct BitsThatCount {
  static constexpr bool IS_WHOLE = false;
  KeyCode code;
  int begin_bit;
  unsigned int mask;
  __device__ __forceinline__ unsigned int operator()(unsigned int key) const {
    return order_of(code, key) >> begin_bit & mask;
  }
  // A key that ranks behind all others.
  __device__ __forceinline__ unsigned int padding(void) const { return decode(code, ~0u); }
  __device__ __forceinline__ bool is_minus_zero(unsigned int key) const {
    return ::is_minus_zero(code, key);
  }
};

// For codes, or plain keys, of which all bits count.
struct WholeKey {
  static constexpr bool IS_WHOLE = true;
  WholeKey() = default;
  __device__ __forceinline__ WholeKey(BitsThatCount) {}
  __device__ __forceinline__ unsigned int operator()(unsigned int key) const { return key; }
  __device__ __forceinline__ unsigned int padding(void) const { return ~0u; }
  __device__ __forceinline__ bool is_minus_zero(unsigned int) const { return false; }
};

// A byte of the bits that count as a key's digit.
template <class NumberOf>
struct ByteOf {
  static constexpr bool IS_WHOLE = NumberOf::IS_WHOLE;
  NumberOf number_of;
  unsigned int byte;  // 0: the lowest
  __device__ __forceinline__ ByteOf(NumberOf of, unsigned int which) : number_of(of), byte(which) {}
  __device__ __forceinline__ unsigned int operator()(unsigned int key) const {
    return byte_of(number_of(key), byte);
  }
  // `word` with its byte number `to` replaced by the digit.
  __device__ __forceinline__ unsigned int keep(unsigned int word, unsigned int to,
                                               unsigned int key) const {
    return with_byte(word, to, number_of(key), byte);
  }
  // The same, opaque to the compiler, which would otherwise keep all digits in registers.
  __device__ __forceinline__ ByteOf again(void) const { return {number_of, opaque(byte)}; }
  __device__ __forceinline__ unsigned int padding(void) const { return number_of.padding(); }
};
typedef ByteOf<WholeKey> ByteOfKey;
typedef ByteOf<BitsThatCount> ByteOfCode;

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
