// Shifts as a GPU computes them: by 32 or more (by 64 or more for 64 bits) everything is shifted
// out, whereas an x86 processor takes the count modulo 32.
//
// The rewriter turns a << b in device code into a << cuda_cpu::shift << b, which has the same
// precedence, and a <<= b into a <<= cuda_cpu::shift = b.
#ifndef CUDA_CPU_SHIFT_H
#define CUDA_CPU_SHIFT_H

#include <iosfwd>
#include <type_traits>
#include <utility>

namespace cuda_cpu {

struct ShiftCount {
  unsigned count;
};
struct Shift {
  template <class N>
  constexpr ShiftCount operator=(N count) const {
    return {static_cast<unsigned>(count)};
  }
};
inline constexpr Shift shift{};

template <class T>
constexpr T shifted_left(T value, unsigned count) {
  using Bits = std::make_unsigned_t<T>;
  return count < 8 * sizeof(T) ? static_cast<T>(static_cast<Bits>(value) << count) : T(0);
}
template <class T>
constexpr T shifted_right(T value, unsigned count) {
  constexpr unsigned last = 8 * sizeof(T) - 1;
  if (std::is_signed_v<T>) return static_cast<T>(value >> (count < last ? count : last));
  return count <= last ? static_cast<T>(value >> count) : T(0);
}

// `value << shift`, which waits for its count.
template <class T>
struct Shiftee {
  T value;
  template <class N>
  constexpr T operator<<(N count) const {
    return shifted_left(value, static_cast<unsigned>(count));
  }
  template <class N>
  constexpr T operator>>(N count) const {
    return shifted_right(value, static_cast<unsigned>(count));
  }
};
template <class Stream>
struct Manipulator {
  using Type = Stream &(*)(Stream &);
};
// Objects with operators.
template <class T>
struct NotShifted {
  T &&object;
  template <class X>
  constexpr decltype(auto) operator<<(X &&x) const {
    return std::forward<T>(object) << std::forward<X>(x);
  }
  template <class X>
  constexpr decltype(auto) operator>>(X &&x) const {
    return std::forward<T>(object) >> std::forward<X>(x);
  }
  // std::endl and other templates of manipulators: the stream tells of which type they are.
  template <class U = std::decay_t<T>,
            class Stream = std::basic_ostream<typename U::char_type, typename U::traits_type>>
  Stream &operator<<(typename Manipulator<Stream>::Type manipulator) const {
    return manipulator(object);
  }
};

template <class T>
constexpr auto shiftee(T &&value) {
  using Value = std::decay_t<T>;
  if constexpr (std::is_convertible_v<Value, long long> &&
                (std::is_integral_v<Value> || std::is_enum_v<Value>))
    return Shiftee<decltype(+value)>{value};
  else
    return NotShifted<T>{std::forward<T>(value)};
}
template <class T>
constexpr auto operator<<(T &&value, Shift) {
  return shiftee(std::forward<T>(value));
}
template <class T>
constexpr auto operator>>(T &&value, Shift) {
  return shiftee(std::forward<T>(value));
}
template <class T>
constexpr T &operator<<=(T &value, ShiftCount by) {
  return value = static_cast<T>(shifted_left(+value, by.count));
}
template <class T>
constexpr T &operator>>=(T &value, ShiftCount by) {
  return value = static_cast<T>(shifted_right(+value, by.count));
}

}  // namespace cuda_cpu
#endif
