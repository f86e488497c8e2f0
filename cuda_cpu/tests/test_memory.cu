// Device memory: allocation, copies and their directions, symbols, pointers.
#include "device_test.h"

#include <numeric>
#include <string>

// ---- allocation ---------------------------------------------------------------------------------

TEST(fresh_device_memory_is_poisoned) {
  CUDA_CPU_ONLY();  // a GPU leaves what was there
  const size_t bytes = 1001;
  for (int round = 0; round < 2; round++) {  // also when an address is used again
    unsigned char *memory = NULL;
    CUDA_OK(cudaMalloc(&memory, bytes));
    assert_int_equal((uintptr_t)memory % 256, 0);
    std::vector<unsigned char> read(bytes);
    CUDA_OK(cudaMemcpy(read.data(), memory, bytes, cudaMemcpyDeviceToHost));
    ASSERT_SAME(read, std::vector<unsigned char>(bytes, 0xdb));
    CUDA_OK(cudaMemset(memory, 0, bytes));
    CUDA_OK(cudaFree(memory));
  }
}

TEST(allocation) {
  int *memory = (int *)1;
  CUDA_OK(cudaMalloc(&memory, 0));
  assert_null(memory);
  CUDA_OK(cudaFree(NULL));
  CUDA_OK(cudaFreeHost(NULL));

  CUDA_OK(cudaMallocAsync(&memory, 100, 0));
  ASSERT_CUDA(cudaErrorInvalidValue, cudaFreeHost(memory));
  ASSERT_CUDA(cudaErrorInvalidValue, cudaFree(memory + 1));
  CUDA_OK(cudaFreeAsync(memory, 0));
  CUDA_FAILS(cudaErrorInvalidValue, cudaFree(memory));  // twice
  CUDA_OK(cudaGetLastError());

  size_t free_before = 0, free_now = 0, total = 0;
  CUDA_OK(cudaMemGetInfo(&free_before, &total));
  assert_true(free_before <= total);
  CUDA_OK(cudaMalloc(&memory, 1 << 20));
  CUDA_OK(cudaMemGetInfo(&free_now, &total));
#ifdef CUDA_CPU  // a GPU counts larger pieces
  assert_true(free_now <= free_before - (1 << 20));
#endif
  CUDA_OK(cudaFree(memory));
  CUDA_OK(cudaMemGetInfo(&free_now, &total));
#ifdef CUDA_CPU
  assert_int_equal(free_now, free_before);
#endif

  ASSERT_CUDA(cudaErrorMemoryAllocation, cudaMalloc(&memory, total + 1));
  assert_null(memory);
  CUDA_FAILS(cudaErrorMemoryAllocation, cudaMalloc(&memory, (size_t)-1));
}

TEST(where_pointers_point) {
  char host = 0, *device = NULL, *pinned = NULL;
  CUDA_OK(cudaMalloc(&device, 16));
  CUDA_OK(cudaMallocHost(&pinned, 16));
  cudaPointerAttributes attributes;
  CUDA_OK(cudaPointerGetAttributes(&attributes, device + 15));
  assert_int_equal(attributes.type, cudaMemoryTypeDevice);
  assert_null(attributes.hostPointer);
  CUDA_OK(cudaPointerGetAttributes(&attributes, pinned));
  assert_int_equal(attributes.type, cudaMemoryTypeHost);
  assert_ptr_equal(attributes.hostPointer, pinned);
  CUDA_OK(cudaPointerGetAttributes(&attributes, &host));
  assert_int_equal(attributes.type, cudaMemoryTypeUnregistered);
  assert_null(attributes.devicePointer);
  CUDA_OK(cudaFree(device));
  CUDA_OK(cudaFreeHost(pinned));
}

// ---- copies -------------------------------------------------------------------------------------

enum { HOST, DEVICE, PINNED, PLACES };

