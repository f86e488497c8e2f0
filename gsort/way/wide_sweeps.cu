// Sweeps over the digits of wide keys that vary: what suits any of them (kernel/wide_sweep.cuh).
#include "gsort/kernel/wide_sweep.cuh"

#include "gsort/way/sweeps.cuh"

// Tiles of bare keys, and of pairs: fastest on an H200 (LOG.md).
enum { KEY_ITEMS = 24, KEY_BLOCKS = 3, PAIR_ITEMS = 32, PAIR_BLOCKS = 2, HUGE_FROM = 1 << 30 };
#define WIDE_SHAPE(items, blocks) \
  SHAPE(SWEEP_THREADS, items, DIGIT_BITS, blocks, WideSweepShared<items>)
static const Shape key_shape = WIDE_SHAPE(KEY_ITEMS, KEY_BLOCKS),
                   pair_shape = WIDE_SHAPE(PAIR_ITEMS, PAIR_BLOCKS);

typedef DigitOfWide<1, false> WindowOfWhole;  // whole numbers, digits of neighbours
typedef DigitOfWide<DIGIT_RUNS, true> AnyDigit;

// A kernel for each pass, and one for all, behind a way; by value bytes / 4.
typedef void (*const EachSweep[3])(WideElements, WideElements, WideElements, unsigned int, WideBits,
                                   WidePass);
typedef void (*const AllSweeps[3])(WideElements, WideElements, WideElements, unsigned int, WideBits,
                                   WidePass, SweepState, BehindWay);
#define WIDE_KERNELS(kernel, ...)                                   \
  {                                                                 \
    kernel<KEY_ITEMS, KEY_BLOCKS, None, __VA_ARGS__>,               \
        kernel<PAIR_ITEMS, PAIR_BLOCKS, unsigned int, __VA_ARGS__>, \
        kernel<PAIR_ITEMS, PAIR_BLOCKS, Wide, __VA_ARGS__>          \
  }
static EachSweep each_of_whole = WIDE_KERNELS(sweep_wide, unsigned int, WindowOfWhole),
                 each_of_any = WIDE_KERNELS(sweep_wide, unsigned int, AnyDigit),
                 each_huge = WIDE_KERNELS(sweep_wide, Wide, AnyDigit);
static AllSweeps in_one = WIDE_KERNELS(sweep_wide_if_unsorted, unsigned int),
                 in_one_huge = WIDE_KERNELS(sweep_wide_if_unsorted, Wide);

typedef struct WideSweepLayout {
  Shape shape;
  size_t values_at, state_at;
  unsigned int tiles;
  size_t look_back_words;  // of 32 bits, of one look-back
  size_t bytes;
} WideSweepLayout;

static WideSweepLayout layout_of(const Call *call) {
  WideSweepLayout layout;
  layout.shape = call->value_bytes == 0 ? key_shape : pair_shape;
  // The input is the spare memory, as far as there is one.
  const bool needs_keys = !call->overwrite, needs_values = needs_keys || call->input.values == NULL;
  layout.values_at = needs_keys ? aligned_bytes(call->n * sizeof(Wide)) : 0;
  layout.state_at =
      layout.values_at + (needs_values ? aligned_bytes(call->n * call->value_bytes) : 0);
  layout.tiles = parts_of(call->n, layout.shape.elements);
  layout.look_back_words = (size_t)layout.tiles * BINS * (call->n >= HUGE_FROM ? 2 : 1);
  const size_t words = 2 * layout.look_back_words + WIDE_PASSES * BINS + 2 * WIDE_PASSES;
  layout.bytes = layout.state_at + words * sizeof(unsigned int);
  return layout;
}

static size_t wide_sweeps_bytes(const Call *call, const KeyRange *) {
  return layout_of(call).bytes;
}

// The bits that vary and their digits, if the samples say that they are few.
void find_digits_if_sparse(Call *call) {
  launch_next(call, find_wide_digits, 2 * call->device->multiprocessors, COUNT_THREADS, 0,
              (const Wide *)call->input.keys, call->n, call->wide_code, call->findings, call->host);
}

