// Few wide keys, in tiles that are merged (kernel/sort_wide_tiles.cuh):
//
//   in -sort-> tiles -merge-> .. -merge-> out
#include "gsort/kernel/sort_wide_tiles.cuh"
#include "gsort/way/launch.cuh"

enum { TILE_THREADS = 256, TILE_ITEMS = 9, TILE_BIN_BITS = 10, TILE = TILE_THREADS * TILE_ITEMS };

// Bytes of the workspace: tiles, and what they are merged to, in turns; 0 if there is one tile.
static size_t plan_tiles(const Call *call, char *workspace, CodesInOrder (&runs)[2]) {
  Pieces pieces = {workspace, 0};
  for (CodesInOrder &of_turn : runs) {
    of_turn = {NULL, NULL};
    if (call->n <= TILE) continue;
    of_turn.codes = pieces.next<Wide>(call->n);
    of_turn.places = pieces.next<unsigned int>(call->n);
  }
  return pieces.bytes;
}

template <class Value>
static void sort_tiles(Call *call) {
  const unsigned int n = (unsigned int)call->n;
  const FewPairs<Value> pairs = {(const Wide *)call->input.keys, (const Value *)call->input.values,
                                 n, (Wide *)call->output.keys, (Value *)call->output.values};
  const WideBits number_of = {call->wide_code, call->begin_bit, ~0ull >> (64 - call->bits)};
  CodesInOrder runs[2];
  plan_tiles(call, call->workspace, runs);
  launch_first(call, sort_wide_tiles<TILE_THREADS, TILE_ITEMS, TILE_BIN_BITS, Value>,
               parts_of(n, TILE), TILE_THREADS,
               sizeof(WideBucketShared<TILE_THREADS, TILE_ITEMS, TILE_BIN_BITS>), pairs, number_of,
               runs[0]);
  if (n <= TILE) return;
  const unsigned int blocks = parts_of(n, PASS_THREADS * PASS_ITEMS);
  unsigned int run = TILE, turn = 0;
  for (; 2 * run < n; run *= 2, turn = 1 - turn)
    launch_next(call, merge_tiles, blocks, PASS_THREADS, 0, runs[turn], runs[1 - turn], n, run);
  launch_next(call, merge_last_tiles<Value>, blocks, PASS_THREADS, 0, pairs, runs[turn], run);
}

static size_t wide_tiles_bytes(const Call *call, const KeyRange *) {
  CodesInOrder runs[2];
  return call->n_on_device == NULL ? plan_tiles(call, NULL, runs) + 1 : 0;
}

static Finding wide_tiles_run(Call *call, Known *) {
  if (call->value_bytes == 8)
    sort_tiles<Wide>(call);
  else
    sort_tiles<unsigned int>(call);
  return SORTED;
}

extern "C" const Way way_wide_tiles = {"wide tiles", wide_tiles_bytes, wide_tiles_run};
