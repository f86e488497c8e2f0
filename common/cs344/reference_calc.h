// CS344's reference_calc.h, written anew.
#ifndef COMMON_CS344_REFERENCE_CALC_H
#define COMMON_CS344_REFERENCE_CALC_H

#include <cstddef>

// Sorts numElems keys ascending, each with its position; equal keys keep their order. Host arrays.
inline void reference_calculation(unsigned int *inputVals, unsigned int *inputPos,
                                  unsigned int *outputVals, unsigned int *outputPos,
                                  const std::size_t numElems);

#include "reference_calc.cpp"

#endif
