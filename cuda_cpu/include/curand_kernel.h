// cuRAND's device functions for two generators: XORWOW (Marsaglia, Xorshift RNGs, Journal of
// Statistical Software 8(14), 2003, page 5) and Philox4x32-10 (Salmon et al., Parallel Random
// Numbers: As Easy as 1, 2, 3, SC 2011). Seeds, subsequences and offsets give cuRAND's sequences.
#ifndef CUDA_CPU_CURAND_KERNEL_H
#define CUDA_CPU_CURAND_KERNEL_H

#include <cuda_runtime.h>
#include <curand.h>

#include <cuda_cpu/random_engines.h>

typedef cuda_cpu::Xorwow curandStateXORWOW;
typedef curandStateXORWOW curandStateXORWOW_t, curandState, curandState_t;
typedef cuda_cpu::Philox curandStatePhilox4_32_10;
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

// All below are for both states. `State` is deduced.
#define CUDA_CPU_RANDOM                                    \
  template <class State, cuda_cpu::IfGenerator<State> = 0> \
  __device__ inline

// Subsequences are 2^67 (XORWOW) or 2^66 (Philox) numbers apart.
CUDA_CPU_RANDOM void skipahead(unsigned long long n, State *state) { state->skip_numbers(n); }
CUDA_CPU_RANDOM void skipahead_sequence(unsigned long long n, State *state) {
  state->skip_sequences(n);
}
CUDA_CPU_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence,
                                 unsigned long long offset, State *state) {
  *state = State(seed);
  state->skip_sequences(subsequence);
  state->skip_numbers(offset);
}

CUDA_CPU_RANDOM unsigned int curand(State *state) { return state->next(); }
__device__ inline uint4 curand4(curandStatePhilox4_32_10 *state) { return state->next4(); }

// ---- uniform in (0, 1] --------------------------------------------------------------------------

CUDA_CPU_RANDOM float curand_uniform(State *state) { return cuda_cpu::to_uniform(state->next()); }
__device__ inline float4 curand_uniform4(curandStatePhilox4_32_10 *state) {
  const uint4 x = state->next4();
  return {cuda_cpu::to_uniform(x.x), cuda_cpu::to_uniform(x.y), cuda_cpu::to_uniform(x.z),
          cuda_cpu::to_uniform(x.w)};
}
__device__ inline double curand_uniform_double(curandStateXORWOW *state) {
  const unsigned x = state->next(), y = state->next();
  return cuda_cpu::to_uniform_double(x, y);
}
// From 32 bits only, as cuRAND's.
__device__ inline double curand_uniform_double(curandStatePhilox4_32_10 *state) {
  return static_cast<double>(state->next()) * 0x1p-32 + 0x1p-32;
}
__device__ inline double2 curand_uniform2_double(curandStatePhilox4_32_10 *state) {
  const uint4 x = state->next4();
  return {cuda_cpu::to_uniform_double(x.x, x.y), cuda_cpu::to_uniform_double(x.z, x.w)};
}

// ---- normal, by Box and Muller's method ---------------------------------------------------------

// The second of each pair of numbers is kept for the next call.
CUDA_CPU_RANDOM float curand_normal(State *state) {
  if (state->has_normal) {
    state->has_normal = false;
    return state->normal;
  }
  const unsigned x = state->next(), y = state->next();
  const float2 pair = cuda_cpu::to_normals(x, y);
  state->has_normal = true;
  state->normal = pair.y;
  return pair.x;
}
CUDA_CPU_RANDOM float2 curand_normal2(State *state) {
  const unsigned x = state->next(), y = state->next();
  return cuda_cpu::to_normals(x, y);
}
__device__ inline float4 curand_normal4(curandStatePhilox4_32_10 *state) {
  const uint4 x = state->next4();
  const float2 a = cuda_cpu::to_normals(x.x, x.y), b = cuda_cpu::to_normals(x.z, x.w);
  return {a.x, a.y, b.x, b.y};
}
CUDA_CPU_RANDOM double2 curand_normal2_double(State *state) {
  const uint4 x = cuda_cpu::four(*state);
  return cuda_cpu::to_normals_double(x);
}
CUDA_CPU_RANDOM double curand_normal_double(State *state) {
  if (state->has_normal_double) {
    state->has_normal_double = false;
    return state->normal_double;
  }
  const double2 pair = curand_normal2_double(state);
  state->has_normal_double = true;
  state->normal_double = pair.y;
  return pair.x;
}

CUDA_CPU_RANDOM float curand_log_normal(State *state, float mean, float deviation) {
  return expf(mean + deviation * curand_normal(state));
}
CUDA_CPU_RANDOM double curand_log_normal_double(State *state, double mean, double deviation) {
  return exp(mean + deviation * curand_normal_double(state));
}

#undef CUDA_CPU_RANDOM

#endif
