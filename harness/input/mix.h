// Numbers that look random, made of any others.
#ifndef HARNESS_MIX_H
#define HARNESS_MIX_H

#include <stdint.h>

// 64 random-looking bits from any number (the finaliser of splitmix64, Steele et al. 2014).
static inline uint64_t mix64(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

#endif
