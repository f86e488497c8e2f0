// Bins between splitters of a sorted sample, for wide keys that no map makes even. Bin b has the
// codes from bound b - 1 on and below bound b:
//
//   splitters   10      25      25      40           a frequent value is several splitters
//   bounds      10      25      26      40           the last of them becomes the value + 1
//   bins    0..9  10..24    25    26..39   40..      so that the value has a bin, which is sorted
//
// A table has the number of bounds in front of each of 4,096 cells, which are equally wide. So a
// code's bin is known but for the bounds in its own cell, mostly one or two, where a search among
// all bounds takes ten steps.
//
//   bounds        10 25 26 40         cells of ten codes from 10 on   10..19  20..29  30..39  40..
//   in front      0  1  3  3          code 25: cell 1, and 25 <= 25 but not 26 <= 25: bin 2
//
// Splitters, and a bin for a frequent one: P. Sanders and S. Winkel, "Super Scalar Sample Sort",
// ESA 2004.
#ifndef GSORT_BLOCK_WIDE_SPLITTERS_CUH
#define GSORT_BLOCK_WIDE_SPLITTERS_CUH

#include "gsort/block/bins.cuh"
#include "gsort/block/wide_map.cuh"

enum { BETWEEN_THREADS = 1024, MOST_WIDE_BINS = 1024, CELL_BITS = 12, MOST_IN_CELL_BY_VALUE = 15 };

// The sample between two parts, of which `bins` bins are made.
typedef struct WideSample {
  const Wide *sorted;
  unsigned int count, bins;
} WideSample;

// Divides the range from the least to the greatest bound into equally wide cells: the range of
// codes, or, for doubles, the range of values.
typedef struct CellMap {
  Wide least, most;
  bool by_value;
  int shift;  // by code: cell = ((code - least) >> shift) x scale / 2^32
  unsigned int scale;
  double origin, slope;  // by value: cell = origin + value x slope
} CellMap;

typedef struct WideBins {
  __align__(16) unsigned int cell[1 << CELL_BITS];  // bounds in front of it
  Wide bound[2 * MOST_WIDE_BINS * 17 / 16];         // at place_of(); behind the last: all bits
  unsigned char is_one_value[MOST_WIDE_BINS];       // all codes of a bin are equal
  unsigned int bounds, most;                        // unequal bounds; most of a cell
  CellMap map;
  // Where bound i is. Bounds that a search compares may be a power of two apart; here they are in
  // different banks.
  static __device__ __forceinline__ unsigned int place_of(unsigned int i) { return i + i / 16; }
  __device__ __forceinline__ Wide at(unsigned int i) const { return bound[place_of(i)]; }
} WideBins;

// The double with this code if the order is ascending; if it is descending, its negative. Fewer
// instructions than value_of() of wide_map.cuh, which makes kernels with several maps spill.
static __device__ __forceinline__ double value_of(Wide code) {
  const Wide mask = ~sign_mask((unsigned int)(code >> 32));
  return __longlong_as_double((long long)(code ^ ((mask << 32 | mask) | WIDE_MINUS_ZERO)));
}

template <bool kByValue>
static __device__ __forceinline__ unsigned int cell_of(const CellMap &map, Wide code) {
  // Opaque: otherwise the compiler branches around this for every key, and the keys of a thread
  // wait for each other.
  const unsigned int inside =
      opaque(kByValue ? __double2uint_rz(fma(value_of(code), map.slope, map.origin))
                      : __umulhi((unsigned int)((code - map.least) >> map.shift), map.scale));
  return code < map.least ? 0 : code > map.most ? (1u << CELL_BITS) - 1 : inside;
}

// A bin of a step: where its keys begin, and how many are still to be split or sorted, 0 if they
// are equal; the map of codes between its bounds.
typedef struct BinBetween {
  unsigned int begin, count;
  WideMap map;
} BinBetween;

static __device__ __forceinline__ Wide splitter_of(const WideSample &sample, unsigned int i) {
  return sample.sorted[(unsigned long long)sample.count * i / sample.bins];
}

// by_value: asks for cells by value. It is not done if rounding, or an end that is no number, would
// put an end outside the first or the last cell.
static __device__ __forceinline__ CellMap map_to_cells(Wide least, Wide most, bool by_value) {
  constexpr double kLast = (1 << CELL_BITS) - 1;
  const double first = value_of(least), last = value_of(most), slope = kLast / (last - first),
               origin = 0.5 - first * slope, in_first = fma(first, slope, origin),
               in_last = fma(last, slope, origin);
  by_value = by_value && in_first >= 0 && in_first < 1 && in_last >= kLast && in_last < kLast + 1;
  // Scaled, not just shifted: codes with few bits set would mostly use cells that share a bank.
  const int shift = max(32 - __clzll((long long)(most - least)), 0);
  const Wide scale = ((1ull << (32 + CELL_BITS)) - 1) / (((most - least) >> shift) + 1);
  return {least, most, by_value, shift, (unsigned int)min(scale, (Wide)~0u), origin, slope};
}

