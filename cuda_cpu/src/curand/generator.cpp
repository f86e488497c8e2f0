// curand.h: number i of a generator is the next one of subsequence i % 4,096 of XORWOW (cuRAND's
// documentation, "Generator Options", CURAND_ORDERING_PSEUDO_DEFAULT); a pair of normal numbers
// counts as one.
#include <cmath>
#include <cstdint>
#include <vector>

#include <cuda_cpu/memory.h>
#include <curand_kernel.h>

using cuda_cpu::Xorwow;

struct curandGenerator_st {
  std::uint64_t seed = 0, offset = 0;
  std::vector<Xorwow> subsequences;  // none before the first number
  std::size_t next = 0;              // subsequence
};

namespace {

constexpr std::size_t kSubsequences = 4096;

void prepare(curandGenerator_st *g) {
  if (!g->subsequences.empty()) return;
  Xorwow first(g->seed);
  g->next = g->offset % kSubsequences;
  for (std::size_t s = 0; s < kSubsequences; s++) {
    g->subsequences.push_back(first);
    g->subsequences.back().skip_numbers(g->offset / kSubsequences + (s < g->next));
    first.skip_sequences(1);
  }
}

// draw(subsequence, i) `count` times.
template <class Draw>
curandStatus_t generate(curandGenerator_st *g, std::size_t count, Draw draw) {
  if (g == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  prepare(g);
  const cuda_cpu::DeviceScope device;
  for (std::size_t i = 0; i < count; i++) {
    draw(&g->subsequences[g->next], i);
    g->next = (g->next + 1) % kSubsequences;
  }
  return CURAND_STATUS_SUCCESS;
}

float2 draw_pair(Xorwow *s, float) { return curand_normal2(s); }
double2 draw_pair(Xorwow *s, double) { return curand_normal2_double(s); }

// end(x) for each of n normal numbers.
template <class T, class End>
curandStatus_t normals(curandGenerator_st *g, T *out, std::size_t n, End end) {
  if (n % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  return generate(g, n / 2, [=](Xorwow *s, std::size_t i) {
    const auto pair = draw_pair(s, T());
    out[2 * i] = end(pair.x);
    out[2 * i + 1] = end(pair.y);
  });
}

}  // namespace

curandStatus_t curandGetVersion(int *version) {
  *version = CURAND_VERSION;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type) {
  if (type != CURAND_RNG_PSEUDO_DEFAULT && type != CURAND_RNG_PSEUDO_XORWOW)
    return CURAND_STATUS_TYPE_ERROR;
  *generator = new curandGenerator_st;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type) {
  return curandCreateGenerator(generator, type);
}
curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  delete generator;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t) {
  return generator == nullptr ? CURAND_STATUS_NOT_INITIALIZED : CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                  unsigned long long seed) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  generator->seed = seed;
  generator->subsequences.clear();
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  generator->offset = offset;
  generator->subsequences.clear();
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
  return generate(generator, 0, [](Xorwow *, std::size_t) {});
}

curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int *out, size_t n) {
  return generate(generator, n, [=](Xorwow *s, std::size_t i) { out[i] = curand(s); });
}
curandStatus_t curandGenerateUniform(curandGenerator_t generator, float *out, size_t n) {
  return generate(generator, n, [=](Xorwow *s, std::size_t i) { out[i] = curand_uniform(s); });
}
curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double *out, size_t n) {
  return generate(generator, n,
                  [=](Xorwow *s, std::size_t i) { out[i] = curand_uniform_double(s); });
}
curandStatus_t curandGenerateNormal(curandGenerator_t generator, float *out, size_t n, float mean,
                                    float deviation) {
  return normals(generator, out, n, [=](float x) { return mean + deviation * x; });
}
curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double *out, size_t n,
                                          double mean, double deviation) {
  return normals(generator, out, n, [=](double x) { return mean + deviation * x; });
}
curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float *out, size_t n,
                                       float mean, float deviation) {
  return normals(generator, out, n, [=](float x) { return std::exp(mean + deviation * x); });
}
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double *out, size_t n,
                                             double mean, double deviation) {
  return normals(generator, out, n, [=](double x) { return std::exp(mean + deviation * x); });
}
