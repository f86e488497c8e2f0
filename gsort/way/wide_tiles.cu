// Few wide keys, in tiles that are merged (kernel/sort_wide_tiles.cuh):
//
//   in -sort-> tiles -merge-> .. -merge-> out
//
// 16 bytes of workspace an element.
#include "gsort/kernel/sort_wide_tiles.cuh"
#include "gsort/way/launch.cuh"

enum { TILE_THREADS = 256, TILE_ITEMS = 9, TILE_BIN_BITS = 10, TILE = TILE_THREADS * TILE_ITEMS };
enum { MANY_TILES_FROM = 600000 };  // elements, from which on fewer blocks merge more each

// Where runs are, in turns. The last merge reads the workspace and
// the input, so that the others may use the output. Returns bytes of the workspace.
static size_t plan_tiles(const Call *call, char *workspace, Runs<unsigned int> (&runs)[2]) {
  Pieces pieces = {workspace, 0};
  unsigned int merges = 0;
  for (size_t run = TILE; run < call->n; run *= 2) merges++;
  runs[0] = runs[1] = {};
  for (unsigned int turn = 0; turn < 2; turn++) {
    runs[turn] = {(Wide *)call->output.keys, NULL};
    if (turn != merges % 2) runs[turn].codes = pieces.next<Wide>(call->n);
    runs[turn].values = pieces.next<unsigned int>(call->n);
  }
  return pieces.bytes;
}

// kItems: elements of a thread.
template <int kItems, class Value>
static void merge_all_tiles(Call *call, const Runs<unsigned int> (&runs)[2], unsigned int n,
                            const PlacesByIndex<Wide, Value> &places) {
  constexpr unsigned int kPart = MERGE_THREADS * kItems;
  static_assert(2 * TILE % kPart == 0, "parts of two tiles");
  const unsigned int blocks = parts_of(n, kPart);
  unsigned int run = TILE, turn = 0;
  for (; 2 * run < n; run *= 2, turn = 1 - turn)
    launch_next(call, merge_tiles<kItems, Runs<unsigned int>>, blocks, MERGE_THREADS, 0, runs[turn],
                runs[1 - turn], n, run);
  launch_next(call, merge_tiles<kItems, PlacesByIndex<Wide, Value>>, blocks, MERGE_THREADS, 0,
              runs[turn], places, n, run);
}

template <class Value>
static void sort_tiles(Call *call) {
  const unsigned int n = (unsigned int)call->n;
  const PlacesByIndex<Wide, Value> places = {
      (const Wide *)call->input.keys, (const Value *)call->input.values, (Wide *)call->output.keys,
      (Value *)call->output.values};
  const WideBits number_of = wide_bits_that_count(call);
  Runs<unsigned int> runs[2];
  plan_tiles(call, call->workspace, runs);
  launch_first(call, sort_wide_tiles<TILE_THREADS, TILE_ITEMS, TILE_BIN_BITS>, parts_of(n, TILE),
               TILE_THREADS, sizeof(WideBucketShared<TILE_THREADS, TILE_ITEMS, TILE_BIN_BITS>),
               places.keys, n, number_of, runs[0]);
  if (n <= MANY_TILES_FROM)
    merge_all_tiles<3>(call, runs, n, places);
  else
    merge_all_tiles<6>(call, runs, n, places);
}

static size_t wide_tiles_bytes(const Call *call, const KeyRange *) {
  Runs<unsigned int> runs[2];
  return call->n_on_device == NULL ? plan_tiles(call, NULL, runs) : 0;
}

static Finding wide_tiles_run(Call *call, Known *) {
  if (call->value_bytes == 8)
    sort_tiles<Wide>(call);
  else
    sort_tiles<unsigned int>(call);
  return SORTED;
}

extern "C" const Way way_wide_tiles = {"wide tiles", wide_tiles_bytes, wide_tiles_run};
