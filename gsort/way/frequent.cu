// Uneven pairs of which some values may be frequent (block/frequent_values.cuh): the input is
// overwritten. way/pair_regions.cu has looked for such values before.
#include "gsort/kernel/frequent.cuh"
#include "gsort/way/packed_sweeps.cuh"

static size_t frequent_bytes(const Call *call, const KeyRange *) {
  return may_be_frequent(call) ? packed_layout(call, NULL).digits.bytes : 0;
}

static void count(Call *call, SweepState state) {
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
static void sweep_all(Call *call, const PackedLayout &layout) {
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
  count(call, state);
  if (wait_for_finding(call, UNKNOWN) == FEW_VALUES)
    sweep_all(call, layout);
  else
    sweep_all_packed(call, call->workspace);
  return SORTED;
}

extern "C" const Way way_frequent = {"frequent values", frequent_bytes, frequent_run};
