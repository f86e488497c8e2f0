// memcheck: pointers to the wrong side, memory beyond a limit and, with AddressSanitizer, accesses
// beyond an array.
#if __has_include(<thrust/version.h>)
#define HAS_THRUST  // before cmocka, whose fail() is a macro
#include <thrust/device_ptr.h>
#include <thrust/sort.h>
#endif

#include "device_test.h"

#include <assert.h>
#include <signal.h>
#include <cuda_cpu/memory.h>

#include <thread>

// ---- pointers and limits ------------------------------------------------------------------------

static __global__ void touch(int, int *pointer) { *pointer = 1; }
MISTAKE(host_pointer) {
  int on_the_stack = 0;
  touch<<<1, 1>>>(0, &on_the_stack);
}
MISTAKE(host_pointer_by_function) {
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
MISTAKE(local_for_child) { hand_over_local<<<1, 1>>>(); }

static __global__ void too_much_shared(int *out) {
  __shared__ int fixed[12 * 1024], one_more;
  one_more = out[0];
  out[0] = fixed[0] + one_more;
}
MISTAKE(too_much_shared) { too_much_shared<<<1, 1>>>((int *)zeros(1)); }

static __global__ void synchronize_device() { cudaDeviceSynchronize(); }
MISTAKE(synchronize_in_kernel) { synchronize_device<<<1, 1>>>(); }

MISTAKE(memory_limit) {
  void *memory = NULL, *more = NULL;
  if (cudaMalloc(&memory, 1000) == cudaSuccess && cudaMalloc(&more, 1) != cudaSuccess)
    puts("1000 bytes and no more");
  cudaFree(memory);
}

// ---- with AddressSanitizer ----------------------------------------------------------------------

static __global__ void write_at(unsigned *array, unsigned i) { array[i] = 1; }
MISTAKE(beyond_device_array) { write_at<<<1, 1>>>(zeros(100), 100); }

static __global__ void write_shared(unsigned i, unsigned *out) {
  __shared__ unsigned first[10], second[10];
  extern __shared__ unsigned dynamic[];
  unsigned *const array = *out == 0 ? first : dynamic;
  array[i] = second[0] = 1;
  *out = array[0];
}
static void write_shared_at(unsigned i, bool dynamic) {
  unsigned *const out = zeros(1);
  cudaMemset(out, dynamic, sizeof *out);
  write_shared<<<1, 1, 16 * sizeof(unsigned)>>>(i, out);
}
MISTAKE(beyond_shared_array) { write_shared_at(10, false); }
MISTAKE(beyond_dynamic_array) { write_shared_at(16, true); }

MISTAKE(host_reads_device) {
  unsigned *const array = zeros(1);
  write_at<<<1, 1>>>(array, 0);  // allowed in between
  printf("%u\n", *array);
}

// ---- the tests ----------------------------------------------------------------------------------

TEST(pointers_to_the_wrong_side) {
  expect_report("host_pointer",
                {"memcheck: kernel touch is given a host pointer", "as its argument 2"});
  expect_report("host_pointer_by_function", {"is given a host pointer", "as its argument 2"});
  expect_report("local_for_child", {"kernel touch is given a host pointer", "as its argument 2",
                                    "in kernel hand_over_local"});
}

TEST(what_a_gpu_would_not_take) {
  expect_report("too_much_shared", {"memcheck: the block's static __shared__ arrays exceed their"
                                    " limit of 49152 bytes",
                                    "kernel too_much_shared, block (0,0,0)"});
  expect_report("synchronize_in_kernel",
                {"cudaDeviceSynchronize", "cannot be called from a kernel"});
}

TEST(memory_limit_from_the_environment) {
  expect_output("memory_limit", "1000 bytes and no more\n", "CUDA_CPU_MEMORY", "1000");
}

TEST(address_sanitizer) {
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

// ---- crashes ------------------------------------------------------------------------------------
//
// Crashes in an ordinary build: the report names kernel, block, thread and line, and the
// program ends with exit code 3. AddressSanitizer and CHECK builds report these otherwise.

// The values here must be unknown to the compiler, which would otherwise remove invalid operations.
static volatile unsigned zero = 0;
static unsigned *volatile nowhere = NULL;

// ---- in kernels ---------------------------------------------------------------------------------

static __global__ void far_outside(unsigned *array, size_t offset) {
  const bool mine = blockIdx.x == 2 && threadIdx.x == 5;
  array[mine ? offset : threadIdx.x] = 1; /*far*/
}
MISTAKE(far_outside) { far_outside<<<4, 32>>>(zeros(256), -((size_t)1 << 36)); }
MISTAKE(no_address) { far_outside<<<4, 32>>>(zeros(256), (size_t)1 << 61); }

// The same behind a barrier: each thread has a stack by then.
static __global__ void null_behind_barrier(unsigned *const *pointers) {
  __shared__ unsigned *pointer;
  pointer = pointers[0];
  __syncthreads();
  if (threadIdx.x == 33 && blockIdx.x == 1) *pointer = 1;
}
MISTAKE(null_behind_barrier) { null_behind_barrier<<<2, 64>>>((unsigned *const *)zeros(256)); }

static __global__ void divide(unsigned *array) {
  if (threadIdx.x == 3) array[0] = 7 / array[1];
}
MISTAKE(divide) { divide<<<1, 32>>>(zeros(256)); }

static __global__ void failed_assert(const unsigned *array) {
  assert(threadIdx.x != 9 || array[0] == 1);
}
MISTAKE(failed_assert) { failed_assert<<<1, 32>>>(zeros(256)); }

static __global__ void trapped(const unsigned *array) {
  if (threadIdx.x == 4 && array[0] == 0) __trap();
}
MISTAKE(trapped) { trapped<<<1, 32>>>(zeros(256)); }

static __global__ void large_local(unsigned *array) {
  unsigned local[32 * 1024];  // 128 KB: legal on a GPU
  for (unsigned i = 0; i < 32 * 1024; i++) local[i] = i + array[i % 256];
  __syncthreads();
  array[threadIdx.x] = local[array[0] + threadIdx.x];
}
MISTAKE(large_local) { large_local<<<1, 32>>>(zeros(256)); }

static __device__ unsigned endless(unsigned depth, unsigned *array) {
  volatile unsigned local[64];
  local[depth % 64] = array[depth % 256];
  if (depth == 1u << 31) return 1;
  return endless(depth + 1, array) + local[(depth + 1) % 64];
}
static __global__ void recursion(unsigned *array) { array[1] = endless(array[0], array); }
MISTAKE(recursion) { recursion<<<1, 1>>>(zeros(256)); }

// On one of OpenMP's other threads, beside kernels that are still running.
static __global__ void late_block(unsigned *array) {
  if (blockIdx.x == 500 && threadIdx.x == 1) array = nowhere;
  array[threadIdx.x] = 1;
}
MISTAKE(late_block) { late_block<<<1000, 128>>>(zeros(256)); }

// A launch that no GPU takes leaves the array as it is.
static __global__ void clear(unsigned *array) { array[threadIdx.x] = 0; }
static __global__ void follow(unsigned *const *pointers) { *pointers[1] = 1; }
MISTAKE(after_refusal) {
  unsigned *const array = zeros(256);
  clear<<<1, 2000>>>(array);
  follow<<<1, 1>>>((unsigned *const *)array);
}
MISTAKE(after_seen_refusal) {
  unsigned *const array = zeros(256);
  clear<<<1, 2000>>>(array);
  (void)cudaGetLastError();
  follow<<<1, 1>>>((unsigned *const *)array);
}

// ---- hangs --------------------------------------------------------------------------------------

// A thread that is busy without end: it might be seen at other values each time.
static __global__ void spin(volatile int *begun) {
  if (blockIdx.x == 7 && threadIdx.x == 0)
    for (int steps = 1;; steps += 2) *begun = steps;
}
MISTAKE(spin) {
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
MISTAKE(quit_outside) { raise(SIGQUIT); }

// ---- in host code -------------------------------------------------------------------------------

MISTAKE(host_null) { *nowhere = 1; }
MISTAKE(host_divide) { zero = 7 / zero; }
MISTAKE(host_abort) { abort(); }
MISTAKE(host_double_free) {
  void *volatile memory = malloc(100);
  free(memory);
  free(memory);
  puts("freed twice");
}
MISTAKE(raised) { raise(SIGSEGV); }
MISTAKE(inside_printf) {
  if (printf("%s\n", (const char *)nowhere + 16) > 0) puts("printed");
}

// ---- the tests ----------------------------------------------------------------------------------

TEST(kernels) {
  PLAIN_BUILD_ONLY();
  const std::string far = LINE_WITH("far");
  expect_report("far_outside", {"crash: Segmentation fault (signal 11) at ", far + ",",
                                "in kernel far_outside, block (2,0,0), thread (5,0,0)",
                                "address 0x", "CHECK=mem", "CHECK=race"});
#if defined(__x86_64__)
  expect_report("no_address",
                {"crash: Segmentation fault", far + ",", ": an address that cannot exist;"});
#endif
  expect_report("null_behind_barrier",
                {"Segmentation fault", "test_memcheck.cu:",
                 "in kernel null_behind_barrier, block (1,0,0), thread (33,0,0): address (nil)"});
  expect_report("divide", {"crash: Floating point exception (signal 8) at ",
                           "test_memcheck.cu:", "in kernel divide, block (0,0,0), thread (3,0,0)"});
  expect_report("failed_assert",
                {"threadIdx.x != 9", "crash: Aborted (signal 6) at ",
                 "test_memcheck.cu:", "in kernel failed_assert, block (0,0,0), thread (9,0,0)"});
  expect_report("trapped", {"crash: Illegal instruction (signal 4) at ", "test_memcheck.cu:",
                            "in kernel trapped, block (0,0,0), thread (4,0,0)"});
  expect_report("late_block", {"in kernel late_block, block (500,0,0), thread (1,0,0)"});
}

TEST(refused_launch) {
  PLAIN_BUILD_ONLY();
  expect_report(
      "after_refusal",
      {"in kernel follow, ",
       "; before, the launch of kernel clear<<<1, 2000>>>, more than 1024 threads in a block "
       "(invalid argument) failed, and no cudaGetLastError() asked;",
       "CHECK=init"});
  assert_null(strstr(run_mistake("after_seen_refusal").errors, "before, the launch"));
}

TEST(stacks) {
  PLAIN_BUILD_ONLY();
  for (const char *name : {"large_local", "recursion"})
    expect_report(name, {"memcheck: a CUDA thread overflowed its stack of 64 KB at ",
                         "test_memcheck.cu:", std::string("in kernel ") + name,
                         "its local arrays are too large"});
}

TEST(host_code) {
  PLAIN_BUILD_ONLY();
  expect_report("host_null", {"crash: Segmentation fault (signal 11) at ",
                              "test_memcheck.cu:", "in host code: address (nil)"});
  expect_report("host_divide", {"crash: Floating point exception", "in host code"});
  expect_report("host_abort",
                {"crash: Aborted (signal 6) at ", "test_memcheck.cu:", "in host code"});
  expect_report("host_double_free", {"free(): double free", "Aborted", "test_memcheck.cu:"});
  expect_report("inside_printf", {"Segmentation fault", "test_memcheck.cu:", "in host code"});
  // Sent by raise(), so not a crash.
  assert_int_equal(run_mistake("raised").exit_code, -SIGSEGV);
}

TEST(hangs) {
  PLAIN_BUILD_ONLY();
  expect_report("spin", {"synccheck: still running at ", "test_memcheck.cu:",
                         "in kernel spin, block (7,0,0), thread (0,0,0); of its block's 64 threads "
                         "0 have not begun, 0 wait for it, 63 have returned"});
  assert_int_equal(run_mistake("quit_outside").exit_code, -SIGQUIT);
}

// ---- arrays that are kept unused ----------------------------------------------------------------
//
// Arrays that the program's own allocator keeps for later use (cuda_cpu_mark_unused).

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

MISTAKE(argument) { fill<<<1, 1>>>(unused_array() + 3); }
MISTAKE(copy_from) {
  unsigned host[4];
  cudaMemcpy(host, unused_array(), sizeof host, cudaMemcpyDeviceToHost);
}
MISTAKE(copy_to) {
  cudaMemcpy(unused_array(), new_array(), kBytes, cudaMemcpyDefault);
  puts("copied");  // or the call above is the last one, which leaves no frame
}
MISTAKE(set) { cudaMemset(unused_array(), 0, 4); }

TEST(calls) {
  static const std::string released =
      " is given an array of 4000 bytes that give_back has released";
  expect_report("argument", {"memcheck: kernel fill" + released, ", as its argument 1, at ",
                             "test_memcheck.cu:"});
  for (const char *name : {"copy_from", "copy_to"})
    expect_report(name, {"memcheck: cudaMemcpy" + released, "test_memcheck.cu:"});
  expect_report("set", {"memcheck: cudaMemset" + released});
}

// ---- accesses -----------------------------------------------------------------------------------

MISTAKE(host) { printf("%u\n", unused_array()[1]); }
MISTAKE(inside_struct) { fill_pair<<<1, 32>>>({unused_array() + 8, NULL}); }
#ifdef HAS_THRUST
MISTAKE(library) {
  const thrust::device_ptr<unsigned> array(unused_array());
  thrust::sort(array, array + kElements);
}
#endif

TEST(accesses) {
#if defined(__SANITIZE_ADDRESS__) || defined(CUDA_CPU_CHECK)
  skip();  // AddressSanitizer reports it otherwise, CHECK builds protect nothing
#endif
  static const char *const released = "of a device array of 4000 bytes that give_back has released";
  expect_report("host", {"memcheck: host code reads device memory at ",
                         "test_memcheck.cu:", std::string("byte 4 ") + released});
  expect_report("inside_struct", {"crash: ", "test_memcheck.cu:", "in kernel fill_pair",
                                  std::string("byte 32 ") + released});
#ifdef HAS_THRUST
  expect_report("library", {"test_memcheck.cu:", released});
#endif
  expect_report("inside_struct", {released}, "CUDA_CPU_PROTECT", "pages");
}

// ---- what is no mistake -------------------------------------------------------------------------

MISTAKE(lawful) {
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

TEST(lawful) {
  for (const char *protect : {"keys", "pages", "off"})
    expect_output("lawful", "1 999\n", "CUDA_CPU_PROTECT", protect);
}
