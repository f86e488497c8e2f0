// Launches: shapes, limits, and how they may be written.
#include "device_test.h"

#include <string>

// ---- shapes -------------------------------------------------------------------------------------

struct Place {
  uint3 thread, block;
  dim3 block_shape, grid_shape;
};

// With barriers, threads run by another way through the backend.
static __global__ void note_place(bool barriers, Place *out) {
  if (barriers) __syncthreads();
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  if (barriers) __syncthreads();
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = {threadIdx, blockIdx, blockDim,
                                                                gridDim};
}

static void check_places(const Place *place, dim3 grid, dim3 block) {
  for (unsigned bz = 0; bz < grid.z; bz++)
    for (unsigned by = 0; by < grid.y; by++)
      for (unsigned bx = 0; bx < grid.x; bx++)
        for (unsigned z = 0; z < block.z; z++)
          for (unsigned y = 0; y < block.y; y++)
            for (unsigned x = 0; x < block.x; x++, place++) {
              const Place expected = {{x, y, z}, {bx, by, bz}, block, grid};
              assert_memory_equal(place, &expected, sizeof expected);
            }
}

TEST(grids_and_blocks_in_three_dimensions) {
  const dim3 grids[] = {1, 100, dim3(3, 4), dim3(2, 3, 5), dim3(1, 1, 7)};
  const dim3 blocks[] = {1, 33, dim3(8, 4), dim3(3, 5, 7), dim3(1, 1, 64), dim3(1024), dim3(1, 9)};
  for (const dim3 grid : grids)
    for (const dim3 block : blocks)
      for (const bool barriers : {false, true}) {
        const DeviceArray<Place> d_out((size_t)grid.x * grid.y * grid.z * block.x * block.y *
                                       block.z);
        note_place<<<grid, block>>>(barriers, d_out);
        check_places(d_out.read().data(), grid, block);
      }
}

// ---- limits -------------------------------------------------------------------------------------

static __global__ void count(unsigned *blocks) {
  if (threadIdx.x + threadIdx.y + threadIdx.z == 0) atomicAdd(blocks, 1u);
}

TEST(limits_of_launches) {
  const struct {
    dim3 grid, block;
    bool right;
  } launches[] = {
      {1, 1024, true},
      {1, 1025, false},
      {1, dim3(32, 33), false},
      {1, dim3(2, 8, 64), true},
      {1, dim3(1, 1, 65), false},
      {1, 0, false},
      {1, dim3(16, 0), false},
      {1, dim3(1u << 31, 2), false},  // the product of the sizes does not wrap around
      {0, 32, false},
      {dim3(1, 0), 32, false},
      {dim3(1, 1, 0), 32, false},
      {dim3(1, 65535), 1, true},
      {dim3(1, 65536), 1, false},
      {dim3(1, 1, 65535), 1, true},
      {dim3(1, 1, 65536), 1, false},
      {dim3(70000), 1, true},
      {dim3(1u << 31), 1, false},
      {(unsigned)-1, 1, false},
  };
  for (const auto &launch : launches) {
    const DeviceArray<unsigned> d_blocks(1);
    count<<<launch.grid, launch.block>>>(d_blocks);
    const cudaError_t expected = launch.right ? cudaSuccess : cudaErrorInvalidValue;
    assert_int_equal(cudaPeekAtLastError(), expected);
    assert_int_equal(cudaGetLastError(), expected);
    CUDA_OK(cudaGetLastError());  // reading it has reset it
    assert_int_equal(d_blocks.read()[0],
                     launch.right ? launch.grid.x * launch.grid.y * launch.grid.z : 0);
  }
}

TEST(an_error_stays_until_it_is_read) {
  const DeviceArray<unsigned> d_blocks(1);
  count<<<1, 1025>>>(d_blocks);
  count<<<1, 1>>>(d_blocks);  // a good launch does not hide it
  ASSERT_CUDA(cudaErrorInvalidValue, cudaPeekAtLastError());
  ASSERT_CUDA(cudaErrorInvalidValue, cudaGetLastError());
  CUDA_OK(cudaGetLastError());
  assert_int_equal(d_blocks.read()[0], 1);
  assert_string_equal(cudaGetErrorString(cudaErrorInvalidConfiguration),
                      "invalid configuration argument");
}

// ---- ways to write a launch ---------------------------------------------------------------------

