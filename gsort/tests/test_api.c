// What gsort.h promises beside the order: errors, and that nothing is written after one; no
// growth, no output. In C, as most callers are.
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <cuda_runtime_api.h>

#include "gsort/gsort.h"

#define CUDA_OK(call) assert_string_equal(cudaGetErrorName(call), "cudaSuccess")

static void *device_memory(size_t bytes) {
  void *memory = NULL;
  CUDA_OK(cudaMalloc(&memory, bytes));
  return memory;
}

static gsort *new_sort(int key, int value) {
  gsort *sort = NULL;
  assert_int_equal(gsort_create(&sort, key, value), GSORT_OK);
  return sort;
}

static void test_create(void **state) {
  (void)state;
  static const struct {
    int key, value, error;
  } cases[] = {
      {GSORT_U32, GSORT_KEYS, GSORT_OK},
      {GSORT_I32, GSORT_VALUE32, GSORT_OK},
      {GSORT_F32, GSORT_INDEX32, GSORT_OK},
      {0, GSORT_KEYS, GSORT_ERROR_TYPE},
      {-1, GSORT_KEYS, GSORT_ERROR_TYPE},
      {GSORT_F64 + 1, GSORT_KEYS, GSORT_ERROR_TYPE},
      {GSORT_U32, 0, GSORT_ERROR_TYPE},
      {GSORT_U32, GSORT_INDEX64 + 1, GSORT_ERROR_TYPE},
      {GSORT_U64, GSORT_INDEX64 + 1, GSORT_ERROR_TYPE},
      {GSORT_U64, GSORT_INDEX64, GSORT_OK},
      {GSORT_F64, GSORT_VALUE64, GSORT_OK},
      {GSORT_U32, GSORT_VALUE64, GSORT_ERROR_UNSUPPORTED},
      {GSORT_U32, GSORT_INDEX64, GSORT_ERROR_UNSUPPORTED},
  };
  assert_int_equal(gsort_create(NULL, GSORT_U32, GSORT_KEYS), GSORT_ERROR_ARGUMENT);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    static char some;
    gsort *sort = (gsort *)(void *)&some;
    assert_int_equal(gsort_create(&sort, cases[i].key, cases[i].value), cases[i].error);
    assert_int_equal(sort != NULL, cases[i].error == GSORT_OK);
    gsort_destroy(sort);
  }
}

static void test_options(void **state) {
  (void)state;
  static const struct {
    int64_t value;
    int option, error;
  } cases[] = {
      {1, GSORT_DESCENDING, GSORT_OK},
      {2, GSORT_DESCENDING, GSORT_ERROR_OPTION},
      {-1, GSORT_DESCENDING, GSORT_ERROR_OPTION},
      {1, GSORT_OVERWRITE, GSORT_OK},
      {INT64_C(1) << 32, GSORT_OVERWRITE, GSORT_ERROR_OPTION},
      {31, GSORT_BEGIN_BIT, GSORT_OK},
      {32, GSORT_BEGIN_BIT, GSORT_ERROR_OPTION},
      {-1, GSORT_BEGIN_BIT, GSORT_ERROR_OPTION},
      {1, GSORT_END_BIT, GSORT_OK},
      {0, GSORT_END_BIT, GSORT_ERROR_OPTION},
      {33, GSORT_END_BIT, GSORT_ERROR_OPTION},
      {INT64_MAX, GSORT_END_BIT, GSORT_ERROR_OPTION},
      {0, 0, GSORT_ERROR_OPTION},
      {2, GSORT_NO_HOST_WAIT, GSORT_ERROR_OPTION},
      {4, GSORT_N_ON_DEVICE, GSORT_ERROR_OPTION},
      {0, GSORT_N_ON_DEVICE + 1, GSORT_ERROR_OPTION},
  };
  gsort *const sort = new_sort(GSORT_U32, GSORT_KEYS);
  assert_int_equal(gsort_set(NULL, GSORT_DESCENDING, 1), GSORT_ERROR_ARGUMENT);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_int_equal(gsort_set(sort, cases[i].option, cases[i].value), cases[i].error);

  // Keys of 64 bits have more to choose from.
  gsort *const wide = new_sort(GSORT_I64, GSORT_KEYS);
  assert_int_equal(gsort_set(wide, GSORT_END_BIT, 64), GSORT_OK);
  assert_int_equal(gsort_set(wide, GSORT_BEGIN_BIT, 63), GSORT_OK);
  assert_int_equal(gsort_set(wide, GSORT_END_BIT, 65), GSORT_ERROR_OPTION);
  assert_int_equal(gsort_set(wide, GSORT_BEGIN_BIT, 64), GSORT_ERROR_OPTION);
  gsort_destroy(wide);

  // Now bits 31 to 1 count: none. A value that was refused has changed nothing.
  size_t bytes = 1;
  assert_int_equal(gsort_workspace(sort, 10, &bytes), GSORT_ERROR_OPTION);
  assert_int_equal(bytes, 0);
  assert_string_equal(gsort_way(sort, 10), "none");
  assert_int_equal(gsort_set(sort, GSORT_BEGIN_BIT, 1), GSORT_OK);
  assert_int_equal(gsort_workspace(sort, 10, &bytes), GSORT_ERROR_OPTION);
  assert_int_equal(gsort_set(sort, GSORT_BEGIN_BIT, 0), GSORT_OK);
  assert_int_equal(gsort_workspace(sort, 10, &bytes), GSORT_OK);
  gsort_destroy(sort);
}

