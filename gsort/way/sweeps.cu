// Sweeps over all digits: what suits any keys, any bits of them, and any n.
#include "gsort/way/sweeps.cuh"

#include "gsort/kernel/sweep_if_unsorted.cuh"
#include "gsort/way/packed_sweeps.cuh"

typedef void SweepKernel(Elements, Elements, unsigned int, SweepPass, BitsThatCount);
typedef void AllSweepsKernel(SweepPlan, BehindWay);

// A tile shape and the kernels compiled for it: one for each pass, and one for all of them, if the
// host does not wait. Of a ValueKind each; MADE in the first pass only. NULL where others are
// faster.
typedef struct SweepShape {
  unsigned int tile, blocks_per_sm;
  size_t shared_bytes;
  SweepKernel *sweep[3];
  AllSweepsKernel *all[3];
} SweepShape;

// Memory of a sort by sweeps: a copy of the input, then what a SweepState points to.
typedef struct SweepLayout {
  const SweepShape *shape;
  bool coded;  // keys keep their type, and any bits may count
  unsigned int tiles;
  size_t spare_bytes;      // of the keys' copy, and again of the values'
  size_t look_back_words;  // of a pass. Two look-backs serve all passes in turns: the count clears
                           // the first, and each pass the next one's
  size_t bytes;            // all together
} SweepLayout;

template <int kItems, int kBlocks, class Word = unsigned int>
static constexpr SweepShape keys_only(void) {
  return {SWEEP_THREADS * kItems,
          kBlocks,
          sizeof(SweepShared<kItems>),
          {sweep<kItems, NO_VALUES, kBlocks, ByteOfKey, Word>},
          {sweep_if_unsorted<kItems, NO_VALUES, kBlocks, ByteOfKey, Word>}};
}

template <int kItems, int kBlocks, class DigitOf = ByteOfKey, class Word = unsigned int>
static constexpr SweepShape all_kinds(void) {
  return {
      SWEEP_THREADS * kItems,
      kBlocks,
      sizeof(SweepShared<kItems>),
      {sweep<kItems, NO_VALUES, kBlocks, DigitOf, Word>,
       sweep<kItems, LOADED, kBlocks, DigitOf, Word>, sweep<kItems, MADE, kBlocks, DigitOf, Word>},
      {sweep_if_unsorted<kItems, NO_VALUES, kBlocks, DigitOf, Word>,
       sweep_if_unsorted<kItems, LOADED, kBlocks, DigitOf, Word>,
       sweep_if_unsorted<kItems, MADE, kBlocks, DigitOf, Word>}};
}

// In ascending order of shared memory. Fastest for n up to the number beside it, of keys and of
// pairs, measured on an H200 (LOG.md). More pairs are packed (way/packed_sweeps.cu).
typedef struct SweepChoice {
  size_t keys_up_to, pairs_up_to;
  SweepShape shape;
} SweepChoice;
static const SweepChoice plain_shapes[] = {{100000, 100000, all_kinds<8, 3>()},
                                           {400000, 400000, all_kinds<16, 3>()},
                                           {1500000, SIZE_MAX, all_kinds<24, 2>()},
                                           {6000000, 0, keys_only<32, 3>()},
                                           {SIZE_MAX, 0, keys_only<56, 2>()}};
static const SweepChoice coded_shapes[] = {
    {400000, 400000, all_kinds<16, 3, ByteOfCode>()},
    {SIZE_MAX, SIZE_MAX, all_kinds<40, 2, ByteOfCode>()},
};
static const SweepShape huge_keys = keys_only<56, 2, unsigned long long>(),
                        huge = all_kinds<40, 2, ByteOfCode, unsigned long long>();
enum { HUGE_FROM = 1 << 30 };  // a count of the look-back shares 32 bits with two flags

static const SweepShape *choose_shape(const Call *call, bool coded) {
  if (call->n >= HUGE_FROM) return coded ? &huge : &huge_keys;
  const SweepChoice *choice = coded ? coded_shapes : plain_shapes;
  while (call->n > (has_values(call) ? choice->pairs_up_to : choice->keys_up_to)) choice++;
  while (choice->shape.shared_bytes > call->device->shared_limit) choice--;
  return &choice->shape;
}

static SweepLayout sweep_layout(const Call *call) {
  SweepLayout layout;
  layout.coded = !is_plain(call->code) || call->bits < 32 ||
                 (call->n >= HUGE_FROM &&
                  (has_values(call) || huge_keys.shared_bytes > call->device->shared_limit));
  layout.shape = choose_shape(call, layout.coded);
  layout.tiles = parts_of(call->n, layout.shape->tile);
  layout.spare_bytes = aligned_bytes(call->n * sizeof(unsigned int));
  layout.look_back_words = (size_t)layout.tiles * BINS * (call->n >= HUGE_FROM ? 2 : 1);
  const size_t words = PASSES * BINS + 2 * PASSES + 3 + 2 * layout.look_back_words;
  layout.bytes = (has_values(call) ? 2 : 1) * layout.spare_bytes + words * sizeof(unsigned int);
  return layout;
}

static SweepState sweep_state(const Call *call, const SweepLayout *layout, void *memory) {
  unsigned int *const start =
      (unsigned int *)((char *)memory + (has_values(call) ? 2 : 1) * layout->spare_bytes);
  unsigned int *const counters = start + PASSES * BINS;
  return {start,
          counters,
          counters + PASSES,
          call->findings->digit_counts,
          counters + 2 * PASSES,
          layout->look_back_words};
}

// SweepPass.ahead: as many tiles as are sorted at the same time. Few keys gain nothing by it.
static unsigned int tiles_ahead(const Call *call, const SweepShape *shape) {
  enum { AHEAD_FROM = 1 << 25 };
  return call->n < AHEAD_FROM ? 0 : shape->blocks_per_sm * call->device->multiprocessors;
}

