// Sweeps over all digits: what suits any keys, any bits of them, and any n.
#include "gsort/way/sweeps.cuh"

#include "gsort/kernel/sweep.cuh"
#include "gsort/way/pair_sweeps.cuh"

typedef void SweepKernel(Elements, Elements, unsigned int, SweepPass, BitsThatCount);
typedef void AllSweepsKernel(SweepPlan, BehindWay);

// A tile shape and the kernels compiled for it: one for each pass, and one for all of them, if the
// host does not wait. Of a ValueKind each; MADE in the first pass only. NULL where others are
// faster.
typedef struct SweepShape {
  Shape tiles;
  SweepKernel *sweep[3];
  AllSweepsKernel *all[3];
} SweepShape;

#define SWEEP_SHAPE(items, blocks) \
  SHAPE(SWEEP_THREADS, items, DIGIT_BITS, blocks, SweepShared<items>)

// A sort by sweeps, and its memory: room for the elements, but for those that fit into an input
// that may be overwritten, then what all_digits() is asked for.
typedef struct SweepLayout {
  const SweepShape *shape;
  unsigned int tiles;
  Elements spare;
  DigitMemory digits;  // Two look-backs serve all passes in turns: the count clears the first, and
                       // each pass the next one's
} SweepLayout;

template <int kItems, int kBlocks, class DigitOf, class Word, ValueKind... kKinds>
static constexpr SweepShape sweep_shape(void) {
  return {SWEEP_SHAPE(kItems, kBlocks),
          {sweep<kItems, kKinds, kBlocks, DigitOf, Word>...},
          {sweep_if_unsorted<kItems, kKinds, kBlocks, DigitOf, Word>...}};
}

template <int kItems, int kBlocks, class Word = unsigned int>
static constexpr SweepShape keys_only = sweep_shape<kItems, kBlocks, ByteOfCode, Word, NO_VALUES>();
template <int kItems, int kBlocks, class DigitOf = ByteOfCode, class Word = unsigned int>
static constexpr SweepShape all_kinds =
    sweep_shape<kItems, kBlocks, DigitOf, Word, NO_VALUES, LOADED, MADE>();

// In ascending order of shared memory. Fastest for n up to the number beside it, of keys and of
// pairs, measured on an H200 (LOG.md). More pairs are packed (way/packed_sweeps.cu).
typedef struct SweepChoice {
  size_t keys_up_to, pairs_up_to;
  SweepShape shape;
} SweepChoice;
static const SweepChoice plain_shapes[] = {{100000, 100000, all_kinds<8, 3>},
                                           {400000, 400000, all_kinds<16, 3>},
                                           {1500000, SIZE_MAX, all_kinds<24, 2>},
                                           {6000000, 0, keys_only<32, 3>},
                                           {SIZE_MAX, 0, keys_only<56, 2>}};
static const SweepChoice kept_shapes[] = {
    {400000, 400000, all_kinds<16, 3, DigitOfKey>},
    {SIZE_MAX, SIZE_MAX, all_kinds<40, 2, DigitOfKey>},
};
static const SweepShape huge_keys = keys_only<56, 2, unsigned long long>,
                        huge = all_kinds<40, 2, DigitOfKey, unsigned long long>;
enum { HUGE_FROM = 1 << 30 };  // a count of the look-back shares 32 bits with two flags

static const SweepShape *choose_shape(const Call *call, bool kept) {
  if (call->n >= HUGE_FROM) return kept ? &huge : &huge_keys;
  const SweepChoice *choice = kept ? kept_shapes : plain_shapes;
  while (call->n > (has_values(call) ? choice->pairs_up_to : choice->keys_up_to)) choice++;
  while (!fits(call, choice->shape.tiles)) choice--;
  return &choice->shape;
}

bool keeps_keys(const Call *call) {
  return call->bits < DIGIT_BITS ||
         (call->code.negative != 0 && (call->overwrite || call->n_on_device != NULL)) ||
         (call->n >= HUGE_FROM && (has_values(call) || !fits(call, huge_keys.tiles)));
}

// Whether keys are floats that are swept as codes. If the count finds a -0, those sweeps return at
// once, and one kernel behind them sweeps the keys as they are.
static bool may_be_swept_again(const Call *call) {
  return call->code.negative != 0 && !keeps_keys(call);
}

size_t second_look_back(const Call *call) {
  if (!may_be_swept_again(call)) return 0;
  return (size_t)parts_of(call->n, choose_shape(call, true)->tiles.elements) * BINS *
         (call->n >= HUGE_FROM ? 2 : 1);
}

// kept: sweeps move keys as they are; as keeps_keys() says, or behind sweeps of codes.
static SweepLayout sweep_layout(const Call *call, void *memory, bool kept) {
  SweepLayout layout = {};
  layout.shape = choose_shape(call, kept);
  layout.tiles = parts_of(call->n, layout.shape->tiles.elements);
  Pieces pieces = {(char *)memory, 0};
  if (call->overwrite) layout.spare = call->input;
  if (!call->overwrite) layout.spare.keys = pieces.next<unsigned int>(call->n);
  if (has_values(call) && layout.spare.values == NULL)
    layout.spare.values = pieces.next<unsigned int>(call->n);
  const size_t look_back = (size_t)layout.tiles * BINS * (call->n >= HUGE_FROM ? 2 : 1);
  layout.digits = next_digits(call, &pieces, greatest_of(look_back, second_look_back(call)));
  return layout;
}

DigitMemory all_digits(const Call *call, void *memory) {
  return sweeps_are_packed(call) ? packed_digits(call, memory)
                                 : sweep_layout(call, memory, keeps_keys(call)).digits;
}