TEST(directions_of_copies) {
  static int host[2][4];
  int *place[PLACES][2];  // from, to
  for (int side = 0; side < 2; side++) {
    place[HOST][side] = host[side];
    CUDA_OK(cudaMalloc(&place[DEVICE][side], sizeof host[0]));
    CUDA_OK(cudaMallocHost(&place[PINNED][side], sizeof host[0]));
  }
  const struct {
    cudaMemcpyKind kind;
    int from, to;  // the place that the direction forbids: its device side is no host memory
  } directions[] = {{cudaMemcpyHostToHost, -1, -1},
                    {cudaMemcpyHostToDevice, -1, HOST},
                    {cudaMemcpyDeviceToHost, HOST, -1},
                    {cudaMemcpyDeviceToDevice, HOST, HOST},
                    {cudaMemcpyDefault, -1, -1}};
  for (const auto &direction : directions)
    for (int from = 0; from < PLACES; from++)
      for (int to = 0; to < PLACES; to++) {
        const bool right = from != direction.from && to != direction.to;
        const cudaError_t error =
            cudaMemcpy(place[to][1], place[from][0], sizeof host[0], direction.kind);
        assert_int_equal(error, right ? cudaSuccess : cudaErrorInvalidValue);
        assert_int_equal(cudaGetLastError(), error);
      }
  CUDA_FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpy(host[0], host[1], 4, (cudaMemcpyKind)5));
  for (int side = 0; side < 2; side++) {
    CUDA_OK(cudaFree(place[DEVICE][side]));
    CUDA_OK(cudaFreeHost(place[PINNED][side]));
  }
}

