// __syncthreads() and its kin: with threads that return, in full blocks, and beside threads that
// wait by spinning.
#include "device_test.h"

#include <cooperative_groups.h>

#include <numeric>

namespace cg = cooperative_groups;

// ---- threads that return before, between and while others wait ----------------------------------

// Thread i takes part in i rounds and counts, in each, how many threads came to its barriers.
static __global__ void leave_early(unsigned *seen) {
  __shared__ unsigned arrivals[1024];
  const unsigned i = threadIdx.x;
  arrivals[i] = 0;
  __syncthreads();
  unsigned sum = 0;
  for (unsigned round = 0; round < i; round++) {
    atomicAdd(&arrivals[round], 1u);
    __syncthreads();
    sum += arrivals[round];
    __syncthreads();
  }
  seen[i] = sum;
}

TEST(threads_that_return_between_barriers) {
  CUDA_CPU_ONLY();  // a warp of a GPU leaves a loop together: its threads wait forever
  for (const unsigned threads : {1u, 33u, 256u}) {
    const DeviceArray<unsigned> d_seen(threads);
    leave_early<<<3, threads>>>(d_seen);
    std::vector<unsigned> expected(threads);
    for (unsigned i = 0; i < threads; i++)
      for (unsigned round = 0; round < i; round++) expected[i] += threads - 1 - round;
    ASSERT_SAME(d_seen.read(), expected);
  }
}

// The first, the last, or every second thread never comes to a barrier.
static __global__ void some_stay(int leaving, unsigned *seen) {
  __shared__ unsigned count;
  const unsigned i = threadIdx.x, last = blockDim.x - 1;
  if ((leaving == 0 && i < 40) || (leaving == 1 && i + 40 > last) || (leaving == 2 && i % 2 == 0))
    return;
  if (i == 40 || (leaving != 0 && i == 1)) count = 0;
  __syncthreads();
  atomicAdd(&count, 1u);
  __syncthreads();
  seen[i] = count;
}

TEST(threads_that_return_before_the_barrier) {
  for (int leaving = 0; leaving < 3; leaving++) {
    const DeviceArray<unsigned> d_seen(100);
    some_stay<<<1, 100>>>(leaving, d_seen);
    const std::vector<unsigned> seen = d_seen.read();
    assert_int_equal(std::accumulate(seen.begin(), seen.end(), 0u),
                     leaving == 2 ? 50 * 50 : 60 * 60);
  }
}

// One thread works on while all others wait, returns, and thereby lets them go.
static __global__ void last_one_returns(unsigned *out) {
  __shared__ volatile unsigned value;
  if (threadIdx.x == blockDim.x / 2) {
    for (int i = 0; i < 5; i++) __nanosleep(10);  // the others come to the barrier
    value = 42;
    return;
  }
  __syncthreads();
  out[threadIdx.x] = value;
}

TEST(a_return_releases_those_who_wait) {
  const DeviceArray<unsigned> d_out(64);
  last_one_returns<<<1, 64>>>(d_out);
  std::vector<unsigned> expected(64, 42);
  expected[32] = 0;
  ASSERT_SAME(d_out.read(), expected);
}

// ---- __syncthreads_count, _and, _or -------------------------------------------------------------

static __global__ void vote(unsigned limit, int *out) {
  const unsigned i = threadIdx.x;
  if (i % 10 == 9) return;  // does not vote
  int *const mine = &out[i * 6];
  mine[0] = __syncthreads_count(i < limit ? 77 : 0);  // any value but 0 is true
  mine[1] = __syncthreads_and(i < limit);
  mine[2] = __syncthreads_or(i >= limit);
  mine[3] = __syncthreads_and(1);
  mine[4] = __syncthreads_or(0);
  mine[5] = __syncthreads_count((long long)i << 40);  // cut to 32 bits
}

TEST(votes_at_barriers) {
  for (const unsigned limit : {0u, 1u, 35u, 100u}) {
    const DeviceArray<int> d_out(100 * 6);
    vote<<<2, 100>>>(limit, d_out);
    const std::vector<int> out = d_out.read();
    for (unsigned i = 0; i < 100; i++) {
      if (i % 10 == 9) continue;
      assert_int_equal(out[i * 6], limit - limit / 10);
      assert_int_equal(out[i * 6 + 1] != 0, limit == 100);
      assert_int_equal(out[i * 6 + 2] != 0, limit < 99);
      assert_int_not_equal(out[i * 6 + 3], 0);
      assert_int_equal(out[i * 6 + 4], 0);
      assert_int_equal(out[i * 6 + 5], 0);
    }
  }
}

