// Crashes in an ordinary build: the report names kernel, block, thread and line, and the program
// ends with exit code 3. AddressSanitizer and CHECK builds have reports of their own.
#include "mistakes.h"

#include <assert.h>
#include <signal.h>

#include <thread>

// The values here must be unknown to the compiler, which would otherwise remove invalid operations.
static volatile unsigned zero = 0;
static unsigned *volatile nowhere = NULL;

static unsigned *device_array(void) {
  unsigned *array = NULL;
  cudaMalloc(&array, 256 * sizeof *array);
  cudaMemset(array, 0, 256 * sizeof *array);
  return array;
}

// ---- in kernels ---------------------------------------------------------------------------------

static __global__ void far_outside(unsigned *array, size_t offset) {
  const bool mine = blockIdx.x == 2 && threadIdx.x == 5;
  array[mine ? offset : threadIdx.x] = 1;
}
enum { FAR_LINE = __LINE__ - 2 };
static void run_far_outside(void) { far_outside<<<4, 32>>>(device_array(), -((size_t)1 << 36)); }
static void run_no_address(void) { far_outside<<<4, 32>>>(device_array(), (size_t)1 << 61); }

// The same behind a barrier: threads have stacks of their own by then.
static __global__ void null_behind_barrier(unsigned *const *pointers) {
  __shared__ unsigned *pointer;
  pointer = pointers[0];
  __syncthreads();
  if (threadIdx.x == 33 && blockIdx.x == 1) *pointer = 1;
}
static void run_null_behind_barrier(void) {
  null_behind_barrier<<<2, 64>>>((unsigned *const *)device_array());
}

static __global__ void divide(unsigned *array) {
  if (threadIdx.x == 3) array[0] = 7 / array[1];
}
static void run_divide(void) { divide<<<1, 32>>>(device_array()); }

static __global__ void failed_assert(const unsigned *array) {
  assert(threadIdx.x != 9 || array[0] == 1);
}
static void run_failed_assert(void) { failed_assert<<<1, 32>>>(device_array()); }

static __global__ void trapped(const unsigned *array) {
  if (threadIdx.x == 4 && array[0] == 0) __builtin_trap();
}
static void run_trapped(void) { trapped<<<1, 32>>>(device_array()); }

static __global__ void large_local(unsigned *array) {
  unsigned local[32 * 1024];  // 128 KB: legal on a GPU
  for (unsigned i = 0; i < 32 * 1024; i++) local[i] = i + array[i % 256];
  __syncthreads();
  array[threadIdx.x] = local[array[0] + threadIdx.x];
}
static void run_large_local(void) { large_local<<<1, 32>>>(device_array()); }

static __device__ unsigned endless(unsigned depth, unsigned *array) {
  volatile unsigned local[64];
  local[depth % 64] = array[depth % 256];
  if (depth == 1u << 31) return 1;
  return endless(depth + 1, array) + local[(depth + 1) % 64];
}
static __global__ void recursion(unsigned *array) { array[1] = endless(array[0], array); }
static void run_recursion(void) { recursion<<<1, 1>>>(device_array()); }

// On one of OpenMP's other threads, beside kernels that are still running.
static __global__ void late_block(unsigned *array) {
  if (blockIdx.x == 500 && threadIdx.x == 1) array = nowhere;
  array[threadIdx.x] = 1;
}
static void run_late_block(void) { late_block<<<1000, 128>>>(device_array()); }

// A launch that no GPU takes leaves the array as it is.
static __global__ void clear(unsigned *array) { array[threadIdx.x] = 0; }
static __global__ void follow(unsigned *const *pointers) { *pointers[1] = 1; }
static void run_after_refusal(void) {
  unsigned *const array = device_array();
  clear<<<1, 2000>>>(array);
  follow<<<1, 1>>>((unsigned *const *)array);
}
static void run_after_seen_refusal(void) {
  unsigned *const array = device_array();
  clear<<<1, 2000>>>(array);
  (void)cudaGetLastError();
  follow<<<1, 1>>>((unsigned *const *)array);
}

// ---- hangs --------------------------------------------------------------------------------------

// Thread 0 waits for a thread that runs only after it.
static __global__ void spin(volatile int *begun) {
  __shared__ volatile int ready;
  if (blockIdx.x == 7 && threadIdx.x == 0) {
    *begun = 1;
    while (ready != 1) continue;
  }
  ready = 1;
}
static void run_spin(void) {
  int *begun = NULL;
  cudaMallocManaged(&begun, sizeof *begun);
  *begun = 0;
  std::thread quit([begun] {
    while (*(volatile int *)begun == 0) usleep(1000);
    usleep(300000);  // the other blocks have ended then: the report is about this one
    kill(getpid(), SIGQUIT);
  });
  spin<<<64, 64>>>(begun);
  quit.join();
}
static void run_quit_outside(void) { raise(SIGQUIT); }

// ---- in host code -------------------------------------------------------------------------------

