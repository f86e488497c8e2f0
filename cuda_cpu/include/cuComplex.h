// Complex numbers as CUDA's cuComplex.h has them.
#ifndef CUDA_CPU_CU_COMPLEX_H
#define CUDA_CPU_CU_COMPLEX_H

#include <cmath>

#include <cuda_cpu/vectors.h>

typedef float2 cuFloatComplex;
typedef float2 cuComplex;
typedef double2 cuDoubleComplex;

// Names of float end in f. The quotient is scaled by |re| + |im|, against overflow.
#define CUDA_CPU_COMPLEX(T, R, f, make)                                                   \
  inline T make(R re, R im) { return {re, im}; }                                          \
  inline R cuCreal##f(T x) { return x.x; }                                                \
  inline R cuCimag##f(T x) { return x.y; }                                                \
  inline R cuCabs##f(T x) { return std::hypot(x.x, x.y); }                                \
  inline T cuConj##f(T x) { return {x.x, -x.y}; }                                         \
  inline T cuCadd##f(T x, T y) { return {x.x + y.x, x.y + y.y}; }                         \
  inline T cuCsub##f(T x, T y) { return {x.x - y.x, x.y - y.y}; }                         \
  inline T cuCmul##f(T x, T y) { return {x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x}; } \
  inline T cuCdiv##f(T x, T y) {                                                          \
    const R scale = 1 / (std::fabs(y.x) + std::fabs(y.y));                                \
    const T a = {x.x * scale, x.y * scale}, b = {y.x * scale, y.y * scale};               \
    const R norm = 1 / (b.x * b.x + b.y * b.y);                                           \
    return {(a.x * b.x + a.y * b.y) * norm, (a.y * b.x - a.x * b.y) * norm};              \
  }                                                                                       \
  inline T cuCfma##f(T x, T y, T d) {                                                     \
    return {x.x * y.x + d.x - x.y * y.y, x.x * y.y + d.y + x.y * y.x};                    \
  }
CUDA_CPU_COMPLEX(cuFloatComplex, float, f, make_cuFloatComplex)
CUDA_CPU_COMPLEX(cuDoubleComplex, double, , make_cuDoubleComplex)
#undef CUDA_CPU_COMPLEX

inline cuComplex make_cuComplex(float re, float im) { return {re, im}; }
inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x) { return {x.x, x.y}; }
inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x) {
  return {static_cast<float>(x.x), static_cast<float>(x.y)};
}

#endif
