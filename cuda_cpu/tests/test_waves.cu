// Threads that go from barrier to barrier, and lanes that go from collective to collective, in
// waves: kernels that begin, leave and take up a wave again, against plain loops, and mistakes in
// such kernels.
#include "device_test.h"

#include <algorithm>
#include <atomic>

static const unsigned ALL = 0xffffffffu;

static __device__ unsigned warp_scan(unsigned value) {
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const unsigned before = __shfl_up_sync(ALL, value, distance);
    if (threadIdx.x % 32 >= distance) value += before;
  }
  return value;
}

// ---- right kernels ------------------------------------------------------------------------------

enum Between { NOTHING, BALLOT, XOR, HALVES, MANY, COUNT, KINDS };

// Rounds of scans; what stands between two of them differs.
static __global__ void rounds(int between, unsigned *out) {
  __shared__ unsigned sums[32], truths;
  const unsigned i = threadIdx.x, warp = i / 32;
  unsigned value = i % 7;
  for (unsigned round = 0; round < 4; round++) {
    const unsigned scanned = warp_scan(value);
    if (i % 32 == 31 || i == blockDim.x - 1) sums[warp] = scanned;
    if (between == BALLOT) value += __popc(__ballot_sync(ALL, scanned & 1u));
    if (between == XOR) value += __shfl_xor_sync(ALL, i, 0);
    if (between == HALVES) __syncwarp(i % 32 < 16 ? 0xffffu : 0xffff0000u);
    if (between == MANY)
      for (int j = 0; j < 5; j++) value += warp_scan(j) % 2;
    __syncthreads();
    if (between == COUNT) truths = __syncthreads_count(scanned & 1u);
    if (between == COUNT) value += truths;
    value = (value + scanned + (warp > 0 ? sums[warp - 1] : 0)) % 1000;
    out[i] = value;
    __syncthreads();
  }
}

static std::vector<unsigned> rounds_expected(int between, unsigned n) {
  std::vector<unsigned> value(n), out(n);
  for (unsigned i = 0; i < n; i++) value[i] = i % 7;
  for (unsigned round = 0; round < 4; round++) {
    std::vector<unsigned> scanned(n), sums(32);
    unsigned truths = 0;
    for (unsigned i = 0; i < n; i++) {
      scanned[i] = value[i] + (i % 32 > 0 ? scanned[i - 1] : 0);
      if (i % 32 == 31 || i == n - 1) sums[i / 32] = scanned[i];
      truths += scanned[i] & 1u;
    }
    for (unsigned i = 0; i < n; i++) {
      const unsigned first = i / 32 * 32, end = std::min(first + 32, n);
      if (between == BALLOT)
        for (unsigned j = first; j < end; j++) value[i] += scanned[j] & 1u;
      if (between == XOR) value[i] += i;
      if (between == MANY)
        for (unsigned j = 0; j < 5; j++) value[i] += j * (i % 32 + 1) % 2;
      if (between == COUNT) value[i] += truths;
      value[i] = (value[i] + scanned[i] + (first > 0 ? sums[i / 32 - 1] : 0)) % 1000;
      out[i] = value[i];
    }
  }
  return out;
}

TEST(rounds) {
  for (int between = 0; between < KINDS; between++) {
    for (const unsigned n : {1u, 2u, 31u, 32u, 33u, 64u, 100u, 362u, 1024u}) {
      if (between == HALVES && n % 32 != 0) continue;
      const DeviceArray<unsigned> out(n);
      rounds<<<1, n>>>(between, out);
      ASSERT_SAME(out.read(), rounds_expected(between, n));
    }
  }
}

// Lanes return between two shuffles; the others get values of the lanes that are left.
static __global__ void some_leave(unsigned *out) {
  const unsigned lane = threadIdx.x % 32;
  unsigned value = __shfl_up_sync(ALL, threadIdx.x, 1);
  out[threadIdx.x] = value;
  if (lane == 5 || lane == 31) return;
  value = __shfl_up_sync(ALL & ~(1u << 5 | 1u << 31), threadIdx.x, 2);
  if (lane != 7) out[threadIdx.x] = value;
  __syncthreads();
  if (lane == 0) return;
  out[threadIdx.x] += __shfl_up_sync(0x7fffffdeu, value, 0);
}

TEST(lanes_that_return) {
  for (const unsigned n : {32u, 96u}) {
    const DeviceArray<unsigned> out(n);
    some_leave<<<2, n>>>(out);
    const std::vector<unsigned> got = out.read();
    for (unsigned i = 0; i < n; i++) {
      const unsigned lane = i % 32, first = lane > 0 ? i - 1 : i, second = lane > 1 ? i - 2 : i;
      if (lane == 5 || lane == 31)
        assert_int_equal(got[i], first);
      else if (lane == 0)
        assert_int_equal(got[i], second);
      else if (lane != 7)
        assert_int_equal(got[i], 2 * second);
    }
  }
}

