// The inputs. i is a key's index; w, w1, w2, .. are independent uniform 32-bit numbers, a function
// of (seed, i). p = 128 is the number of processors in Helman, Bader and JaJa, "A Randomized
// Parallel Sorting Algorithm with an Experimental Study" (JPDC 52, 1998): their inputs divide the
// array into p parts and the range of keys into p slices.
#include "harness/input/input.h"

#include <string.h>

#include <type_traits>

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
  GEOMETRIC,
  // Of wide_kinds:
  IDS40 = FIRST_WIDE,
  IDS32,
  DAY,
  DAY_SORTED,
  TWICE,
  THOUSAND,
  HALF_EQUAL,
  STRINGS,
  LETTERS,
  FIELDS,
  NORMAL,
  LOGNORMAL
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

extern "C" const InputKind wide_kinds[] = {
    {"ids40", "w / 2^24: uniform below 2^40", true},
    {"ids32", "w / 2^32: uniform below 2^32", true},
    {"day", "nanoseconds of a day, 2025-11-23, in any order", true},
    {"day-sorted", "nanoseconds of a day, one in each n-th part of it, in order", true},
    {"twice", "each value twice, n / 2 places apart", true},
    {"thousand", "1,000 values", true},
    {"half-equal", "w, but every other key, at random places, has one common value", true},
    {"strings", "FNV-1a hashes of decimal numbers below 2^32", true},
    {"letters", "8 letters from a to z, a byte each", true},
    {"fields", "a number below 10^6, and in the lower half one below 10^5", true},
    {"normal", "sum of 12 uniform numbers from -1/2 to 1/2: mean 0, deviation 1", false},
    {"lognormal", "2^(3 normal), the power linear between integer exponents", false},
    {NULL, NULL, false},
};

static int find(const InputKind *kinds, const char *name) {
  for (int kind = 0; kinds[kind].name != NULL; kind++)
    if (strcmp(kinds[kind].name, name) == 0) return kind;
  return -1;
}

int input_find(const char *name) { return find(input_kinds, name); }

int wide_find(const char *name) {
  const int kind = find(wide_kinds, name);
  return kind < 0 ? -1 : FIRST_WIDE + kind;
}

bool input_fits(int kind, KeyType type) {
  if (kind < FIRST_WIDE) return true;
  return wide_kinds[kind - FIRST_WIDE].everywhere ? type >= KEY_U64
                                                  : type == KEY_F32 || type == KEY_F64;
}

// ---- numbers -----------------------------------------------------------------------------------
// Word: uint32_t or uint64_t, the key's width.

template <class Word>
static const int BITS = 8 * sizeof(Word);

// The numbers w, w1, w2, .. of index i: 2^48 apart in the seed's stream, more than any index, so
// that no two coincide.
template <class Word>
static __device__ Word uniform(uint64_t seed, uint64_t i, unsigned int number) {
  return (Word)(splitmix(seed, i + ((uint64_t)number << 48)) >> (64 - BITS<Word>));
}

// floor(i 2^BITS / n) for i < n < 2^48, by long division in base 2^16.
template <class Word>
static __device__ Word spread(uint64_t i, uint64_t n) {
  Word quotient = 0;
  for (int digit = 0; digit < BITS<Word> / 16; digit++) {
    quotient = quotient << 16 | (Word)((i << 16) / n);
    i = (i << 16) % n;
  }
  return quotient;
}

template <class Word>
static __device__ Word and_of_uniform(uint64_t seed, uint64_t i, unsigned int count) {
  Word key = ~(Word)0;
  for (unsigned int number = 0; number < count; number++) key &= uniform<Word>(seed, i, number);
  return key;
}

// The sum itself has too many bits.
template <class Word>
static __device__ Word mean_of_uniform(uint64_t seed, uint64_t i) {
  Word quarters = 0, rest = 0;
  for (unsigned int number = 0; number < 4; number++) {
    const Word w = uniform<Word>(seed, i, number);
    quarters += w / 4;
    rest += w % 4;
  }
  return quarters + rest / 4;
}

