// memcheck: pointers to the wrong side, memory beyond a limit and, with AddressSanitizer, accesses
// beyond an array.
#include "mistakes.h"

// ---- pointers and limits ------------------------------------------------------------------------

static __global__ void touch(int, int *pointer) { *pointer = 1; }
static void run_host_pointer(void) {
  int on_the_stack = 0;
  touch<<<1, 1>>>(0, &on_the_stack);
}
static void run_host_pointer_by_function(void) {
  int *pointer = (int *)calloc(1, sizeof *pointer);
  int number = 0;
  void *arguments[] = {&number, &pointer};
  cudaLaunchKernel(touch, dim3(1), dim3(1), arguments);
  free(pointer);
}

static __global__ void hand_over_local() {
  int local = 0;
  touch<<<1, 1>>>(0, &local);
}
static void run_local_for_child(void) { hand_over_local<<<1, 1>>>(); }

static __global__ void too_much_shared(int *out) {
  __shared__ int fixed[12 * 1024], one_more;
  one_more = out[0];
  out[0] = fixed[0] + one_more;
}
static void run_too_much_shared(void) {
  int *out = NULL;
  cudaMalloc(&out, sizeof *out);
  too_much_shared<<<1, 1>>>(out);
}

static __global__ void synchronize_device() { cudaDeviceSynchronize(); }
static void run_synchronize_in_kernel(void) { synchronize_device<<<1, 1>>>(); }

static __global__ void large_frame(unsigned *out) {
  volatile unsigned local[20 * 1024];  // 80 KB
  for (unsigned i = 0; i < 20 * 1024; i++) local[i] = i;
  *out = local[*out];
}
static void run_stack_overflow(void) {
  unsigned *out = NULL;
  cudaMalloc(&out, sizeof *out);
  cudaMemset(out, 0, sizeof *out);
  large_frame<<<1, 1>>>(out);
}

static void run_memory_limit(void) {
  void *memory = NULL, *more = NULL;
  if (cudaMalloc(&memory, 1000) == cudaSuccess && cudaMalloc(&more, 1) != cudaSuccess)
    puts("1000 bytes and no more");
  cudaFree(memory);
}

// ---- with AddressSanitizer ----------------------------------------------------------------------

static __global__ void write_at(unsigned *array, unsigned i) { array[i] = 1; }
static void run_beyond_device_array(void) {
  unsigned *array = NULL;
  cudaMalloc(&array, 100 * sizeof *array);
  write_at<<<1, 1>>>(array, 100);
}

static __global__ void write_shared(unsigned i, unsigned *out) {
  __shared__ unsigned first[10], second[10];
  extern __shared__ unsigned dynamic[];
  unsigned *const array = *out == 0 ? first : dynamic;
  array[i] = second[0] = 1;
  *out = array[0];
}
static void write_shared_at(unsigned i, bool dynamic) {
  unsigned *out = NULL;
  cudaMalloc(&out, sizeof *out);
  cudaMemset(out, dynamic, sizeof *out);
  write_shared<<<1, 1, 16 * sizeof(unsigned)>>>(i, out);
}
static void run_beyond_shared_array(void) { write_shared_at(10, false); }
static void run_beyond_dynamic_array(void) { write_shared_at(16, true); }

static void run_host_reads_device(void) {
  unsigned *array = NULL;
  cudaMalloc(&array, sizeof *array);
  write_at<<<1, 1>>>(array, 0);  // allowed in between
  printf("%u\n", *array);
}

// ---- the tests ----------------------------------------------------------------------------------

static void test_pointers_to_the_wrong_side(void **) {
  expect_report("host_pointer",
                {"memcheck: kernel touch is given a host pointer", "as its argument 2"});
  expect_report("host_pointer_by_function", {"is given a host pointer", "as its argument 2"});
  expect_report("local_for_child", {"kernel touch is given a host pointer", "as its argument 2",
                                    "in kernel hand_over_local"});
}

static void test_what_a_gpu_would_not_take(void **) {
  expect_report("too_much_shared", {"memcheck: the block's static __shared__ arrays exceed their"
                                    " limit of 49152 bytes",
                                    "kernel too_much_shared, block (0,0,0)"});
  expect_report("synchronize_in_kernel",
                {"cudaDeviceSynchronize", "cannot be called from a kernel"});
#if !defined(__SANITIZE_ADDRESS__)
  expect_report("stack_overflow", {"memcheck: a CUDA thread overflowed its stack of 64 KB"});
#endif
}

static void test_memory_limit_from_the_environment(void **) {
  child_expect_text(run_mistake("memory_limit", "CUDA_CPU_MEMORY", "1000").output,
                    "1000 bytes and no more");
}

static void test_address_sanitizer(void **) {
#if !defined(__SANITIZE_ADDRESS__)
  skip();
#endif
  for (const char *name : {"beyond_device_array", "beyond_shared_array", "beyond_dynamic_array",
                           "host_reads_device"}) {
    const Child child = run_mistake(name);
    child_expect_text(child.errors, "ERROR: AddressSanitizer");
    child_expect_text(child.errors, "test_memcheck.cu");
    assert_int_not_equal(child.exit_code, 0);
  }
}

int main(int argc, char **argv) {
  make_mistake_if_child(
      argc, argv,
      {MISTAKE(host_pointer), MISTAKE(host_pointer_by_function), MISTAKE(local_for_child),
       MISTAKE(too_much_shared), MISTAKE(synchronize_in_kernel), MISTAKE(stack_overflow),
       MISTAKE(memory_limit), MISTAKE(beyond_device_array), MISTAKE(beyond_shared_array),
       MISTAKE(beyond_dynamic_array), MISTAKE(host_reads_device)});
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pointers_to_the_wrong_side),
      cmocka_unit_test(test_what_a_gpu_would_not_take),
      cmocka_unit_test(test_memory_limit_from_the_environment),
      cmocka_unit_test(test_address_sanitizer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