template <class T, int N = 1>
static __global__ void add(T *out, T value) {
  for (int i = 0; i < N; i++) atomicAdd(out, value);
}

namespace outer {
namespace inner {
template <bool Twice>
static __global__ void add(unsigned *out) {
  atomicAdd(out, Twice ? 2u : 1u);
}
static __global__ void one(unsigned *out) { atomicAdd(out, 1u); }
}  // namespace inner
}  // namespace outer

template <int A, int B>
static constexpr int times(int c) {
  return A * B * c;
}

static unsigned length_of(const char *text) { return (unsigned)strlen(text); }

// How much a launch has added since the last call.
static unsigned added(unsigned *d_sum) {
  unsigned sum = 0;
  CUDA_OK(cudaGetLastError());
  CUDA_OK(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
  CUDA_OK(cudaMemset(d_sum, 0, sizeof sum));
  return sum;
}

// clang-format off
TEST(spellings_of_launches) {
  const DeviceArray<unsigned> d_sum(1);
  const unsigned n = 1000;
  Stream stream;
  CUDA_OK(cudaStreamCreate(&stream));

  add<unsigned><<<1, 32>>>(d_sum, 3u);
  assert_int_equal(added(d_sum), 96);
  add<unsigned, 4><<<dim3(2, 2), dim3(2, 2, 2), 0, stream>>>(d_sum, (unsigned)2);
  assert_int_equal(added(d_sum), 4 * 8 * 4 * 2);
  add<unsigned, (4 > 3 ? 2 : 1)><<<1, 1>>>(d_sum, 1u);  // > and ? inside template arguments
  assert_int_equal(added(d_sum), 2);
  add<unsigned, 1 << 3> <<< 1, 1 >>> (d_sum, 1u);
  assert_int_equal(added(d_sum), 8);
  add<unsigned,
      5>
      <<<1,
         2>>>(d_sum,
              1u); const int line_of_launch = __LINE__;
  assert_int_equal(line_of_launch, __LINE__ - 1);
  assert_int_equal(added(d_sum), 10);

  outer::inner::one<<<(n + 255) / 256, 256>>>(d_sum);
  assert_int_equal(added(d_sum), 1024);
  ::outer::inner::add<true><<<n >> 3, (n >> 5) + 1>>>(d_sum);
  assert_int_equal(added(d_sum), 125 * 32 * 2);
  outer::inner::one<<<times<2, 3>(4), dim3{8, 2, 1}>>>(d_sum);
  assert_int_equal(added(d_sum), 24 * 16);
  outer::inner::one<<<length_of("a, >>> \" ) b"), 1 /* not >>>(2) */>>>(d_sum);
  assert_int_equal(added(d_sum), 12);
  outer::inner::one<<<1,  // grid >>>
                      [](char c) { return c == '"' ? 2 : 1; }('"')>>>(d_sum);
  assert_int_equal(added(d_sum), 2);
  if (n > 5) outer::inner::one<<<1, 1>>>(d_sum); else outer::inner::one<<<2, 2>>>(d_sum);
  assert_int_equal(added(d_sum), 1);
  for (unsigned i = 0; i < 3; i++) outer::inner::one<<<i + 1, 1>>>(d_sum);
  assert_int_equal(added(d_sum), 6);
  switch (n) {
    case 1000:outer::inner::one<<<3, 1>>>(d_sum); break;
    default:outer::inner::one<<<4, 1>>>(d_sum);
  }
  assert_int_equal(added(d_sum), 3);
  const unsigned shifted = n << 2 >> 1;  // no launch
  assert_int_equal(shifted, 2000);
}
// clang-format on

struct Parameters {
  unsigned values[64];
  unsigned *out;
};

// Parameters are the kernel's own copy in each thread.
static __global__ void by_value(Parameters parameters, unsigned char small, double large) {
  parameters.values[0] += 1;
  small++;
  parameters.out[threadIdx.x] =
      parameters.values[0] + parameters.values[63] + small + (unsigned)large;
}

TEST(parameters_are_passed_by_value) {
  const DeviceArray<unsigned> d_out(40);
  Parameters parameters = {};
  parameters.values[0] = 10;
  parameters.values[63] = 100;
  parameters.out = d_out;
  by_value<<<1, 40>>>(parameters, 255, 7);  // converted as in a call
  ASSERT_SAME(d_out.read(), std::vector<unsigned>(40, 118));
  assert_int_equal(parameters.values[0], 10);
}

// As the lock in "CUDA by Example", whose copies all free its array.
struct Owning {
  int *array;
  Owning() { (void)cudaMalloc((void **)&array, sizeof(int)); }
  ~Owning() { (void)cudaFree(array); }
};

static __global__ void count_owned(Owning owning, int *sum) {
  if (owning.array != NULL) atomicAdd(sum, 1);
}

TEST(destructors_of_parameters_free_nothing_in_a_kernel) {
  const DeviceArray<int> sum(1);
  {
    const Owning owning;
    count_owned<<<3, 1>>>(owning, sum);
  }
  ASSERT_CUDA(cudaErrorInvalidValue, cudaGetLastError());  // of the second time on the host
  ASSERT_SAME(sum.read(), (std::vector<int>{3}));
}

typedef int (*Operation)(int, int);
static __device__ int times(int a, int b) { return a * b; }
static __device__ Operation d_times = times;
static __global__ void apply(Operation operation, int *out) { *out = operation(6, 7); }

TEST(pointers_to_functions) {
  const DeviceArray<int> out(1);
  Operation operation;
  CUDA_OK(cudaMemcpyFromSymbol(&operation, d_times, sizeof operation));
  apply<<<1, 1>>>(operation, out);
  ASSERT_SAME(out.read(), (std::vector<int>{42}));
}

TEST(launches_by_function) {
  const DeviceArray<unsigned> d_sum(1);
  unsigned *sum = d_sum, value = 3;
  void *arguments[] = {&sum, &value};
  CUDA_OK(cudaLaunchKernel(add<unsigned, 2>, dim3(4), dim3(8), arguments, 0, 0));
  assert_int_equal(added(d_sum), 4 * 8 * 2 * 3);
  CUDA_FAILS(cudaErrorInvalidValue,
             cudaLaunchKernel(add<unsigned, 2>, dim3(4), dim3(0), arguments));
  void *const none = NULL;
  ASSERT_CUDA(cudaErrorInvalidDeviceFunction,
              cudaLaunchKernel((const void *)none, 1, 1, arguments, 0, 0));
  CUDA_FAILS(cudaErrorInvalidValue, cudaLaunchKernel(add<unsigned, 2>, dim3(4), dim3(8), NULL));
  cudaLaunchConfig_t config = {};
  config.gridDim = 5;
  config.blockDim = 7;
  CUDA_OK(cudaLaunchKernelEx(&config, add<unsigned, 1>, sum, 2u));
  assert_int_equal(added(d_sum), 70);
}

// ---- kernels that the compiler finds ------------------------------------------------------------

template <int Step, class T>
__global__ void deduced(T *out, T value) {
  out[threadIdx.x] = static_cast<T>(value + Step * static_cast<T>(threadIdx.x));
}

__global__ void with_defaults(int *out, int first = 40, int second = 2) { *out = first + second; }

// Each pointer or number is deduced or not.
template <int Step, class T>
__global__ void with_nulls(T *out, const int *unused, T value, int n) {
  *out = static_cast<T>(value + Step + n + (unused == nullptr ? 100 : 0));
}

// A pack behind explicit arguments; it cannot be instantiated without its elements.
template <int Step, class... T>
__global__ void with_pack(int *out, T... values) {
  *out = Step + (... + values);
}

__global__ void doubled(int *out) { *out = 2; }
__global__ void tripled(int *out) { *out = 3; }
__global__ void overloaded(int *out) { *out = 1; }
__global__ void overloaded(float *out) { *out = 1.5f; }

#define LAUNCH(kernel, grid, block, ...) kernel<<<grid, block>>>(__VA_ARGS__)

TEST(deduced_and_default_arguments) {
  DeviceArray<double> d(4);
  deduced<3><<<1, 4>>>((double *)d, 0.5);
  ASSERT_SAME(d.read(), (std::vector<double>{0.5, 3.5, 6.5, 9.5}));
  DeviceArray<int> out(1);
  with_defaults<<<1, 1>>>(out);
  assert_int_equal(out.read()[0], 42);
  with_defaults<<<1, 1>>>(out, 1);
  assert_int_equal(out.read()[0], 3);
  with_nulls<1><<<1, 1>>>((int *)out, NULL, 0, 0);
  assert_int_equal(out.read()[0], 101);
  const int shift = 1;
  with_nulls<1><<<1, 1>>>((int *)out, 0, 5 << shift, int(0));
  assert_int_equal(out.read()[0], 111);
  with_nulls<1><<<1, 1>>>((int *)out, (int *)out, 5, 0);
  assert_int_equal(out.read()[0], 6);
  with_pack<1><<<1, 1>>>((int *)out, 20, 300);
  assert_int_equal(out.read()[0], 321);
  DeviceArray<float> f(1);
  overloaded<<<1, 1>>>((float *)f);
  assert_true(f.read()[0] == 1.5f);
}

TEST(kernels_as_values) {
  DeviceArray<int> out(1);
  void (*const table[])(int *) = {doubled, tripled};
  for (int i = 0; i < 2; i++) {
    table[i]<<<1, 1>>>(out);
    assert_int_equal(out.read()[0], 2 + i);
  }
  void (*pointer)(int *) = doubled;
  (*pointer)<<<1, 1>>>(out);
  assert_int_equal(out.read()[0], 2);
  const struct { void (*kernel)(int *); } choice = {tripled};
  choice.kernel<<<1, 1>>>(out);
  assert_int_equal(out.read()[0], 3);
}

// clang-format off
TEST(spellings) {
  DeviceArray<int> out(1);
  LAUNCH(doubled, 1, 1, out);
  assert_int_equal(out.read()[0], 2);
  tripled << <1, 1 >> > (out);
  assert_int_equal(out.read()[0], 3);
  doubled /* the kernel */ <<<1, /* >>> */ 1>>> /* its argument */ (out);
  assert_int_equal(out.read()[0], 2);
}
// clang-format on

// ---- __launch_bounds__ --------------------------------------------------------------------------
//
// __launch_bounds__: a block with more threads is refused, and nothing of the launch runs.

namespace launch_bounds {

enum { THREADS = 64 };
#define BOUND 96

static __global__ void __launch_bounds__(THREADS, 2) plain(int *out) { atomicAdd(out, 1); }

// Declared first, with two consts; the bound by a macro.
static __global__ void __launch_bounds__(BOUND) declared(const unsigned int *const in, int *out);
static __global__ void __launch_bounds__(BOUND) declared(const unsigned int *const in, int *out) {
  atomicAdd(out, in == nullptr ? 1 : 2);
}

template <int B, class T>
static __global__ void __launch_bounds__((B > 32 ? B : 32)) larger(T *out, unsigned times = 1) {
  for (unsigned i = 0; i < times; i++) atomicAdd(out, (T)1);
}

namespace outer {
namespace inner {
template <class T>
__launch_bounds__(sizeof(T) * 16) __global__ void by_type(T *out, int) {
  atomicAdd(out, (T)1);
}
extern "C" __global__ void __launch_bounds__(96) with_c_linkage(int *out) { atomicAdd(out, 1); }
__global__ void __launch_bounds__(32) overloaded(int *out) { atomicAdd(out, 1); }
__global__ void overloaded(float *out) { atomicAdd(out, 1.0f); }
}  // namespace inner
}  // namespace outer
using outer::inner::by_type;
using outer::inner::overloaded;

#ifdef CUDA_CPU  // for nvcc the specialisation has the template's bound; here its name has none
template <int N>
static __global__ void __launch_bounds__(N) special(int *out) {
  atomicAdd(out, N);
}
template <>
__global__ void special<32>(int *out) {
  atomicAdd(out, 1);
}
#endif

// What the launch before added, or -1 if it was refused.
template <class T>
static int ran(T *d_sum) {
  const cudaError_t error = cudaGetLastError();
  T sum = 0;
  CUDA_OK(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
  CUDA_OK(cudaMemset(d_sum, 0, sizeof sum));
  if (error == cudaSuccess) return (int)sum;
  ASSERT_CUDA(cudaErrorInvalidValue, error);
  assert_true(sum == 0);
  return -1;
}

TEST(blocks_larger_than_the_bound) {
  const DeviceArray<int> d_sum(1);
  int *const sum = d_sum;
  plain<<<2, THREADS>>>(sum);
  assert_int_equal(ran(sum), 2 * THREADS);
  plain<<<2, THREADS + 1>>>(sum);
  assert_int_equal(ran(sum), -1);
  plain<<<1, dim3(16, 2, 2)>>>(sum);
  assert_int_equal(ran(sum), 64);
  plain<<<1, dim3(16, 2, 3)>>>(sum);
  assert_int_equal(ran(sum), -1);
  declared<<<1, 96>>>(NULL, sum);
  assert_int_equal(ran(sum), 96);
  declared<<<1, 97>>>(NULL, sum);
  assert_int_equal(ran(sum), -1);
  outer::inner::with_c_linkage<<<1, 96>>>(sum);
  assert_int_equal(ran(sum), 96);
  outer::inner::with_c_linkage<<<1, 97>>>(sum);
  assert_int_equal(ran(sum), -1);
  void (*const pointer)(int *) = plain;
  pointer<<<2, THREADS + 1>>>(sum);
  assert_int_equal(ran(sum), -1);
}

MISTAKE(too_many_threads) { plain<<<1000, THREADS + 1>>>(NULL); }

TEST(a_note_names_the_bound) {
#if !defined CUDA_CPU || !defined __x86_64__  // the emulator of arm64 starts no programs
  skip();
#endif
  const Child child = run_mistake("too_many_threads");
  child_expect_text(child.errors,
                    "launch: kernel plain is launched with 65 threads in a block, its "
                    "__launch_bounds__ allow 64: the launch fails, at ");
  child_expect_text(child.errors, ("test_launch.cu:" + std::to_string(__LINE__ - 10)).c_str());
}

TEST(bounds_of_templates) {
  const DeviceArray<int> d_sum(1);
  const DeviceArray<unsigned long long> d_long(1);
  int *const sum = d_sum;
  unsigned long long *const sum64 = d_long;
  larger<128><<<1, 128>>>(sum, 2);
  assert_int_equal(ran(sum), 256);
  larger<128><<<1, 129>>>(sum, 2);
  assert_int_equal(ran(sum), -1);
  larger<1, unsigned long long><<<1, 32>>>(sum64);
  assert_int_equal(ran(sum64), 32);
  larger<1, unsigned long long><<<1, 33>>>(sum64);
  assert_int_equal(ran(sum64), -1);
  by_type<<<1, 64>>>(sum, 0);
  assert_int_equal(ran(sum), 64);
  by_type<<<1, 65>>>(sum, 0);
  assert_int_equal(ran(sum), -1);
  outer::inner::by_type<<<1, 128>>>(sum64, 0);
  assert_int_equal(ran(sum64), 128);
  outer::inner::by_type<<<1, 129>>>(sum64, 0);
  assert_int_equal(ran(sum64), -1);
#ifdef CUDA_CPU
  special<32><<<1, 128>>>(sum);
  assert_int_equal(ran(sum), 128);
#endif
}

TEST(bounds_of_overloads) {
  const DeviceArray<int> d_sum(1);
  const DeviceArray<float> d_float(1);
  overloaded<<<1, 32>>>((int *)d_sum);
  assert_int_equal(ran((int *)d_sum), 32);
  overloaded<<<1, 33>>>((int *)d_sum);
  assert_int_equal(ran((int *)d_sum), -1);
  overloaded<<<1, 33>>>((float *)d_float);
  assert_int_equal(ran((float *)d_float), 33);
}

// Attributes and the block size of the highest occupancy, which are launched with. The number of
// blocks of another size does not depend on the bound (CUDA 13.0 on an H100).
TEST(queries) {
  const DeviceArray<int> d_sum(1);
  cudaFuncAttributes attributes;
  int grid = 0, block = 0, blocks = 0;
  CUDA_OK(cudaFuncGetAttributes(&attributes, plain));
  assert_int_equal(attributes.maxThreadsPerBlock, THREADS);
  CUDA_OK(cudaFuncGetAttributes(&attributes, &larger<128, int>));
  assert_int_equal(attributes.maxThreadsPerBlock, 128);
  CUDA_OK(cudaFuncGetAttributes(&attributes, (const void *)by_type<float>));
  assert_int_equal(attributes.maxThreadsPerBlock, 64);
  CUDA_OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, outer::inner::by_type<double>, 0, 0));
  assert_int_equal(block, 128);
  CUDA_OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, declared));
  assert_int_equal(block, 64);  // 32 blocks of 64 threads are more than 21 of 96
  CUDA_OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, plain));
  plain<<<1, block>>>(d_sum);
  assert_int_equal(ran((int *)d_sum), THREADS);
  CUDA_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, THREADS + 1, 0));
  assert_int_equal(blocks, 21);
}

}  // namespace launch_bounds
