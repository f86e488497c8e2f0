// Arrays that the program's own allocator keeps for later use (cuda_cpu_mark_unused).
#include <thrust/device_ptr.h>  // before cmocka, whose fail() is a macro
#include <thrust/sort.h>

#include "mistakes.h"

#include <cuda_cpu/memory.h>

enum { kElements = 1000, kBytes = kElements * sizeof(unsigned) };

struct Pair {
  unsigned *keys, *positions;
};

static __global__ void fill(unsigned *array) { array[threadIdx.x] = threadIdx.x; }
static __global__ void fill_pair(Pair pair) { pair.keys[threadIdx.x] = threadIdx.x; }

static unsigned *new_array(void) {
  unsigned *array = NULL;
  cudaMalloc(&array, kBytes);
  fill<<<1, kElements>>>(array);
  return array;
}
static unsigned *unused_array(void) {
  unsigned *const array = new_array();
  cuda_cpu_mark_unused(array, "give_back");
  return array;
}

static void run_argument(void) { fill<<<1, 1>>>(unused_array() + 3); }
static void run_copy_from(void) {
  unsigned host[4];
  cudaMemcpy(host, unused_array(), sizeof host, cudaMemcpyDeviceToHost);
}
static void run_copy_to(void) {
  cudaMemcpy(unused_array(), new_array(), kBytes, cudaMemcpyDefault);
  puts("copied");  // or the call above is the last one, which leaves no frame
}
static void run_set(void) { cudaMemset(unused_array(), 0, 4); }

static void test_calls(void **) {
  static const std::string released =
      " is given an array of 4000 bytes that give_back has released";
  expect_report("argument", {"memcheck: kernel fill" + released, ", as its argument 1, at ",
                             "test_unused.cu:"});
  for (const char *name : {"copy_from", "copy_to"})
    expect_report(name, {"memcheck: cudaMemcpy" + released, "test_unused.cu:"});
  expect_report("set", {"memcheck: cudaMemset" + released});
}

// ---- accesses -----------------------------------------------------------------------------------

static void run_host(void) { printf("%u\n", unused_array()[1]); }
static void run_inside_struct(void) { fill_pair<<<1, 32>>>({unused_array() + 8, NULL}); }
static void run_library(void) {
  const thrust::device_ptr<unsigned> array(unused_array());
  thrust::sort(array, array + kElements);
}

static void test_accesses(void **) {
#if defined(__SANITIZE_ADDRESS__) || defined(CUDA_CPU_CHECK)
  skip();  // AddressSanitizer has a report of its own, CHECK builds protect nothing
#endif
  static const char *const released = "of a device array of 4000 bytes that give_back has released";
  expect_report("host", {"memcheck: host code reads device memory at ",
                         "test_unused.cu:", std::string("byte 4 ") + released});
  expect_report("inside_struct", {"crash: ", "test_unused.cu:", "in kernel fill_pair",
                                  std::string("byte 32 ") + released});
  expect_report("library", {"test_unused.cu:", released});
  const Child child = run_mistake("inside_struct", "CUDA_CPU_PROTECT", "pages");
  child_expect_text(child.errors, released);
}

// ---- what is no mistake -------------------------------------------------------------------------

static void run_lawful(void) {
  static unsigned *array, *other, *again;  // static: no leaks for AddressSanitizer
  unsigned host[2];
  array = new_array();
  other = new_array();
  for (int i = 0; i < 100; i++) {
    cuda_cpu_mark_unused(array, "give_back");
    cuda_cpu_mark_unused(array, "give_back");
    fill<<<1, kElements>>>(other);
    cuda_cpu_mark_unused(array, NULL);
    cuda_cpu_mark_unused(array, NULL);
    cudaMemcpy(host, array + kElements - 2, sizeof host, cudaMemcpyDeviceToHost);
  }
  fill_pair<<<1, kElements>>>({array, NULL});
  cuda_cpu_mark_unused(array, "give_back");
  cudaMemcpy(host, other + 1, sizeof *host, cudaMemcpyDeviceToHost);
  cuda_cpu_mark_unused(&host, "give_back");  // of another allocator
  cudaFree(array);
  again = new_array();
  fill<<<1, kElements>>>(again);
  cuda_cpu_mark_unused(again, "give_back");  // at the program's end
  printf("%u %u\n", host[0], host[1]);
}

static void test_lawful(void **) {
  for (const char *protect : {"keys", "pages", "off"}) {
    const Child child = run_mistake("lawful", "CUDA_CPU_PROTECT", protect);
    assert_string_equal(child.errors, "");
    assert_string_equal(child.output, "1 999\n");
    assert_int_equal(child.exit_code, 0);
  }
}

int main(int argc, char **argv) {
  make_mistake_if_child(argc, argv,
                        {MISTAKE(argument), MISTAKE(copy_from), MISTAKE(copy_to), MISTAKE(set),
                         MISTAKE(host), MISTAKE(inside_struct), MISTAKE(library), MISTAKE(lawful)});
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_calls), cmocka_unit_test(test_accesses),
                                     cmocka_unit_test(test_lawful)};
  return cmocka_run_group_tests_name("unused arrays", tests, NULL, NULL);
}
