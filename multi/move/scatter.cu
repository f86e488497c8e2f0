// Moves bare keys to bins, in any order within a bin. As gsort's partition step, but a bin may lie
// in the memory of any GPU, and elements equal to a border's key may be divided by their index.
#include "common/device.h"
#include "common/pairs.cuh"
#include "common/scratch.h"
#include "gsort/block/bins.cuh"
#include "multi/move/bins.cuh"

enum {
  THREADS = 1024,
  ITEMS = 32,  // of a thread; large tiles have long runs, of which fewer links' packets are cut
  TILE = THREADS * ITEMS,
  EACH = 4,  // counters of a thread
  COUNTERS = THREADS * EACH,
  BLOCKS_PER_SM = 1,
  FEW_BORDERS = 7,  // compared in registers
};
static_assert((int)THREADS > (int)SCATTER_MOST_BINS, "a thread for each bin");
static_assert((int)ITEMS <= 32, "a bit for each key of a thread");

// Which bin a key belongs to, and where the bins' next keys go.
typedef struct Route {
  int shift;          // of the digit
  unsigned int mask;  // digits - 1
  int copy_bits;      // each bin has 2^copy_bits counters in a block
  unsigned int bins, borders;
  unsigned int from[FEW_BORDERS];  // least key behind each border, if that is all that matters
  const Splitter *splitters;       // [borders]
  unsigned int *const *arrays;     // [bins] the array that the bin lies in
  unsigned int *next;              // [bins] index in it of the next key
  BinPart part;                    // bins to move, unless it is all of them
} Route;

typedef struct Shared {
  unsigned int counter[COUNTERS];  // counts, then indices in the tile
  unsigned int tile[TILE];
  unsigned int first[SCATTER_MOST_BINS + 1];  // index in the tile of each bin's first key
  RunLines<unsigned int, SCATTER_MOST_BINS, TILE> runs;
  Splitter splitters[BINS_MOST_RANKS];
  BinPart part;
  unsigned int warp_sums[MAX_WARPS];
} Shared;

// kBorders: number of borders, all at a key; 0: any number, and elements with a border's key may
// be divided by their index i.
template <int kBorders>
static __device__ __forceinline__ unsigned int bin_of_key(const Route &route, const Shared &shared,
                                                          unsigned int key, unsigned int i) {
  unsigned int bin = key >> route.shift & route.mask;
  if constexpr (kBorders > 0) {
#pragma unroll
    for (int b = 0; b < kBorders; b++) bin += key >= route.from[b];
    return bin;
  }
  return bin + upper_bound(shared.splitters, route.borders, (Splitter)key << 32 | i);
}

template <bool kPart>
static __device__ __forceinline__ bool is_moved(const Shared &shared, unsigned int bin) {
  return !kPart || (shared.part.word[bin / 32] >> bin % 32 & 1) != 0;
}

// Adds 1 to the counter of the lane's bin, if its key is moved; returns what it was. kShared: lanes
// with one counter queue for it, so if all have one bin, one of them adds for all. Counting and
// placing decide alike.
template <bool kShared>
static __device__ __forceinline__ unsigned int add_one(unsigned int *counter, unsigned int bin,
                                                       int copy_bits, bool moved) {
  if constexpr (kShared) {
    const unsigned int all = 0xffffffffu, lane = threadIdx.x % WARP_SIZE;
    if (__all_sync(all, bin == __shfl_sync(all, bin, 0))) {
      unsigned int before = 0;
      if (lane == 0 && moved)
        before = atomicAdd(&counter[bin << copy_bits], (unsigned int)WARP_SIZE);
      return __shfl_sync(all, before, 0) + lane;
    }
  }
  return moved ? atomicAdd(&counter[bin << copy_bits], 1u) : 0;
}

// kFull: the tile's keys stay in registers; a shorter tile is read twice. kPart: only keys of
// shared.part are moved.
template <int kBorders, bool kPart, bool kFull>
static __device__ __forceinline__ void scatter_tile(const unsigned int *keys, unsigned int begin,
                                                    unsigned int valid, Route route,
                                                    Shared &shared) {
  const unsigned int copies = 1u << route.copy_bits;
  unsigned int *const counter = shared.counter + threadIdx.x % copies;
  const unsigned int i = begin + threadIdx.x;
  const int left = (int)valid - (int)threadIdx.x;
  unsigned int key[kFull ? ITEMS : 1], moved = 0;  // bit u: key[u] is
  if constexpr (kFull) {
#pragma unroll
    for (int u = 0; u < ITEMS; u++) key[u] = __ldcs(&keys[i + u * THREADS]);
#pragma unroll
    for (int u = 0; u < ITEMS; u++) {
      const unsigned int bin = bin_of_key<kBorders>(route, shared, key[u], i + u * THREADS);
      const bool is = is_moved<kPart>(shared, bin);
      moved |= (unsigned int)is << u;
      add_one<kBorders == 0>(counter, bin, route.copy_bits, is);
    }
  } else {
    for (int k = 0; k < left; k += THREADS) {
      const unsigned int bin = bin_of_key<kBorders>(route, shared, keys[i + k], i + k);
      add_one<false>(counter, bin, route.copy_bits, is_moved<kPart>(shared, bin));
    }
  }
  __syncthreads();
  scan_counters<EACH>(shared.counter, shared.warp_sums, copies, shared.first, route.bins + 1);
  __syncthreads();

  // Reserves space for the tile's run of each bin; the answers arrive while the tile is filled.
  const unsigned int bin = threadIdx.x;
  const unsigned int first = bin < route.bins ? shared.first[bin] : 0,
                     count = bin < route.bins ? shared.first[bin + 1] - first : 0;
  const unsigned int next = count > 0 ? atomicAdd(&route.next[bin], count) : 0;
  route.shift = (int)opaque((unsigned int)route.shift);  // bins are not kept in registers
  if constexpr (kFull) {
#pragma unroll
    for (int u = 0; u < ITEMS; u += PLACE_BATCH) {
      unsigned int place[PLACE_BATCH];
#pragma unroll
      for (int q = 0; q < PLACE_BATCH; q++)
        place[q] = add_one<kBorders == 0>(
            counter, bin_of_key<kBorders>(route, shared, key[u + q], i + (u + q) * THREADS),
            route.copy_bits, !kPart || (moved >> (u + q) & 1) != 0);
#pragma unroll
      for (int q = 0; q < PLACE_BATCH; q++)
        if (!kPart || (moved >> (u + q) & 1) != 0) shared.tile[place[q]] = key[u + q];
    }
  } else {
    for (int k = 0; k < left; k += THREADS) {
      const unsigned int b = bin_of_key<kBorders>(route, shared, keys[i + k], i + k);
      if (!is_moved<kPart>(shared, b)) continue;
      shared.tile[atomicAdd(&counter[b << route.copy_bits], 1u)] = keys[i + k];
    }
  }
  note_lines(shared.runs, first, count, count > 0 ? route.arrays[bin] + next : NULL);
  __syncthreads();
  write_lines<THREADS>(shared.runs, shared.tile);
}

