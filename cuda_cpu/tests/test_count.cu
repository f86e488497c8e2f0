// COUNT builds: the counts of kernels of a few lines, known by hand. Skipped in other builds.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_profiler_api.h>
#if __has_include(<thrust/version.h>)
#include <thrust/execution_policy.h>
#include <thrust/fill.h>
#endif

#include "device_test.h"

struct Count {
  const char *name;
  unsigned long long value;
};
// What a program that launches one kernel writes.
static void expect_counts(const char *name, const std::vector<Count> &counts) {
  if (strcmp(kChecked, "count") != 0) skip();
  const Child child = run_mistake(name, "CUDA_CPU_COUNT", "/dev/stdout");
  assert_int_equal(child.exit_code, 0);
  for (const Count &count : counts) {
    const std::string text =
        std::string("\"") + count.name + "\": " + std::to_string(count.value) + ",";
    child_expect_text(child.output, text.c_str());
  }
}
// COUNTED(name, counts...) { launches }
#define COUNTED(name, ...)                            \
  TEST(name) { expect_counts(#name, {__VA_ARGS__}); } \
  MISTAKE(name)

// ---- global memory ------------------------------------------------------------------------------

static __global__ void copy(const unsigned *in, unsigned *out, unsigned stride, unsigned offset) {
  out[threadIdx.x] = in[threadIdx.x * stride + offset]; /*copy*/
}
COUNTED(neighbours, {"kernel\": \"copy\", \"launches", 1}, {"blocks", 1}, {"threads", 32},
        {"global_load_requests", 1}, {"global_load_lanes", 32}, {"global_load_sectors", 4},
        {"global_store_requests", 1}, {"global_store_sectors", 4}, {"global_atomic_requests", 0},
        {"shared_load_requests", 0}) {
  copy<<<1, 32>>>(zeros(32), zeros(32), 1, 0);
}
COUNTED(strided, {"global_load_requests", 1}, {"global_load_sectors", 32},
        {"global_store_sectors", 4}) {
  copy<<<1, 32>>>(zeros(256), zeros(32), 8, 0);
}
COUNTED(shifted, {"global_load_sectors", 5}) { copy<<<1, 32>>>(zeros(33), zeros(32), 1, 1); }
COUNTED(partial_warp, {"global_load_requests", 2}, {"global_load_lanes", 40},
        {"global_load_sectors", 5}) {
  copy<<<1, 40>>>(zeros(40), zeros(40), 1, 0);
}
COUNTED(launches, {"kernel\": \"copy\", \"launches", 3}, {"blocks", 5}, {"threads", 160},
        {"global_load_requests", 5}, {"distinct_sectors_read", 12},
        {"distinct_sectors_written", 12}) {
  copy<<<2, 32>>>(zeros(32), zeros(32), 1, 0);  // both blocks the same sectors
  copy<<<2, 32>>>(zeros(32), zeros(32), 1, 0);
  copy<<<1, 32>>>(zeros(32), zeros(32), 1, 0);
}

static __global__ void ways(const unsigned *a, const unsigned *b, unsigned *out) {
  out[threadIdx.x] = threadIdx.x % 2 == 0 ? a[threadIdx.x] : b[threadIdx.x];
}
COUNTED(divergent, {"global_load_requests", 2}, {"global_load_lanes", 32},
        {"global_load_sectors", 8}, {"global_store_requests", 1}) {
  ways<<<1, 32>>>(zeros(32), zeros(32), zeros(32));
}

// Lane l takes l rounds: 31 requests, of 31 lanes, of 30, ..
static __global__ void rounds(const unsigned *in, unsigned *out) {
  unsigned sum = 0;
  for (unsigned i = 0; i < threadIdx.x; i++) sum += in[8 * i];
  out[threadIdx.x] = sum;
}
COUNTED(uneven_loop, {"global_load_requests", 31}, {"global_load_lanes", 496},
        {"global_load_sectors", 31}, {"global_store_requests", 1}) {
  rounds<<<1, 32>>>(zeros(256), zeros(32));
}

// Lane l leaves out the store of round l % 4. The load brings the lanes together in each round.
static __global__ void left_out(const unsigned *in, unsigned *out) {
  for (unsigned i = 0; i < 4; i++)
    if (in[32 * i + threadIdx.x] + threadIdx.x % 4 != i) out[32 * i + threadIdx.x] = 1;
}
COUNTED(rounds_left_out, {"global_load_requests", 4}, {"global_store_requests", 4},
        {"global_store_lanes", 96}, {"global_store_sectors", 16}) {
  left_out<<<1, 32>>>(zeros(128), zeros(128));
}
// In each round half of the lanes load twice from b, in the next round the other half.
static __global__ void nested(const unsigned *a, const unsigned *b, unsigned *out) {
  unsigned sum = 0;
  for (unsigned i = 0; i < 3; i++) {
    const unsigned end = a[i] + (threadIdx.x + i) % 2 * 2;
    for (unsigned j = 0; j < end; j++) sum += b[8 * i + j];
  }
  out[threadIdx.x] = sum;
}
COUNTED(nested_loops, {"global_load_requests", 3 + 3 * 2}, {"global_store_requests", 1},
        {"global_load_lanes", 3 * 32 + 3 * 32}) {
  nested<<<1, 32>>>(zeros(3), zeros(24), zeros(32));
}

// One half of the warp in each round. The warp meets in between, so that the rounds are two
// requests.
static __global__ void halves(const unsigned *in, unsigned *out) {
  unsigned sum = 0;
  for (unsigned round = 0; round < 2; round++) {
    if (threadIdx.x / 16 == round) sum += in[threadIdx.x];
    __syncwarp();
  }
  out[threadIdx.x] = sum;
}
COUNTED(halves_of_a_warp, {"global_load_requests", 2}, {"global_load_lanes", 32},
        {"global_load_sectors", 4}, {"syncwarps", 2}, {"collective_lanes", 64}) {
  halves<<<1, 32>>>(zeros(32), zeros(32));
}

// ---- kinds of accesses --------------------------------------------------------------------------

static __global__ void vectors(const uint4 *in, uint4 *out, const uint3 *three, unsigned *sum) {
  uint4 v = in[threadIdx.x];
  v.x += v.y * v.z + v.w;
  out[threadIdx.x] = v;
  const uint3 w = three[threadIdx.x];
  sum[threadIdx.x] = w.x + w.y + w.z;
}
COUNTED(vector_types, {"global_load_requests", 4}, {"global_load_sectors", 16 + 3 * 12},
        {"global_store_requests", 2}, {"global_store_sectors", 16 + 4}) {
  vectors<<<1, 32>>>((const uint4 *)zeros(128), (uint4 *)zeros(128), (const uint3 *)zeros(96),
                     zeros(32));
}

struct Pair {
  unsigned key, position;  // aligned to 4 bytes, so a GPU moves it in two halves
};
static __global__ void pairs(const Pair *in, Pair *out) { out[threadIdx.x] = in[threadIdx.x]; }
COUNTED(structures, {"global_load_requests", 2}, {"global_load_sectors", 16},
        {"global_store_requests", 2}, {"global_store_sectors", 16}) {
  pairs<<<1, 32>>>((const Pair *)zeros(64), (Pair *)zeros(64));
}

__device__ unsigned device_variable[32];
static __global__ void hints(unsigned *in, unsigned *out) {
  const volatile unsigned *flag = in;
  __stcs(out + threadIdx.x, __ldg(in + threadIdx.x) + __ldcs(in + threadIdx.x + 32) +
                                flag[threadIdx.x] + device_variable[threadIdx.x]);
}
COUNTED(cached_and_volatile, {"global_load_requests", 4}, {"global_load_sectors", 16},
        {"global_store_requests", 1}, {"distinct_sectors_read", 12}) {
  hints<<<1, 32>>>(zeros(64), zeros(32));
}

static __global__ void asynchronous(const unsigned *in, unsigned *out) {
  __shared__ __align__(16) unsigned tile[256];
  const auto block = cooperative_groups::this_thread_block();
  cooperative_groups::memcpy_async(block, tile, in, sizeof tile);
  cooperative_groups::wait(block);
  out[threadIdx.x] = tile[threadIdx.x];
}
COUNTED(copies, {"global_load_requests", 2}, {"global_load_sectors", 32},
        {"shared_store_requests", 2}, {"shared_store_wavefronts", 8},
        {"shared_store_conflicts", 0}) {
  asynchronous<<<1, 32>>>(zeros(256), zeros(32));
}

// ---- shared memory ------------------------------------------------------------------------------

static __global__ void banks(unsigned *out, unsigned stride) {
  extern __shared__ unsigned tile[];
  tile[threadIdx.x * stride] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x * stride];
}
COUNTED(no_conflict, {"shared_store_requests", 1}, {"shared_store_wavefronts", 1},
        {"shared_store_conflicts", 0}, {"shared_load_wavefronts", 1}, {"barriers", 1},
        {"dynamic_shared_bytes", 128}, {"blocks_per_sm", 32}) {
  banks<<<1, 32, 32 * 4>>>(zeros(32), 1);
}
COUNTED(two_way_conflict, {"shared_load_wavefronts", 2}, {"shared_load_conflicts", 1}) {
  banks<<<1, 32, 64 * 4>>>(zeros(32), 2);
}
COUNTED(all_in_one_bank, {"shared_load_wavefronts", 32}, {"shared_load_conflicts", 31},
        {"shared_load_lanes", 32}) {
  banks<<<1, 32, 1024 * 4>>>(zeros(32), 32);
}
COUNTED(padded, {"shared_load_wavefronts", 1}) { banks<<<1, 32, 1056 * 4>>>(zeros(32), 33); }
COUNTED(broadcast, {"shared_load_wavefronts", 1}, {"shared_load_conflicts", 0}) {
  banks<<<1, 32, 4>>>(zeros(32), 0);
}

// 8 bytes a lane take two wavefronts, 16 four; a stride of two doubles both.
template <class T>
static __global__ void wide(unsigned *out, unsigned stride) {
  __shared__ T tile[64];
  for (unsigned i = threadIdx.x; i < 64; i += 32) tile[i].x = i;
  __syncthreads();
  const T value = tile[threadIdx.x * stride];
  out[threadIdx.x] = value.x + value.y;
}
COUNTED(eight_bytes, {"shared_load_requests", 1}, {"shared_load_wavefronts", 2},
        {"shared_load_conflicts", 0}, {"static_shared_bytes", 512}) {
  wide<uint2><<<1, 32>>>(zeros(32), 1);
}
COUNTED(sixteen_bytes, {"shared_load_requests", 1}, {"shared_load_wavefronts", 4},
        {"shared_load_conflicts", 0}, {"static_shared_bytes", 1024}) {
  wide<uint4><<<1, 32>>>(zeros(32), 1);
}
COUNTED(eight_byte_broadcast, {"shared_load_wavefronts", 1}, {"shared_load_conflicts", 0}) {
  wide<uint2><<<1, 32>>>(zeros(32), 0);
}
COUNTED(sixteen_byte_broadcast, {"shared_load_wavefronts", 2}, {"shared_load_conflicts", 0}) {
  wide<uint4><<<1, 32>>>(zeros(32), 0);  // for each half of the warp
}
COUNTED(wide_conflicts, {"shared_load_wavefronts", 4}, {"shared_load_conflicts", 2}) {
  wide<uint2><<<1, 32>>>(zeros(32), 2);
}

// 8 bytes a lane, each half of the warp by itself: lanes 0 and 1 meet in one pair of banks, 16 and
// 17 in another. If the warp were served as one, two wavefronts would do.
static __global__ void scattered(unsigned *out) {
  __shared__ uint2 tile[64];
  const unsigned l = threadIdx.x;
  tile[l].x = tile[l + 32].x = l;
  __syncthreads();
  const uint2 value = tile[l == 1 ? 16 : l == 16 ? 49 : l < 16 ? l : l + 16];
  out[l] = value.x + value.y;
}
COUNTED(halves_for_eight_bytes, {"shared_load_wavefronts", 4}, {"shared_load_conflicts", 2}) {
  scattered<<<1, 32>>>(zeros(32));
}

// ---- atomics ------------------------------------------------------------------------------------

static __global__ void add(unsigned *counters, unsigned mask) {
  atomicAdd(&counters[threadIdx.x & mask], 1u);
}
COUNTED(one_counter, {"global_atomic_requests", 2}, {"global_atomic_lanes", 64},
        {"global_atomic_sectors", 64}, {"global_atomic_longest_queue", 32},
        {"global_atomics_at_one_address", 64}, {"global_load_requests", 0},
        {"global_store_requests", 0}) {
  add<<<1, 64>>>(zeros(1), 0);
}
// Two sectors, each in two turns: a turn takes one lane of each counter.
COUNTED(sixteen_counters, {"global_atomic_requests", 1}, {"global_atomic_sectors", 4},
        {"global_atomic_longest_queue", 2}, {"global_atomics_at_one_address", 2}) {
  add<<<1, 32>>>(zeros(16), 15);
}

static __global__ void other_atomics(unsigned *out) {
  __shared__ unsigned least;
  __shared__ float sums[32];
  sums[threadIdx.x] = 0;
  __syncthreads();
  atomicMin(&least, threadIdx.x);
  atomicAdd(&sums[threadIdx.x], 1.0f);
  atomicCAS(&out[threadIdx.x], 1u, 2u);  // finds 0, fails, and is an atomic nevertheless
}
COUNTED(atomics_by_swap, {"shared_atomic_requests", 2}, {"shared_atomic_wavefronts", 2},
        {"shared_atomic_longest_queue", 32}, {"shared_atomics_at_one_address", 32},
        {"shared_load_requests", 0}, {"global_atomic_requests", 1}, {"global_atomic_sectors", 4},
        {"global_load_requests", 0}) {
  other_atomics<<<1, 32>>>(zeros(32));
}

// ---- collectives, and what is counted at all ----------------------------------------------------

static __global__ void collectives(unsigned *out) {
  unsigned x = __shfl_xor_sync(0xffffffffu, threadIdx.x, 1);
  x += __ballot_sync(0xffffffffu, x > 3) + __any_sync(0xffffffffu, x > 5);
  x += __match_any_sync(0xffffffffu, x);
  if (threadIdx.x % 32 < 8) x += __reduce_add_sync(0xffu, x);
  __syncthreads();
  out[threadIdx.x] = x;
}
COUNTED(warp_functions, {"barriers", 1}, {"syncwarps", 0}, {"shuffles", 2}, {"votes", 4},
        {"matches", 2}, {"reductions", 2}, {"collective_lanes", 8 * 32 + 2 * 8},
        {"global_store_requests", 2}) {
  collectives<<<1, 64>>>(zeros(64));
}

COUNTED(kernel_by_pointer, {"kernel\": \"copy\", \"launches", 1}, {"global_load_requests", 1}) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(32);
  cudaLaunchKernelEx(&config, copy, (const unsigned *)zeros(32), zeros(32), 1u, 0u);
}
// The pointer is read at the launch, not by the threads.
static const struct Table {
  void (*kernel)(const unsigned *, unsigned *, unsigned, unsigned);
} kernels = {copy};
COUNTED(kernel_of_a_table, {"global_load_requests", 1}, {"global_load_sectors", 4}) {
  const Table *const table = &kernels;
  table->kernel<<<1, 32>>>(zeros(32), zeros(32), 1, 0);
}
// Grids that depend on it are those of an H100.
COUNTED(multiprocessors, {"blocks", 132}) {
  int count = 0;
  cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0);
  copy<<<count, 32>>>(zeros(32), zeros(32), 1, 0);
}
// A call of a hook as the last thing in a kernel is no jump: it has a place in the kernel.
static __global__ void atomic_last(unsigned *counters) {
  __shared__ unsigned unused;
  unused = 0;
  __syncthreads();
  atomicAdd(&counters[threadIdx.x + unused], 1u);
}
COUNTED(atomic_at_the_end, {"global_atomic_requests", 1}, {"global_atomic_lanes", 32}) {
  atomic_last<<<1, 32>>>(zeros(32));
}

