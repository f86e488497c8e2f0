// A stable pass by splitters: moves each pair to the region of its bucket. A block per tile, as
// many as fit on the device at once.
#ifndef RADIX_V7_SAMPLE_SWEEP_CUH
#define RADIX_V7_SAMPLE_SWEEP_CUH

#include "common/look_back.cuh"
#include "radix_v7/pairs_tile.cuh"
#include "radix_v7/sample.cuh"

enum {
  SAMPLE_SWEEP_THREADS = 512,
  SAMPLE_SWEEP_ITEMS = 4,
  SAMPLE_TILE = SAMPLE_SWEEP_THREADS * SAMPLE_SWEEP_ITEMS,
  SAMPLE_SWEEP_WARPS = SAMPLE_SWEEP_THREADS / WARP_SIZE,
};

typedef struct SampleSweepShared {
  uint2 tile[SAMPLE_TILE];
  unsigned int warp_bin[SAMPLE_SWEEP_WARPS][SAMPLE_BUCKETS];
  unsigned int bin_shift[SAMPLE_BUCKETS];
  unsigned int tree[SAMPLE_BUCKETS];      // splitters: node i has the children 2 i and 2 i + 1
  unsigned int edge[SAMPLE_BUCKETS + 1];  // smallest key of each bucket
  unsigned int empty[SAMPLE_BUCKETS / WARP_SIZE];  // a bit for each bucket between equal splitters
  unsigned int warp_sums[2][MAX_WARPS];
  unsigned char digit[SAMPLE_TILE];
} SampleSweepShared;

// The number of splitters <= key.
static __device__ __forceinline__ unsigned int bucket_of(const unsigned int *tree,
                                                         unsigned int key) {
  unsigned int node = 1;
#pragma unroll
  for (int level = 0; level < SAMPLE_BITS; level++) node = 2 * node + (tree[node] <= key);
  return node - SAMPLE_BUCKETS;
}

// How many buckets behind `bin` are empty because they lie between equal splitters.
static __device__ unsigned int empty_after(const SampleSweepShared &shared, unsigned int bin) {
  unsigned int next = bin + 1;
  while (next < SAMPLE_BUCKETS) {
    const unsigned int full = ~shared.empty[next / WARP_SIZE] >> next % WARP_SIZE;
    if (full != 0) return next + (unsigned int)__ffs((int)full) - 2 - bin;
    next = (next / WARP_SIZE + 1) * WARP_SIZE;
  }
  return SAMPLE_BUCKETS - 1 - bin;
}

// The last tile knows how large each bucket is: writes down where they are. A thread per bucket.
static __device__ void describe_bucket(SampleState state, const SampleSweepShared &shared,
                                       unsigned int bin, unsigned int first_region,
                                       unsigned int total, unsigned int start,
                                       unsigned int capacity) {
  const SampleBucket bucket = {first_region * state.room, total, start};
  state.bucket[bin] = bucket;
  if (total <= state.room && start % WARP_SIZE + total <= capacity) return;
  // A bucket of equal keys may use the regions of the empty ones behind it, the last one those of
  // the empty ones before it.
  const bool equal = shared.edge[bin + 1] - shared.edge[bin] == 1;
  const unsigned int regions =
      bin == SAMPLE_BUCKETS - 1 ? SAMPLE_BUCKETS - first_region : 1 + empty_after(shared, bin);
  if (!equal || total > state.room * regions) {
    *state.verdict = TOO_LARGE;
    return;
  }
  const unsigned int chunks = (total + COPY_CHUNK - 1) / COPY_CHUNK,
                     first = atomicAdd(state.chunks, chunks);
  for (unsigned int c = 0; c < chunks; c++) {
    const unsigned int begin = c * COPY_CHUNK;
    const SampleBucket chunk = {bucket.from + begin, min(total - begin, (unsigned int)COPY_CHUNK),
                                start + begin};
    state.chunk[first + c] = chunk;
  }
}

