// Moves packed pairs to bins, in one stable sweep: gsort's pass over a digit, but a bin may lie in
// the memory of any GPU.
#include <string.h>

#include "common/device.h"
#include "common/pairs.cuh"
#include "common/scratch.h"
#include "gsort/block/pair_sweep.cuh"
#include "multi/move/bins.cuh"

// Which bin a pair belongs to, and where the shard's first pair of each bin goes.
typedef struct PairRoute {
  int shift, bits;
  unsigned int mask;           // digits - 1
  unsigned int from;           // two ranks: least key of the second, if that is all that matters
  unsigned int borders;        // ranks - 1
  const Splitter *splitters;   // [borders]
  uint2 *const *to;            // [bins]
  unsigned int *tile_counter;  // deals out tile numbers, from 0
  unsigned int *look_back;     // [tiles][2^kBits] words of look_back.cuh, cleared
} PairRoute;

template <int kThreads, int kItems, int kBits>
struct PairMoveShared {
  PairSweepShared<kThreads, kItems, kBits> sweep;
  RunLines<uint2, 1 << kBits, kThreads * kItems> runs;
  Splitter splitters[BINS_MOST_RANKS];
};

// The bin of item u. kAtKey: of two ranks, the border at a key.
template <bool kAtKey>
struct PairBinAt {
  int shift, bits;
  unsigned int mask, from, borders;
  const Splitter *splitters;
  unsigned int index;  // in the shard, of item 0

  __device__ __forceinline__ unsigned int operator()(unsigned int key, int u) const {
    const unsigned int rank =
        kAtKey ? key >= from
               : upper_bound(splitters, borders,
                             (Splitter)key << 32 | (index + (unsigned int)u * WARP_SIZE));
    return rank << bits | (key >> shift & mask);
  }
};

template <int kThreads, int kItems, int kBits, int kBlocksPerSm, bool kAtKey>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    move_pair_tile(Elements input, unsigned int n, PairRoute route) {
  constexpr unsigned int kTile = kThreads * kItems, kBins = 1u << kBits;
  static_assert(kThreads >= (int)kBins, "a thread per bin");
  extern __shared__ __align__(16) unsigned int shared_memory[];
  typedef PairMoveShared<kThreads, kItems, kBits> Shared;
  Shared &shared = *(Shared *)shared_memory;
  if (threadIdx.x == 0) {
    shared.sweep.next_tile = atomicAdd(route.tile_counter, 1u);
    shared.runs.count = 0;
  }
  if (!kAtKey && threadIdx.x < route.borders)
    shared.splitters[threadIdx.x] = route.splitters[threadIdx.x];
  __syncthreads();
  const unsigned int tile = shared.sweep.next_tile, begin = tile * kTile, bin = threadIdx.x;
  const unsigned int valid = n - begin < kTile ? n - begin : kTile;
  unsigned int *const bins = shared.sweep.warp_bin[threadIdx.x / WARP_SIZE];
  PairItems<kItems> item;
  load_pairs<kThreads>(input, TileSpan{begin, valid}, ~0u, item);
  PairBinAt<kAtKey> bin_at = {(int)opaque((unsigned int)route.shift),
                              route.bits,
                              route.mask,
                              route.from,
                              route.borders,
                              shared.splitters,
                              begin + first_item<kItems>()};
  count_digits_of_warp<kBits>(bins, item, bin_at);
  __syncthreads();
  unsigned int count;
  bool same;
  const unsigned int first =
      publish_and_place(shared.sweep, route.look_back, tile, 0, &count, &same);
  __syncthreads();
  bin_at.shift = (int)opaque((unsigned int)route.shift);  // bins are not kept in registers
  if (__any_sync(0xffffffffu, same))  // the compiler knows: all lanes go the same way
    keep_pairs(shared.sweep.tile, item);
  else
    rank_pairs<kBits>(bins, shared.sweep.tile, item, bin_at);
  compiler_fence();

  uint2 *to = NULL;
  unsigned int run = 0;  // its length without padding, which is behind all pairs
  if (bin < kBins) {
    const unsigned int before = look_back_sum(route.look_back + bin, kBins, tile);
    if (tile > 0)
      look_back_publish(&route.look_back[(size_t)tile * kBins + bin],
                        (before + count) | LOOK_BACK_INCLUSIVE);
    run = first >= valid ? 0 : min(count, valid - first);
    if (run > 0) to = route.to[bin] + before;
  }
  note_lines(shared.runs, first, run, to);
  __syncthreads();
  write_lines<kThreads>(shared.runs, shared.sweep.tile);
}