// ---- full blocks, shapes, barriers in functions -------------------------------------------------

static __device__ void add_up(unsigned *values, unsigned i, unsigned n) {
  for (unsigned stride = n / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (i < stride) values[i] += values[i + stride];
  }
  __syncthreads();
}

static __global__ void sum_of_block(const unsigned *in, unsigned *out) {
  __shared__ unsigned values[1024];
  const unsigned i = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  values[i] = in[blockIdx.x * 1024 + i];
  add_up(values, i, 1024);
  out[blockIdx.x * 1024 + i] = values[0];
}

TEST(blocks_of_1024_threads) {
  std::vector<unsigned> in(8 * 1024), expected(in.size());
  std::iota(in.begin(), in.end(), 1u);
  for (size_t i = 0; i < in.size(); i++) expected[i] = 1024 * 1025 / 2 + i / 1024 * 1024 * 1024;
  const DeviceArray<unsigned> d_in(in), d_out(in.size());
  for (const dim3 shape :
       {dim3(1024), dim3(32, 32), dim3(4, 4, 64), dim3(1, 1024), dim3(2, 128, 4)}) {
    CUDA_OK(cudaMemset(d_out, 0, in.size() * sizeof in[0]));
    sum_of_block<<<8, shape>>>(d_in, d_out);
    ASSERT_SAME(d_out.read(), expected);
  }
}

// ---- waiting by spinning ------------------------------------------------------------------------

// Each block adds to what the block before it has published (a chained scan).
static __global__ void chain(bool yielding, volatile unsigned *published) {
  __shared__ unsigned before;
  if (threadIdx.x == 0) {
    before = 0;
    if (blockIdx.x > 0) {
      while (published[blockIdx.x - 1] == 0)
        if (yielding) __nanosleep(20);
      __threadfence();
      before = published[blockIdx.x - 1];
    }
  }
  __syncthreads();
  __threadfence();
  if (threadIdx.x == blockDim.x - 1) published[blockIdx.x] = before + 1;
}

TEST(spinning_on_an_earlier_block) {
  for (const bool yielding : {false, true})
    for (const unsigned blocks : {1u, 7u, 100u}) {
      const DeviceArray<unsigned> d_published(blocks);
      chain<<<blocks, 64>>>(yielding, d_published);
      std::vector<unsigned> expected(blocks);
      std::iota(expected.begin(), expected.end(), 1u);
      ASSERT_SAME(d_published.read(), expected);
    }
}

// A thread spins until a later thread of its block, which comes from a barrier, has written.
static __global__ void wait_for_own_block(unsigned *out) {
  __shared__ volatile unsigned turn;
  const unsigned i = threadIdx.x;
  if (i == 0) turn = 0;
  __syncthreads();
  while (turn != blockDim.x - 1 - i) __nanosleep(10);  // the last thread goes first
  out[i] = turn;
  turn = turn + 1;
}

TEST(spinning_on_a_thread_of_the_own_block) {
  for (const unsigned threads : {2u, 64u, 300u}) {
    const DeviceArray<unsigned> d_out(threads);
    wait_for_own_block<<<3, threads>>>(d_out);
    std::vector<unsigned> expected(threads);
    std::iota(expected.rbegin(), expected.rend(), 0u);
    ASSERT_SAME(d_out.read(), expected);
  }
}

// Threads that spin, wait in a warp collective, wait at a barrier and ask who is active, all in
// one block and at once.
static __global__ void everything_at_once(unsigned *out) {
  __shared__ volatile unsigned flag;
  const unsigned i = threadIdx.x, warp = i / 32;
  if (i == 0) flag = 0;
  __syncthreads();
  unsigned value = 0;
  if (warp == 0) {
    while (flag == 0) __nanosleep(10);
    value = flag;
  } else if (warp == 1) {
    if (i % 32 == 31)
      for (int turn = 0; turn < 3; turn++) __nanosleep(10);
    value = __reduce_add_sync(0xffffffffu, 2u);
    if (i == 63) flag = 5;
  } else if (warp == 2) {
    value = __popc(__activemask());
  } else if (i % 2 == 0) {
    return;
  }
  const int waited = __syncthreads_count(value > 0);
  out[i] = value * 1000 + waited;
}

TEST(different_ways_to_wait_at_once) {
  const DeviceArray<unsigned> d_out(128);
  everything_at_once<<<1, 128>>>(d_out);
  const std::vector<unsigned> out = d_out.read();
  const unsigned values[] = {5, 64, 32, 0};
  for (unsigned i = 0; i < 128; i++)
    assert_int_equal(out[i], i >= 96 && i % 2 == 0 ? 0 : values[i / 32] * 1000 + 96);
}

