// A stable pass over one digit of pairs: one read, one write, indices by look-back, as radix_v6's
// one_sweep. New here:
//
//   * Between passes a pair is packed into 8 bytes (pairs_layout.cuh).
//   * Blocks stay. Once the pairs of a tile are in shared memory, their registers are free: the
//     loads of the block's next tile are under way while it looks back and writes this one.
//   * A multiprocessor's only block has the next tile brought into the L2 cache while it ranks this
//     one. Then the threads with a bin look back first: their loads would stand in the way.
//   * The digits that vary decide where a pass reads and writes (find_places); others are skipped.
//   * Instead of counts, bins may have regions (sweep_regions.cuh).
//   * Instead of a digit, a table of values may give the bins (few_values.cuh).
//   * Frequent values may have bins beside those of a digit (frequent_values.cuh).
#ifndef RADIX_V7_PAIRS_SWEEP_CUH
#define RADIX_V7_PAIRS_SWEEP_CUH

#include "gsort/block/look_back.cuh"
#include "common/launch.cuh"
#include "radix_v7/few_values.cuh"
#include "radix_v7/frequent_values.cuh"
#include "radix_v7/pairs_tile.cuh"
#include "radix_v7/sweep_regions.cuh"

// One pass.
typedef struct PairSweep {
  int shift;                   // of the digit
  const unsigned int *start;   // [bins] where the run of each bin starts, if they are counted
  unsigned int *tile_counter;  // deals out tile numbers; 0 before the launch
  unsigned int *look_back;     // [tiles][bins] words of look_back.cuh, cleared
  SweepRoute route;
  SweepRegions regions;
  bool own_tiles;  // blocks begin with the tiles of their own numbers: all blocks fit on the device
                   // together, or there is one for each tile
} PairSweep;

// Two look-backs, side by side, serve four sweeps in turns: each but the last clears the next
// one's. All threads of the grid call it at the end of a sweep. tiles: of each sweep.
template <int kBits>
static __device__ __forceinline__ void clear_next_look_back(const PairSweep &sweep,
                                                            unsigned int tiles) {
  const int pass = sweep.route.pass;
  if (sweep.route.passes != PASSES || pass == PASSES - 1) return;
  const size_t words = (size_t)tiles << kBits, threads = (size_t)gridDim.x * blockDim.x;
  unsigned int *const next = pass % 2 == 0 ? sweep.look_back + words : sweep.look_back - words;
  for (size_t i = global_index(); i < words; i += threads) next[i] = 0;
}

// A thread per bin: publishes the tile's count and turns the warps' counts into the byte offsets of
// the last pair before each warp's own. Returns the index of the bin's first pair, in *total the
// count, and in *same whether all pairs of a full tile share a digit. The last bin's count is less
// by `padding`, pairs that do not exist.
template <int kThreads, int kItems, int kBits>
static __device__ __forceinline__ unsigned int publish_and_place(
    PairSweepShared<kThreads, kItems, kBits> &shared, unsigned int *look_back, unsigned int tile,
    unsigned int *total, bool *same, unsigned int padding = 0) {
  constexpr unsigned int kBins = 1u << kBits, kWarps = kThreads / WARP_SIZE;
  const unsigned int bin = threadIdx.x, warp = threadIdx.x / WARP_SIZE;
  unsigned int counts[kWarps] = {}, count = 0;
  *total = 0;
  if (bin < kBins) {
#pragma unroll
    for (unsigned int w = 0; w < kWarps; w++) count += counts[w] = shared.warp_bin[w][bin];
    *total = count - (bin == kBins - 1 ? padding : 0);
    look_back_publish(&look_back[(size_t)tile * kBins + bin],
                      *total | (tile == 0 ? LOOK_BACK_INCLUSIVE : LOOK_BACK_PARTIAL));
  }
  unsigned int scanned = warp_inclusive_scan(count);
  if (threadIdx.x % WARP_SIZE == WARP_SIZE - 1) shared.warp_sums[warp] = scanned;
  *same = __syncthreads_or(count == kThreads * kItems) != 0;
  for (unsigned int w = 0; w < warp; w++) scanned += shared.warp_sums[w];
  const unsigned int first = scanned - count;
  if (bin < kBins) {
    unsigned int last = (first - 1) * (unsigned int)sizeof(uint2);  // before the very first: -8
#pragma unroll
    for (unsigned int w = 0; w < kWarps; w++) {
      shared.warp_bin[w][bin] = last;
      last += counts[w] * (unsigned int)sizeof(uint2);
    }
  }
  return first;
}