static void test_sentences(void **state) {
  (void)state;
  assert_int_equal(gsort_version(), GSORT_VERSION);
  for (int error = GSORT_OK; error <= GSORT_ERROR_MEMORY; error++) {
    assert_string_not_equal(gsort_error_string(error), "unknown error");
    for (int other = GSORT_OK; other < error; other++)
      assert_string_not_equal(gsort_error_string(error), gsort_error_string(other));
  }
  static const int unknown[] = {-1, GSORT_ERROR_MEMORY + 1, GSORT_ERROR_CUDA - 1, INT32_MIN};
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
    assert_string_equal(gsort_error_string(unknown[i]), "unknown error");
  assert_string_not_equal(gsort_error_string(GSORT_ERROR_CUDA), "unknown error");
  assert_string_equal(gsort_error_string(GSORT_ERROR_CUDA + cudaErrorInvalidValue),
                      cudaGetErrorString(cudaErrorInvalidValue));
  assert_non_null(gsort_error_string(INT32_MAX));
}

static void test_workspace(void **state) {
  (void)state;
  size_t bytes = 1;
  gsort *const sort = new_sort(GSORT_U32, GSORT_VALUE32);
  assert_int_equal(gsort_workspace(sort, 10, NULL), GSORT_ERROR_ARGUMENT);
  assert_int_equal(gsort_workspace(NULL, 10, &bytes), GSORT_ERROR_ARGUMENT);
  assert_int_equal(bytes, 0);
  assert_int_equal(gsort_workspace(sort, UINT64_C(1) << 32, &bytes), GSORT_ERROR_SIZE);
  assert_int_equal(gsort_workspace(sort, UINT64_MAX, &bytes), GSORT_ERROR_SIZE);
  assert_int_equal(gsort_workspace(sort, UINT32_MAX, &bytes), GSORT_OK);
  assert_true(bytes > (size_t)8 * UINT32_MAX && bytes < (size_t)9 * UINT32_MAX);
  assert_int_equal(gsort_workspace(sort, 0, &bytes), GSORT_OK);
  assert_int_equal(bytes, 0);
  assert_string_equal(gsort_way(sort, 1000), "rank");
  assert_string_equal(gsort_way(sort, 0), "none");
  assert_string_equal(gsort_way(sort, UINT64_C(1) << 32), "none");
  assert_string_equal(gsort_way(NULL, 1000), "none");
  gsort_destroy(sort);
}

