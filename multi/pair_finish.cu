// Builds on: radix_v7
#include "multi/pair_finish.h"

#include "common/check.h"
#include "common/device.h"
#include "common/scratch.h"
// Its kernels and host functions are not all used here.
#pragma GCC diagnostic ignored "-Wunused-function"
#include "radix_v7/pairs_block.cuh"
#include "radix_v7/pairs_sweep.cuh"

enum {
  HALVES = 1 << 16,
  UPPER_BITS = 8,
  UPPER_DIGITS = 1 << UPPER_BITS,
  UPPER_THREADS = 256,
  UPPER_ITEMS = 40,
  UPPER_TILE = UPPER_THREADS * UPPER_ITEMS,
  UPPER_BLOCKS = 2,
};

struct BucketFrom {
  unsigned int first;
  __device__ __forceinline__ unsigned int operator()(void) const { return first + blockIdx.x; }
};

// As radix_v7's sort_pair_bucket, but block b sorts bucket first + b.
template <int kThreads, int kItems, int kBinBits, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    sort_bucket_from(unsigned int first, const uint2 *in, Pairs out, const unsigned int *start,
                     int low_bits, const unsigned int *spread) {
  sort_one_pair_bucket<kThreads, kItems, kBinBits, 12, false>(BucketFrom{first}, in, out, start,
                                                              low_bits, spread);
}

typedef void BucketFromKernel(unsigned int, const uint2 *, Pairs, const unsigned int *, int,
                              const unsigned int *);

// Buckets by the upper `bits` bits, with at most `capacity` pairs.
typedef struct PairFinishRow {
  int bits;
  unsigned int threads, capacity;
  size_t shared_bytes;
  BucketFromKernel *kernel;
} PairFinishRow;

#define PAIR_FINISH_ROW(bits, threads, items, bin_bits, blocks)   \
  {                                                               \
    bits, threads, threads *items - MOST_LEAD,                    \
        sizeof(PairBlockShared<threads, items, bin_bits, false>), \
        sort_bucket_from<threads, items, bin_bits, blocks>        \
  }

// The least work first, as radix_v7's prefix_plans.
static const PairFinishRow finish_rows[] = {
    PAIR_FINISH_ROW(12, 256, 9, 9, 5),   PAIR_FINISH_ROW(13, 256, 18, 10, 4),
    PAIR_FINISH_ROW(14, 256, 18, 10, 4), PAIR_FINISH_ROW(15, 256, 18, 10, 4),
    PAIR_FINISH_ROW(16, 256, 18, 10, 4), PAIR_FINISH_ROW(16, 512, 18, 11, 2),
    PAIR_FINISH_ROW(16, 512, 36, 12, 1),
};
enum { FINISH_ROWS = sizeof finish_rows / sizeof *finish_rows };
static const size_t UPPER_BYTES = sizeof(PairSweepShared<UPPER_THREADS, UPPER_ITEMS, UPPER_BITS>);

static uint64_t largest_bucket(const uint64_t *counts, int bits) {
  const int group = 1 << (16 - bits);
  uint64_t largest = 0;
  for (int v = 0; v < HALVES; v += group) {
    uint64_t sum = 0;
    for (int i = v; i < v + group; i++) sum += counts[i];
    if (sum > largest) largest = sum;
  }
  return largest;
}

