// The warp collectives, against scalar models written from the CUDA C++ Programming Guide ("Warp
// Shuffle Functions", "Warp Vote Functions", "Warp Match Functions", "Warp Reduce Functions").
#include "device_test.h"

#include <random>

static std::mt19937_64 random_bits(1);

static const unsigned ALL = 0xffffffffu;

// Masks that tests go through: full, halves, single lanes, then random ones.
static std::vector<unsigned> masks() {
  std::vector<unsigned> list = {ALL, 0x0000ffffu, 0xffff0000u, 1u, 0x80000000u, 0x55555555u};
  for (int i = 0; i < 10; i++) list.push_back((unsigned)random_bits() | 1u << i);
  return list;
}

static bool has(unsigned mask, int lane) { return (mask >> lane & 1u) != 0; }

// ---- shuffles -----------------------------------------------------------------------------------

enum { FROM_LANE, UP, DOWN, XOR, SHUFFLES };

template <class T>
static __global__ void shuffle(int kind, unsigned mask, int width, const int *lanes, const T *in,
                               T *out) {
  const int lane = threadIdx.x;
  if ((mask >> lane & 1u) == 0) return;
  if (kind == FROM_LANE) out[lane] = __shfl_sync(mask, in[lane], lanes[lane], width);
  if (kind == UP) out[lane] = __shfl_up_sync(mask, in[lane], lanes[lane], width);
  if (kind == DOWN) out[lane] = __shfl_down_sync(mask, in[lane], lanes[lane], width);
  if (kind == XOR) out[lane] = __shfl_xor_sync(mask, in[lane], lanes[lane], width);
}

// The lane that `lane` reads from; itself where there is none to read.
static int shuffle_source(int kind, int lane, int argument, int width) {
  const int first = lane / width * width;
  switch (kind) {
    case FROM_LANE: return first + argument % width;
    case UP: return lane - argument >= first ? lane - argument : lane;
    case DOWN: return lane + argument < first + width ? lane + argument : lane;
    default: return (lane ^ argument) < first + width ? lane ^ argument : lane;
  }
}

template <class T>
static void check_shuffles(void) {
  std::vector<T> in(32);
  for (T &value : in) value = (T)(int64_t)random_bits();
  const DeviceArray<T> d_in(in);
  for (int kind = 0; kind < SHUFFLES; kind++)
    for (int width = 1; width <= 32; width *= 2)
      for (const unsigned mask : masks()) {
        // __shfl_sync wraps its lane into the segment; the distances differ from lane to lane.
        std::vector<int> lanes(32);
        for (int &lane : lanes) lane = (int)(random_bits() % (kind == FROM_LANE ? 64 : 32));
        const DeviceArray<int> d_lanes(lanes);
        const DeviceArray<T> d_out(32);
        shuffle<T><<<1, 32>>>(kind, mask, width, d_lanes, d_in, d_out);
        const std::vector<T> out = d_out.read();
        for (int lane = 0; lane < 32; lane++) {
          const int source = shuffle_source(kind, lane, lanes[lane], width);
          if (has(mask, lane) && has(mask, source))  // else undefined
            assert_memory_equal(&out[lane], &in[source], sizeof(T));
        }
      }
}

TEST(shuffles_of_32_bits) {
  check_shuffles<int>();
  check_shuffles<unsigned>();
  check_shuffles<float>();
}

TEST(shuffles_of_64_bits) {
  check_shuffles<long long>();
  check_shuffles<unsigned long long>();
  check_shuffles<double>();
}

// ---- votes, matches, reductions -----------------------------------------------------------------

struct Collected {
  unsigned ballot, any, all, match_any, match_all, same;
  unsigned add, smallest, largest, bits_and, bits_or, bits_xor;
  int signed_add, signed_smallest, signed_largest;
};

// Every warp of the block has another mask.
static __global__ void collect(const unsigned *warp_masks, const unsigned *values, Collected *out) {
  const unsigned i = threadIdx.x, mask = warp_masks[i / 32];
  if ((mask >> i % 32 & 1u) == 0) return;
  const unsigned value = values[i];
  Collected &c = out[i];
  int same = -1;
  c.ballot = __ballot_sync(mask, value & 1u);
  c.any = __any_sync(mask, value & 2u);
  c.all = __all_sync(mask, value > 2u);
  c.match_any = __match_any_sync(mask, value % 4u);
  c.match_all = __match_all_sync(mask, (unsigned long long)(value / 8u) << 40, &same);
  c.same = same;
  c.add = __reduce_add_sync(mask, value);
  c.smallest = __reduce_min_sync(mask, value);
  c.largest = __reduce_max_sync(mask, value);
  c.bits_and = __reduce_and_sync(mask, value);
  c.bits_or = __reduce_or_sync(mask, value);
  c.bits_xor = __reduce_xor_sync(mask, value);
  c.signed_add = __reduce_add_sync(mask, (int)value);
  c.signed_smallest = __reduce_min_sync(mask, (int)value);
  c.signed_largest = __reduce_max_sync(mask, (int)value);
}

