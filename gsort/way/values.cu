// Keys with few distinct values, which a sample has found (block/few_values.cuh).
#include "gsort/kernel/values.cuh"
#include "gsort/way/pair_sweeps.cuh"
#include "gsort/way/sweeps.cuh"

static const Shape tiles = SWEEP_TILES(256, 20, VALUE_BITS, 3);  // of pairs

// What lies in the workspace, of which *bytes are needed; without one only these are of use.
static ValueState value_state(const Call *call, char *workspace, size_t *bytes) {
  Pieces pieces = {workspace, 0};
  ValueState state = {};
  state.code = call->code;
  state.findings = call->findings;
  state.host = call->host;
  state.look_back_words = has_values(call) ? look_back_words(tiles, call->n) : 0;
  state.look_back = pieces.next<unsigned int>(state.look_back_words);
  state.start = pieces.next<unsigned int>(VALUE_BINS + 1);
  state.spread = pieces.next<unsigned int>(1);
  state.tile_counter = pieces.next<unsigned int>(1);
  if (!has_values(call)) state.stray = pieces.next<unsigned int>(MOST_STRAYS);
  *bytes = pieces.bytes;
  return state;
}

static size_t values_bytes(const Call *call, const KeyRange *) {
  size_t bytes;
  value_state(call, NULL, &bytes);
  return has_values(call) && !fits(call, tiles) ? 0 : bytes;
}

// Pairs, by one stable sweep.
static void move_pairs(Call *call, ValueState state) {
  const PairBuffers buffers = {call->input, call->output, call->code, {}, {}};
  const PairSweep sweep = {
      (unsigned int)call->n,       0,    state.start, state.tile_counter, state.look_back,
      {state.spread, 0, 1, false}, false};
  launch_sweep(call, tiles, sweep_values<256, 20, 3>, parts_of(call->n, tiles.elements), buffers,
               sweep, (const Findings *)call->findings);
  launch_next(call, sort_strays, VALUE_BINS / 2, VALUE_THREADS, 0, call->output, state);
}

static unsigned int value_blocks(const Call *call) {
  return least_of(parts_of(call->n, 4 * VALUE_THREADS), 2 * call->device->multiprocessors);
}

void launch_values_if_few(Call *call) {
  size_t bytes;
  launch_next(call, sort_values_if_few, value_blocks(call), VALUE_THREADS, 0,
              (const unsigned int *)call->input.keys, call->output.keys, call->n,
              value_state(call, call->workspace, &bytes));
}

// The host waits for the count.
static Finding values_run(Call *call, Known *) {
  size_t bytes;
  fresh_verdict(call);
  const ValueState state = value_state(call, call->workspace, &bytes);
  const unsigned int blocks = value_blocks(call);
  launch_next(call, count_values, blocks, VALUE_THREADS, 0, call->input.keys, call->n, state);
  if (has_values(call))
    move_pairs(call, state);
  else
    launch_next(call, write_values, blocks, VALUE_THREADS, 0, call->output.keys, call->n, state);
  return wait_for_finding(call, UNKNOWN);
}

extern "C" const Way way_values = {"values", values_bytes, values_run};
