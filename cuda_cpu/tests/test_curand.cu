// curand_kernel.h and curand.h: the two generators, jumping ahead, the distributions. The numbers
// that are expected of XORWOW and of seeded Philox come from cuRAND of CUDA 13.0, run on the host.
#include "device_test.h"

#include <cmath>

#include <curand.h>
#include <curand_kernel.h>

template <class State>
static __global__ void draw(unsigned *out, unsigned long long seed, unsigned long long subsequence,
                            unsigned long long offset, int n) {
  State state;
  curand_init(seed, subsequence, offset, &state);
  for (int i = 0; i < n; i++) out[i] = curand(&state);
}

template <class State>
static std::vector<unsigned> drawn(unsigned long long seed, unsigned long long subsequence,
                                   unsigned long long offset) {
  enum { kN = 6 };
  DeviceArray<unsigned> out(kN);
  draw<State><<<1, 1>>>(out, seed, subsequence, offset, kN);
  return out.read();
}

TEST(numbers) {
  ASSERT_SAME(drawn<curandState>(1234, 0, 0), (std::vector{0x253d5e15u, 0x6f558604u, 0xdee6daf2u,
                                                           0x7485b394u, 0xdb6a6a85u, 0x95195c6bu}));
  ASSERT_SAME(
      drawn<curandState>(1234, 0x1234567890, 1000003),
      (std::vector{0xcaeffe98u, 0x2e3e10e0u, 0x7099d965u, 0x96e22e71u, 0x427e549cu, 0xd1f307f9u}));
  ASSERT_SAME(
      drawn<curandStatePhilox4_32_10_t>(1234, 0x1234567890, 1000003),
      (std::vector{0x74553338u, 0x86998c39u, 0x7bc235e6u, 0xce9cf4afu, 0xeb748d50u, 0x396e01dcu}));
  // The published answer for counter 0 and key 0 (Random123, tests/kat_vectors).
  std::vector<unsigned> zero = drawn<curandStatePhilox4_32_10_t>(0, 0, 0);
  zero.resize(4);
  ASSERT_SAME(zero, (std::vector{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}));
}

// Jumps are the same as steps, and as other jumps to the same place.
template <class State>
static __global__ void jump(unsigned *out, unsigned sequence_bits) {
  State steps, jumps;
  curand_init(7, 3, 0, &steps);
  for (int i = 0; i < 1003; i++) (void)curand(&steps);
  curand_init(7, 3, 1003, &jumps);
  out[0] = curand(&steps) == curand(&jumps);
  for (unsigned i = 0; i < 1u << (sequence_bits - 63); i++) skipahead(1ull << 63, &steps);
  skipahead_sequence(1, &jumps);
  out[1] = curand(&steps) == curand(&jumps);
}

TEST(jumps) {
  const std::vector<unsigned> both{1, 1};
  DeviceArray<unsigned> out(2);
  jump<curandStateXORWOW><<<1, 1>>>(out, 67);
  ASSERT_SAME(out.read(), both);
  jump<curandStatePhilox4_32_10_t><<<1, 1>>>(out, 66);
  ASSERT_SAME(out.read(), both);
}

static __global__ void by_fours(unsigned *out) {
  curandStatePhilox4_32_10_t one, four;
  curand_init(5, 0, 3, &one);
  curand_init(5, 0, 3, &four);
  for (int i = 0; i < 3; i++) {
    const uint4 x = curand4(&four);
    const unsigned all[] = {x.x, x.y, x.z, x.w};
    for (int j = 0; j < 4; j++) out[i * 4 + j] = all[j] == curand(&one);
  }
}

TEST(four_at_once) {
  DeviceArray<unsigned> out(12);
  by_fours<<<1, 1>>>(out);
  ASSERT_SAME(out.read(), std::vector<unsigned>(12, 1));
}

// The sums of the first and second powers of n numbers of four distributions, for each thread.
enum { kThreads = 256, kNumbers = 1000, kSums = 8 };
template <class State>
static __global__ void sums(double *out) {
  State state;
  curand_init(99, threadIdx.x, 0, &state);
  double sum[kSums] = {};
  for (int i = 0; i < kNumbers; i++) {
    const double x[] = {curand_uniform(&state), curand_uniform_double(&state),
                        curand_normal(&state), curand_normal_double(&state)};
    for (int k = 0; k < 4; k++) {
      sum[2 * k] += x[k];
      sum[2 * k + 1] += x[k] * x[k];
    }
  }
  for (int k = 0; k < kSums; k++) out[threadIdx.x * kSums + k] = sum[k];
}

