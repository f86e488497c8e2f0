// splitmix64: pseudorandom 64-bit numbers (Steele, Lea and Flood, "Fast Splittable
// Pseudorandom Number Generators", 2014).
#ifndef HARNESS_SPLITMIX_CUH
#define HARNESS_SPLITMIX_CUH

#include <cuda_runtime.h>
#include <stdint.h>

// Number i of the seed's stream. It depends on every bit of both; different i give different
// numbers.
static __device__ __forceinline__ uint64_t splitmix(uint64_t seed, uint64_t i) {
  uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

#endif
