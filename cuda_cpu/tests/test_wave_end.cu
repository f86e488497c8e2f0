// Threads that return at the end of a wave, and workers that go on with the next block of a grid:
// the results of kernels, whatever ran on their stacks before.
#include "device_test.h"

#include <algorithm>
#include <atomic>

// ---- the end of a wave --------------------------------------------------------------------------

enum Then { NOTHING, BARRIER, COUNT, SCAN, BALLOT, RETURN, KINDS };

// After a barrier the first threads return, while the others do something together.
static __global__ void first_return(int then, unsigned leave, unsigned *out) {
  __shared__ unsigned seen[1024], later[1024];
  const unsigned i = threadIdx.x, lane = i % 32;
  out += blockIdx.x * blockDim.x;
  seen[i] = i + 1;
  __syncthreads();
  out[i] = seen[blockDim.x - 1 - i];
  if (i < leave) return;
  const unsigned first = leave > i - lane ? leave - (i - lane) : 0;  // lane that has not returned
  const unsigned lanes = 0xffffffffu << first;
  if (then == BARRIER) {
    later[i] = 2 * i;
    __syncthreads();
    out[i] = later[blockDim.x - 1 - (i - leave)];
  }
  if (then == COUNT) out[i] = __syncthreads_count(i % 3 == 0);
  if (then == SCAN) {
    const unsigned before = __shfl_up_sync(lanes, i, 1);
    out[i] = lane > first ? before : i;
  }
  if (then == BALLOT) out[i] = __ballot_sync(lanes, i % 2);
  if (then == RETURN && i == leave + 1) return;  // and those behind it wait once more
  if (then == RETURN) {
    __syncthreads();
    out[i] = 7;
  }
}

static unsigned first_return_expected(int then, unsigned leave, unsigned n, unsigned i) {
  const unsigned lane = i % 32, warp = i - lane;
  if (i < leave || then == NOTHING || (then == RETURN && i == leave + 1)) return n - i;
  unsigned count = 0, ballot = 0;
  for (unsigned j = leave; j < n; j++) {
    count += j % 3 == 0;
    if (j / 32 == i / 32 && j % 2 != 0) ballot |= 1u << j % 32;
  }
  if (then == BARRIER) return 2 * (n - 1 - (i - leave));
  if (then == COUNT) return count;
  if (then == SCAN) return i == std::max(leave, warp) ? i : i - 1;
  return then == BALLOT ? ballot : 7;
}

static void test_first_threads_return(void **) {
  const unsigned blocks = 3;
  for (int then = 0; then < KINDS; then++)
    for (const unsigned n : {1u, 32u, 33u, 64u, 250u, 1024u})
      for (const unsigned leave : {0u, 1u, 5u, 31u, 32u, 33u, n - 1, n}) {
        if (leave > n) continue;
        const DeviceArray<unsigned> out(blocks * n);
        first_return<<<blocks, n>>>(then, leave, out);
        KERNEL_OK();
        const std::vector<unsigned> got = out.read();
        for (unsigned i = 0; i < blocks * n; i++)
          assert_int_equal(got[i], first_return_expected(then, leave, n, i % n));
      }
}

// ---- from block to block, and from grid to grid -------------------------------------------------

struct Large {
  unsigned values[40];
};

static __global__ void add(Large large, unsigned *out) {
  __shared__ unsigned sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, large.values[threadIdx.x % 40]);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

static __global__ void reverse(const unsigned *in, unsigned *out) {
  __shared__ unsigned tile[128];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

// The same kernel with other arguments, others in between, and blocks of other sizes.
static void test_grids_alternate(void **) {
  const unsigned blocks = 128;
  const DeviceArray<unsigned> sums(blocks), tiles(blocks * 128);
  for (unsigned round = 0; round < 12; round++) {
    const unsigned threads = round % 3 == 0 ? 128 : round % 3 == 1 ? 40 : 80;
    Large large;
    for (unsigned i = 0; i < 40; i++) large.values[i] = round + i;
    add<<<blocks, threads>>>(large, sums);
    if (round % 2 == 0) reverse<<<blocks, 128>>>(sums, tiles);
    KERNEL_OK();
    unsigned expected = 0;
    for (unsigned i = 0; i < threads; i++) expected += round + i % 40;
    for (const unsigned sum : sums.read()) assert_int_equal(sum, expected);
  }
}

// Blocks without a barrier between blocks with one.
static __global__ void some_blocks_wait(unsigned *out) {
  __shared__ unsigned tile[96];
  unsigned *const own = out + blockIdx.x * blockDim.x;
  own[threadIdx.x] = 1000 + threadIdx.x;
  if (blockIdx.x % 3 == 1 || (blockIdx.x % 3 == 2 && threadIdx.x >= 50)) return;
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  own[threadIdx.x] = tile[threadIdx.x ^ 1u];
}

static void test_blocks_without_a_barrier(void **) {
  const unsigned blocks = 50, n = 96;
  const DeviceArray<unsigned> out(blocks * n);
  some_blocks_wait<<<blocks, n>>>(out);
  KERNEL_OK();
  const std::vector<unsigned> got = out.read();
  for (unsigned i = 0; i < blocks * n; i++) {
    const unsigned block = i / n % 3, thread = i % n;
    const bool waits = block == 0 || (block == 2 && thread < 50);
    assert_int_equal(got[i], waits ? thread ^ 1u : 1000 + thread);
  }
}

#ifdef CUDA_CPU
// An argument with a destructor is destroyed as often as it is copied, before the launch returns.
static std::atomic<int> alive{0};
struct Counted {
  unsigned value;
  explicit Counted(unsigned v) : value(v) { alive++; }
  Counted(const Counted &other) : value(other.value) { alive++; }
  ~Counted() { alive--; }
};

static __global__ void use(Counted counted, unsigned *out) {
  __shared__ unsigned tile[64];
  tile[threadIdx.x] = counted.value;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}

static void test_arguments_are_destroyed(void **) {
  const DeviceArray<unsigned> out(20 * 64);
  {
    const Counted counted(5);
    use<<<20, 64>>>(counted, out);
    KERNEL_OK();
    assert_int_equal(alive, 1);
  }
  for (const unsigned value : out.read()) assert_int_equal(value, 5);
}

// Shared memory beyond the limit, which shows first in a later block.
static __global__ void large_in_a_later_block(unsigned *out) {
  extern __shared__ unsigned dynamic[];
  dynamic[threadIdx.x] = 1;
  if (blockIdx.x == 9) {
    __shared__ unsigned more[5000];
    more[threadIdx.x] = 2;
    out[threadIdx.x] = more[0];
  }
  __syncthreads();
  out[threadIdx.x] = dynamic[threadIdx.x];
}

static void test_a_later_block_is_refused(void **) {
  const DeviceArray<unsigned> out(64);
  large_in_a_later_block<<<10, 64, 40000>>>(out);
  assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
  large_in_a_later_block<<<9, 64, 40000>>>(out);
  KERNEL_OK();
  for (const unsigned value : out.read()) assert_int_equal(value, 1);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_first_threads_return),
      cmocka_unit_test(test_grids_alternate),
      cmocka_unit_test(test_blocks_without_a_barrier),
#ifdef CUDA_CPU
      cmocka_unit_test(test_arguments_are_destroyed),
      cmocka_unit_test(test_a_later_block_is_refused),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
