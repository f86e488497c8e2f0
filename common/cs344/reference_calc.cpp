// Solutions of CS344 include this file, hence its suffix and the `inline`.
#ifndef COMMON_CS344_REFERENCE_CALC_CPP
#define COMMON_CS344_REFERENCE_CALC_CPP

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

inline void reference_calculation(unsigned int *inputVals, unsigned int *inputPos,
                                  unsigned int *outputVals, unsigned int *outputPos,
                                  const std::size_t numElems) {
  std::vector<std::size_t> order(numElems);
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(), [inputVals](std::size_t a, std::size_t b) {
    return inputVals[a] < inputVals[b];
  });
  for (std::size_t i = 0; i < numElems; i++) {
    outputVals[i] = inputVals[order[i]];
    outputPos[i] = inputPos[order[i]];
  }
}

#endif