// How bins are given, and where they begin. DIGIT_OR_VALUE, then DIGIT_OF_REST: with frequent
// values.
enum SweepKind { COUNTED_DIGIT, DIGIT_IN_REGIONS, COUNTED_VALUES, DIGIT_OR_VALUE, DIGIT_OF_REST };

// Words of shared memory that a kind of sweep looks its bins up in.
static __host__ __device__ constexpr unsigned int table_words(int kind, unsigned int bins) {
  return kind == DIGIT_IN_REGIONS ? bins  // the pairs of each source
         : kind == COUNTED_VALUES ? MOST_VALUES + 1
         : kind == DIGIT_OR_VALUE ? (unsigned int)SLOTS
         : kind == DIGIT_OF_REST  ? FrequentBefore::kWords
                                  : 1;
}

// The bins of a tile's keys: a function of a key and of its item's number. `table` is shared
// memory. Called anew for each use: bins that were kept would take registers.
template <int kBits, int kKind>
static __device__ __forceinline__ auto bin_at(int shift, const unsigned int *table,
                                              unsigned long long frequent_items) {
  if constexpr (kKind == COUNTED_VALUES)
    return ValueBin<>{table};
  else if constexpr (kKind == DIGIT_OR_VALUE)
    return DigitOrSlotAt{frequent_items, {opaque(HASH_FACTOR)}};
  else
    return PairDigitAt<kBits>{(int)opaque((unsigned int)shift)};
}

template <unsigned int kTile, bool kRegions>
static __device__ __forceinline__ TileSpan tile_span(const SweepRegions &regions,
                                                     const unsigned int *source_count,
                                                     unsigned int n, unsigned int tile) {
  return kRegions ? region_span<kTile>(regions, source_count, tile) : span_of<kTile>(0, n, tile);
}

