// Launches of sweeps over pairs (block/pair_sweep.cuh), and the memory that these are packed in
// between them.
#ifndef GSORT_WAY_PAIR_SWEEPS_CUH
#define GSORT_WAY_PAIR_SWEEPS_CUH

#include "gsort/block/pair_sweep.cuh"
#include "gsort/way/launch.cuh"

// The tiles of a kernel that sweeps.
typedef struct SweepTiles {
  int bits;  // of its digit
  unsigned int threads, pairs, blocks_per_sm;
  size_t shared_bytes;
} SweepTiles;

#define SWEEP_TILES(threads, items, bits, blocks) \
  { bits, threads, threads *items, blocks, sizeof(PairSweepShared<threads, items, bits>) }

static inline size_t look_back_words(const SweepTiles &tiles, size_t n) {
  return (size_t)parts_of(n, tiles.pairs) << tiles.bits;
}

// n packed pairs lie in two arrays of n words each, and behind these in memory of the workspace.
// Pairs in each array, whole tiles. It may begin at an odd word, which is then lost.
static inline size_t half_of_pairs(size_t n, unsigned int tile) {
  return (n - 1) / 2 / tile * tile;
}

// Bytes for n packed pairs, and for what the arrays of the other side do not hold: at most, so that
// fewer pairs never need more.
static inline size_t packed_bytes(size_t n, unsigned int tile) {
  return aligned_bytes((n + 2 * tile) * sizeof(uint2));
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

#ifdef CUDA_CPU
static const bool blocks_run_together = false;  // one after the other, on each core
#else
static const bool blocks_run_together = true;
#endif

// Whether a multiprocessor holds as many blocks as `tiles` says.
template <class Kernel>
static bool all_resident(Call *call, const SweepTiles &tiles, Kernel *kernel) {
  int blocks = 0;
  return blocks_run_together && allow_shared_bytes(call, kernel, tiles.shared_bytes) &&
         succeeds(call, cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                            &blocks, kernel, (int)tiles.threads, tiles.shared_bytes)) &&
         blocks >= (int)tiles.blocks_per_sm;
}

// A sweep over `count` tiles; others: the kernel's arguments behind `sweep`.
template <class... Others, class... Arguments>
static void launch_sweep(Call *call, const SweepTiles &tiles,
                         void (*kernel)(PairBuffers, PairSweep, Others...), unsigned int count,
                         const PairBuffers &buffers, PairSweep sweep, Arguments... others) {
  const unsigned int blocks = least_of(count, tiles.blocks_per_sm * call->device->multiprocessors);
  sweep.own_tiles = blocks == count || (sweep.route.pass == 0 && all_resident(call, tiles, kernel));
  launch_next(call, kernel, blocks, tiles.threads, tiles.shared_bytes, buffers, sweep, others...);
}

#endif