// ---- synccheck ----------------------------------------------------------------------------------
//
// synccheck: threads that wait for each other forever are reported, with the places where
// they wait.

// ---- barriers -----------------------------------------------------------------------------------

static __global__ void two_places() {
  if (threadIdx.x >= 36) return;
  if (threadIdx.x < 16)
    __syncthreads(); /*below 16*/
  else
    __syncthreads(); /*others*/
}
MISTAKE(two_places) { two_places<<<3, 40>>>(); }

// One thread spins, one is in another loop, the others are further on.
static __global__ void three_places() {
  __shared__ volatile int never;
  if (threadIdx.x == 3)
    while (never != 1) __nanosleep(10); /*spin*/
  if (threadIdx.x == 7)
    for (int i = 0; i < 5; i++) {
      __syncthreads(); /*in a loop*/
    }
  const int any = __syncthreads_or(threadIdx.x == 5); /*behind*/
  if (any) __syncthreads();
}
MISTAKE(three_places) { three_places<<<1, 64>>>(); }

static __global__ void group_barriers() {
  if (threadIdx.x == 0)
    cg::this_thread_block().sync(); /*member*/
  else
    cg::sync(cg::this_thread_block()); /*function*/
}
MISTAKE(group_barriers) { group_barriers<<<1, 2>>>(); }

// ---- loops --------------------------------------------------------------------------------------

// The flag would be set behind a barrier that thread 0 never comes to.
static __global__ void loop_and_barrier() {
  __shared__ volatile int flag;
  if (threadIdx.x == 0)
    while (flag != 1) continue; /*flag*/
  __syncthreads();              /*before*/
  if (threadIdx.x == 1) flag = 1;
}
MISTAKE(loop_and_barrier) { loop_and_barrier<<<1, 64>>>(); }

static __global__ void loops_of_blocks(int *flags) {
  if (threadIdx.x > 0)
    __syncthreads();
  else if (blockIdx.x == 0)
    while (atomicAdd(&flags[0], 0) != 1) continue; /*first*/
  else
    while (atomicCAS(&flags[1], 1, 1) != 1) continue; /*last*/
}
MISTAKE(loops_of_blocks) { loops_of_blocks<<<4, 32>>>((int *)zeros(2)); }

static __global__ void first_waits_for_last(unsigned *flag, bool reads) {
  if (threadIdx.x == blockDim.x - 1)
    *(volatile unsigned *)flag = 1;
  else if (reads)
    while (*(volatile unsigned *)flag == 0) continue;
  else
    while (atomicAdd(flag, 0) == 0) continue;
}

// A barrier of the grid by hand, of blocks that fit a GPU together. Neighbours read each other's
// number of rounds between two of them.
static __device__ void wait_for_all(unsigned *arrived, unsigned goal) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1);
    while (*(volatile unsigned *)arrived < goal) continue;
    __threadfence();
  }
  __syncthreads();
}
static __global__ void rounds(unsigned *arrived, unsigned *done, unsigned count) {
  for (unsigned round = 0; round < count; round++) {
    const unsigned other = done[(blockIdx.x + 1) % gridDim.x];
    wait_for_all(arrived, (2 * round + 1) * gridDim.x);
    if (threadIdx.x == 0) done[blockIdx.x] = other + 1;
    wait_for_all(arrived, (2 * round + 2) * gridDim.x);
  }
}

// ---- warps --------------------------------------------------------------------------------------

static __global__ void mask_without_caller(int *out) {
  out[threadIdx.x] = __shfl_sync(0xffdfu, (int)threadIdx.x, 0, 16); /*mask*/
}
MISTAKE(mask_without_caller) { mask_without_caller<<<1, 16>>>((int *)zeros(32)); }

static __global__ void barrier_and_collective() {
  if (threadIdx.x % 32 < 8)
    __syncthreads(); /*block*/
  else
    __syncwarp(); /*warp*/
}
MISTAKE(barrier_and_collective) { barrier_and_collective<<<1, 64>>>(); }

static __global__ void different_collectives() {
  if (threadIdx.x % 2 == 0)
    (void)__ballot_sync(0xffffffffu, 1); /*ballot*/
  else
    (void)__all_sync(0xffffffffu, 1); /*all*/
}
MISTAKE(different_collectives) { different_collectives<<<1, 32>>>(); }