TEST(copies_and_memset) {
  std::vector<unsigned> values(1000), read(1000);
  std::iota(values.begin(), values.end(), 5u);
  const DeviceArray<unsigned> d_a(1000), d_b(1000);
  const size_t bytes = 1000 * sizeof(unsigned);
  CUDA_OK(cudaMemcpyAsync(d_a, values.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemcpyAsync(d_b, d_a, bytes, cudaMemcpyDeviceToDevice, 0));
  CUDA_OK(cudaMemcpy(read.data(), d_b, bytes, cudaMemcpyDefault));
  ASSERT_SAME(read, values);

  CUDA_OK(cudaMemset(d_b + 10, 0xab, 3 * sizeof(unsigned)));
  CUDA_OK(cudaMemsetAsync(d_b + 999, 0, 4));
  values[10] = values[11] = values[12] = 0xababababu;
  values[999] = 0;
  ASSERT_SAME(d_b.read(), values);

  // Beyond the end, in whichever argument.
  ASSERT_CUDA(cudaErrorInvalidValue, cudaMemset(d_b + 999, 0, 5));
  ASSERT_CUDA(cudaErrorInvalidValue, cudaMemset(values.data(), 0, 4));
  ASSERT_CUDA(cudaErrorInvalidValue, cudaMemset(NULL, 0, 4));
  ASSERT_CUDA(cudaErrorInvalidValue, cudaMemcpy(d_b + 1, values.data(), bytes, cudaMemcpyDefault));
  ASSERT_CUDA(cudaErrorInvalidValue, cudaMemcpy(read.data(), d_b + 1, bytes, cudaMemcpyDefault));
  ASSERT_CUDA(cudaErrorInvalidValue, cudaMemcpy(read.data(), NULL, 1, cudaMemcpyDeviceToHost));
  CUDA_OK(cudaMemcpy(NULL, NULL, 0, cudaMemcpyDeviceToHost));
  ASSERT_CUDA(cudaErrorInvalidValue, cudaGetLastError());
  ASSERT_SAME(d_b.read(), values);
}

// ---- symbols ------------------------------------------------------------------------------------

static __constant__ int coefficients[4];
static __constant__ struct {
  float scale;
  int shift;
} format;
static __device__ unsigned counter = 5;
static __device__ int table[3][2] = {{1, 2}, {3, 4}, {5, 6}};

static __global__ void use_symbols(int *out) {
  const int i = threadIdx.x;
  out[i] = coefficients[i] * (int)format.scale + format.shift + table[i % 3][1];
  atomicAdd(&counter, 1u);
}

TEST(constant_and_device_variables) {
  const int numbers[4] = {1, 2, 3, 4};
  CUDA_OK(cudaMemcpyToSymbol(coefficients, numbers, sizeof numbers));
  CUDA_OK(cudaMemcpyToSymbol(coefficients, &numbers[3], sizeof(int), 1 * sizeof(int)));
  const float scale = 10;
  const int shift = 1000;
  CUDA_OK(cudaMemcpyToSymbol(format, &scale, sizeof scale));
  CUDA_OK(cudaMemcpyToSymbol(format, &shift, sizeof shift, sizeof scale));
  const DeviceArray<int> d_out(4);
  use_symbols<<<1, 4>>>(d_out);
  ASSERT_SAME(d_out.read(), (std::vector<int>{1012, 1044, 1036, 1042}));
  unsigned count = 0;
  CUDA_OK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  assert_int_equal(count, 9);

  CUDA_FAILS(cudaErrorInvalidValue, cudaMemcpyToSymbol(coefficients, numbers, sizeof numbers, 4));
  CUDA_FAILS(cudaErrorInvalidValue, cudaMemcpyFromSymbol(&count, counter, 8));
}

static __global__ void double_all(int *values) { values[threadIdx.x] *= 2; }

TEST(addresses_of_symbols) {
  void *address = NULL;
  CUDA_OK(cudaGetSymbolAddress(&address, table));
  CUDA_OK(cudaMemset((int *)address + 5, 0, sizeof(int)));
  double_all<<<1, 6>>>((int *)address);
  KERNEL_OK();
  std::vector<int> values(6);
  CUDA_OK(cudaMemcpy(values.data(), address, sizeof table, cudaMemcpyDeviceToHost));
  ASSERT_SAME(values, (std::vector<int>{2, 4, 6, 8, 10, 0}));
  CUDA_FAILS(cudaErrorInvalidValue, cudaMemset(address, 0, sizeof table + 1));
}

// A pointer beyond or before an array may be handed over, as long as no thread uses it.
static __global__ void set_first(unsigned *array, unsigned n) {
  if (threadIdx.x < n) array[threadIdx.x] = 7;
}

TEST(pointers_outside_arrays) {
#ifdef __SANITIZE_ADDRESS__
  skip();  // memory of the program's own allocator: nothing shows whose the place beyond it is
#endif
  const DeviceArray<unsigned> d_array(10);
  unsigned *const array = d_array;
  for (const long bytes : {64L, 4096L, 8192L, 1L << 20, 1L << 30})
    for (const long sign : {-1L, 1L}) {
      set_first<<<1, 32>>>((unsigned *)((uintptr_t)array + (uintptr_t)(sign * bytes)), 0);
      KERNEL_OK();
    }
  set_first<<<1, 32>>>(array, 10);
  ASSERT_SAME(d_array.read(), std::vector<unsigned>(10, 7));
}

// ---- managed memory -----------------------------------------------------------------------------
//
// Memory that both sides use, and rows that are a pitch apart.

__global__ void add_one(int *values, int n) {
  const int i = threadIdx.x;
  if (i < n) values[i]++;
}

TEST(managed_memory) {
  int *values = nullptr;
  cudaMemLocation device = {};
  device.type = cudaMemLocationTypeDevice;
  CUDA_OK(cudaMallocManaged(&values, 8 * sizeof(int)));
  for (int i = 0; i < 8; i++) values[i] = i;
  CUDA_OK(cudaMemPrefetchAsync(values, 8 * sizeof(int), device, 0, 0));
  add_one<<<1, 32>>>(values, 8);
  KERNEL_OK();
  for (int i = 0; i < 8; i++) assert_int_equal(values[i], i + 1);
  cudaPointerAttributes attributes;
  CUDA_OK(cudaPointerGetAttributes(&attributes, values + 3));
  assert_int_equal(attributes.type, cudaMemoryTypeManaged);
  assert_ptr_equal(attributes.hostPointer, values + 3);
  int copy[8];
  CUDA_OK(cudaMemcpy(copy, values, sizeof copy, cudaMemcpyDeviceToHost));
  CUDA_OK(cudaMemcpy(values, copy, sizeof copy, cudaMemcpyHostToHost));
  assert_int_equal(copy[7], 8);
  CUDA_OK(cudaFree(values));
  CUDA_FAILS(cudaErrorInvalidValue, cudaMemPrefetchAsync(copy, sizeof copy, device, 0, 0));
}

TEST(host_memory_in_kernels) {
  int *pinned = nullptr, *mapped = nullptr, own[4] = {1, 2, 3, 4};
  CUDA_OK(cudaMallocHost(&pinned, 4 * sizeof(int)));
  for (int i = 0; i < 4; i++) pinned[i] = i;
  add_one<<<1, 4>>>(pinned, 4);
  KERNEL_OK();
  for (int i = 0; i < 4; i++) assert_int_equal(pinned[i], i + 1);
  CUDA_OK(cudaFreeHost(pinned));
  CUDA_OK(cudaHostAlloc(&pinned, 4 * sizeof(int), cudaHostAllocMapped));
  pinned[3] = 6;
  CUDA_OK(cudaHostGetDevicePointer(&mapped, pinned, 0));
  add_one<<<1, 32>>>(mapped, 4);
  KERNEL_OK();
  assert_int_equal(pinned[3], 7);
  CUDA_FAILS(cudaErrorInvalidValue, cudaFree(pinned));
  CUDA_OK(cudaFreeHost(pinned));
  CUDA_OK(cudaHostRegister(own, sizeof own, cudaHostRegisterDefault));
  add_one<<<1, 32>>>(own, 4);
  KERNEL_OK();
  assert_int_equal(own[0], 2);
  ASSERT_CUDA(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(own, sizeof own, 0));
  CUDA_OK(cudaHostUnregister(own));
  CUDA_FAILS(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(own));
}

TEST(rows_with_a_pitch) {
  char *rows = nullptr;
  size_t pitch = 0;
  CUDA_OK(cudaMallocPitch(&rows, &pitch, 10, 3));
  assert_true(pitch >= 10 && pitch % 256 == 0);
  CUDA_OK(cudaMemset3D(make_cudaPitchedPtr(rows, pitch, 10, 1), 'x', make_cudaExtent(10, 1, 2)));
  CUDA_OK(cudaMemset2DAsync(rows + 2 * pitch, pitch, 'x', 10, 1));
  const char from[3][5] = {"abcd", "efgh", "ijkl"};
  CUDA_OK(cudaMemcpy2D(rows, pitch, from, 5, 4, 3, cudaMemcpyHostToDevice));
  char to[3][11] = {};
  CUDA_OK(cudaMemcpy2D(to, 11, rows, pitch, 10, 3, cudaMemcpyDeviceToHost));
  assert_string_equal(to[0], "abcdxxxxxx");
  assert_string_equal(to[2], "ijklxxxxxx");
  CUDA_FAILS(cudaErrorInvalidPitchValue,
             cudaMemcpy2D(to, 11, rows, pitch, 12, 3, cudaMemcpyDeviceToHost));
  CUDA_OK(cudaFree(rows));
}

static void called(void *data) { ++*static_cast<int *>(data); }
static void CUDART_CB called_back(cudaStream_t, cudaError_t status, void *data) {
  *static_cast<int *>(data) += status == cudaSuccess ? 10 : 100;
}

TEST(host_functions_in_streams) {
  int calls = 0;
  Stream stream;
  CUDA_OK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, 0));
  CUDA_OK(cudaLaunchHostFunc(stream, called, &calls));
  CUDA_OK(cudaStreamAddCallback(stream, called_back, &calls, 0));
  CUDA_OK(cudaStreamSynchronize(stream));
  assert_int_equal(calls, 11);
}
