// Grid barriers of cooperative launches, and cooperative groups.
#include "device_test.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

static unsigned multiprocessors(void) {
  int count = 0;
  CUDA_OK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
  return (unsigned)count;
}

// In every round each block passes its value on to the next one.
static __global__ void rotate(int rounds, unsigned *from, unsigned *to) {
  const cg::grid_group grid = cg::this_grid();
  const unsigned next = (blockIdx.x + 1) % gridDim.x;
  for (int round = 0; round < rounds; round++) {
    if (threadIdx.x == 0) to[next] = from[blockIdx.x];
    grid.sync();
    unsigned *const swap = from;
    from = to;
    to = swap;
  }
}

static void check_rotation(unsigned blocks, unsigned threads) {
  const int rounds = 50;
  std::vector<unsigned> values(blocks), expected(blocks);
  for (unsigned i = 0; i < blocks; i++) {
    values[i] = i;
    expected[(i + rounds) % blocks] = i;
  }
  const DeviceArray<unsigned> d_from(values), d_to(blocks);
  CUDA_OK(launch_cooperative(rotate, blocks, threads, rounds, d_from, d_to));
  ASSERT_SAME(d_from.read(), expected);  // 50 is even
}

TEST(grid_barriers) {
  for (const unsigned blocks : {1u, 2u, 32 * multiprocessors()}) check_rotation(blocks, 33);
  check_rotation(2 * multiprocessors(), 1024);
}

// Threads and whole warps return between the barriers; the rest of their block goes on.
static __global__ void leave_early(unsigned *arrivals) {
  const cg::grid_group grid = cg::this_grid();
  const unsigned rank = (unsigned)grid.thread_rank() % blockDim.x;
  for (unsigned round = 0; round < 4; round++) {
    if (rank >= blockDim.x >> round) return;
    atomicAdd(&arrivals[round], 1u);
    grid.sync();
    if (arrivals[round] != gridDim.x * (blockDim.x >> round)) arrivals[4] = 1;
    __syncthreads();
  }
}

TEST(threads_that_return_before_a_grid_barrier) {
  const unsigned blocks = 3 * multiprocessors();
  const DeviceArray<unsigned> d_arrivals(5);
  CUDA_OK(launch_cooperative(leave_early, blocks, 128, d_arrivals));
  ASSERT_SAME(d_arrivals.read(),
              (std::vector<unsigned>{blocks * 128, blocks * 64, blocks * 32, blocks * 16, 0}));
}

// One thread of each block still spins, for a later block, while the others are at the barrier.
static __global__ void spin_beside_barrier(volatile unsigned *flags, unsigned *out) {
  const unsigned block = blockIdx.x;
  if (threadIdx.x == 0) {
    if (block + 1 < gridDim.x)
      while (flags[block + 1] == 0) __nanosleep(10);
    flags[block] = 1;
  }
  cg::sync(cg::this_grid());
  if (threadIdx.x == 0) atomicAdd(out, flags[gridDim.x - 1 - block]);
}

TEST(spinning_beside_a_grid_barrier) {
  const unsigned blocks = 4 * multiprocessors();
  const DeviceArray<unsigned> d_flags(blocks), d_out(1);
  CUDA_OK(launch_cooperative(spin_beside_barrier, blocks, 64, d_flags, d_out));
  assert_int_equal(d_out.read()[0], blocks);
}

TEST(launches_that_cannot_be_resident) {
  int per_multiprocessor = 0;
  CUDA_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, rotate, 256, 0));
  assert_int_equal(per_multiprocessor, 2048 / 256);
  const unsigned fit = (unsigned)per_multiprocessor * multiprocessors();
  check_rotation(fit, 256);

  const DeviceArray<unsigned> d_from(fit + 1);
  unsigned *from = d_from;
  int rounds = 2;
  void *arguments[] = {&rounds, &from, &from};
  CUDA_FAILS(cudaErrorCooperativeLaunchTooLarge,
             cudaLaunchCooperativeKernel(rotate, dim3(fit + 1), dim3(256), arguments));
  CUDA_OK(cudaGetLastError());
  // Shared memory limits what is resident too: 40 KB a block are five blocks in 228 KB.
  ASSERT_CUDA(cudaErrorCooperativeLaunchTooLarge,
              cudaLaunchCooperativeKernel(rotate, dim3(5 * multiprocessors() + 1), dim3(32),
                                          arguments, 40 * 1024));
  CUDA_FAILS(cudaErrorInvalidValue,
             cudaLaunchCooperativeKernel(rotate, dim3(1), dim3(1025), arguments));
}

