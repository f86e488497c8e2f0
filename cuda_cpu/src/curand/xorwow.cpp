// Jumping ahead in the sequence of XORWOW: its xorshift is linear over GF(2), a matrix of 160 x 160
// bits, and n steps are the n-th power of it.
#include <cstddef>
#include <cstdint>
#include <vector>

// First vector types, which random_engines.h uses.
#include <cuda_runtime.h>

#include <cuda_cpu/random_engines.h>

namespace cuda_cpu {

namespace {

constexpr unsigned kWords = 5, kBits = 32 * kWords;

struct Vector {
  std::uint32_t word[kWords] = {};
};

struct Matrix {
  Vector image[kBits];  // of each unit vector
};

Vector times(const Vector &v, const Matrix &m) {
  Vector sum;
  for (unsigned i = 0; i < kBits; i++) {
    const std::uint32_t mask = 0u - (v.word[i / 32] >> i % 32 & 1u);
    for (unsigned w = 0; w < kWords; w++) sum.word[w] ^= m.image[i].word[w] & mask;
  }
  return sum;
}

Matrix one_step() {
  Matrix m;
  for (unsigned i = 0; i < kBits; i++) {
    Xorwow unit;
    for (unsigned w = 0; w < kWords; w++) unit.v[w] = w == i / 32 ? 1u << i % 32 : 0;
    unit.weyl = 0;
    (void)unit.next();
    for (unsigned w = 0; w < kWords; w++) m.image[i].word[w] = unit.v[w];
  }
  return m;
}

// Element k: 2^k steps. The last is that of the highest bit of a subsequence's number.
const std::vector<Matrix> &powers() {
  static const std::vector<Matrix> all = [] {
    std::vector<Matrix> m(67 + 64);
    m[0] = one_step();
    for (std::size_t k = 1; k < m.size(); k++)
      for (unsigned i = 0; i < kBits; i++) m[k].image[i] = times(m[k - 1].image[i], m[k - 1]);
    return m;
  }();
  return all;
}

}  // namespace

void xorwow_jump(std::uint32_t state[5], std::uint64_t n, unsigned log2_step) {
  Vector v;
  for (unsigned w = 0; w < kWords; w++) v.word[w] = state[w];
  for (std::size_t k = log2_step; n != 0; k++, n >>= 1)
    if ((n & 1) != 0) v = times(v, powers()[k]);
  for (unsigned w = 0; w < kWords; w++) state[w] = v.word[w];
}

}  // namespace cuda_cpu
