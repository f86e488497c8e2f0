#include "multi/device/bucket_finish.h"

#include <math.h>

#include "common/check.h"
#include "common/device.h"
#include "common/launch.cuh"
#include "common/pairs.cuh"
#include "common/scratch.h"
#include "gsort/kernel/sort_buckets.cuh"
#include "multi/device/partition.cuh"

enum {
  DIGIT_VALUES = FINISH_DIGITS,
  // Blocks of the partition by the second digit, as gsort's.
  PART_THREADS = 256,
  PART_ITEMS = 32,
  PART_COUNTERS = 8,  // of a thread: eight for each bin
  // The same with halves of buckets as bins.
  DIGIT_HALVES = 2 * DIGIT_VALUES,
  HALF_THREADS = 512,
  CUT_THREADS = 256,
};
static const size_t PART_BYTES =
    sizeof(PartitionShared<PART_THREADS, PART_ITEMS, PART_COUNTERS, DIGIT_VALUES>);
static const size_t HALF_BYTES =
    sizeof(PartitionShared<HALF_THREADS, PART_ITEMS, PART_COUNTERS, DIGIT_HALVES>);

// Buckets that lie one behind the other.
typedef struct CountedBuckets {
  const unsigned int *start;  // [buckets + 1] index where each begins; the last: where they end
  int shift;                  // bits of a key behind the bucket's number
  const unsigned int *stop;   // not 0: there is nothing to sort
} CountedBuckets;

// A block for each bucket, from `in` to `out`, which may be equal: a block reads all of its bucket
// before it writes.
template <int kThreads, int kItems, int kFineBits, int kFewKeys, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    sort_buckets(const unsigned int *in, unsigned int *out, CountedBuckets buckets) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  auto &shared = *(BucketShared<kThreads, kItems, kFineBits> *)shared_memory;
  prepare_bucket<kThreads>(shared);
  wait_for_previous_kernel();
  if (*buckets.stop != 0) return;
  __syncthreads();
  const unsigned int begin = buckets.start[blockIdx.x],
                     count = buckets.start[blockIdx.x + 1] - begin;
  sort_bucket<kThreads, kItems, kFineBits, kFewKeys>(shared, in + begin, count, blockIdx.x,
                                                     buckets.shift);
  write_bucket<kThreads, kItems>(shared.tile, out + begin, count, NULL, KeyCode{0, 0});
}

typedef void BucketKernel(const unsigned int *, unsigned int *, CountedBuckets);

// A kernel sort_buckets<...>; capacity: the largest bucket, in keys.
typedef struct FinishShape {
  unsigned int threads, capacity;
  int blocks_per_sm;
  size_t shared_bytes;
  BucketKernel *kernel;
} FinishShape;

#define FINISH_SHAPE(threads, items, fine_bits, few, blocks_per_sm)                          \
  {                                                                                          \
    threads, threads *items, blocks_per_sm, sizeof(BucketShared<threads, items, fine_bits>), \
        sort_buckets<threads, items, fine_bits, few, blocks_per_sm>                          \
  }

// By capacity: the smallest that holds the largest bucket is taken.
static const FinishShape finish_shapes[] = {
    FINISH_SHAPE(256, 9, 10, 8, 6),    FINISH_SHAPE(256, 18, 11, 8, 5),
    FINISH_SHAPE(256, 36, 11, 12, 3),  FINISH_SHAPE(512, 36, 12, 12, 2),
    FINISH_SHAPE(1024, 36, 13, 12, 1),
};

// After the partition: next[2 v] is where the first half of bucket v ends. Until now start[2 v] and
// start[2 v + 2] are right. A half that is too large sets *too_large.
static __global__ void cut_halves(const unsigned int *next, unsigned int *start,
                                  unsigned int capacity, unsigned int *too_large) {
  const unsigned int v = (unsigned int)global_index(), cut = next[2 * v];
  const unsigned int begin = start[2 * v], end = start[2 * v + 2];
  start[2 * v + 1] = cut;
  if (cut - begin > capacity || end - cut > capacity) *too_large = 1;
}

