// Order by barriers of all kinds: CHECK builds are silent about these patterns, and name both
// accesses once a part is missing (order.h).
#include "order.h"

#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

using BlockBarrier = cuda::barrier<cuda::thread_scope_block>;
using DeviceBarrier = cuda::barrier<cuda::thread_scope_device>;

// ---- cuda::barrier ------------------------------------------------------------------------------

// Warp 0 fills the buffer, warp 1 empties it, again and again. Warp 2 has no part in it.
static __global__ void two_warps(int missing, unsigned *out) {
  __shared__ BlockBarrier full, empty;
  __shared__ unsigned buffer[32];
  const unsigned lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    init(&full, 64);
    init(&empty, 64);
  }
  __syncthreads();
  for (unsigned round = 0; round < 3; round++) {
    if (threadIdx.x < 32) {
      if (round > 0 && missing != 1) empty.arrive_and_wait();
      buffer[lane] = round; /*two warps, written*/
      full.arrive_and_wait();
    } else if (threadIdx.x < 64) {
      BlockBarrier::arrival_token token = full.arrive();
      if (missing != 2) full.wait(std::move(token));
      out[blockIdx.x * 64 + lane] += buffer[31 - lane]; /*two warps, read*/
      if (missing == 2) full.wait(std::move(token));
      if (round < 2 && missing != 1) (void)empty.arrive();
    } else if (missing == 3) {
      out[blockIdx.x * 64 + 32 + lane] = buffer[lane]; /*two warps, read by a third*/
    }
  }
}
static void run_two_warps(int missing) { two_warps<<<2, 96>>>(missing, zeros(128)); }

struct Total {
  unsigned *values, *total;
  void operator()() const {
    *total = 0;                                       /*total, written*/
    for (int i = 0; i < 64; i++) *total += values[i]; /*completion, read*/
  }
};

// The last thread to arrive adds up what all have written.
static __global__ void completion(int missing, unsigned *out) {
  __shared__ unsigned values[64], total;
  __shared__ cuda::barrier<cuda::thread_scope_block, Total> barrier;
  if (threadIdx.x == 0) init(&barrier, 64, Total{values, &total});
  __syncthreads();
  if (missing != 1) values[threadIdx.x] = 1;
  auto token = barrier.arrive();
  if (missing == 1) values[threadIdx.x] = 1; /*completion, written*/
  if (missing != 2) barrier.wait(std::move(token));
  out[threadIdx.x] = total; /*total, read*/
}
static void run_completion(int missing) { completion<<<1, 64>>>(missing, zeros(64)); }

static __global__ void blocks_meet(int missing, DeviceBarrier *barrier, unsigned *data,
                                   unsigned *out) {
  data[blockIdx.x * 32 + threadIdx.x] = threadIdx.x; /*blocks, written*/
  if (missing == 1)
    __syncthreads();
  else
    barrier->arrive_and_wait();
  out[blockIdx.x * 32 + threadIdx.x] = data[(1 - blockIdx.x) * 32 + threadIdx.x]; /*blocks, read*/
}
static void run_blocks_meet(int missing) {
  DeviceBarrier *barrier = NULL;
  cudaMallocManaged(&barrier, sizeof *barrier);
  init(barrier, 64);
  unsigned *data = zeros(64), *out = zeros(64);
  void *arguments[] = {&missing, &barrier, &data, &out};
  cudaLaunchCooperativeKernel((void *)blocks_meet, 2, 32, arguments, 0, 0);
  cudaDeviceSynchronize();
  cudaFree(barrier);
}

// ---- cuda::pipeline -----------------------------------------------------------------------------

static __global__ void pipeline(int missing, const unsigned *in, unsigned *out) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ unsigned ring[2][32];
  auto block = cg::this_thread_block();
  const bool produces = threadIdx.x < 32;
  auto pipe = cuda::make_pipeline(
      block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  const unsigned lane = threadIdx.x % 32;
  for (unsigned tile = 0; tile < 6; tile++) {
    unsigned *const stage = ring[tile % 2];
    if (produces) {
      if (missing != 1) pipe.producer_acquire();
      stage[lane] = in[tile * 32 + lane]; /*pipeline, written*/
      pipe.producer_commit();
    } else {
      if (missing != 2) pipe.consumer_wait();
      out[tile * 32 + lane] = stage[31 - lane]; /*pipeline, read*/
      pipe.consumer_release();
    }
  }
}
static void run_pipeline(int missing) { pipeline<<<1, 64>>>(missing, zeros(192), zeros(192)); }

// ---- named barriers -----------------------------------------------------------------------------

// Each half of the block has a barrier of its own.
static __global__ void halves(int missing, unsigned *out) {
  __shared__ unsigned values[128];
  values[threadIdx.x] = threadIdx.x; /*halves, written*/
  if (missing != 1) asm volatile("bar.sync %0, %1;" ::"r"(1 + threadIdx.x / 64), "r"(64));
  const unsigned other = missing == 2 ? 127 - threadIdx.x : threadIdx.x ^ 63u;
  out[threadIdx.x] = values[other]; /*halves, read*/
}
static void run_halves(int missing) { halves<<<2, 128>>>(missing, zeros(128)); }

