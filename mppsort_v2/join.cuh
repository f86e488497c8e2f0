// Step 3: joins neighbouring fine ranges to groups, and lists the groups for the last step.
#ifndef MPPSORT_V2_JOIN_CUH
#define MPPSORT_V2_JOIN_CUH

#include "mppsort_v2/ranges.cuh"

// A fine range of one key with more than 1/8 of a group becomes a separate group, which needs no
// sort. The others are joined greedily: as many neighbours as fit. The walk from group to group is
// sequential, so the keys are divided into segments of some groups, and a thread walks each.
enum { JOIN_THREADS = 1024, MOST_SEGMENTS = 128, SEGMENT_GROUPS = 8, ALONE = 8 };

// Shared memory of the block. Leaves are undivided slots, in the order of their keys.
typedef struct JoinShared {
  unsigned int *start;    // [leaves + 1] keys before the leaf
  unsigned int *groups;   // [groups + 1] keys before the group
  unsigned short *slot;   // [leaves] and whether it is one key wide
  unsigned short *alone;  // [leaves + 1] leaves before it that are separate groups
  unsigned char *begins;  // [leaves] whether a group begins here
  unsigned char *equal;   // [groups] whether it is a leaf that stands alone
} JoinShared;

static inline size_t join_shared_bytes(const Level &level) {
  const size_t groups = (size_t)1 << level.group_bits, leaves = level.slots + 1;
  return (leaves + groups + 1) * sizeof(unsigned int) + 2 * leaves * sizeof(unsigned short) +
         leaves + groups;
}

static __device__ __forceinline__ JoinShared join_shared(unsigned int *memory, const Level &level) {
  const unsigned int groups = 1u << level.group_bits, leaves = level.slots + 1;
  JoinShared s;
  s.start = memory;
  s.groups = s.start + leaves;
  s.slot = (unsigned short *)(s.groups + groups + 1);
  s.alone = s.slot + leaves;
  s.begins = (unsigned char *)(s.alone + leaves);
  s.equal = s.begins + leaves;
  return s;
}

static __device__ __forceinline__ bool stands_alone(const JoinShared &s, unsigned int leaf,
                                                    unsigned int join) {
  return (s.slot[leaf] & ONE_KEY) != 0 && s.start[leaf + 1] - s.start[leaf] > join / ALONE;
}