static void run_host_null(void) { *nowhere = 1; }
static void run_host_divide(void) { zero = 7 / zero; }
static void run_host_abort(void) { abort(); }
static void run_host_double_free(void) {
  void *volatile memory = malloc(100);
  free(memory);
  free(memory);
  puts("freed twice");
}
static void run_raised(void) { raise(SIGSEGV); }
static void run_inside_printf(void) {
  if (printf("%s\n", (const char *)nowhere + 16) > 0) puts("printed");
}

// ---- the tests ----------------------------------------------------------------------------------

static void test_kernels(void **) {
  const std::string far = "tests/test_crash.cu:" + std::to_string(FAR_LINE);
  expect_report("far_outside", {"crash: Segmentation fault (signal 11) at ", far + ",",
                                "in kernel far_outside, block (2,0,0), thread (5,0,0)",
                                "address 0x", "SANITIZE=1", "CHECK=race"});
#if defined(__x86_64__)
  expect_report("no_address",
                {"crash: Segmentation fault", far + ",", ": an address that cannot exist;"});
#endif
  expect_report("null_behind_barrier",
                {"Segmentation fault", "test_crash.cu:",
                 "in kernel null_behind_barrier, block (1,0,0), thread (33,0,0): address (nil)"});
  expect_report("divide", {"crash: Floating point exception (signal 8) at ",
                           "test_crash.cu:", "in kernel divide, block (0,0,0), thread (3,0,0)"});
  expect_report("failed_assert",
                {"threadIdx.x != 9", "crash: Aborted (signal 6) at ",
                 "test_crash.cu:", "in kernel failed_assert, block (0,0,0), thread (9,0,0)"});
  expect_report("trapped", {"crash: Illegal instruction (signal 4) at ",
                            "test_crash.cu:", "in kernel trapped, block (0,0,0), thread (4,0,0)"});
  expect_report("late_block", {"in kernel late_block, block (500,0,0), thread (1,0,0)"});
}

static void test_refused_launch(void **) {
  expect_report(
      "after_refusal",
      {"in kernel follow, ",
       "; before, the launch of kernel clear<<<1, 2000>>>, more than 1024 threads in a block "
       "(invalid argument) failed, and no cudaGetLastError() asked;",
       "CHECK=init"});
  assert_null(strstr(run_mistake("after_seen_refusal").errors, "before, the launch"));
}

static void test_stacks(void **) {
  for (const char *name : {"large_local", "recursion"})
    expect_report(name, {"memcheck: a CUDA thread overflowed its stack of 64 KB at ",
                         "test_crash.cu:", std::string("in kernel ") + name,
                         "its local arrays are too large"});
}

static void test_host_code(void **) {
  expect_report("host_null", {"crash: Segmentation fault (signal 11) at ",
                              "test_crash.cu:", "in host code: address (nil)"});
  expect_report("host_divide", {"crash: Floating point exception", "in host code"});
  expect_report("host_abort", {"crash: Aborted (signal 6) at ", "test_crash.cu:", "in host code"});
  expect_report("host_double_free", {"free(): double free", "Aborted", "test_crash.cu:"});
  expect_report("inside_printf", {"Segmentation fault", "test_crash.cu:", "in host code"});
  // Sent by raise(), so not a crash.
  assert_int_equal(run_mistake("raised").exit_code, -SIGSEGV);
}

static void test_hangs(void **) {
  expect_report("spin", {"synccheck: still running at ", "test_crash.cu:",
                         "in kernel spin, block (7,0,0), thread (0,0,0); of its block's 64 threads "
                         "63 have not begun, 0 wait for it, 0 have returned"});
  assert_int_equal(run_mistake("quit_outside").exit_code, -SIGQUIT);
}

// Such builds have reports of their own.
[[maybe_unused]] static void test_other_build(void **) { skip(); }

int main(int argc, char **argv) {
#if defined(__SANITIZE_ADDRESS__) || defined(CUDA_CPU_CHECK)
  const struct CMUnitTest none[] = {cmocka_unit_test(test_other_build)};
  if (argc == 1) return cmocka_run_group_tests(none, NULL, NULL);
#endif
  make_mistake_if_child(
      argc, argv,
      {MISTAKE(far_outside), MISTAKE(no_address), MISTAKE(null_behind_barrier), MISTAKE(divide),
       MISTAKE(failed_assert), MISTAKE(trapped), MISTAKE(large_local), MISTAKE(recursion),
       MISTAKE(late_block), MISTAKE(after_refusal), MISTAKE(after_seen_refusal), MISTAKE(host_null),
       MISTAKE(host_divide), MISTAKE(host_abort), MISTAKE(host_double_free), MISTAKE(raised),
       MISTAKE(inside_printf), MISTAKE(spin), MISTAKE(quit_outside)});
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kernels), cmocka_unit_test(test_refused_launch),
      cmocka_unit_test(test_stacks),  cmocka_unit_test(test_host_code),
      cmocka_unit_test(test_hangs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
