// Step 1: a block per part draws a sample and divides the keys into fine ranges.
#ifndef MPPSORT_V2_SPLIT_CUH
#define MPPSORT_V2_SPLIT_CUH

#include "mppsort_v2/ranges.cuh"

enum {
  SPLIT_THREADS = 1024,
  LEAST_SAMPLED = 6,  // of a fine range that is divided
  SAMPLED_PER_GROUP = 64,
  LEAST_SAMPLE = 4096,
  ONE_KEY_WIDE = 1,
};

// Shared memory of the block. entry[slot]: DIVIDED | division, ONE_KEY_WIDE or 0.
typedef struct SplitShared {
  Division *division;      // [divisions]
  unsigned int *count;     // [slots] sampled keys; later places in the order of the keys
  unsigned int *least;     // [divisions] of the sampled keys
  unsigned int *greatest;  // [divisions]
  unsigned int *sampled;   // [divisions] sampled keys; later the place of the first slot
  unsigned short *entry;   // [slots]
  unsigned int *warp_sums;
} SplitShared;

static inline size_t split_shared_bytes(const Level &level) {
  return level.slots * (sizeof(unsigned int) + sizeof(unsigned short)) +
         level.divisions * (sizeof(Division) + 3 * sizeof(unsigned int));
}

static __device__ __forceinline__ SplitShared split_shared(unsigned int *memory, const Level &level,
                                                           unsigned int *warp_sums) {
  SplitShared s;
  s.division = (Division *)memory;
  s.count = memory + 2 * level.divisions;
  s.least = s.count + level.slots;
  s.greatest = s.least + level.divisions;
  s.sampled = s.greatest + level.divisions;
  s.entry = (unsigned short *)(s.sampled + level.divisions);
  s.warp_sums = warp_sums;
  return s;
}

