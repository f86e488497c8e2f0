// racecheck, initcheck and memcheck: what CHECK=all builds have to find. Skipped in others.
#include "device_test.h"

// ---- races in a block ---------------------------------------------------------------------------

// Blelloch's scan without the barrier between up-sweep and down-sweep.
static __global__ void scan_without_barrier(unsigned *out) {
  __shared__ unsigned tree[64];
  const unsigned i = threadIdx.x;
  tree[i] = i;
  for (unsigned step = 1; step < 64; step *= 2) {
    __syncthreads();
    if ((i + 1) % (2 * step) == 0) tree[i] += tree[i - step];
  }
  if (i == 0) tree[63] = 0;  // thread 63 wrote it last
  for (unsigned step = 32; step > 0; step /= 2) {
    __syncthreads();
    if ((i + 1) % (2 * step) == 0) {
      const unsigned left = tree[i - step];
      tree[i - step] = tree[i];
      tree[i] += left;
    }
  }
  __syncthreads();
  out[i] = tree[i];
}
MISTAKE(scan) { scan_without_barrier<<<1, 64>>>(zeros(64)); }

// A loop of block scans: a warp that runs ahead overwrites sums that others still read.
static __global__ void scan_in_a_loop(unsigned *out) {
  __shared__ unsigned warp_sums[4];
  unsigned sum = 0;
  for (int round = 0; round < 3; round++) {
    const unsigned mine = __popc(__ballot_sync(0xffffffffu, (threadIdx.x & 1) != 0));
    if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = mine;
    __syncthreads();
    for (unsigned warp = 0; warp < 4; warp++) sum += warp_sums[warp] + round;
  }
  out[threadIdx.x] = sum;
}
MISTAKE(loop) { scan_in_a_loop<<<1, 128>>>(zeros(128)); }

static __global__ void count_in_shared(unsigned *out) {
  __shared__ unsigned count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  count++;  // not atomic
  __syncthreads();
  if (threadIdx.x == 0) *out = count;
}
MISTAKE(shared_counter) { count_in_shared<<<1, 32>>>(zeros(1)); }

// Lanes that rely on running in step.
static __global__ void reduce_in_step(unsigned *out) {
  __shared__ volatile unsigned sum[64];
  sum[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x < 16)
    for (unsigned step = 16; step > 0; step /= 2) sum[threadIdx.x] += sum[threadIdx.x + step];
  __syncthreads();
  out[threadIdx.x] = sum[threadIdx.x];
}
MISTAKE(in_step) { reduce_in_step<<<1, 64>>>(zeros(64)); }

// A shuffle makes lanes wait, and orders no writes.
static __global__ void shuffle_for_syncwarp(unsigned *out) {
  __shared__ unsigned values[32];
  values[threadIdx.x] = threadIdx.x;
  const unsigned other = __shfl_xor_sync(0xffffffffu, threadIdx.x, 1);
  out[threadIdx.x] = values[other];
}
MISTAKE(shuffle) { shuffle_for_syncwarp<<<1, 32>>>(zeros(32)); }

static __global__ void write_different(unsigned *out) { *out = threadIdx.x; }
MISTAKE(two_writes) { write_different<<<1, 2>>>(zeros(1)); }

// ---- races between blocks -----------------------------------------------------------------------

static __global__ void count_in_global(unsigned *count) {
  if (threadIdx.x == 0) (*count)++;  // not atomic
}
MISTAKE(global_counter) { count_in_global<<<4, 32>>>(zeros(1)); }

static __device__ unsigned device_count;
static __global__ void count_in_variable() { device_count += threadIdx.x + 1; }
MISTAKE(device_variable) {
  count_in_variable<<<4, 1>>>();
  unsigned count = 0;
  cudaMemcpyFromSymbol(&count, device_count, sizeof count);
}

static __global__ void mix_atomic_and_plain(unsigned *sum) {
  if (blockIdx.x == 0)
    atomicAdd(sum, 1u);
  else
    *sum = 5;
}
MISTAKE(atomic_and_plain) { mix_atomic_and_plain<<<2, 1>>>(zeros(1)); }

// ---- initcheck and memcheck ---------------------------------------------------------------------