// Fills bins.cell, bins.most and bins.map from the bounds. sums: [MAX_WARPS] of shared memory.
// There is a barrier at the end.
static __device__ __forceinline__ void fill_cells(WideBins &bins, bool by_value,
                                                  unsigned int *sums) {
  constexpr unsigned int kCells = 1u << CELL_BITS;
  const unsigned int bounds = bins.bounds;
  const CellMap map = map_to_cells(bins.at(0), bins.at(bounds - 1), by_value);
  clear_counters<BETWEEN_THREADS>(bins.cell, kCells);
  __syncthreads();
  if (threadIdx.x == 0) {
    bins.map = map;
    bins.most = 0;
  }
  if (threadIdx.x < bounds) {
    const Wide bound = bins.at(threadIdx.x);
    atomicAdd(&bins.cell[map.by_value ? cell_of<true>(map, bound) : cell_of<false>(map, bound)],
              1u);
  }
  __syncthreads();
  const unsigned int most = scan_counters<kCells / BETWEEN_THREADS>(bins.cell, sums, 1, NULL, 0);
  atomicMax(&bins.most, most);
  __syncthreads();
}

// All threads of a block, after a barrier; there is one at the end.
[[maybe_unused]] static __device__ __noinline__ void make_bins(const WideSample &sample,
                                                               bool is_float, WideBins &bins,
                                                               unsigned int *sums) {
  const unsigned int b = threadIdx.x, bounds = sample.bins - 1;
  static_assert((int)BETWEEN_THREADS == (int)MOST_WIDE_BINS, "a thread for each bin");
  const auto bound_of = [&](unsigned int i) {
    const Wide value = splitter_of(sample, i + 1);
    const bool repeated = i > 0 && splitter_of(sample, i) == value,
               last = i + 1 == bounds || splitter_of(sample, i + 2) != value;
    return repeated && last && value != ~0ull ? value + 1 : value;
  };
  const Wide bound = b < bounds ? bound_of(b) : ~0ull;
  const bool is_new = b < bounds && (b == 0 || bound_of(b - 1) != bound);
  const unsigned int up_to_here = block_inclusive_scan_one_barrier(is_new ? 1u : 0u, sums);
  bins.bound[bins.place_of(b)] = bins.bound[bins.place_of(MOST_WIDE_BINS + b)] = ~0ull;
  if (b == BETWEEN_THREADS - 1) bins.bounds = up_to_here;
  __syncthreads();
  if (is_new) bins.bound[bins.place_of(up_to_here - 1)] = bound;
  __syncthreads();
  // The largest code is in the last bin, or behind it.
  bins.is_one_value[b] =
      b > 0 && (bins.at(b - 1) == ~0ull || (b < bins.bounds && bins.at(b) - bins.at(b - 1) == 1));
  fill_cells(bins, is_float, sums);
  // If many bounds share a cell by value, as with values of many magnitudes, codes may do better.
  if (__syncthreads_or(bins.map.by_value && bins.most > MOST_IN_CELL_BY_VALUE) != 0)
    fill_cells(bins, false, sums);
}

// The bins of the codes of a thread, of which `last` is the last one: a binary search among as many
// bounds as a cell has at most. It may go on behind the bounds, by less than MOST_WIDE_BINS.
template <bool kByValue, int kItems>
static __device__ __forceinline__ void find_bins(const WideBins &bins, unsigned int last,
                                                 const Wide (&code)[kItems],
                                                 unsigned int (&bin)[kItems]) {
  const CellMap map = bins.map;
#pragma unroll
  for (int u = 0; u < kItems; u++) bin[u] = bins.cell[cell_of<kByValue>(map, code[u])];
  for (unsigned int step = 1u << (31 - __clz((int)bins.most)); step > 0; step /= 2)
#pragma unroll
    for (int u = 0; u < kItems; u++) bin[u] += bins.at(bin[u] + step - 1) <= code[u] ? step : 0;
#pragma unroll
  for (int u = 0; u < kItems; u++) bin[u] = min(bin[u], last);
}

// Index of the first code of the sample that is not less.
static __device__ __forceinline__ unsigned int lower_bound_of(const WideSample &sample, Wide code) {
  unsigned int first = 0, last = sample.count;
  while (first < last) {
    const unsigned int middle = first + (last - first) / 2;
    if (sample.sorted[middle] < code)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

#endif
