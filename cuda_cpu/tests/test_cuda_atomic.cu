// cuda::atomic, cuda::barrier, cuda::pipeline.
#include "device_test.h"

#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/atomic>

namespace cg = cooperative_groups;

// ---- atomics ------------------------------------------------------------------------------------

struct Counters {
  cuda::atomic<unsigned, cuda::thread_scope_device> sum;
  cuda::atomic<int> least;
  cuda::std::atomic<int> count;
  cuda::atomic<double> real;
  cuda::atomic<unsigned long long, cuda::thread_scope_block> bits;
  cuda::atomic<int, cuda::thread_scope_device> lock;
  unsigned plain;
};

__global__ void count(Counters *c, unsigned *ranks) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  ranks[i] = c->sum.fetch_add(1, cuda::memory_order_relaxed);
  c->least.fetch_min(-static_cast<int>(i), cuda::std::memory_order_acq_rel);
  c->real += 0.5;
  c->bits |= 1ULL << (i % 64);
  c->count++;
  while (c->lock.exchange(1, cuda::memory_order_acquire) != 0) {
  }
  c->plain++;
  c->lock.store(0, cuda::memory_order_release);
}

TEST(atomics) {
  Counters *c = NULL;
  CUDA_OK(cudaMallocManaged(&c, sizeof *c));
  new (c) Counters{{0u}, {0}, {0}, {0.0}, {0ULL}, {0}, 0};
  DeviceArray<unsigned> ranks(1000);
  count<<<10, 100>>>(c, ranks);
  KERNEL_OK();
  assert_int_equal(c->sum.load(), 1000);
  assert_int_equal(c->least.load(), -999);
  assert_int_equal(c->count.load(), 1000);
  assert_true(c->real == 500.0);
  assert_true(c->bits == ~0ULL);
  assert_int_equal(c->plain, 1000);
  std::vector<unsigned> seen(1000, 0);
  for (unsigned rank : ranks.read()) seen[rank]++;
  ASSERT_SAME(seen, std::vector<unsigned>(1000, 1));
  CUDA_OK(cudaFree(c));
}

TEST(atomics_of_the_host) {
  int plain = 5;
  cuda::atomic_ref<int, cuda::thread_scope_system> ref(plain);
  int expected = 4;
  assert_false(ref.compare_exchange_strong(expected, 9));
  assert_int_equal(expected, 5);
  assert_true(ref.compare_exchange_weak(expected, 9, cuda::memory_order_release));
  assert_int_equal(ref++, 9);
  assert_int_equal(--ref, 9);
  assert_int_equal(ref.exchange(12), 9);
  assert_int_equal(ref.fetch_max(20), 12);
  assert_int_equal(ref.fetch_xor(1), 20);
  assert_int_equal(ref -= 1, 20);
  assert_int_equal(plain, 20);
  int array[4] = {};
  cuda::atomic<int *> pointer(array);
  assert_ptr_equal(pointer.fetch_add(3), array);
  assert_ptr_equal(pointer.load(), array + 3);
  cuda::std::atomic<bool> flag(false);
  flag = true;
  assert_true(flag.load());
}

// Thread 0 waits for a flag that the last thread of the block sets: it has to yield.
__global__ void hand_over(cuda::atomic<int, cuda::thread_scope_block> *flag, int *data) {
  if (threadIdx.x == 0) {
    while (flag->load(cuda::memory_order_acquire) == 0) {
    }
    data[1] = data[0] + 1;
    flag->wait(1);
    data[2] = data[0];
  } else if (threadIdx.x == blockDim.x - 1) {
    data[0] = 41;
    flag->store(1, cuda::memory_order_release);
    __syncwarp(1u << (threadIdx.x % 32));
    flag->fetch_add(1);
    flag->notify_all();
  }
}

