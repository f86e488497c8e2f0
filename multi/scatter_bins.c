#include <string.h>

#include "multi/scatter.h"

void scatter_bin_sizes(const uint64_t digit[SCATTER_DIGITS + 1], const uint64_t *cut, int ranks,
                       uint64_t *size) {
  memset(size, 0, (size_t)scatter_bins(ranks) * sizeof *size);
  for (int d = 0; d < ranks; d++)
    for (int g = 0; g < SCATTER_DIGITS; g++) {
      const uint64_t begin = digit[g] > cut[d] ? digit[g] : cut[d];
      const uint64_t end = digit[g + 1] < cut[d + 1] ? digit[g + 1] : cut[d + 1];
      if (begin < end) size[g + d] = end - begin;
    }
}
