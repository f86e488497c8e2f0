// Thrust for keys of any type: stable_sort_by_key, and sort for bare keys. Thrust sorts in place
// and allocates its memory at each call, both within its time.
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include "harness/typed/typed.h"

static const SortKnob knobs[] = {{}};

extern "C" const SortVersion sort_version = typed_sort(
    "thrust", "thrust::stable_sort_by_key; for bare keys thrust::sort", "NVIDIA's Thrust", knobs,
    1.1);  // the library's second buffer and its counters

template <class T>
static T *copy(unsigned int *to, const unsigned int *from, size_t n) {
  CUDA_CHECK(cudaMemcpyAsync(to, from, n * sizeof(T), cudaMemcpyDeviceToDevice, 0));
  return (T *)to;
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  stage_start("sort");
  Key *const keys = copy<Key>(d_outputVals, d_inputVals, numElems);
  Value *const values = d_inputPos == NULL ? NULL : copy<Value>(d_outputPos, d_inputPos, numElems);
#ifdef CUDA_CPU
  const cuda_cpu::DeviceScope library_runs_on_the_device;
#endif
  if (values == NULL)
    thrust::sort(thrust::device, keys, keys + numElems);
  else
    thrust::stable_sort_by_key(thrust::device, keys, keys + numElems, values);
  stage_stop();
}