// Elements of the block of memory that is copied to the device: start, first_tile for each part,
// the next free index of each digit, a zero; with halves also where these begin, with the bucket's
// end in place of the second one's beginning. Behind it, on the device only: the next free index of
// each bucket or half.
enum {
  FIRST_TILE = FINISH_BUCKETS + 1,
  TILES = DIGIT_VALUES + 1,
  NEXT_OF_DIGIT = FIRST_TILE + 2 * TILES,
  ZERO = NEXT_OF_DIGIT + DIGIT_VALUES,
  COPIED = ZERO + 1,
  HALF_START = COPIED,
  WITH_HALVES = HALF_START + 2 * FINISH_BUCKETS + 1,
  NEXT = WITH_HALVES,
  ON_DEVICE = NEXT + 2 * FINISH_BUCKETS,
};

BucketFinish finish_create(void) {
  BucketFinish finish = {};
  int least = 0, most = 0;  // a smaller number goes first
  CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&least, &most));
  CUDA_CHECK(cudaStreamCreateWithPriority(&finish.stream, cudaStreamNonBlocking, most));
  CUDA_CHECK(cudaMallocHost((void **)&finish.start, WITH_HALVES * sizeof *finish.start));
  finish.device = scratch_alloc(ON_DEVICE * sizeof(unsigned int));
  return finish;
}

void finish_destroy(BucketFinish *finish) {
  CUDA_CHECK(cudaStreamDestroy(finish->stream));
  scratch_free(finish->device);
  CUDA_CHECK(cudaFreeHost(finish->start));
}

static const FinishShape *choose_shape(uint32_t largest_bucket) {
  const size_t limit = dynamic_shared_limit();
  if (PART_BYTES > limit) return NULL;
  for (const FinishShape &shape : finish_shapes)
    if (shape.capacity >= largest_bucket) return shape.shared_bytes <= limit ? &shape : NULL;
  return NULL;
}

bool finish_prepare(BucketFinish *finish, int digits) {
  uint32_t *const start = finish->start;
  uint32_t largest = 0;
  for (int b = 0; b < FINISH_BUCKETS; b++) {
    const uint32_t count = start[b + 1] - start[b];
    if (count > largest) largest = count;
  }
  const FinishShape *shape = choose_shape(largest);
  finish->halves =
      (shape == NULL || shape->blocks_per_sm == 1) && HALF_BYTES <= dynamic_shared_limit();
  // Halves, if the next bit is even: 5.5 standard deviations above the average.
  if (finish->halves)
    shape = choose_shape((uint32_t)(largest / 2.0 + 5.5 * sqrt(largest / 4.0)) + 1);
  finish->shape = shape;
  finish->digits = digits;
  if (shape == NULL || start[FINISH_BUCKETS] == 0) return false;
  const int tile = finish->halves ? HALF_THREADS * PART_ITEMS : PART_THREADS * PART_ITEMS;
  start[ZERO] = 0;
  for (int d = 0; d < DIGIT_VALUES; d++) start[NEXT_OF_DIGIT + d] = start[d * DIGIT_VALUES];
  for (int part = 0; part < 2; part++) {
    uint32_t *const first_tile = start + FIRST_TILE + part * TILES;
    first_tile[0] = 0;
    for (int d = 0; d < DIGIT_VALUES; d++) {
      const uint32_t count = start[(d + 1) * DIGIT_VALUES] - start[d * DIGIT_VALUES];
      const bool here = (d >= digits) == part;
      first_tile[d + 1] = first_tile[d] + (here ? blocks_for(count, tile) : 0);
    }
  }
  unsigned int *const device = (unsigned int *)finish->device;
  uint32_t *const half_start = start + HALF_START;
  if (finish->halves)
    for (int h = 0; h <= 2 * FINISH_BUCKETS; h++) half_start[h] = start[(h + 1) / 2];
  const size_t copied = finish->halves ? WITH_HALVES : COPIED,
               next = finish->halves ? 2 * FINISH_BUCKETS : FINISH_BUCKETS;
  CUDA_CHECK(cudaMemcpyAsync(device, start, copied * sizeof *start, cudaMemcpyHostToDevice,
                             finish->stream));
  CUDA_CHECK(cudaMemcpyAsync(device + NEXT, device + (finish->halves ? (int)HALF_START : 0),
                             next * sizeof *start, cudaMemcpyDeviceToDevice, finish->stream));
  return true;
}

