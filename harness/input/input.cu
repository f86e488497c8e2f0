// The inputs. i is a key's index; w, w1, w2, .. are independent uniform 32-bit numbers, a function
// of (seed, i). p = 128 is the number of processors in Helman, Bader and JaJa, "A Randomized
// Parallel Sorting Algorithm with an Experimental Study" (JPDC 52, 1998): their inputs divide the
// array into p parts and the range of keys into p slices.
#include "harness/input/input.h"

#include <string.h>

#include "common/check.h"
#include "common/pairs.cuh"
#include "common/scratch.h"
#include "harness/input/mix.h"

// Indices of input_kinds.
enum {
  UNIFORM,
  SORTED,
  REVERSE,
  ALL_EQUAL,
  FEW_DISTINCT,
  EXTREMES,
  ENTROPY1,
  ENTROPY2,
  ENTROPY3,
  ENTROPY4,
  GAUSSIAN,
  ALMOST_SORTED,
  ZIPF,
  STAGGERED,
  G_GROUP,
  BUCKET,
  HOT_KEY,
  TOP_EQUAL,
  ORGAN_PIPE,
  SAWTOOTH,
  UNIT_FLOATS,
  TWO_HALVES,
  OUTLIER,
  GEOMETRIC
};
static const unsigned int PARTS = 128, GROUP = 8;  // p and g of Helman, Bader and JaJa
static const unsigned int SLICE_BITS = 7;          // 2^7 slices of the range of keys
static const unsigned int RANKS = 1u << 16;        // distinct keys of zipf

extern "C" const InputKind input_kinds[] = {
    {"uniform", "w: independent uniform 32-bit numbers", true},
    {"sorted", "floor(i 2^32 / n): ascending, evenly spread", true},
    {"reverse", "sorted, backwards", true},
    {"all-equal", "one random key for all", true},
    {"few-distinct", "uniform among 16 keys spread over 32 bits", true},
    {"extremes", "0 or 2^32 - 1, each with probability 1/2", true},
    {"entropy1", "w1 & w2: 25.95 bits of entropy (Thearling and Smith 1992)", false},
    {"entropy2", "w1 & w2 & w3: 17.41 bits (Thearling and Smith 1992)", false},
    {"entropy3", "w1 & .. & w4: 10.78 bits (Thearling and Smith 1992)", false},
    {"entropy4", "w1 & .. & w5: 6.42 bits (Thearling and Smith 1992)", false},
    {"gaussian", "floor((w1 + w2 + w3 + w4) / 4) (Helman, Bader, JaJa 1998)", false},
    {"almost-sorted", "sorted, but one key in 64 is uniform", false},
    {"zipf", "rank k of 1 .. 65536 with probability ~ 1/k (Gray et al. 1994), scattered", false},
    {"staggered", "part j of 128 in slice 2j + 1, from the middle on 2j - 128 (HBJ 1998)", false},
    {"g-group", "8 parts share 8 slices, half the range away (HBJ 1998, g = 8)", false},
    {"bucket", "each of 128 parts goes through 128 slices in order (HBJ 1998)", false},
    {"hot-key", "w, but one key in 100, at random places, has one common value", false},
    {"top-equal", "w / 2^10: the upper 10 bits are equal", false},
    {"organ-pipe", "0, 1, 2, .. up to n / 2 and down again (mod 2^32)", false},
    {"sawtooth", "i mod 1000", false},
    {"unit-floats", "the bits of floats k 2^-24, k uniform below 2^24", false},
    {"two-halves", "16 random upper bits, 4 random lower bits, zeros between", false},
    {"outlier", "one value everywhere but at index n / 3", false},
    {"geometric", "w / 2^(0 .. 31), the exponent uniform", false},
    {NULL, NULL, false},
};

int input_find(const char *name) {
  for (int kind = 0; input_kinds[kind].name != NULL; kind++)
    if (strcmp(input_kinds[kind].name, name) == 0) return kind;
  return -1;
}

// The numbers w, w1, w2, .. of index i: 2^48 apart in the seed's stream, more than any index, so
// that no two coincide.
static __device__ unsigned int uniform(uint64_t seed, uint64_t i, unsigned int number) {
  return (unsigned int)(splitmix(seed, i + ((uint64_t)number << 48)) >> 32);
}

// floor(i 2^32 / n) for i < n < 2^48. By long division in base 2^16: i 2^32 itself needs 80 bits.
static __device__ unsigned int spread(uint64_t i, uint64_t n) {
  if (n <= UINT32_MAX) return (unsigned int)((i << 32) / n);
  const uint64_t high = (i << 16) / n, rest = (i << 16) % n;
  return (unsigned int)(high << 16 | (rest << 16) / n);
}

static __device__ unsigned int and_of_uniform(uint64_t seed, uint64_t i, unsigned int count) {
  unsigned int key = ~0u;
  for (unsigned int number = 0; number < count; number++) key &= uniform(seed, i, number);
  return key;
}

static __device__ unsigned int mean_of_uniform(uint64_t seed, uint64_t i) {
  uint64_t sum = 0;
  for (unsigned int number = 0; number < 4; number++) sum += uniform(seed, i, number);
  return (unsigned int)(sum / 4);
}

// Finds the rank of a uniform number by binary search: thresholds[k - 1] = floor(2^32 P(rank <=
// k)). An odd factor scatters ranks over the keys, so that the frequent keys are not the small
// ones.
static __device__ unsigned int zipf(const unsigned int *thresholds, unsigned int w) {
  unsigned int low = 0, high = RANKS - 1;
  while (low < high) {
    const unsigned int middle = (low + high) / 2;
    if (w < thresholds[middle])
      high = middle;
    else
      low = middle + 1;
  }
  return (low + 1) * 0x9e3779b1u;
}

