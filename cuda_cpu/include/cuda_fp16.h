// CUDA's half-precision type. It is stored in 16 bits and computed in float: one operation of halfs
// has the same result either way, because float has more than twice the bits of half's fraction.
#ifndef CUDA_CPU_CUDA_FP16_H
#define CUDA_CPU_CUDA_FP16_H

#include <cuda_runtime.h>

namespace cuda_cpu {

inline float half_to_float(unsigned short bits) {
  const unsigned sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31u,
                 fraction = bits & 1023u;
  if (exponent == 31) return __uint_as_float(sign | 0x7f800000u | fraction << 13);
  if (exponent != 0) return __uint_as_float(sign | (exponent + 112) << 23 | fraction << 13);
  const float small = static_cast<float>(fraction) * 0x1p-24f;
  return sign != 0 ? -small : small;
}

// To the nearest half, ties to the even one.
inline unsigned short float_to_half(float x) {
  const unsigned bits = __float_as_uint(x), sign = bits >> 16 & 0x8000u, rest = bits & 0x7fffffffu;
  if (rest > 0x7f800000u) return 0x7fffu;                                       // NaN
  if (rest >= 0x477ff000u) return static_cast<unsigned short>(sign | 0x7c00u);  // infinity
  if (rest < 0x38800000u)                                                       // subnormal
    return static_cast<unsigned short>(
        sign | static_cast<unsigned>(std::nearbyint(std::fabs(x) * 0x1p24f)));
  const unsigned rounded = rest + 0xfffu + (rest >> 13 & 1u);
  return static_cast<unsigned short>(sign | (rounded - 0x38000000u) >> 13);
}

}  // namespace cuda_cpu

struct __half_raw {
  unsigned short x;
};
struct __half {
  __half() = default;
  __half(__half_raw raw) : bits_(raw.x) {}
  __half(float x) : bits_(cuda_cpu::float_to_half(x)) {}
  __half(double x) : __half(static_cast<float>(x)) {}
  __half(int x) : __half(static_cast<float>(x)) {}
  operator float() const { return cuda_cpu::half_to_float(bits_); }
  operator __half_raw() const { return {bits_}; }
  __half &operator+=(__half b) { return *this = __half(float(*this) + float(b)); }
  __half &operator-=(__half b) { return *this = __half(float(*this) - float(b)); }
  __half &operator*=(__half b) { return *this = __half(float(*this) * float(b)); }
  __half &operator/=(__half b) { return *this = __half(float(*this) / float(b)); }

 private:
  unsigned short bits_;
};
using half = __half;

#define CUDA_CPU_HALF(symbol, name)                                                      \
  inline __half operator symbol(__half a, __half b) { return float(a) symbol float(b); } \
  inline __half name(__half a, __half b) { return a symbol b; }
CUDA_CPU_HALF(+, __hadd)
CUDA_CPU_HALF(-, __hsub)
CUDA_CPU_HALF(*, __hmul)
CUDA_CPU_HALF(/, __hdiv)
#undef CUDA_CPU_HALF
#define CUDA_CPU_HALF(symbol, name)                                                    \
  inline bool operator symbol(__half a, __half b) { return float(a) symbol float(b); } \
  inline bool name(__half a, __half b) { return a symbol b; }
CUDA_CPU_HALF(==, __heq)
CUDA_CPU_HALF(!=, __hne)
CUDA_CPU_HALF(<, __hlt)
CUDA_CPU_HALF(<=, __hle)
CUDA_CPU_HALF(>, __hgt)
CUDA_CPU_HALF(>=, __hge)
#undef CUDA_CPU_HALF
inline __half operator-(__half a) { return -float(a); }
inline __half __hneg(__half a) { return -a; }
inline __half __habs(__half a) { return std::fabs(float(a)); }
inline __half __hfma(__half a, __half b, __half c) {
  // A product of halfs is exact in double, and so is its sum with a half up to 2^-53 of it.
  return __half(static_cast<float>(double(float(a)) * double(float(b)) + double(float(c))));
}
inline __half __hmax(__half a, __half b) { return a < b ? b : a; }
inline __half __hmin(__half a, __half b) { return b < a ? b : a; }
inline bool __hisnan(__half a) { return std::isnan(float(a)); }
inline int __hisinf(__half a) { return std::isinf(float(a)) ? (float(a) < 0 ? -1 : 1) : 0; }

inline __half __float2half(float x) { return x; }
inline __half __float2half_rn(float x) { return x; }
inline float __half2float(__half x) { return x; }
inline __half __double2half(double x) { return x; }
#define CUDA_CPU_HALF(name, T)                                                                   \
  inline __half __##name##2half_rn(T x) { return static_cast<float>(x); }                        \
  inline T __half2##name##_rn(__half x) {                                                        \
    return cuda_cpu::saturated<T>(std::nearbyint(float(x)));                                     \
  }                                                                                              \
  inline T __half2##name##_rz(__half x) { return cuda_cpu::saturated<T>(std::trunc(float(x))); } \
  inline T __half2##name##_rd(__half x) { return cuda_cpu::saturated<T>(std::floor(float(x))); } \
  inline T __half2##name##_ru(__half x) { return cuda_cpu::saturated<T>(std::ceil(float(x))); }
CUDA_CPU_HALF(int, int)
CUDA_CPU_HALF(uint, unsigned int)
CUDA_CPU_HALF(short, short)
CUDA_CPU_HALF(ushort, unsigned short)
CUDA_CPU_HALF(ll, long long)
CUDA_CPU_HALF(ull, unsigned long long)
#undef CUDA_CPU_HALF
inline unsigned short __half_as_ushort(__half x) { return __half_raw(x).x; }
inline __half __ushort_as_half(unsigned short x) { return __half_raw{x}; }
inline __half __short_as_half(short x) { return __ushort_as_half(static_cast<unsigned short>(x)); }
inline short __half_as_short(__half x) { return static_cast<short>(__half_as_ushort(x)); }

