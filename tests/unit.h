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

static inline int compare_tagged(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

// The reference, which shares no code with any version: sorts key << 32 | index, which makes any
// sort a stable one. keys and positions are overwritten.
static inline void reference_sort(uint32_t *keys, uint32_t *positions, size_t n) {
  uint64_t *const tagged = (uint64_t *)malloc((n + 1) * sizeof *tagged);
  if (tagged == NULL) abort();
  for (size_t i = 0; i < n; i++) tagged[i] = (uint64_t)keys[i] << 32 | (uint64_t)i;
  qsort(tagged, n, sizeof *tagged, compare_tagged);
  for (size_t i = 0; i < n; i++) {
    keys[i] = (uint32_t)(tagged[i] >> 32);
    positions[i] = (uint32_t)tagged[i];
  }
  free(tagged);
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

// ---- text and files -----------------------------------------------------------------------------

// The formatted text. It stays until the 64th call after this one.
static inline __attribute__((format(printf, 1, 2))) const char *text_of(const char *format, ...) {
  static char texts[64][4096];
  static int calls;
  char *const text = texts[calls++ % 64];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof texts[0], format, arguments);
  va_end(arguments);
  return text;
}

static inline void expect_part(const char *text, const char *part) {
  if (strstr(text, part) == NULL) fail_msg("expected '%s' in: %s", part, text);
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

// A program; arguments[0] is its path.
static inline pid_t start_program(const char *const *arguments, FILE *out, FILE *err) {
  const pid_t child = fork_into(out, err);
  if (child != 0) return child;
  execv(arguments[0], (char *const *)arguments);
  _exit(126);
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

// The exit code, and one line on stderr that holds `part`.
static inline void expect_failure(const char *program, const Outcome *outcome, int code,
                                  const char *part) {
  const char *const end = strchr(outcome->err, '\n');
  if (outcome->code != code || strstr(outcome->err, part) == NULL || end == NULL || end[1] != '\0')
    fail_msg("%s: exit code %d (expected %d), expected '%s' in: %s%s", program, outcome->code, code,
             part, outcome->out, outcome->err);
}

// No process is left whose environment has a line that matches the regular expression.
static inline void expect_no_process(const char *line_of_environment) {
  char line[256] = "";
  FILE *const left =
      popen(text_of("for p in /proc/[0-9]*; do tr '\\0' '\\n' <$p/environ | grep -qxE '%s' && "
                    "tr '\\0' ' ' <$p/cmdline; done 2>/dev/null",
                    line_of_environment),
            "r");
  assert_non_null(left);
  if (fgets(line, sizeof line, left) != NULL) fail_msg("still running: %s", line);
  pclose(left);
}

// Calls the function in a child process, whose exit code is 99 if it returns. Before the first CUDA
// call of the test only: a GPU does not survive a fork.
static inline void call_in_child(void (*function)(void), Outcome *outcome) {
  FILE *const out = new_file(), *const err = new_file();
  const pid_t child = fork_into(out, err);
  if (child == 0) {
    function();
    _exit(99);
  }
  finish(child, out, err, outcome);
}

// The function must end its process with this exit code, after `part` on stderr.
static inline void expect_exit(int code, const char *part, void (*function)(void)) {
  static Outcome outcome;
  call_in_child(function, &outcome);
  if (outcome.code != code || strstr(outcome.err, part) == NULL)
    fail_msg("exit code %d instead of %d, stderr (expected '%s'): %s", outcome.code, code, part,
             outcome.err);
}

#endif