template <int kBorders, bool kPart>
static __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    scatter_kernel(const unsigned int *keys, unsigned int n, Route route) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  Shared &shared = *(Shared *)shared_memory;
  if (kBorders == 0 && threadIdx.x < route.borders)
    shared.splitters[threadIdx.x] = route.splitters[threadIdx.x];
  if (kPart && threadIdx.x == 0) shared.part = route.part;
  for (unsigned int tile = blockIdx.x;;) {
    const unsigned int begin = tile * TILE;
    clear_counters<THREADS>(shared.counter, COUNTERS);
    if (threadIdx.x == 0) shared.runs.count = 0;
    __syncthreads();
    if (n - begin >= TILE)
      scatter_tile<kBorders, kPart, true>(keys, begin, TILE, route, shared);
    else
      scatter_tile<kBorders, kPart, false>(keys, begin, n - begin, route, shared);
    tile += gridDim.x;
    if (!kPart || tile >= (n + TILE - 1) / TILE) return;
    __syncthreads();
  }
}

typedef void ScatterKernel(const unsigned int *, unsigned int, Route);
// By number of borders that are compared in registers; [0]: any number.
#define KERNELS(part)                                                              \
  {                                                                                \
    scatter_kernel<0, part>, scatter_kernel<1, part>, scatter_kernel<2, part>,     \
        scatter_kernel<3, part>, scatter_kernel<4, part>, scatter_kernel<5, part>, \
        scatter_kernel<6, part>, scatter_kernel<7, part>                           \
  }
static ScatterKernel *const kernels[2][FEW_BORDERS + 1] = {KERNELS(false), KERNELS(true)};

// ---- host ---------------------------------------------------------------------------------------

BinTables bin_tables_create(int ranks) {
  BinTables tables = {ranks, NULL, NULL};
  CUDA_CHECK(cudaMallocHost(&tables.host, bin_arrays_bytes(ranks)));
  tables.device = scratch_alloc(bin_arrays_bytes(ranks));
  return tables;
}

void bin_tables_destroy(BinTables *tables) {
  scratch_free(tables->device);
  CUDA_CHECK(cudaFreeHost(tables->host));
}

void scatter_keys(const BinTables *tables, int bits, const unsigned int *keys, size_t n,
                  const Splitter *splitters, unsigned int *const *arrays, const uint64_t *first,
                  const BinPart *part) {
  const int bins = scatter_bins(tables->ranks, bits), borders = tables->ranks - 1;
  const BinArrays host = bin_arrays(tables->host, tables->ranks),
                  device = bin_arrays(tables->device, tables->ranks);
  Route route = {};
  route.shift = bits > 0 ? 32 - bits : 0;
  route.mask = (1u << bits) - 1;
  // One bin more: behind the last one.
  while (route.copy_bits < 5 && (bins + 1) << (route.copy_bits + 1) <= COUNTERS) route.copy_bits++;
  route.bins = (unsigned int)bins;
  route.borders = (unsigned int)borders;
  route.splitters = device.splitters;
  route.arrays = (unsigned int *const *)device.to;
  route.next = device.number;
  bool at_keys = borders <= FEW_BORDERS;
  for (int b = 0; b < borders; b++) {
    host.splitters[b] = splitters[b];
    at_keys = at_keys && is_at_key(splitters[b], n);
    if (b < FEW_BORDERS) route.from[b] = least_key_behind(splitters[b]);
  }
  for (int b = 0; b < bins; b++) {
    host.to[b] = arrays[b];
    host.number[b] = (unsigned int)first[b];
  }
  copy_bin_arrays(tables);
  if (n == 0) return;
  unsigned int blocks = blocks_for(n, TILE);
  if (part != NULL) {
    route.part = *part;
    if (part->blocks > 0 && blocks > (unsigned int)part->blocks)
      blocks = (unsigned int)part->blocks;
  }
  ScatterKernel *const kernel = kernels[part != NULL][at_keys ? borders : 0];
  allow_shared_memory(kernel, sizeof(Shared));
  kernel<<<blocks, THREADS, sizeof(Shared)>>>(keys, (unsigned int)n, route);
  LAUNCH_CHECK();
}
