// What the ways by runs share: the memory of sorted tiles.
#ifndef GSORT_WAY_RUN_STATE_CUH
#define GSORT_WAY_RUN_STATE_CUH

#include "gsort/block/run_index.cuh"
#include "gsort/way/launch.cuh"

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
}

#endif
