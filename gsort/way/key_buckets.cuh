// Shapes of the blocks that sort buckets of bare keys, for buckets in regions and for counted ones.
#ifndef GSORT_WAY_KEY_BUCKETS_CUH
#define GSORT_WAY_KEY_BUCKETS_CUH

#include "gsort/kernel/sort_buckets.cuh"
#include "gsort/way/launch.cuh"

// capacity: the largest bucket, in keys.
typedef struct BucketShape {
  unsigned int threads, capacity;
  int fine_bits;  // of the digit that follows the bucket's number
  size_t shared_bytes;
} BucketShape;

// SHAPE(threads, items, fine_bits, few, blocks_per_sm) for each: the smallest first; the last one
// is for 2^16 buckets and more.
#define BUCKET_SHAPES(SHAPE)                                                   \
  SHAPE(256, 9, 10, 8, 6), SHAPE(256, 18, 11, 8, 5), SHAPE(256, 24, 11, 8, 5), \
      SHAPE(256, 33, 11, 12, 4), SHAPE(256, 39, 11, 12, 3), SHAPE(512, 36, 12, 12, 2)

#define BUCKET_SHAPE(threads, items, fine_bits, few, blocks_per_sm) \
  { threads, threads *items, fine_bits, sizeof(BucketShared<threads, items, fine_bits>) }
static const BucketShape bucket_shapes[] = {BUCKET_SHAPES(BUCKET_SHAPE)};
enum {
  WIDE_SHAPES = 1,
  SHAPES = sizeof bucket_shapes / sizeof *bucket_shapes,
};

// Shapes that may sort 2^bits buckets.
static inline int shapes_for(int bits) {
  return SHAPES - (bits >= MAX_BUCKET_BITS ? 0 : WIDE_SHAPES);
}

// A kernel that moves keys to bins, and its blocks: threads, keys of a tile, shared counters.
template <class Kernel>
struct StepShape {
  unsigned int threads, tile, counters;
  size_t shared_bytes;
  Kernel *kernel;
};

#define STEP_SHAPE(kernel, threads, items, each, max_bins, ...)  \
  {                                                              \
    threads, threads *items, threads *each,                      \
        sizeof(PartitionShared<threads, items, each, max_bins>), \
        kernel<threads, items, each, max_bins, __VA_ARGS__>      \
  }

// A digit of a step whose blocks have that many counters.
static inline Digit step_digit(int shift, int bits, unsigned int counters) {
  Digit digit = {shift, (1u << bits) - 1, 0, 0};
  while (digit.copy_bits < 5 && 2u << (bits + digit.copy_bits) <= counters) digit.copy_bits++;
  return digit;
}

#endif
