// What orders accesses: fences, atomics, volatile accesses and barriers of all kinds. CHECK builds
// are silent about these patterns, and name both accesses once a part is missing (order.h).
#include "order.h"

#include <cuda/atomic>
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

// ---- a flag -------------------------------------------------------------------------------------

// CUDA C++ Programming Guide, "Memory Fence Functions".
static __global__ void fences(int missing, unsigned *data, unsigned *flag) {
  if (blockIdx.x == 0) {
    data[0] = 1; /*fences, written*/
    if (missing == 1) __threadfence_block();
    if (missing == 0 || missing > 2) __threadfence();
    atomicExch(flag, 1u);
  } else {
    while (atomicAdd(flag, 0u) == 0) __nanosleep(0);
    if (missing == 4) __threadfence_block();
    if (missing < 3) __threadfence();
    data[1] = data[0]; /*fences, read*/
  }
}
PATTERN(fences, {{1, 2, 3, 4}, "fences, written", "fences, read"}) {
  fences<<<2, 1>>>(missing, zeros(2), zeros(1));
}

static __global__ void fences_in_a_block(int missing, unsigned *data) {
  __shared__ unsigned flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    data[0] = 1; /*fences in a block, written*/
    if (missing != 1) __threadfence_block();
    atomicExch(&flag, 1u);
  } else if (threadIdx.x == 32) {
    while (atomicAdd(&flag, 0u) == 0) __nanosleep(0);
    if (missing != 2) __threadfence_block();
    data[1] = data[0]; /*fences in a block, read*/
  }
}
PATTERN(fences_in_a_block, {{1, 2}, "fences in a block, written", "fences in a block, read"}) {
  fences_in_a_block<<<1, 64>>>(missing, zeros(2));
}

// A volatile flag between two lanes of a warp. Part 3: the warp works in step behind a fence, which
// is no flag.
static __global__ void lanes(int missing, unsigned *data, unsigned *out) {
  __shared__ volatile unsigned flag, step[32];
  const unsigned lane = threadIdx.x;
  if (lane == 0) flag = 0;
  step[lane] = lane;
  __syncwarp();
  if (lane == 0) {
    data[0] = 1; /*lanes, written*/
    if (missing != 1) __threadfence_block();
    flag = 1;
  } else if (lane == 1) {
    while (flag == 0) __nanosleep(0);
    if (missing != 2) __threadfence_block();
    data[1] = data[0]; /*lanes, read*/
  }
  if (missing != 3) return;
  __threadfence_block();
  for (unsigned half = 16; half > 0; half /= 2)
    if (lane < half) step[lane] = step[lane] + step[lane + half]; /*step*/
  out[lane] = step[0];
}
PATTERN(lanes, {{1, 2}, "lanes, written", "lanes, read"}, {{3}, "step", "step"}) {
  lanes<<<1, 32>>>(missing, zeros(2), zeros(32));
}

static __global__ void memory_orders(int missing, unsigned *data,
                                     cuda::atomic<unsigned, cuda::thread_scope_device> *flag) {
  if (blockIdx.x == 0) {
    data[0] = 1; /*orders, written*/
    flag->store(1, missing == 1 ? cuda::memory_order_relaxed : cuda::memory_order_release);
  } else {
    const auto order = missing == 2 ? cuda::memory_order_relaxed : cuda::memory_order_acquire;
    while (flag->load(order) == 0) __nanosleep(0);
    data[1] = data[0]; /*orders, read*/
  }
}
PATTERN(memory_orders, {{1, 2}, "orders, written", "orders, read"}) {
  memory_orders<<<2, 1>>>(
      missing, zeros(2),
      reinterpret_cast<cuda::atomic<unsigned, cuda::thread_scope_device> *>(zeros(1)));
}

// Thread 0 waits for the last thread of its block.
static __global__ void orders_in_a_block(int missing, unsigned *data) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> flag;
  __shared__ unsigned value;
  if (threadIdx.x == 0) flag.store(0, cuda::memory_order_relaxed);
  __syncthreads();
  if (threadIdx.x == 63) {
    value = 1; /*orders in a block, written*/
    flag.fetch_add(1, missing == 1 ? cuda::memory_order_relaxed : cuda::memory_order_release);
  } else if (threadIdx.x == 0) {
    flag.wait(0, missing == 2 ? cuda::memory_order_relaxed : cuda::memory_order_acquire);
    data[0] = value; /*orders in a block, read*/
  }
}
PATTERN(orders_in_a_block, {{1, 2}, "orders in a block, written", "orders in a block, read"}) {
  orders_in_a_block<<<1, 64>>>(missing, zeros(1));
}

