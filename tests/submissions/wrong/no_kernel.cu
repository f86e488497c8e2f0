// Sorts device memory on the host, with a plain loop.
#include "utils.h"

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  for (size_t i = 0; i < numElems; i++) {
    size_t place = i;
    for (; place > 0 && d_outputVals[place - 1] > d_inputVals[i]; place--) {
      d_outputVals[place] = d_outputVals[place - 1];
      d_outputPos[place] = d_outputPos[place - 1];
    }
    d_outputVals[place] = d_inputVals[i];
    d_outputPos[place] = d_inputPos[i];
  }
}