// What the lane that holds value `mine` has to get.
static Collected collected(unsigned mask, const unsigned *values, unsigned mine) {
  Collected c = {0, 0, 1, 0, mask, 1, 0, ~0u, 0, ~0u, 0, 0, 0, INT32_MAX, INT32_MIN};
  for (int lane = 0; lane < 32; lane++) {
    if (!has(mask, lane)) continue;
    const unsigned value = values[lane];
    c.ballot |= (value & 1u) << lane;
    if (value & 2u) c.any = 1;
    if (value <= 2u) c.all = 0;
    if (value % 4u == mine % 4u) c.match_any |= 1u << lane;
    if (value / 8u != mine / 8u) c.match_all = c.same = 0;
    c.add += value;
    c.smallest = value < c.smallest ? value : c.smallest;
    c.largest = value > c.largest ? value : c.largest;
    c.bits_and &= value;
    c.bits_or |= value;
    c.bits_xor ^= value;
    c.signed_smallest = (int)value < c.signed_smallest ? (int)value : c.signed_smallest;
    c.signed_largest = (int)value > c.signed_largest ? (int)value : c.signed_largest;
  }
  c.signed_add = (int)c.add;
  return c;
}

static void check_collectives(unsigned bits) {  // of the values
  const std::vector<unsigned> warp_masks = masks();
  std::vector<unsigned> values(32 * warp_masks.size());
  for (unsigned &value : values) value = (unsigned)random_bits() & bits;
  const DeviceArray<unsigned> d_masks(warp_masks), d_values(values);
  const DeviceArray<Collected> d_out(values.size());
  collect<<<1, (unsigned)values.size()>>>(d_masks, d_values, d_out);
  const std::vector<Collected> out = d_out.read();
  for (size_t i = 0; i < values.size(); i++) {
    if (!has(warp_masks[i / 32], (int)(i % 32))) continue;
    const Collected expected = collected(warp_masks[i / 32], &values[i / 32 * 32], values[i]);
    assert_memory_equal(&out[i], &expected, sizeof expected);
  }
}

TEST(votes_matches_and_reductions) {
  check_collectives(0xffffffffu);
  check_collectives(7u);   // many equal values, all of them equal for __match_all_sync
  check_collectives(12u);  // no predicate of __ballot_sync is true
}

template <class A, class B>
static __device__ bool is_same(B x) {
  return sizeof(A) == sizeof(B) && x != 0;
}

static __global__ void collect_odd_types(int *out) {
  const int lane = threadIdx.x;
  out[0 * 32 + lane] = __reduce_add_sync(ALL, lane < 3);                       // bool counts
  out[1 * 32 + lane] = (int)__ballot_sync(ALL, is_same<int, unsigned>(lane));  // a comma
  out[2 * 32 + lane] = __shfl_sync(ALL, (short)(-lane), 5);
  out[3 * 32 + lane] = (int)__match_any_sync(ALL, lane % 2 ? 1.5 : -1.5);
  out[4 * 32 + lane] = (int)__reduce_max_sync(ALL, (unsigned char)lane);
}

TEST(values_of_other_types) {
  const DeviceArray<int> d_out(5 * 32);
  collect_odd_types<<<1, 32>>>(d_out);
  const std::vector<int> out = d_out.read();
  for (int lane = 0; lane < 32; lane++) {
    assert_int_equal(out[lane], 3);
    assert_int_equal((unsigned)out[32 + lane], 0xfffffffeu);
    assert_int_equal(out[64 + lane], -5);
    assert_int_equal((unsigned)out[96 + lane], lane % 2 ? 0xaaaaaaaau : 0x55555555u);
    assert_int_equal(out[128 + lane], 31);
  }
}

// ---- divergence ---------------------------------------------------------------------------------

static __global__ void two_halves(unsigned *out) {
  const unsigned lane = threadIdx.x;
  unsigned value = lane;
  if (lane < 16) {
    for (int distance = 8; distance > 0; distance /= 2)
      value += __shfl_xor_sync(0x0000ffffu, value, distance);
  } else if (lane % 2 == 0) {
    value = __ballot_sync(0x55550000u, lane % 4 == 0);
  } else {
    for (int round = 0; round < 100; round++) value = __reduce_max_sync(0xaaaa0000u, value);
  }
  __syncwarp();
  out[lane] = value + __shfl_sync(ALL, value, 17);  // and together again
}

TEST(parts_of_a_warp_in_different_collectives) {
  const DeviceArray<unsigned> d_out(32);
  two_halves<<<1, 32>>>(d_out);
  const std::vector<unsigned> out = d_out.read();
  for (int lane = 0; lane < 32; lane++)
    assert_int_equal(out[lane], 31 + (lane < 16 ? 120 : lane % 2 == 0 ? 0x11110000u : 31));
}