TEST(spinning_lets_others_run) {
  cuda::atomic<int, cuda::thread_scope_block> *flag = NULL;
  CUDA_OK(cudaMalloc(&flag, sizeof *flag));
  CUDA_OK(cudaMemset(flag, 0, sizeof *flag));
  DeviceArray<int> data(3);
  hand_over<<<1, 64>>>(flag, data);
  ASSERT_SAME(data.read(), (std::vector<int>{41, 42, 41}));
  CUDA_OK(cudaFree(flag));
}

// ---- barriers -----------------------------------------------------------------------------------

using BlockBarrier = cuda::barrier<cuda::thread_scope_block>;

// Each thread hands a value to its neighbour, in `rounds` phases. Its body would be empty without
// __CUDA_ARCH__.
__global__ void rotate(int *out, int rounds) {
#if __CUDA_ARCH__ >= 700
  __shared__ BlockBarrier filled, read;
  __shared__ int values[128];
  if (threadIdx.x == 0) {
    init(&filled, blockDim.x);
    init(&read, blockDim.x);
  }
  __syncthreads();
  int value = static_cast<int>(threadIdx.x);
  for (int round = 0; round < rounds; round++) {
    values[threadIdx.x] = value;
    BlockBarrier::arrival_token token = filled.arrive();
    filled.wait(std::move(token));
    value = values[(threadIdx.x + 1) % blockDim.x] + 1;
    read.arrive_and_wait();
  }
  out[threadIdx.x] = value;
#endif
}

TEST(barrier_phases) {
  DeviceArray<int> out(128);
  rotate<<<1, 128>>>(out, 10);
  std::vector<int> expected;
  for (int i = 0; i < 128; i++) expected.push_back((i + 10) % 128 + 10);
  ASSERT_SAME(out.read(), expected);
}

struct Phases {
  int *count;
  void operator()() const { ++*count; }
};

// Threads leave one after another; the completion function counts the phases.
__global__ void drop(int *count, int *seen) {
  __shared__ cuda::barrier<cuda::thread_scope_block, Phases> barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x, Phases{count});
  __syncthreads();
  for (unsigned i = 0; i < threadIdx.x; i++) barrier.arrive_and_wait();
  seen[threadIdx.x] = *count;
  barrier.arrive_and_drop();
}

TEST(barrier_drop_and_completion) {
  CUDA_CPU_ONLY();  // a warp of a GPU leaves a loop together: its threads wait forever
  DeviceArray<int> count(1), seen(8);
  drop<<<1, 8>>>(count, seen);
  assert_int_equal(count.read()[0], 8);
  ASSERT_SAME(seen.read(), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
}

// Between blocks.
__global__ void meet(cuda::barrier<cuda::thread_scope_device> *barrier, int *data, int *out) {
  data[blockIdx.x] = static_cast<int>(blockIdx.x) + 1;
  barrier->arrive_and_wait();
  int sum = 0;
  for (unsigned i = 0; i < gridDim.x; i++) sum += data[i];
  out[blockIdx.x] = sum;
}

TEST(barrier_of_the_device) {
  cuda::barrier<cuda::thread_scope_device> *barrier = NULL;
  CUDA_OK(cudaMallocManaged(&barrier, sizeof *barrier));
  init(barrier, 4);
  DeviceArray<int> data(4), out(4);
  CUDA_OK(launch_cooperative(meet, 4, 1, barrier, data, out));
  ASSERT_SAME(out.read(), (std::vector<int>(4, 10)));
  CUDA_OK(cudaFree(barrier));
}

// ---- copies and pipelines -----------------------------------------------------------------------

__global__ void copy_with_barrier(const int *in, int *out) {
  __shared__ BlockBarrier barrier;
  __shared__ alignas(16) int part[64];
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&barrier, block.size());
  block.sync();
  cuda::memcpy_async(block, part, in + 64 * blockIdx.x, sizeof part, barrier);
  barrier.arrive_and_wait();
  out[64 * blockIdx.x + threadIdx.x] = part[63 - threadIdx.x];
}