COUNTED(between_start_and_stop, {"kernel\": \"copy\", \"launches", 1},
        {"global_load_sectors", 32}) {
  copy<<<1, 32>>>(zeros(32), zeros(32), 1, 0);
  cudaProfilerStart();
  copy<<<1, 32>>>(zeros(256), zeros(32), 8, 0);
  cudaProfilerStop();
  copy<<<1, 32>>>(zeros(32), zeros(32), 1, 0);
}

COUNTED(copies_and_sets, {"copied_bytes", 2 * 128 + 128}, {"host_copied_bytes", 4},
        {"host_accesses", 0}) {
  unsigned *const a = zeros(32), *const b = zeros(32);
  unsigned host = 0;
  cudaProfilerStart();
  copy<<<1, 32>>>(a, b, 1, 0);
  cudaMemcpy(a, b, 128, cudaMemcpyDeviceToDevice);  // read and written
  cudaMemset(a, 0, 128);
  cudaMemcpy(&host, a, 4, cudaMemcpyDeviceToHost);
}

#if __has_include(<thrust/version.h>)
COUNTED(thrust_on_the_host, {"host_accesses", 32}, {"global_store_requests", 1}) {
  unsigned *const a = zeros(32);
  copy<<<1, 32>>>(a, zeros(32), 1, 0);
  thrust::fill(thrust::device, a, a + 32, 7u);
}
#endif

// Of eight blocks the first and the fifth; only the first has accesses.
static __global__ void only_first(unsigned *out) {
  if (blockIdx.x == 0) out[threadIdx.x] = 1;
}
MISTAKE(a_sample) { only_first<<<8, 32>>>(zeros(32)); }
TEST(sample_of_blocks) {
  setenv("COUNT_BLOCKS", "4", 1);
  expect_counts("a_sample", {{"blocks", 8},
                             {"counted_blocks", 2},
                             {"global_store_requests", 4},
                             {"global_store_sectors", 16}});
  unsetenv("COUNT_BLOCKS");
}

TEST(lines) {
  if (strcmp(kChecked, "count") != 0) skip();
  const Child child = run_mistake("neighbours", "CUDA_CPU_COUNT", "/dev/stdout");
  const std::string line = "\"line\": \"" LINE_WITH("copy");
  child_expect_text(child.output, line.c_str());
  child_expect_text(child.output, "\"access\": \"global load\", \"bytes\": 4, \"requests\": 1,");
}