// Order by an atomic of block scope does not reach other blocks.
template <cuda::thread_scope Scope>
static __global__ void scopes(unsigned *data, unsigned *word) {
  cuda::atomic_ref<unsigned, Scope> flag(*word);
  if (blockIdx.x == 0) {
    data[0] = 1; /*scopes, written*/
    flag = 1;
  } else {
    while (flag == 0) __nanosleep(0);
    data[1] = data[0]; /*scopes, read*/
  }
}
PATTERN(scopes, {{1}, "scopes, written", "scopes, read"}) {
  if (missing == 0)
    scopes<cuda::thread_scope_device><<<2, 1>>>(zeros(2), zeros(1));
  else
    scopes<cuda::thread_scope_block><<<2, 1>>>(zeros(2), zeros(1));
}

// Loads and stores of PTX with an order; the order passes on from block to block.
static __global__ void chain(int missing, unsigned *data, unsigned *flags, unsigned *out) {
  const unsigned b = blockIdx.x;
  unsigned seen = 0;
  if (b == 0) data[0] = 7; /*chain, written*/
  if (b > 0 && missing == 1)
    while (seen == 0)
      asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(seen) : "l"(&flags[b - 1]));
  if (b > 0 && missing != 1)
    while (seen == 0)
      asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(&flags[b - 1]));
  asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(&flags[b]), "r"(1u));
  if (b == gridDim.x - 1) out[0] = data[0]; /*chain, read*/
}
PATTERN(chain, {{1}, "chain, written", "chain, read"}) {
  chain<<<4, 1>>>(missing, zeros(1), zeros(4), zeros(1));
}

// ---- locks --------------------------------------------------------------------------------------

static __global__ void lock(int missing, unsigned *lock, unsigned *sum) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0u, 1u) != 0) __nanosleep(0);
  if (missing != 1) __threadfence();
  *sum += 1; /*lock*/
  if (missing != 2) __threadfence();
  atomicExch(lock, 0u);
}
PATTERN(lock, {{1, 2}, "lock", "lock"}) { lock<<<4, 32>>>(missing, zeros(1), zeros(1)); }

// A failed attempt to take a lock publishes nothing.
static __global__ void failed_attempt(int missing, unsigned *lock, unsigned *data, unsigned *out) {
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> door(*lock);
  unsigned expected = missing;  // the lock is 0: fails if something is missing
  if (blockIdx.x == 0) {
    data[0] = 1; /*attempt, written*/
    door.compare_exchange_strong(expected, 5, cuda::memory_order_acq_rel);
  } else {
    (void)door.load(cuda::memory_order_acquire);
    out[0] = data[0]; /*attempt, read*/
  }
}
PATTERN(failed_attempt, {{1}, "attempt, written", "attempt, read"}) {
  failed_attempt<<<2, 1>>>(missing, zeros(1), zeros(1), zeros(1));
}

// ---- between all blocks -------------------------------------------------------------------------

// Decoupled look-back with the value beside its flag.
static __global__ void look_back(int missing, volatile unsigned *flags, unsigned *sums) {
  const unsigned b = blockIdx.x;
  if (threadIdx.x != 0) return;
  unsigned before = 0;
  if (b > 0) {
    while (flags[b - 1] == 0) __nanosleep(0);
    if (missing != 1) __threadfence();
    before = sums[b - 1]; /*look-back, read*/
  }
  sums[b] = before + blockDim.x; /*look-back, written*/
  if (missing != 2) __threadfence();
  flags[b] = 1;
}
PATTERN(look_back, {{1, 2}, "look-back, written", "look-back, read"}) {
  look_back<<<8, 32>>>(missing, zeros(8), zeros(8));
}

// The sum of all by the last block that is done, as in NVIDIA's sample threadFenceReduction.
static __global__ void last_block(int missing, unsigned *parts, unsigned *tickets, unsigned *out) {
  __shared__ bool is_last;
  parts[blockIdx.x * blockDim.x + threadIdx.x] = 1; /*last block, written*/
  if (missing != 1) __threadfence();
  if (missing != 2) __syncthreads();
  if (threadIdx.x == 0)
    is_last = atomicInc(tickets, gridDim.x) == gridDim.x - 1; /*is last, written*/
  if (missing != 3) __syncthreads();
  if (!is_last) return; /*is last, read*/
  unsigned sum = 0;
  for (unsigned b = 0; b < gridDim.x; b++)
    sum += parts[b * blockDim.x + blockDim.x - 1 - threadIdx.x]; /*last block, read*/
  atomicAdd(out, sum);
}
PATTERN(last_block, {{1, 2}, "last block, written", "last block, read"},
        {{3}, "is last, written", "is last, read"}) {
  last_block<<<6, 64>>>(missing, zeros(6 * 64), zeros(1), zeros(1));
}