// Warp 0 announces its values and goes on; warp 1 waits for them.
static __global__ void announce(int missing, unsigned *out) {
  __shared__ unsigned values[32];
  const unsigned lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    if (missing != 1) values[lane] = lane; /*announce, written*/
    asm volatile("bar.arrive 3, 64;" ::);
    if (missing == 1) values[lane] = lane; /*announce, written late*/
  } else {
    asm volatile("bar.sync 3, 64;" ::);
    out[lane] = values[31 - lane]; /*announce, read*/
  }
}
static void run_announce(int missing) { announce<<<2, 64>>>(missing, zeros(32)); }

// ---- cooperative groups -------------------------------------------------------------------------

static __global__ void grid_sync(int missing, unsigned *data, unsigned *out) {
  const cg::grid_group grid = cg::this_grid();
  const unsigned n = static_cast<unsigned>(grid.size()),
                 i = static_cast<unsigned>(grid.thread_rank());
  for (unsigned round = 0; round < 3; round++) {
    data[i] = round; /*grid, written*/
    if (missing != 1) grid.sync();
    out[i] = data[n - 1 - i]; /*grid, read*/
    if (missing != 2) grid.sync();
  }
}
static void run_grid_sync(int missing) {
  unsigned *data = zeros(128), *out = zeros(128);
  void *arguments[] = {&missing, &data, &out};
  cudaLaunchCooperativeKernel((void *)grid_sync, 2, 64, arguments, 0, 0);
}

static __global__ void tiles_of_two_warps(int missing, unsigned *out) {
  __shared__ cg::block_tile_memory<128> memory;
  __shared__ unsigned values[128];
  auto tile = cg::tiled_partition<64>(cg::this_thread_block(memory));
  for (unsigned round = 0; round < 2; round++) {
    values[threadIdx.x] = round; /*tiles, written*/
    if (missing != 1) tile.sync();
    out[blockIdx.x * 128 + threadIdx.x] +=
        values[threadIdx.x ^ (missing == 2 ? 64u : 32u)]; /*tiles, read*/
    if (missing != 3) tile.sync();
  }
}
static void run_tiles_of_two_warps(int missing) {
  tiles_of_two_warps<<<2, 128>>>(missing, zeros(256));
}

static __global__ void small_tiles(int missing, unsigned *out) {
  __shared__ unsigned values[64];
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  values[threadIdx.x] = threadIdx.x; /*small tiles, written*/
  if (missing != 1) tile.sync();
  const unsigned other = missing == 2 ? threadIdx.x ^ 8u : threadIdx.x ^ 7u;
  out[threadIdx.x] = values[other]; /*small tiles, read*/
}
static void run_small_tiles(int missing) { small_tiles<<<1, 64>>>(missing, zeros(64)); }

// ---- copies -------------------------------------------------------------------------------------

static __global__ void copies(int missing, unsigned *out) {
  __shared__ unsigned values[64];
  values[threadIdx.x] = threadIdx.x; /*copies, written*/
  if (missing != 1) __syncthreads();
  if (threadIdx.x % 32 == 0)
    memcpy(out + threadIdx.x, values + 32 - threadIdx.x, 32 * sizeof *out); /*copies, read*/
  if (missing != 2) __syncthreads();
  values[63 - threadIdx.x] = 1; /*copies, written again*/
}
static void run_copies(int missing) { copies<<<1, 64>>>(missing, zeros(64)); }

// ---- the tests ----------------------------------------------------------------------------------

static const std::vector<Pattern> kPatterns = {
    {"two_warps",
     run_two_warps,
     {{1, "two warps, written", "two warps, read"},
      {2, "two warps, written", "two warps, read"},
      {3, "two warps, written", "two warps, read by a third"}}},
    {"completion",
     run_completion,
     {{1, "completion, written", "completion, read"}, {2, "total, written", "total, read"}}},
    {"blocks_meet", run_blocks_meet, {{1, "blocks, written", "blocks, read"}}},
    {"pipeline",
     run_pipeline,
     {{1, "pipeline, written", "pipeline, read"}, {2, "pipeline, written", "pipeline, read"}}},
    {"halves",
     run_halves,
     {{1, "halves, written", "halves, read"}, {2, "halves, written", "halves, read"}}},
    {"announce", run_announce, {{1, "announce, written late", "announce, read"}}},
    {"copies",
     run_copies,
     {{1, "copies, written", "copies, read"}, {2, "copies, written again", "copies, read"}}},
    {"grid_sync",
     run_grid_sync,
     {{1, "grid, written", "grid, read"}, {2, "grid, written", "grid, read"}}},
    {"tiles_of_two_warps",
     run_tiles_of_two_warps,
     {{1, "tiles, written", "tiles, read"},
      {2, "tiles, written", "tiles, read"},
      {3, "tiles, written", "tiles, read"}}},
    {"small_tiles",
     run_small_tiles,
     {{1, "small tiles, written", "small tiles, read"},
      {2, "small tiles, written", "small tiles, read"}}},
};

static void test_pattern(void **state) {
  expect_pattern(*static_cast<const Pattern *>(*state), __FILE__);
}

int main(int argc, char **argv) {
  run_pattern_if_child(argc, argv, kPatterns);
  return run_patterns(kPatterns, test_pattern);
}
