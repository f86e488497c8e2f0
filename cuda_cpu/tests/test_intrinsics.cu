// Atomics on 32 and 64 bits, bit intrinsics, cached loads and stores, min and max.
#include "device_test.h"

#include <algorithm>
#include <random>
#include <type_traits>

static std::mt19937_64 random_bits(2);

// ---- atomics: many blocks at one address --------------------------------------------------------

static const unsigned BLOCKS = 37, THREADS = 96, ALL_THREADS = BLOCKS * THREADS;

// Cells that all threads update, each with another value of `in`.
enum { ADD, SUB, AND, OR, XOR, MIN, MAX, CELLS };

// CUDA has no sums of long long or size_t, and no differences of 64 bits: such a program must not
// build.
#define TELL_WHETHER(name, call)      \
  template <class T, class = void>    \
  static constexpr bool name = false; \
  template <class T>                  \
  static constexpr bool name<T, std::void_t<decltype(call)>> = true;
TELL_WHETHER(has_sum, atomicAdd((T *)nullptr, T()))
TELL_WHETHER(has_difference, atomicSub((T *)nullptr, T()))
TELL_WHETHER(has_exchange, atomicCAS((T *)nullptr, T(), T()))

static_assert(has_sum<int> && has_sum<unsigned> && has_sum<unsigned long long> && has_sum<float> &&
              has_sum<double>);
static_assert(!has_sum<long long> && !has_sum<unsigned long> && !has_sum<long>);
static_assert(has_difference<int> && has_difference<unsigned>);
static_assert(!has_difference<long long> && !has_difference<unsigned long long>);
static_assert(has_exchange<int> && has_exchange<unsigned> && has_exchange<unsigned long long>);
static_assert(!has_exchange<long long>);

template <class T>
static __global__ void update_all(const T *in, T *cells) {
  const T value = in[blockIdx.x * blockDim.x + threadIdx.x];
  if constexpr (has_sum<T>) atomicAdd(&cells[ADD], value);
  atomicAnd(&cells[AND], value | (T)1 << 5);
  atomicOr(&cells[OR], value & (T)0xf0f0);
  atomicXor(&cells[XOR], value);
  atomicMin(&cells[MIN], value);
  atomicMax(&cells[MAX], value);
  if constexpr (has_difference<T>) atomicSub(&cells[SUB], value);
}

template <class T>
static void check_updates(void) {
  std::vector<T> in(ALL_THREADS), cells = {1, 2, (T)~0ull, 4, 5, 6, 7}, expected = cells;
  for (T &value : in) value = (T)random_bits();
  for (const T value : in) {
    using U = std::make_unsigned_t<T>;  // so that overflow wraps
    if (has_sum<T>) expected[ADD] = (T)((U)expected[ADD] + (U)value);
    if (has_difference<T>) expected[SUB] = (T)((U)expected[SUB] - (U)value);
    expected[AND] &= value | (T)1 << 5;
    expected[OR] |= value & (T)0xf0f0;
    expected[XOR] ^= value;
    expected[MIN] = std::min(expected[MIN], value);
    expected[MAX] = std::max(expected[MAX], value);
  }
  const DeviceArray<T> d_in(in), d_cells(cells);
  update_all<T><<<BLOCKS, THREADS>>>(d_in, d_cells);
  ASSERT_SAME(d_cells.read(), expected);
}

TEST(atomic_updates) {
  check_updates<int>();
  check_updates<unsigned>();
  check_updates<long long>();
  check_updates<unsigned long long>();
}

// What an atomic returns is the old value: the tickets handed out are all different.
template <class T>
static __global__ void take_tickets(T *next, unsigned *taken) {
  const T ticket = atomicAdd(next, (T)1);
  atomicAdd(&taken[(unsigned)ticket], 1u);
}

