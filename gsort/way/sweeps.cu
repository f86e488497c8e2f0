// Sweeps over all digits: what suits any keys, any bits of them, and any n.
#include "gsort/way/sweeps.cuh"

#define SWEEP_TILE(items, blocks) SWEEP_THREADS *items, blocks, sizeof(SweepShared<items>)
#define KEYS_ONLY(items, blocks)                                               \
  { SWEEP_TILE(items, blocks), sweep<items, NO_VALUES, blocks>, NULL, NULL }
#define ALL_KINDS(items, blocks)                                               \
  {                                                                            \
    SWEEP_TILE(items, blocks), sweep<items, NO_VALUES, blocks>,                \
        sweep<items, LOADED, blocks>, sweep<items, MADE, blocks>               \
  }
#define CODED(items, blocks, Word)                                                               \
  {                                                                                              \
    SWEEP_TILE(items, blocks), sweep<items, NO_VALUES, blocks, BitsOfCode, Word>,                \
        sweep<items, LOADED, blocks, BitsOfCode, Word>,                                          \
        sweep<items, MADE, blocks, BitsOfCode, Word>                                             \
  }

// In ascending order of shared memory. Fastest for n up to the number beside it, of keys and of
// pairs, measured on an H200 (LOG.md). More pairs are packed (way/packed_sweeps.cu).
typedef struct SweepChoice {
  size_t keys_up_to, pairs_up_to;
  SweepShape shape;
} SweepChoice;
static const SweepChoice plain_shapes[] = {
    {100000, 100000, ALL_KINDS(8, 3)}, {400000, 400000, ALL_KINDS(16, 3)},
    {1500000, SIZE_MAX, ALL_KINDS(24, 2)}, {6000000, 0, KEYS_ONLY(32, 3)},
    {SIZE_MAX, 0, KEYS_ONLY(56, 2)}};
static const SweepChoice coded_shapes[] = {
    {400000, 400000, CODED(16, 3, unsigned int)},
    {SIZE_MAX, SIZE_MAX, CODED(40, 2, unsigned int)},
};
static const SweepShape huge = CODED(40, 2, unsigned long long);
enum { HUGE_FROM = 1 << 30 };  // a count of the look-back shares 32 bits with two flags

static bool has_values(const Call *call) { return call->output.values != NULL; }

static const SweepShape *choose_shape(const Call *call, bool coded) {
  if (call->n >= HUGE_FROM) return &huge;
  const SweepChoice *choice = coded ? coded_shapes : plain_shapes;
  while (call->n > (has_values(call) ? choice->pairs_up_to : choice->keys_up_to)) choice++;
  while (choice->shape.shared_bytes > call->device->shared_limit) choice--;
  return &choice->shape;
}

SweepLayout sweep_layout(const Call *call) {
  SweepLayout layout;
  layout.coded = !is_plain(call->code) || call->bits < 32 || call->n >= HUGE_FROM;
  layout.shape = choose_shape(call, layout.coded);
  layout.tiles = parts_of(call->n, layout.shape->tile);
  layout.spare_bytes = aligned_bytes(call->n * sizeof(unsigned int));
  layout.look_back_words = (size_t)layout.tiles * BINS * (call->n >= HUGE_FROM ? 2 : 1);
  const size_t words = PASSES * BINS + 2 * PASSES + COUNT_WORDS + 3 + 2 * layout.look_back_words;
  layout.bytes = (has_values(call) ? 2 : 1) * layout.spare_bytes + words * sizeof(unsigned int);
  return layout;
}

SweepState sweep_state(const SweepLayout *layout, bool pairs, void *memory) {
  unsigned int *const start =
      (unsigned int *)((char *)memory + (pairs ? 2 : 1) * layout->spare_bytes);
  unsigned int *const counters = start + PASSES * BINS, *const counts = counters + 2 * PASSES;
  return {start,  counters, counters + PASSES, counts, counts + COUNT_WORDS + 3,
          layout->look_back_words};
}

// SweepPass.ahead: as many tiles as are sorted at the same time. Few keys gain nothing by it.
static unsigned int tiles_ahead(const Call *call, const SweepShape *shape) {
  enum { AHEAD_FROM = 1 << 25 };
  return call->n < AHEAD_FROM ? 0 : shape->blocks_per_sm * call->device->multiprocessors;
}

static void count(Call *call, const SweepLayout *layout, SweepState state) {
  const size_t n = call->n, limit = call->device->shared_limit;
  // Many copies of the counters pay for many keys; few copies are cheaper to clear. For few keys,
  // few and large blocks: all blocks add their counts to the same 1,024 counters.
  const size_t one_copy = PASSES * BINS * sizeof(unsigned int);
  unsigned int copies = n > 2000000 ? 32 : 2;
  while (copies * one_copy > limit) copies /= 2;
  const unsigned int threads = COUNT_THREADS / (copies > 2 || n <= 400000 ? 1 : 2);
  const unsigned int most = call->device->multiprocessors * (copies > 8 ? 1 : 2);
  clear_words(call, state.counts, COUNT_WORDS * sizeof(unsigned int));
  const auto kernel = layout->coded ? count_digits<BitsOfCode> : count_digits<ByteOfKey>;
  launch_first(call, kernel, least_of(parts_of(n, threads * 4), most), threads, copies * one_copy,
               call->input.keys, n, call->code, call->begin_bit, call->bits, state, copies);
}

void sweep_all(Call *call, const SweepLayout *layout, void *memory) {
  const bool pairs = has_values(call);
  const SweepState state = sweep_state(layout, pairs, memory);
  const SweepShape *const shape = layout->shape;
  Elements spare = {(unsigned int *)memory, NULL};
  if (pairs) spare.values = spare.keys + layout->spare_bytes / sizeof(unsigned int);
  const int passes = (call->bits + DIGIT_BITS - 1) / DIGIT_BITS;
  unsigned int *const look_backs[2] = {state.look_back, state.look_back + layout->look_back_words};
  Elements from = call->input;
  for (int pass = 0; pass < passes; pass++) {
    // The last pass writes to the output, and others in turns there and to scratch memory.
    const Elements to = (passes - pass) % 2 == 1 ? call->output : spare;
    const SweepPass sweep_pass = {(unsigned int)pass,
                                  pass == 0 && !layout->coded,
                                  state.spread + pass,
                                  state.start + pass * BINS,
                                  state.tile_counter + pass,
                                  look_backs[pass % 2],
                                  pass < passes - 1 ? look_backs[(pass + 1) % 2] : NULL,
                                  tiles_ahead(call, shape),
                                  call->code,
                                  call->begin_bit,
                                  call->bits};
    SweepKernel *const kernel = !pairs                ? shape->keys
                                : from.values == NULL ? shape->made
                                                      : shape->pairs;
    launch_next(call, kernel, layout->tiles, SWEEP_THREADS, shape->shared_bytes, from, to,
                (unsigned int)call->n, sweep_pass);
    from = to;
  }
}

void sort_by_sweeps(Call *call, void *memory) {
  const SweepLayout layout = sweep_layout(call);
  count(call, &layout, sweep_state(&layout, has_values(call), memory));
  sweep_all(call, &layout, memory);
}

static size_t sweeps_bytes(const Call *call, const KeyRange *) { return sweep_layout(call).bytes; }

static Finding sweeps_run(Call *call, Known *) {
  sort_by_sweeps(call, call->workspace);
  return SORTED;
}

extern "C" const Way way_sweeps = {"sweeps", sweeps_bytes, sweeps_run};
