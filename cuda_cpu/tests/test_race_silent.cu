// Correct programs, about which CHECK builds have to be silent. In other builds they only have to
// be right. test_order.cu has those that order accesses of several blocks.
#include "device_test.h"

// ---- in a block ---------------------------------------------------------------------------------

static __global__ void reuse_after_barrier(unsigned *out) {
  __shared__ unsigned values[96];
  unsigned sum = 0;
  for (unsigned round = 0; round < 3; round++) {
    values[threadIdx.x] = threadIdx.x + round;
    __syncthreads();
    sum += values[(threadIdx.x + 1) % 96];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

static __global__ void reduce_by_lanes(unsigned *out) {
  __shared__ volatile unsigned sum[64];
  const unsigned i = threadIdx.x;
  sum[i] = 1;
  __syncwarp();
  for (unsigned step = 16; step > 0; step /= 2) {
    if (i % 32 < step) sum[i] += sum[i + step];
    __syncwarp();
  }
  unsigned total = i % 32 == 0 ? sum[i] : 0;
  total = __shfl_sync(0xffffffffu, total, 0);
  out[i] = total;
}

// Lanes that have returned may be named by a mask if nobody reads from them, and lanes that a mask
// leaves out may be read if the value is not used.
static __global__ void scan_the_rest(unsigned *out, unsigned n) {
  if (threadIdx.x >= n) return;
  unsigned sum = 1;
  for (unsigned step = 1; step < 32; step *= 2) {
    const unsigned before = __shfl_up_sync(0xffffffffu, sum, step);
    if (threadIdx.x >= step) sum += before;
  }
  if (threadIdx.x < 16)
    for (unsigned step = 8; step > 0; step /= 2) sum += __shfl_down_sync(0xffffu, sum, step);
  if (threadIdx.x == 0) *out = sum;
}

// All lanes have loaded when one leaves the first shuffle, so that they may store.
static __global__ void scan_in_place(unsigned *a) {
  const unsigned lane = threadIdx.x % 32;
  unsigned sum = a[threadIdx.x];
  const unsigned before = lane > 0 ? a[threadIdx.x - 1] : 0;
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const unsigned lower = __shfl_up_sync(0xffffffffu, sum, distance);
    if (lane >= distance) sum += lower;
  }
  a[threadIdx.x] = sum + before;
}

// Lanes of half a warp synchronise; the other half never comes.
static __global__ void half_warps(unsigned *out) {
  __shared__ unsigned values[32];
  const unsigned half = threadIdx.x / 16, mask = half == 0 ? 0xffffu : 0xffff0000u;
  values[threadIdx.x] = threadIdx.x;
  __syncwarp(mask);
  out[threadIdx.x] = values[threadIdx.x ^ 1];
}

static __global__ void histogram(unsigned *global_bins) {
  __shared__ unsigned bins[4];
  if (threadIdx.x < 4) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[threadIdx.x % 4], 1u);
  __syncthreads();
  if (threadIdx.x < 4) atomicAdd(&global_bins[threadIdx.x], bins[threadIdx.x]);
}

// As NVIDIA's guide makes other atomics of a compare-and-swap.
static __global__ void multiply(unsigned long long *product) {
  unsigned long long old = *product, assumed;
  do {
    assumed = old;
    old = atomicCAS(product, assumed, 3 * assumed);
  } while (old != assumed);
}

// Everyone who finds something writes the same value.
static __global__ void raise_flag(unsigned *flag) {
  if (threadIdx.x % 3 == 0) *flag = 1;
}

// Bytes of one word by different threads.
static __global__ void write_bytes(unsigned *out) {
  __shared__ unsigned char bytes[32];
  bytes[threadIdx.x] = (unsigned char)threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = bytes[31 - threadIdx.x];
}

// Aligned as their types are: three floats, two ints; bytes that are copied have no alignment.
struct Two {
  unsigned a, b;
};
struct [[gnu::packed]] Packed {
  char tag;
  unsigned value;
};
static __global__ void read_aligned(const char *in, unsigned *out) {
  unsigned copied = 0;
  memcpy(&copied, in + 1, sizeof copied);
  const float3 three = *(const float3 *)(in + 4);
  ((Two *)(out + 1))[0] = *(const Two *)(in + 4);
  out[0] = copied + (unsigned)three.z + ((const Packed *)in)->value + 31;
}