// Slice of the range of keys that the key of index i is drawn from.
static __device__ unsigned int slice_of(int kind, uint64_t i, uint64_t n) {
  const unsigned int part = (unsigned int)(i * PARTS / n);
  const uint64_t place = i * PARTS % n;  // inside the part: place / n of the way
  if (kind == STAGGERED) return part < PARTS / 2 ? 2 * part + 1 : 2 * part - PARTS;
  if (kind == BUCKET) return (unsigned int)(place * PARTS / n);
  const unsigned int step = (unsigned int)(place * GROUP / n);
  return (part / GROUP * GROUP + PARTS / 2 + step) % PARTS;
}

// The bits of the float k 2^-24, for k < 2^24.
static __device__ unsigned int unit_float(unsigned int k) {
  if (k == 0) return 0;
  const unsigned int exponent = 31u - (unsigned int)__clz((int)k);
  return (127 - 24 + exponent) << 23 | (k << (23 - exponent) & 0x7fffffu);
}

static __device__ unsigned int key_at(int kind, uint64_t seed, uint64_t i, uint64_t n,
                                      const unsigned int *thresholds) {
  switch (kind) {
    case SORTED:
      return spread(i, n);
    case REVERSE:
      return spread(n - 1 - i, n);
    case ALL_EQUAL:
      return uniform(seed, 0, 0);
    case FEW_DISTINCT:
      return (uniform(seed, i, 0) >> 28) * 0x11111111u;
    case EXTREMES:
      return uniform(seed, i, 0) >> 31 == 0 ? 0u : 0xffffffffu;
    case ENTROPY1:
    case ENTROPY2:
    case ENTROPY3:
    case ENTROPY4:
      return and_of_uniform(seed, i, (unsigned int)(kind - ENTROPY1) + 2);
    case GAUSSIAN:
      return mean_of_uniform(seed, i);
    case ALMOST_SORTED:
      return uniform(seed, i, 1) >> 26 == 0 ? uniform(seed, i, 0) : spread(i, n);
    case ZIPF:
      return zipf(thresholds, uniform(seed, i, 0));
    case STAGGERED:
    case G_GROUP:
    case BUCKET:
      return slice_of(kind, i, n) << (32 - SLICE_BITS) | uniform(seed, i, 0) >> SLICE_BITS;
    case HOT_KEY:
      return uniform(seed, uniform(seed, i, 1) % 100 == 0 ? 0 : i, 0);
    case TOP_EQUAL:
      return uniform(seed, i, 0) >> 10;
    case ORGAN_PIPE:
      return (unsigned int)(i < n / 2 ? i : n - i);
    case SAWTOOTH:
      return (unsigned int)(i % 1000);
    case UNIT_FLOATS:
      return unit_float(uniform(seed, i, 0) >> 8);
    case TWO_HALVES:
      return (uniform(seed, i, 0) & 0xffff0000u) | uniform(seed, i, 1) >> 28;
    case OUTLIER:
      return uniform(seed, 0, i == n / 3 ? 1 : 0);
    case GEOMETRIC:
      return uniform(seed, i, 0) >> (uniform(seed, i, 1) & 31u);
    default:
      return uniform(seed, i, 0);
  }
}

static __global__ void write_keys(int kind, uint64_t seed, unsigned int *keys, size_t first,
                                  size_t count, size_t n, const unsigned int *thresholds) {
  const size_t i = global_index();
  if (i < count) keys[i] = key_at(kind, seed, first + i, n, thresholds);
}

static __global__ void write_positions(unsigned int *positions, uint64_t first, size_t count) {
  const size_t i = global_index();
  if (i < count) positions[i] = (unsigned int)(first + i);
}

// The weights are floor(2^28 / k); their sum is below 2^32, so that 64 bits hold all products.
static void zipf_thresholds(unsigned int thresholds[RANKS]) {
  uint64_t sum = 0, before = 0;
  for (unsigned int k = 1; k <= RANKS; k++) sum += (1u << 28) / k;
  for (unsigned int k = 1; k <= RANKS; k++) {
    before += (1u << 28) / k;
    thresholds[k - 1] = (unsigned int)((before << 32) / sum);
  }
}

void input_keys(int kind, uint64_t seed, unsigned int *d_keys, size_t n) {
  input_keys_part(kind, seed, d_keys, 0, n, n);
}

void input_keys_part(int kind, uint64_t seed, unsigned int *d_keys, size_t first, size_t count,
                     size_t n) {
  if (count == 0) return;
  unsigned int *d_thresholds = NULL;
  if (kind == ZIPF) {
    static unsigned int thresholds[RANKS];
    zipf_thresholds(thresholds);
    d_thresholds = (unsigned int *)scratch_alloc(sizeof thresholds);
    CUDA_CHECK(cudaMemcpy(d_thresholds, thresholds, sizeof thresholds, cudaMemcpyHostToDevice));
  }
  write_keys<<<blocks_for(count, 256), 256>>>(kind, seed, d_keys, first, count, n, d_thresholds);
  LAUNCH_CHECK();
  if (d_thresholds != NULL) scratch_free(d_thresholds);
}

void input_positions(unsigned int *d_positions, size_t n) {
  input_positions_range(d_positions, 0, n);
}

void input_positions_range(unsigned int *d_positions, uint64_t first, size_t count) {
  if (count == 0) return;
  write_positions<<<blocks_for(count, 256), 256>>>(d_positions, first, count);
  LAUNCH_CHECK();
}