// Finds the rank of a uniform number by binary search: thresholds[k - 1] = floor(2^32 P(rank <=
// k)). An odd factor scatters ranks over the keys, so that the frequent keys are not the small
// ones.
template <class Word>
static __device__ Word zipf(const unsigned int *thresholds, unsigned int w) {
  unsigned int low = 0, high = RANKS - 1;
  while (low < high) {
    const unsigned int middle = (low + high) / 2;
    if (w < thresholds[middle])
      high = middle;
    else
      low = middle + 1;
  }
  return (Word)(low + 1) * (Word)(sizeof(Word) == 4 ? 0x9e3779b1u : 0x9e3779b97f4a7c15u);
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

// The bits of the float k 2^-24, for k < 2^24; of the double k 2^-53, for k < 2^53.
template <class Word>
static __device__ Word unit_float(Word k) {
  const int digits = sizeof(Word) == 4 ? 24 : 53, bias = sizeof(Word) == 4 ? 127 : 1023;
  if (k == 0) return 0;
  const int exponent = 63 - __clzll((long long)k);
  const Word fraction = k << (digits - 1 - exponent) & (((Word)1 << (digits - 1)) - 1);
  return (Word)(bias - digits + exponent) << (digits - 1) | fraction;
}

static const uint64_t DAY_START = 1763856000000000000u, DAY_LENGTH = 86400000000000u;

static __device__ uint64_t string_hash(uint64_t number) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (; number > 0; number /= 10) hash = (hash ^ ('0' + number % 10)) * 0x100000001b3u;
  return hash;
}

// Each byte of w chooses one.
static __device__ uint64_t letters(uint64_t w) {
  uint64_t word = 0;
  for (int i = 0; i < 8; i++, w >>= 8) word = word << 8 | ('a' + (w & 255) * 26 / 256);
  return word;
}

// Of wide_kinds, but not a floating kind.
static __device__ uint64_t wide_number(int kind, uint64_t seed, uint64_t i, uint64_t n) {
  const uint64_t w = uniform<uint64_t>(seed, i, 0), part = DAY_LENGTH / n;
  const unsigned int w1 = uniform<unsigned int>(seed, i, 1);
  switch (kind) {
    case IDS40: return w >> 24;
    case IDS32: return w >> 32;
    case DAY: return DAY_START + w % DAY_LENGTH;
    case DAY_SORTED: return DAY_START + i * part + w % part;
    case TWICE: return uniform<uint64_t>(seed, i % ((n + 1) / 2), 0);
    case THOUSAND: return uniform<uint64_t>(seed, w1 % 1000, 2);
    case HALF_EQUAL: return uniform<uint64_t>(seed, w1 % 2 == 0 ? 0 : i, 0);
    case LETTERS: return letters(w);
    case FIELDS: return w % 1000000 << 32 | w1 % 100000;
    default: return string_hash(w >> 32);
  }
}

template <class Word>
static __device__ Word number_at(int kind, uint64_t seed, uint64_t i, uint64_t n,
                                 const unsigned int *thresholds) {
  switch (kind) {
    case SORTED: return spread<Word>(i, n);
    case REVERSE: return spread<Word>(n - 1 - i, n);
    case ALL_EQUAL: return uniform<Word>(seed, 0, 0);
    case FEW_DISTINCT: return (uniform<Word>(seed, i, 0) >> (BITS<Word> - 4)) * (~(Word)0 / 15);
    case EXTREMES: return uniform<Word>(seed, i, 0) >> (BITS<Word> - 1) == 0 ? 0 : ~(Word)0;
    case ENTROPY1:
    case ENTROPY2:
    case ENTROPY3:
    case ENTROPY4: return and_of_uniform<Word>(seed, i, (unsigned int)(kind - ENTROPY1) + 2);
    case GAUSSIAN: return mean_of_uniform<Word>(seed, i);
    case ALMOST_SORTED:
      return uniform<unsigned int>(seed, i, 1) >> 26 == 0 ? uniform<Word>(seed, i, 0)
                                                          : spread<Word>(i, n);
    case ZIPF: return zipf<Word>(thresholds, uniform<unsigned int>(seed, i, 0));
    case STAGGERED:
    case G_GROUP:
    case BUCKET:
      return (Word)slice_of(kind, i, n) << (BITS<Word> - SLICE_BITS) |
             uniform<Word>(seed, i, 0) >> SLICE_BITS;
    case HOT_KEY:
      return uniform<Word>(seed, uniform<unsigned int>(seed, i, 1) % 100 == 0 ? 0 : i, 0);
    case TOP_EQUAL: return uniform<Word>(seed, i, 0) >> 10;
    case ORGAN_PIPE: return (Word)(i < n / 2 ? i : n - i);
    case SAWTOOTH: return (Word)(i % 1000);
    case UNIT_FLOATS:
      return unit_float<Word>(uniform<Word>(seed, i, 0) >> (sizeof(Word) == 4 ? 8 : 11));
    case TWO_HALVES:
      return (uniform<Word>(seed, i, 0) & ~(Word)0 << BITS<Word> / 2) |
             uniform<Word>(seed, i, 1) >> (BITS<Word> - 4);
    case OUTLIER: return uniform<Word>(seed, 0, i == n / 3 ? 1 : 0);
    case GEOMETRIC:
      return uniform<Word>(seed, i, 0) >> uniform<unsigned int>(seed, i, 1) % BITS<Word>;
    case UNIFORM: return uniform<Word>(seed, i, 0);
    default: return (Word)wide_number(kind, seed, i, n);
  }
}

