// The keys of the output must equal the snapshot's keys, sorted by a library. Sorting all of them
// at once takes about as much memory as snapshot and output together. So the range of keys is cut
// into slices of few keys:
//
//   snapshot          [7 1 4 7 0 5 7 2]      slices of at most 3 keys
//   keys by bit 2     0..3: 3, 4..7: 5       0..3 is a slice: sorted [0 1 2], for output[0..3)
//   of 4..7, by bit 1 4..5: 2, 6..7: 3       [4 5] for output[3..5), [7 7 7] for output[5..8)
//
// The code uses bytes instead of bits. The counts give the index at which a slice begins in the
// output. A single key that is more frequent than a slice is large needs no sort. Ranges, counts
// and sorted slices are of the keys' codes.
#include "common/check.h"
#include "common/scratch.h"
#include "gsort/block/scan.cuh"
#include "harness/verdict/library_sort.h"
#include "harness/input/mix.h"
#include "harness/verdict/verdict_bad.cuh"
#include "harness/verdict/verdict.h"

enum { CHILDREN = 256, CHILD_BITS = 8, SELECT_ITEMS = 16 };

// The codes from low to high, inclusive.
template <class Word>
struct Range {
  Word low, high;
};

template <class Word>
static __device__ __forceinline__ bool is_in(Range<Word> range, Word code) {
  return code >= range.low && code <= range.high;
}

// Hash sum of a's keys minus the hash sum of b's: 0 if both hold the same keys, in any order.
template <class Word>
static __global__ void subtract_hashes(const Word *a, const Word *b, size_t n, Count *difference) {
  Count sum = 0;
  FOR_EACH_INDEX(i, 0, n) sum += splitmix(0, a[i]) - splitmix(0, b[i]);
  if (sum != 0) atomicAdd(difference, sum);
}

template <class Word>
static __global__ void check_constant(KeyType type, Word expected, const Word *actual, size_t n,
                                      size_t first_place, Bad *bad) {
  Count count = 0, first = ~0ull;
  FOR_EACH_INDEX(i, 0, n) {
    if (code_of(type, actual[i]) != expected) note(&count, &first, first_place + i);
  }
  report(bad, count, first);
}

// Adds the number of keys in each of 256 equal parts of the range, which are 2^shift keys wide.
template <class Word>
static __global__ void count_parts(KeyType type, const Word *keys, size_t n, Range<Word> range,
                                   int shift, Count *counts) {
  __shared__ unsigned int block_counts[CHILDREN];
  for (unsigned int i = threadIdx.x; i < CHILDREN; i += blockDim.x) block_counts[i] = 0;
  __syncthreads();
  FOR_EACH_INDEX(i, 0, n) {
    const Word code = code_of(type, keys[i]);
    if (is_in(range, code)) atomicAdd(&block_counts[(code - range.low) >> shift], 1u);
  }
  __syncthreads();
  for (unsigned int i = threadIdx.x; i < CHILDREN; i += blockDim.x)
    if (block_counts[i] > 0) atomicAdd(&counts[i], (Count)block_counts[i]);
}

// Appends the codes of the range to `selected`, in any order; *count is 0 before. An atomic for
// each block's SELECT_ITEMS keys per thread: one for each key would take longer than the sort.
template <class Word>
static __global__ void __launch_bounds__(VERDICT_BLOCK)
    select_keys(KeyType type, const Word *keys, size_t n, Range<Word> range, Word *selected,
                Count *count) {
  __shared__ unsigned int warp_sums[MAX_WARPS];
  __shared__ Count begin;
  const size_t tile = (size_t)VERDICT_BLOCK * SELECT_ITEMS;
  for (size_t first = blockIdx.x * tile; first < n; first += gridDim.x * tile) {
    const size_t end = first + tile < n ? first + tile : n;
    unsigned int mine = 0;
    for (size_t i = first + threadIdx.x; i < end; i += VERDICT_BLOCK)
      mine += is_in(range, code_of(type, keys[i]));
    const unsigned int up_to_here = block_inclusive_scan(mine, warp_sums);
    if (threadIdx.x == VERDICT_BLOCK - 1) begin = atomicAdd(count, (Count)up_to_here);
    __syncthreads();
    Word *to = selected + begin + up_to_here - mine;
    for (size_t i = first + threadIdx.x; i < end; i += VERDICT_BLOCK) {
      const Word code = code_of(type, keys[i]);
      if (is_in(range, code)) *to++ = code;
    }
    __syncthreads();  // `begin` has been read
  }
}