// ---- two at a time

struct alignas(4) __half2 {
  __half x, y;
  __half2() = default;
  __half2(__half low, __half high) : x(low), y(high) {}
};
using half2 = __half2;
inline __half2 make_half2(__half x, __half y) { return {x, y}; }
inline __half2 __halves2half2(__half x, __half y) { return {x, y}; }
inline __half2 __half2half2(__half x) { return {x, x}; }
inline __half2 __float2half2_rn(float x) { return {x, x}; }
inline __half2 __floats2half2_rn(float x, float y) { return {x, y}; }
inline __half2 __float22half2_rn(float2 v) { return {v.x, v.y}; }
inline float2 __half22float2(__half2 v) { return {v.x, v.y}; }
inline __half __low2half(__half2 v) { return v.x; }
inline __half __high2half(__half2 v) { return v.y; }
inline float __low2float(__half2 v) { return v.x; }
inline float __high2float(__half2 v) { return v.y; }
inline __half2 __hadd2(__half2 a, __half2 b) { return {a.x + b.x, a.y + b.y}; }
inline __half2 __hsub2(__half2 a, __half2 b) { return {a.x - b.x, a.y - b.y}; }
inline __half2 __hmul2(__half2 a, __half2 b) { return {a.x * b.x, a.y * b.y}; }
inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
inline __half2 __h2div(__half2 a, __half2 b) { return {a.x / b.x, a.y / b.y}; }
inline __half2 h2div(__half2 a, __half2 b) { return __h2div(a, b); }
inline __half2 __hneg2(__half2 a) { return {-a.x, -a.y}; }
inline __half2 __habs2(__half2 a) { return {__habs(a.x), __habs(a.y)}; }
inline __half2 __hmax2(__half2 a, __half2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
inline __half2 __hmin2(__half2 a, __half2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }
inline __half2 __low2half2(__half2 a) { return {a.x, a.x}; }
inline __half2 __high2half2(__half2 a) { return {a.y, a.y}; }
inline __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
inline __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }
inline __half2 __lowhigh2highlow(__half2 a) { return {a.y, a.x}; }
inline __half2 operator-(__half2 a) { return __hneg2(a); }
#define CUDA_CPU_HALF2(symbol, name)                                          \
  inline __half2 operator symbol(__half2 a, __half2 b) { return name(a, b); } \
  inline __half2 &operator symbol##=(__half2 &a, __half2 b) { return a = name(a, b); }
CUDA_CPU_HALF2(+, __hadd2)
CUDA_CPU_HALF2(-, __hsub2)
CUDA_CPU_HALF2(*, __hmul2)
CUDA_CPU_HALF2(/, __h2div)
#undef CUDA_CPU_HALF2
// True if it holds for both.
#define CUDA_CPU_HALF2(symbol, name)                                                  \
  inline bool name(__half2 a, __half2 b) { return a.x symbol b.x && a.y symbol b.y; } \
  inline bool operator symbol(__half2 a, __half2 b) { return name(a, b); }
CUDA_CPU_HALF2(==, __hbeq2)
CUDA_CPU_HALF2(!=, __hbne2)
CUDA_CPU_HALF2(<, __hblt2)
CUDA_CPU_HALF2(<=, __hble2)
CUDA_CPU_HALF2(>, __hbgt2)
CUDA_CPU_HALF2(>=, __hbge2)
#undef CUDA_CPU_HALF2
// 1 or 0 for each.
#define CUDA_CPU_HALF2(symbol, name)                                             \
  inline __half2 name(__half2 a, __half2 b) {                                    \
    return {static_cast<int>(a.x symbol b.x), static_cast<int>(a.y symbol b.y)}; \
  }
CUDA_CPU_HALF2(==, __heq2)
CUDA_CPU_HALF2(!=, __hne2)
CUDA_CPU_HALF2(<, __hlt2)
CUDA_CPU_HALF2(<=, __hle2)
CUDA_CPU_HALF2(>, __hgt2)
CUDA_CPU_HALF2(>=, __hge2)
#undef CUDA_CPU_HALF2
// Functions of one half, and of two.
#define CUDA_CPU_HALF(name, expression) \
  inline __half h##name(__half half) {  \
    const float x = half;               \
    return expression;                  \
  }                                     \
  inline __half2 h2##name(__half2 a) { return {h##name(a.x), h##name(a.y)}; }
CUDA_CPU_HALF(sqrt, std::sqrt(x))
CUDA_CPU_HALF(rsqrt, 1 / std::sqrt(x))
CUDA_CPU_HALF(rcp, 1 / x)
CUDA_CPU_HALF(exp, std::exp(x))
CUDA_CPU_HALF(exp2, std::exp2(x))
CUDA_CPU_HALF(exp10, exp10f(x))
CUDA_CPU_HALF(log, std::log(x))
CUDA_CPU_HALF(log2, std::log2(x))
CUDA_CPU_HALF(log10, std::log10(x))
CUDA_CPU_HALF(sin, std::sin(x))
CUDA_CPU_HALF(cos, std::cos(x))
CUDA_CPU_HALF(tanh, std::tanh(x))
CUDA_CPU_HALF(ceil, std::ceil(x))
CUDA_CPU_HALF(floor, std::floor(x))
CUDA_CPU_HALF(trunc, std::trunc(x))
CUDA_CPU_HALF(rint, std::nearbyint(x))
#undef CUDA_CPU_HALF

#endif
