// Shapes of the blocks that sort buckets of bare keys, for buckets in regions and for counted ones.
#ifndef GSORT_WAY_KEY_BUCKETS_CUH
#define GSORT_WAY_KEY_BUCKETS_CUH

#include "gsort/kernel/sort_buckets.cuh"
#include "gsort/way/launch.cuh"

// OF(threads, items, fine_bits, few, per_sm) for each: the smallest first; the last one is for 2^16
// buckets and more.
#define BUCKET_SHAPES(OF)                                                                     \
  OF(256, 9, 10, 8, 6), OF(256, 18, 11, 8, 5), OF(256, 24, 11, 8, 5), OF(256, 33, 11, 12, 4), \
      OF(256, 39, 11, 12, 3), OF(512, 36, 12, 12, 2)

#define BUCKET_SHAPE(threads, items, fine_bits, few, per_sm) \
  SHAPE(threads, items, fine_bits, per_sm, BucketShared<threads, items, fine_bits>)
static const Shape bucket_shapes[] = {BUCKET_SHAPES(BUCKET_SHAPE)};
enum { SHAPES = sizeof bucket_shapes / sizeof *bucket_shapes };

// Shapes that may sort 2^bits buckets.
static inline int shapes_for(int bits) { return bits >= MAX_BUCKET_BITS ? SHAPES : SHAPES - 1; }

// The greatest density at which way_buckets suits n uneven keys: in one step the fullest bucket may
// exceed its average by six standard deviations, as in buckets_fit().
static inline float most_uneven(size_t n) {
  const double root = sqrt(bucket_shapes[shapes_for(MIN_BUCKET_BITS) - 1].elements + 9.0) - 3;
  const double in_one_step = root * root * (1 << MIN_BUCKET_BITS) / (double)n;
  return in_one_step < MOST_DENSITY_OF_TWO_STEPS ? MOST_DENSITY_OF_TWO_STEPS
         : in_one_step < MOST_DENSITY            ? (float)in_one_step
                                                 : MOST_DENSITY;
}

// A kernel that moves keys to bins, its tiles, and the shared counters of a block.
template <class Kernel>
struct StepShape {
  Shape tiles;
  unsigned int counters;
  Kernel *kernel;
};

// Behind the numbers: blocks of a multiprocessor, and what else the kernel is told.
#define STEP_SHAPE(kernel, threads, items, each, max_bins, ...)                                  \
  {                                                                                              \
    SHAPE(threads, items, 0, 0, PartitionShared<threads, items, each, max_bins>), threads *each, \
        kernel<threads, items, each, max_bins, __VA_ARGS__>                                      \
  }

// A digit of a step whose blocks have that many counters.
static inline Digit step_digit(int shift, int bits, unsigned int counters) {
  Digit digit = {shift, (1u << bits) - 1, 0, 0};
  while (digit.copy_bits < 5 && 2u << (bits + digit.copy_bits) <= counters) digit.copy_bits++;
  return digit;
}

#endif