template <class T>
static void check_tickets(void) {
  const DeviceArray<T> d_next(1);
  const DeviceArray<unsigned> d_taken(ALL_THREADS);
  take_tickets<T><<<BLOCKS, THREADS>>>(d_next, d_taken);
  ASSERT_SAME(d_taken.read(), std::vector<unsigned>(ALL_THREADS, 1u));
  assert_true(d_next.read()[0] == (T)ALL_THREADS);
}

TEST(atomics_return_the_old_value) {
  check_tickets<int>();
  check_tickets<unsigned>();
  check_tickets<unsigned long long>();
  check_tickets<float>();
  check_tickets<double>();
}

// A lock from atomicCAS and atomicExch, taken by one thread of each block.
template <class T>
static __global__ void count_under_lock(T *lock, volatile unsigned *count) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, (T)0, (T)7) != (T)0) __nanosleep(20);
  __threadfence();
  *count = *count + 1;
  __threadfence();
  if (atomicExch(lock, (T)0) != (T)7) *count = 1000000;
}

template <class T>
static void check_lock(void) {
  const DeviceArray<T> d_lock(1);
  const DeviceArray<unsigned> d_count(1);
  count_under_lock<T><<<500, 32>>>(d_lock, d_count);
  assert_int_equal(d_count.read()[0], 500);
}

TEST(compare_and_swap) {
  check_lock<int>();
  check_lock<unsigned>();
  check_lock<unsigned long long>();
}

static __global__ void wrap_around(unsigned *cells, unsigned *old, float *exchanged) {
  old[0] = atomicInc(&cells[0], 3);  // 0 1 2 3 0 ..
  old[1] = atomicInc(&cells[1], 3);  // beyond the limit: 0
  old[2] = atomicDec(&cells[2], 3);  // 3 2 1 0 3 ..
  old[3] = atomicDec(&cells[3], 3);  // beyond the limit: the limit
  for (int i = 0; i < 5; i++) atomicInc(&cells[4], 3);
  for (int i = 0; i < 5; i++) atomicDec(&cells[5], 3);
  exchanged[1] = atomicExch(&exchanged[0], 2.5f);
}

TEST(increment_and_decrement_with_a_limit) {
  const DeviceArray<unsigned> d_cells(std::vector<unsigned>{3, 9, 0, 9, 0, 0}), d_old(4);
  const DeviceArray<float> d_exchanged(std::vector<float>{1.5f, 0});
  wrap_around<<<1, 1>>>(d_cells, d_old, d_exchanged);
  ASSERT_SAME(d_cells.read(), (std::vector<unsigned>{0, 0, 3, 3, 1, 3}));
  ASSERT_SAME(d_old.read(), (std::vector<unsigned>{3, 9, 0, 9}));
  ASSERT_SAME(d_exchanged.read(), (std::vector<float>{2.5f, 1.5f}));
}

static __global__ void count_in_shared_memory(unsigned *bins) {
  __shared__ unsigned bin[4];
  if (threadIdx.x < 4) bin[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bin[threadIdx.x % 4], 1u);
  __syncthreads();
  if (threadIdx.x < 4) atomicAdd(&bins[threadIdx.x], bin[threadIdx.x]);
}

TEST(atomics_in_shared_memory) {
  const DeviceArray<unsigned> d_bins(4);
  count_in_shared_memory<<<BLOCKS, THREADS>>>(d_bins);
  ASSERT_SAME(d_bins.read(), std::vector<unsigned>(4, ALL_THREADS / 4));
}

// ---- bits: each function once on a thread's own random words ------------------------------------

struct Words {
  unsigned a, b, shift;
  unsigned long long c, d;
};

struct Bits {
  int popc, popcll, clz, clzll, ffs, ffsll;
  unsigned brev, umulhi, left, right, left_clamped, right_clamped, bytes, swapped;
  unsigned long long brevll, umul64hi;
};

