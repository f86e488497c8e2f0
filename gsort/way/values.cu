// Keys with few distinct values, which a sample has found (block/few_values.cuh).
#include "gsort/kernel/sweep_values.cuh"
#include "gsort/kernel/values.cuh"
#include "gsort/way/pair_sweeps.cuh"

static const SweepTiles tiles = SWEEP_TILES(256, 20, VALUE_BITS, 3);  // of pairs

// The workspace: what a ValueState points to.
typedef struct ValueLayout {
  size_t look_back_words, words;
} ValueLayout;

static ValueLayout value_layout(const Call *call) {
  const size_t look_back = has_values(call) ? look_back_words(tiles, call->n) : 0;
  return {look_back, look_back + VALUE_BINS + 1 + 2 + (has_values(call) ? 0 : (size_t)MOST_STRAYS)};
}

static size_t values_bytes(const Call *call, const KeyRange *) {
  if (has_values(call) && tiles.shared_bytes > call->device->shared_limit) return 0;
  return value_layout(call).words * sizeof(unsigned int);
}

static ValueState value_state(Call *call) {
  const ValueLayout layout = value_layout(call);
  unsigned int *const look_back = (unsigned int *)call->workspace,
                      *const start = look_back + layout.look_back_words,
                      *const words = start + VALUE_BINS + 1;
  return {call->code,
          call->findings,
          start,
          words,
          words + 1,
          look_back,
          layout.look_back_words,
          has_values(call) ? NULL : words + 2,
          fresh_verdict(call)};
}

// Pairs, by one stable sweep.
static void move_pairs(Call *call, ValueState state) {
  const PairBuffers buffers = {call->input, call->output, call->code, {}, {}};
  const PairSweep sweep = {
      (unsigned int)call->n,       0,    state.start, state.tile_counter, state.look_back,
      {state.spread, 0, 1, false}, false};
  launch_sweep(call, tiles, sweep_values<256, 20, 3>, parts_of(call->n, tiles.pairs), buffers,
               sweep, (const Findings *)call->findings);
  launch_next(call, sort_strays, VALUE_BINS / 2, VALUE_THREADS, 0, call->output, state);
}

// The host waits for the count.
static Finding values_run(Call *call, Known *) {
  const ValueState state = value_state(call);
  const unsigned int blocks =
      least_of(parts_of(call->n, 4 * VALUE_THREADS), 2 * call->device->multiprocessors);
  launch_next(call, count_values, blocks, VALUE_THREADS, 0, call->input.keys, call->n, state);
  if (has_values(call))
    move_pairs(call, state);
  else
    launch_next(call, write_values, blocks, VALUE_THREADS, 0, call->output.keys, call->n, state);
  return wait_for_finding(call, UNKNOWN);
}

extern "C" const Way way_values = {"values", values_bytes, values_run};