template <class State>
static void check_moments() {
  DeviceArray<double> out(kThreads * kSums);
  sums<State><<<1, kThreads>>>(out);
  const std::vector<double> all = out.read();
  const double expected[kSums] = {0.5, 1.0 / 3, 0.5, 1.0 / 3, 0, 1, 0, 1};
  for (int k = 0; k < kSums; k++) {
    double mean = 0;
    for (int i = 0; i < kThreads; i++) mean += all[i * kSums + k] / (kThreads * kNumbers);
    // Five standard deviations of the mean of 256,000 numbers; no variance exceeds 2.
    if (std::fabs(mean - expected[k]) > 5 * std::sqrt(2.0 / (kThreads * kNumbers)))
      fail_msg("moment %d is %f, not %f", k, mean, expected[k]);
  }
}

TEST(moments) {
  check_moments<curandState>();
  check_moments<curandStatePhilox4_32_10_t>();
}

static __global__ void edges(float *out) {
#ifdef CUDA_CPU
  out[0] = cuda_cpu::to_uniform(0);
  out[1] = cuda_cpu::to_uniform(~0u);
#else
  out[0] = _curand_uniform(0u);
  out[1] = _curand_uniform(~0u);
#endif
}

TEST(uniform_is_above_0_and_up_to_1) {
  DeviceArray<float> out(2);
  edges<<<1, 1>>>(out);
  assert_true(out.read()[0] > 0 && out.read()[0] < 1e-9f);
  assert_true(out.read()[1] == 1.0f);
}

#ifdef CUDA_CPU  // elsewhere it would need to be linked with cuRAND
static curandGenerator_t generator_of_1234(void) {
  curandGenerator_t generator;
  assert_int_equal(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT), 0);
  assert_int_equal(curandSetPseudoRandomGeneratorSeed(generator, 1234), 0);
  return generator;
}

TEST(generator_of_the_host) {
  curandGenerator_t generator = generator_of_1234();
  DeviceArray<unsigned> numbers(4100);
  assert_int_equal(curandGenerate(generator, numbers, 3), 0);  // calls continue each other
  assert_int_equal(curandGenerate(generator, numbers + 3, 4097), 0);
  const std::vector<unsigned> all = numbers.read();
  ASSERT_SAME(
      (std::vector{all[0], all[1], all[2], all[3], all[4096], all[4097]}),
      (std::vector{0x253d5e15u, 0xd1f7605au, 0x8ce6f6f8u, 0x4b79ff67u, 0x6f558604u, 0xed29ae49u}));
  assert_int_equal(curandSetGeneratorOffset(generator, 4097), 0);
  assert_int_equal(curandGenerate(generator, numbers, 1), 0);
  assert_int_equal(numbers.read()[0], 0xed29ae49u);
  curandDestroyGenerator(generator);

  generator = generator_of_1234();
  DeviceArray<double> doubles(2);
  assert_int_equal(curandGenerateUniformDouble(generator, doubles, 2), 0);
  ASSERT_SAME(doubles.read(), (std::vector{0.43489880438841294, 0.92641692020243771}));
  curandDestroyGenerator(generator);

  generator = generator_of_1234();
  DeviceArray<float> floats(4);
  assert_int_equal(curandGenerateNormal(generator, floats, 3, 0, 1),
                   CURAND_STATUS_LENGTH_NOT_MULTIPLE);
  assert_int_equal(curandGenerateNormal(generator, floats, 4, 10, 2), 0);
  const float normals[] = {0.780973554f, -1.80157816f, -0.280848563f};
  for (int i = 0; i < 3; i++)
    assert_true(std::fabs(floats.read()[i] - (10 + 2 * normals[i])) < 1e-5f);
  curandDestroyGenerator(generator);
  assert_int_equal(curandCreateGenerator(&generator, CURAND_RNG_QUASI_SOBOL32),
                   CURAND_STATUS_TYPE_ERROR);
}
#endif