static __global__ void all_bit_functions(const Words *in, Bits *out) {
  const Words w = in[threadIdx.x];
  Bits &r = out[threadIdx.x];
  r.popc = __popc(w.a);
  r.popcll = __popcll(w.c);
  r.clz = __clz((int)w.a);
  r.clzll = __clzll((long long)w.c);
  r.ffs = __ffs((int)w.a);
  r.ffsll = __ffsll((long long)w.c);
  r.brev = __brev(w.a);
  r.brevll = __brevll(w.c);
  r.umulhi = __umulhi(w.a, w.b);
  r.umul64hi = __umul64hi(w.c, w.d);
  r.left = __funnelshift_l(w.a, w.b, w.shift);
  r.right = __funnelshift_r(w.a, w.b, w.shift);
  r.left_clamped = __funnelshift_lc(w.a, w.b, w.shift);
  r.right_clamped = __funnelshift_rc(w.a, w.b, w.shift);
  r.bytes = __byte_perm(w.a, w.b, (unsigned)w.d & 0x7777u);
  r.swapped = __byte_perm(w.a, 0, 0x0123);
}

// The same, bit by bit.
static int bit(unsigned long long x, int i) { return (int)(x >> i & 1u); }

static void count_bits(unsigned long long x, int bits, int *ones, int *leading, int *first) {
  *ones = *leading = *first = 0;
  for (int i = bits - 1; i >= 0; i--) {
    *ones += bit(x, i);
    if (*ones == 0) ++*leading;
    if (bit(x, i)) *first = i + 1;
  }
}

static unsigned high_word(unsigned lo, unsigned hi, unsigned distance) {
  for (; distance > 0; distance--, lo *= 2) hi = hi * 2 + (lo >> 31);
  return hi;
}

static unsigned low_word(unsigned lo, unsigned hi, unsigned distance) {
  for (; distance > 0; distance--, hi /= 2) lo = lo / 2 + (hi << 31);
  return lo;
}

static Bits bit_by_bit(const Words &w) {
  Bits r = {};
  count_bits(w.a, 32, &r.popc, &r.clz, &r.ffs);
  count_bits(w.c, 64, &r.popcll, &r.clzll, &r.ffsll);
  for (int i = 0; i < 32; i++) r.brev |= (unsigned)bit(w.a, i) << (31 - i);
  for (int i = 0; i < 64; i++) r.brevll |= (unsigned long long)bit(w.c, i) << (63 - i);
  r.umulhi = (unsigned)((unsigned long long)w.a * w.b >> 32);
  // Halves of 32 bits, as on paper.
  const unsigned long long c0 = (unsigned)w.c, c1 = w.c >> 32, d0 = (unsigned)w.d, d1 = w.d >> 32;
  const unsigned long long middle = c1 * d0 + (c0 * d0 >> 32), crossed = c0 * d1 + (unsigned)middle;
  r.umul64hi = c1 * d1 + (middle >> 32) + (crossed >> 32);
  r.left = high_word(w.a, w.b, w.shift % 32);
  r.right = low_word(w.a, w.b, w.shift % 32);
  r.left_clamped = high_word(w.a, w.b, std::min(w.shift, 32u));
  r.right_clamped = low_word(w.a, w.b, std::min(w.shift, 32u));
  for (int i = 0; i < 4; i++) {
    const unsigned selector = w.d >> (4 * i) & 7u;
    r.bytes |= ((selector < 4 ? w.a : w.b) >> (8 * (selector % 4)) & 255u) << (8 * i);
  }
  r.swapped = w.a << 24 | (w.a & 0xff00u) << 8 | (w.a >> 8 & 0xff00u) | w.a >> 24;
  return r;
}