// ---- host --------------------------------------------------------------------------------------

static void sort(const uint32_t *d_from, uint32_t *d_to, size_t n) {
  library_sort(d_from, d_to, n);
}
static void sort(const uint64_t *d_from, uint64_t *d_to, size_t n) {
  library_sort64(d_from, d_to, n);
}

// Are keys and codes the same?
static bool unsigned_keys(KeyType type) { return type == KEY_U32 || type == KEY_U64; }

template <class Word>
struct Multiset {
  KeyType type;
  const Word *snapshot, *keys;
  size_t n, slice;
  Word *d_selected, *d_sorted;  // slice elements each; d_selected: NULL if never needed
  Count *d_counts;              // [CHILDREN]
  Bad *d_bad;
  VerdictFinding found;
};

// After the comparison of a part of the output, which begins there: looks up the first wrong
// element if it is in this part. d_sorted: the keys that belong there, or NULL if all of them are
// `value`.
template <class Word>
static void look_for_bad(Multiset<Word> *m, const Word *d_sorted, size_t begin, Word value) {
  Bad bad;
  CUDA_CHECK(cudaMemcpy(&bad, m->d_bad, sizeof bad, cudaMemcpyDeviceToHost));
  m->found.bad_count = bad.count;
  if (bad.count == 0 || m->found.state == VERDICT_FAILS) return;
  m->found.state = VERDICT_FAILS;
  m->found.first_bad = bad.first;
  Word expected = value, actual = 0;
  if (d_sorted != NULL)
    CUDA_CHECK(cudaMemcpy(&expected, d_sorted + (bad.first - begin), sizeof expected,
                          cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaMemcpy(&actual, m->keys + bad.first, sizeof actual, cudaMemcpyDeviceToHost));
  m->found.expected = expected;
  m->found.actual = code_of(m->type, actual);
}

// The `count` keys of the range belong to output[begin ..].
template <class Word>
static void judge_slice(Multiset<Word> *m, Range<Word> range, size_t begin, size_t count) {
  if (count == 0) return;
  if (range.low == range.high) {
    check_constant<<<verdict_blocks(count), VERDICT_BLOCK>>>(m->type, range.low, m->keys + begin,
                                                             count, begin, m->d_bad);
    LAUNCH_CHECK();
    look_for_bad(m, (const Word *)NULL, begin, range.low);
    return;
  }
  const Word *codes = m->snapshot;
  if (count < m->n || !unsigned_keys(m->type)) {
    CUDA_CHECK(cudaMemsetAsync(m->d_counts, 0, sizeof *m->d_counts, 0));
    select_keys<<<verdict_blocks(m->n / SELECT_ITEMS), VERDICT_BLOCK>>>(
        m->type, m->snapshot, m->n, range, m->d_selected, m->d_counts);
    LAUNCH_CHECK();
    codes = m->d_selected;
  }
  sort(codes, m->d_sorted, count);
  check_equal<<<verdict_blocks(count), VERDICT_BLOCK>>>(m->type, m->d_sorted, m->keys + begin,
                                                        count, begin, m->d_bad);
  LAUNCH_CHECK();
  look_for_bad(m, m->d_sorted, begin, (Word)0);
}

// The `count` codes from `low` on, 2^bits values, belong to output[begin ..]. A level for each
// byte.
template <class Word>
// NOLINTNEXTLINE(misc-no-recursion)
static void judge_range(Multiset<Word> *m, Word low, int bits, size_t begin, size_t count) {
  const Range<Word> range = {
      low, bits == 0 ? low : (Word)(low + (~(Word)0 >> (8 * (int)sizeof(Word) - bits)))};
  if (count <= m->slice || bits == 0) {
    judge_slice(m, range, begin, count);
    return;
  }
  const int shift = bits - CHILD_BITS;
  Count counts[CHILDREN];
  CUDA_CHECK(cudaMemsetAsync(m->d_counts, 0, sizeof counts, 0));
  count_parts<<<verdict_blocks(m->n), VERDICT_BLOCK>>>(m->type, m->snapshot, m->n, range, shift,
                                                       m->d_counts);
  LAUNCH_CHECK();
  CUDA_CHECK(cudaMemcpy(counts, m->d_counts, sizeof counts, cudaMemcpyDeviceToHost));
  for (Word child = 0; child < CHILDREN;) {
    // As many parts as a slice holds, or one that is larger.
    const Word first = child;
    size_t together = 0;
    while (child < CHILDREN && together + counts[child] <= m->slice) together += counts[child++];
    if (child > first) {
      const Range<Word> slice = {low + (first << shift), low + (child << shift) - 1};
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
template <class Word>
static bool hashes_differ(Multiset<Word> *m) {
  CUDA_CHECK(cudaMemsetAsync(m->d_counts, 0, sizeof *m->d_counts, 0));
  subtract_hashes<<<verdict_blocks(m->n), VERDICT_BLOCK>>>(m->snapshot, m->keys, m->n, m->d_counts);
  LAUNCH_CHECK();
  Count difference = 0;
  CUDA_CHECK(cudaMemcpy(&difference, m->d_counts, sizeof difference, cudaMemcpyDeviceToHost));
  return difference != 0;
}

template <class Word>
static VerdictFinding judge(KeyType type, const Word *d_snapshot, const Word *d_keys, size_t n,
                            size_t slice) {
  Multiset<Word> m = {};
  m.type = type;
  m.snapshot = d_snapshot;
  m.keys = d_keys;
  m.n = n;
  m.slice = slice < n ? slice : n;
  m.found.state = VERDICT_HOLDS;
  const size_t bytes = m.slice * sizeof *m.d_sorted;
  const Bad none = {0, ~0ull};
  m.d_sorted = (Word *)scratch_alloc(bytes);
  m.d_selected = slice < n || !unsigned_keys(type) ? (Word *)scratch_alloc(bytes) : NULL;
  m.d_counts = (Count *)scratch_alloc(CHILDREN * sizeof *m.d_counts);
  m.d_bad = (Bad *)scratch_alloc(sizeof none);
  CUDA_CHECK(cudaMemcpy(m.d_bad, &none, sizeof none, cudaMemcpyHostToDevice));

  judge_range(&m, (Word)0, 8 * sizeof(Word), 0, n);
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

VerdictFinding verdict_multiset_of_keys(KeyType type, const void *d_snapshot, const void *d_keys,
                                        size_t n, size_t slice) {
  return type < KEY_U64
             ? judge(type, (const uint32_t *)d_snapshot, (const uint32_t *)d_keys, n, slice)
             : judge(type, (const uint64_t *)d_snapshot, (const uint64_t *)d_keys, n, slice);
}

double verdict_multiset_bytes(KeyType type, size_t n) {
  const double library = 1.1, selected = unsigned_keys(type) ? 0 : 1;
  const double keys = n <= VERDICT_SLICE ? (double)n * (1 + library + selected)
                                         : (double)VERDICT_SLICE * (2 + 2 * library);
  return keys * (type < KEY_U64 ? 4 : 8);
}
