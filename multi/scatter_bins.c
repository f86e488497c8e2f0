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

void digit_bin_sizes(const uint64_t *counts, const uint64_t *cut, int ranks, int shift, int bits,
                     uint64_t *size) {
  memset(size, 0, ((size_t)ranks << bits) * sizeof *size);
  uint64_t place = 0;  // in the sorted array
  uint32_t d = 0;
  for (uint32_t v = 0; v < 1 << 16; v++) {
    const uint32_t digit = v >> shift & ((1u << bits) - 1);
    for (uint64_t left = counts[v]; left > 0;) {
      while (place >= cut[d + 1]) d++;
      const uint64_t room = cut[d + 1] - place, part = left < room ? left : room;
      size[d << bits | digit] += part;
      place += part;
      left -= part;
    }
  }
}