static __global__ void different_masks() { __syncwarp(threadIdx.x == 0 ? 0xffu : 0xffffu); }
MISTAKE(different_masks) { different_masks<<<1, 16>>>(); }

// ---- the grid -----------------------------------------------------------------------------------

static __global__ void block_returned() {
  if (blockIdx.x == 1) return;
  cg::this_grid().sync(); /*grid*/
}
MISTAKE(block_returned) { cudaLaunchCooperativeKernel(block_returned, dim3(4), dim3(32), NULL); }
MISTAKE(not_cooperative) { block_returned<<<4, 32>>>(); }

// ---- the tests ----------------------------------------------------------------------------------

TEST(different_barriers) {
  expect_report("two_places",
                {"synccheck: kernel two_places, block (", "its threads wait at different barriers",
                 "16 at __syncthreads, " LINE_WITH("below 16") + ", the first is thread (0,0,0)",
                 "20 at __syncthreads, " LINE_WITH("others") + ", the first is thread (16,0,0)",
                 "4 have returned"});
  expect_report("three_places",
                {"different barriers", "1 at __nanosleep, " LINE_WITH("spin"),
                 "1 at __syncthreads, " LINE_WITH("in a loop") + ", the first is thread (7,0,0)",
                 "62 at __syncthreads_or, " LINE_WITH("behind")});
  // Where the groups' functions are called, not where they are defined.
  expect_report("group_barriers", {"1 at block.sync, " LINE_WITH("member"),
                                   "1 at block.sync, " LINE_WITH("function")});
}

// CHECK builds spend their time in functions that have other registers each time.
TEST(loops_that_cannot_end) {
#ifdef CUDA_CPU_CHECK
  skip();
#endif
  expect_report(
      "loop_and_barrier",
      {"synccheck: kernel loop_and_barrier, block (0,0,0): its threads wait in loops that "
       "cannot end",
       "1 in a loop at " LINE_WITH("flag"), "63 at __syncthreads, " LINE_WITH("before")});
  expect_report("loops_of_blocks",
                {"and 3 more: their threads wait in loops that cannot end",
                 "1 in a loop at " LINE_WITH("first"), "thread (0,0,0) of block (0,0,0)",
                 "3 in a loop at " LINE_WITH("last"), "124 at __syncthreads"});
}

TEST(threads_that_wait_in_loops) {
  enum { kBlocks = 8, kCount = 5 };
  unsigned *memory = NULL, host[1 + kBlocks];
  cudaMalloc(&memory, sizeof host);
  for (const bool reads : {false, true})
    for (const unsigned threads : {2u, 33u, 1024u}) {
      cudaMemset(memory, 0, sizeof host);
      first_waits_for_last<<<2, threads>>>(memory, reads);
      assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
    }
  for (const unsigned threads : {32u, 512u}) {  // on one of the system's threads, and on all
    cudaMemset(memory, 0, sizeof host);
    rounds<<<kBlocks, threads>>>(memory, memory + 1, kCount);
    cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost);
    for (int block = 0; block < kBlocks; block++) assert_int_equal(host[1 + block], kCount);
  }
  cudaFree(memory);
}

TEST(warps_that_wait_in_vain) {
  expect_report("mask_without_caller",
                {"synccheck: " LINE_WITH("mask") + ": lane 5 calls __shfl_sync with mask "
                                                   "0x0000ffdf, which does not name it",
                 "kernel mask_without_caller", "thread (5,0,0)"});
  expect_report(
      "barrier_and_collective",
      {"synccheck: kernel barrier_and_collective", "none can go on",
       "16 at __syncthreads, " LINE_WITH("block"), "48 at __syncwarp, " LINE_WITH("warp")});
  expect_report("different_collectives",
                {"none can go on", "16 at __ballot_sync, " LINE_WITH("ballot"),
                 "16 at __all_sync, " LINE_WITH("all")});
  expect_report("different_masks", {"none can go on", "16 at __syncwarp"});
}

TEST(grid_barriers_that_cannot_complete) {
  expect_report("block_returned",
                {"synccheck: kernel ", "grid.sync() for blocks that have returned",
                 "32 at grid.sync, " LINE_WITH("grid")});
  expect_report("not_cooperative", {"synccheck: grid.sync() in a kernel that was not launched "
                                    "cooperatively",
                                    "kernel block_returned, block ("});
}

TEST(reports_name_the_seed) {
  expect_report("two_places",
                {"different barriers", "16 at __syncthreads", "CUDA_CPU_RACECHECK=7 repeats it"},
                "CUDA_CPU_RACECHECK", "7");
}