static __global__ void who_is_here(unsigned *out) {
  const unsigned i = threadIdx.x, lane = i % 32;
  if (lane >= 30) return;
  if (lane % 3 == 0)
    out[i] = __activemask();
  else if (lane % 3 == 1)
    out[i] = __activemask();
  else
    out[i] = __ballot_sync(__activemask(), i >= 32);
}

TEST(active_mask_in_branches) {
  const DeviceArray<unsigned> d_out(64);
  who_is_here<<<1, 64>>>(d_out);
  const std::vector<unsigned> out = d_out.read();
  for (unsigned i = 0; i < 64; i++) {
    const unsigned every_third = 0x09249249u << i % 32 % 3;
    if (i % 32 >= 30)
      assert_int_equal(out[i], 0);
    else
      assert_int_equal(out[i], i % 3 == 2 && i < 32 ? 0 : every_third & 0x3fffffffu);
  }
}

// Each lane of the mask reads what its neighbour within the mask has just written.
static __global__ void pass_on(unsigned mask, int rounds, unsigned *out) {
  __shared__ volatile unsigned slot[32];
  const unsigned lane = threadIdx.x;
  if ((mask >> lane & 1u) == 0) return;
  const unsigned above = lane == 31 ? 0 : mask >> (lane + 1) << (lane + 1);
  const int next = __ffs((int)(above != 0 ? above : mask)) - 1;
  unsigned value = lane;
  for (int round = 0; round < rounds; round++) {
    slot[lane] = value;
    __syncwarp(mask);
    value = slot[next];
    __syncwarp(mask);
  }
  out[lane] = value;
}

TEST(syncwarp_with_partial_masks) {
  for (const unsigned mask : masks()) {
    const DeviceArray<unsigned> d_out(32);
    pass_on<<<1, 32>>>(mask, __builtin_popcount(mask) - 1, d_out);  // once around but for one
    const std::vector<unsigned> out = d_out.read();
    int previous = 31 - __builtin_clz(mask);
    for (int lane = 0; lane < 32; lane++) {
      assert_int_equal(out[lane], has(mask, lane) ? previous : 0);
      if (has(mask, lane)) previous = lane;
    }
  }
}

// ---- lanes that do not exist or have returned ---------------------------------------------------

static __global__ void count_lanes(int returning, unsigned *out) {
  if ((int)threadIdx.x < returning) return;
  out[threadIdx.x] = __ballot_sync(ALL, 1) + __reduce_add_sync(ALL, 0u);
}

TEST(warps_that_are_not_full) {
  for (const unsigned threads : {1u, 33u, 100u}) {
    const DeviceArray<unsigned> d_out(threads);
    count_lanes<<<1, threads>>>(0, d_out);
    const std::vector<unsigned> out = d_out.read();
    for (unsigned i = 0; i < threads; i++) {
      const unsigned lanes = threads - i / 32 * 32;
      assert_int_equal(out[i], lanes >= 32 ? ALL : (1u << lanes) - 1);
    }
  }
}

TEST(returned_lanes_are_not_waited_for) {
  const DeviceArray<unsigned> d_out(64);
  count_lanes<<<1, 64>>>(37, d_out);
  const std::vector<unsigned> out = d_out.read();
  for (unsigned i = 0; i < 64; i++) assert_int_equal(out[i], i < 37 ? 0 : ALL << 5);
}

static __global__ void leave_one_by_one(unsigned *out) {
  const unsigned lane = threadIdx.x;
  unsigned lanes = 0;
  for (unsigned round = 0; round <= lane; round++) lanes += __popc(__ballot_sync(ALL, 1));
  out[lane] = lanes;
}

TEST(lanes_that_return_while_others_wait) {
  const DeviceArray<unsigned> d_out(32);
  leave_one_by_one<<<1, 32>>>(d_out);
  const std::vector<unsigned> out = d_out.read();
  for (unsigned lane = 0, sum = 0; lane < 32; lane++) {
    sum += 32 - lane;
    assert_int_equal(out[lane], sum);
  }
}

static __global__ void match_for_long(unsigned rounds, unsigned *wrong) {
  const unsigned lane = threadIdx.x;
  unsigned random = lane;
  for (unsigned round = 0; round < rounds; round++) {
    for (unsigned i = 0; i < 60; i++) random = random * 1664525 + i;  // time to be interrupted in
    const unsigned lanes = __match_any_sync(ALL, (lane + round) % 4);
    if (lanes != 0x11111111u << lane % 4) atomicAdd(&wrong[0], 1u);
  }
  wrong[1] = random;
}

// A thread that runs for long is interrupted, also between the end of a collective and the moment
// when it reads its result.
TEST(results_outlast_an_interruption) {
  const DeviceArray<unsigned> d_wrong(2);
#ifdef __x86_64__
  const unsigned rounds = 600000;  // with a third, the mistake showed in two of six runs
#else
  const unsigned rounds = 20000;  // under an emulator
#endif
  match_for_long<<<2, 32>>>(rounds, d_wrong);
  assert_int_equal(d_wrong.read()[0], 0);
}