// Each lane loads one element and its neighbour's, and stores behind shuffles: no lane leaves a
// shuffle before all have come to it, so that all have loaded.
static __global__ void scan_in_place(unsigned shuffles, unsigned *a) {
  a += blockIdx.x * blockDim.x;
  const unsigned i = threadIdx.x, lane = i % 32;
  for (int round = 0; round < 2; round++) {
    unsigned value = a[i];
    const unsigned before = lane > 0 ? a[i - 1] : 0, behind = lane < 31 ? a[i + 1] : 0;
    if (shuffles == 1)
      value = __shfl_down_sync(ALL, value, 0);
    else
      value = warp_scan(value);
    a[i] = value + before + behind;
    if (round == 0) __syncthreads();
  }
}

TEST(scan_in_place) {
  for (const unsigned shuffles : {1u, 5u})
    for (const unsigned n : {32u, 96u, 1024u}) {
      std::vector<unsigned> expected(2 * n), old;
      for (unsigned i = 0; i < 2 * n; i++) expected[i] = i * i % 11;
      const DeviceArray<unsigned> a(expected);
      scan_in_place<<<2, n>>>(shuffles, a);
      for (int round = 0; round < 2; round++) {
        old = expected;
        unsigned sum = 0;
        for (unsigned j = 0; j < 2 * n; j++) {
          const unsigned lane = j % 32;
          sum = lane == 0 || shuffles == 1 ? old[j] : sum + old[j];
          expected[j] = sum + (lane > 0 ? old[j - 1] : 0) + (lane < 31 ? old[j + 1] : 0);
        }
      }
      ASSERT_SAME(a.read(), expected);
    }
}

// ---- mistakes -----------------------------------------------------------------------------------

static __global__ void half_shuffles(unsigned *out) {
  unsigned value = threadIdx.x;
  if (threadIdx.x < 48) value = __shfl_up_sync(ALL, value, 1); /*half*/
  out[threadIdx.x] = value;
  __syncthreads(); /*behind*/
}
MISTAKE(half_shuffles) { half_shuffles<<<1, 64>>>(zeros(64)); }

static __global__ void shuffle_and_ballot(unsigned *out) {
  if (threadIdx.x < 8)
    out[threadIdx.x] = __shfl_up_sync(ALL, threadIdx.x, 1); /*up*/
  else
    out[threadIdx.x] = __ballot_sync(ALL, 1); /*ballot*/
  __syncthreads();
}
MISTAKE(shuffle_and_ballot) { shuffle_and_ballot<<<1, 32>>>(zeros(32)); }

TEST(a_shuffle_that_is_left_out) {
  expect_report("half_shuffles", {"synccheck: kernel half_shuffles", "none can go on",
                                  "16 at __shfl_up_sync, " LINE_WITH("half"),
                                  "48 at __syncthreads, " LINE_WITH("behind")});
  expect_report("shuffle_and_ballot", {"synccheck: kernel shuffle_and_ballot", "none can go on",
                                       "8 at __shfl_up_sync, " LINE_WITH("up"),
                                       "24 at __ballot_sync, " LINE_WITH("ballot")});
}

// ---- the end of a wave --------------------------------------------------------------------------
//
// Threads that return at the end of a wave, and workers that go on with the next block of
// a grid: the results of kernels, whatever ran on their stacks before.

namespace wave_end {

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

TEST(first_threads_return) {
  const unsigned blocks = 3;
  for (int then = 0; then < KINDS; then++)
    for (const unsigned n : {1u, 32u, 33u, 64u, 250u, 1024u})
      for (const unsigned leave : {0u, 1u, 5u, 31u, 32u, 33u, n - 1, n}) {
        if (leave > n) continue;
        const DeviceArray<unsigned> out(blocks * n);
        first_return<<<blocks, n>>>(then, leave, out);
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
TEST(grids_alternate) {
  const unsigned blocks = 128;
  const DeviceArray<unsigned> sums(blocks), tiles(blocks * 128);
  for (unsigned round = 0; round < 12; round++) {
    const unsigned threads = round % 3 == 0 ? 128 : round % 3 == 1 ? 40 : 80;
    Large large;
    for (unsigned i = 0; i < 40; i++) large.values[i] = round + i;
    add<<<blocks, threads>>>(large, sums);
    if (round % 2 == 0) reverse<<<blocks, 128>>>(sums, tiles);
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

TEST(blocks_without_a_barrier) {
  const unsigned blocks = 50, n = 96;
  const DeviceArray<unsigned> out(blocks * n);
  some_blocks_wait<<<blocks, n>>>(out);
  const std::vector<unsigned> got = out.read();
  for (unsigned i = 0; i < blocks * n; i++) {
    const unsigned block = i / n % 3, thread = i % n;
    const bool waits = block == 0 || (block == 2 && thread < 50);
    assert_int_equal(got[i], waits ? thread ^ 1u : 1000 + thread);
  }
}

#ifdef CUDA_CPU
// An argument with a destructor is destroyed as often as it is copied, before the launch returns:
// the copy for the kernel is one of its bits.
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

TEST(arguments_are_destroyed) {
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

TEST(a_later_block_is_refused) {
  const DeviceArray<unsigned> out(64);
  large_in_a_later_block<<<10, 64, 40000>>>(out);
  assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
  large_in_a_later_block<<<9, 64, 40000>>>(out);
  for (const unsigned value : out.read()) assert_int_equal(value, 1);
}
#endif

}  // namespace wave_end
