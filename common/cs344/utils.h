// CS344's utils.h, written anew: checked CUDA calls and comparisons of host arrays. A failed check
// ends the program with exit code 3 (a CUDA call) or 1 (a wrong result); see common/check.h.
#ifndef COMMON_CS344_UTILS_H
#define COMMON_CS344_UTILS_H

#include <cuda.h>
#include <cuda_runtime.h>
#include <cuda_runtime_api.h>

// With the compilers of the course, the headers above and <iostream> brought more than they do now.
#include <algorithm>
#include <cassert>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <utility>
#include <vector>
#if __has_include(<thrust/device_ptr.h>)
#include <thrust/device_ptr.h>  // in the homework's own lines for debugging; <thrust/host_vector.h> brought it
#endif

// Of the cpu backend, which knows where an earlier call failed; null with NVIDIA's runtime.
extern "C" __attribute__((weak)) void cuda_cpu_error_origin(char *text, size_t size);

#define checkCudaErrors(value) check((value), #value, __FILE__, __LINE__)

template <typename Error>
void check(Error error, const char *const expression, const char *const file, const int line) {
  if (error == cudaSuccess) return;
  std::cout.flush();
  std::cerr << file << ":" << line << ": " << expression << ": " << cudaGetErrorString(error);
  if (cuda_cpu_error_origin != nullptr && std::strstr(expression, "LastError") != nullptr) {
    char origin[512];
    cuda_cpu_error_origin(origin, sizeof origin);
    std::cerr << " (" << origin << ")";
  }
  std::cerr << std::endl;
  std::exit(3);
}

namespace cs344 {

// Ends the program if element i of a result is not what was expected.
template <typename T>
void differs(size_t i, const T &expected, const T &actual) {
  std::cout.flush();
  std::cerr << std::setprecision(17) << "element " << i << " is " << +actual << ", expected "
            << +expected << std::endl;
  std::exit(1);
}

}  // namespace cs344

// Every element of the result equals the reference.
template <typename T>
void checkResultsExact(const T *const reference, const T *const result, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!(reference[i] == result[i])) cs344::differs(i, reference[i], result[i]);
}

// Every element is off by at most absolute_1, and by at most relative_2 of the reference.
template <typename T>
void checkResultsEps(const T *const reference, const T *const result, size_t count,
                     double absolute_1, double relative_2) {
  for (size_t i = 0; i < count; i++) {
    const double expected = reference[i], difference = std::fabs(expected - double(result[i]));
    if (difference > absolute_1 || difference > relative_2 * std::fabs(expected))
      cs344::differs(i, reference[i], result[i]);
  }
}

// At most `tolerance` elements are off by more than `variance`.
template <typename T>
void checkResultsAutodesk(const T *const reference, const T *const result, size_t count,
                          double variance, size_t tolerance) {
  size_t wrong = 0;
  for (size_t i = 0; i < count; i++)
    if (std::fabs(double(reference[i]) - double(result[i])) > variance && ++wrong > tolerance)
      cs344::differs(i, reference[i], result[i]);
}

#endif
