// Arithmetic intrinsics: rounding variants, fast approximations (computed exactly here), integer
// products and differences.
#ifndef CUDA_CPU_MATH_H
#define CUDA_CPU_MATH_H

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>

#include <cuda_cpu/bits.h>
#include <cuda_cpu/vectors.h>

// ---- integers

inline unsigned int umin(unsigned int a, unsigned int b) { return a < b ? a : b; }
inline unsigned int umax(unsigned int a, unsigned int b) { return a < b ? b : a; }
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return a < b ? a : b;
}
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return a < b ? b : a;
}
inline long long llmin(long long a, long long b) { return a < b ? a : b; }
inline long long llmax(long long a, long long b) { return a < b ? b : a; }
// The low 32 bits of the product of the factors' low 24 bits.
inline unsigned int __umul24(unsigned int a, unsigned int b) {
  return static_cast<unsigned int>((a & 0xffffffULL) * (b & 0xffffffULL));
}
inline int __mul24(int a, int b) {
  const auto low = [](int x) {
    return static_cast<std::int64_t>((x & 0xffffff) ^ 0x800000) - 0x800000;
  };
  return static_cast<int>(static_cast<std::uint32_t>(low(a) * low(b)));
}
#define umul24(a, b) __umul24(a, b)
#define mul24(a, b) __mul24(a, b)
inline int __mulhi(int a, int b) { return static_cast<int>(static_cast<long long>(a) * b >> 32); }
inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
inline unsigned int __sad(int a, int b, unsigned int c) {
  return c + static_cast<unsigned int>(a < b ? static_cast<std::int64_t>(b) - a
                                             : static_cast<std::int64_t>(a) - b);
}
inline unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) {
  return c + (a < b ? b - a : a - b);
}
// c plus the products of the four bytes of a and b.
inline int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; i++)
    c += static_cast<std::int8_t>(a >> 8 * i) * static_cast<std::int8_t>(b >> 8 * i);
  return c;
}
inline unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
  for (int i = 0; i < 4; i++) c += (a >> 8 * i & 255) * (b >> 8 * i & 255);
  return c;
}
inline int __dp4a(char4 a, char4 b, int c) {
  return __dp4a(static_cast<int>(cuda_cpu::to_bits(a)), static_cast<int>(cuda_cpu::to_bits(b)), c);
}
inline unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) {
  return __dp4a(static_cast<unsigned>(cuda_cpu::to_bits(a)),
                static_cast<unsigned>(cuda_cpu::to_bits(b)), c);
}
inline int __hadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b) >> 1); }
inline int __rhadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1);
}
inline unsigned int __uhadd(unsigned int a, unsigned int b) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(a) + b) >> 1);
}
inline unsigned int __urhadd(unsigned int a, unsigned int b) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(a) + b + 1) >> 1);
}

// ---- floating point with a rounding mode: rn nearest, rz towards zero, ru up, rd down

namespace cuda_cpu {

// Computes with another rounding mode. The volatile copies keep the compiler from computing before.
template <class T, class F>
T rounded(int mode, F compute) {
  const int before = std::fegetround();
  std::fesetround(mode);
  volatile T result = compute();
  std::fesetround(before);
  return result;
}

// As a GPU converts: beyond the range the nearest integer, 0 for NaN.
template <class I, class F>
I saturated(F x) {
  if (std::isnan(x)) return 0;
  if (x <= static_cast<F>(std::numeric_limits<I>::min())) return std::numeric_limits<I>::min();
  if (x >= static_cast<F>(std::numeric_limits<I>::max())) return std::numeric_limits<I>::max();
  return static_cast<I>(x);
}

}  // namespace cuda_cpu

// One function: the first parameter is `a`, of type A, and `x` in the expression.
#define CUDA_CPU_ROUNDED_CALL(T, name, mode, parameters, A, expression) \
  inline T name parameters {                                            \
    volatile A x = a;                                                   \
    return cuda_cpu::rounded<T>(mode, [&] { return (expression); });    \
  }
