// A monotone map of wide codes to numbers that spread evenly over 64 bits. Only the buckets and
// bins of a code follow from its number, and ties are told apart by whole codes. So the map may be
// coarse, as long as it never decreases:
//
//   codes    ids below 2^40, nanoseconds of a day, ..      numbers  0 .. 2^64 - 1
//
// A shift, if codes fill a power of two. Else affine in the code, or, for doubles that are even in
// their values but not in their bits, affine in the value, by FP64 arithmetic, which rounds
// monotonically. A block that splits or sorts asks once which it is: a warp's 32 keys
// took 80 instructions of a split with a shift, 104 with an affine map (H200, 2^28 keys, before
// whole tiles were set apart).
#ifndef GSORT_BLOCK_WIDE_MAP_CUH
#define GSORT_BLOCK_WIDE_MAP_CUH

#include "gsort/block/key_code.cuh"
#include "gsort/block/scan.cuh"

typedef enum MapKind { SHIFT, AFFINE, BY_VALUE } MapKind;

typedef struct WideMap {
  MapKind kind;
  Wide least, most;      // codes up to the least become 0, codes from `most` on the largest number
  int up;                // (code - least) << up has its highest bit set for the largest; SHIFT: is
                         // the number, and least is 0
  unsigned int scale;    // number = that x (1 + scale / 2^32)
  WideCode code;         // if by value: of the doubles
  double origin, slope;  // number = (value - origin) x slope
} WideMap;

template <MapKind kKind>
struct MapOfKind {
  static constexpr MapKind kind = kKind;
};

// body(MapOfKind<kind>()).
template <class Body>
static __device__ __forceinline__ void for_kind(MapKind kind, Body body) {
  if (kind == SHIFT)
    body(MapOfKind<SHIFT>());
  else if (kind == AFFINE)
    body(MapOfKind<AFFINE>());
  else
    body(MapOfKind<BY_VALUE>());
}

// The double whose code is `number`.
static __device__ __forceinline__ double value_of(WideCode code, Wide number) {
  return __longlong_as_double((long long)decode(code, number));
}

template <MapKind kKind>
static __device__ __forceinline__ Wide number_of(const WideMap &map, Wide code) {
  if constexpr (kKind == SHIFT) {
    return code > map.most ? ~0ull : code << map.up;
  } else {
    if (code <= map.least) return 0;
    if (code >= map.most) return ~0ull;
    if constexpr (kKind == BY_VALUE)
      return (Wide)((value_of(map.code, code) - map.origin) * map.slope);
    const Wide shifted = (code - map.least) << map.up;
    return shifted + (Wide)(unsigned int)(shifted >> 32) * map.scale;
  }
}

// The upper word of number << skip.
static __device__ __forceinline__ unsigned int word_behind(Wide number, int skip) {
  return __funnelshift_l((unsigned int)number, (unsigned int)(number >> 32), (unsigned int)skip);
}

// The affine map of least < most.
static __device__ __forceinline__ void make_affine(Wide least, Wide most, WideMap *map) {
  map->kind = AFFINE;
  map->least = least;
  map->most = most;
  const Wide range = map->most - map->least;
  map->up = __clzll((long long)range);
  // 2^64 / (range << up) is from 1 to 2; rounded down, so that no number exceeds 64 bits.
  const double ratio = 18446744073709551616.0 / (double)(range << map->up) - 1;
  const double scaled = ratio * 4294967296.0 * (1 - 1e-12) - 1;
  map->scale = scaled > 0 ? scaled < 4294967295.0 ? (unsigned int)scaled : ~0u : 0;
}

// The map of least .. most. They are extended by a 1,024th of the range, as a sample does not reach
// its ends, or to a power of two if that adds at most a 512th at each end.
static __device__ __forceinline__ void make_by_code(Wide least, Wide most, WideMap *map) {
  map->up = __clzll((long long)(most | 1));
  const Wide all = ~0ull >> map->up;
  if (least <= all / 512 && most >= all - all / 512) {
    map->kind = SHIFT;
    map->least = 0;
    map->most = all;
    return;
  }
  const Wide more = (most - least) / 1024 + 1;
  make_affine(least > more ? least - more : 0, most < ~0ull - more ? most + more : ~0ull, map);
}

// A map by the values of doubles; false if these are too far apart, or no numbers. Descending
// codes have falling values.
static __device__ __forceinline__ bool make_by_value(WideCode code, Wide least, Wide most,
                                                     WideMap *map) {
  const double first = value_of(code, least), last = value_of(code, most);
  const double range = last - first, more = range / 1024;
  if (!(fabs(range) > 0 && fabs(range) < 1e300)) return false;
  map->origin = first - more;
  map->slope = 18446744073709551615.0 / (range + 2 * more) * (1 - 1e-12);
  map->code = code;
  map->kind = BY_VALUE;
  // Codes beyond the extended range are clamped by comparing codes.
  map->least = encode(code, (Wide)__double_as_longlong(map->origin));
  map->most = encode(code, (Wide)__double_as_longlong(last + more));
  return map->least < least && most < map->most && fabs(map->slope) < 1e300;
}

#endif
