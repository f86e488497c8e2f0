// A merge pass: a block per output tile gathers its pieces of the runs in
// shared memory, merges them there in pairs, and writes the tile once.
#ifndef MERGE_V2_MERGE_TILES_CUH
#define MERGE_V2_MERGE_TILES_CUH

#include "merge_v2/cut_runs.cuh"
#include "merge_v2/merge_path.cuh"

enum { MOST_WAYS = 8 };

// KeyArrays of a tile: every merged pair begins at the first place of a thread,
// so that no thread has a share of two pairs; each of the WAYS / 2 pairs may
// waste a thread.
static inline unsigned int merged_tile(int threads, int items) {
  return (unsigned int)((threads - MOST_WAYS / 2) * items);
}

// Where the pieces of a tile are, and where the runs are to which they are
// merged. `runs` is a binary tree: run 1 is made of runs 2 and 3, these of 4 to
// 7, .. ; pieces are runs WAYS to 2 * WAYS - 1, one behind the other.
template <int WAYS>
struct Layout {
  unsigned int cut[2][WAYS];  // at the tile's begin and end, if the block cuts the runs
  size_t shift[WAYS];         // index among all elements minus index in the tile
  Run runs[2 * WAYS];
};

// Lane j < WAYS of the first warp has the cuts of run j. All lanes call it.
// Fills in the pieces.
template <int WAYS>
static __device__ __forceinline__ void lay_out_pieces(Layout<WAYS> *layout, size_t begin,
                                                      unsigned int cut, unsigned int end_cut) {
  const unsigned int lane = threadIdx.x, length = end_cut - cut;
  unsigned int end = length;
#pragma unroll
  for (int distance = 1; distance < WAYS; distance *= 2) {
    const unsigned int left = __shfl_up_sync(~0u, end, distance);
    if ((int)lane >= distance) end += left;
  }
  if (lane >= WAYS) return;
  const Run piece = {end - length, length};
  layout->runs[WAYS + lane] = piece;
  layout->shift[lane] = begin + cut - piece.begin;
}

// Fills in the other runs, one by each lane of the first warp: they begin at
// the first places of threads.
template <int WAYS, int ITEMS>
static __device__ __forceinline__ void lay_out_runs(Layout<WAYS> *layout) {
  const unsigned int run = threadIdx.x;
  if (run == 0 || run >= WAYS) return;
  const int pairs = 1 << (31 - __clz((int)run)), pieces = WAYS / pairs;
  const Run *const piece = layout->runs + WAYS;
  unsigned int threads = 0;
  Run own = {0, 0};
  for (int j = 0; j <= (int)run - pairs; j++) {
    const Run last = piece[(j + 1) * pieces - 1];
    own.begin = threads * ITEMS;
    own.length = last.begin + last.length - piece[j * pieces].begin;
    threads += (own.length + ITEMS - 1) / ITEMS;
  }
  layout->runs[run] = own;
}

// CUT: the block cuts the runs itself, its first two warps at the tile's begin and end; otherwise
// `cuts` has been filled in by cut_runs.
template <int THREADS, int ITEMS, int WAYS, bool PAIRS, bool CUT>
static __global__ void __launch_bounds__(THREADS, resident_blocks(THREADS, ITEMS, PAIRS))
    merge_tiles(KeyArrays from, KeyArrays to, const unsigned int *cuts, Pass pass) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ unsigned int split[THREADS];
  __shared__ Layout<WAYS> layout;
  wait_for_previous_kernel();
  const KeyArrays tile = tile_in(shared, TileSize<THREADS, ITEMS>::ALL);
  const unsigned int block = blockIdx.x, group = block / pass.tiles_per_group;
  const bool last = block + 1 == pass.tiles || (block + 1) / pass.tiles_per_group != group;
  if (CUT) {
    const unsigned int warp = threadIdx.x / 32;
    if (warp == 0 || (warp == 1 && !last)) {
      const unsigned int cut =
          cut_at_tile<WAYS>(from.keys, pass, block + warp, tile.keys + warp * 32);
      const unsigned int lane = threadIdx.x % 32;
      if (lane % Lanes<WAYS>::AHEAD == 0) layout.cut[warp][lane / Lanes<WAYS>::AHEAD] = cut;
    }
    __syncthreads();
  }
  if (threadIdx.x < 32) {
    const unsigned int j = threadIdx.x < WAYS ? threadIdx.x : 0;
    const size_t begin = (size_t)group * WAYS * pass.width + j * pass.width;
    const unsigned int cut = CUT ? layout.cut[0][j] : cuts[(size_t)block * WAYS + j];
    const unsigned int end_cut = last  ? run_length(pass, begin)
                                 : CUT ? layout.cut[1][j]
                                       : cuts[(size_t)(block + 1) * WAYS + j];
    lay_out_pieces<WAYS>(&layout, begin, cut, threadIdx.x < WAYS ? end_cut : cut);
    __syncwarp();
    lay_out_runs<WAYS, ITEMS>(&layout);
  }
  __syncthreads();
  const unsigned int count = layout.runs[1].length;
  unsigned int i = threadIdx.x;
  for (int j = 0; j < WAYS; j++) {
    const Run piece = layout.runs[WAYS + j];
    start_copies<THREADS, PAIRS>(tile, elements_at<PAIRS>(from, layout.shift[j]), &i,
                                 piece.begin + piece.length);
  }
  clear_rest<THREADS, ITEMS, PAIRS>(tile, count);
  wait_for_copies();
  for (unsigned int pairs = WAYS / 2; pairs > 0; pairs /= 2) {
    const unsigned int own = threadIdx.x * ITEMS;
    unsigned int run = pairs;
    while (run + 1 < 2 * pairs && own >= layout.runs[run + 1].begin) run++;
    merge_round<ITEMS, PAIRS>(tile, split, layout.runs[2 * run], layout.runs[2 * run + 1],
                              own - layout.runs[run].begin, false);
  }
  __syncthreads();
  const size_t base =
      (size_t)group * WAYS * pass.width + (size_t)(block % pass.tiles_per_group) * pass.tile;
  write_tile<THREADS, ITEMS, PAIRS>(elements_at<PAIRS>(to, base), tile, count);
}

#endif
