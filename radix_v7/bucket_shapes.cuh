// Host side of the last step of bare keys: shapes of the blocks that sort the buckets.
#ifndef RADIX_V7_BUCKET_SHAPES_CUH
#define RADIX_V7_BUCKET_SHAPES_CUH

#include "radix_v7/regions.cuh"

typedef void BucketKernel(const unsigned int *, unsigned int *, const unsigned int *, int,
                          const unsigned int *);
typedef void RangeKernel(const unsigned int *, unsigned int *, const unsigned int *, int,
                         const unsigned int *, KeyRange);
typedef void RegionKernel(const unsigned int *, unsigned int *, RegionState);

// Kernels that sort buckets, a block for each; capacity: the largest bucket, in keys.
typedef struct BucketShape {
  unsigned int threads, capacity;
  int fine_bits;  // of the digit that follows the bucket's number
  size_t shared_bytes;
  BucketKernel *kernel;
  RangeKernel *of_range;     // for keys of a part of all numbers
  RegionKernel *by_regions;  // for buckets in regions
} BucketShape;

#define BUCKET_SHAPE(threads, items, fine_bits, few, blocks_per_sm)                      \
  {                                                                                      \
    threads, threads *items, fine_bits, sizeof(BucketShared<threads, items, fine_bits>), \
        sort_buckets<threads, items, fine_bits, few, blocks_per_sm>,                     \
        sort_buckets_of_range<threads, items, fine_bits, few, blocks_per_sm>,            \
        sort_regions<threads, items, fine_bits, few, blocks_per_sm>                      \
  }

// The smallest first; then those for the most buckets, of up to 2^30 keys.
static const BucketShape bucket_shapes[] = {
    BUCKET_SHAPE(256, 9, 10, 8, 6),   BUCKET_SHAPE(256, 18, 11, 8, 5),
    BUCKET_SHAPE(256, 33, 11, 12, 4), BUCKET_SHAPE(256, 36, 11, 12, 3),
    BUCKET_SHAPE(512, 33, 12, 12, 2), BUCKET_SHAPE(512, 36, 12, 12, 2),
};
enum {
  SHAPES_OF_FOUR = 3,  // of which an SM holds four blocks or more
  WIDE_SHAPES = 2,
  BUCKET_SHAPES = sizeof bucket_shapes / sizeof *bucket_shapes - WIDE_SHAPES
};

// Shapes that may sort 2^bits buckets.
static int shapes_for(int bits) {
  return BUCKET_SHAPES + (bits == MAX_BUCKET_BITS ? WIDE_SHAPES : 0);
}

#endif
