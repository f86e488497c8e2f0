// The verdict's kernels. Each finding is a count of bad places and the first of them, gathered by
// atomics; what was expected there is looked up afterwards.
#include "harness/verdict.h"

#include <stdio.h>

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

// ---- host
// -----------------------------------------------------------------------------------------

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

// Fills in multiset and pairing: one kernel looks at both.
static void judge_positions(const Judge *judge, Verdict *verdict) {
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

bool verdict_passes(const Verdict *verdict) {
  for (int part = 0; part < VERDICT_PARTS; part++)
    if (verdict->part[part].state == VERDICT_FAILS) return false;
  return true;
}

void verdict_describe(const Verdict *verdict, char *text, size_t size) {
  const char *const clauses[VERDICT_PARTS] = {
      "order: at index %llu key %llu follows key %llu (%llu places)",
      verdict->pairs
          ? "multiset: position %llu occurs %llu times instead of %llu (%llu positions)"
          : "multiset: the key at index %llu occurs %llu times instead of %llu (%llu keys)",
      "pairing: index %llu holds key %llu with the position of key %llu (%llu places)",
      "stability: at index %llu position %llu follows position %llu of an equal key (%llu places)",
  };
  if (verdict_passes(verdict)) {
    snprintf(text, size, "PASS");
    return;
  }
  size_t used = (size_t)snprintf(text, size, "FAIL: ");
  const char *separator = "";
  for (int part = 0; part < VERDICT_PARTS; part++) {
    const VerdictFinding *const found = &verdict->part[part];
    if (found->state != VERDICT_FAILS || used >= size) continue;
    char clause[200];
    snprintf(clause, sizeof clause, clauses[part], (Count)found->first_bad, (Count)found->actual,
             (Count)found->expected, (Count)found->bad_count);
    used += (size_t)snprintf(text + used, size - used, "%s%s", separator, clause);
    separator = "; ";
  }
}