// The first leaf with `keys` or more keys before it.
static __device__ __forceinline__ unsigned int leaf_from(const JoinShared &s, unsigned int leaves,
                                                         unsigned int keys) {
  unsigned int low = 0, high = leaves;
  while (low < high) {
    const unsigned int middle = (low + high) / 2;
    if (s.start[middle] < keys)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Marks where groups begin in a segment of leaves.
static __device__ void walk_groups(const JoinShared &s, unsigned int leaf, unsigned int end,
                                   unsigned int join) {
  while (leaf < end) {
    s.begins[leaf] = 1;
    const unsigned int most = s.start[leaf] + join, alone = s.alone[leaf];
    // The next group begins at low or behind it. Steps double while they fit, then halve.
    unsigned int low = leaf + 1, step = 1;
    const auto fits = [&](unsigned int next) {
      return next <= end && s.start[next] <= most && s.alone[next] == alone;
    };
    for (; fits(low + step); step *= 2) low += step;
    for (; step > 0; step /= 2)
      if (fits(low + step)) low += step;
    leaf = low;
  }
}

// Lists a group, or the part that it becomes if it is too large. A thread per group.
static __device__ void list_group(const Level &level, Results results, Part group, bool equal,
                                  unsigned int *warp_sums) {
  __shared__ unsigned int first;
  const bool again = !equal && group.length > level.capacity;
  const unsigned int chunks = (group.length + level.capacity - 1) / level.capacity;
  const unsigned int listed = again || (equal && !level.copies) ? 0 : chunks;
  const unsigned int up_to_here = block_inclusive_scan(listed, warp_sums);
  if (threadIdx.x == JOIN_THREADS - 1) first = atomicAdd(results.groups, up_to_here);
  __syncthreads();
  Group *const group_list = results.group + first + up_to_here - listed;
  for (unsigned int c = 0; c < listed; c++) {
    const unsigned int skipped = c * level.capacity;
    const Group one = {group.begin + skipped, min(group.length - skipped, level.capacity), equal,
                       level.copies};
    group_list[c] = one;
  }
  if (again) results.part[atomicAdd(results.parts, 1u)] = group;
}

// The last of `blocks` blocks reports the number of parts to the waiting host.
static __device__ void report_parts(Results results, unsigned int blocks) {
  if (results.host_parts == NULL) return;
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence();
  if (atomicAdd(results.joined, 1u) != blocks - 1) return;
  __threadfence();
  *results.host_parts = 1 + *(volatile unsigned int *)results.parts;
}

// Counts and slots of the leaves, in their order; start[] from the counts; zero begins[].
static __device__ void load_leaves(const JoinShared &s, const Level &level, unsigned int leaves,
                                   unsigned int *warp_sums) {
  const size_t row = (size_t)blockIdx.x * level.slots;
#pragma unroll 4
  for (unsigned int i = threadIdx.x; i < leaves; i += JOIN_THREADS) {
    const unsigned short slot = level.order[row + i];
    s.slot[i] = slot;
    s.begins[i] = 0;
    s.start[i] = level.counts[row + (slot & ~ONE_KEY)];
  }
  __syncthreads();
  const unsigned int each = (leaves + JOIN_THREADS - 1) / JOIN_THREADS | 1u;  // odd: no conflicts
  const unsigned int from = min(threadIdx.x * each, leaves), to = min(from + each, leaves);
  unsigned int keys = 0;
  for (unsigned int i = from; i < to; i++) keys += s.start[i];
  unsigned int start = block_inclusive_scan(keys, warp_sums) - keys;
  for (unsigned int i = from; i < to; i++) {
    const unsigned int own = s.start[i];
    s.start[i] = start;
    start += own;
  }
  if (threadIdx.x == JOIN_THREADS - 1) s.start[leaves] = start;
  __syncthreads();
}

// Numbers the leaves between from and to that are separate groups: alone[], for the block.
static __device__ void number_alone(const JoinShared &s, unsigned int from, unsigned int to,
                                    unsigned int leaves, unsigned int join,
                                    unsigned int *warp_sums) {
  unsigned int own = 0;
  for (unsigned int i = from; i < to; i++) own += stands_alone(s, i, join);
  unsigned int before = block_inclusive_scan(own, warp_sums) - own;
  for (unsigned int i = from; i < to; i++) {
    s.alone[i] = (unsigned short)before;
    before += stands_alone(s, i, join);
  }
  if (threadIdx.x == JOIN_THREADS - 1) s.alone[leaves] = (unsigned short)before;
  __syncthreads();
}

// A block per part; a thread has neighbouring leaves.
static __global__ void __launch_bounds__(JOIN_THREADS) join_ranges(Level level, Results results) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  __shared__ unsigned int warp_sums[MAX_WARPS], all;
  const unsigned int most_groups = 1u << level.group_bits;
  const JoinShared s = join_shared(shared_memory, level);
  wait_for_previous_kernel();
  const unsigned int parts = *level.parts;
  if (blockIdx.x >= parts) return;
  const Part part = level.part[blockIdx.x];
  const unsigned int leaves = level.root[blockIdx.x].leaves;
  load_leaves(s, level, leaves, warp_sums);
  const unsigned int each = (leaves + JOIN_THREADS - 1) / JOIN_THREADS | 1u;
  const unsigned int from = min(threadIdx.x * each, leaves), to = min(from + each, leaves);
  unsigned int begins, up_to_here, join = level.join;
  for (;; join *= 2) {  // too many groups: larger ones; those above the capacity become parts
    number_alone(s, from, to, leaves, join, warp_sums);
    const unsigned int segment = threadIdx.x;
    const unsigned int segments =
        min(part.length / join / SEGMENT_GROUPS + 1, (unsigned int)MOST_SEGMENTS);
    if (segment < segments) {
      const unsigned long long keys = part.length;
      const unsigned int first = leaf_from(s, leaves, (unsigned int)(keys * segment / segments));
      const unsigned int next =
          leaf_from(s, leaves, (unsigned int)(keys * (segment + 1) / segments));
      walk_groups(s, first, segment + 1 < segments ? next : leaves, join);
    }
    __syncthreads();
    begins = 0;
    for (unsigned int i = from; i < to; i++) begins += s.begins[i];
    up_to_here = block_inclusive_scan(begins, warp_sums);
    if (threadIdx.x == JOIN_THREADS - 1) all = up_to_here;
    __syncthreads();
    if (all <= most_groups) break;
    for (unsigned int i = from; i < to; i++) s.begins[i] = 0;
    __syncthreads();
  }
  unsigned int group = up_to_here - begins;
  const size_t row = (size_t)blockIdx.x * level.slots;
  for (unsigned int i = from; i < to; i++) {
    if (s.begins[i] != 0) {
      s.groups[group] = s.start[i];
      s.equal[group++] = stands_alone(s, i, join);
    }
    level.entry[row + (s.slot[i] & ~ONE_KEY)] = (unsigned short)(group - 1);
  }
  if (threadIdx.x == 0) s.groups[all] = part.length;
  __syncthreads();
  const unsigned int g = threadIdx.x;
  Part own = {0, 0};
  if (g < all) {
    own.begin = part.begin + s.groups[g];
    own.length = s.groups[g + 1] - s.groups[g];
  }
  if (g < most_groups)  // of groups that do not exist too: the move of pairs reads them
    level.group_begin[(size_t)blockIdx.x * most_groups + g] = own.begin;
  list_group(level, results, own, g < all && s.equal[g] != 0, warp_sums);
  report_parts(results, parts);
}

#endif
