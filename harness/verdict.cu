// The verdict's kernels. Each finding is a count of bad places and the first of them, gathered by
// atomics; what was expected there is looked up afterwards.
#include "harness/verdict.h"

#include "common/check.h"
#include "common/scratch.h"

static const unsigned int BLOCK_SIZE = 256, MAX_BLOCKS = 4096;

typedef unsigned long long Count;

typedef struct Bad {
  Count count, first;
} Bad;

// What the calling thread found wrong, added to the finding of all threads.
static __device__ void report(Bad *bad, Count count, Count first) {
  if (count == 0) return;
  atomicAdd(&bad->count, count);
  atomicMin(&bad->first, first);
}

static __device__ void note(Count *count, Count *first, Count i) {
  (*count)++;
  if (i < *first) *first = i;
}

// Grid-stride loops: consecutive threads look at consecutive elements, at any n.
#define FOR_EACH_INDEX(i, from, to)                                                 \
  for (size_t i = (from) + (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < (to); \
       i += (size_t)gridDim.x * blockDim.x)

static __global__ void check_order(const unsigned int *keys, size_t n, Bad *order) {
  Count count = 0, first = ~0ull;
  FOR_EACH_INDEX(i, 1, n) {
    if (keys[i - 1] > keys[i]) note(&count, &first, i);
  }
  report(order, count, first);
}

static __global__ void check_stability(const unsigned int *keys, const unsigned int *positions,
                                       size_t n, Bad *stability) {
  Count count = 0, first = ~0ull;
  FOR_EACH_INDEX(i, 1, n) {
    if (keys[i - 1] == keys[i] && positions[i - 1] > positions[i]) note(&count, &first, i);
  }
  report(stability, count, first);
}

// Multiset and pairing at once, when nothing is wrong: every key is written to its position in an
// array that at first differs from the snapshot everywhere. If the two are equal afterwards, every
// position occurred with its key; n places for n positions, so each occurred once. One scattered
// write an element, where the kernels below, which find out what is wrong, need a scattered read
// and a scattered atomic.
static __global__ void fill_unlike(const unsigned int *snapshot, size_t n, unsigned int *marks) {
  FOR_EACH_INDEX(i, 0, n) marks[i] = ~snapshot[i];
}

static __global__ void write_to_positions(const unsigned int *keys, const unsigned int *positions,
                                          size_t n, unsigned int *marks) {
  FOR_EACH_INDEX(i, 0, n) {
    const unsigned int position = positions[i];
    if (position < n) marks[position] = keys[i];
  }
}

static __global__ void check_marks(const unsigned int *snapshot, const unsigned int *marks,
                                   size_t n, Bad *bad) {
  Count count = 0, first = ~0ull;
  FOR_EACH_INDEX(i, 0, n) {
    if (snapshot[i] != marks[i]) note(&count, &first, i);
  }
  report(bad, count, first);
}

// Ticks every position that occurs in a bitmap, and compares each key with the one that the
// snapshot has at its position.
static __global__ void check_pairing(const unsigned int *snapshot, const unsigned int *keys,
                                     const unsigned int *positions, size_t n, unsigned int *seen,
                                     Bad *pairing) {
  Count count = 0, first = ~0ull;
  FOR_EACH_INDEX(i, 0, n) {
    const unsigned int position = positions[i];
    if (position >= n) continue;  // then another position is missing from the bitmap
    atomicOr(&seen[position / 32], 1u << (position % 32));
    if (snapshot[position] != keys[i]) note(&count, &first, i);
  }
  report(pairing, count, first);
}

// n places for n positions: if one occurs twice, another is lost. So looking for lost ones is
// enough.
static __global__ void check_all_seen(const unsigned int *seen, size_t n, Bad *multiset) {
  Count count = 0, first = ~0ull;
  FOR_EACH_INDEX(i, 0, n) {
    if ((seen[i / 32] >> (i % 32) & 1u) == 0) note(&count, &first, i);
  }
  report(multiset, count, first);
}

// The first index whose key is at least `key` (or_equal) or greater than it.
static __device__ size_t search(const unsigned int *keys, size_t n, unsigned int key,
                                bool or_equal) {
  size_t low = 0, high = n;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (keys[middle] < key || (!or_equal && keys[middle] == key))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Every key of the snapshot looks itself up in the sorted output and ticks the run of its equals.
// For a key that is not there, some run is longer than it has ticks: no need to remember it.
static __global__ void tick_runs(const unsigned int *snapshot, const unsigned int *keys, size_t n,
                                 unsigned int *ticks) {
  const size_t step = (size_t)gridDim.x * blockDim.x;
  for (size_t base = (size_t)blockIdx.x * blockDim.x; base < n; base += step) {
    const size_t i = base + threadIdx.x;
    size_t run = n;  // that of threads beyond the end; nobody looks at ticks[n]
    if (i < n) {
      run = search(keys, n, snapshot[i], true);
      if (run < n && keys[run] != snapshot[i]) run = n;
    }
    // One atomic for all lanes with the same run, or a million equal keys would queue.
    const unsigned int equals = __match_any_sync(0xffffffffu, (unsigned int)run);
    if (threadIdx.x % 32 == (unsigned int)__ffs((int)equals) - 1)
      atomicAdd(&ticks[run], (unsigned int)__popc(equals));
  }
}

static __global__ void check_runs(const unsigned int *keys, const unsigned int *ticks, size_t n,
                                  Bad *multiset) {
  Count count = 0, first = ~0ull;
  FOR_EACH_INDEX(i, 0, n) {
    if (i > 0 && keys[i - 1] == keys[i]) continue;  // not the start of a run
    if (ticks[i] != search(keys, n, keys[i], false) - i) note(&count, &first, i);
  }
  report(multiset, count, first);
}

// ---- host --------------------------------------------------------------------------------------

static unsigned int fetch(const unsigned int *d_array, size_t i) {
  unsigned int value = 0;
  CUDA_CHECK(cudaMemcpy(&value, d_array + i, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

typedef struct Judge {
  const unsigned int *snapshot, *keys, *positions;
  size_t n;
  unsigned int blocks;
  Bad *d_bad;  // one for each part
} Judge;

static VerdictFinding finding(const Judge *judge, VerdictPart part) {
  Bad bad;
  CUDA_CHECK(cudaMemcpy(&bad, judge->d_bad + part, sizeof bad, cudaMemcpyDeviceToHost));
  VerdictFinding found = {bad.count == 0 ? VERDICT_HOLDS : VERDICT_FAILS, bad.count, 0, 0, 0};
  if (bad.count > 0) found.first_bad = bad.first;
  return found;
}

static VerdictFinding judge_order(const Judge *judge) {
  check_order<<<judge->blocks, BLOCK_SIZE>>>(judge->keys, judge->n, judge->d_bad + VERDICT_ORDER);
  LAUNCH_CHECK();
  VerdictFinding found = finding(judge, VERDICT_ORDER);
  if (found.state == VERDICT_FAILS) {
    found.expected = fetch(judge->keys, found.first_bad - 1);
    found.actual = fetch(judge->keys, found.first_bad);
  }
  return found;
}

// How many equal keys the sorted output has from index `start` on.
static uint64_t run_length(const Judge *judge, size_t start) {
  const unsigned int key = fetch(judge->keys, start);
  size_t low = start, high = judge->n;  // the run ends behind `low` and at `high` at the latest
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    *(fetch(judge->keys, middle) == key ? &low : &high) = middle;
  }
  return low - start + 1;
}

static VerdictFinding judge_multiset_of_keys(const Judge *judge) {
  const size_t bytes = (judge->n + 1) * sizeof(unsigned int);
  unsigned int *const d_ticks = (unsigned int *)scratch_alloc(bytes);
  CUDA_CHECK(cudaMemsetAsync(d_ticks, 0, bytes, 0));
  tick_runs<<<judge->blocks, BLOCK_SIZE>>>(judge->snapshot, judge->keys, judge->n, d_ticks);
  LAUNCH_CHECK();
  check_runs<<<judge->blocks, BLOCK_SIZE>>>(judge->keys, d_ticks, judge->n,
                                            judge->d_bad + VERDICT_MULTISET);
  LAUNCH_CHECK();
  VerdictFinding found = finding(judge, VERDICT_MULTISET);
  if (found.state == VERDICT_FAILS) {
    found.expected = fetch(d_ticks, found.first_bad);
    found.actual = run_length(judge, found.first_bad);
  }
  scratch_free(d_ticks);
  return found;
}

// Does every position occur once and with its key?
static bool positions_right(const Judge *judge) {
  unsigned int *const d_marks = (unsigned int *)scratch_alloc(judge->n * sizeof *d_marks);
  Bad *const d_bad = judge->d_bad + VERDICT_MULTISET;
  fill_unlike<<<judge->blocks, BLOCK_SIZE>>>(judge->snapshot, judge->n, d_marks);
  write_to_positions<<<judge->blocks, BLOCK_SIZE>>>(judge->keys, judge->positions, judge->n,
                                                    d_marks);
  check_marks<<<judge->blocks, BLOCK_SIZE>>>(judge->snapshot, d_marks, judge->n, d_bad);
  LAUNCH_CHECK();
  const bool right = finding(judge, VERDICT_MULTISET).state == VERDICT_HOLDS;
  scratch_free(d_marks);
  const Bad none = {0, ~0ull};
  CUDA_CHECK(cudaMemcpy(d_bad, &none, sizeof none, cudaMemcpyHostToDevice));
  return right;
}

// Fills in multiset and pairing.
static void judge_positions(const Judge *judge, Verdict *verdict) {
  if (positions_right(judge)) {
    verdict->part[VERDICT_MULTISET].state = VERDICT_HOLDS;
    verdict->part[VERDICT_PAIRING].state = VERDICT_HOLDS;
    return;
  }
  const size_t bytes = (judge->n + 31) / 32 * sizeof(unsigned int);
  unsigned int *const d_seen = (unsigned int *)scratch_alloc(bytes);
  CUDA_CHECK(cudaMemsetAsync(d_seen, 0, bytes, 0));
  check_pairing<<<judge->blocks, BLOCK_SIZE>>>(judge->snapshot, judge->keys, judge->positions,
                                               judge->n, d_seen, judge->d_bad + VERDICT_PAIRING);
  LAUNCH_CHECK();
  check_all_seen<<<judge->blocks, BLOCK_SIZE>>>(d_seen, judge->n, judge->d_bad + VERDICT_MULTISET);
  LAUNCH_CHECK();
  scratch_free(d_seen);

  VerdictFinding *const multiset = &verdict->part[VERDICT_MULTISET];
  *multiset = finding(judge, VERDICT_MULTISET);
  multiset->expected = 1;  // and actually 0 times
  VerdictFinding *const pairing = &verdict->part[VERDICT_PAIRING];
  *pairing = finding(judge, VERDICT_PAIRING);
  if (pairing->state == VERDICT_FAILS) {
    pairing->actual = fetch(judge->keys, pairing->first_bad);
    pairing->expected = fetch(judge->snapshot, fetch(judge->positions, pairing->first_bad));
  }
}

static VerdictFinding judge_stability(const Judge *judge) {
  check_stability<<<judge->blocks, BLOCK_SIZE>>>(judge->keys, judge->positions, judge->n,
                                                 judge->d_bad + VERDICT_STABILITY);
  LAUNCH_CHECK();
  VerdictFinding found = finding(judge, VERDICT_STABILITY);
  if (found.state == VERDICT_FAILS) {
    found.expected = fetch(judge->positions, found.first_bad - 1);
    found.actual = fetch(judge->positions, found.first_bad);
  }
  return found;
}

Verdict verdict_judge(const SortVersion *version, const unsigned int *d_snapshot,
                      const unsigned int *d_keys, const unsigned int *d_positions, size_t n) {
  Verdict verdict = {d_positions != NULL, {}};
  for (int part = 0; part < VERDICT_PARTS; part++) verdict.part[part].state = VERDICT_NOT_JUDGED;
  Bad bad[VERDICT_PARTS];
  for (int part = 0; part < VERDICT_PARTS; part++) bad[part] = {0, ~0ull};
  const size_t blocks = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
  Judge judge = {d_snapshot,
                 d_keys,
                 d_positions,
                 n,
                 (unsigned int)(blocks == 0           ? 1
                                : blocks < MAX_BLOCKS ? blocks
                                                      : MAX_BLOCKS),
                 (Bad *)scratch_alloc(sizeof bad)};
  CUDA_CHECK(cudaMemcpy(judge.d_bad, bad, sizeof bad, cudaMemcpyHostToDevice));

  verdict.part[VERDICT_ORDER] = judge_order(&judge);
  if (verdict.pairs) {
    judge_positions(&judge, &verdict);
    if (version->stable) verdict.part[VERDICT_STABILITY] = judge_stability(&judge);
  } else if (verdict.part[VERDICT_ORDER].state == VERDICT_HOLDS) {
    verdict.part[VERDICT_MULTISET] = judge_multiset_of_keys(&judge);
  }
  scratch_free(judge.d_bad);
  return verdict;
}