static void count(Call *call, bool coded, SweepState state) {
  const size_t n = call->n, limit = call->device->shared_limit;
  // Many copies of the counters pay for many keys; few copies are cheaper to clear. For few keys,
  // few and large blocks: all blocks add their counts to the same 1,024 counters.
  const size_t one_copy = PASSES * BINS * sizeof(unsigned int);
  unsigned int copies = n > 2000000 ? 32 : 2;
  while (copies * one_copy > limit) copies /= 2;
  const unsigned int threads = COUNT_THREADS / (copies > 2 || n <= 400000 ? 1 : 2);
  const unsigned int most = call->device->multiprocessors * (copies > 8 ? 1 : 2);
  clear_words(call, state.counts, COUNT_WORDS * sizeof(unsigned int));
  const unsigned int blocks = least_of(parts_of(n, threads * 4), most);
  const size_t bytes = copies * one_copy;
  if (coded)
    launch_first(call, count_digits<BitsThatCount>, blocks, threads, bytes, call->input.keys, n,
                 bits_that_count(call), state, copies);
  else
    launch_first(call, count_digits<WholeKey>, blocks, threads, bytes, call->input.keys, n,
                 WholeKey(), state, copies);
}

size_t all_digits_bytes(const Call *call) {
  return sweeps_are_packed(call) ? packed_layout(call).bytes : sweep_layout(call).bytes;
}

size_t all_digits_counted_bytes(const Call *call) {
  if (sweeps_are_packed(call)) return packed_layout(call).counted_bytes;
  const SweepLayout layout = sweep_layout(call);
  return layout.bytes - layout.look_back_words * sizeof(unsigned int);
}

SweepState all_digits_state(const Call *call, void *memory) {
  if (sweeps_are_packed(call)) {
    const PackedLayout packed = packed_layout(call);
    return packed_state(call, &packed, memory);
  }
  const SweepLayout layout = sweep_layout(call);
  return sweep_state(call, &layout, memory);
}

static ValueKind value_kind(const Call *call, Elements from) {
  return !has_values(call) ? NO_VALUES : from.values == NULL ? MADE : LOADED;
}

static Elements spare_elements(const Call *call, const SweepLayout *layout, void *memory) {
  unsigned int *const keys = (unsigned int *)memory;
  return {keys, has_values(call) ? keys + layout->spare_bytes / sizeof(unsigned int) : NULL};
}

void sweep_all_digits(Call *call, void *memory) {
  if (sweeps_are_packed(call)) {
    sweep_all_packed(call, memory);
    return;
  }
  const SweepLayout layout = sweep_layout(call);
  const SweepState state = sweep_state(call, &layout, memory);
  const SweepShape *const shape = layout.shape;
  const Elements spare = spare_elements(call, &layout, memory);
  const int passes = (call->bits + DIGIT_BITS - 1) / DIGIT_BITS;
  unsigned int *const look_backs[2] = {state.look_back, state.look_back + layout.look_back_words};
  Elements from = call->input;
  for (int pass = 0; pass < passes; pass++) {
    // The last pass writes to the output, and others in turns there and to scratch memory.
    const Elements to = (passes - pass) % 2 == 1 ? call->output : spare;
    const SweepPass sweep_pass = {(unsigned int)pass,
                                  pass == 0 && !layout.coded,
                                  state.spread + pass,
                                  state.start + pass * BINS,
                                  state.tile_counter + pass,
                                  look_backs[pass % 2],
                                  pass < passes - 1 ? look_backs[(pass + 1) % 2] : NULL,
                                  tiles_ahead(call, shape)};
    launch_next(call, shape->sweep[value_kind(call, from)], layout.tiles, SWEEP_THREADS,
                shape->shared_bytes, from, to, (unsigned int)call->n, sweep_pass,
                bits_that_count(call));
    from = to;
  }
}

void sort_by_all_digits(Call *call, void *memory) {
  if (call->n_on_device != NULL) {
    clear_words(call, call->findings, CLEARED_BYTES);
    sweep_if_unsorted(call, memory, false);
    return;
  }
  const bool coded = sweeps_are_packed(call) ? !is_plain(call->code) : sweep_layout(call).coded;
  count(call, coded, all_digits_state(call, memory));
  sweep_all_digits(call, memory);
}

Finding sweep_if_unsorted(Call *call, void *memory, bool counts) {
  if (sweeps_are_packed(call)) {
    sweep_packed_if_unsorted(call, memory, counts);
    return SORTED;
  }
  const SweepLayout layout = sweep_layout(call);
  const SweepShape *const shape = layout.shape;
  const unsigned int passes = (unsigned int)(call->bits + DIGIT_BITS - 1) / DIGIT_BITS,
                     blocks = least_of(layout.tiles,
                                       shape->blocks_per_sm * call->device->multiprocessors);
  const SweepPlan plan = {call->input,
                          spare_elements(call, &layout, memory),
                          call->output,
                          (unsigned int)call->n,
                          passes,
                          bits_that_count(call),
                          sweep_state(call, &layout, memory),
                          layout.look_back_words,
                          !layout.coded,
                          tiles_ahead(call, shape)};
  launch_next(call, shape->all[value_kind(call, call->input)], blocks, SWEEP_THREADS,
              shape->shared_bytes, plan, BehindWay{call->findings, counts, call->n_on_device});
  return SORTED;
}

static size_t sweeps_bytes(const Call *call, const KeyRange *) { return all_digits_bytes(call); }

static Finding sweeps_run(Call *call, Known *) {
  sort_by_all_digits(call, call->workspace);
  return SORTED;
}

extern "C" const Way way_sweeps = {"sweeps", sweeps_bytes, sweeps_run};
