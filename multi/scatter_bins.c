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