static __global__ void read_unwritten(const unsigned *in, unsigned *out) {
  __shared__ unsigned sum[8];
  if (threadIdx.x < 7) sum[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = sum[threadIdx.x];
  out[threadIdx.x] += in[threadIdx.x];
}
MISTAKE(unwritten) {
  unsigned *in = NULL;
  cudaMalloc(&in, 8 * sizeof *in);
  cudaMemset(in, 0, 3 * sizeof *in);
  read_unwritten<<<1, 8>>>(in, zeros(8));
}

static __global__ void step_outside(unsigned *out, unsigned i) {
  __shared__ unsigned small[6];
  extern __shared__ unsigned dynamic[];
  small[i] = 1;
  dynamic[i] = 1;
  out[i] = 1;
  *(out - 1) = 1;
}
MISTAKE(outside) { step_outside<<<1, 1, 16>>>(zeros(7), 8); }

static __global__ void write_first(unsigned **memory) { **memory = 1; }
MISTAKE(freed) {
  unsigned *const array = zeros(10), **pointer = NULL;
  cudaMalloc(&pointer, sizeof *pointer);
  cudaMemcpy(pointer, &array, sizeof array, cudaMemcpyHostToDevice);
  cudaFree(array);
  write_first<<<1, 1>>>(pointer);
}

// Far outside of all memory.
static __global__ void write_far(unsigned *out, size_t i) { out[i] = 1; }
MISTAKE(crash) { write_far<<<2, 1>>>(zeros(1), (size_t)1 << 60); }

// A product in int that overflowed: such a place is in no array, but may be where the checks keep
// what they know.
static __global__ void add_at(int *counts, long long i) { counts[i] += 1; }
MISTAKE(far_before) { add_at<<<1, 1>>>((int *)zeros(100), -1794967296); }
MISTAKE(far_beyond) { add_at<<<1, 1>>>((int *)zeros(100), 1794967296); }
MISTAKE(further_before) { add_at<<<1, 1>>>((int *)zeros(100), -(1ll << 36)); }
MISTAKE(further_beyond) { add_at<<<1, 1>>>((int *)zeros(100), 1ll << 40); }

// ---- shuffles from lanes that take no part ------------------------------------------------------

static __global__ void reduce_the_rest(unsigned *out, unsigned n) {
  if (threadIdx.x >= n) return;
  unsigned sum = threadIdx.x;
  for (unsigned step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (threadIdx.x == 0) *out = sum;
}
MISTAKE(returned_lanes) { reduce_the_rest<<<1, 32>>>(zeros(1), 20); }
MISTAKE(absent_lanes) { reduce_the_rest<<<1, 20>>>(zeros(1), 20); }

// ---- addresses that are no multiple of what is accessed there -----------------------------------

struct alignas(8) Wide {
  int key, other[3];
};
static __global__ void read_misaligned(const char *in, int *out) {
  out[0] = *(const int *)(in + 1);
  const float4 four = *(const float4 *)(in + 8);
  ((Wide *)out)[1] = *(const Wide *)(in + 4);
  out[2] = (int)four.x + *(const volatile int *)(in + 2);
  atomicAdd((unsigned long long *)(out + 1), 1ull);
}
MISTAKE(misaligned) { read_misaligned<<<1, 1>>>((const char *)zeros(8), (int *)zeros(8)); }
MISTAKE(host_reads) {
  const unsigned *const array = zeros(3);
  printf("%u\n", array[2]);
}

// ---- host memory, by ways that a launch does not see --------------------------------------------

struct Table {
  unsigned *values;
};
static __global__ void add_to_table(Table table) { atomicAdd(&table.values[2], 1u); }
static __global__ void add_to_address(size_t address) { ((unsigned *)address)[2]++; }
MISTAKE(host_array) {
  const Table table = {(unsigned *)malloc(4 * sizeof(unsigned))};
  add_to_table<<<1, 1>>>(table);
  free(table.values);
}
MISTAKE(host_vector) {
  std::vector<unsigned> values(1 << 20);  // of the size that malloc takes from the system
  add_to_address<<<1, 1>>>((size_t)values.data());
}
MISTAKE(host_stack) {
  unsigned values[4] = {};
  add_to_table<<<1, 1>>>({values});
  add_to_address<<<1, 1>>>((size_t)values);
}

// ---- the tests ----------------------------------------------------------------------------------

#define REPORTS(name, ...)                    \
  TEST(name) {                                \
    if (strcmp(kChecked, "all") != 0) skip(); \
    expect_report(#name, {__VA_ARGS__});      \
  }
#define OF_BLOCK_0 " of block (0,0,0)"
#define LINE "test_race.cu:"

REPORTS(scan, "racecheck: error: write at ", LINE "13 by thread (63,0,0)" OF_BLOCK_0,
        LINE "15 by thread (0,0,0)",
        "of shared array 'tree' index 63 of elements of 4 bytes: no barrier", " between them",
        "in kernel scan_without_barrier")
REPORTS(loop, "racecheck: error: read at ", LINE "37 by thread (", LINE "35 by thread (",
        "of shared array 'warp_sums' index ", "no barrier between them")
REPORTS(shared_counter, "racecheck: error: write at ", "of shared array 'count' index 0",
        LINE "47 by thread (0,0,0)", "and read at ", "no barrier or __syncwarp between them")
REPORTS(in_step, "volatile", "of shared array 'sum' index", "no barrier or __syncwarp between them")
REPORTS(shuffle, "write at ", "and read at ", "of shared array 'values' index",
        "no barrier or __syncwarp between them")
REPORTS(two_writes, "write at ", "and write at ",
        "of an array of 4 bytes (argument 1 of the kernel, allocated at ",
        "device_test.h:", " (inlined at ")
REPORTS(global_counter, "by thread (0,0,0) of block (0,0,0) and read at ",
        "by thread (0,0,0) of block (1,0,0)", "nothing orders the two blocks")
REPORTS(device_variable, "of a __device__ variable", "nothing orders the two blocks")
REPORTS(atomic_and_plain, "atomic at ", "and write at ")
REPORTS(unwritten, "initcheck: error: read at ", "shared array 'sum' index 7",
        "never written: ", "an array of 32 bytes (argument 1 of the kernel, allocated at ",
        "index 7 of elements of 4 bytes", "2 findings")
REPORTS(outside, "memcheck: error: write of 4 bytes at ", "shared array 'small' of 24 bytes",
        "8 bytes past its end", "shared array 'dynamic' of 16 bytes", "16 bytes past its end",
        "an array of 28 bytes", "4 bytes past its end", "4 bytes before its start", "4 findings")
REPORTS(freed, "an array of 40 bytes", ", freed since, index 0")
REPORTS(crash, "memcheck: error: write of 4 bytes at ", LINE, ": address ", "is in no array")
REPORTS(far_before, "memcheck: error: read of 4 bytes at ", "an array of 400 bytes (argument 1",
        "7179869184 bytes before its start")
REPORTS(far_beyond, "memcheck: error: read of 4 bytes at ", "7179868784 bytes past its end")
REPORTS(further_before, "memcheck: error: read of 4 bytes at ", "is in no array")
REPORTS(further_beyond, "memcheck: error: read of 4 bytes at ", "is in no array")
REPORTS(returned_lanes, "synccheck: error: __shfl_down_sync at ", LINE,
        " gives thread (4,0,0) of block (0,0,0) the value of lane 20, which its mask names and "
        "which has returned",
        "in kernel reduce_the_rest", "1 finding")
REPORTS(absent_lanes, "the value of lane 20, which its mask names and which does not exist")
REPORTS(misaligned, "memcheck: error: misaligned read at ",
        "1 is no multiple of 4, an array of 32 bytes", "8 is no multiple of 16",
        "4 is no multiple of 8", "2 is no multiple of 4", "misaligned write at ",
        "4 is no multiple of 8", "5 findings")
REPORTS(host_reads, "memcheck: error: host code reads device memory at ", LINE,
        "an array of 12 bytes", "index 2")
REPORTS(host_array, "memcheck: error: write of 4 bytes at ", LINE, " by thread (0,0,0)" OF_BLOCK_0,
        "of host memory: index 2 of elements of 4 bytes, of 16 bytes allocated at ",
        "in kernel add_to_table", "1 finding")
REPORTS(host_vector, "memcheck: error: read of 4 bytes at ", "of host memory: index 2",
        "of 4194304 bytes allocated at ", "in kernel add_to_address")
REPORTS(host_stack, "of host memory: the stack of host code", "2 findings")