// SweepPass.ahead: as many tiles as are sorted at the same time. Few keys gain nothing by it.
static unsigned int tiles_ahead(const Call *call, const Shape &tiles) {
  enum { AHEAD_FROM = 1 << 25 };
  return call->n < AHEAD_FROM ? 0 : tiles.per_sm * call->device->multiprocessors;
}

static void count(Call *call, SweepState state) {
  const size_t n = call->n, limit = call->device->shared_limit;
  // Many copies of the counters pay for many keys; few copies are cheaper to clear. For few keys,
  // few and large blocks: all blocks add their counts to the same 1,024 counters.
  const size_t one_copy = PASSES * BINS * sizeof(unsigned int);
  unsigned int copies = n > 2000000 ? 32 : 2;
  while (copies * one_copy > limit) copies /= 2;
  const unsigned int threads = COUNT_THREADS / (copies > 2 || n <= 400000 ? 1 : 2);
  const unsigned int most = call->device->multiprocessors * (copies > 8 ? 1 : 2);
  // The counts, and how far a kernel behind the sweeps has come.
  clear_words(call, call->findings, CLEARED_BYTES);
  const unsigned int blocks = least_of(parts_of(n, threads * 4), most);
  const size_t bytes = copies * one_copy;
  if (!is_plain(call->code) || call->bits < 32)
    launch_first(call, count_digits<BitsThatCount>, blocks, threads, bytes, call->input.keys, n,
                 bits_that_count(call), state, copies);
  else
    launch_first(call, count_digits<WholeKey>, blocks, threads, bytes, call->input.keys, n,
                 WholeKey(), state, copies);
}

// SweepPass.unordered, of the first pass: equal keys that differ in other bits keep their order.
static bool is_unordered(const Call *call, bool kept) { return !kept && call->bits == 32; }

static ValueKind value_kind(const Call *call, Elements from) {
  return !has_values(call) ? NO_VALUES : from.values == NULL ? MADE : LOADED;
}

static void launch_all(Call *call, void *memory, bool kept, BehindWay way) {
  const SweepLayout layout = sweep_layout(call, memory, kept);
  const SweepShape *const shape = layout.shape;
  const SweepState state = all_digits(call, memory).state;
  const SweepPlan plan = {call->input,
                          layout.spare,
                          call->output,
                          (unsigned int)call->n,
                          bits_that_count(call),
                          state,
                          state.look_back_words,
                          is_unordered(call, kept),
                          tiles_ahead(call, shape->tiles)};
  launch_shape(call, shape->tiles, shape->all[value_kind(call, call->input)],
               blocks_for(call, shape->tiles, layout.tiles), plan, way);
}

static void launch_each(Call *call, void *memory) {
  const bool kept = keeps_keys(call);
  const SweepLayout layout = sweep_layout(call, memory, kept);
  const SweepState &state = layout.digits.state;
  const SweepShape *const shape = layout.shape;
  const BitsThatCount number_of = bits_that_count(call);
  const int passes = number_of.passes();
  unsigned int *const look_backs[2] = {state.look_back, state.look_back + state.look_back_words};
  Elements from = call->input;
  for (int pass = 0; pass < passes; pass++) {
    // The last pass writes to the output, and others in turns there and to spare memory. If that is
    // the input, the first one writes to the output, and the last one's elements may have to
    // follow.
    const bool to_output = (call->overwrite ? pass : passes - 1 - pass) % 2 == 0;
    const Elements to = to_output ? call->output : layout.spare;
    SweepPass sweep_pass = {(unsigned int)pass,
                            pass == 0 && is_unordered(call, kept),
                            state.spread + pass,
                            state.start + pass * BINS,
                            state.tile_counter + pass,
                            look_backs[pass % 2],
                            pass < passes - 1 ? look_backs[(pass + 1) % 2] : NULL,
                            tiles_ahead(call, shape->tiles),
                            {},
                            {}};
    if (!kept) move_codes(&sweep_pass, number_of);
    launch_shape(call, shape->tiles, shape->sweep[value_kind(call, from)], layout.tiles, from, to,
                 (unsigned int)call->n, sweep_pass, number_of);
    from = to;
  }
  if (from.keys == call->output.keys) return;
  copy_words(call, call->output.keys, from.keys, call->n);
  if (has_values(call)) copy_words(call, call->output.values, from.values, call->n);
}

// Behind sweeps of codes.
static void sweep_minus_zeros(Call *call, void *memory) {
  if (may_be_swept_again(call))
    launch_all(call, memory, true, BehindWay{call->findings, false, NULL, true});
}

void sweep_all_digits(Call *call, void *memory) {
  if (sweeps_are_packed(call))
    sweep_all_packed(call, memory);
  else
    launch_each(call, memory);
  sweep_minus_zeros(call, memory);
}

void sort_by_all_digits(Call *call, void *memory) {
  if (call->n_on_device != NULL) {
    clear_words(call, call->findings, CLEARED_BYTES);
    sweep_if_unsorted(call, memory, false);
    return;
  }
  count(call, all_digits(call, memory).state);
  sweep_all_digits(call, memory);
}

Finding sweep_if_unsorted(Call *call, void *memory, bool counts) {
  if (sweeps_are_packed(call))
    sweep_packed_if_unsorted(call, memory, counts);
  else
    launch_all(call, memory, keeps_keys(call),
               BehindWay{call->findings, counts, call->n_on_device, false});
  sweep_minus_zeros(call, memory);
  return SORTED;
}

static size_t sweeps_bytes(const Call *call, const KeyRange *) {
  return all_digits(call, NULL).bytes;
}

static Finding sweeps_run(Call *call, Known *) {
  sort_by_all_digits(call, call->workspace);
  return SORTED;
}

extern "C" const Way way_sweeps = {"sweeps", sweeps_bytes, sweeps_run};
