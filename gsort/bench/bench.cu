// gsort beside CUB on a GPU: types, directions, windows of bits, argsort; also the time until
// gsort_run() returns, and the workspace. Other inputs of uint32: ./compare radix_v9 cub_ref.
//   bench [N...]     writes the table of README.md: medians, in one process, of results that are
//   equal bench --first gsort|cub    the first sort of a process, as no other can be one
//   bench --forms [N...]  each sort with and without GSORT_NO_HOST_WAIT, on three inputs
// CUB is the faster of its two types of num_items, with its memory allocated before. Its argsort is
// SortPairs with indices made before; gsort makes them in the timed sort.
#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cub/device/device_radix_sort.cuh>
#include <cuda_runtime.h>

#include "gsort/gsort.h"

enum { WARM_UPS = 3, RUNS = 31 };

struct Kind {
  const char *name;
  int key, value, descending, begin, end;
};
static const Kind kinds[] = {
    {"uint32", GSORT_U32, GSORT_KEYS, 0, 0, 32},
    {"uint32, descending", GSORT_U32, GSORT_KEYS, 1, 0, 32},
    {"int32", GSORT_I32, GSORT_KEYS, 0, 0, 32},
    {"float32", GSORT_F32, GSORT_KEYS, 0, 0, 32},
    {"uint32, bits 0 to 15", GSORT_U32, GSORT_KEYS, 0, 0, 16},
    {"uint32 with values", GSORT_U32, GSORT_VALUE32, 0, 0, 32},
    {"float32 with values", GSORT_F32, GSORT_VALUE32, 0, 0, 32},
    {"uint32 with values, bits 8 to 27", GSORT_U32, GSORT_VALUE32, 0, 8, 28},
    {"argsort of uint32", GSORT_U32, GSORT_INDEX32, 0, 0, 32},
    {"argsort of float32, descending", GSORT_F32, GSORT_INDEX32, 1, 0, 32},
};

static const Kind wide_kinds[] = {
    {"uint64", GSORT_U64, GSORT_KEYS, 0, 0, 64},
    {"uint64 with 32-bit values", GSORT_U64, GSORT_VALUE32, 0, 0, 64}};

// On the device. values hold the indices, so that an argsort and CUB's pairs have the same result.
struct Arrays {
  unsigned int *keys, *values, *sorted[2], *moved[2];  // [0]: by gsort, [1]: by CUB
  void *workspace[2];
  size_t bytes[2], n;
};

static void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "bench: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(3);
}
#define CHECK(call) check(call, #call)

static void check_gsort(int error) {
  if (error == GSORT_OK) return;
  std::fprintf(stderr, "bench: gsort: %s\n", gsort_error_string(error));
  std::exit(3);
}

enum Input { UNIFORM, GAUSSIAN, VALUES_100, INPUTS };

// wide: the keys have 64 bits. Their upper halves are the keys of 32 bits.
__global__ void draw(unsigned int *keys, unsigned int *values, size_t n, int input, bool wide) {
  const size_t step = (size_t)gridDim.x * blockDim.x;
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    unsigned long long x = (i + 1) * 0x9e3779b97f4a7c15ull;  // splitmix64
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    x ^= x >> 31;
    const unsigned int of_four = ((unsigned int)x & 0xffff) + (unsigned int)(x >> 16 & 0xffff) +
                                 (unsigned int)(x >> 32 & 0xffff) + (unsigned int)(x >> 48);
    const unsigned int key = input == UNIFORM    ? (unsigned int)x
                             : input == GAUSSIAN ? of_four << 14 | (unsigned int)(x & 0x3fff)
                                                 : (unsigned int)(x % 100) * 40000000u;
    if (wide)
      ((unsigned long long *)keys)[i] =
          (unsigned long long)key << 32 | (input == VALUES_100 ? key : (unsigned int)(x >> 32));
    else
      keys[i] = key;
    values[i] = (unsigned int)i;
  }
}

__global__ void compare(const unsigned int *a, const unsigned int *b, size_t n, int *differ) {
  const size_t step = (size_t)gridDim.x * blockDim.x;
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
    if (a[i] != b[i]) *differ = 1;
}

template <class Key, class Size>
static cudaError_t cub_sort_as(const Kind &kind, const Arrays &a, void *memory, size_t &bytes) {
  using Sort = cub::DeviceRadixSort;
  const Key *const in = (const Key *)a.keys;
  Key *const out = (Key *)a.sorted[1];
  const Size n = (Size)a.n;
  if (kind.value == GSORT_KEYS)
    return kind.descending
               ? Sort::SortKeysDescending(memory, bytes, in, out, n, kind.begin, kind.end)
               : Sort::SortKeys(memory, bytes, in, out, n, kind.begin, kind.end);
  return kind.descending ? Sort::SortPairsDescending(memory, bytes, in, out, a.values, a.moved[1],
                                                     n, kind.begin, kind.end)
                         : Sort::SortPairs(memory, bytes, in, out, a.values, a.moved[1], n,
                                           kind.begin, kind.end);
}

