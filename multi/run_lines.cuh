// Writes the runs of a tile, one for each bin, to where they belong.
//
// A store of a warp goes to LINE neighbours whose first one is aligned, so that a run's inner
// lines leave the multiprocessor whole and only its ends are cut. Between GPUs each part of a line
// is a packet of its own. The lines of all runs are dealt out to the warps, whatever the runs'
// lengths are:
//
//   run of 70 elements, aligned up to 9 before its first    9 .. 31 | 0 .. 31 | 0 .. 14
#ifndef MULTI_RUN_LINES_CUH
#define MULTI_RUN_LINES_CUH

#include "common/block_scan.cuh"

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

#endif
