// Checked CUDA calls and launches. A failed call prints file, line, expression and CUDA's message
// on stderr and ends the program with EXIT_DEVICE: a sort whose device failed has no result.
#ifndef COMMON_CHECK_H
#define COMMON_CHECK_H

#include <cuda_runtime_api.h>

// Exit codes of every program here.
enum {
  EXIT_RIGHT = 0,         // all right
  EXIT_WRONG_RESULT = 1,  // the sort's output failed the verdict
  EXIT_USAGE = 2,         // usage, or unreadable input
  EXIT_DEVICE = 3,        // device or memory failure
};

#ifdef __cplusplus
extern "C" {
#endif

// Prints one line on stderr, after the buffered output of stdout, and exits with EXIT_DEVICE.
__attribute__((noreturn, format(printf, 1, 2))) void check_fail(const char *format, ...);

// Until the next call, a CUDA error that is found in a file of harness/ is reported as one that
// this version has left behind, without the line that found it; NULL ends this. Memory that runs
// out is not blamed on it. `version` must stay valid.
void check_blame(const char *version);

// Ends the program: `who` has not checked a call that failed with this error. With the kernel, file
// and line of that call where they are known (cpu backend).
__attribute__((noreturn)) void check_left_behind(const char *who, cudaError_t error);

// Does nothing when error is cudaSuccess; otherwise reports it and exits with EXIT_DEVICE.
void check_cuda(cudaError_t error, const char *expression, const char *file, int line);

// Returns `memory`, or reports and exits with EXIT_DEVICE when it is NULL.
__attribute__((returns_nonnull)) void *check_memory(void *memory, const char *file, int line);

#ifdef __cplusplus
}
#endif

// Around malloc and its like: TYPE *p = MEMORY_CHECK(malloc(bytes));
#define MEMORY_CHECK(expression) check_memory((expression), __FILE__, __LINE__)
#define CUDA_CHECK(expression) check_cuda((expression), #expression, __FILE__, __LINE__)

// After a launch: catches an invalid configuration at once. A failure inside the kernel shows at
// the next synchronising call, which is checked too.
#define LAUNCH_CHECK() check_cuda(cudaGetLastError(), "kernel launch", __FILE__, __LINE__)

#endif
