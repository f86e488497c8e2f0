// What the ways plan with: the blocks of kernels, pieces of the workspace, and what sweeps need.
#ifndef GSORT_WAY_SHAPE_CUH
#define GSORT_WAY_SHAPE_CUH

#include "gsort/way/launch.cuh"

// The blocks of a kernel. elements: of a tile, or the most of a bucket.
typedef struct Shape {
  unsigned int threads, elements;
  int bits;             // of the digit by which a block puts its elements in order
  unsigned int per_sm;  // blocks that a multiprocessor holds
  size_t shared_bytes;
} Shape;

// Behind the numbers: the type of a block's shared memory.
#define SHAPE(threads, items, bits, per_sm, ...) \
  { threads, threads *items, bits, per_sm, sizeof(__VA_ARGS__) }

static inline bool fits(const Call *call, const Shape &shape) {
  return shape.shared_bytes <= call->device->shared_limit;
}

// Blocks that share `count` tiles, if all of them are to run at the same time.
static inline unsigned int blocks_for(const Call *call, const Shape &shape, unsigned int count) {
  return least_of(count, shape.per_sm * call->device->multiprocessors);
}

// A kernel that follows another one of the call.
template <class... Parameters, class... Arguments>
static void launch_shape(Call *call, const Shape &shape, void (*kernel)(Parameters...),
                         unsigned int grid, Arguments... arguments) {
  launch_next(call, kernel, grid, shape.threads, shape.shared_bytes, arguments...);
}

// Pieces of some memory, one behind the other, aligned to 16 bytes, or to whole lines if they are
// large; without memory only the bytes are counted.
typedef struct Pieces {
  char *memory;
  size_t bytes;
  template <class T>
  T *next(size_t count) {
    const size_t size = count * sizeof(T), alignment = size < WORKSPACE_ALIGNMENT ? 16 : 256,
                 begin = (bytes + alignment - 1) / alignment * alignment;
    bytes = begin + size;
    return memory == NULL ? NULL : (T *)(memory + begin);
  }
} Pieces;

// What sweeps over all digits need: what the count of the digits writes, for which `counts` have to
// be 0 before; and bytes from the beginning on that are in use before the first sweep, and all.
typedef struct DigitMemory {
  SweepState state;
  size_t counted_bytes, bytes;
} DigitMemory;

// In the next pieces, with a look-back of `words` words, of which the count clears some.
static inline DigitMemory next_digits(const Call *call, Pieces *pieces, size_t cleared,
                                      size_t words) {
  DigitMemory digits = {};
  SweepState *const state = &digits.state;
  state->start = pieces->next<unsigned int>(PASSES * BINS);
  state->tile_counter = pieces->next<unsigned int>(PASSES);
  state->spread = pieces->next<unsigned int>(PASSES);
  state->look_back = pieces->next<unsigned int>(cleared);
  state->look_back_words = cleared;
  if (pieces->memory != NULL) state->counts = call->findings->digit_counts;
  digits.counted_bytes = pieces->bytes;
  pieces->next<unsigned int>(words - cleared);
  digits.bytes = pieces->bytes;
  return digits;
}

#endif