// A barrier of the grid made of a counter (Xiao and Feng, 2010).
static __global__ void own_grid_barrier(int missing, unsigned *data, unsigned *count,
                                        unsigned *out) {
  data[blockIdx.x * 64 + threadIdx.x] = threadIdx.x; /*grid, written*/
  if (missing != 1) __syncthreads();
  if (threadIdx.x == 0) {
    if (missing != 2) __threadfence();
    atomicAdd(count, 1u);
    while (atomicAdd(count, 0u) < gridDim.x) __nanosleep(0);
    __threadfence();
  }
  if (missing != 3) __syncthreads();
  out[threadIdx.x] = data[63 - threadIdx.x]; /*grid, read*/
}
PATTERN(own_grid_barrier, {{1, 2, 3}, "grid, written", "grid, read"}) {
  launch_cooperative(own_grid_barrier, 2, 64, missing, zeros(2 * 64), zeros(1), zeros(64));
}

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
PATTERN(two_warps, {{1, 2}, "two warps, written", "two warps, read"},
        {{3}, "two warps, written", "two warps, read by a third"}) {
  two_warps<<<2, 96>>>(missing, zeros(128));
}

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
PATTERN(completion, {{1}, "completion, written", "completion, read"},
        {{2}, "total, written", "total, read"}) {
  completion<<<1, 64>>>(missing, zeros(64));
}

static __global__ void blocks_meet(int missing, DeviceBarrier *barrier, unsigned *data,
                                   unsigned *out) {
  data[blockIdx.x * 32 + threadIdx.x] = threadIdx.x; /*blocks, written*/
  if (missing == 1)
    __syncthreads();
  else
    barrier->arrive_and_wait();
  out[blockIdx.x * 32 + threadIdx.x] = data[(1 - blockIdx.x) * 32 + threadIdx.x]; /*blocks, read*/
}
PATTERN(blocks_meet, {{1}, "blocks, written", "blocks, read"}) {
  DeviceBarrier *barrier = NULL;
  cudaMallocManaged(&barrier, sizeof *barrier);
  init(barrier, 64);
  launch_cooperative(blocks_meet, 2, 32, missing, barrier, zeros(64), zeros(64));
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
PATTERN(pipeline, {{1, 2}, "pipeline, written", "pipeline, read"}) {
  pipeline<<<1, 64>>>(missing, zeros(192), zeros(192));
}

// ---- named barriers -----------------------------------------------------------------------------

// Each half of the block has a separate barrier.
static __global__ void halves(int missing, unsigned *out) {
  __shared__ unsigned values[128];
  values[threadIdx.x] = threadIdx.x; /*halves, written*/
  if (missing != 1) asm volatile("bar.sync %0, %1;" ::"r"(1 + threadIdx.x / 64), "r"(64));
  const unsigned other = missing == 2 ? 127 - threadIdx.x : threadIdx.x ^ 63u;
  out[threadIdx.x] = values[other]; /*halves, read*/
}
PATTERN(halves, {{1, 2}, "halves, written", "halves, read"}) {
  halves<<<2, 128>>>(missing, zeros(128));
}

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
PATTERN(announce, {{1}, "announce, written late", "announce, read"}) {
  announce<<<2, 64>>>(missing, zeros(32));
}

// ---- cooperative groups -------------------------------------------------------------------------

static __global__ void grid_sync(int missing, unsigned *data, unsigned *out) {
  const cg::grid_group grid = cg::this_grid();
  const unsigned n = static_cast<unsigned>(grid.size()),
                 i = static_cast<unsigned>(grid.thread_rank());
  for (unsigned round = 0; round < 3; round++) {
    data[i] = round; /*grid.sync, written*/
    if (missing != 1) grid.sync();
    out[i] = data[n - 1 - i]; /*grid.sync, read*/
    if (missing != 2) grid.sync();
  }
}
PATTERN(grid_sync, {{1, 2}, "grid.sync, written", "grid.sync, read"}) {
  launch_cooperative(grid_sync, 2, 64, missing, zeros(128), zeros(128));
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
PATTERN(tiles_of_two_warps, {{1, 2, 3}, "tiles, written", "tiles, read"}) {
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
PATTERN(small_tiles, {{1, 2}, "small tiles, written", "small tiles, read"}) {
  small_tiles<<<1, 64>>>(missing, zeros(64));
}

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
PATTERN(copies, {{1}, "copies, written", "copies, read"},
        {{2}, "copies, written again", "copies, read"}) {
  copies<<<1, 64>>>(missing, zeros(64));
}
