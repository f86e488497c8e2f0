// Four sweeps over all digits of pairs, which are packed between them (way/packed_sweeps.cu).
#ifndef GSORT_WAY_PACKED_SWEEPS_CUH
#define GSORT_WAY_PACKED_SWEEPS_CUH

#include "gsort/block/frequent_values.cuh"
#include "gsort/way/pair_sweeps.cuh"

// Of keys with frequent values: the first sweep, and those over the rest.
static const Shape first_of_frequent = SWEEP_TILES(512, 40, DIGIT_OR_VALUE_BITS, 1),
                   sweep_of_rest = SWEEP_TILES(512, 44, DIGIT_BITS, 1);

// Whether they suit the call better than way/sweeps.cu's own.
bool sweeps_are_packed(const Call *call);
// Whether frequent values may leave after the first sweep.
bool may_be_frequent(const Call *call);

// Memory of a sort by four sweeps, as all_digits() takes it. If values may be frequent, it is
// enough for that, too; then the input serves as `halves`, as these are in the output meanwhile.
typedef struct PackedLayout {
  size_t half, half_of_rest;
  DigitMemory digits;
} PackedLayout;

PackedLayout packed_layout(const Call *call, void *memory);
// The sweeps, once the digits are counted.
void sweep_all_packed(Call *call, void *memory);
// As sweep_if_unsorted() (way/sweeps.cuh).
void sweep_packed_if_unsorted(Call *call, void *memory, bool counts);

#endif
