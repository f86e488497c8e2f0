// For unit tests: cmocka, and helpers for arrays on the device, files and child processes.
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/check.h"
#include "cuda_cpu/tests/test.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

// The same pseudorandom numbers in every run.
static inline uint32_t next_random(void) {
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 32);
}

// For qsort().
static inline int compare_words(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

#ifdef __cplusplus
// A device array of n elements, to be freed with free_device().
template <class T>
static inline T *to_device(const T *host, size_t n) {
  void *device = NULL;
  CUDA_CHECK(cudaMalloc(&device, (n + 1) * sizeof *host));
  CUDA_CHECK(cudaMemcpy(device, host, n * sizeof *host, cudaMemcpyHostToDevice));
  return (T *)device;
}

template <class... T>
static inline void free_device(T *...arrays) {
  void *const all[] = {(void *)arrays...};
  for (void *array : all) CUDA_CHECK(cudaFree(array));
}
#endif

// Copies n elements of any type back.
#define to_host(host, device, n) \
  CUDA_CHECK(cudaMemcpy(host, device, (n) * sizeof *(host), cudaMemcpyDeviceToHost))

// actual[i] == expected[i] for n elements; otherwise the test fails and names the first difference.
static inline void expect_array(const char *context, const uint32_t *actual,
                                const uint32_t *expected, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (actual[i] != expected[i])
      fail_msg("%s: [%zu] is %u, expected %u", context, i, actual[i], expected[i]);
}

// The same for a device array.
static inline void expect_device(const char *context, const uint32_t *d_actual,
                                 const uint32_t *expected, size_t n) {
  uint32_t *const actual = (uint32_t *)malloc((n + 1) * sizeof *actual);
  to_host(actual, d_actual, n);
  expect_array(context, actual, expected, n);
  free(actual);
}

// How often the text holds `part`.
static inline int count_of(const char *text, const char *part) {
  int found = 0;
  for (; (text = strstr(text, part)) != NULL; text++) found++;
  return found;
}

static inline void write_file(const char *path, const void *bytes, size_t size) {
  FILE *const file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

// ---- child processes ----------------------------------------------------------------------------

// The folder of the build that is tested.
static inline const char *build_folder(void) {
  return getenv("HW4_DIR") != NULL ? getenv("HW4_DIR") : "build/cpu";
}

typedef struct Outcome {
  int code;                    // the exit code, or -1 after a signal
  char out[65536], err[8192];  // what it wrote, or its beginning
} Outcome;

static inline FILE *new_file(void) {
  FILE *const file = tmpfile();
  assert_non_null(file);
  return file;
}

// fork(); in the child, stdout and stderr lead to the files.
static inline pid_t fork_into(FILE *out, FILE *err) {
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    dup2(fileno(out), STDOUT_FILENO);
    dup2(fileno(err), STDERR_FILENO);
  }
  return child;
}

static inline void read_back(FILE *file, char *text, size_t size) {
  rewind(file);
  text[fread(text, 1, size - 1, file)] = '\0';
  fclose(file);
}

// Waits for the child, and closes the files.
static inline void finish(pid_t child, FILE *out, FILE *err, Outcome *outcome) {
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  outcome->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  read_back(out, outcome->out, sizeof outcome->out);
  read_back(err, outcome->err, sizeof outcome->err);
}

// Calls the function in a child process. It must end the process with this exit code, after `part`
// on stderr. Before the first CUDA call of the test only: a GPU does not survive a fork.
static inline void expect_exit(int code, const char *part, void (*function)(void)) {
  static Outcome outcome;
  FILE *const out = new_file(), *const err = new_file();
  const pid_t child = fork_into(out, err);
  if (child == 0) {
    function();
    _exit(99);
  }
  finish(child, out, err, &outcome);
  if (outcome.code != code || strstr(outcome.err, part) == NULL)
    fail_msg("exit code %d instead of %d, stderr (expected '%s'): %s", outcome.code, code, part,
             outcome.err);
}

#endif
