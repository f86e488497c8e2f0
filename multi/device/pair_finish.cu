#include "multi/device/pair_finish.h"

#include <math.h>

#include "common/check.h"
#include "common/device.h"
#include "common/launch.cuh"
#include "common/pairs.cuh"
#include "common/scratch.h"
#include "gsort/block/pair_bucket.cuh"
#include "gsort/kernel/sweep_packed.cuh"
#include "multi/split/splitters.h"

enum {
  HALVES = 1 << 16,
  UPPER_BITS = 8,
  UPPER_DIGITS = 1 << UPPER_BITS,
  UPPER_THREADS = 256,
  UPPER_ITEMS = 40,
  UPPER_TILE = UPPER_THREADS * UPPER_ITEMS,
  UPPER_BLOCKS = 2,
  CUT_THREADS = 256,
};

static __global__ void __launch_bounds__(CUT_THREADS)
    unpack_pairs(const uint2 *packed, Elements out, unsigned int n) {
  const size_t i = global_index();
  if (i >= n) return;
  out.keys[i] = packed[i].x;
  out.values[i] = packed[i].y;
}

// A bucket among buckets that lie one behind the other, and begin at start[].
struct CountedPlace {
  unsigned int bucket;
  const uint2 *in;
  const unsigned int *start;
  __device__ __forceinline__ BucketPlace operator()(void) const {
    const unsigned int begin = start[bucket];
    return {start[bucket + 1] - begin, begin};
  }
  // Other kinds of places recompute it here, which saves registers in between.
  __device__ __forceinline__ BucketPlace again(BucketPlace place) const { return place; }
  // lead: slots of the block before the first pair.
  __device__ __forceinline__ PairsSideBySide pairs(BucketPlace place, unsigned int lead) const {
    return pairs_from(in, place.to, lead);
  }
};

// Block b sorts bucket first + b.
template <int kThreads, int kItems, int kBinBits, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    sort_bucket_from(unsigned int first, const uint2 *in, Elements out, const unsigned int *start,
                     int low_bits, const unsigned int *spread) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  auto &shared = *(PairBlockShared<kThreads, kItems, kBinBits, IN_ELEMENT> *)shared_memory;
  prepare_block(shared);
  wait_for_previous_kernel();
  if (*spread == DIGIT_UNUSED) return;
  const CountedPlace place = {first + blockIdx.x, in, start};
  sort_pairs_of_bucket<12>(shared, place.bucket, place, out, CodedKeys{}, low_bits);
}

typedef void BucketFromKernel(unsigned int, const uint2 *, Elements, const unsigned int *, int,
                              const unsigned int *);

// Buckets by the upper `bits` bits, with at most `capacity` pairs.
typedef struct PairFinishRow {
  int bits;
  unsigned int threads, capacity;
  size_t shared_bytes;
  BucketFromKernel *kernel;
} PairFinishRow;

#define PAIR_FINISH_ROW(bits, threads, items, bin_bits, blocks)        \
  {                                                                    \
    bits, threads, threads *items - MOST_LEAD,                         \
        sizeof(PairBlockShared<threads, items, bin_bits, IN_ELEMENT>), \
        sort_bucket_from<threads, items, bin_bits, blocks>             \
  }

// The least work first, as in gsort/way/pair_sweeps.cu.
static const PairFinishRow finish_rows[] = {
    PAIR_FINISH_ROW(12, 256, 9, 9, 5),   PAIR_FINISH_ROW(13, 256, 18, 10, 4),
    PAIR_FINISH_ROW(14, 256, 18, 10, 4), PAIR_FINISH_ROW(15, 256, 18, 10, 4),
    PAIR_FINISH_ROW(16, 256, 18, 10, 4), PAIR_FINISH_ROW(16, 512, 18, 11, 2),
    PAIR_FINISH_ROW(16, 512, 36, 12, 1), PAIR_FINISH_ROW(17, 512, 36, 12, 1),
};
enum { FINISH_ROWS = sizeof finish_rows / sizeof *finish_rows };
static const size_t UPPER_BYTES = sizeof(PairSweepShared<UPPER_THREADS, UPPER_ITEMS, UPPER_BITS>);

// The largest of the buckets by the upper `bits` bits; whole: the largest of those by COUNTED_BITS.
static uint64_t largest_bucket(const uint64_t *counts, int bits, uint64_t whole) {
  if (bits == COUNTED_BITS) return whole;
  // Halves of buckets, if the next bit is even: 5.5 standard deviations above the average.
  if (bits > COUNTED_BITS) return (uint64_t)(whole / 2.0 + 5.5 * sqrt(whole / 4.0)) + 1;
  const int group = 1 << (COUNTED_BITS - bits);
  uint64_t largest = 0;
  for (int v = 0; v < HALVES; v += group) {
    uint64_t sum = 0;
    for (int i = v; i < v + group; i++) sum += counts[i];
    if (sum > largest) largest = sum;
  }
  return largest;
}

