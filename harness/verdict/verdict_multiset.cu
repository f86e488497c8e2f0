// The keys of the output must equal the snapshot's keys, sorted by a library. Sorting all of them
// at once takes about as much memory as snapshot and output together. So the range of keys is cut
// into slices of few keys:
//
//   snapshot          [7 1 4 7 0 5 7 2]      slices of at most 3 keys
//   keys by bit 2     0..3: 3, 4..7: 5       0..3 is a slice: sorted [0 1 2], for output[0..3)
//   of 4..7, by bit 1 4..5: 2, 6..7: 3       [4 5] for output[3..5), [7 7 7] for output[5..8)
//
// The code uses bytes instead of bits. The counts give the index at which a slice begins in the
// output. A single key that is more frequent than a slice is large needs no sort.
#include "common/check.h"
#include "common/scratch.h"
#include "gsort/block/scan.cuh"
#include "harness/verdict/library_sort.h"
#include "harness/input/mix.h"
#include "harness/verdict/verdict_bad.cuh"
#include "harness/verdict/verdict.h"

enum { CHILDREN = 256, CHILD_BITS = 8, SELECT_ITEMS = 16 };

// The keys from low to high, inclusive.
typedef struct Range {
  unsigned int low, high;
} Range;

static __device__ __forceinline__ bool is_in(Range range, unsigned int key) {
  return key >= range.low && key <= range.high;
}

// Hash sum of a's keys minus the hash sum of b's: 0 if both hold the same keys, in any order.
static __global__ void subtract_hashes(const unsigned int *a, const unsigned int *b, size_t n,
                                       Count *difference) {
  Count sum = 0;
  FOR_EACH_INDEX(i, 0, n) sum += splitmix(0, a[i]) - splitmix(0, b[i]);
  if (sum != 0) atomicAdd(difference, sum);
}

static __global__ void check_constant(unsigned int expected, const unsigned int *actual, size_t n,
                                      size_t first_place, Bad *bad) {
  Count count = 0, first = ~0ull;
  FOR_EACH_INDEX(i, 0, n) {
    if (actual[i] != expected) note(&count, &first, first_place + i);
  }
  report(bad, count, first);
}

// Adds the number of keys in each of 256 equal parts of the range, which are 2^shift keys wide.
static __global__ void count_parts(const unsigned int *keys, size_t n, Range range, int shift,
                                   Count *counts) {
  __shared__ unsigned int block_counts[CHILDREN];
  for (unsigned int i = threadIdx.x; i < CHILDREN; i += blockDim.x) block_counts[i] = 0;
  __syncthreads();
  FOR_EACH_INDEX(i, 0, n) {
    if (is_in(range, keys[i])) atomicAdd(&block_counts[(keys[i] - range.low) >> shift], 1u);
  }
  __syncthreads();
  for (unsigned int i = threadIdx.x; i < CHILDREN; i += blockDim.x)
    if (block_counts[i] > 0) atomicAdd(&counts[i], (Count)block_counts[i]);
}

// Appends the keys of the range to `selected`, in any order; *count is 0 before. An atomic for each
// block's SELECT_ITEMS keys per thread: one for each key would take longer than the sort.
static __global__ void __launch_bounds__(VERDICT_BLOCK)
    select_keys(const unsigned int *keys, size_t n, Range range, unsigned int *selected,
                Count *count) {
  __shared__ unsigned int warp_sums[MAX_WARPS];
  __shared__ Count begin;
  const size_t tile = (size_t)VERDICT_BLOCK * SELECT_ITEMS;
  for (size_t first = blockIdx.x * tile; first < n; first += gridDim.x * tile) {
    const size_t end = first + tile < n ? first + tile : n;
    unsigned int mine = 0;
    for (size_t i = first + threadIdx.x; i < end; i += VERDICT_BLOCK) mine += is_in(range, keys[i]);
    const unsigned int up_to_here = block_inclusive_scan(mine, warp_sums);
    if (threadIdx.x == VERDICT_BLOCK - 1) begin = atomicAdd(count, (Count)up_to_here);
    __syncthreads();
    unsigned int *to = selected + begin + up_to_here - mine;
    for (size_t i = first + threadIdx.x; i < end; i += VERDICT_BLOCK)
      if (is_in(range, keys[i])) *to++ = keys[i];
    __syncthreads();  // `begin` has been read
  }
}

// ---- host --------------------------------------------------------------------------------------

typedef struct Multiset {
  const unsigned int *snapshot, *keys;
  size_t n, slice;
  unsigned int *d_selected, *d_sorted;  // slice elements each; d_selected only where slice < n
  Count *d_counts;                      // [CHILDREN]
  Bad *d_bad;
  VerdictFinding found;
} Multiset;

