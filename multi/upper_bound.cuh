// A search in a short sorted array in shared memory.
#ifndef MULTI_UPPER_BOUND_CUH
#define MULTI_UPPER_BOUND_CUH

// Number of elements of the ascending array that are not greater than value. Few are all compared:
// that takes no branches, and all lanes read the same ones.
template <class Value>
static __device__ __forceinline__ unsigned int upper_bound(const Value *ascending,
                                                           unsigned int count, Value value) {
  unsigned int low = 0, high = count;
  if (count < 8) {
    for (unsigned int i = 0; i < count; i++) low += ascending[i] <= value;
    return low;
  }
  while (low < high) {
    const unsigned int middle = (low + high) / 2;
    if (ascending[middle] <= value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

#endif