enum { BIN_THREADS = 512, BIN_QUADS = 4, BIN_COPIES = 8 };  // counters of a bin

// counts[b] += keys of bin b.
template <bool kAtKey>
static __global__ void __launch_bounds__(BIN_THREADS, 2)
    count_bins(const unsigned int *keys, unsigned int n, PairRoute route, unsigned int *counts) {
  __shared__ unsigned int counter[PAIR_MOVE_MOST_BINS * BIN_COPIES];
  __shared__ Splitter splitters[BINS_MOST_RANKS];
  for (unsigned int i = threadIdx.x; i < PAIR_MOVE_MOST_BINS * BIN_COPIES; i += BIN_THREADS)
    counter[i] = 0;
  if (!kAtKey && threadIdx.x < route.borders) splitters[threadIdx.x] = route.splitters[threadIdx.x];
  __syncthreads();
  PairBinAt<kAtKey> bin_at = {route.shift,   route.bits, route.mask, route.from,
                              route.borders, splitters,  0};
  unsigned int *const own = counter + threadIdx.x % BIN_COPIES;
  const unsigned int quads = n / 4, round = BIN_QUADS * BIN_THREADS;
  for (unsigned int begin = blockIdx.x * round; begin < quads; begin += gridDim.x * round) {
    uint4 quad[BIN_QUADS] = {};
#pragma unroll
    for (int u = 0; u < BIN_QUADS; u++) {
      const unsigned int i = begin + u * BIN_THREADS + threadIdx.x;
      if (i < quads) quad[u] = __ldcs((const uint4 *)keys + i);
    }
#pragma unroll
    for (int u = 0; u < BIN_QUADS; u++) {
      const unsigned int i = begin + u * BIN_THREADS + threadIdx.x;
      if (i >= quads) break;
      const unsigned int key[4] = {quad[u].x, quad[u].y, quad[u].z, quad[u].w};
      for (unsigned int k = 0; k < 4; k++) {
        bin_at.index = 4 * i + k;
        atomicAdd(&own[bin_at(key[k], 0) * BIN_COPIES], 1u);
      }
    }
  }
  if (blockIdx.x == 0 && threadIdx.x < n % 4) {
    bin_at.index = 4 * quads + threadIdx.x;
    atomicAdd(&own[bin_at(keys[bin_at.index], 0) * BIN_COPIES], 1u);
  }
  __syncthreads();
  for (unsigned int b = threadIdx.x; b < PAIR_MOVE_MOST_BINS; b += BIN_THREADS) {
    unsigned int sum = 0;
    for (unsigned int c = 0; c < BIN_COPIES; c++) sum += counter[b * BIN_COPIES + c];
    if (sum > 0) atomicAdd(&counts[b], sum);
  }
}

// ---- host ---------------------------------------------------------------------------------------

typedef void PairMoveKernel(Elements, unsigned int, PairRoute);

// kernel[1]: the border is at a key.
typedef struct PairMoveShape {
  int bits;
  unsigned int threads, tile;
  size_t shared_bytes;
  PairMoveKernel *kernel[2];
} PairMoveShape;

#define PAIR_MOVE_SHAPE(threads, items, bits, blocks)                              \
  {                                                                                \
    bits, threads, threads *items, sizeof(PairMoveShared<threads, items, bits>), { \
      move_pair_tile<threads, items, bits, blocks, false>,                         \
          move_pair_tile<threads, items, bits, blocks, true>                       \
    }                                                                              \
  }

// By number of bins.
static const PairMoveShape move_shapes[] = {PAIR_MOVE_SHAPE(512, 36, 8, 1),
                                            PAIR_MOVE_SHAPE(512, 36, 9, 1)};
