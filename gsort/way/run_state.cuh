// What the ways by runs share: the memory of sorted tiles, and their large buckets.
#ifndef GSORT_WAY_RUN_STATE_CUH
#define GSORT_WAY_RUN_STATE_CUH

#include "gsort/kernel/unpack_runs.cuh"
#include "gsort/way/large_pairs.cuh"

// For these tiles, by their digits; without memory.
static inline RunState run_state(const Call *call, const Shape &tiles) {
  RunState state = {};
  state.n = (unsigned int)call->n;
  state.tile = tiles.elements;
  state.tiles = parts_of(call->n, tiles.elements);
  state.bits = tiles.bits;
  state.code = call->code;
  state.findings = call->findings;
  state.host = call->host;
  return state;
}

static inline void take_pairs(RunState *state, Pieces *pieces) {
  state->pairs = pieces->next<uint2>((size_t)state->tiles * state->tile);
}

static inline void take_table(RunState *state, Pieces *pieces) {
  state->first = pieces->next<unsigned short>((size_t)state->tiles << state->bits);
  state->start = pieces->next<unsigned int>(((size_t)1 << state->bits) + 1);
}

static inline void sort_large_runs(Call *call, const RunState &state) {
  for (unsigned int i = 0; i < call->host->large; i++)
    launch_first(call, unpack_runs, state.tiles, UNPACK_THREADS, 0, state,
                 call->host->bucket[i].begin, call_of_large(call, i).input);
  sort_large_pairs(call);
}

#endif
