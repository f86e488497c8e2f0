// For kernels that move the elements of a tile to bins: which destination an element has, and how
// the tile's runs, one for each bin, are written.
#ifndef MULTI_MOVE_BINS_CUH
#define MULTI_MOVE_BINS_CUH

#include "common/check.h"
#include "gsort/block/scan.cuh"
#include "multi/move/bins.h"

// Number of elements of the ascending array that are not greater than value. Few are all compared:
// that takes no branches, and all lanes read the same ones.
template <class Value>
static __device__ __forceinline__ unsigned int upper_bound(const Value *ascending,
                                                           unsigned int count, Value value) {
  unsigned int low = 0, high = count;
  if (count < 8) {
    for (unsigned int i = 0; i < count; i++) low += ascending[i] <= value;
    return low;
  }
  while (low < high) {
    const unsigned int middle = (low + high) / 2;
    if (ascending[middle] <= value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// ---- runs in whole lines ------------------------------------------------------------------------
//
// A store of a warp goes to LINE neighbours whose first one is aligned, so that a run's inner
// lines leave the multiprocessor whole and only its ends are cut. Between GPUs each part of a line
// is a separate packet. The lines of all runs are dealt out to the warps, whatever the runs'
// lengths are:
//
//   run of 70 elements, aligned up to 9 before its first    9 .. 31 | 0 .. 31 | 0 .. 14
enum { LINE = WARP_SIZE };                     // elements
static constexpr unsigned int SHORT_RUN = 12;  // lines

// Runs in shared memory. Element is 4 or 8 bytes.
template <class Element, int kBins, int kTile>
struct RunLines {
  // Of each bin with elements:
  Element *to[kBins];                           // to[b][i]: where element i of the tile goes
  unsigned int first[kBins], behind[kBins];     // the run: elements first .. behind - 1 of the tile
  unsigned int count;                           // of lines; to be 0 before note_lines()
  unsigned int line[kTile / LINE + 2 * kBins];  // bin << 16 | number in its run
};

template <class Element>
static __device__ __forceinline__ unsigned int place_in_line(const Element *address) {
  return (unsigned int)((size_t)address / sizeof(Element)) % LINE;
}

// Thread b writes down the run of bin b: `count` elements of the tile from `first` on go to `to`.
// All threads call it, those without a run with count = 0. Barriers before and after it.
template <class Element, int kBins, int kTile>
static __device__ __forceinline__ void note_lines(RunLines<Element, kBins, kTile> &runs,
                                                  unsigned int first, unsigned int count,
                                                  Element *to) {
  const unsigned int bin = threadIdx.x, lane = threadIdx.x % WARP_SIZE;
  const unsigned int lines = count > 0 ? (place_in_line(to) + count + LINE - 1) / LINE : 0;
  const unsigned int up_to_me = warp_inclusive_scan(lines);
  unsigned int next = 0;
  if (lane == WARP_SIZE - 1 && up_to_me > 0) next = atomicAdd(&runs.count, up_to_me);
  next = __shfl_sync(0xffffffffu, next, WARP_SIZE - 1) + up_to_me - lines;
  if (count > 0) {
    runs.to[bin] = to - first;
    runs.first[bin] = first;
    runs.behind[bin] = first + count;
  }
  for (unsigned int l = 0; l < min(lines, SHORT_RUN); l++) runs.line[next + l] = bin << 16 | l;
  // Of a long run the whole warp writes down the rest.
  unsigned int lanes = __ballot_sync(0xffffffffu, lines > SHORT_RUN);
  for (; lanes != 0; lanes &= lanes - 1) {
    const int source = __ffs((int)lanes) - 1;
    const unsigned int its_lines = __shfl_sync(0xffffffffu, lines, source),
                       its_next = __shfl_sync(0xffffffffu, next, source),
                       its_bin = bin - lane + (unsigned int)source;
    for (unsigned int l = SHORT_RUN + lane; l < its_lines; l += WARP_SIZE)
      runs.line[its_next + l] = its_bin << 16 | l;
  }
}

template <int kThreads, class Element, int kBins, int kTile>
static __device__ __forceinline__ void write_lines(const RunLines<Element, kBins, kTile> &runs,
                                                   const Element *tile) {
  const unsigned int lane = threadIdx.x % WARP_SIZE, lines = runs.count;
#pragma unroll 4
  for (unsigned int l = threadIdx.x / WARP_SIZE; l < lines; l += kThreads / WARP_SIZE) {
    const unsigned int line = runs.line[l], bin = line >> 16;
    const unsigned int first = runs.first[bin], behind = runs.behind[bin];
    Element *const to = runs.to[bin];
    const unsigned int i =
        first - place_in_line(to + first) + (line & 0xffffu) * LINE + lane;  // may be before 0
    if (i - first < behind - first) to[i] = tile[i];
  }
}

// ---- host ---------------------------------------------------------------------------------------

// The arrays of BinTables, in one block of memory.
typedef struct BinArrays {
  Splitter *splitters;   // [ranks]
  void **to;             // [PAIR_MOVE_MOST_BINS] where bins begin
  unsigned int *number;  // [PAIR_MOVE_MOST_BINS] of bins
} BinArrays;

static inline size_t bin_arrays_bytes(int ranks) {
  return (size_t)ranks * sizeof(Splitter) +
         PAIR_MOVE_MOST_BINS * (sizeof(void *) + sizeof(unsigned int));
}

static inline BinArrays bin_arrays(void *memory, int ranks) {
  BinArrays arrays;
  arrays.splitters = (Splitter *)memory;
  arrays.to = (void **)(arrays.splitters + ranks);
  arrays.number = (unsigned int *)(arrays.to + PAIR_MOVE_MOST_BINS);
  return arrays;
}

static inline void copy_bin_arrays(const BinTables *tables) {
  CUDA_CHECK(cudaMemcpyAsync(tables->device, tables->host, bin_arrays_bytes(tables->ranks),
                             cudaMemcpyHostToDevice, 0));
}

// Whether a border's key decides alone: all of a shard's n elements with it are right of the
// border, or none is.
static inline bool is_at_key(Splitter splitter, size_t n) {
  const uint32_t key = (uint32_t)(splitter >> 32), index = (uint32_t)splitter;
  return index == 0 || (index >= n && key < UINT32_MAX);
}

// The least key right of such a border.
static inline uint32_t least_key_behind(Splitter splitter) {
  return (uint32_t)(splitter >> 32) + ((uint32_t)splitter != 0);
}

#endif
