// Shared memory: static and dynamic arrays, their alignment, limits and first contents.
#include "device_test.h"

#include <numeric>

static const unsigned POISON = 0xdbdbdbdbu;  // what fresh memory holds

// ---- arrays of all kinds ------------------------------------------------------------------------

struct Pair {
  short a;
  double b;
};

template <class T, int N>
struct Storage {
  T items[N];
  unsigned count;
};

template <class T>
static __device__ T *scratch_of(int which) {
  __shared__ T first[16], second[16];  // one pair of arrays for each T
  return which == 0 ? first : second;
}

static __global__ void use_many_arrays(unsigned *out) {
  __shared__ unsigned plane[4][8], line[1 << 5], single;
  __shared__ unsigned corners[2 * (8 > 4 ? 2 : 1)][2],  // four rows
      last[3];                                          /* and a third, */
  __shared__ Pair pairs[32];
  __shared__ Storage<unsigned char, 5> storage;
  volatile __shared__ unsigned external[32];
  __shared__ unsigned long long *pointer;
  const unsigned i = threadIdx.x;
  plane[i / 8][i % 8] = i;
  line[i] = 100 + i;
  pairs[i] = {(short)i, i + 0.5};
  external[i] = 3;
  if (i < 8) corners[i / 2][i % 2] = 10 * i;
  if (i < 3) last[i] = i;
  if (i < 5) storage.items[i] = (unsigned char)(200 + i);
  if (i == 0) {
    single = 7;
    storage.count = 5;
    pointer = nullptr;
  }
  scratch_of<int>(0)[i % 16] = -1;
  scratch_of<int>(1)[i % 16] = -2;
  scratch_of<double>(0)[i % 16] = 0.25;
  __syncthreads();
  const unsigned j = 31 - i;
  bool right = plane[j / 8][j % 8] == j && line[j] == 100 + j && single == 7 && external[j] == 3;
  right = right && pairs[j].a == (short)j && pairs[j].b == j + 0.5 && pointer == nullptr;
  right = right && corners[3][1] == 70 && corners[0][0] == 0 && last[2] == 2;
  right = right && storage.items[4] == 204 && storage.count == 5;
  right = right && scratch_of<int>(0)[3] == -1 && scratch_of<int>(1)[3] == -2 &&
          scratch_of<double>(0)[3] == 0.25;
  out[i] = right;
}

TEST(static_arrays) {
  const DeviceArray<unsigned> d_out(32);
  use_many_arrays<<<4, 32>>>(d_out);
  ASSERT_SAME(d_out.read(), std::vector<unsigned>(32, 1));
}

// ---- declared outside functions -----------------------------------------------------------------

static __shared__ int outer_line[64];
static __shared__ float outer_plane[4][16];
static __shared__ unsigned outer_sum;

static __device__ int line_at(const int *line, int i) { return line[i]; }

static __global__ void use_outer(unsigned *out, float *floats) {
  const int i = (int)threadIdx.x;
  outer_line[i] = 10 * i;
  outer_plane[i / 16][i % 16] = 0.5f * (float)i;
  if (i == 0) outer_sum = blockIdx.x;
  __syncthreads();
  atomicAdd(&outer_sum, (unsigned)outer_line[63 - i]);
  __syncthreads();
  if (i == 5) outer_sum += 7;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = outer_sum + (unsigned)line_at(outer_line, 1) +
                                       (unsigned)*(outer_line + 2) + (unsigned)sizeof outer_line;
  floats[i] = outer_plane[3 - i / 16][i % 16];
}

TEST(arrays_outside_functions) {
  const DeviceArray<unsigned> d_out(5 * 64);
  const DeviceArray<float> d_floats(64);
  use_outer<<<5, 64>>>(d_out, d_floats);
  const std::vector<unsigned> out = d_out.read();
  for (unsigned i = 0; i < 5 * 64; i++)
    assert_int_equal(out[i], i / 64 + 10 * 63 * 64 / 2 + 7 + 10 + 20 + 256);
  assert_true(d_floats.read()[17] == 0.5f * (16 * 2 + 1));
}

// Two arrays in one dynamic allocation, beside static ones, which must not overlap it.
static __global__ void use_dynamic(unsigned n, unsigned *out) {
  extern __shared__ unsigned keys[];
  unsigned *const positions = &keys[n];
  __shared__ unsigned fixed[64];
  const unsigned i = threadIdx.x;
  for (unsigned k = i; k < n; k += blockDim.x) {
    keys[k] = k;
    positions[k] = ~k;
  }
  fixed[i] = 5;
  __syncthreads();
  unsigned wrong = 0;
  for (unsigned k = n - 1 - i; k < n; k -= blockDim.x) wrong += keys[k] != k || positions[k] != ~k;
  out[i] = wrong + (fixed[63 - i] != 5);
}

TEST(dynamic_beside_static_arrays) {
  for (const unsigned n : {1u, 64u, 1000u, 6000u}) {
    const DeviceArray<unsigned> d_out(std::vector<unsigned>(64, 9));
    use_dynamic<<<3, 64, 2 * n * sizeof(unsigned)>>>(n, d_out);
    ASSERT_SAME(d_out.read(), std::vector<unsigned>(64, 0));
  }
}

static __global__ void use_rows(int *out) {
  extern __shared__ int rows[][4];
  rows[threadIdx.x][threadIdx.x % 4] = (int)threadIdx.x;
  __syncthreads();
  const unsigned other = blockDim.x - 1 - threadIdx.x;
  out[threadIdx.x] = rows[other][other % 4];
}

TEST(dynamic_rows) {
  const DeviceArray<int> d_out(16);
  use_rows<<<1, 16, 16 * 4 * sizeof(int)>>>(d_out);
  std::vector<int> expected(16);
  std::iota(expected.rbegin(), expected.rend(), 0);
  ASSERT_SAME(d_out.read(), expected);
}

