// CUB's sorts for keys of any type, with scratch allocated beforehand. Which of them is the fastest
// depends on type and n, so compare measures all three.
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>

#include "harness/typed/typed.h"

enum { RADIX_INT, RADIX_SIZE_T, MERGE };
static const SortKnob knobs[] = {
    {"algorithm", RADIX_SIZE_T, RADIX_INT, MERGE,
     "0: DeviceRadixSort, num_items is an int; 1: the same, a size_t; 2: DeviceMergeSort"},
    {},
};

extern "C" const SortVersion sort_version =
    typed_sort("cub", "cub::DeviceRadixSort or DeviceMergeSort, scratch allocated beforehand",
               "the library behind Thrust's sort", knobs, 1.1);  // a second buffer and counters

struct Less {
  __device__ bool operator()(Key a, Key b) const { return a < b; }
};

// One call to CUB; with scratch NULL it only writes how much scratch it needs.
template <class Index>
static cudaError_t radix_sort(void *scratch, size_t &bytes, const Key *keys, Key *sorted,
                              const Value *values, Value *moved, Index n) {
  if (values == NULL) return cub::DeviceRadixSort::SortKeys(scratch, bytes, keys, sorted, n);
  return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, sorted, values, moved, n);
}

static cudaError_t sort(void *scratch, size_t &bytes, const Key *keys, Key *sorted,
                        const Value *values, Value *moved, size_t n) {
  const int algorithm = knob("algorithm");
  if (algorithm == RADIX_INT && n <= INT32_MAX)
    return radix_sort(scratch, bytes, keys, sorted, values, moved, (int)n);
  if (algorithm != MERGE) return radix_sort(scratch, bytes, keys, sorted, values, moved, n);
  if (values == NULL)
    return cub::DeviceMergeSort::StableSortKeysCopy(scratch, bytes, keys, sorted, n, Less());
  return cub::DeviceMergeSort::SortPairsCopy(scratch, bytes, keys, values, sorted, moved, n,
                                             Less());
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  const Key *const keys = (const Key *)d_inputVals;
  const Value *const values = (const Value *)d_inputPos;
  Key *const sorted = (Key *)d_outputVals;
  Value *const moved = (Value *)d_outputPos;
  size_t bytes = 0;
  CUDA_CHECK(sort(NULL, bytes, keys, sorted, values, moved, numElems));
  void *const scratch = scratch_alloc(bytes);
  stage_start("sort");
  CUDA_CHECK(sort(scratch, bytes, keys, sorted, values, moved, numElems));
  stage_stop();
  scratch_free(scratch);
}
