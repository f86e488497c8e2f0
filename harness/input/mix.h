// splitmix64: pseudorandom 64-bit numbers (Steele, Lea and Flood, "Fast Splittable Pseudorandom
// Number Generators", 2014).
#ifndef HARNESS_MIX_H
#define HARNESS_MIX_H

#include <stdint.h>

#ifdef __CUDACC__
#define MIX_FUNCTION static __host__ __device__ __forceinline__
#else
#define MIX_FUNCTION static inline
#endif

// 64 random-looking bits from any number.
MIX_FUNCTION uint64_t mix64(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Number i of the seed's stream. It depends on every bit of both; different i give different
// numbers.
MIX_FUNCTION uint64_t splitmix(uint64_t seed, uint64_t i) {
  return mix64(seed + i * 0x9e3779b97f4a7c15u);
}

#undef MIX_FUNCTION
#endif