TEST(cooperative_launch_by_attribute) {
  const DeviceArray<unsigned> d_from(std::vector<unsigned>{1, 2}), d_to(2);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(2);
  config.blockDim = dim3(32);
  config.attrs = &attribute;
  config.numAttrs = 1;
  CUDA_OK(cudaLaunchKernelEx(&config, rotate, 3, (unsigned *)d_from, (unsigned *)d_to));
  ASSERT_SAME(d_to.read(), (std::vector<unsigned>{2, 1}));
}

// ---- groups -------------------------------------------------------------------------------------

struct Ranks {
  unsigned long long grid_size, grid_rank, blocks, block_rank;
  unsigned block_size, thread_rank, tile_rank, tile_index;
};

static __global__ void ranks(Ranks *out) {
  const cg::grid_group grid = cg::this_grid();
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  block.sync();
  out[grid.thread_rank()] = {grid.size(),        grid.thread_rank(),    grid.num_blocks(),
                             grid.block_rank(),  block.size(),          block.thread_rank(),
                             tile.thread_rank(), tile.meta_group_rank()};
}

TEST(sizes_and_ranks) {
  const unsigned threads = 48, blocks = 6;
  const DeviceArray<Ranks> d_out(threads * blocks);
  ranks<<<dim3(3, 1, 2), dim3(4, 3, 4)>>>(d_out);
  const std::vector<Ranks> out = d_out.read();
  for (unsigned i = 0; i < threads * blocks; i++) {
    const unsigned thread = i % threads;
    const Ranks expected = {threads * blocks, i,      blocks,     i / threads,
                            threads,          thread, thread % 8, thread / 8};
    assert_memory_equal(&out[i], &expected, sizeof expected);
  }
}

// The tiles of a warp work side by side, each with a different number of steps.
static __global__ void tiles(unsigned *out) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const unsigned rank = tile.thread_rank(), index = tile.meta_group_rank();
  unsigned sum = threadIdx.x;
  for (int distance = 4; distance > 0; distance /= 2) sum += tile.shfl_down(sum, distance);
  sum = tile.shfl(sum, 0);
  for (unsigned i = 0; i < index; i++) tile.sync();
  const unsigned before = tile.shfl_up(rank, 1), partner = tile.shfl_xor(rank, 3);
  out[threadIdx.x] = sum + 1000 * tile.ballot(rank % 2) + 1000000 * (before + 10 * partner) +
                     (tile.any(rank == 7) && tile.all(rank < 8) ? 100000000 : 0);
}

TEST(tiles_of_a_warp) {
  const DeviceArray<unsigned> d_out(64);
  tiles<<<1, 64>>>(d_out);
  const std::vector<unsigned> out = d_out.read();
  for (unsigned i = 0; i < 64; i++) {
    const unsigned rank = i % 8, first = i - rank;
    assert_int_equal(out[i], 8 * first + 28 + 1000 * 0xaau +
                                 1000000 * ((rank > 0 ? rank - 1 : 0) + 10 * (rank ^ 3)) +
                                 100000000);
  }
}

// Tiles whose size is known at run time, of a block and of a tile.
static __global__ void tiles_of_groups(unsigned *out) {
  const cg::thread_group block = cg::this_thread_block();
  const cg::thread_group tile = cg::tiled_partition(block, 16);
  const cg::thread_group part = cg::tiled_partition(tile, 4);
  out[threadIdx.x] = tile.thread_rank() + 100 * part.thread_rank() + 1000 * part.size();
}

TEST(tiles_of_groups) {
  const DeviceArray<unsigned> d_out(64);
  tiles_of_groups<<<1, 64>>>(d_out);
  const std::vector<unsigned> out = d_out.read();
  for (unsigned i = 0; i < 64; i++) assert_int_equal(out[i], i % 16 + 100 * (i % 4) + 4000);
}
