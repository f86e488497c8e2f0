// Keys of which some values are frequent, but too many others to be strays (few_values.cuh). A
// table of the frequent values, found in a sample, adds bins to the first of four sweeps: their
// pairs go straight to their places in the output. Only the rest takes part in the other three.
//
//   frequent 7           keys  7 2 7 9 7 3        rest  2 9 3
//   places               . . 7 7 7 .
//   rest, in order       2 3       9              9 is behind the three pairs of 7
//
// Buckets of equal keys are known from sample sort (Axtmann, Witt, Ferizovic and Sanders, "In-Place
// Parallel Super Scalar Samplesort", ESA 2017).
#ifndef RADIX_V7_FREQUENT_VALUES_CUH
#define RADIX_V7_FREQUENT_VALUES_CUH

#include "radix_v6/instructions.cuh"
#include "radix_v6/layout.cuh"
#include "radix_v7/few_values.cuh"

enum {
  SLOT_BITS = 8,
  SLOTS = 1 << SLOT_BITS,  // as many as a digit has values
  MOST_FREQUENT = 127,     // beside the largest key
  FREQUENT_BINS = 2 * (MOST_FREQUENT + 1),
  DIGIT_OR_VALUE_BITS = DIGIT_BITS + 1,  // of the bins of the first sweep
};
static constexpr unsigned int LARGEST_KEY = ~0u;

// The values of one sort. Each has a slot of its own, that of its hash; values without one are not
// in the table. The largest key always is, in the last slot: tiles are padded with it.
typedef struct FrequentValues {
  bool used;
  unsigned int slot[SLOTS];                // value of a slot; LARGEST_KEY: none
  unsigned int number[SLOTS];              // where it is in value[]
  unsigned int value[MOST_FREQUENT + 1];   // ascending, then LARGEST_KEY
  unsigned int start[SLOTS];               // where the pairs of a slot's value begin in the output
  unsigned int before[MOST_FREQUENT + 1];  // pairs of all frequent values before value[i]
  unsigned int rest;                       // number of all other pairs
} FrequentValues;
static __device__ FrequentValues frequent;

static constexpr unsigned int HASH_FACTOR = 0x2c1b3c6du;

// Hash of a key, of `bits` bits; that of the largest one has all bits set.
static __device__ __forceinline__ unsigned int value_hash(unsigned int key, int bits,
                                                          unsigned int factor = HASH_FACTOR) {
  return ~(~key * factor) >> (32 - bits);
}

// Bins of keys in the first sweep: the lowest digit, or behind these the slot.
struct DigitOrSlot {
  unsigned int factor;
  __device__ __forceinline__ unsigned int operator()(unsigned int key, bool is_frequent) const {
    return is_frequent ? BINS + value_hash(key, SLOT_BITS, factor) : key % BINS;
  }
};

// The same for a thread's items, of which `frequent_items` has a bit for each.
struct DigitOrSlotAt {
  unsigned long long frequent_items;
  DigitOrSlot bin;
  __device__ __forceinline__ unsigned int operator()(unsigned int key, int u) const {
    return bin(key, (frequent_items >> u & 1) != 0);
  }
};

// A bit for each key that is in the table; slot: a copy of frequent.slot in shared memory. Asked
// once for each pair, as slots are anywhere, and so lanes meet in a bank.
template <int kItems>
static __device__ __forceinline__ unsigned long long find_frequent_items(
    const unsigned int (&key)[kItems], const unsigned int *slot) {
  static_assert(kItems <= 64, "a bit for each item");
  const unsigned int factor = opaque(HASH_FACTOR);
  unsigned long long found = 0;
#pragma unroll
  for (int u = 0; u < kItems; u++)
    if (slot[value_hash(key[u], SLOT_BITS, factor)] == key[u]) found |= 1ull << u;
  // Opaque, as the compiler would else keep the bits apart, each in a register.
  return opaque((unsigned int)found) | (unsigned long long)opaque((unsigned int)(found >> 32))
                                           << 32;
}

static __device__ __forceinline__ void load_slots(unsigned int *slot) {
  for (unsigned int i = threadIdx.x; i < SLOTS; i += blockDim.x) slot[i] = frequent.slot[i];
}

// Where the pairs of a bin of the first sweep begin: those of a digit among the rest, those of a
// value in the output.
static __device__ __forceinline__ unsigned int start_of_bin(const unsigned int *digit_start,
                                                            unsigned int bin) {
  return bin < BINS ? digit_start[bin] : frequent.start[bin - BINS];
}

// Pairs of frequent values before a key of the rest.
struct FrequentBefore {
  static constexpr unsigned int kWords = 2 * (MOST_FREQUENT + 1);
  const unsigned int *table;  // [kWords] of shared memory: the values, then `before`

  __device__ __forceinline__ unsigned int operator()(unsigned int key) const {
    return table[MOST_FREQUENT + 1 + values_below<MOST_FREQUENT>(table, key)];
  }

  // All threads of a block; a barrier has to follow.
  static __device__ __forceinline__ void load(unsigned int *table) {
    for (unsigned int i = threadIdx.x; i <= MOST_FREQUENT; i += blockDim.x) {
      table[i] = frequent.value[i];
      table[MOST_FREQUENT + 1 + i] = frequent.before[i];
    }
  }
};

#endif
