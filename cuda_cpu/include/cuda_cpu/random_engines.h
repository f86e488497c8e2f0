// The generators of curand_kernel.h, and the distributions made of their numbers.
#ifndef CUDA_CPU_RANDOM_ENGINES_H
#define CUDA_CPU_RANDOM_ENGINES_H

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace cuda_cpu {

// state <- state * T^(n * 2^log2_step), where T is a step of xorshift over GF(2)
// (src/curand/xorwow.cpp).
void xorwow_jump(std::uint32_t state[5], std::uint64_t n, unsigned log2_step);

// What both generators keep of the normal distribution.
struct NormalPairs {
  bool has_normal = false, has_normal_double = false;
  float normal = 0;  // the second of a pair
  double normal_double = 0;
};

struct Xorwow : NormalPairs {
  std::uint32_t weyl, v[5];
  Xorwow() = default;
  // Marsaglia's initial state, changed by the seed as cuRAND does.
  explicit Xorwow(std::uint64_t seed) {
    const std::uint32_t low = (static_cast<std::uint32_t>(seed) ^ 0xaad26b49u) * 1099087573u;
    const std::uint32_t high = (static_cast<std::uint32_t>(seed >> 32) ^ 0xf7dcefddu) * 2591861531u;
    weyl = 6615241u + low + high;
    v[0] = 123456789u + low;
    v[1] = 362436069u ^ low;
    v[2] = 521288629u + high;
    v[3] = 88675123u ^ high;
    v[4] = 5783321u + low;
  }
  std::uint32_t next() {
    const std::uint32_t t = v[0] ^ v[0] >> 2;
    for (int i = 0; i < 4; i++) v[i] = v[i + 1];
    v[4] = v[4] ^ v[4] << 4 ^ t ^ t << 1;
    weyl += kWeylStep;
    return v[4] + weyl;
  }
  void skip_numbers(std::uint64_t n) {
    jump(n, 0);
    weyl += static_cast<std::uint32_t>(n) * kWeylStep;
  }
  void skip_sequences(std::uint64_t n) { jump(n, 67); }  // 2^67 steps leave `weyl` as it is

 private:
  static constexpr std::uint32_t kWeylStep = 362437;
  void jump(std::uint64_t n, unsigned log2_step) {
    if (n == 0) return;
    std::uint32_t copy[5];  // the library's accesses are not checked, these are
    for (int i = 0; i < 5; i++) copy[i] = v[i];
    xorwow_jump(copy, n, log2_step);
    for (int i = 0; i < 5; i++) v[i] = copy[i];
  }
};

struct Philox : NormalPairs {
  std::uint32_t counter[4], key[2], out[4];
  unsigned used;  // numbers of `out`
  Philox() = default;
  explicit Philox(std::uint64_t seed)
      : counter{},
        key{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
        used(0) {
    generate();
  }
  std::uint32_t next() {
    const std::uint32_t x = out[used++];
    if (used == 4) next_block();
    return x;
  }
  uint4 next4() {
    std::uint32_t x[4];
    for (int i = 0; i < 4; i++) {
      const unsigned at = used + static_cast<unsigned>(i);
      if (at == 4) {
        add(0, 1);
        generate();
      }
      x[i] = out[at % 4];
    }
    if (used == 0) next_block();
    return {x[0], x[1], x[2], x[3]};
  }
  void skip_numbers(std::uint64_t n) {
    used += static_cast<unsigned>(n % 4);
    add(0, n / 4 + used / 4);
    used %= 4;
    generate();
  }
  void skip_sequences(std::uint64_t n) {
    add(2, n);
    generate();
  }

 private:
  void next_block() {
    used = 0;
    add(0, 1);
    generate();
  }
  // Adds n * 2^(32 word) to the counter of 128 bits.
  void add(int word, std::uint64_t n) {
    std::uint64_t carry = 0;
    for (int i = word; i < 4; i++) {
      const std::uint64_t part = i == word ? n & 0xffffffffu : i == word + 1 ? n >> 32 : 0;
      const std::uint64_t sum = counter[i] + part + carry;
      counter[i] = static_cast<std::uint32_t>(sum);
      carry = sum >> 32;
    }
  }
  void generate() {
    std::uint32_t c[4], k[2] = {key[0], key[1]};
    for (int i = 0; i < 4; i++) c[i] = counter[i];
    for (int round = 0; round < 10; round++) {
      const std::uint64_t a = std::uint64_t{0xd2511f53u} * c[0],
                          b = std::uint64_t{0xcd9e8d57u} * c[2];
      const std::uint32_t c1 = c[1], c3 = c[3];
      c[0] = static_cast<std::uint32_t>(b >> 32) ^ c1 ^ k[0];
      c[1] = static_cast<std::uint32_t>(b);
      c[2] = static_cast<std::uint32_t>(a >> 32) ^ c3 ^ k[1];
      c[3] = static_cast<std::uint32_t>(a);
      k[0] += 0x9e3779b9u;
      k[1] += 0xbb67ae85u;
    }
    for (int i = 0; i < 4; i++) out[i] = c[i];
  }
};

template <class State>
using IfGenerator =
    std::enable_if_t<std::is_same_v<State, Xorwow> || std::is_same_v<State, Philox>, int>;

inline uint4 four(Philox &state) { return state.next4(); }
inline uint4 four(Xorwow &state) {
  const std::uint32_t x = state.next(), y = state.next(), z = state.next(), w = state.next();
  return {x, y, z, w};
}

// In (0, 1]: the middle of the interval of 2^-32 or 2^-53 that the number stands for.
inline float to_uniform(std::uint32_t x) { return static_cast<float>(x) * 0x1p-32f + 0x1p-33f; }
inline double to_uniform_double(std::uint32_t x, std::uint32_t y) {
  return static_cast<double>(x ^ std::uint64_t{y} << 21) * 0x1p-53 + 0x1p-54;
}

inline float2 to_normals(std::uint32_t x, std::uint32_t y) {
  constexpr float kTwoPi = 6.2831855f;
  const float radius = std::sqrt(-2.0f * std::log(to_uniform(x)));
  const float angle = static_cast<float>(y) * (0x1p-32f * kTwoPi) + 0x1p-33f * kTwoPi;
  return {radius * std::sin(angle), radius * std::cos(angle)};
}
inline double2 to_normals_double(const uint4 &x) {
  const double radius = std::sqrt(-2.0 * std::log(to_uniform_double(x.x, x.y)));
  const double angle = 2.0 * M_PI * to_uniform_double(x.z, x.w);
  return {radius * std::sin(angle), radius * std::cos(angle)};
}

}  // namespace cuda_cpu

#endif
