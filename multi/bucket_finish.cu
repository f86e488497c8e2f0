// Builds on: radix_v7
#include "multi/bucket_finish.h"

#include "common/check.h"
#include "common/device.h"
#include "common/scratch.h"
// Its counting kernel is not used here.
#pragma GCC diagnostic ignored "-Wunused-function"
#include "radix_v7/bucket_sort.cuh"

enum {
  DIGIT_VALUES = 256,
  // Blocks of the partition by the second digit, as radix_v7's.
  PART_THREADS = 256,
  PART_ITEMS = 32,
  PART_COUNTERS = 8,  // of a thread: eight for each bin
};
static const size_t PART_BYTES =
    sizeof(PartitionShared<PART_THREADS, PART_ITEMS, PART_COUNTERS, DIGIT_VALUES>);

typedef void BucketKernel(const unsigned int *, unsigned int *, const unsigned int *, int,
                          const unsigned int *);

// A kernel sort_buckets<...>; capacity: the largest bucket, in keys.
typedef struct FinishShape {
  unsigned int threads, capacity;
  size_t shared_bytes;
  BucketKernel *kernel;
} FinishShape;

#define FINISH_SHAPE(threads, items, fine_bits, few, blocks_per_sm)           \
  {                                                                           \
    threads, threads *items, sizeof(BucketShared<threads, items, fine_bits>), \
        sort_buckets<threads, items, fine_bits, few, blocks_per_sm>           \
  }

// By capacity: the smallest that holds the largest bucket is taken.
static const FinishShape finish_shapes[] = {
    FINISH_SHAPE(256, 9, 10, 8, 6),    FINISH_SHAPE(256, 18, 11, 8, 5),
    FINISH_SHAPE(256, 36, 11, 12, 3),  FINISH_SHAPE(512, 36, 12, 12, 2),
    FINISH_SHAPE(1024, 36, 13, 12, 1),
};

// Elements of the block of memory that is copied to the device: start, first_tile, the next free
// index of each digit, a zero. Behind it, on the device only: the next free index of each bucket.
enum {
  FIRST_TILE = FINISH_BUCKETS + 1,
  NEXT_OF_DIGIT = FIRST_TILE + DIGIT_VALUES + 1,
  ZERO = NEXT_OF_DIGIT + DIGIT_VALUES,
  COPIED = ZERO + 1,
  NEXT = COPIED,
  ON_DEVICE = NEXT + FINISH_BUCKETS,
};

BucketFinish finish_create(void) {
  BucketFinish finish = {};
  CUDA_CHECK(cudaMallocHost((void **)&finish.start, COPIED * sizeof *finish.start));
  finish.device = scratch_alloc(ON_DEVICE * sizeof(unsigned int));
  return finish;
}

void finish_destroy(BucketFinish *finish) {
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

bool finish_prepare(BucketFinish *finish) {
  uint32_t *const start = finish->start, *const first_tile = start + FIRST_TILE;
  uint32_t largest = 0;
  for (int b = 0; b < FINISH_BUCKETS; b++) {
    const uint32_t count = start[b + 1] - start[b];
    if (count > largest) largest = count;
  }
  const FinishShape *const shape = choose_shape(largest);
  finish->shape = shape;
  if (shape == NULL || start[FINISH_BUCKETS] == 0) return false;
  start[ZERO] = first_tile[0] = 0;
  for (int d = 0; d < DIGIT_VALUES; d++) {
    const uint32_t begin = start[d * DIGIT_VALUES], count = start[(d + 1) * DIGIT_VALUES] - begin;
    start[NEXT_OF_DIGIT + d] = begin;
    first_tile[d + 1] = first_tile[d] + blocks_for(count, PART_THREADS * PART_ITEMS);
  }
  unsigned int *const device = (unsigned int *)finish->device;
  CUDA_CHECK(cudaMemcpyAsync(device, start, COPIED * sizeof *start, cudaMemcpyHostToDevice, 0));
  CUDA_CHECK(cudaMemcpyAsync(device + NEXT, device, FINISH_BUCKETS * sizeof *start,
                             cudaMemcpyDeviceToDevice, 0));
  return true;
}

void finish_sort(BucketFinish *finish, unsigned int *in, unsigned int *out, bool by_digit) {
  const FinishShape *const shape = (const FinishShape *)finish->shape;
  const uint32_t *const start = finish->start;
  const unsigned int n = start[FINISH_BUCKETS];
  unsigned int *const device = (unsigned int *)finish->device;
  const auto part = partition<PART_THREADS, PART_ITEMS, PART_COUNTERS, DIGIT_VALUES, 4>;
  allow_shared_memory(part, PART_BYTES);
  allow_shared_memory(shape->kernel, shape->shared_bytes);
  const unsigned int tiles = blocks_for(n, PART_THREADS * PART_ITEMS);
  PartitionStep step = {
      {24, DIGIT_VALUES - 1, 0, 3}, device + NEXT_OF_DIGIT, 1, NULL, NULL, device + ZERO};
  const unsigned int *digits = in;
  unsigned int *buckets = out;
  if (!by_digit) {
    launch_overlapped(part, tiles, PART_THREADS, PART_BYTES, in, out, n, step);
    digits = out;
    buckets = in;
  }
  step = {{16, DIGIT_VALUES - 1, 0, 3}, device + NEXT, DIGIT_VALUES,
          device + FIRST_TILE,          device,        device + ZERO};
  // Each digit may end in a short tile.
  launch_overlapped(part, tiles + DIGIT_VALUES - 1, PART_THREADS, PART_BYTES, digits, buckets, n,
                    step);
  // Blocks for the buckets of this rank only; an even number is left out, as a block reads the
  // lowest bit of its bucket's number from its own number.
  unsigned int first = 0, behind = FINISH_BUCKETS;
  while (start[first + 1] == 0) first++;
  while (start[behind - 1] == n) behind--;
  first = first / 2 * 2;
  launch_overlapped(shape->kernel, behind - first, shape->threads, shape->shared_bytes, buckets,
                    out, device + first, 16, device + ZERO);
  LAUNCH_CHECK();
}