// The least number of bits for the digit with which the digits above it are at most UPPER_DIGITS
// on each rank; -1 if that are too many bins.
static int choose_digit(const uint32_t *first, const uint32_t *last, int ranks, int shift) {
  for (int bits = 0; ranks << bits <= PAIR_MOVE_MOST_BINS; bits++) {
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
  if (ranks > PAIR_MOVE_MOST_RANKS || UPPER_BYTES > limit) return false;
  for (int row = 0; row < FINISH_ROWS; row++) {
    const PairFinishRow *const wanted = &finish_rows[row];
    // Most rows are ruled out by the average.
    if ((average * (uint64_t)ranks >> wanted->bits) > wanted->capacity ||
        wanted->shared_bytes > limit || largest_bucket(counts, wanted->bits) > wanted->capacity)
      continue;
    const int shift = 32 - wanted->bits, bits = choose_digit(first, last, ranks, shift);
    if (bits < 0) return false;
    *plan = (PairPlan){row, wanted->bits, {shift, bits}};
    return true;
  }
  return false;
}

// ---- tables -------------------------------------------------------------------------------------

// Elements of the block of memory that is copied to the device: where each bucket and each digit
// begins, two DigitSpreads and a zero.
enum {
  START = 0,
  DIGIT_START = START + HALVES + 4,
  SPREAD = DIGIT_START + UPPER_DIGITS,
  COPIED = SPREAD + 4,
};

static size_t sweep_look_back(size_t n) {
  return (size_t)blocks_for(n, UPPER_TILE) * UPPER_DIGITS + 4;
}

PairFinish pair_finish_create(size_t capacity, size_t shard) {
  PairFinish finish = {};
  const size_t sweep = sweep_look_back(capacity), move = pair_move_look_back(shard);
  CUDA_CHECK(cudaMallocHost((void **)&finish.tables, COPIED * sizeof *finish.tables));
  finish.device = scratch_alloc(COPIED * sizeof *finish.tables);
  finish.look_back =
      (unsigned int *)scratch_alloc((sweep > move ? sweep : move) * sizeof(unsigned int));
  return finish;
}

void pair_finish_destroy(PairFinish *finish) {
  scratch_free(finish->look_back);
  scratch_free(finish->device);
  CUDA_CHECK(cudaFreeHost(finish->tables));
}

void pair_finish_prepare(PairFinish *finish, const PairPlan *plan, const uint64_t *counts,
                         uint32_t first, uint32_t last, uint64_t begin, uint64_t end) {
  uint32_t *const start = finish->tables + START, *const digit_start = finish->tables + DIGIT_START,
                  *const spread = finish->tables + SPREAD;
  const int buckets = 1 << plan->prefix_bits, group = HALVES / buckets, low = plan->digit.bits;
  uint64_t sum = 0;
  for (int b = 0; b <= buckets; b++) {
    const uint64_t place = sum < begin ? begin : sum > end ? end : sum;
    start[b] = (uint32_t)(place - begin);
    if (b < buckets)
      for (int v = b * group; v < (b + 1) * group; v++) sum += counts[v];
  }
  const int shift = plan->digit.shift + low;
  for (uint32_t digit = first >> shift; first <= last && digit <= last >> shift; digit++)
    digit_start[digit % UPPER_DIGITS] = start[digit << low];
  spread[0] = spread[1] = DIGIT_EVEN;
  spread[2] = 0;  // the sweep's tile counter
  CUDA_CHECK(cudaMemcpyAsync(finish->device, finish->tables, COPIED * sizeof *finish->tables,
                             cudaMemcpyHostToDevice, 0));
}

void pair_finish_sort(PairFinish *finish, const PairPlan *plan, size_t n, unsigned int *arrived,
                      unsigned int *spare, unsigned int *keys, unsigned int *positions) {
  if (n == 0) return;
  const PairFinishRow *const row = &finish_rows[plan->row];
  const uint32_t *const start = finish->tables + START;
  unsigned int *const device = (unsigned int *)finish->device;
  const auto sweep_kernel = sweep_pairs<UPPER_THREADS, UPPER_ITEMS, UPPER_BITS, UPPER_BLOCKS>;
  PairBuffers buffers = {};
  buffers.halves.first = (uint2 *)arrived;
  buffers.scratch.first = (uint2 *)spare;
  buffers.halves.half = buffers.scratch.half = NO_HALF;
  // The second of two sweeps, before the blocks: from `halves` to `scratch`.
  const PairSweep sweep = {plan->digit.shift + plan->digit.bits,
                           device + DIGIT_START,
                           device + SPREAD + 2,
                           finish->look_back,
                           {device + SPREAD, 1, 2, true, NULL}};
  const unsigned int tiles = blocks_for(n, UPPER_TILE),
                     most = UPPER_BLOCKS *
                            (unsigned int)device_attribute(cudaDevAttrMultiProcessorCount);
  CUDA_CHECK(
      cudaMemsetAsync(finish->look_back, 0, sweep_look_back(n) * sizeof *finish->look_back, 0));
  allow_shared_memory(sweep_kernel, UPPER_BYTES);
  allow_shared_memory(row->kernel, row->shared_bytes);
  launch_overlapped(sweep_kernel, tiles < most ? tiles : most, UPPER_THREADS, UPPER_BYTES, buffers,
                    (unsigned int)n, sweep);
  unsigned int first = 0, behind = 1u << plan->prefix_bits;
  while (start[first + 1] == 0) first++;
  while (start[behind - 1] == n) behind--;
  const Pairs out = {keys, positions};
  launch_overlapped(row->kernel, behind - first, row->threads, row->shared_bytes, first,
                    (const uint2 *)spare, out, device + START, 32 - plan->prefix_bits,
                    device + SPREAD);
  LAUNCH_CHECK();
}