static_assert(1 << 9 == PAIR_MOVE_MOST_BINS, "the last shape");

static size_t look_back_words(const PairMoveShape *shape, size_t n) {
  return (size_t)blocks_for(n, (int)shape->tile) << shape->bits;
}

size_t pair_move_look_back(size_t n) {
  size_t words = 0;
  for (const PairMoveShape &shape : move_shapes)
    if (look_back_words(&shape, n) > words) words = look_back_words(&shape, n);
  return words + 4;  // the tile counter
}

// Whether the key of the only border decides alone.
static bool is_one_at_key(const BinTables *tables, const Splitter *splitters, size_t n) {
  return tables->ranks == 2 && is_at_key(splitters[0], n);
}

static PairRoute make_route(const BinTables *tables, PairDigitBits digit,
                            const Splitter *splitters) {
  const BinArrays device = bin_arrays(tables->device, tables->ranks);
  PairRoute route = {};
  route.shift = digit.shift;
  route.bits = digit.bits;
  route.mask = (1u << digit.bits) - 1;
  route.from = least_key_behind(splitters[0]);
  route.borders = (unsigned int)tables->ranks - 1;
  route.splitters = device.splitters;
  route.to = (uint2 *const *)device.to;
  return route;
}

void count_pair_bins(const BinTables *tables, const unsigned int *keys, size_t n,
                     const Splitter *splitters, PairDigitBits digit, uint64_t *size) {
  const int ranks = tables->ranks;
  const BinArrays host = bin_arrays(tables->host, ranks);
  unsigned int *const counts = bin_arrays(tables->device, ranks).number;
  const PairRoute route = make_route(tables, digit, splitters);
  const size_t bytes = PAIR_MOVE_MOST_BINS * sizeof *counts;
  for (int b = 0; b < ranks - 1; b++) host.splitters[b] = splitters[b];
  memset(host.number, 0, bytes);
  copy_bin_arrays(tables);
  if (n > 0) {
    const unsigned int wanted = blocks_for(n, 4 * BIN_QUADS * BIN_THREADS),
                       most = 2 * (unsigned int)device_attribute(cudaDevAttrMultiProcessorCount);
    const auto kernel = is_one_at_key(tables, splitters, n) ? count_bins<true> : count_bins<false>;
    const unsigned int blocks = wanted < most ? wanted : most;
    kernel<<<blocks, BIN_THREADS>>>(keys, (unsigned int)n, route, counts);
    LAUNCH_CHECK();
  }
  CUDA_CHECK(cudaMemcpy(host.number, counts, bytes, cudaMemcpyDeviceToHost));
  for (int b = 0; b < ranks << digit.bits; b++) size[b] = host.number[b];
}

void move_pairs_to_bins(const BinTables *tables, const unsigned int *keys,
                        const unsigned int *positions, size_t n, const Splitter *splitters,
                        PairDigitBits digit, unsigned int *const *arrays, const uint64_t *first,
                        unsigned int *look_back) {
  const int bins = tables->ranks << digit.bits;
  const PairMoveShape *const shape = &move_shapes[bins > 1 << move_shapes[0].bits];
  const BinArrays host = bin_arrays(tables->host, tables->ranks);
  for (int b = 0; b < tables->ranks - 1; b++) host.splitters[b] = splitters[b];
  for (int b = 0; b < bins; b++) host.to[b] = (uint2 *)arrays[b] + first[b];
  copy_bin_arrays(tables);
  if (n == 0) return;
  PairRoute route = make_route(tables, digit, splitters);
  route.tile_counter = look_back + look_back_words(shape, n);
  route.look_back = look_back;
  const Elements input = {(unsigned int *)keys, (unsigned int *)positions};
  PairMoveKernel *const kernel = shape->kernel[is_one_at_key(tables, splitters, n)];
  allow_shared_memory(kernel, shape->shared_bytes);
  kernel<<<blocks_for(n, (int)shape->tile), shape->threads, shape->shared_bytes>>>(
      input, (unsigned int)n, route);
  LAUNCH_CHECK();
}