// After the comparison of a part of the output, which begins there: looks up the first wrong
// element if it is in this part. d_sorted: the keys that belong there, or NULL if all of them are
// `value`.
static void look_for_bad(Multiset *m, const unsigned int *d_sorted, size_t begin,
                         unsigned int value) {
  Bad bad;
  CUDA_CHECK(cudaMemcpy(&bad, m->d_bad, sizeof bad, cudaMemcpyDeviceToHost));
  m->found.bad_count = bad.count;
  if (bad.count == 0 || m->found.state == VERDICT_FAILS) return;
  m->found.state = VERDICT_FAILS;
  m->found.first_bad = bad.first;
  unsigned int expected = value, actual = 0;
  if (d_sorted != NULL)
    CUDA_CHECK(cudaMemcpy(&expected, d_sorted + (bad.first - begin), sizeof expected,
                          cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaMemcpy(&actual, m->keys + bad.first, sizeof actual, cudaMemcpyDeviceToHost));
  m->found.expected = expected;
  m->found.actual = actual;
}

// The `count` keys of the range belong to output[begin ..].
static void judge_slice(Multiset *m, Range range, size_t begin, size_t count) {
  if (count == 0) return;
  if (range.low == range.high) {
    check_constant<<<verdict_blocks(count), VERDICT_BLOCK>>>(range.low, m->keys + begin, count,
                                                             begin, m->d_bad);
    LAUNCH_CHECK();
    look_for_bad(m, NULL, begin, range.low);
    return;
  }
  const unsigned int *keys = m->snapshot;
  if (count < m->n) {
    CUDA_CHECK(cudaMemsetAsync(m->d_counts, 0, sizeof *m->d_counts, 0));
    select_keys<<<verdict_blocks(m->n / SELECT_ITEMS), VERDICT_BLOCK>>>(m->snapshot, m->n, range,
                                                                        m->d_selected, m->d_counts);
    LAUNCH_CHECK();
    keys = m->d_selected;
  }
  library_sort(keys, m->d_sorted, count);
  check_equal<<<verdict_blocks(count), VERDICT_BLOCK>>>(m->d_sorted, m->keys + begin, count, begin,
                                                        m->d_bad);
  LAUNCH_CHECK();
  look_for_bad(m, m->d_sorted, begin, 0);
}

// The `count` keys from `low` on, 2^bits values, belong to output[begin ..]. At most four levels.
// NOLINTNEXTLINE(misc-no-recursion)
static void judge_range(Multiset *m, unsigned int low, int bits, size_t begin, size_t count) {
  const Range range = {low, low + (unsigned int)((1ull << bits) - 1)};
  if (count <= m->slice || bits == 0) {
    judge_slice(m, range, begin, count);
    return;
  }
  const int shift = bits - CHILD_BITS;
  Count counts[CHILDREN];
  CUDA_CHECK(cudaMemsetAsync(m->d_counts, 0, sizeof counts, 0));
  count_parts<<<verdict_blocks(m->n), VERDICT_BLOCK>>>(m->snapshot, m->n, range, shift,
                                                       m->d_counts);
  LAUNCH_CHECK();
  CUDA_CHECK(cudaMemcpy(counts, m->d_counts, sizeof counts, cudaMemcpyDeviceToHost));
  for (unsigned int child = 0; child < CHILDREN;) {
    // As many parts as a slice holds, or one that is larger.
    const unsigned int first = child;
    size_t together = 0;
    while (child < CHILDREN && together + counts[child] <= m->slice) together += counts[child++];
    if (child > first) {
      const Range slice = {low + (first << shift), low + (child << shift) - 1};
      judge_slice(m, slice, begin, together);
    } else {
      together = counts[child];
      judge_range(m, low + (child++ << shift), shift, begin, together);
    }
    begin += together;
  }
}

// If snapshot and output lost the same keys (the version may be the library's sort), the hash sums
// of both differ.
static bool hashes_differ(Multiset *m) {
  CUDA_CHECK(cudaMemsetAsync(m->d_counts, 0, sizeof *m->d_counts, 0));
  subtract_hashes<<<verdict_blocks(m->n), VERDICT_BLOCK>>>(m->snapshot, m->keys, m->n, m->d_counts);
  LAUNCH_CHECK();
  Count difference = 0;
  CUDA_CHECK(cudaMemcpy(&difference, m->d_counts, sizeof difference, cudaMemcpyDeviceToHost));
  return difference != 0;
}

VerdictFinding verdict_multiset_of_keys(const unsigned int *d_snapshot, const unsigned int *d_keys,
                                        size_t n, size_t slice) {
  Multiset m = {};
  m.snapshot = d_snapshot;
  m.keys = d_keys;
  m.n = n;
  m.slice = slice < n ? slice : n;
  m.found.state = VERDICT_HOLDS;
  const size_t bytes = m.slice * sizeof *m.d_sorted;
  const Bad none = {0, ~0ull};
  m.d_sorted = (unsigned int *)scratch_alloc(bytes);
  m.d_selected = slice < n ? (unsigned int *)scratch_alloc(bytes) : NULL;
  m.d_counts = (Count *)scratch_alloc(CHILDREN * sizeof *m.d_counts);
  m.d_bad = (Bad *)scratch_alloc(sizeof none);
  CUDA_CHECK(cudaMemcpy(m.d_bad, &none, sizeof none, cudaMemcpyHostToDevice));

  judge_range(&m, 0, KEY_BITS, 0, n);
  if (hashes_differ(&m)) m.found.state = VERDICT_FAILS;

  // The next sort's scratch memory must not hold the answer.
  CUDA_CHECK(cudaMemsetAsync(m.d_sorted, 0xa5, bytes, 0));
  if (m.d_selected != NULL) {
    CUDA_CHECK(cudaMemsetAsync(m.d_selected, 0xa5, bytes, 0));
    scratch_free(m.d_selected);
  }
  scratch_free(m.d_bad);
  scratch_free(m.d_counts);
  scratch_free(m.d_sorted);
  return m.found;
}

double verdict_multiset_bytes(size_t n) {
  const double library = 1.1;
  const double keys =
      n <= VERDICT_SLICE ? (double)n * (1 + library) : (double)VERDICT_SLICE * (2 + 2 * library);
  return keys * sizeof(unsigned int);
}
