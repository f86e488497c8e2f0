// Four sweeps over all digits of pairs, which are packed between them: for way/sweeps.cu. And such
// sweeps over pairs of which some values may be frequent (block/frequent_values.cuh): the input is
// overwritten. way/pair_regions.cu has looked for such values before.
#include "gsort/kernel/frequent.cuh"
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

// Of keys with frequent values: the first sweep, and those over the rest.
static const Shape first_of_frequent = SWEEP_TILES(512, 40, DIGIT_OR_VALUE_BITS, 1),
                   sweep_of_rest = SWEEP_TILES(512, 44, DIGIT_BITS, 1);

static const PairSweepShape *choose_shape(const Call *call) {
  for (const SweepChoice &choice : choices)
    if (call->n <= choice.up_to) return &choice.shape;
  return shape_for(call, &large_8, LONG_FROM);
}

// Other sweeps move keys in their type, so that a -0 may equal a +0, count up to any n, and write
// only as many elements as the device says that there are.
bool sweeps_are_packed(const Call *call) {
  return has_values(call) && call->n >= PACKED_FROM && call->n < 1 << 30 && call->bits == 32 &&
         call->n_on_device == NULL && call->code.negative == 0 && fits(call, large_8.tiles);
}

bool may_be_frequent(const Call *call) {
  return sweeps_are_packed(call) && call->n >= FREQUENT_FROM && call->overwrite &&
         call->input.values != NULL &&
         first_of_frequent.shared_bytes + SLOTS * sizeof(unsigned int) <=
             call->device->shared_limit;
}

// Memory of a sort by four sweeps, as all_digits() takes it. If values may be frequent, it is
// enough for that, too; then the input serves as `halves`, as these are in the output meanwhile.
typedef struct PackedLayout {
  size_t half, half_of_rest;
  DigitMemory digits;
} PackedLayout;

static PackedLayout packed_layout(const Call *call, void *memory) {
  const Shape &tiles = choose_shape(call)->tiles;
  const size_t n = call->n, one = look_back_words(tiles, n);
  PackedLayout layout = {};
  layout.half = half_of_pairs(n, tiles);
  // The pairs, and what the arrays of the other side do not hold: at most, so that fewer pairs
  // never need more.
  size_t pairs = n + 2 * tiles.elements, cleared = one, words = 2 * one;
  if (may_be_frequent(call)) {
    layout.half_of_rest = half_of_pairs(n, sweep_of_rest);
    const size_t of_all =
        look_back_words(first_of_frequent, n) + (PASSES - 1) * look_back_words(sweep_of_rest, n);
    pairs = greatest_of(pairs, n + 2 * sweep_of_rest.elements);
    cleared = greatest_of(cleared, of_all);
    words = greatest_of(words, of_all);
  }
  Pieces pieces = {(char *)memory, 0};
  pieces.next<uint2>(pairs);
  layout.digits = next_digits(call, &pieces, cleared, words);
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
  for (int pass = 0; pass < PASSES; pass++) {
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
               sweep_of_digit(call, state, 0, state.look_back), state,
               look_back_words(tiles, call->n), BehindWay{call->findings, counts, NULL});
}

static size_t frequent_bytes(const Call *call, const KeyRange *) {
  return may_be_frequent(call) ? packed_layout(call, NULL).digits.bytes : 0;
}

static void launch_count(Call *call, SweepState state) {
  enum { STATIC_BYTES = 36 << 10 };  // more than count_rest() has
  const size_t one_copy = PASSES * BINS * sizeof(unsigned int);
  unsigned int copies = WARP_SIZE;
  while (copies * one_copy + STATIC_BYTES > call->device->shared_limit) copies /= 2;
  const unsigned int blocks =
      least_of(parts_of(call->n, 4 * COUNT_THREADS), call->device->multiprocessors);
  launch_next(call, count_rest, blocks, COUNT_THREADS, copies * one_copy, call->input.keys, call->n,
              call->code, state, copies, call->findings->frequent_sums, &call->findings->frequent,
              call->host);
}

// Four sweeps, of which the last three have only the rest, once that is counted.
static void sweep_frequent(Call *call, const PackedLayout &layout) {
  const PairBuffers buffers = pair_buffers(call, call->input, layout.half_of_rest,
                                           2 * layout.half_of_rest, call->n, call->workspace);
  const FrequentValues *const frequent = &call->findings->frequent;
  const SweepState &state = layout.digits.state;
  unsigned int *look_back = state.look_back;
  for (int pass = 0; pass < PASSES; pass++) {
    const Shape &tiles = pass == 0 ? first_of_frequent : sweep_of_rest;
    launch_sweep(call, tiles, pass == 0 ? sweep_digits_and_values<512, 40> : sweep_rest<512, 44>,
                 parts_of(call->n, tiles.elements), buffers,
                 sweep_of_digit(call, state, pass, look_back), frequent);
    look_back += look_back_words(tiles, call->n);
  }
}

// The host waits until it hears whether there are frequent values, while all keys are counted.
static Finding frequent_run(Call *call, Known *) {
  const PackedLayout layout = packed_layout(call, call->workspace);
  const SweepState &state = layout.digits.state;
  fresh_verdict(call);
  clear_words(call, state.counts,
              sizeof call->findings->digit_counts + sizeof call->findings->frequent_sums);
  launch_count(call, state);
  if (wait_for_finding(call, UNKNOWN) == FEW_VALUES)
    sweep_frequent(call, layout);
  else
    sweep_all_packed(call, call->workspace);
  return SORTED;
}

extern "C" const Way way_frequent = {"frequent values", frequent_bytes, frequent_run};