template <class Size>
static cudaError_t cub_sort(const Kind &kind, const Arrays &a, void *memory, size_t &bytes) {
  if (kind.key == GSORT_I32) return cub_sort_as<int, Size>(kind, a, memory, bytes);
  if (kind.key == GSORT_F32) return cub_sort_as<float, Size>(kind, a, memory, bytes);
  return cub_sort_as<unsigned int, Size>(kind, a, memory, bytes);
}

static gsort *make_sort(const Kind &kind) {
  gsort *sort;
  check_gsort(gsort_create(&sort, kind.key, kind.value));
  check_gsort(gsort_set(sort, GSORT_DESCENDING, kind.descending));
  check_gsort(gsort_set(sort, GSORT_BEGIN_BIT, kind.begin));
  check_gsort(gsort_set(sort, GSORT_END_BIT, kind.end));
  return sort;
}

static void run_gsort(gsort *sort, const Kind &kind, const Arrays &a) {
  check_gsort(gsort_run(sort, a.workspace[0], a.bytes[0], a.keys, a.sorted[0],
                        kind.value == GSORT_VALUE32 ? a.values : nullptr,
                        kind.value == GSORT_KEYS ? nullptr : a.moved[0], a.n, nullptr));
}

static Arrays make_arrays(size_t n, int input = UNIFORM, bool wide = false) {
  Arrays a = {};
  a.n = n;
  for (unsigned int **array :
       {&a.keys, &a.values, &a.sorted[0], &a.sorted[1], &a.moved[0], &a.moved[1]})
    CHECK(cudaMalloc(array, (wide ? 2 : 1) * n * sizeof **array));
  draw<<<1024, 256>>>(a.keys, a.values, n, input, wide);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  return a;
}

static void free_arrays(const Arrays &a) {
  for (unsigned int *array : {a.keys, a.values, a.sorted[0], a.sorted[1], a.moved[0], a.moved[1]})
    CHECK(cudaFree(array));
}

static double now() {  // microseconds
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Median of milliseconds on the device, and of microseconds until `sort` returns.
struct Times {
  double device, call;
};

template <class Sort>
static Times measure(Sort sort) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<double> device, call;
  for (int run = -WARM_UPS; run < RUNS; run++) {
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(begin));
    const double start = now();
    sort();
    const double returned = now();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float milliseconds;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    if (run < 0) continue;
    device.push_back(milliseconds);
    call.push_back(returned - start);
  }
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  std::sort(device.begin(), device.end());
  std::sort(call.begin(), call.end());
  return {device[RUNS / 2], call[RUNS / 2]};
}

static void check_equal(const Kind &kind, const Arrays &a) {
  int *differ;
  CHECK(cudaMallocManaged(&differ, sizeof *differ));
  *differ = 0;
  compare<<<1024, 256>>>(a.sorted[0], a.sorted[1], (kind.key >= GSORT_U64 ? 2 : 1) * a.n, differ);
  if (kind.value != GSORT_KEYS) compare<<<1024, 256>>>(a.moved[0], a.moved[1], a.n, differ);
  CHECK(cudaDeviceSynchronize());
  if (*differ != 0) {
    std::fprintf(stderr, "bench: %s, n = %zu: results differ\n", kind.name, a.n);
    std::exit(1);
  }
  CHECK(cudaFree(differ));
}

static void write_row(const Kind &kind, Arrays a) {
  gsort *const sort = make_sort(kind);
  size_t wide_bytes = 0;
  check_gsort(gsort_workspace(sort, a.n, &a.bytes[0]));
  CHECK(cub_sort<int>(kind, a, nullptr, a.bytes[1]));
  CHECK(cub_sort<size_t>(kind, a, nullptr, wide_bytes));
  a.bytes[1] = std::max(a.bytes[1], wide_bytes);
  for (int i = 0; i < 2; i++) CHECK(cudaMalloc(&a.workspace[i], a.bytes[i]));
  const Times mine = measure([&] { run_gsort(sort, kind, a); });
  const double narrow =
      measure([&] { CHECK(cub_sort<int>(kind, a, a.workspace[1], a.bytes[1])); }).device;
  const double wide =
      measure([&] { CHECK(cub_sort<size_t>(kind, a, a.workspace[1], a.bytes[1])); }).device;
  check_equal(kind, a);
  const double cub = std::min(narrow, wide);
  std::printf("| %s | %zu | %.4f | %.4f | %.2f | %.0f | %.2f | %.2f |\n", kind.name, a.n,
              mine.device, cub, cub / mine.device, mine.call, (double)a.bytes[0] / (double)a.n,
              (double)a.bytes[1] / (double)a.n);
  for (void *workspace : a.workspace) CHECK(cudaFree(workspace));
  gsort_destroy(sort);
}

