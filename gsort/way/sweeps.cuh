// Sweeps over all digits (kernel/sweep.cuh): shapes, memory and launches. For way/sweeps.cu, and for
// the ways whose kernels count the digits when a sample leaves nothing but sweeps.
#ifndef GSORT_WAY_SWEEPS_CUH
#define GSORT_WAY_SWEEPS_CUH

#include "gsort/kernel/count_digits.cuh"
#include "gsort/kernel/sweep.cuh"
#include "gsort/way/launch.cuh"

typedef void SweepKernel(Elements, Elements, unsigned int, SweepPass);

// A tile shape and the kernels compiled for it. `made`: for values that are indices, in the first
// pass; NULL where others are faster.
typedef struct SweepShape {
  unsigned int tile, blocks_per_sm;
  size_t shared_bytes;
  SweepKernel *keys, *pairs, *made;
} SweepShape;

// Scratch memory of a sort by sweeps: a copy of the input, then what a SweepState points to.
typedef struct SweepLayout {
  const SweepShape *shape;
  bool coded;  // keys keep their type, and any bits may count
  unsigned int tiles;
  size_t spare_bytes;       // of the keys' copy, and again of the values'
  size_t look_back_words;   // of a pass. Two look-backs serve all passes in turns: the count clears
                            // the first, and each pass the next one's
  size_t bytes;             // all together
} SweepLayout;

// coded: whether the call's keys need it.
SweepLayout sweep_layout(const Call *call);
// `memory`, of layout.bytes, is aligned to WORKSPACE_ALIGNMENT. state.counts have to be 0.
SweepState sweep_state(const SweepLayout *layout, bool pairs, void *memory);
// The passes, once the digits are counted.
void sweep_all(Call *call, const SweepLayout *layout, void *memory);
void sort_by_sweeps(Call *call, void *memory);

#endif
