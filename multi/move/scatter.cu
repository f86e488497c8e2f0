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
} Route;

typedef struct Shared {
  unsigned int counter[COUNTERS];  // counts, then indices in the tile
  unsigned int tile[TILE];
  unsigned int first[SCATTER_MOST_BINS + 1];  // index in the tile of each bin's first key
  RunLines<unsigned int, SCATTER_MOST_BINS, TILE> runs;
  Splitter splitters[BINS_MOST_RANKS];
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

// Adds 1 to the counter of the lane's bin; returns what it was. kShared: lanes with one counter
// queue for it, so if all have one bin, one of them adds for all. Counting and placing decide
// alike.
template <bool kShared>
static __device__ __forceinline__ unsigned int add_one(unsigned int *counter, unsigned int bin,
                                                       int copy_bits) {
  if constexpr (kShared) {
    const unsigned int all = 0xffffffffu, lane = threadIdx.x % WARP_SIZE;
    if (__all_sync(all, bin == __shfl_sync(all, bin, 0))) {
      unsigned int before = 0;
      if (lane == 0) before = atomicAdd(&counter[bin << copy_bits], (unsigned int)WARP_SIZE);
      return __shfl_sync(all, before, 0) + lane;
    }
  }
  return atomicAdd(&counter[bin << copy_bits], 1u);
}

// kFull: the tile's keys stay in registers; a shorter tile is read twice.
template <int kBorders, bool kFull>
static __device__ __forceinline__ void scatter_tile(const unsigned int *keys, unsigned int begin,
                                                    unsigned int valid, Route route,
                                                    Shared &shared) {
  const unsigned int copies = 1u << route.copy_bits;
  unsigned int *const counter = shared.counter + threadIdx.x % copies;
  const unsigned int i = begin + threadIdx.x;
  const int left = (int)valid - (int)threadIdx.x;
  unsigned int key[kFull ? ITEMS : 1];
  if constexpr (kFull) {
#pragma unroll
    for (int u = 0; u < ITEMS; u++) key[u] = __ldcs(&keys[i + u * THREADS]);
#pragma unroll
    for (int u = 0; u < ITEMS; u++)
      add_one<kBorders == 0>(counter, bin_of_key<kBorders>(route, shared, key[u], i + u * THREADS),
                             route.copy_bits);
  } else {
    for (int k = 0; k < left; k += THREADS)
      atomicAdd(
          &counter[bin_of_key<kBorders>(route, shared, keys[i + k], i + k) << route.copy_bits], 1u);
  }
  __syncthreads();
  scan_counters<EACH>(shared.counter, shared.warp_sums, copies, shared.first, route.bins);
  if (threadIdx.x == 0) shared.first[route.bins] = valid;
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
            route.copy_bits);
#pragma unroll
      for (int q = 0; q < PLACE_BATCH; q++) shared.tile[place[q]] = key[u + q];
    }
  } else {
    for (int k = 0; k < left; k += THREADS) {
      const unsigned int b = bin_of_key<kBorders>(route, shared, keys[i + k], i + k);
      shared.tile[atomicAdd(&counter[b << route.copy_bits], 1u)] = keys[i + k];
    }
  }
  note_lines(shared.runs, first, count, count > 0 ? route.arrays[bin] + next : NULL);
  __syncthreads();
  write_lines<THREADS>(shared.runs, shared.tile);
}

template <int kBorders>
static __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    scatter_kernel(const unsigned int *keys, unsigned int n, Route route) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  Shared &shared = *(Shared *)shared_memory;
  const unsigned int begin = blockIdx.x * TILE;
  clear_counters<THREADS>(shared.counter, COUNTERS);
  if (threadIdx.x == 0) shared.runs.count = 0;
  if (kBorders == 0 && threadIdx.x < route.borders)
    shared.splitters[threadIdx.x] = route.splitters[threadIdx.x];
  __syncthreads();
  if (n - begin >= TILE)
    scatter_tile<kBorders, true>(keys, begin, TILE, route, shared);
  else
    scatter_tile<kBorders, false>(keys, begin, n - begin, route, shared);
}

typedef void ScatterKernel(const unsigned int *, unsigned int, Route);
// By number of borders that are compared in registers; [0]: any number.
static ScatterKernel *const kernels[] = {scatter_kernel<0>, scatter_kernel<1>, scatter_kernel<2>,
                                         scatter_kernel<3>, scatter_kernel<4>, scatter_kernel<5>,
                                         scatter_kernel<6>, scatter_kernel<7>};

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
                  const Splitter *splitters, unsigned int *const *arrays, const uint64_t *first) {
  const int bins = scatter_bins(tables->ranks, bits), borders = tables->ranks - 1;
  const BinArrays host = bin_arrays(tables->host, tables->ranks),
                  device = bin_arrays(tables->device, tables->ranks);
  Route route = {};
  route.shift = bits > 0 ? 32 - bits : 0;
  route.mask = (1u << bits) - 1;
  while (route.copy_bits < 5 && bins << (route.copy_bits + 1) <= COUNTERS) route.copy_bits++;
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
  ScatterKernel *const kernel = kernels[at_keys ? borders : 0];
  allow_shared_memory(kernel, sizeof(Shared));
  kernel<<<blocks_for(n, TILE), THREADS, sizeof(Shared)>>>(keys, (unsigned int)n, route);
  LAUNCH_CHECK();
}