void finish_sort(BucketFinish *finish, int part, unsigned int *in, unsigned int *out,
                 bool by_digit) {
  const FinishShape *const shape = (const FinishShape *)finish->shape;
  const uint32_t *const start = finish->start;
  const unsigned int n = start[FINISH_BUCKETS];
  unsigned int *const device = (unsigned int *)finish->device;
  const int tiles_of_part = FIRST_TILE + part * TILES;
  const unsigned int tiles = start[tiles_of_part + DIGIT_VALUES];
  const cudaStream_t stream = finish->stream;
  if (tiles == 0) return;
  const auto partition_keys = partition<PART_THREADS, PART_ITEMS, PART_COUNTERS, DIGIT_VALUES, 4>;
  allow_shared_memory(partition_keys, PART_BYTES);
  allow_shared_memory(shape->kernel, shape->shared_bytes);
  PartitionStep step = {
      {}, {24, DIGIT_VALUES - 1, 0, 3}, device + NEXT_OF_DIGIT, 1, NULL, NULL, device + ZERO};
  const unsigned int *digits = in;
  unsigned int *buckets = out;
  if (!by_digit) {
    launch_overlapped_on(stream, partition_keys, blocks_for(n, PART_THREADS * PART_ITEMS),
                         PART_THREADS, PART_BYTES, in, out, n, step);
    digits = out;
    buckets = in;
  }
  // Buckets of this part.
  unsigned int first = part == 0 ? 0 : finish->digits * DIGIT_VALUES,
               behind = part == 0 ? finish->digits * DIGIT_VALUES : (unsigned int)FINISH_BUCKETS;
  if (finish->halves) {
    const auto halve = partition<HALF_THREADS, PART_ITEMS, PART_COUNTERS, DIGIT_HALVES, 2, true>;
    allow_shared_memory(halve, HALF_BYTES);
    step = {{},           {15, DIGIT_HALVES - 1, 0, 3}, device + NEXT,
            DIGIT_VALUES, device + tiles_of_part,       device + HALF_START,
            device + ZERO};
    launch_overlapped_on(stream, halve, tiles, HALF_THREADS, HALF_BYTES, digits, buckets, n, step);
    cut_halves<<<(behind - first) / CUT_THREADS, CUT_THREADS, 0, stream>>>(
        device + NEXT + 2 * first, device + HALF_START + 2 * first, shape->capacity, device + ZERO);
  } else {
    step = {{},           {16, DIGIT_VALUES - 1, 0, 3}, device + NEXT,
            DIGIT_VALUES, device + tiles_of_part,       device,
            device + ZERO};
    launch_overlapped_on(stream, partition_keys, tiles, PART_THREADS, PART_BYTES, digits, buckets,
                         n, step);
  }
  // Empty buckets at both ends get no block. `first` stays even: a block takes the lowest bit of
  // its bucket's number from blockIdx.
  while (start[first] == start[first + 1]) first++;
  while (start[behind - 1] == start[behind]) behind--;
  first = first / 2 * 2;
  const unsigned int each = finish->halves ? 2 : 1;
  const CountedBuckets buckets_of_part = {
      device + (finish->halves ? (int)HALF_START : 0) + each * first, finish->halves ? 15 : 16,
      device + ZERO};
  launch_overlapped_on(stream, shape->kernel, each * (behind - first), shape->threads,
                       shape->shared_bytes, buckets, out, buckets_of_part);
  LAUNCH_CHECK();
}

bool finish_wait(BucketFinish *finish) {
  unsigned int too_large = 0;
  CUDA_CHECK(cudaStreamSynchronize(finish->stream));
  if (finish->halves)
    CUDA_CHECK(cudaMemcpy(&too_large, (unsigned int *)finish->device + ZERO, sizeof too_large,
                          cudaMemcpyDeviceToHost));
  return too_large == 0;
}