// Keys and values that sorts have; each has separate ways.
static const struct {
  int key, value;
} kinds[] = {{GSORT_U32, GSORT_KEYS},    {GSORT_U32, GSORT_VALUE32}, {GSORT_U32, GSORT_INDEX32},
             {GSORT_F32, GSORT_KEYS},    {GSORT_F32, GSORT_VALUE32}, {GSORT_U64, GSORT_KEYS},
             {GSORT_U64, GSORT_VALUE32}, {GSORT_F64, GSORT_VALUE64}, {GSORT_I64, GSORT_INDEX64}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static size_t key_bytes(int key) { return key >= GSORT_U64 ? 8 : 4; }

static size_t value_bytes(int value) {
  return value == GSORT_KEYS ? 0 : value == GSORT_VALUE64 || value == GSORT_INDEX64 ? 8 : 4;
}

// No n needs more than gsort.h says.
static void test_workspace_size(void **state) {
  (void)state;
  for (int i = 0; i < KINDS * 2 * 2; i++) {
    const int key = kinds[i % KINDS].key, value = kinds[i % KINDS].value;
    gsort *const sort = new_sort(key, value);
    const bool overwrite = i / KINDS % 2 == 1,
               makes = value == GSORT_INDEX32 || value == GSORT_INDEX64;
    gsort_set(sort, GSORT_OVERWRITE, overwrite);
    if (i / KINDS / 2 == 1) gsort_set(sort, GSORT_END_BIT, 20);
    for (uint64_t n = 1; n <= UINT32_MAX; n += 1 + n / 2000) {
      size_t bytes;
      assert_int_equal(gsort_workspace(sort, n, &bytes), GSORT_OK);
      const double value_size = (double)value_bytes(value),
                   plain = 1.5 * ((double)key_bytes(key) + value_size),
                   in_place = 0.75 + (makes ? value_size : 0);
      if ((double)bytes > (overwrite && n > 500000 ? in_place : plain) * (double)n + 8e6)
        fail_msg("kind %d, n %llu: %zu bytes", i, (unsigned long long)n, bytes);
    }
    gsort_destroy(sort);
  }
}

// ---- arguments of gsort_run() -------------------------------------------------------------------
enum { N = 20000, ARRAYS = 4 };  // keys_in, keys_out, values_in, values_out

typedef struct Arguments {
  char *workspace, *arrays[ARRAYS];
  size_t bytes;
  uint64_t n;
} Arguments;

static int run_sort(gsort *sort, Arguments a) {
  return gsort_run(sort, a.workspace, a.bytes, a.arrays[0], a.arrays[1], a.arrays[2], a.arrays[3],
                   a.n, NULL);
}

// Memory of a sort, all in one piece: its contents are compared with what they were.
typedef struct Memory {
  gsort *sort;
  Arguments right;
  size_t element[ARRAYS];  // bytes
  size_t size;
  char *all, *before, *after;
} Memory;

static Memory make_memory(int key, int value) {
  const size_t of_key = key_bytes(key), of_value = value_bytes(value);
  Memory memory = {.sort = new_sort(key, value),
                   .right = {.n = N},
                   .element = {of_key, of_key, of_value, of_value}};
  assert_int_equal(gsort_workspace(memory.sort, N, &memory.right.bytes), GSORT_OK);
  const size_t array = N * sizeof(uint64_t) + 256;
  memory.size = ARRAYS * array + memory.right.bytes + 256;
  memory.all = device_memory(memory.size);
  memory.before = malloc(memory.size);
  memory.after = malloc(memory.size);
  assert_true(memory.before != NULL && memory.after != NULL);
  for (size_t i = 0; i < memory.size; i++) memory.before[i] = (char)(i * i >> 7);
  CUDA_OK(cudaMemcpy(memory.all, memory.before, memory.size, cudaMemcpyHostToDevice));
  for (int i = 0; i < ARRAYS; i++) memory.right.arrays[i] = memory.all + (size_t)i * array;
  if (value == GSORT_KEYS) memory.right.arrays[3] = NULL;
  if (value != GSORT_VALUE32 && value != GSORT_VALUE64) memory.right.arrays[2] = NULL;
  memory.right.workspace =
      memory.all + (ARRAYS * array + 255) / 256 * 256;  // cudaMalloc aligns to 256
  return memory;
}

static void free_memory(Memory *memory) {
  gsort_destroy(memory->sort);
  cudaFree(memory->all);
  free(memory->before);
  free(memory->after);
}

static void assert_refused(Memory *memory, Arguments arguments, int error) {
  assert_int_equal(run_sort(memory->sort, arguments), error);
  CUDA_OK(cudaDeviceSynchronize());
  CUDA_OK(cudaGetLastError());
  CUDA_OK(cudaMemcpy(memory->after, memory->all, memory->size, cudaMemcpyDeviceToHost));
  assert_memory_equal(memory->after, memory->before, memory->size);
}

static void test_refused(void **state) {
  (void)state;
  for (int k = 0; k < KINDS; k++) {
    Memory memory = make_memory(kinds[k].key, kinds[k].value);
    const Arguments right = memory.right;
    for (int i = 0; i < ARRAYS; i++) {
      Arguments wrong = right;
      // NULL, or given although there is no such array.
      wrong.arrays[i] = right.arrays[i] == NULL ? right.arrays[0] : NULL;
      assert_refused(&memory, wrong, GSORT_ERROR_ARGUMENT);
      if (right.arrays[i] == NULL) continue;
      wrong.arrays[i] = right.arrays[i] + memory.element[i] / 2;
      assert_refused(&memory, wrong, GSORT_ERROR_ARGUMENT);
      for (int j = 0; j <= ARRAYS; j++) {
        char *const other = j < ARRAYS ? right.arrays[j] : right.workspace;
        if (i == j || other == NULL) continue;
        wrong.arrays[i] = other;
        assert_refused(&memory, wrong, GSORT_ERROR_OVERLAP);
        // By one element, behind it and before.
        if (j < ARRAYS && memory.element[j] == memory.element[i]) {
          wrong.arrays[i] = other + (N - 1) * memory.element[i];
          assert_refused(&memory, wrong, GSORT_ERROR_OVERLAP);
        }
        wrong.arrays[i] = other - (N - 1) * memory.element[i];
        assert_refused(&memory, wrong, GSORT_ERROR_OVERLAP);
      }
    }
    Arguments wrong = right;
    wrong.workspace = NULL;
    assert_refused(&memory, wrong, GSORT_ERROR_ARGUMENT);
    wrong.workspace = right.workspace + 128;
    assert_refused(&memory, wrong, GSORT_ERROR_ARGUMENT);
    wrong = right;
    wrong.bytes--;
    assert_refused(&memory, wrong, GSORT_ERROR_WORKSPACE);
    wrong.bytes = 0;
    assert_refused(&memory, wrong, GSORT_ERROR_WORKSPACE);
    wrong = right;
    wrong.n = UINT64_C(1) << 32;
    assert_refused(&memory, wrong, GSORT_ERROR_SIZE);
    // With bytes to spare; its arrays end behind the last address.
    wrong.n = UINT32_MAX;
    wrong.bytes = SIZE_MAX;
    wrong.arrays[0] = (char *)(UINTPTR_MAX - 1023);
    assert_refused(&memory, wrong, GSORT_ERROR_OVERLAP);
    // n = 0: no array has to be there.
    assert_refused(&memory, (Arguments){.n = 0}, GSORT_OK);
    gsort_set(memory.sort, GSORT_BEGIN_BIT, 5);
    gsort_set(memory.sort, GSORT_END_BIT, 5);
    assert_refused(&memory, right, GSORT_ERROR_OPTION);
    assert_int_equal(run_sort(NULL, right), GSORT_ERROR_ARGUMENT);

    // What was right all the time; more bytes than there are, as only those that it needs count.
    gsort_set(memory.sort, GSORT_BEGIN_BIT, 0);
    gsort_set(memory.sort, GSORT_END_BIT, kinds[k].key >= GSORT_U64 ? 64 : 32);
    wrong = right;
    wrong.bytes = SIZE_MAX;
    assert_int_equal(run_sort(memory.sort, wrong), GSORT_OK);
    CUDA_OK(cudaDeviceSynchronize());
    free_memory(&memory);
  }
}

// The host waits for a finding, which a capture forbids: a CUDA call fails, and its number is told.
static void test_cuda_error(void **state) {
  (void)state;
  Memory memory = make_memory(GSORT_U32, GSORT_VALUE32);
  const Arguments a = memory.right;
  cudaStream_t stream;
  cudaGraph_t graph = NULL;
  CUDA_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  const int error = gsort_run(memory.sort, a.workspace, a.bytes, a.arrays[0], a.arrays[1],
                              a.arrays[2], a.arrays[3], N, stream);
  CUDA_OK(cudaGetLastError());
  cudaStreamEndCapture(stream, &graph);
  cudaGetLastError();
  assert_int_equal(error, GSORT_ERROR_CUDA + cudaErrorStreamCaptureUnsupported);
  // The same sort goes on.
  assert_int_equal(run_sort(memory.sort, a), GSORT_OK);
  CUDA_OK(cudaDeviceSynchronize());
  CUDA_OK(cudaStreamDestroy(stream));
  free_memory(&memory);
}

static void test_other_device(void **state) {
  (void)state;
  Memory memory = make_memory(GSORT_U32, GSORT_KEYS);
  CUDA_OK(cudaSetDevice(1));
  const int error = run_sort(memory.sort, memory.right);
  CUDA_OK(cudaSetDevice(0));
  assert_int_equal(error, GSORT_ERROR_DEVICE);
  free_memory(&memory);
}

// ---- what it leaves behind ----------------------------------------------------------------------
static size_t resident_bytes(void) {
  FILE *const file = fopen("/proc/self/statm", "r");
  unsigned long pages = 0;
  assert_true(file != NULL && fscanf(file, "%*u %lu", &pages) == 1);
  fclose(file);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void create_often(int times) {
  for (int i = 0; i < times; i++) gsort_destroy(new_sort(GSORT_U32, GSORT_KEYS));
}

static void test_no_growth(void **state) {
  (void)state;
  create_often(100);
  size_t free_before, free_after, total;
  CUDA_OK(cudaMemGetInfo(&free_before, &total));
  const size_t heap = mallinfo2().uordblks, resident = resident_bytes();
  create_often(1000);
  CUDA_OK(cudaMemGetInfo(&free_after, &total));
  assert_true(free_after >= free_before);
  assert_in_range(mallinfo2().uordblks, 0, heap + 64 * 1024);
  assert_in_range(resident_bytes(), 0, resident + 4 * 1024 * 1024);
}

// Sorts, errors, and what they write to stdout and stderr: nothing.
static void test_no_output(void **state) {
  (void)state;
  Memory memory = make_memory(GSORT_U32, GSORT_VALUE32);
  FILE *const written = tmpfile();
  assert_non_null(written);
  fflush(stdout);
  fflush(stderr);
  const int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
  dup2(fileno(written), STDOUT_FILENO);
  dup2(fileno(written), STDERR_FILENO);
  const int right = run_sort(memory.sort, memory.right);
  memory.right.bytes = 0;
  const int wrong = run_sort(memory.sort, memory.right);
  cudaDeviceSynchronize();
  fflush(stdout);
  fflush(stderr);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  close(out);
  close(err);
  assert_int_equal(right, GSORT_OK);
  assert_int_equal(wrong, GSORT_ERROR_WORKSPACE);
  assert_int_equal(lseek(fileno(written), 0, SEEK_END), 0);
  fclose(written);
  free_memory(&memory);
}

// Wide keys in two steps, of whose 64 parts (way/wide_buckets.cu) one has a few keys more than it
// can hold: so few that whole sectors and what is left of them fit, but not both. On two processors
// of a CPU that is so with up to 3 keys, on a GPU of 132 with about 200.
static void test_full_part(void **state) {
  (void)state;
  enum { N = 9000000, PARTS = 64, AVERAGE = N / PARTS, CAPACITY = AVERAGE + 3007, FULL = 5 };
  gsort *const sort = new_sort(GSORT_U64, GSORT_KEYS);
  assert_string_equal(gsort_way(sort, N), "wide buckets");
  size_t bytes = 0;
  assert_int_equal(gsort_workspace(sort, N, &bytes), GSORT_OK);
  void *const workspace = device_memory(bytes), *const in = device_memory(N * sizeof(uint64_t)),
              *const out = device_memory(N * sizeof(uint64_t));
  uint64_t *const keys = malloc(N * sizeof *keys);
  assert_non_null(keys);
  for (int excess = 2; excess <= 100; excess += 98) {
    uint64_t random = 1, sum = 0, sum_of_squares = 0;
    for (size_t i = 0; i < N; i++) {
      random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
      const size_t at = i * 7 % N;
      const uint64_t part =
          at < CAPACITY + (size_t)excess ? FULL : (at - CAPACITY - (size_t)excess) % (PARTS - 1);
      keys[i] =
          (part >= FULL && at >= CAPACITY + (size_t)excess ? part + 1 : part) << 58 | random >> 6;
      sum += keys[i];
      sum_of_squares += keys[i] * keys[i];
    }
    CUDA_OK(cudaMemcpy(in, keys, N * sizeof *keys, cudaMemcpyHostToDevice));
    assert_int_equal(gsort_run(sort, workspace, bytes, in, out, NULL, NULL, N, NULL), GSORT_OK);
    CUDA_OK(cudaMemcpy(keys, out, N * sizeof *keys, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < N; i++) {
      assert_true(i == 0 || keys[i - 1] <= keys[i]);
      sum -= keys[i];
      sum_of_squares -= keys[i] * keys[i];
    }
    assert_true(sum == 0 && sum_of_squares == 0);
  }
  free(keys);
  CUDA_OK(cudaFree(workspace));
  CUDA_OK(cudaFree(in));
  CUDA_OK(cudaFree(out));
  gsort_destroy(sort);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_create),         cmocka_unit_test(test_options),
      cmocka_unit_test(test_sentences),      cmocka_unit_test(test_workspace),
      cmocka_unit_test(test_workspace_size), cmocka_unit_test(test_refused),
      cmocka_unit_test(test_cuda_error),     cmocka_unit_test(test_no_growth),
      cmocka_unit_test(test_no_output),      cmocka_unit_test(test_full_part),
      cmocka_unit_test(test_other_device),
  };
  int devices = 0;
  cudaGetDeviceCount(&devices);
  if (devices < 2) puts("# one device: test_other_device is left out");
  const size_t count = sizeof tests / sizeof *tests - (devices < 2 ? 1 : 0);
  return _cmocka_run_group_tests("gsort.h", tests, count, NULL, NULL);
}