#define CUDA_CPU_ROUNDED_TYPE(T, prefix, fused, suffix, mode)                             \
  CUDA_CPU_ROUNDED_CALL(T, prefix##add_##suffix, mode, (T a, T b), T, x + b)              \
  CUDA_CPU_ROUNDED_CALL(T, prefix##mul_##suffix, mode, (T a, T b), T, x *b)               \
  CUDA_CPU_ROUNDED_CALL(T, prefix##div_##suffix, mode, (T a, T b), T, x / b)              \
  CUDA_CPU_ROUNDED_CALL(T, prefix##sqrt_##suffix, mode, (T a), T, std::sqrt(x))           \
  CUDA_CPU_ROUNDED_CALL(T, fused##_##suffix, mode, (T a, T b, T c), T, std::fma(x, b, c)) \
  inline T prefix##sub_##suffix(T a, T b) { return prefix##add_##suffix(a, -b); }         \
  inline T prefix##rcp_##suffix(T a) { return prefix##div_##suffix(T{1}, a); }
#define CUDA_CPU_ROUNDED(suffix, mode)                                                          \
  CUDA_CPU_ROUNDED_TYPE(float, __f, __fmaf, suffix, mode)                                       \
  CUDA_CPU_ROUNDED_TYPE(double, __d, __fma, suffix, mode)                                       \
  CUDA_CPU_ROUNDED_CALL(float, __int2float_##suffix, mode, (int a), int, static_cast<float>(x)) \
  CUDA_CPU_ROUNDED_CALL(float, __uint2float_##suffix, mode, (unsigned a), unsigned,             \
                        static_cast<float>(x))                                                  \
  CUDA_CPU_ROUNDED_CALL(float, __ll2float_##suffix, mode, (long long a), long long,             \
                        static_cast<float>(x))                                                  \
  CUDA_CPU_ROUNDED_CALL(float, __ull2float_##suffix, mode, (unsigned long long a),              \
                        unsigned long long, static_cast<float>(x))                              \
  CUDA_CPU_ROUNDED_CALL(double, __ll2double_##suffix, mode, (long long a), long long,           \
                        static_cast<double>(x))                                                 \
  CUDA_CPU_ROUNDED_CALL(double, __ull2double_##suffix, mode, (unsigned long long a),            \
                        unsigned long long, static_cast<double>(x))                             \
  CUDA_CPU_ROUNDED_CALL(float, __double2float_##suffix, mode, (double a), double,               \
                        static_cast<float>(x))
CUDA_CPU_ROUNDED(rn, FE_TONEAREST)
CUDA_CPU_ROUNDED(rz, FE_TOWARDZERO)
CUDA_CPU_ROUNDED(ru, FE_UPWARD)
CUDA_CPU_ROUNDED(rd, FE_DOWNWARD)
#undef CUDA_CPU_ROUNDED
#undef CUDA_CPU_ROUNDED_TYPE
#undef CUDA_CPU_ROUNDED_CALL

// To integers.
#define CUDA_CPU_TO_INTEGER(I, name, T, function) \
  inline I name(T x) { return cuda_cpu::saturated<I>(function(x)); }
#define CUDA_CPU_TO_INTEGERS(suffix, function)                                   \
  CUDA_CPU_TO_INTEGER(int, __float2int_##suffix, float, function)                \
  CUDA_CPU_TO_INTEGER(unsigned int, __float2uint_##suffix, float, function)      \
  CUDA_CPU_TO_INTEGER(long long, __float2ll_##suffix, float, function)           \
  CUDA_CPU_TO_INTEGER(unsigned long long, __float2ull_##suffix, float, function) \
  CUDA_CPU_TO_INTEGER(int, __double2int_##suffix, double, function)              \
  CUDA_CPU_TO_INTEGER(unsigned int, __double2uint_##suffix, double, function)    \
  CUDA_CPU_TO_INTEGER(long long, __double2ll_##suffix, double, function)         \
  CUDA_CPU_TO_INTEGER(unsigned long long, __double2ull_##suffix, double, function)
CUDA_CPU_TO_INTEGERS(rn, std::nearbyint)
CUDA_CPU_TO_INTEGERS(rz, std::trunc)
CUDA_CPU_TO_INTEGERS(ru, std::ceil)
CUDA_CPU_TO_INTEGERS(rd, std::floor)
#undef CUDA_CPU_TO_INTEGERS
#undef CUDA_CPU_TO_INTEGER
inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned int x) { return x; }

inline double __longlong_as_double(long long x) {
  return cuda_cpu::from_bits<double>(static_cast<std::uint64_t>(x));
}
inline long long __double_as_longlong(double x) {
  return static_cast<long long>(cuda_cpu::to_bits(x));
}
inline int __double2hiint(double x) { return static_cast<int>(cuda_cpu::to_bits(x) >> 32); }
inline int __double2loint(double x) { return static_cast<int>(cuda_cpu::to_bits(x)); }
inline double __hiloint2double(int hi, int lo) {
  return cuda_cpu::from_bits<double>(static_cast<std::uint64_t>(static_cast<std::uint32_t>(hi))
                                         << 32 |
                                     static_cast<std::uint32_t>(lo));
}

// ---- approximations on a GPU, accurate here

inline float __logf(float x) { return std::log(x); }
inline float __log2f(float x) { return std::log2(x); }
inline float __log10f(float x) { return std::log10(x); }
inline float __expf(float x) { return std::exp(x); }
inline float __exp10f(float x) { return std::pow(10.0f, x); }
inline float __powf(float x, float y) { return std::pow(x, y); }
inline float __sinf(float x) { return std::sin(x); }
inline float __cosf(float x) { return std::cos(x); }
inline float __tanf(float x) { return std::tan(x); }
inline void __sincosf(float x, float *sine, float *cosine) {
  *sine = std::sin(x);
  *cosine = std::cos(x);
}
inline float __fdividef(float x, float y) { return x / y; }
inline float fdividef(float x, float y) { return x / y; }
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
inline float __frsqrt_rn(float x) {
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x)));
}
template <class = void>  // as min() in intrinsics.h
inline float rsqrtf(float x) {
  return __frsqrt_rn(x);
}
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline double rcbrt(double x) { return 1.0 / std::cbrt(x); }
inline float rcbrtf(float x) { return 1.0f / std::cbrt(x); }
// The steps before std::sin are exact, so that sinpi(1) is 0.
inline double sinpi(double x) {
  const double half_turns = std::remainder(x, 2.0);
  return std::sin(M_PI * (std::fabs(half_turns) > 0.5 ? std::copysign(1.0, half_turns) - half_turns
                                                      : half_turns));
}
inline float sinpif(float x) { return static_cast<float>(sinpi(double{x})); }
inline double cospi(double x) { return sinpi(0.5 - std::fabs(std::remainder(x, 2.0))); }
inline float cospif(float x) { return static_cast<float>(cospi(double{x})); }
inline void sincospi(double x, double *sine, double *cosine) {
  *sine = sinpi(x);
  *cosine = cospi(x);
}
inline void sincospif(float x, float *sine, float *cosine) {
  *sine = sinpif(x);
  *cosine = cospif(x);
}
inline double rhypot(double x, double y) { return 1.0 / std::hypot(x, y); }
inline float rhypotf(float x, float y) { return 1.0f / std::hypot(x, y); }
inline double norm3d(double x, double y, double z) { return std::hypot(x, y, z); }
inline float norm3df(float x, float y, float z) { return static_cast<float>(norm3d(x, y, z)); }
inline double rnorm3d(double x, double y, double z) { return 1.0 / norm3d(x, y, z); }
inline float rnorm3df(float x, float y, float z) { return static_cast<float>(rnorm3d(x, y, z)); }
inline double norm4d(double x, double y, double z, double w) {
  return std::hypot(std::hypot(x, y), std::hypot(z, w));
}
inline float norm4df(float x, float y, float z, float w) {
  return static_cast<float>(norm4d(x, y, z, w));
}
inline double normcdf(double x) { return 0.5 * std::erfc(-x * M_SQRT1_2); }
inline float normcdff(float x) { return static_cast<float>(normcdf(double{x})); }
inline double rnorm4d(double x, double y, double z, double w) { return 1.0 / norm4d(x, y, z, w); }
inline float rnorm4df(float x, float y, float z, float w) {
  return static_cast<float>(rnorm4d(x, y, z, w));
}
namespace cuda_cpu {
template <class T>
double length(int n, const T *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  return std::sqrt(sum);
}
}  // namespace cuda_cpu
inline double norm(int n, const double *x) { return cuda_cpu::length(n, x); }
inline float normf(int n, const float *x) { return static_cast<float>(cuda_cpu::length(n, x)); }
inline double rnorm(int n, const double *x) { return 1.0 / cuda_cpu::length(n, x); }
inline float rnormf(int n, const float *x) {
  return static_cast<float>(1.0 / cuda_cpu::length(n, x));
}

// src/math/special.cpp
double erfinv(double x);
double erfcinv(double x);
double erfcx(double x);  // exp(x^2) erfc(x)
double normcdfinv(double x);
double cyl_bessel_i0(double x);
double cyl_bessel_i1(double x);
inline float erfinvf(float x) { return static_cast<float>(erfinv(double{x})); }
inline float erfcinvf(float x) { return static_cast<float>(erfcinv(double{x})); }
inline float erfcxf(float x) { return static_cast<float>(erfcx(double{x})); }
inline float normcdfinvf(float x) { return static_cast<float>(normcdfinv(double{x})); }
inline float cyl_bessel_i0f(float x) { return static_cast<float>(cyl_bessel_i0(double{x})); }
inline float cyl_bessel_i1f(float x) { return static_cast<float>(cyl_bessel_i1(double{x})); }

#ifdef __CUDACC__  // CUDA's overloads for float; in host files exp10(2) is not ambiguous
#define CUDA_CPU_FLOAT(name) \
  inline float name(float x) { return name##f(x); }
CUDA_CPU_FLOAT(exp10)
CUDA_CPU_FLOAT(rcbrt)
CUDA_CPU_FLOAT(sinpi)
CUDA_CPU_FLOAT(cospi)
CUDA_CPU_FLOAT(erfinv)
CUDA_CPU_FLOAT(erfcinv)
CUDA_CPU_FLOAT(erfcx)
CUDA_CPU_FLOAT(normcdf)
CUDA_CPU_FLOAT(normcdfinv)
CUDA_CPU_FLOAT(cyl_bessel_i0)
CUDA_CPU_FLOAT(cyl_bessel_i1)
#undef CUDA_CPU_FLOAT
inline void sincos(float x, float *sine, float *cosine) { sincosf(x, sine, cosine); }
inline void sincospi(float x, float *sine, float *cosine) { sincospif(x, sine, cosine); }
#endif

#endif
