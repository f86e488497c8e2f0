// Stretching the keys of a narrow range over 32 bits, and back.
//
//   stretched = floor((key - base) factor / 2^32),  2^32 <= factor <= 2^64 / range
//
// As factor / 2^32 is at least 1, different keys stay different and in order; as it is at most
// 2^32 / range, the greatest result is below 2^32.
#include "common/pairs.cuh"
#include "multi/partition.h"

static const int THREADS = 256;

// The key is the least one whose stretched value is not less. The estimate is not above it, and at
// most two below it.
static __global__ void undo(unsigned int *keys, size_t n, Stretch stretch) {
  const size_t i = global_index();
  if (i >= n) return;
  const unsigned int stretched = keys[i];
  uint64_t offset = stretched * stretch.range >> 32;
  while ((offset * stretch.factor >> 32) < stretched) offset++;
  keys[i] = stretch.base + (unsigned int)offset;
}

Stretch stretch_of(uint32_t first, uint32_t last) {
  Stretch stretch = {0, 0, first};
  if (last <= first) return stretch;  // no keys, or a single value
  const uint64_t range = (uint64_t)last - first + 1;
  if (range == 1ull << 32) return stretch;
  stretch.range = range;
  stretch.factor = ~0ull / range;
  return stretch;
}

void stretch_undo(unsigned int *keys, size_t n, Stretch stretch) {
  if (n == 0 || stretch.factor == 0) return;
  undo<<<blocks_for(n, THREADS), THREADS>>>(keys, n, stretch);
  LAUNCH_CHECK();
}
