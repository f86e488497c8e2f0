// Shared by the tests: main(), checked calls, arrays on the device, and tests of diagnoses.
//
// A failed assertion jumps back into cmocka, which is impossible from a kernel: kernels write their
// results to arrays, and the host asserts.
#ifndef CUDA_CPU_TESTS_DEVICE_TEST_H
#define CUDA_CPU_TESTS_DEVICE_TEST_H

#include <cuda_runtime.h>

#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "test.h"

// ---- tests of diagnoses -------------------------------------------------------------------------

// A mistake ends the program, so a test of a diagnosis runs this program again, with the mistake's
// name as its argument. MISTAKE(name) { ... }
struct Mistake {
  std::string name;
  std::function<void()> make;
};
inline std::vector<Mistake> mistakes;
struct AddMistake {
  AddMistake(const std::string &name, const std::function<void()> &make) {
    mistakes.push_back({name, make});
  }
};
#define MISTAKE(name)                                            \
  static void run_##name(void);                                  \
  static const AddMistake add_mistake_##name(#name, run_##name); \
  static void run_##name(void)

inline Child run_mistake(const char *name, const char *variable = NULL, const char *value = NULL) {
  Child child;
  child_run(&child, "/proc/self/exe", name, variable, value);
  return child;
}

// Skips the rest of a test that no GPU passes.
#ifdef CUDA_CPU
#define CUDA_CPU_ONLY()
#else
#define CUDA_CPU_ONLY() skip()
#endif

// Exit code 3 and a report that holds all texts. On a GPU, which reports nothing: skips the
// test.
inline void expect_report(const char *name, const std::vector<std::string> &texts,
                          const char *variable = NULL, const char *value = NULL) {
  CUDA_CPU_ONLY();
  const Child child = run_mistake(name, variable, value);
  for (const std::string &text : texts) child_expect_text(child.errors, text.c_str());
  assert_int_equal(child.exit_code, 3);
}

// Exit code 0, this output, and no report.
inline void expect_output(const char *name, const char *output, const char *variable = NULL,
                          const char *value = NULL) {
  const Child child = run_mistake(name, variable, value);
  assert_string_equal(child.errors, "");
  assert_string_equal(child.output, output);
  assert_int_equal(child.exit_code, 0);
}

// The number of the line that carries the comment /*mark*/, and "FILE:LINE" of it in this file, as
// reports write it.
inline int marked_line(const char *file, const std::string &mark) {
  FILE *const source = fopen(file, "r");
  assert_non_null(source);
  char line[512];
  int number = 1, found = 0;
  for (; fgets(line, sizeof line, source) != NULL; number++)
    if (strstr(line, ("/*" + mark + "*/").c_str()) != NULL) found = number;
  fclose(source);
  if (found == 0) fail_msg("%s has no line with /*%s*/", file, mark.c_str());
  return found;
}
#define LINE_WITH(mark) __FILE__ ":" + std::to_string(marked_line(__FILE__, mark))

// What this build checks by itself: skips tests of reports that it replaces.
#ifdef CUDA_CPU_CHECK
static constexpr const char *kChecked = CUDA_CPU_CHECK;
#elif defined(__SANITIZE_ADDRESS__)
static constexpr const char *kChecked = "addresses";
#else
static constexpr const char *kChecked = "";
#endif
#define PLAIN_BUILD_ONLY() \
  if (*kChecked != '\0') skip()

// With a mistake's name makes it, and then ends as if nothing had happened.
int main(int argc, char **argv) {
  if (argc == 1) return run_all_tests("tests", NULL, NULL);
  for (const Mistake &mistake : mistakes)
    if (mistake.name == argv[1]) {
      mistake.make();
      exit(0);
    }
  fprintf(stderr, "no mistake is called '%s'\n", argv[1]);
  return 100;
}

// ---- the device ---------------------------------------------------------------------------------

// Compares names, so that a failure prints what it got.
#define ASSERT_CUDA(expected, call) assert_string_equal(cudaGetErrorName(call), #expected)
#define CUDA_OK(call) ASSERT_CUDA(cudaSuccess, call)
// The call fails, also as the last error, which is reset.
#define CUDA_FAILS(expected, call)             \
  do {                                         \
    ASSERT_CUDA(expected, call);               \
    ASSERT_CUDA(expected, cudaGetLastError()); \
  } while (0)
// After a launch: it was accepted, and its kernel has ended.
#define KERNEL_OK()                   \
  do {                                \
    CUDA_OK(cudaGetLastError());      \
    CUDA_OK(cudaDeviceSynchronize()); \
  } while (0)

// An array on the device that lives as long as this variable.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t size) : size_(size) {
    CUDA_OK(cudaMalloc(&data_, size * sizeof(T)));
    CUDA_OK(cudaMemset(data_, 0, size * sizeof(T)));
  }
  explicit DeviceArray(const std::vector<T> &values) : DeviceArray(values.size()) {
    CUDA_OK(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~DeviceArray() { (void)cudaFree(data_); }
  DeviceArray(const DeviceArray &) = delete;
  DeviceArray &operator=(const DeviceArray &) = delete;

  operator T *() const { return data_; }
  // What the launches before have written, all of which have to have been accepted.
  std::vector<T> read() const {
    std::vector<T> values(size_);
    KERNEL_OK();
    CUDA_OK(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  T *data_ = nullptr;
  size_t size_;
};

// A handle that a call writes, as in cudaStreamCreate(&stream). What it names is destroyed with
// this variable.
template <class T, cudaError_t (*Destroy)(T)>
class Owned {
 public:
  explicit Owned(T handle = T()) : handle_(handle) {}
  ~Owned() {
    if (handle_ != T()) CUDA_OK(Destroy(handle_));
  }
  Owned(const Owned &) = delete;
  Owned &operator=(const Owned &) = delete;

  T *operator&() { return &handle_; }
  operator T() const { return handle_; }
  void destroy() { CUDA_OK(Destroy(std::exchange(handle_, T()))); }

 private:
  T handle_ = T();
};
using Stream = Owned<cudaStream_t, cudaStreamDestroy>;
using Event = Owned<cudaEvent_t, cudaEventDestroy>;
using Graph = Owned<cudaGraph_t, cudaGraphDestroy>;
using GraphExec = Owned<cudaGraphExec_t, cudaGraphExecDestroy>;

// An array of zeros for a child process.
inline std::vector<unsigned *> zero_arrays;
inline unsigned *zeros(size_t n) {
  unsigned *array = NULL;
  cudaMalloc(&array, n * sizeof *array);
  cudaMemset(array, 0, n * sizeof *array);
  zero_arrays.push_back(array);
  return array;
}

// A cooperative launch with arguments as in a call.
template <class... P, class... A>
cudaError_t launch_cooperative(void (*kernel)(P...), dim3 grid, dim3 block, const A &...arguments) {
  std::tuple<P...> converted{P(arguments)...};
  return std::apply(
      [&](P &...parameters) {
        void *pointers[] = {&parameters...};
        return cudaLaunchCooperativeKernel(kernel, grid, block, pointers);
      },
      converted);
}

// The first index at which two arrays differ, or -1.
template <class T>
long first_difference(const std::vector<T> &a, const std::vector<T> &b) {
  if (a.size() != b.size()) return 0;
  for (size_t i = 0; i < a.size(); i++)
    if (memcmp(&a[i], &b[i], sizeof(T)) != 0) return (long)i;
  return -1;
}
#define ASSERT_SAME(actual, expected) assert_int_equal(first_difference((actual), (expected)), -1)

#endif