// ---- keys ---------------------------------------------------------------------------------------

// All but the conversion is in integers, which have no rounding that depends on the machine.
static __device__ double normal(uint64_t seed, uint64_t i) {
  int64_t sum = 0;
  for (unsigned int number = 0; number < 12; number++)
    sum += (int64_t)(uniform<uint64_t>(seed, i, number) >> 4) - ((int64_t)1 << 59);
  return (double)sum * 0x1p-60;
}

// The bits of a double, as a number, are its logarithm, linear between powers of two.
static __device__ double floating(int kind, uint64_t seed, uint64_t i) {
  const double x = normal(seed, i);
  return kind == NORMAL ? x : __longlong_as_double((1023ll << 52) + (long long)(x * 3 * 0x1p52));
}

template <class Key>
static __device__ Key key_at(int kind, uint64_t seed, uint64_t i, uint64_t n,
                             const unsigned int *thresholds) {
  typedef typename std::conditional<sizeof(Key) == 4, uint32_t, uint64_t>::type Word;
  if (kind >= NORMAL) return (Key)floating(kind, seed, i);
  const Word number = number_at<Word>(kind, seed, i, n, thresholds);
  if (std::is_floating_point<Key>::value)
    return (Key)number * (Key)(sizeof(Key) == 4 ? 0x1p-32 : 0x1p-64);
  return (Key)(std::is_signed<Key>::value ? number - ((Word)1 << (BITS<Word> - 1)) : number);
}

template <class Key>
static __global__ void write_keys(int kind, uint64_t seed, Key *keys, size_t first, size_t count,
                                  size_t n, const unsigned int *thresholds) {
  const size_t i = global_index();
  if (i < count) keys[i] = key_at<Key>(kind, seed, first + i, n, thresholds);
}

template <class Position>
static __global__ void write_positions(Position *positions, uint64_t first, size_t count) {
  const size_t i = global_index();
  if (i < count) positions[i] = (Position)(first + i);
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

template <class Key>
static void draw(int kind, uint64_t seed, Key *d_keys, size_t first, size_t count, size_t n) {
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

void input_keys(int kind, uint64_t seed, unsigned int *d_keys, size_t n) {
  draw(kind, seed, d_keys, 0, n, n);
}

void input_keys_part(int kind, uint64_t seed, unsigned int *d_keys, size_t first, size_t count,
                     size_t n) {
  draw(kind, seed, d_keys, first, count, n);
}

void input_typed(KeyType type, int kind, uint64_t seed, void *d_keys, size_t n) {
  switch (type) {
    case KEY_U32: return draw(kind, seed, (uint32_t *)d_keys, 0, n, n);
    case KEY_I32: return draw(kind, seed, (int32_t *)d_keys, 0, n, n);
    case KEY_F32: return draw(kind, seed, (float *)d_keys, 0, n, n);
    case KEY_U64: return draw(kind, seed, (uint64_t *)d_keys, 0, n, n);
    case KEY_I64: return draw(kind, seed, (int64_t *)d_keys, 0, n, n);
    case KEY_F64: return draw(kind, seed, (double *)d_keys, 0, n, n);
  }
}

void input_positions(unsigned int *d_positions, size_t n) {
  input_positions_range(d_positions, 0, n);
}

void input_positions_range(unsigned int *d_positions, uint64_t first, size_t count) {
  if (count == 0) return;
  write_positions<<<blocks_for(count, 256), 256>>>(d_positions, first, count);
  LAUNCH_CHECK();
}

void input_positions64(uint64_t *d_positions, size_t n) {
  if (n == 0) return;
  write_positions<<<blocks_for(n, 256), 256>>>(d_positions, 0, n);
  LAUNCH_CHECK();
}