TEST(bit_functions) {
  std::vector<Words> in(1024, Words());
  for (size_t i = 0; i < in.size(); i++) {
    // From sparse to dense words, so that long runs of zeros occur.
    unsigned long long word[4];
    for (unsigned long long &w : word) {
      w = random_bits();
      for (size_t thinner = i % 6; thinner > 0; thinner--) w &= random_bits();
    }
    in[i] = {(unsigned)word[0], (unsigned)word[1], (unsigned)(i % 70), word[2], word[3]};
  }
  in[1] = {0, 0, 0, 0, 0};
  in[2] = {~0u, ~0u, 31, ~0ull, ~0ull};
  in[3] = {1u << 31, 1, 32, 1ull << 63, 1};
  const DeviceArray<Words> d_in(in);
  const DeviceArray<Bits> d_out(in.size());
  all_bit_functions<<<1, 1024>>>(d_in, d_out);
  const std::vector<Bits> out = d_out.read();
  for (size_t i = 0; i < in.size(); i++) {
    const Bits expected = bit_by_bit(in[i]);
    assert_memory_equal(&out[i], &expected, sizeof expected);
  }
}

// ---- conversions, cached loads and stores, min and max ------------------------------------------

static __global__ void reinterpret(const float *in, unsigned *out) {
  const float x = in[threadIdx.x];
  const bool right =
      __uint_as_float(__float_as_uint(x)) == x && __int_as_float(__float_as_int(x)) == x;
  out[threadIdx.x] = right ? __float_as_uint(x) : 0xffffffffu;
}

TEST(floats_as_bits) {
  const DeviceArray<float> d_in(std::vector<float>{0.0f, 1.0f, -2.0f, 0.15625f});
  const DeviceArray<unsigned> d_out(4);
  reinterpret<<<1, 4>>>(d_in, d_out);
  ASSERT_SAME(d_out.read(), (std::vector<unsigned>{0, 0x3f800000u, 0xc0000000u, 0x3e200000u}));
}

static __global__ void copy_with_hints(const uint4 *in, uint4 *out, unsigned *words) {
  __stcs(&out[0], __ldg(&in[0]));
  __stcg(&out[1], __ldcg(&in[1]));
  __stwb(&out[2], __ldca(&in[2]));
  __stwt(&out[3], __ldcs(&in[3]));
  __stcs(&words[0], 7u);
}

TEST(loads_and_stores_with_hints) {
  std::vector<uint4> in(4);
  for (unsigned i = 0; i < 4; i++) in[i] = make_uint4(i, i + 10, i + 20, i + 30);
  const DeviceArray<uint4> d_in(in), d_out(4);
  const DeviceArray<unsigned> d_words(1);
  copy_with_hints<<<1, 1>>>(d_in, d_out, d_words);
  ASSERT_SAME(d_out.read(), in);
  assert_int_equal(d_words.read()[0], 7);
}

static __global__ void smaller_and_larger(int i, unsigned u, float f, double d, double *out) {
  out[0] = min(i, -5);
  out[1] = max(i, -5);
  out[2] = min(i, u);  // as unsigned numbers
  out[3] = max(u, i);
  out[4] = min(f, d);
  out[5] = max((long long)i, 1ll << 40);
  out[6] = (double)max((size_t)u, (size_t)1 << 40);
  out[7] = max(d, 1e300);
}

TEST(min_and_max) {
  const DeviceArray<double> d_out(8);
  smaller_and_larger<<<1, 1>>>(-3, 7u, 1.5f, 1.25, d_out);
  ASSERT_SAME(d_out.read(), (std::vector<double>{-5, -3, 7, 4294967293.0, 1.25, 1099511627776.0,
                                                 1099511627776.0, 1e300}));
}

// Both clocks go on, and never back.
static __global__ void wait_for_clocks(long long *ticks) {
  const long long start = clock64();
  const clock_t short_start = clock();
  long long now = start, last = start;
  bool back = false;
  while (now - start < 1000 || clock() == short_start) {
    now = clock64();
    back |= now < last;
    last = now;
  }
  ticks[0] = now - start;
  ticks[1] = back;
}

TEST(clocks) {
  const DeviceArray<long long> d_ticks(2);
  wait_for_clocks<<<1, 1>>>(d_ticks);
  const std::vector<long long> ticks = d_ticks.read();
  assert_true(ticks[0] >= 1000);
  assert_int_equal(ticks[1], 0);
}