// varying: NULL: digits are bytes.
static void sort_by_wide_digits(Call *call, bool behind_a_way, const VaryingDigits *varying) {
  const WideSweepLayout layout = layout_of(call);
  const size_t n = call->n, kind = call->value_bytes / 4;
  unsigned int *const look_back = (unsigned int *)(call->workspace + layout.state_at),
                      *const start = look_back + 2 * layout.look_back_words,
                      *const counters = start + WIDE_PASSES * BINS;
  const SweepState state = {start,
                            counters,
                            counters + WIDE_PASSES,
                            call->findings->digit_counts,
                            look_back,
                            layout.look_back_words};
  const WideBits number_of = wide_bits_that_count(call);
  const WideElements in = {(Wide *)call->input.keys, call->input.values},
                     out = {(Wide *)call->output.keys, call->output.values},
                     spare = {call->overwrite ? in.keys : (Wide *)call->workspace,
                              call->overwrite && in.values != NULL
                                  ? in.values
                                  : call->workspace + layout.values_at};
  const size_t one_copy = WIDE_PASSES * BINS * sizeof(unsigned int),
               shared_bytes = layout.shape.shared_bytes;
  const unsigned int passes = (unsigned int)(call->bits + DIGIT_BITS - 1) / DIGIT_BITS,
                     sms = call->device->multiprocessors;
  WidePass pass = {0,         passes,       state.spread, start, state.tile_counter,
                   look_back, layout.tiles, varying};
  if (behind_a_way) {
    launch_next(call, (n >= HUGE_FROM ? in_one_huge : in_one)[kind],
                blocks_for(call, layout.shape, layout.tiles), SWEEP_THREADS, shared_bytes, in,
                spare, out, (unsigned int)n, number_of, pass, state,
                BehindWay{call->findings, false, call->n_on_device, false});
    return;
  }
  unsigned int copies = n > 2000000 ? 16 : 2;
  while (copies * one_copy > call->device->shared_limit) copies /= 2;
  clear_words(call, state.counts, WIDE_COUNT_WORDS * sizeof(unsigned int));
  launch_first(call, count_wide_digits,
               least_of(parts_of(n, COUNT_THREADS * 2), sms * (copies > 8 ? 1 : 2)), COUNT_THREADS,
               copies * one_copy, in.keys, n, number_of, state, pass.varying, copies);
  const auto each = n >= HUGE_FROM                                     ? each_huge[kind]
                    : varying == NULL && call->wide_code.negative == 0 ? each_of_whole[kind]
                                                                       : each_of_any[kind];
  for (; pass.number < passes; pass.number++, pass.start += BINS, pass.tile_counter++)
    launch_next(call, each, layout.tiles, SWEEP_THREADS, shared_bytes, in, spare, out,
                (unsigned int)n, number_of, pass);
  if (!call->overwrite) return;
  const auto copy = [&](auto *to, auto *from) {
    launch_next(call, copy_if_even<std::remove_pointer_t<decltype(to)>>, 4 * sms, SWEEP_THREADS, 0,
                from, to, (unsigned int)n, state.spread, passes);
  };
  copy(out.keys, spare.keys);
  if (call->value_bytes == 4) copy((unsigned int *)out.values, (unsigned int *)spare.values);
  if (call->value_bytes == 8) copy((Wide *)out.values, (Wide *)spare.values);
}

Finding sweep_wide_if_unsorted(Call *call) {
  sort_by_wide_digits(call, true, &call->findings->varying);
  return SORTED;
}

// If more bits vary than the samples have shown, the sweeps return at once.
static Finding wide_sweeps_run(Call *call, Known *known) {
  if (known->finding == SPARSE) {
    fresh_verdict(call);
    find_digits_if_sparse(call);
    sort_by_wide_digits(call, false, &call->findings->varying);
    return wait_for_finding(call, UNKNOWN) == UNEVEN ? UNEVEN : SORTED;
  }
  if (call->n_on_device != NULL) clear_words(call, call->findings, CLEARED_BYTES);
  sort_by_wide_digits(call, call->n_on_device != NULL, NULL);
  return SORTED;
}

extern "C" const Way way_wide_sweeps = {"wide sweeps", wide_sweeps_bytes, wide_sweeps_run};
