// Step 1: a block per part draws a sample and divides the keys into fine ranges.
#ifndef MPPSORT_V2_SPLIT_CUH
#define MPPSORT_V2_SPLIT_CUH

#include "gsort/block/sample.cuh"
#include "mppsort_v2/order.cuh"

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
    sample[k] = i < wanted ? keys[begin + __umulhi(scramble(i), whole)] : 0;
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

// Slot i of a division, begin <= i < end: nothing sampled yet, and whether it is one key wide.
static __device__ __forceinline__ void clear_slot(const SplitShared &s, unsigned int i,
                                                  unsigned int begin, unsigned int end, int shift) {
  s.count[i] = 0;
  s.entry[i] = shift == 0 && i > begin && i + 1 < end ? ONE_KEY_WIDE : 0;
}

// Numbers the slots first .. end - 1 with more than `most` sampled keys, from `before` on and below
// `limit`: they will be divided. Returns the number behind the last.
static __device__ unsigned int number_overfull(const SplitShared &s, unsigned int first,
                                               unsigned int end, unsigned int most,
                                               unsigned int before, unsigned int limit) {
  __shared__ unsigned int behind;
  const unsigned int each = (end - first + SPLIT_THREADS - 1) / SPLIT_THREADS;
  const unsigned int from = min(first + threadIdx.x * each, end), to = min(from + each, end);
  unsigned int overfull = 0;
  for (unsigned int i = from; i < to; i++) overfull += s.count[i] > most && s.entry[i] == 0;
  const unsigned int up_to_here = before + block_inclusive_scan(overfull, s.warp_sums);
  unsigned int number = up_to_here - overfull;
  for (unsigned int i = from; i < to && number < limit; i++) {
    if (s.count[i] <= most || s.entry[i] != 0) continue;
    s.least[number] = ~0u;
    s.greatest[number] = 0;
    s.equal[number] = NO_PIVOT;
    s.sampled[number] = s.count[i];
    s.entry[i] = (unsigned short)(DIVIDED | number++);
  }
  if (threadIdx.x == SPLIT_THREADS - 1) behind = min(up_to_here, limit);
  __syncthreads();
  return behind;
}

// Gives the divisions before .. behind - 1 slots from `end` on, `capacity` in all, by their shares
// of the sample. Returns the end of the slots.
static __device__ unsigned int allot_slots(const SplitShared &s, unsigned int before,
                                           unsigned int behind, unsigned int end,
                                           unsigned int capacity) {
  __shared__ unsigned int new_end;
  const unsigned int d = before + threadIdx.x;
  const unsigned int sampled = d < behind ? s.sampled[d] : 0;
  const unsigned int up_to_here = block_inclusive_scan(sampled, s.warp_sums);
  if (threadIdx.x == SPLIT_THREADS - 1) new_end = up_to_here;
  __syncthreads();
  const unsigned int total = new_end, budget = capacity - 4 * (behind - before);
  unsigned int ranges = 0, shift = 0;
  // Most sampled keys are the same: that key gets a fine range of its own.
  if (d < behind && s.equal[d] > sampled / 2) s.least[d] = s.greatest[d] = s.pivot[d];
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

// Divides the slots first .. *end - 1, which `depth` divisions have made, where they are overfull.
// Moves *end by at most `capacity`, and *divisions.
template <int kItems>
static __device__ void divide_overfull(const SplitShared &s, const Root &root,
                                       const unsigned int (&sample)[kItems], unsigned int wanted,
                                       unsigned int first, unsigned int *end, int depth,
                                       unsigned int capacity, unsigned int most,
                                       unsigned int *divisions) {
  const unsigned int before = *divisions, old_end = *end;
  const unsigned int behind =
      number_overfull(s, first, old_end, most, before, before + capacity / 8);
  if (behind == before) return;
  *divisions = behind;
  const auto division_of = [&](unsigned int key) {  // that is being made; or one that is not
    const unsigned int entry = s.entry[find_slot(key, root, s.entry, s.division, depth)];
    return (entry & DIVIDED) != 0 ? entry & ~DIVIDED : behind;
  };
#pragma unroll
  for (int k = 0; k < kItems; k++) {
    const unsigned int d = division_of(sample[k]);
    if (threadIdx.x + k * SPLIT_THREADS >= wanted || d == behind) continue;
    // Most keys are between those seen before: atomics on one address are slow.
    if (sample[k] < *(volatile unsigned int *)&s.least[d]) atomicMin(&s.least[d], sample[k]);
    if (sample[k] > *(volatile unsigned int *)&s.greatest[d]) atomicMax(&s.greatest[d], sample[k]);
    if (*(volatile unsigned int *)&s.equal[d] == NO_PIVOT &&
        atomicCAS(&s.equal[d], NO_PIVOT, 0) == NO_PIVOT)
      s.pivot[d] = sample[k];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kItems; k++) {
    const unsigned int d = division_of(sample[k]);
    if (threadIdx.x + k * SPLIT_THREADS >= wanted || d == behind) continue;
    if (sample[k] == s.pivot[d]) atomicAdd(&s.equal[d], 1u);
  }
  __syncthreads();
  *end = allot_slots(s, before, behind, old_end, capacity);
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
  if (blockIdx.x == 0) number_tiles(level, all, parts, warp_sums);  // 0 tiles if there are no parts
  if (blockIdx.x >= parts) return;
  __syncthreads();
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
  add_extremes(low, high, &least, &greatest);
  __syncthreads();

  Root root = {};
  root.least = least;
  root.shift = shift_for_ranges(least, greatest, 1u << level.fine_bits);
  root.ranges = ((greatest - least) >> root.shift) + 1;
  const unsigned int second = root.ranges + 2, capacity = (1u << level.fine_bits) / 2;
  for (unsigned int i = threadIdx.x; i < second; i += SPLIT_THREADS)
    clear_slot(s, i, 0, second, root.shift);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kItems; k++)
    if (threadIdx.x + k * SPLIT_THREADS < wanted)
      atomicAdd(&s.count[find_slot(sample[k], root, s.entry, s.division, 0)], 1u);
  __syncthreads();
  // Half a group: a fine range may have twice the keys that the sample promises.
  const unsigned int most =
      max((unsigned int)((unsigned long long)wanted * level.join / 2 / part.length),
          LEAST_SAMPLED + 0u);
  unsigned int end = second, divisions = 0;
  divide_overfull(s, root, sample, wanted, 0, &end, 0, capacity, most, &divisions);
  const unsigned int third = end, second_divisions = divisions;
  if (third > second)
    divide_overfull(s, root, sample, wanted, second, &end, 1, capacity, most, &divisions);

  const size_t row = (size_t)blockIdx.x * level.slots;
  root.slots = end;
  root.divisions = divisions;
  // Up to an even number of entries: load_tables() reads two at a time.
  for (unsigned int i = threadIdx.x; i < (end + 1) / 2 * 2; i += SPLIT_THREADS)
    level.entry[row + i] = i < end ? s.entry[i] : 0;
  for (unsigned int i = threadIdx.x; i < divisions; i += SPLIT_THREADS)
    level.division[(size_t)blockIdx.x * level.divisions + i] = s.division[i];
  root.leaves = write_order(s, second, third, divisions, second_divisions, level.order + row);
  if (threadIdx.x == 0) level.root[blockIdx.x] = root;
}

#endif
