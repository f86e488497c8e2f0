// Step 3: a block sorts each group in shared memory, by stable passes over the bits that vary in
// it.
#ifndef MPPSORT_V2_SORT_GROUP_CUH
#define MPPSORT_V2_SORT_GROUP_CUH

#include "mppsort_v2/ranges.cuh"
#include "radix_v7/block_passes.cuh"

enum { SORT_THREADS = 512, SORT_ITEMS = 16, MOST_IN_GROUP = SORT_THREADS * SORT_ITEMS };

typedef struct SortShared {
  unsigned int pass_counter[SORT_THREADS / WARP_SIZE * PASS_BINS], warp_sums[MAX_WARPS];
  SeenBits seen;
  unsigned int element[MOST_IN_GROUP];  // keys; with pairs, places in the group
  unsigned int value[MOST_IN_GROUP];    // with pairs only: keys, then positions
} SortShared;

static inline size_t sort_shared_bytes(bool pairs) {
  return pairs ? sizeof(SortShared) : offsetof(SortShared, value);
}

// Block g sorts group g; without a list of groups block 0 sorts all `segment.length` keys. `to` may
// be `from`: a block has read all keys before it writes one, and so with the positions.
template <bool PAIRS>
static __global__ void __launch_bounds__(SORT_THREADS)
    sort_groups(Pairs from, Pairs to, Segment segment, const unsigned int *groups,
                const unsigned int *group_start) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  SortShared &shared = *(SortShared *)shared_memory;
  wait_for_previous_kernel();
  if (groups != NULL && blockIdx.x >= *groups) return;
  const unsigned int begin = groups == NULL ? 0 : group_start[blockIdx.x];
  const unsigned int count = groups == NULL ? segment.length : group_start[blockIdx.x + 1] - begin;
  if (count > segment.capacity) return;  // in the list of large ones
  if (threadIdx.x == 0) shared.seen = {0, 0};
  const unsigned int *const in = from.keys + begin;
  unsigned int key[SORT_ITEMS] = {};
#pragma unroll
  for (unsigned int u = 0; u < SORT_ITEMS; u++) {
    const unsigned int i = u * SORT_THREADS + threadIdx.x;
    if (i < count) key[u] = in[i];
  }
#pragma unroll
  for (unsigned int u = 0; u < SORT_ITEMS; u++) {
    const unsigned int i = u * SORT_THREADS + threadIdx.x;
    if (i >= count) continue;
    shared.element[i] = PAIRS ? i : key[u];
    if (PAIRS) shared.value[i] = key[u];
  }
  __syncthreads();
  see_bits<SORT_THREADS>(key, 0, count, &shared.seen);
  __syncthreads();
  const unsigned int varying = shared.seen.set & shared.seen.clear;
  if (varying == 0 && to.keys == from.keys) return;  // equal keys, already there
  sort_by_passes<SORT_THREADS, SORT_ITEMS, PAIRS>(shared.element, count, shared.value, 0, varying,
                                                  shared.pass_counter, shared.warp_sums);
  for (unsigned int i = threadIdx.x; i < count; i += SORT_THREADS)
    to.keys[begin + i] = PAIRS ? shared.value[shared.element[i]] : shared.element[i];
  if (PAIRS) {
    __syncthreads();
    for (unsigned int i = threadIdx.x; i < count; i += SORT_THREADS)
      shared.value[i] = from.positions[begin + i];
    __syncthreads();
    for (unsigned int i = threadIdx.x; i < count; i += SORT_THREADS)
      to.positions[begin + i] = shared.value[shared.element[i]];
  }
}

#endif
