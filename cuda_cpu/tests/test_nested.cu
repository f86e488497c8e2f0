// Launches from kernels (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism").
#include "device_test.h"

#include <algorithm>
#include <numeric>

// ---- several levels, many threads ---------------------------------------------------------------

static __global__ void mark(unsigned *out, unsigned begin, unsigned value) {
  atomicAdd(&out[begin + blockIdx.x * blockDim.x + threadIdx.x], value);
}

// Every thread launches a grid for one part of the array.
static __global__ void launch_from_all(unsigned *out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  mark<<<2, 8>>>(out, thread * 16, thread);
}

TEST(launches_from_many_threads) {
  const DeviceArray<unsigned> d_out(4 * 32 * 16);
  launch_from_all<<<4, 32>>>(d_out);
  std::vector<unsigned> expected(4 * 32 * 16);
  for (size_t i = 0; i < expected.size(); i++) expected[i] = (unsigned)i / 16;
  ASSERT_SAME(d_out.read(), expected);
}

// Sums a range by halving it, one level of launches after the other.
static __global__ void add_halves(unsigned n, unsigned *sum, unsigned begin) {
  if (n == 1) {
    atomicAdd(sum, begin);
    return;
  }
  add_halves<<<1, 1>>>(n / 2, sum, begin);
  add_halves<<<1, 1>>>(n - n / 2, sum, begin + n / 2);
}

TEST(many_levels) {
  const DeviceArray<unsigned> d_sum(1);
  add_halves<<<1, 1>>>(1000, d_sum, 1);
  assert_int_equal(d_sum.read()[0], 1000 * 1001 / 2);
}

// ---- order --------------------------------------------------------------------------------------

struct Log {
  unsigned length;
  unsigned entry[16];
};

static __device__ void write_log(Log *log, unsigned what) {
  log->entry[atomicAdd(&log->length, 1u)] = what;
}

static __global__ void child(Log *log, unsigned what) { write_log(log, what); }

static __global__ void parent_in_the_middle(Log *log, unsigned what) {
  child<<<1, 1, 0, cudaStreamTailLaunch>>>(log, what + 3);
  child<<<1, 1>>>(log, what + 1);
  child<<<1, 1>>>(log, what + 2);
  write_log(log, what);
}

static __global__ void grandparent(Log *log) {
  child<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 90);
  parent_in_the_middle<<<1, 1>>>(log, 10);
  child<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 91);
  parent_in_the_middle<<<1, 1>>>(log, 20);
  __syncthreads();
  write_log(log, 1);
}

static unsigned place_in(const Log &log, unsigned what) {
  return (unsigned)(std::find(log.entry, log.entry + 16, what) - log.entry);
}

// In a block's stream a launch begins when the one before it, with all its descendants, is done;
// tail launches begin when everything else is. A child may run beside its parent.
TEST(order_within_a_stream) {
  const DeviceArray<Log> d_log(1);
  grandparent<<<1, 1>>>(d_log);
  const Log written = d_log.read()[0];
  assert_int_equal(written.length, 11);
  for (const unsigned first : {10u, 20u})
    for (const unsigned what : {first, first + 1, first + 2})
      assert_true(place_in(written, what) < place_in(written, first + 3));
  const unsigned in_order[] = {11, 12, 13, 21, 22, 23, 90, 91};
  for (unsigned i = 1; i < 8; i++)
    assert_true(place_in(written, in_order[i - 1]) < place_in(written, in_order[i]));
  assert_true(place_in(written, 91) == 10);
#ifdef CUDA_CPU  // where children begin when their parent has ended
  const Log expected = {11, {1, 10, 11, 12, 13, 20, 21, 22, 23, 90, 91}};
  assert_memory_equal(&written, &expected, sizeof written);
#endif
}

// A loop as CUDA recommends it for kernels: each round launches the next one.
static __global__ void countdown(unsigned left, unsigned *rounds) {
  ++*rounds;
  if (left > 0) countdown<<<1, 1, 0, cudaStreamTailLaunch>>>(left - 1, rounds);
}

TEST(a_long_chain_of_tail_launches) {
  const DeviceArray<unsigned> d_rounds(1);
  countdown<<<1, 1>>>(20000, d_rounds);
  assert_int_equal(d_rounds.read()[0], 20001);
}

// ---- errors -------------------------------------------------------------------------------------

static __global__ void nothing() {}