// ---- alignment ----------------------------------------------------------------------------------

struct alignas(128) Line {
  unsigned words[32];
};

static __global__ void take_addresses(size_t *remainders) {
  extern __shared__ __align__(1024) unsigned char dynamic_bytes[];
  __shared__ char odd[3];
  __shared__ double number;
  __shared__ char odd_again;
  __shared__ Line line;
  __shared__ __align__(256) unsigned char bytes[5];
  __shared__ alignas(uint4) unsigned words[8];
  odd[0] = odd_again = 1;  // leave the next free byte at an odd place
#ifdef CUDA_CPU            // a GPU aligns the dynamic part to less
  remainders[0] = (size_t)dynamic_bytes % 1024;
#else
  remainders[0] = (size_t)dynamic_bytes % 16;
#endif
  remainders[1] = (size_t)&number % alignof(double);
  remainders[2] = (size_t)&line % 128;
  remainders[3] = (size_t)bytes % 256;
  remainders[4] = (size_t)words % 16;
}

TEST(alignment) {
  const DeviceArray<size_t> d_remainders(std::vector<size_t>(5, 1));
  take_addresses<<<1, 1, 33>>>(d_remainders);
  ASSERT_SAME(d_remainders.read(), std::vector<size_t>(5, 0));
}

// ---- first contents -----------------------------------------------------------------------------

// Every block finds poison, although the one before has written.
static __global__ void look_at_fresh_memory(unsigned *wrong) {
  extern __shared__ unsigned dynamic[];
  __shared__ unsigned fixed[64];
  const unsigned i = threadIdx.x;
  if (dynamic[i] != POISON || fixed[i] != POISON) atomicAdd(wrong, 1u);
  __syncthreads();
  dynamic[i] = fixed[i] = i;
}

TEST(fresh_shared_memory_is_poisoned) {
  CUDA_CPU_ONLY();  // a GPU leaves what was there
  const DeviceArray<unsigned> d_wrong(1);
  for (int launch = 0; launch < 2; launch++)
    look_at_fresh_memory<<<100, 64, 64 * sizeof(unsigned)>>>(d_wrong);
  assert_int_equal(d_wrong.read()[0], 0);
}

// ---- limits -------------------------------------------------------------------------------------

static __global__ void fill(unsigned words, unsigned *out) {
  extern __shared__ unsigned array[];
  __shared__ unsigned sum;
  if (threadIdx.x == 0) sum = 0;
  for (unsigned i = threadIdx.x; i < words; i += blockDim.x) array[i] = 1;
  __syncthreads();
  unsigned mine = 0;
  for (unsigned i = threadIdx.x; i < words; i += blockDim.x) mine += array[words - 1 - i];
  atomicAdd(&sum, mine);
  __syncthreads();
  if (threadIdx.x == 0) *out = sum;
}

// The same kernel once more, so that what is allowed to the one is not allowed to the other.
static __global__ void fill_not_allowed(unsigned words, unsigned *out) {
  extern __shared__ unsigned array[];
  array[words - 1] = *out;
}

TEST(more_than_48_kb_by_permission) {
  const size_t default_limit = 48 * 1024, largest = 227 * 1024, asked = 100 * 1024;
  const DeviceArray<unsigned> d_out(1);
  fill<<<1, 128, default_limit + 4>>>(1, d_out);
  ASSERT_CUDA(cudaErrorInvalidValue, cudaGetLastError());
  CUDA_OK(cudaGetLastError());

  // Permission is for dynamic memory; `sum` comes on top.
  CUDA_OK(cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)asked));
  fill<<<2, 128, asked>>>(asked / 4, d_out);
  assert_int_equal(d_out.read()[0], asked / 4);
  fill<<<1, 128, asked + 4>>>(1, d_out);
  ASSERT_CUDA(cudaErrorInvalidValue, cudaGetLastError());
  fill_not_allowed<<<1, 128, asked>>>(1, d_out);
  ASSERT_CUDA(cudaErrorInvalidValue, cudaGetLastError());

  CUDA_FAILS(
      cudaErrorInvalidValue,
      cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)largest + 1));
  CUDA_OK(cudaFuncSetAttribute(fill_not_allowed, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               (int)largest));
  fill_not_allowed<<<1, 1, largest>>>(largest / 4, d_out);
  KERNEL_OK();
}

// 4 KB static. The barrier and the second block: nothing of the grid may run.
static __global__ void fill_both(unsigned *out) {
  extern __shared__ unsigned array[];
  __shared__ unsigned fixed[1024];
  fixed[threadIdx.x] = array[threadIdx.x] = blockIdx.x + 1;
  __syncthreads();
  atomicAdd(out, fixed[threadIdx.x ^ 1] + array[threadIdx.x]);
}

TEST(static_and_dynamic_beyond_the_limit) {
  const DeviceArray<unsigned> d_out(1);
  for (int round = 0; round < 2; round++) {
    fill_both<<<2, 64, 44 * 1024 + 4>>>(d_out);
    ASSERT_CUDA(cudaErrorInvalidValue, cudaGetLastError());
    CUDA_OK(cudaDeviceSynchronize());
    assert_int_equal(d_out.read()[0], 0);
  }
  void *arguments[1];
  unsigned *out = d_out;
  arguments[0] = &out;
  CUDA_FAILS(cudaErrorInvalidValue,
             cudaLaunchKernel(fill_both, dim3(2), dim3(64), arguments, 45 * 1024, 0));
  fill_both<<<2, 64, 44 * 1024>>>(d_out);  // and the next launch runs
  assert_int_equal(d_out.read()[0], 64 * (1 + 1) + 64 * (2 + 2));
}