template <int kThreads, int kItems, int kBits, int kBlocksPerSm, int kKind = COUNTED_DIGIT>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    sweep_pairs(PairBuffers buffers, unsigned int n, PairSweep sweep) {
  constexpr unsigned int kTile = kThreads * kItems, kBins = 1u << kBits;
  constexpr bool kRegions = kKind == DIGIT_IN_REGIONS, kValues = kKind == COUNTED_VALUES;
  constexpr bool kFirstOfFrequent = kKind == DIGIT_OR_VALUE, kRest = kKind == DIGIT_OF_REST;
  constexpr bool kAlone = kBlocksPerSm == 1;
  static_assert(kThreads >= (int)kBins, "a thread per bin");
  extern __shared__ __align__(16) unsigned int shared_memory[];
  __shared__ unsigned int table[table_words(kKind, kBins)];
  __shared__ unsigned int rest_in_tile;  // with DIGIT_OR_VALUE: pairs without a frequent value
  typedef PairSweepShared<kThreads, kItems, kBits> Shared;
  Shared &shared = *(Shared *)shared_memory;
  const SweepRegions &regions = sweep.regions;
  const unsigned int bin = threadIdx.x;
  unsigned int *const bins = shared.warp_bin[threadIdx.x / WARP_SIZE];
  PairItems<kItems> item;
  // The input is no kernel's work: it can be read before the count or the sample is there.
  const bool early = sweep.own_tiles && sweep.route.pass == 0;
  if (early) load_pairs<kThreads>(buffers, AT_INPUT, span_of<kTile>(0, n, blockIdx.x), item);
  wait_for_previous_kernel();
  if (kRest) n = frequent.rest;
  const unsigned int tiles = kRegions ? tiles_of(regions) : (n + kTile - 1) / kTile;
  if (threadIdx.x == 0) {
    shared.next_tile = sweep.own_tiles ? blockIdx.x : atomicAdd(sweep.tile_counter, 1u);
    if (kRegions)
      find_region_places(regions, sweep.route, &shared.from, &shared.to);
    else
      find_places(sweep.route, &shared.from, &shared.to);
    if (!kRegions && sweep.route.host != NULL && blockIdx.x == 0 && shared.to != NOWHERE)
      sweep.route.host->verdict = FITS;
  }
  if (kRegions) load_source_counts(regions, n, table);
  if (kValues) load_value_table(table);
  if (kFirstOfFrequent) load_slots(table);
  if (kRest) FrequentBefore::load(table);
  __syncthreads();
  const int from = shared.from, to = shared.to;
  unsigned int tile = shared.next_tile;
  if (to == NOWHERE) tile = tiles;
  if (!early && tile < tiles)
    load_pairs<kThreads>(buffers, from, tile_span<kTile, kRegions>(regions, table, n, tile), item);
  const unsigned int start = bin >= kBins       ? 0
                             : kRegions         ? bin * regions.room
                             : kFirstOfFrequent ? start_of_bin(sweep.start, bin)
                                                : sweep.start[bin];
  const unsigned int rest = to == AT_HALVES ? buffers.halves.behind : NO_HALF;

  while (tile < tiles) {
    const unsigned int valid = tile_span<kTile, kRegions>(regions, table, n, tile).valid;
    unsigned int next = 0, count = 0;
    bool same;
    if (threadIdx.x == 0) {
      const bool stop = kRegions && is_full(regions, sweep.route);
      next = stop ? tiles : atomicAdd(sweep.tile_counter, 1u) + (sweep.own_tiles ? gridDim.x : 0);
    }
    unsigned long long frequent_items = 0;
    if constexpr (kFirstOfFrequent) frequent_items = find_frequent_items(item.key, table);
    count_digits_of_warp<kBits>(bins, item,
                                bin_at<kBits, kKind>(sweep.shift, table, frequent_items));
    __syncthreads();
    const unsigned int first = publish_and_place(shared, sweep.look_back, tile, &count, &same,
                                                 kRegions ? kTile - valid : 0);
    if (threadIdx.x == 0) {
      shared.next_tile = next;
      if (kAlone && next < tiles)
        prefetch_pairs<kTile>(buffers, from, tile_span<kTile, kRegions>(regions, table, n, next));
    }
    __syncthreads();

    const auto bin_of_pair = bin_at<kBits, kKind>(sweep.shift, table, frequent_items);
    if (__any_sync(0xffffffffu, same))  // the compiler knows: all lanes go the same way
      keep_pairs(shared.tile, item);
    else
      rank_pairs<kBits>(bins, shared.tile, item, bin_of_pair);
    compiler_fence();
    const unsigned int this_tile = tile;
    tile = shared.next_tile;
    const auto load_next = [&] {
      if (tile < tiles)
        load_pairs<kThreads>(buffers, from, tile_span<kTile, kRegions>(regions, table, n, tile),
                             item);
      compiler_fence();
    };
    if (!kAlone) load_next();

    bool not_plain = false;
    if (bin < kBins) {
      const unsigned int before = look_back_sum(sweep.look_back + bin, kBins, this_tile);
      if (this_tile > 0)
        look_back_publish(&sweep.look_back[(size_t)this_tile * kBins + bin],
                          (before + count) | LOOK_BACK_INCLUSIVE);
      const bool fits =
          !kRegions || note_run(regions, sweep.route, this_tile, before, before + count);
      if (kFirstOfFrequent && bin == BINS) rest_in_tile = first;
      shared.bin_shift[bin] = fits ? start + before - first : LOST;
      not_plain = !fits || (count > 0 && start + before + count > rest);
    }
    compiler_fence();
    if (kAlone) load_next();
    const bool plain = __syncthreads_or(not_plain) == 0 && valid == kTile;
    if constexpr (kFirstOfFrequent)
      write_to_both(buffers, shared, valid, rest_in_tile);
    else if constexpr (kRest)
      write_pairs(buffers, to, shared, valid, plain, bin_of_pair, FrequentBefore{table});
    else
      write_pairs(buffers, to, shared, valid, plain, bin_of_pair);
  }
  if constexpr (kBits == DIGIT_BITS && kKind == COUNTED_DIGIT)
    clear_next_look_back<kBits>(sweep, tiles);
  if (kRegions && to == AT_SCRATCH) finish_regions(regions, sweep.route, kBins, shared.warp_sums);
}

#endif
