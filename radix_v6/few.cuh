// Few elements in one launch: each is put at the place that is the number of elements before it.
#ifndef RADIX_V6_FEW_CUH
#define RADIX_V6_FEW_CUH

#include "common/check.h"
#include "common/stages.h"
#include "gsort/kernel/rank.cuh"

enum { RANK_ROWS = 4, RANK_OWN = 32, RANKED_MOST = RANK_ROWS * RANK_THREADS };

// Sorts n <= RANKED_MOST elements.
static void sort_by_rank(Elements input, Elements output, size_t n) {
  const auto kernel = input.values == NULL ? rank_elements<RANK_ROWS, RANK_OWN, false>
                                           : rank_elements<RANK_ROWS, RANK_OWN, true>;
  const unsigned int blocks = (unsigned int)((n + RANK_OWN - 1) / RANK_OWN);
  stage_start("sweep");
  kernel<<<blocks, RANK_THREADS>>>(input, output, (unsigned int)n);
  LAUNCH_CHECK();
  stage_stop();
}

#endif
