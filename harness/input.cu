#include "harness/input.h"

#include <string.h>

#include "common/check.h"
#include "common/pairs.cuh"

enum { UNIFORM, SORTED, REVERSE, ALL_EQUAL, FEW_DISTINCT, EXTREMES };

extern "C" const InputKind input_kinds[] = {
    {"uniform", "independent uniform 32-bit words"},
    {"sorted", "ascending, evenly spread over 32 bits"},
    {"reverse", "descending, evenly spread over 32 bits"},
    {"all-equal", "one key"},
    {"few-distinct", "uniform among 16 keys spread over 32 bits"},
    {"extremes", "0 and 2^32 - 1, each with probability 1/2"},
    {NULL, NULL},
};

int input_find(const char *name) {
  for (int kind = 0; input_kinds[kind].name != NULL; kind++)
    if (strcmp(input_kinds[kind].name, name) == 0) return kind;
  return -1;
}

// A word that depends on every bit of (seed, i): splitmix64's finaliser (Steele, Lea and Flood,
// "Fast Splittable Pseudorandom Number Generators", 2014) over a counter.
static __device__ unsigned int random_word(uint64_t seed, uint64_t i) {
  uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return (unsigned int)((z ^ z >> 31) >> 32);
}

static __device__ unsigned int spread(uint64_t i, uint64_t n) {
  return (unsigned int)((i << 32) / n);
}

static __device__ unsigned int key_at(int kind, uint64_t seed, uint64_t i, uint64_t n) {
  switch (kind) {
    case SORTED:
      return spread(i, n);
    case REVERSE:
      return spread(n - 1 - i, n);
    case ALL_EQUAL:
      return random_word(seed, 0);
    case FEW_DISTINCT:
      return (random_word(seed, i) >> 28) * 0x11111111u;
    case EXTREMES:
      return random_word(seed, i) >> 31 == 0 ? 0u : 0xffffffffu;
    default:
      return random_word(seed, i);
  }
}

static __global__ void write_keys(int kind, uint64_t seed, unsigned int *keys, size_t n) {
  const size_t i = global_index();
  if (i < n) keys[i] = key_at(kind, seed, i, n);
}

static __global__ void write_positions(unsigned int *positions, size_t n) {
  const size_t i = global_index();
  if (i < n) positions[i] = (unsigned int)i;
}

void input_keys(int kind, uint64_t seed, unsigned int *d_keys, size_t n) {
  if (n == 0) return;
  write_keys<<<blocks_for(n, 256), 256>>>(kind, seed, d_keys, n);
  LAUNCH_CHECK();
}

void input_positions(unsigned int *d_positions, size_t n) {
  if (n == 0) return;
  write_positions<<<blocks_for(n, 256), 256>>>(d_positions, n);
  LAUNCH_CHECK();
}
