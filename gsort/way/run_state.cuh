// What the ways by runs share: the memory of sorted tiles, and their large buckets.
#ifndef GSORT_WAY_RUN_STATE_CUH
#define GSORT_WAY_RUN_STATE_CUH

#include "gsort/kernel/unpack_runs.cuh"
#include "gsort/way/large_pairs.cuh"

// For tiles of `tile` pairs, by digits of `bits` bits; without memory.
static inline RunState run_state(const Call *call, unsigned int tile, int bits) {
  RunState state = {};
  state.n = (unsigned int)call->n;
  state.tile = tile;
  state.tiles = parts_of(call->n, tile);
  state.bits = bits;
  state.code = call->code;
  state.findings = call->findings;
  state.host = call->host;
  return state;
}

// The sorted tiles, and the table, behind which `start` lies.
static inline size_t run_pair_bytes(const RunState &state) {
  return aligned_bytes((size_t)state.tiles * state.tile * sizeof(uint2));
}

static inline size_t run_table_bytes(const RunState &state) {
  const size_t bins = (size_t)1 << state.bits;
  return aligned_bytes(state.tiles * bins * sizeof(unsigned short) +
                       (bins + 1) * sizeof(unsigned int));
}

static inline void point_run_state(RunState *state, char *pairs, char *table) {
  const size_t bins = (size_t)1 << state->bits;
  state->pairs = (uint2 *)pairs;
  state->first = (unsigned short *)table;
  state->start = (unsigned int *)(state->first + state->tiles * bins);
}

// How many blocks sort the tiles, if a multiprocessor holds `each`.
static inline unsigned int tile_blocks(const Call *call, const RunState &state, unsigned int each) {
  return least_of(state.tiles, each * call->device->multiprocessors);
}

static inline void sort_large_runs(Call *call, const RunState &state) {
  for (unsigned int i = 0; i < call->host->large; i++)
    launch_first(call, unpack_runs, state.tiles, UNPACK_THREADS, 0, state,
                 call->host->bucket[i].begin, call_of_large(call, i).input);
  sort_large_pairs(call);
}

#endif
