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
#ifndef GSORT_BLOCK_FREQUENT_VALUES_CUH
#define GSORT_BLOCK_FREQUENT_VALUES_CUH

#include "gsort/block/few_values.cuh"
#include "gsort/block/pair_sweep.cuh"

enum {
  FREQUENT_BINS = 2 * (MOST_FREQUENT + 1),
  DIGIT_OR_VALUE_BITS = DIGIT_BITS + 1,  // of the bins of the first sweep
};
static_assert((int)SLOTS == (int)BINS, "as many slots as a digit has values");
static constexpr unsigned int LARGEST_KEY = ~0u, HASH_FACTOR = 0x2c1b3c6du;

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

// A bit for each key that is in the table; slot: a copy of its slots in shared memory. Asked once
// for each pair, as slots are anywhere, and so lanes meet in a bank.
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

// The first sweep, for sweep_tiles(). In shared memory: a copy of the slots, and where in the tile
// the pairs of frequent values begin.
template <unsigned int kTileSize>
struct DigitsAndValues : CountedBins<kTileSize, DIGIT_OR_VALUE_BITS> {
  const FrequentValues *frequent;
  const unsigned int *slot;
  unsigned int *rest_in_tile;
  unsigned long long frequent_items;

  // Of a digit among the rest, of a value in the output.
  __device__ __forceinline__ unsigned int start(unsigned int bin) const {
    return bin < BINS ? this->sweep.start[bin] : frequent->start[bin - BINS];
  }
  template <int kItems>
  __device__ __forceinline__ void see(const unsigned int (&key)[kItems], bool) {
    frequent_items = find_frequent_items(key, slot);
  }
  __device__ __forceinline__ DigitOrSlotAt bins(void) const {
    return {frequent_items, {opaque(HASH_FACTOR)}};
  }
  __device__ __forceinline__ bool note_run(unsigned int, unsigned int first, unsigned int,
                                           unsigned int) const {
    if (threadIdx.x == BINS) *rest_in_tile = first;
    return true;
  }
  // The rest goes to scratch memory.
  template <bool kCoded, int kThreads, int kItems>
  __device__ __forceinline__ void write_to_both(
      PairSweepShared<kThreads, kItems, DIGIT_OR_VALUE_BITS> &shared, unsigned int valid) const {
    const PairBuffers &buffers = this->buffers;
    const unsigned int rest = *rest_in_tile;
    const DigitOrSlot bin = {opaque(HASH_FACTOR)};
#pragma unroll
    for (int u = 0; u < kItems; u++) {
      if (u % PAIR_BATCH == 0) compiler_fence();
      const unsigned int i = threadIdx.x + u * kThreads;
      const uint2 pair = shared.tile[i];
      const unsigned int at = *at_offset(shared.bin_shift, bin(pair.x, i >= rest) * 4) + i;
      if (i >= valid) continue;
      if (i < rest) {
        buffers.scratch.first[at] = pair;
      } else {
        buffers.output.keys[at] = kCoded ? decode(buffers.code, pair.x) : pair.x;
        buffers.output.values[at] = pair.y;
      }
    }
  }
  template <class Shared>
  __device__ __forceinline__ void write(Shared &shared, int, unsigned int valid, bool) const {
    if (is_plain(this->buffers.code))
      write_to_both<false>(shared, valid);
    else
      write_to_both<true>(shared, valid);
  }
};

// Pairs of frequent values before a key of the rest.
struct FrequentBefore {
  static constexpr unsigned int kWords = 2 * (MOST_FREQUENT + 1);
  const unsigned int *table;  // [kWords] of shared memory: the values, then `before`

  __device__ __forceinline__ unsigned int operator()(unsigned int key) const {
    return table[MOST_FREQUENT + 1 + values_below<MOST_FREQUENT>(table, key)];
  }

  // All threads of a block; a barrier has to follow.
  static __device__ __forceinline__ void load(const FrequentValues *frequent, unsigned int *table) {
    for (unsigned int i = threadIdx.x; i <= MOST_FREQUENT; i += blockDim.x) {
      table[i] = frequent->value[i];
      table[MOST_FREQUENT + 1 + i] = frequent->before[i];
    }
  }
};

// A sweep over a digit of the rest.
template <unsigned int kTileSize, int kBits>
struct DigitOfRest : CountedBins<kTileSize, kBits> {
  FrequentBefore before;

  template <class Shared>
  __device__ __forceinline__ void write(Shared &shared, int to, unsigned int valid,
                                        bool plain) const {
    write_pairs(this->buffers, to, shared, valid, plain, this->bins(), before);
  }
};

#endif
