// Host side of pairs_count.cuh: memory, the launch, and waiting for what the count has found.
#ifndef RADIX_V7_COUNTED_PREFIX_CUH
#define RADIX_V7_COUNTED_PREFIX_CUH

#include "common/check.h"
#include "common/device.h"
#include "common/scratch.h"
#include "radix_v7/pairs_count.cuh"

// Counters of each bucket, and their bytes. Many copies pay when there are many keys to count; few
// are cheaper to clear and to add up.
static unsigned int count_copies(int bits, size_t n) {
  if (bits >= PACKED_COUNTER_BITS) return 1;
  const size_t most = n > 2000000 ? 64 * 1024 : 8 * 1024;
  unsigned int copies = 8;
  while (copies > 1 && (sizeof(unsigned int) << bits) * copies > most) copies /= 2;
  return copies;
}

static size_t count_shared_bytes(int bits, size_t n) {
  if (bits >= PACKED_COUNTER_BITS) return sizeof(unsigned int) << (bits - 1);
  return (sizeof(unsigned int) << bits) * count_copies(bits, n);
}

// The number of words that the first kernel clears for `look_back` words of the look-back.
static size_t cleared_words(size_t look_back) { return (look_back + 3) / 4 * 4; }

// Bytes of what a PrefixState points to.
static inline size_t prefix_state_bytes(PrefixBits bits, size_t look_back) {
  const size_t buckets = (size_t)1 << (bits.low + bits.high);
  const size_t low_bins = (size_t)1 << bits.low, high_bins = (size_t)1 << bits.high;
  return (cleared_words(look_back) + buckets + 4 + low_bins + high_bins + 4) * sizeof(unsigned int);
}

// The state for n elements. `memory` has prefix_state_bytes() bytes.
static inline PrefixState prefix_state(size_t n, PrefixBits bits, size_t look_back, void *memory) {
  PrefixState state = {};
  state.host = fresh_host_verdict(n);
  state.look_back = (unsigned int *)memory;
  state.look_back_size = cleared_words(look_back);
  state.start = state.look_back + state.look_back_size;
  state.low_start = state.start + ((size_t)1 << (bits.low + bits.high)) + 4;
  state.high_start = state.low_start + ((size_t)1 << bits.low);
  state.spread = state.high_start + ((size_t)1 << bits.high);
  state.tile_counter = state.spread + 2;
  return state;
}

static inline void launch_count(const unsigned int *keys, size_t n, PrefixBits bits, KeyRange range,
                                unsigned int capacity, PrefixState state) {
  const int all_bits = bits.low + bits.high;
  const bool packed = all_bits >= PACKED_COUNTER_BITS;
  const size_t bytes = count_shared_bytes(all_bits, n);
  const unsigned int threads = n <= 400000 || n > 2000000 ? HISTOGRAM_THREADS : 512;
  const unsigned int looking = looks_at_sample(n, range) ? 1 : 0;  // all blocks run together
  const unsigned int most = (bytes > 100 * 1024 ? 1 : 2) *
                                (unsigned int)device_attribute(cudaDevAttrMultiProcessorCount) -
                            looking;
  const unsigned int wanted = blocks_for(n, (int)threads * 4);
  const unsigned int blocks = (wanted < most ? wanted : most) + looking;
  if (packed) {
    allow_shared_memory(count_prefixes<true>, bytes);
    count_prefixes<true><<<blocks, threads, bytes>>>(keys, n, bits, range, capacity, 1, state);
  } else {
    allow_shared_memory(count_prefixes<false>, bytes);
    count_prefixes<false><<<blocks, threads, bytes>>>(keys, n, bits, range, capacity,
                                                      count_copies(all_bits, n), state);
  }
  LAUNCH_CHECK();
}

#endif
