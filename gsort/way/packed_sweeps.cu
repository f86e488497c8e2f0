// Four sweeps over all digits of pairs, which are packed between them: for way/sweeps.cu.
#include "gsort/way/packed_sweeps.cuh"

#include "gsort/kernel/sweep_packed.cuh"
#include "gsort/way/pair_plans.cuh"

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

// Other sweeps move keys in their type, so that a -0 may equal a +0, count up to any n, and write
// only as many elements as the device says that there are.
bool sweeps_are_packed(const Call *call) {
  return has_values(call) && call->n >= PACKED_FROM && call->n < 1 << 30 && call->bits == 32 &&
         call->n_on_device == NULL && call->code.negative == 0 &&
         large_8.tiles.shared_bytes <= call->device->shared_limit;
}

bool may_be_frequent(const Call *call) {
  return sweeps_are_packed(call) && call->n >= FREQUENT_FROM && call->overwrite &&
         call->input.values != NULL &&
         first_of_frequent.shared_bytes + SLOTS * sizeof(unsigned int) <=
             call->device->shared_limit;
}

PackedLayout packed_layout(const Call *call) {
  const SweepTiles &tiles = choose_shape(call)->tiles;
  const size_t n = call->n, one = look_back_words(tiles, n);
  PackedLayout layout = {};
  layout.half = half_of_pairs(n, tiles.pairs);
  layout.pair_bytes = packed_bytes(n, tiles.pairs);
  layout.cleared_words = one;
  layout.look_back_words = 2 * one;
  if (may_be_frequent(call)) {
    layout.half_of_rest = half_of_pairs(n, sweep_of_rest.pairs);
    const size_t words =
        look_back_words(first_of_frequent, n) + (PASSES - 1) * look_back_words(sweep_of_rest, n);
    layout.pair_bytes = greatest_of(layout.pair_bytes, packed_bytes(n, sweep_of_rest.pairs));
    layout.cleared_words = greatest_of(layout.cleared_words, words);
    layout.look_back_words = greatest_of(layout.look_back_words, words);
  }
  const size_t words = PASSES * BINS + 2 * PASSES + 3;
  layout.counted_bytes = layout.pair_bytes + (words + layout.cleared_words) * sizeof(unsigned int);
  layout.bytes = layout.pair_bytes + (words + layout.look_back_words) * sizeof(unsigned int);
  return layout;
}

SweepState packed_state(const Call *call, const PackedLayout *layout, void *memory) {
  unsigned int *const start = (unsigned int *)((char *)memory + layout->pair_bytes);
  unsigned int *const counters = start + PASSES * BINS;
  return {start,
          counters,
          counters + PASSES,
          call->findings->digit_counts,
          counters + 2 * PASSES,
          layout->cleared_words};
}

void sweep_all_packed(Call *call, void *memory) {
  const PairSweepShape *const shape = choose_shape(call);
  const PackedLayout layout = packed_layout(call);
  const SweepState state = packed_state(call, &layout, memory);
  const PairBuffers buffers =
      pair_buffers(call, call->output, layout.half, 2 * layout.half, call->n, memory);
  for (int pass = 0; pass < PASSES; pass++) {
    const size_t look_back = (size_t)(pass % 2) * look_back_words(shape->tiles, call->n);
    const PairSweep sweep = {(unsigned int)call->n,
                             pass * DIGIT_BITS,
                             state.start + pass * BINS,
                             state.tile_counter + pass,
                             state.look_back + look_back,
                             {state.spread, pass, PASSES, false},
                             false};
    launch_sweep(call, shape->tiles, shape->counted, parts_of(call->n, shape->tiles.pairs), buffers,
                 sweep, (volatile HostVerdict *)NULL);
  }
}

void sweep_packed_if_unsorted(Call *call, void *memory, bool counts) {
  const PairSweepShape *const shape = choose_shape(call);
  const SweepTiles &tiles = shape->tiles;
  const PackedLayout layout = packed_layout(call);
  const SweepState state = packed_state(call, &layout, memory);
  const unsigned int blocks =
      least_of(parts_of(call->n, tiles.pairs), tiles.blocks_per_sm * call->device->multiprocessors);
  const PairSweep first = {
      (unsigned int)call->n, 0, NULL, NULL, NULL, {state.spread, 0, PASSES, false}, false};
  launch_next(call, shape->all, blocks, tiles.threads, tiles.shared_bytes,
              pair_buffers(call, call->output, layout.half, 2 * layout.half, call->n, memory),
              first, state, look_back_words(tiles, call->n),
              BehindWay{call->findings, counts, NULL});
}