// A sort that waits, and one that does not, of each input: their results are equal. The calls'
// times are of uniform keys.
static void write_forms(const Kind &kind, size_t n) {
  gsort *const sort = make_sort(kind);
  Times times[INPUTS][2];
  for (int input = UNIFORM; input < INPUTS; input++) {
    Arrays a = make_arrays(n, input, kind.key >= GSORT_U64);
    for (int form = 0; form < 2; form++) {
      check_gsort(gsort_set(sort, GSORT_NO_HOST_WAIT, form));
      check_gsort(gsort_workspace(sort, a.n, &a.bytes[0]));
      CHECK(cudaMalloc(&a.workspace[0], a.bytes[0]));
      times[input][form] = measure([&] { run_gsort(sort, kind, a); });
      CHECK(cudaFree(a.workspace[0]));
      std::swap(a.sorted[0], a.sorted[1]);
      std::swap(a.moved[0], a.moved[1]);
    }
    check_equal(kind, a);
    free_arrays(a);
  }
  std::printf("| %s | %zu | %.0f, %.0f |", kind.name, n, times[UNIFORM][0].call,
              times[UNIFORM][1].call);
  for (const Times(&of_input)[2] : times)
    std::printf(" %.4f, %.4f |", of_input[0].device, of_input[1].device);
  std::puts("");
  gsort_destroy(sort);
}

// Milliseconds from cudaSetDevice() to the end of a sort of a million keys, less its input.
static void first_sort(bool is_gsort) {
  const double start = now();
  CHECK(cudaSetDevice(0));
  CHECK(cudaFree(nullptr));
  const double ready = now();
  Arrays a = make_arrays(1000000);
  const double begin = now();
  gsort *sort = is_gsort ? make_sort(kinds[0]) : nullptr;
  const int which = is_gsort ? 0 : 1;
  if (is_gsort) check_gsort(gsort_workspace(sort, a.n, &a.bytes[0]));
  if (!is_gsort) CHECK(cub_sort<int>(kinds[0], a, nullptr, a.bytes[1]));
  CHECK(cudaMalloc(&a.workspace[which], a.bytes[which]));
  if (is_gsort) run_gsort(sort, kinds[0], a);
  if (!is_gsort) CHECK(cub_sort<int>(kinds[0], a, a.workspace[1], a.bytes[1]));
  CHECK(cudaDeviceSynchronize());
  std::printf("%s: cudaSetDevice %.1f ms, the first sort %.2f ms\n", is_gsort ? "gsort" : "CUB",
              (ready - start) / 1000, (now() - begin) / 1000);
}

int main(int argc, char **argv) {
  if (argc == 3 && std::strcmp(argv[1], "--first") == 0) {
    first_sort(std::strcmp(argv[2], "gsort") == 0);
    return 0;
  }
  const bool forms = argc > 1 && std::strcmp(argv[1], "--forms") == 0;
  std::vector<size_t> sizes;
  for (int i = forms ? 2 : 1; i < argc; i++) sizes.push_back((size_t)std::strtod(argv[i], nullptr));
  if (sizes.empty()) sizes = {10000, 1000000, 8000000, 1 << 28};
  cudaDeviceProp device;
  int driver = 0;
  CHECK(cudaGetDeviceProperties(&device, 0));
  CHECK(cudaDriverGetVersion(&driver));
  std::printf("%s, driver for CUDA %d.%d, CUDA %d.%d, CUB %d.%d.%d; medians of %d runs.\n\n",
              device.name, driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000,
              CUDART_VERSION % 1000 / 10, CUB_MAJOR_VERSION, CUB_MINOR_VERSION,
              CUB_SUBMINOR_VERSION, (int)RUNS);
  if (forms) {
    std::puts(
        "| sort | n | the call returns after, us: waits, does not | uniform, ms: waits, does not | "
        "gaussian | 100 values |\n|---|---|---|---|---|---|");
    for (const size_t n : sizes)
      for (const Kind &kind : {kinds[0], kinds[5], wide_kinds[0], wide_kinds[1]})
        write_forms(kind, n);
    return 0;
  }
  std::puts(
      "| sort | n | gsort, ms | CUB, ms | CUB / gsort | the call returns after, us | workspace, "
      "bytes an element | CUB's |\n|---|---|---|---|---|---|---|---|");
  for (const size_t n : sizes) {
    if (n < 1 || n > INT_MAX) continue;  // CUB's int
    const Arrays a = make_arrays(n);
    for (const Kind &kind : kinds) write_row(kind, a);
    free_arrays(a);
  }
  return 0;
}