static __device__ __forceinline__ unsigned int mix_bits(unsigned int x) {
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

// Sampled keys: SAMPLED_PER_GROUP for each group, but at least LEAST_SAMPLE, and at most `most`.
static __device__ __forceinline__ unsigned int sample_size(unsigned int length, unsigned int join,
                                                           unsigned int most) {
  const unsigned long long wanted = (unsigned long long)length * SAMPLED_PER_GROUP / join;
  return (unsigned int)min(max(wanted, 0ull + LEAST_SAMPLE), 0ull + min(length, most));
}

// The calling thread's share of `wanted` keys, one of each stride of the part. Strides are measured
// in 2^-32 of a key: their beginnings need no division.
template <int kItems>
static __device__ __forceinline__ void draw_sample(const unsigned int *keys, unsigned int length,
                                                   unsigned int wanted,
                                                   unsigned int (&sample)[kItems]) {
  const unsigned long long stride = ((unsigned long long)length << 32) / wanted;
  const unsigned int whole = (unsigned int)(stride >> 32);
#pragma unroll
  for (int k = 0; k < kItems; k++) {
    const unsigned int i = threadIdx.x + k * SPLIT_THREADS;
    const unsigned int begin = (unsigned int)(i * stride >> 32);
    sample[k] = i < wanted ? keys[begin + __umulhi(mix_bits(i), whole)] : 0;
  }
}

// The least shift with which the keys least .. greatest lie in at most `ranges` fine ranges.
static __device__ __forceinline__ int shift_for_ranges(unsigned int least, unsigned int greatest,
                                                       unsigned int ranges) {
  const unsigned int width = greatest - least;
  int shift = max(__clz((int)ranges) - __clz((int)width), 0);
  while (width >> shift >= ranges) shift++;
  return shift;
}

static __device__ __forceinline__ unsigned int ranges_of(Division d) {
  return d.packed >> 5 & MOST_RANGES;
}

// Slot i of a division, begin <= i < end: nothing sampled yet, and whether it is one key wide.
static __device__ __forceinline__ void clear_slot(const SplitShared &s, unsigned int i,
                                                  unsigned int begin, unsigned int end, int shift) {
  s.count[i] = 0;
  s.entry[i] = shift == 0 && i > begin && i + 1 < end ? ONE_KEY_WIDE : 0;
}

// Numbers the slots first .. end - 1 with more than `most` sampled keys, from `before` on and below
// `limit`: they will be divided. Returns the number behind the last.
static __device__ unsigned int number_crowded(const SplitShared &s, unsigned int first,
                                              unsigned int end, unsigned int most,
                                              unsigned int before, unsigned int limit) {
  __shared__ unsigned int behind;
  const unsigned int each = (end - first + SPLIT_THREADS - 1) / SPLIT_THREADS;
  const unsigned int from = min(first + threadIdx.x * each, end), to = min(from + each, end);
  unsigned int crowded = 0;
  for (unsigned int i = from; i < to; i++) crowded += s.count[i] > most && s.entry[i] == 0;
  const unsigned int up_to_here = before + block_inclusive_scan(crowded, s.warp_sums);
  unsigned int number = up_to_here - crowded;
  for (unsigned int i = from; i < to && number < limit; i++) {
    if (s.count[i] <= most || s.entry[i] != 0) continue;
    s.least[number] = ~0u;
    s.greatest[number] = 0;
    s.sampled[number] = s.count[i];
    s.entry[i] = (unsigned short)(DIVIDED | number++);
  }
  if (threadIdx.x == SPLIT_THREADS - 1) behind = min(up_to_here, limit);
  __syncthreads();
  return behind;
}

// Gives the divisions before .. behind - 1 slots from `end` on, `room` in all, by their shares of
// the sample. Returns the end of the slots.
static __device__ unsigned int allot_slots(const SplitShared &s, unsigned int before,
                                           unsigned int behind, unsigned int end,
                                           unsigned int room) {
  __shared__ unsigned int new_end;
  const unsigned int d = before + threadIdx.x;
  const unsigned int sampled = d < behind ? s.sampled[d] : 0;
  const unsigned int up_to_here = block_inclusive_scan(sampled, s.warp_sums);
  if (threadIdx.x == SPLIT_THREADS - 1) new_end = up_to_here;
  __syncthreads();
  const unsigned int total = new_end, budget = room - 4 * (behind - before);
  unsigned int ranges = 0, shift = 0;
  if (d < behind) {
    const unsigned int share = (unsigned int)((unsigned long long)sampled * budget / total);
    const unsigned int most = min(max(share, 2u), (unsigned int)MOST_RANGES);
    shift = (unsigned int)shift_for_ranges(s.least[d], s.greatest[d], most);
    ranges = ((s.greatest[d] - s.least[d]) >> shift) + 1;
  }
  const unsigned int slots = d < behind ? ranges + 2 : 0;
  const unsigned int last = end + block_inclusive_scan(slots, s.warp_sums);
  if (d < behind) {
    const Division division = {s.least[d], shift | ranges << 5 | (last - slots) << 17};
    s.division[d] = division;
  }
  if (threadIdx.x == SPLIT_THREADS - 1) new_end = last;
  __syncthreads();
  return new_end;
}

// Divides the slots first .. *end - 1, which `depth` divisions have made, where they are crowded.
// Moves *end by at most `room`, and *divisions.
template <int kItems>
static __device__ void divide_crowded(const SplitShared &s, const Root &root,
                                      const unsigned int (&sample)[kItems], unsigned int wanted,
                                      unsigned int first, unsigned int *end, int depth,
                                      unsigned int room, unsigned int most,
                                      unsigned int *divisions) {
  const unsigned int before = *divisions, old_end = *end;
  const unsigned int behind = number_crowded(s, first, old_end, most, before, before + room / 8);
  if (behind == before) return;
  *divisions = behind;
#pragma unroll
  for (int k = 0; k < kItems; k++) {
    if (threadIdx.x + k * SPLIT_THREADS >= wanted) continue;
    const unsigned int entry = s.entry[find_slot(sample[k], root, s.entry, s.division, depth)];
    if ((entry & DIVIDED) == 0) continue;
    // Most keys are between those seen before: atomics on one address are slow.
    unsigned int *const least = &s.least[entry & ~DIVIDED];
    unsigned int *const greatest = &s.greatest[entry & ~DIVIDED];
    if (sample[k] < *(volatile unsigned int *)least) atomicMin(least, sample[k]);
    if (sample[k] > *(volatile unsigned int *)greatest) atomicMax(greatest, sample[k]);
  }
  __syncthreads();
  *end = allot_slots(s, before, behind, old_end, room);
  for (unsigned int d = before + threadIdx.x / WARP_SIZE; d < behind; d += MAX_WARPS) {
    const Division division = s.division[d];
    const unsigned int begin = division.packed >> 17, behind_it = begin + ranges_of(division) + 2;
    for (unsigned int i = begin + threadIdx.x % WARP_SIZE; i < behind_it; i += WARP_SIZE)
      clear_slot(s, i, begin, behind_it, (int)(division.packed & 31));
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kItems; k++) {
    if (threadIdx.x + k * SPLIT_THREADS >= wanted) continue;
    const unsigned int slot = find_slot(sample[k], root, s.entry, s.division, depth + 1);
    if (slot >= old_end) atomicAdd(&s.count[slot], 1u);
  }
  __syncthreads();
}

// Replaces count[i], for first <= i < end, by the number of undivided slots before it among those
// slots and all below them; count[end] becomes their sum. The divisions of these slots have the
// slots from `end` on, whose count[] is done already if they are divided themselves (`deep`).
static __device__ unsigned int place_slots(const SplitShared &s, unsigned int first,
                                           unsigned int end, bool deep) {
  __shared__ unsigned int sum;
  const unsigned int each = (end - first + SPLIT_THREADS - 1) / SPLIT_THREADS;
  const unsigned int from = min(first + threadIdx.x * each, end), to = min(from + each, end);
  const auto leaves_of = [&](unsigned int i) {
    if ((s.entry[i] & DIVIDED) == 0) return 1u;
    const Division d = s.division[s.entry[i] & ~DIVIDED];
    const unsigned int begin = d.packed >> 17, slots = ranges_of(d) + 2;
    return deep ? s.count[begin + slots] - s.count[begin] : slots;
  };
  unsigned int leaves = 0;
  for (unsigned int i = from; i < to; i++) leaves += leaves_of(i);
  const unsigned int up_to_here = block_inclusive_scan(leaves, s.warp_sums);
  unsigned int before = up_to_here - leaves;
  if (threadIdx.x == SPLIT_THREADS - 1) sum = up_to_here;
  // A thread writes only its own slots; those that it reads are below them.
  for (unsigned int i = from; i < to; i++) {
    const unsigned int own = leaves_of(i);
    s.count[i] = before;
    before += own;
  }
  __syncthreads();
  return sum;
}

// Writes the slots in the order of their keys. second, third: where the slots of the second and
// the third division begin. Returns the number of leaves.
static __device__ unsigned int write_order(const SplitShared &s, unsigned int second,
                                           unsigned int third, unsigned int divisions,
                                           unsigned int second_divisions, unsigned short *order) {
  const unsigned int below = place_slots(s, second, third, false);
  if (threadIdx.x == 0) s.count[third] = below;  // behind the last slot of the second divisions
  __syncthreads();
  const unsigned int leaves = place_slots(s, 0, second, true);
  const auto put = [&](unsigned int slot, unsigned int place) {
    const unsigned int entry = s.entry[slot];
    if ((entry & DIVIDED) != 0)
      s.sampled[entry & ~DIVIDED] = place;
    else
      order[place] = (unsigned short)(slot | (entry == ONE_KEY_WIDE ? 0u + ONE_KEY : 0u));
  };
  for (unsigned int i = threadIdx.x; i < second; i += SPLIT_THREADS) put(i, s.count[i]);
  __syncthreads();
  for (int depth = 1; depth <= 2; depth++) {
    const unsigned int end = depth == 1 ? second_divisions : divisions;
    unsigned int d = (depth == 1 ? 0 : second_divisions) + threadIdx.x / WARP_SIZE;
    for (; d < end; d += MAX_WARPS) {
      const unsigned int begin = s.division[d].packed >> 17, slots = ranges_of(s.division[d]) + 2;
      for (unsigned int i = threadIdx.x % WARP_SIZE; i < slots; i += WARP_SIZE)
        put(begin + i, s.sampled[d] + (depth == 1 ? s.count[begin + i] - s.count[begin] : i));
    }
    __syncthreads();
  }
  return leaves;
}
// A level's parts and tiles: of level 0, which has one part of `all` keys, or those listed before.
static __device__ void number_tiles(const Level &level, unsigned int all, unsigned int parts,
                                    unsigned int *warp_sums) {
  const unsigned int p = threadIdx.x;
  if (all > 0 && p == 0) {
    const Part part = {0, all};
    level.part[0] = part;
    *level.parts = 1;
  }
  const unsigned int length = p >= parts ? 0 : all > 0 ? all : level.part[p].length;
  const unsigned int tiles = length == 0 ? 0 : (length - 1) / level.tile + 1;
  const unsigned int up_to_here = block_inclusive_scan(tiles, warp_sums);
  if (p < parts) level.first_tile[p + 1] = up_to_here;
  if (p == 0) level.first_tile[0] = 0;
  __syncthreads();
}

// all: number of keys at level 0, else 0.
template <int kItems>
static __global__ void __launch_bounds__(SPLIT_THREADS)
    split_ranges(const unsigned int *keys, Level level, unsigned int all) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  __shared__ unsigned int warp_sums[MAX_WARPS], least, greatest;
  const SplitShared s = split_shared(shared_memory, level, warp_sums);
  if (threadIdx.x == 0) {
    least = ~0u;
    greatest = 0;
  }
  wait_for_previous_kernel();
  const unsigned int parts = all > 0 ? 1 : *level.parts;
  if (blockIdx.x >= parts) return;
  __syncthreads();
  if (blockIdx.x == 0) number_tiles(level, all, parts, warp_sums);
  const Part whole = {0, all}, part = all > 0 ? whole : level.part[blockIdx.x];
  const unsigned int wanted = sample_size(part.length, level.join, kItems * SPLIT_THREADS);
  unsigned int sample[kItems];
  draw_sample(keys + part.begin, part.length, wanted, sample);
  unsigned int low = ~0u, high = 0;
#pragma unroll
  for (int k = 0; k < kItems; k++) {
    if (threadIdx.x + k * SPLIT_THREADS >= wanted) continue;
    low = min(low, sample[k]);
    high = max(high, sample[k]);
  }
  for (int lanes = WARP_SIZE / 2; lanes > 0; lanes /= 2) {
    low = min(low, __shfl_xor_sync(0xffffffffu, low, lanes));
    high = max(high, __shfl_xor_sync(0xffffffffu, high, lanes));
  }
  if (threadIdx.x % WARP_SIZE == 0) {
    atomicMin(&least, low);
    atomicMax(&greatest, high);
  }
  __syncthreads();

  Root root = {};
  root.least = least;
  root.shift = shift_for_ranges(least, greatest, 1u << level.fine_bits);
  root.ranges = ((greatest - least) >> root.shift) + 1;
  const unsigned int second = root.ranges + 2, room = (1u << level.fine_bits) / 2;
  for (unsigned int i = threadIdx.x; i < second; i += SPLIT_THREADS)
    clear_slot(s, i, 0, second, root.shift);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kItems; k++)
    if (threadIdx.x + k * SPLIT_THREADS < wanted)
      atomicAdd(&s.count[find_slot(sample[k], root, s.entry, s.division, 0)], 1u);
  __syncthreads();
  // A third of a group: the next keys may be more than the sample promises.
  const unsigned int most =
      max((unsigned int)((unsigned long long)wanted * level.join / 3 / part.length),
          LEAST_SAMPLED + 0u);
  unsigned int end = second, divisions = 0;
  divide_crowded(s, root, sample, wanted, 0, &end, 0, room, most, &divisions);
  const unsigned int third = end, second_divisions = divisions;
  if (third > second)
    divide_crowded(s, root, sample, wanted, second, &end, 1, room, most, &divisions);

  const size_t row = (size_t)blockIdx.x * level.slots;
  root.slots = end;
  root.divisions = divisions;
  for (unsigned int i = threadIdx.x; i < end; i += SPLIT_THREADS) level.entry[row + i] = s.entry[i];
  for (unsigned int i = threadIdx.x; i < divisions; i += SPLIT_THREADS)
    level.division[(size_t)blockIdx.x * level.divisions + i] = s.division[i];
  root.leaves = write_order(s, second, third, divisions, second_divisions, level.order + row);
  if (threadIdx.x == 0) level.root[blockIdx.x] = root;
}

#endif