// The least number of bits for the digit with which the digits above it are at most UPPER_DIGITS
// on each rank; -1 if that are too many bins. The counts show where each of these digits begins.
static int choose_digit(const uint32_t *first, const uint32_t *last, int ranks, int shift) {
  for (int bits = shift < 32 - COUNTED_BITS; ranks << bits <= PAIR_MOVE_MOST_BINS; bits++) {
    bool fit = true;
    for (int r = 0; r < ranks; r++)
      fit = fit && (last[r] < first[r] ||
                    (last[r] >> (shift + bits)) - (first[r] >> (shift + bits)) < UPPER_DIGITS);
    if (fit) return bits;
  }
  return -1;
}

bool pair_finish_choose(const uint64_t *counts, const uint32_t *first, const uint32_t *last,
                        int ranks, uint64_t average, PairPlan *plan) {
  const size_t limit = dynamic_shared_limit();
  if (ranks > BINS_MOST_RANKS || UPPER_BYTES > limit) return false;
  const uint64_t whole = largest_count(counts);
  for (int row = 0; row < FINISH_ROWS; row++) {
    const PairFinishRow *const wanted = &finish_rows[row];
    // Most rows are ruled out by the average, or by the largest part of a bucket.
    if ((average * (uint64_t)ranks >> wanted->bits) > wanted->capacity ||
        (wanted->bits <= COUNTED_BITS && whole > wanted->capacity) ||
        wanted->shared_bytes > limit ||
        largest_bucket(counts, wanted->bits, whole) > wanted->capacity)
      continue;
    const int shift = 32 - wanted->bits, bits = choose_digit(first, last, ranks, shift);
    if (bits < 0) return false;
    *plan = (PairPlan){row, wanted->bits, {shift, bits}};
    return true;
  }
  return false;
}

// ---- more buckets than counts -------------------------------------------------------------------

// start[v], of `halves` + 1: where pairs with the upper half v begin. Each bucket is cut
// at the highest bit of the lower half: finer[2 v] and finer[2 v + 1]. A bucket with more than
// `capacity` pairs sets *spread to DIGIT_UNUSED.
static __global__ void cut_buckets(const uint2 *pairs, const unsigned int *start,
                                   unsigned int *finer, unsigned int halves, unsigned int capacity,
                                   unsigned int *spread) {
  const unsigned int v = (unsigned int)global_index();
  if (v >= halves) return;
  const unsigned int begin = start[v], end = start[v + 1];
  unsigned int low = begin, high = end;
  while (low < high) {
    const unsigned int middle = low + (high - low) / 2;
    if ((pairs[middle].x & 0x8000u) != 0)
      high = middle;
    else
      low = middle + 1;
  }
  finer[2 * v] = begin;
  finer[2 * v + 1] = low;
  if (v == halves - 1) finer[2 * halves] = end;
  if (low - begin > capacity || end - low > capacity) *spread = DIGIT_UNUSED;
}

// ---- tables -------------------------------------------------------------------------------------

// Elements of the block of memory that is copied to the device: where each bucket and each digit
// begins, two DigitSpreads and a zero.
enum {
  START = 0,
  DIGIT_START = START + HALVES + 4,
  SPREAD = DIGIT_START + UPPER_DIGITS,
  COPIED = SPREAD + 4,
  FINER = COPIED,  // on the device only
  ON_DEVICE = FINER + 2 * HALVES + 4,
};

static size_t sweep_look_back(size_t n) {
  return (size_t)blocks_for(n, UPPER_TILE) * UPPER_DIGITS + 4;
}

PairFinish pair_finish_create(size_t capacity, size_t shard) {
  PairFinish finish = {};
  const size_t sweep = sweep_look_back(capacity), move = pair_move_look_back(shard);
  CUDA_CHECK(cudaMallocHost((void **)&finish.tables, COPIED * sizeof *finish.tables));
  finish.device = scratch_alloc(ON_DEVICE * sizeof *finish.tables);
  finish.move_words = move;
  finish.all_words = move + sweep;
  finish.look_back = (unsigned int *)scratch_alloc(finish.all_words * sizeof(unsigned int));
  return finish;
}

void pair_finish_destroy(PairFinish *finish) {
  scratch_free(finish->look_back);
  scratch_free(finish->device);
  CUDA_CHECK(cudaFreeHost(finish->tables));
}

