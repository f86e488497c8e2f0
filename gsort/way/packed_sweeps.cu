// Sweeps over all digits of pairs, which are packed between them: for way/sweeps.cu.
#include "gsort/kernel/sweep_packed.cuh"
#include "gsort/way/pair_sweeps.cuh"

enum { PACKED_FROM = 700000 };  // from here on packed sweeps are faster than others

#define COUNTED_SWEEP(threads, items, bits, blocks)                                              \
  {                                                                                              \
    SWEEP_TILES(threads, items, bits, blocks), sweep_packed<threads, items, bits, blocks>, NULL, \
        sweep_packed_if_unsorted<threads, items, blocks>                                         \
  }

// Of fewer pairs: tiles that all multiprocessors sort at the same time, in one round or two.
typedef struct SweepChoice {
  size_t up_to;
  PairSweepShape shape;
} SweepChoice;
static const SweepChoice choices[] = {
    {1080000, COUNTED_SWEEP(512, 16, 8, 1)},
    {1620000, COUNTED_SWEEP(512, 24, 8, 1)},
    {2160000, COUNTED_SWEEP(512, 16, 8, 2)},
    {3240000, COUNTED_SWEEP(512, 24, 8, 1)},
};
enum { LONG_FROM = 24000000 };

static const PairSweepShape *choose_shape(const Call *call) {
  for (const SweepChoice &choice : choices)
    if (call->n <= choice.up_to) return &choice.shape;
  return shape_for(call, &large_8, LONG_FROM);
}

// Other sweeps count up to any n, write only as many elements as the device says that there are,
// and need no memory for the pairs but the input.
bool sweeps_are_packed(const Call *call) {
  return has_values(call) && call->n >= PACKED_FROM && call->n < 1 << 30 &&
         call->n_on_device == NULL && !call->overwrite && !keeps_keys(call) &&
         fits(call, large_8.tiles);
}

// Memory of such a sort, as all_digits() takes it.
typedef struct PackedLayout {
  size_t half;
  DigitMemory digits;
} PackedLayout;

static PackedLayout packed_layout(const Call *call, void *memory) {
  const Shape &tiles = choose_shape(call)->tiles;
  const size_t n = call->n;
  PackedLayout layout = {};
  layout.half = half_of_pairs(n, tiles);
  Pieces pieces = {(char *)memory, 0};
  // The pairs, and what the arrays of the other side do not hold: at most, so that fewer pairs
  // never need more.
  pieces.next<uint2>(n + 2 * tiles.elements);
  layout.digits =
      next_digits(call, &pieces, greatest_of(look_back_words(tiles, n), second_look_back(call)));
  return layout;
}

DigitMemory packed_digits(const Call *call, void *memory) {
  return packed_layout(call, memory).digits;
}

static PairBuffers packed_buffers(const Call *call, const PackedLayout &layout, void *memory) {
  return pair_buffers(call, call->output, layout.half, 2 * layout.half, call->n, memory);
}

void sweep_all_packed(Call *call, void *memory) {
  const PairSweepShape *const shape = choose_shape(call);
  const Shape &tiles = shape->tiles;
  const PackedLayout layout = packed_layout(call, memory);
  const SweepState &state = layout.digits.state;
  for (int pass = 0; pass < bits_that_count(call).passes(); pass++) {
    unsigned int *const look_back =
        state.look_back + (size_t)(pass % 2) * look_back_words(tiles, call->n);
    launch_sweep(call, tiles, shape->counted, parts_of(call->n, tiles.elements),
                 packed_buffers(call, layout, memory), sweep_of_digit(call, state, pass, look_back),
                 (volatile HostVerdict *)NULL);
  }
}

void sweep_packed_if_unsorted(Call *call, void *memory, bool counts) {
  const PairSweepShape *const shape = choose_shape(call);
  const Shape &tiles = shape->tiles;
  const PackedLayout layout = packed_layout(call, memory);
  const SweepState &state = layout.digits.state;
  launch_shape(call, tiles, shape->all, blocks_for(call, tiles, parts_of(call->n, tiles.elements)),
               packed_buffers(call, layout, memory),
               sweep_of_digit(call, state, 0, state.look_back), bits_that_count(call), state,
               look_back_words(tiles, call->n), BehindWay{call->findings, counts, NULL, false});
}
