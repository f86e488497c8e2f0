// Where pairs are while radix_v7 sorts them by prefix (by_prefix.cuh): in two arrays, as given and
// as returned, or packed, key and position side by side in 8 bytes. A run of packed pairs is one
// run of 8-byte stores instead of two of 4-byte stores, so fewer sectors are written in parts.
#ifndef RADIX_V7_PAIRS_LAYOUT_CUH
#define RADIX_V7_PAIRS_LAYOUT_CUH

#include "common/pairs.cuh"
#include "radix_v6/layout.cuh"
#include "radix_v7/verdict.cuh"

// Packed pairs (x: key, y: position) in up to three pieces, so that the two output arrays can serve
// as one array of packed pairs. Pair i is first[i] for i < half, then second[i], and from `behind`
// on rest[i]: `second` and `rest` point before their memory. A tile lies in one piece.
// One piece: half = behind = NO_HALF.
typedef struct Packed {
  uint2 *first, *second, *rest;
  unsigned int half, behind;
} Packed;
static constexpr unsigned int NO_HALF = 0xffffffffu;

// A block leaves begin % 32 slots empty before its bucket, so that its warps access whole sectors.
enum { MOST_LEAD = 31 };

// Whether the buckets of n keys of `range`, by their first `bits` bits, fit into blocks. Their
// sizes spread by the square root of what they are on average, times that of the number of equal
// keys; 4.9 times that is exceeded in one of 2 x 10^6 buckets.
static inline bool pair_buckets_fit(size_t n, KeyRange range, int bits, unsigned int capacity) {
  const double average = (double)n * range.crowd / (double)(1 << bits);
  const double room = capacity - MOST_LEAD - average;
  return room > 0 && room * room >= 24 * average * range.alike;
}

// The memory of one sort. Pairs travel input -> ... -> output by way of `scratch` and `halves`.
typedef struct PairBuffers {
  Pairs input, output;
  Packed scratch;  // one piece of its own
  Packed halves;   // the output arrays, and a little scratch behind them
} PairBuffers;

// Where a sweep reads and writes, computed on the device from the digits that vary.
enum PairPlace { AT_INPUT, AT_HALVES, AT_SCRATCH, AT_OUTPUT, NOWHERE };
typedef struct SweepRoute {
  const unsigned int *spread;  // [passes] DigitSpread of each digit
  int pass, passes;
  bool blocks_follow;          // block sorts read the result of the last sweep from `scratch`
  volatile HostVerdict *host;  // or NULL
} SweepRoute;

// Pairs change sides with each sweep whose digit varies; counted from the end, so that the last one
// writes to `output`, or to `scratch` for the block sorts. If no digit varies at all, the last
// sweep moves the pairs.
//   3 digits vary:   input -> halves -> scratch -> output
static __device__ __forceinline__ void find_places(SweepRoute route, int *from, int *to) {
  *from = *to = NOWHERE;
  int before = 0, after = route.blocks_follow ? 1 : 0;
  if (route.spread[route.pass] == DIGIT_UNUSED) return;
  bool varies = false;
  for (int pass = 0; pass < route.passes; pass++) {
    if (route.spread[pass] == DIGIT_CONSTANT) continue;
    before += pass < route.pass;
    after += pass > route.pass;
    varies |= pass == route.pass;
  }
  const bool only = before == 0 && route.pass == route.passes - 1;
  if (!varies && !only) return;
  *to = after == 0 ? AT_OUTPUT : after % 2 == 1 ? AT_SCRATCH : AT_HALVES;
  *from = before == 0 ? AT_INPUT : after % 2 == 0 ? AT_SCRATCH : AT_HALVES;
}

#endif
