// Launches of sweeps over pairs (block/pair_sweep.cuh), and the memory that these are packed in
// between them.
#ifndef GSORT_WAY_PAIR_SWEEPS_CUH
#define GSORT_WAY_PAIR_SWEEPS_CUH

#include "gsort/block/pair_sweep.cuh"
#include "gsort/way/shape.cuh"

// bits: of the digit of the sweep.
#define SWEEP_TILES(threads, items, bits, per_sm) \
  SHAPE(threads, items, bits, per_sm, PairSweepShared<threads, items, bits>)

static inline size_t look_back_words(const Shape &tiles, size_t n) {
  return (size_t)parts_of(n, tiles.elements) << tiles.bits;
}

// n packed pairs lie in two arrays of n words each, and behind these in memory of the workspace.
// Pairs in each array, whole tiles. It may begin at an odd word, which is then lost.
static inline size_t half_of_pairs(size_t n, const Shape &tiles) {
  return (n - 1) / 2 / tiles.elements * tiles.elements;
}

static inline uint2 *packed_in(unsigned int *array) {
  return (uint2 *)(((uintptr_t)array + sizeof(uint2) - 1) / sizeof(uint2) * sizeof(uint2));
}

// `arrays` have pairs 0 to half - 1, then those up to `behind`; `memory` begins with `in_scratch`
// pairs of the other side.
static inline PairBuffers pair_buffers(const Call *call, Elements arrays, size_t half,
                                       size_t behind, size_t in_scratch, void *memory) {
  uint2 *const scratch = (uint2 *)memory;
  return {call->input,
          call->output,
          call->code,
          {scratch, scratch, scratch, NO_HALF, NO_HALF},
          {packed_in(arrays.keys), packed_in(arrays.values) - half, scratch + in_scratch - behind,
           (unsigned int)half, (unsigned int)behind}};
}

// A sweep over digit number `pass`, once all digits are counted.
static inline PairSweep sweep_of_digit(const Call *call, const SweepState &state, int pass,
                                       unsigned int *look_back) {
  return {(unsigned int)call->n,
          pass * DIGIT_BITS,
          state.start + pass * BINS,
          state.tile_counter + pass,
          look_back,
          {state.spread, pass, PASSES, false},
          false};
}

#ifdef CUDA_CPU
static const bool blocks_run_together = false;  // one after the other, on each core
#else
static const bool blocks_run_together = true;
#endif

// Whether a multiprocessor holds as many blocks as `tiles` says.
template <class Kernel>
static bool all_resident(Call *call, const Shape &tiles, Kernel *kernel) {
  int blocks = 0;
  return blocks_run_together && allow_shared_bytes(call, kernel, tiles.shared_bytes) &&
         succeeds(call, cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                            &blocks, kernel, (int)tiles.threads, tiles.shared_bytes)) &&
         blocks >= (int)tiles.per_sm;
}

// A sweep over `count` tiles; others: the kernel's arguments behind `sweep`.
template <class... Others, class... Arguments>
static void launch_sweep(Call *call, const Shape &tiles,
                         void (*kernel)(PairBuffers, PairSweep, Others...), unsigned int count,
                         const PairBuffers &buffers, PairSweep sweep, Arguments... others) {
  const unsigned int blocks = blocks_for(call, tiles, count);
  sweep.own_tiles = blocks == count || (sweep.route.pass == 0 && all_resident(call, tiles, kernel));
  launch_shape(call, tiles, kernel, blocks, buffers, sweep, others...);
}

#endif