void pair_finish_clear(const PairFinish *finish) {
  CUDA_CHECK(
      cudaMemsetAsync(finish->look_back, 0, finish->all_words * sizeof *finish->look_back, 0));
}

void pair_finish_prepare(PairFinish *finish, const PairPlan *plan, const uint64_t *counts,
                         uint32_t first, uint32_t last, uint64_t begin, uint64_t end) {
  uint32_t *const start = finish->tables + START, *const digit_start = finish->tables + DIGIT_START,
                  *const spread = finish->tables + SPREAD;
  const bool finer = plan->prefix_bits > COUNTED_BITS;
  const int buckets = finer ? HALVES : 1 << plan->prefix_bits, group = HALVES / buckets;
  const int to_bucket = plan->digit.bits - finer;  // from a digit of the sweep
  uint64_t sum = 0;
  for (int b = 0; b <= buckets; b++) {
    const uint64_t place = sum < begin ? begin : sum > end ? end : sum;
    start[b] = (uint32_t)(place - begin);
    if (b < buckets)
      for (int v = b * group; v < (b + 1) * group; v++) sum += counts[v];
  }
  const int shift = plan->digit.shift + plan->digit.bits;
  for (uint32_t digit = first >> shift; first <= last && digit <= last >> shift; digit++)
    digit_start[digit % UPPER_DIGITS] = start[digit << to_bucket];
  spread[0] = spread[1] = DIGIT_EVEN;
  spread[2] = 0;  // the sweep's tile counter
  CUDA_CHECK(cudaMemcpyAsync(finish->device, finish->tables, COPIED * sizeof *finish->tables,
                             cudaMemcpyHostToDevice, 0));
}

bool pair_finish_sort(PairFinish *finish, const PairPlan *plan, size_t n, unsigned int *arrived,
                      unsigned int *spare, unsigned int *keys, unsigned int *positions) {
  if (n == 0) return true;
  const PairFinishRow *const row = &finish_rows[plan->row];
  const uint32_t *const start = finish->tables + START;
  unsigned int *const device = (unsigned int *)finish->device;
  const auto sweep_kernel = sweep_packed<UPPER_THREADS, UPPER_ITEMS, UPPER_BITS, UPPER_BLOCKS>;
  PairBuffers buffers = {};
  buffers.halves.first = (uint2 *)arrived;
  buffers.scratch.first = (uint2 *)spare;
  buffers.halves.half = buffers.halves.behind = NO_HALF;
  buffers.scratch.half = buffers.scratch.behind = NO_HALF;
  // The second of two sweeps, before the blocks: from `halves` to `scratch`.
  const PairSweep sweep = {(unsigned int)n,
                           plan->digit.shift + plan->digit.bits,
                           device + DIGIT_START,
                           device + SPREAD + 2,
                           finish->look_back + finish->move_words,
                           {device + SPREAD, 1, 2, true},
                           false};
  const unsigned int tiles = blocks_for(n, UPPER_TILE),
                     most = UPPER_BLOCKS *
                            (unsigned int)device_attribute(cudaDevAttrMultiProcessorCount);
  allow_shared_memory(sweep_kernel, UPPER_BYTES);
  allow_shared_memory(row->kernel, row->shared_bytes);
  launch_overlapped(sweep_kernel, tiles < most ? tiles : most, UPPER_THREADS, UPPER_BYTES, buffers,
                    sweep, (volatile HostVerdict *)NULL);
  const bool finer = plan->prefix_bits > COUNTED_BITS;
  unsigned int first = 0, behind = finer ? (unsigned int)HALVES : 1u << plan->prefix_bits;
  while (start[first + 1] == 0) first++;
  while (start[behind - 1] == n) behind--;
  const Elements out = {keys, positions};
  const uint2 *const swept = (const uint2 *)spare;
  unsigned int *const spread = device + SPREAD;
  if (finer) {
    cut_buckets<<<blocks_for(HALVES, CUT_THREADS), CUT_THREADS>>>(
        swept, device + START, device + FINER, HALVES, row->capacity, spread);
    first *= 2;
    behind *= 2;
  }
  launch_overlapped(row->kernel, behind - first, row->threads, row->shared_bytes, first, swept, out,
                    device + (finer ? FINER : START), 32 - plan->prefix_bits, spread);
  LAUNCH_CHECK();
  if (!finer) return true;
  unsigned int found = DIGIT_EVEN;
  CUDA_CHECK(cudaMemcpy(&found, spread, sizeof found, cudaMemcpyDeviceToHost));
  if (found == DIGIT_EVEN) return true;
  unpack_pairs<<<blocks_for(n, CUT_THREADS), CUT_THREADS>>>(swept, out, (unsigned int)n);
  LAUNCH_CHECK();
  return false;
}
