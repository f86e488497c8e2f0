#include <string.h>

#include "multi/scatter.h"

void scatter_bin_sizes(const uint64_t *digit, int bits, const uint64_t *cut, int ranks,
                       uint64_t *size) {
  memset(size, 0, (size_t)scatter_bins(ranks, bits) * sizeof *size);
  for (int d = 0; d < ranks; d++)
    for (int g = 0; g < 1 << bits; g++) {
      const uint64_t begin = digit[g] > cut[d] ? digit[g] : cut[d];
      const uint64_t end = digit[g + 1] < cut[d + 1] ? digit[g + 1] : cut[d + 1];
      if (begin < end) size[g + d] = end - begin;
    }
}

// Adds the counts of the prefixes first .. behind - 1, by their digits.
static void add_by_digit(const uint32_t *counts, uint32_t first, uint32_t behind, int shift,
                         uint32_t mask, uint64_t *size) {
  const uint32_t equal = (1u << shift) - 1;  // neighbours with one digit differ in these bits
  for (uint32_t v = first; v < behind;) {
    const uint32_t last = v | (shift > 0 ? equal : mask), end = last < behind ? last + 1 : behind;
    uint64_t *const to = size + (v >> shift & mask);
    const uint32_t *const from = counts + v;
    if (shift > 0) {
      uint64_t sum = 0;
      for (uint32_t i = 0; i < end - v; i++) sum += from[i];
      *to += sum;
    } else {
      for (uint32_t i = 0; i < end - v; i++) to[i] += from[i];
    }
    v = end;
  }
}

void digit_bin_sizes(const uint32_t *counts, const uint64_t *cut, int ranks, int shift, int bits,
                     uint64_t *size) {
  enum { GROUP = 256, HALVES = 1 << 16 };
  const uint32_t mask = (1u << bits) - 1;
  memset(size, 0, ((size_t)ranks << bits) * sizeof *size);
  uint64_t place = 0;  // of the sorted array: where prefix v begins
  uint32_t v = 0;
  for (int d = 0; d < ranks; d++) {
    uint64_t *const own = size + ((size_t)d << bits);
    // The rest of a prefix that a border has cut.
    if (v < HALVES && place < cut[d]) {
      const uint64_t behind = place + counts[v], end = behind < cut[d + 1] ? behind : cut[d + 1];
      own[v >> shift & mask] += end - cut[d];
      if (behind > cut[d + 1]) continue;
      place = behind;
      v++;
    }
    const uint32_t first = v;
    for (; v < HALVES; v++) {  // whole prefixes, by groups if possible
      uint64_t group = 0;
      if (v % GROUP == 0) {
        for (uint32_t i = v; i < v + GROUP; i++) group += counts[i];
        if (place + group <= cut[d + 1]) {
          place += group;
          v += GROUP - 1;
          continue;
        }
      }
      if (place + counts[v] > cut[d + 1]) break;
      place += counts[v];
    }
    add_by_digit(counts, first, v, shift, mask, own);
    if (v < HALVES && place < cut[d + 1]) own[v >> shift & mask] += cut[d + 1] - place;
  }
}
