// Sorts floats in a thrust::device_vector from the greatest to the least, and what belongs to them:
//   nvcc thrust.cu $(pkg-config --cflags --libs gsort)
// Without a GPU (libthrust-dev): c++ -x c++ thrust.cu $(pkg-config --cflags --libs gsort)
#include <cuda_runtime.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

#include <gsort.h>

#include <cstdio>
#include <stdexcept>

static void check(int error) {
  if (error != GSORT_OK) throw std::runtime_error(gsort_error_string(error));
}

template <class T>
static T *address(thrust::device_vector<T> &vector) {
  return thrust::raw_pointer_cast(vector.data());
}

int main() {
  const size_t n = 100000;
  thrust::host_vector<float> scores(n);
  thrust::host_vector<unsigned int> names(n);
  for (size_t i = 0; i < n; i++) {
    scores[i] = (float)(i * 7919 % n) / 8 - 1000;
    names[i] = (unsigned int)i;
  }
  thrust::device_vector<float> keys = scores, sorted(n);
  thrust::device_vector<unsigned int> values = names, moved(n);

  gsort *sort;
  size_t bytes;
  check(gsort_create(&sort, GSORT_F32, GSORT_VALUE32));
  check(gsort_set(sort, GSORT_DESCENDING, 1));
  check(gsort_workspace(sort, n, &bytes));
  thrust::device_vector<char> workspace(bytes);
  check(gsort_run(sort, address(workspace), bytes, address(keys), address(sorted), address(values),
                  address(moved), n, nullptr));
  const thrust::host_vector<float> result = sorted;
  const thrust::host_vector<unsigned int> result_names = moved;
  gsort_destroy(sort);

  size_t wrong = 0;
  for (size_t i = 0; i < n; i++)
    wrong += result[i] != scores[result_names[i]] || (i > 0 && result[i - 1] < result[i]);
  std::printf("%zu scores, %zu in a wrong place: %g .. %g\n", n, wrong, result[0], result[n - 1]);
  return wrong != 0;
}
