// Declares the function and never defines it: a shared object is built all the same.
#include "utils.h"

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems);