static const int kStages = 3, kTiles = 20, kTile = 32;

__global__ void pipe_through(const int *in, int *out) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  __shared__ int ring[kStages][kTile];
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  const auto fetch = [&](int tile) {
    pipe.producer_acquire();
    if (tile < kTiles)
      cuda::memcpy_async(&ring[tile % kStages][threadIdx.x], &in[tile * kTile + threadIdx.x],
                         cuda::aligned_size_t<4>(4), pipe);
    pipe.producer_commit();
  };
  for (int tile = 0; tile < kStages - 1; tile++) fetch(tile);
  for (int tile = 0; tile < kTiles; tile++) {
    fetch(tile + kStages - 1);
    pipe.consumer_wait();
    out[tile * kTile + threadIdx.x] = ring[tile % kStages][kTile - 1 - threadIdx.x];
    pipe.consumer_release();
  }
}

// Warp 0 fills the ring, warp 1 empties it.
__global__ void pipe_between_warps(const int *in, int *out) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  __shared__ int ring[kStages][kTile];
  auto block = cg::this_thread_block();
  const auto role =
      threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipe = cuda::make_pipeline(block, &state, role);
  const unsigned lane = threadIdx.x % 32;
  for (int tile = 0; tile < kTiles; tile++) {
    int *const stage = ring[tile % kStages];
    if (role == cuda::pipeline_role::producer) {
      pipe.producer_acquire();
      cuda::memcpy_async(stage + lane, in + tile * kTile + lane, sizeof(int), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      out[tile * kTile + lane] = stage[kTile - 1 - lane];
      pipe.consumer_release();
    }
  }
}

__global__ void pipe_of_a_thread(const int *in, int *out) {
  __shared__ int part[kTile];
  auto pipe = cuda::make_pipeline();
  for (int tile = 0; tile < kTiles; tile++) {
    pipe.producer_acquire();
    cuda::memcpy_async(&part[kTile - 1 - threadIdx.x], &in[tile * kTile + threadIdx.x], sizeof(int),
                       pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    __syncthreads();
    out[tile * kTile + threadIdx.x] = part[threadIdx.x];
    __syncthreads();
    pipe.consumer_release();
  }
}

TEST(copies_and_pipelines) {
  std::vector<int> values, in_tiles, in_parts;
  for (int i = 0; i < kTiles * kTile; i++) values.push_back(i * i);
  for (int i = 0; i < kTiles * kTile; i++) {
    in_tiles.push_back(values[(size_t)(i / kTile * kTile + kTile - 1 - i % kTile)]);
    in_parts.push_back(values[(size_t)(i / 64 * 64 + 63 - i % 64)]);
  }
  const DeviceArray<int> in(values), out(values.size());
  copy_with_barrier<<<kTiles * kTile / 64, 64>>>(in, out);
  ASSERT_SAME(out.read(), in_parts);
  const auto check = [&](auto launch) {
    CUDA_OK(cudaMemset(out, 0, values.size() * sizeof(int)));
    launch();
    ASSERT_SAME(out.read(), in_tiles);
  };
  check([&] { pipe_through<<<1, kTile>>>(in, out); });
  check([&] { pipe_between_warps<<<1, 64>>>(in, out); });
  check([&] { pipe_of_a_thread<<<1, kTile>>>(in, out); });
}

// ---- mistakes -----------------------------------------------------------------------------------

__global__ void nobody_arrives() {
  __shared__ BlockBarrier barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x + 1);  // one too many
  __syncthreads();
  barrier.arrive_and_wait();
}
MISTAKE(missing_arrival) { nobody_arrives<<<1, 64>>>(); }

TEST(a_barrier_that_cannot_complete) {
  expect_report("missing_arrival",
                {"synccheck: kernel nobody_arrives", "64 at cuda::barrier::arrive_and_wait",
                 "test_cuda_atomic.cu:"});
}