static __global__ void __launch_bounds__(SAMPLE_SWEEP_THREADS, 2)
    sweep_by_splitters(Pairs in, unsigned int n, unsigned int capacity, SampleState state) {
  constexpr int kItems = SAMPLE_SWEEP_ITEMS;
  extern __shared__ __align__(16) unsigned int shared_memory[];
  SampleSweepShared &shared = *(SampleSweepShared *)shared_memory;
  const unsigned int bin = threadIdx.x, tile = blockIdx.x, lane = threadIdx.x % WARP_SIZE;
  unsigned int *const bins = shared.warp_bin[threadIdx.x / WARP_SIZE];
  const PairBuffers buffers = {in, {}, {}, {}};
  PairItems<kItems> item;
  const TileSpan span = span_of<SAMPLE_TILE>(0, n, tile);
  load_pairs<SAMPLE_SWEEP_THREADS>(buffers, AT_INPUT, span, item);
#pragma unroll
  for (unsigned int i = 0; i < SAMPLE_BUCKETS; i += WARP_SIZE) bins[lane + i] = 0;
  wait_for_previous_kernel();
  if (bin < SAMPLE_BUCKETS) {
    shared.edge[bin] = bin == 0 ? 0 : splitter(state.sorted, bin);
    if (bin == 0) shared.edge[SAMPLE_BUCKETS] = 0;  // 2^32
  }
  if (bin > 0 && bin < SAMPLE_BUCKETS) {
    const int depth = 31 - __clz((int)bin);
    shared.tree[bin] =
        splitter(state.sorted, (2 * (bin - (1u << depth)) + 1) << (SAMPLE_BITS - 1 - depth));
  }
  // Where sampled keys are the largest one, the buckets before the last are empty, and their
  // regions its own. (A splitter may also be the largest key as the one after an equal one.)
  const bool is_last =
      bin > 0 && bin < SAMPLE_BUCKETS && state.sorted[SAMPLE / SAMPLE_BUCKETS * bin] == ~0u;
  const unsigned int last = (unsigned int)__syncthreads_count(is_last);
  const unsigned int first_region =
      bin == SAMPLE_BUCKETS - 1 && last > 1 ? SAMPLE_BUCKETS - last : bin;
  unsigned int digit[kItems];
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    digit[u] = bucket_of(shared.tree, item.key[u]);
    atomicAdd(&bins[digit[u]], 1u);
  }
  __syncthreads();

  unsigned int counts[SAMPLE_SWEEP_WARPS] = {}, count = 0;
  unsigned int *const word = &state.look_back[tile * SAMPLE_BUCKETS + bin];
  if (bin < SAMPLE_BUCKETS) {
#pragma unroll
    for (int w = 0; w < SAMPLE_SWEEP_WARPS; w++) count += counts[w] = shared.warp_bin[w][bin];
    look_back_publish(word, count | (tile == 0 ? LOOK_BACK_INCLUSIVE : LOOK_BACK_PARTIAL));
  }
  const unsigned int first = block_inclusive_scan_one_barrier(count, shared.warp_sums[0]) - count;
  if (bin < SAMPLE_BUCKETS) {
    unsigned int place = first;
#pragma unroll
    for (int w = 0; w < SAMPLE_SWEEP_WARPS; w++) {
      shared.warp_bin[w][bin] = place;
      place += counts[w];
    }
  }
  __syncthreads();

#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int lanes = lanes_with_pair_digit<SAMPLE_BITS>(digit[u]);
    const unsigned int before = (unsigned int)__popc((int)(lanes & ((1u << lane) - 1)));
    const unsigned int place = bins[digit[u]] + before;
    __syncwarp();
    if (before == 0) bins[digit[u]] = place + (unsigned int)__popc((int)lanes);
    __syncwarp();
    shared.tile[place] = make_uint2(item.key[u], item.position[u]);
    shared.digit[place] = (unsigned char)digit[u];
  }
  unsigned int total = 0;
  if (bin < SAMPLE_BUCKETS) {
    const unsigned int before = look_back_sum(state.look_back + bin, SAMPLE_BUCKETS, tile);
    total = before + count;
    if (tile > 0) look_back_publish(word, total | LOOK_BACK_INCLUSIVE);
    shared.bin_shift[bin] = first_region * state.room + before - first;
  }
  __syncthreads();
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int i = threadIdx.x + u * SAMPLE_SWEEP_THREADS;
    const unsigned int to = shared.bin_shift[shared.digit[i]] + i;
    // A bucket that outgrows its region spoils others, which is found out; but not more than these.
    if (i < span.valid && to < SAMPLE_BUCKETS * state.room) state.regions[to] = shared.tile[i];
  }
  if (span.begin + span.valid < n) return;
  if (bin == SAMPLE_BUCKETS - 1) total -= SAMPLE_TILE - span.valid;  // the padding
  if (bin < SAMPLE_BUCKETS) {
    const unsigned int empty =
        __ballot_sync(0xffffffffu, bin > 0 && !is_last && shared.edge[bin] == shared.edge[bin + 1]);
    if (lane == 0) shared.empty[bin / WARP_SIZE] = empty;
  }
  const unsigned int start = block_inclusive_scan_one_barrier(total, shared.warp_sums[1]) - total;
  if (bin < SAMPLE_BUCKETS)
    describe_bucket(state, shared, bin, first_region, total, start, capacity);
  __syncthreads();
  if (threadIdx.x == 0) state.host->verdict = *(volatile unsigned int *)state.verdict;
}

#endif