// ---- grids, variables ---------------------------------------------------------------------------

static __global__ void child(unsigned *data, unsigned *out) {
  out[threadIdx.x] = data[31 - threadIdx.x] + 1;
}
static __global__ void parent(unsigned *data, unsigned *out) {
  data[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) child<<<1, 32>>>(data, out);
}

static __device__ unsigned counter;
static __constant__ unsigned weights[4] = {1, 2, 3, 4};
static __global__ void count_in_variable(unsigned *out) {
  atomicAdd(&counter, weights[threadIdx.x % 4]);
  out[threadIdx.x] = weights[threadIdx.x % 4];
}

// ---- the tests ----------------------------------------------------------------------------------

TEST(in_a_block) {
  DeviceArray<unsigned> out(128), bins(4), flag(1);
  reuse_after_barrier<<<1, 96>>>(out);
  reduce_by_lanes<<<1, 64>>>(out);
  assert_int_equal(out.read()[63], 32);
  scan_in_place<<<1, 64>>>(out);
  assert_int_equal(out.read()[31], 32 * 32 + 32);
  half_warps<<<1, 32>>>(out);
  histogram<<<8, 64>>>(bins);
  raise_flag<<<4, 64>>>(flag);
  write_bytes<<<1, 32>>>(out);
  assert_int_equal(bins.read()[3], 128);
  assert_int_equal(flag.read()[0], 1);
  assert_int_equal(out.read()[0], 31);
  const DeviceArray<unsigned long long> product(std::vector<unsigned long long>{1});
  multiply<<<2, 8>>>(product);
  assert_true(product.read()[0] == 43046721);
  DeviceArray<char> zeros(16);
  read_aligned<<<1, 1>>>(zeros, out);
  assert_int_equal(out.read()[0], 31);
}

TEST(lanes_that_return) {
  DeviceArray<unsigned> out(1);
  scan_the_rest<<<1, 32>>>(out, 20);
  assert_int_equal(out.read()[0], 136);
}

TEST(nested) {
  DeviceArray<unsigned> data(32), out(32);
  parent<<<1, 32>>>(data, out);
  assert_int_equal(out.read()[0], 32);
}

TEST(variables) {
  DeviceArray<unsigned> out(64);
  count_in_variable<<<4, 64>>>(out);
  KERNEL_OK();
  unsigned value = 0;
  CUDA_OK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
  assert_int_equal(value, 640);
}

// Both sides may use managed memory.
TEST(managed) {
  unsigned *values = NULL;
  CUDA_OK(cudaMallocManaged(&values, 64 * sizeof *values));
  for (unsigned i = 0; i < 32; i++) values[i] = i;
  child<<<1, 32>>>(values, values + 32);
  KERNEL_OK();
  assert_int_equal(values[32], 32);
  CUDA_OK(cudaFree(values));
}

// Host memory that the device may use, and a host pointer that no thread follows.
struct BothSides {
  unsigned *on_host, *values;
};
static __global__ void add_to_values(BothSides both) { both.values[threadIdx.x]++; }
TEST(registered) {
  std::vector<unsigned> own(1 << 12), pinned(1 << 12);
  CUDA_OK(
      cudaHostRegister(pinned.data(), pinned.size() * sizeof(unsigned), cudaHostRegisterMapped));
  add_to_values<<<1, 32>>>({own.data(), pinned.data()});
  KERNEL_OK();
  assert_int_equal(pinned[31], 1);
  CUDA_OK(cudaHostUnregister(pinned.data()));
}

// What a kernel allocates is the device's, also where host code has had it before.
static __global__ void allocate(unsigned **list) {
  list[threadIdx.x] = (unsigned *)malloc(40);
  list[threadIdx.x][3] = threadIdx.x;
}
static __global__ void use_and_free(unsigned **list, unsigned *out) {
  out[threadIdx.x] = list[threadIdx.x][3];
  free(list[threadIdx.x]);
}
TEST(kernels_malloc) {
  for (int i = 0; i < 4; i++) delete[] new unsigned[10];
  DeviceArray<unsigned *> list(32);
  DeviceArray<unsigned> out(32);
  allocate<<<1, 32>>>(list);
  use_and_free<<<1, 32>>>(list, out);
  assert_int_equal(out.read()[31], 31);
}