// Error codes of threads: after a bad launch, after reading it, and of a neighbour.
static __global__ void bad_launches(int *errors) {
  int *const mine = &errors[threadIdx.x * 3];
  if (threadIdx.x == 1) nothing<<<1, 1025>>>();
  if (threadIdx.x == 2) nothing<<<0, 1>>>();
  mine[0] = cudaPeekAtLastError();
  mine[1] = cudaGetLastError();
  mine[2] = cudaGetLastError();
}

TEST(a_refused_launch_concerns_its_thread) {
  const DeviceArray<int> d_errors(9);
  bad_launches<<<1, 3>>>(d_errors);
  KERNEL_OK();  // the host's last error is another one
  const int bad = cudaErrorInvalidConfiguration;
  ASSERT_SAME(d_errors.read(), (std::vector<int>{0, 0, 0, bad, bad, 0, bad, bad, 0}));
}

static __global__ void leave_an_error() { nothing<<<1, 1025>>>(); }
static __global__ void read_errors(int *errors) {
  atomicMax(&errors[threadIdx.x], (int)cudaGetLastError());
}

TEST(a_new_thread_has_no_error) {
  const DeviceArray<int> d_errors(64);
  leave_an_error<<<50, 64>>>();
  read_errors<<<50, 64>>>(d_errors);
  ASSERT_SAME(d_errors.read(), std::vector<int>(64, cudaSuccess));
}

static __global__ void add_one(unsigned *count) { atomicAdd(count, 1u); }

static __global__ void launch_many(unsigned launches, unsigned *count, unsigned *refused) {
  for (unsigned i = 0; i < launches; i++) {
    add_one<<<1, 1>>>(count);
    if (cudaGetLastError() == cudaErrorLaunchPendingCountExceeded) atomicAdd(refused, 1u);
  }
}

static void check_pending_launches(size_t limit, unsigned launches) {
  const DeviceArray<unsigned> d_count(1), d_refused(1);
  launch_many<<<4, 32>>>(launches, d_count, d_refused);
  const unsigned asked = 4 * 32 * launches, accepted = std::min(asked, (unsigned)limit);
  assert_int_equal(d_count.read()[0] + d_refused.read()[0], asked);
#ifdef CUDA_CPU
  assert_int_equal(d_count.read()[0], accepted);
#else  // children that have run beside their parent no longer wait
  assert_true(d_count.read()[0] >= accepted);
#endif
}

TEST(the_limit_of_pending_launches) {
  size_t limit = 0;
  CUDA_OK(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount));
  assert_int_equal(limit, 2048);
  check_pending_launches(limit, 16);
  check_pending_launches(limit, 17);
  CUDA_OK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 100));
  check_pending_launches(100, 1);
  CUDA_OK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 4096));
  check_pending_launches(4096, 17);
  CUDA_OK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, limit));
}

// ---- what a kernel may hand to a kernel ---------------------------------------------------------

static __device__ unsigned counters[4];

static __global__ void launch_on_variable() { mark<<<1, 4>>>(counters, 0, 3); }

TEST(device_variables_as_arguments) {
  launch_on_variable<<<1, 1>>>();
  KERNEL_OK();
  std::vector<unsigned> values(4);
  CUDA_OK(cudaMemcpyFromSymbol(values.data(), counters, sizeof counters));
  ASSERT_SAME(values, std::vector<unsigned>(4, 3));
}

static __global__ void shared_in_child(unsigned *out) {
  extern __shared__ unsigned values[];
  __shared__ unsigned sum;
  if (threadIdx.x == 0) sum = 0;
  values[threadIdx.x] = threadIdx.x;
  __syncthreads();
  atomicAdd(&sum, values[blockDim.x - 1 - threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

// The parent's shared memory and barriers are private, also for a child that uses the same arrays.
static __global__ void shared_in_parent(unsigned *out) {
  extern __shared__ unsigned values[];
  values[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x == 0) shared_in_child<<<3, 64, 64 * sizeof(unsigned)>>>(out);
  __syncthreads();
  atomicAdd(out, values[blockDim.x - 1 - threadIdx.x]);
}

TEST(shared_memory_of_parent_and_child) {
  const DeviceArray<unsigned> d_out(1);
  shared_in_parent<<<5, 32, 32 * sizeof(unsigned)>>>(d_out);
  assert_int_equal(d_out.read()[0], 5 * (32 + 3 * 63 * 64 / 2));
}
