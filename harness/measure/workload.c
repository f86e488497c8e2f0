#include "harness/measure/workload.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "harness/input/input.h"
#include "harness/input/mix.h"
#include "harness/verdict/verdict.h"

enum { CHANGES = 4 };  // keys that differ from run to run

// To undo them costs less than to load all keys again.
typedef struct WorkloadChanges {
  bool all;  // no key need be a loaded one
  size_t count;
  size_t place[CHANGES];
  unsigned char poison;  // that the outputs held before the last run
} WorkloadChanges;

double workload_bytes(const SortVersion *version, size_t n, bool pairs) {
  // Snapshot, keys in and out. Pairs: positions in and out, and the verdict's marks.
  const double arrays = (pairs ? 3 + 2 + 1 : 3) * sizeof(unsigned int);
  const double scratch = pairs ? version->scratch_per_pair : version->scratch_per_key;
  const double fixed = 64e6, verdict = pairs ? 0.0 : verdict_multiset_bytes(n);
  return fixed + (double)n * (arrays + fmax(scratch, 0.0)) + verdict;
}

size_t workload_largest_n(const SortVersion *version, bool pairs, double bytes) {
  size_t fits = 0, too_many = (size_t)1 << 48;
  while (too_many - fits > 1) {
    const size_t middle = fits + (too_many - fits) / 2;
    if (workload_bytes(version, middle, pairs) <= bytes)
      fits = middle;
    else
      too_many = middle;
  }
  return fits;
}

// Elements before and behind each array that no sort may change. Not in builds whose tools find
// such a write themselves, with its line, at the ends of allocations.
#if defined(__SANITIZE_ADDRESS__) || defined(CUDA_CPU_CHECK)
enum { GUARD = 0 };
#else
enum { GUARD = 4096 };
#endif
static const unsigned char GUARD_BYTE = 0x5c;

static unsigned int *device_array(size_t n, size_t offset) {
  void *memory = NULL;
  const size_t elements = offset + n + 2 * GUARD + (GUARD == 0 && n == 0);
  CUDA_CHECK(cudaMalloc(&memory, elements * sizeof(unsigned int)));
  return (unsigned int *)memory + GUARD + offset;
}

static void device_array_free(unsigned int *array) {
  if (array == NULL) return;
  const size_t offset = (uintptr_t)array / sizeof *array % (MOST_OFFSET + 1);
  CUDA_CHECK(cudaFree(array - offset - GUARD));
}

Workload workload_create(size_t n, bool pairs, const Offsets offsets) {
  static const Offsets none = {0};
  if (offsets == NULL) offsets = none;
  return (Workload){
      .n = n,
      .pairs = pairs,
      .snapshot = device_array(n, 0),
      .keys_in = device_array(n, offsets[0]),
      .positions_in = pairs ? device_array(n, offsets[1]) : NULL,
      .keys_out = device_array(n, offsets[2]),
      .positions_out = pairs ? device_array(n, offsets[3]) : NULL,
      .kind = -1,
      .changes = MEMORY_CHECK(calloc(1, sizeof(WorkloadChanges))),
  };
}

void workload_destroy(Workload *w) {
  unsigned int *const arrays[] = {w->snapshot, w->keys_in, w->positions_in, w->keys_out,
                                  w->positions_out};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) device_array_free(arrays[i]);
  free(w->changes);
  *w = (Workload){0};
}

void workload_draw(Workload *w, int kind, uint64_t seed) {
  w->kind = kind;
  w->seed = w->series = seed;
  input_keys(kind, seed, w->snapshot, w->n);
}

static void write_loaded(const Workload *w) {
  for (size_t done = 0; done < w->n;) {
    const size_t part = w->n - done < w->loaded_count ? w->n - done : w->loaded_count;
    CUDA_CHECK(cudaMemcpy(w->snapshot + done, w->loaded, part * sizeof *w->loaded,
                          cudaMemcpyHostToDevice));
    done += part;
  }
}

void workload_load(Workload *w, const unsigned int *keys, size_t count) {
  w->kind = -1;
  w->loaded = keys;
  w->loaded_count = count;
  write_loaded(w);
}

void workload_refresh(const Workload *w) {
  if (w->n == 0) return;
  CUDA_CHECK(
      cudaMemcpy(w->keys_in, w->snapshot, w->n * sizeof(unsigned int), cudaMemcpyDeviceToDevice));
  if (w->pairs) input_positions(w->positions_in, w->n);
  CUDA_CHECK(cudaDeviceSynchronize());
}

static void restore_loaded(const Workload *w) {
  if (w->changes->all) write_loaded(w);
  for (size_t i = 0; i < w->changes->count; i++) {
    const size_t place = w->changes->place[i];
    CUDA_CHECK(cudaMemcpy(w->snapshot + place, &w->loaded[place % w->loaded_count],
                          sizeof *w->loaded, cudaMemcpyHostToDevice));
  }
  w->changes->all = false;
}

// Makes one key equal to the next, at the first index from `from` on at which the two differ.
// Searches a few hundred keys at most.
static void repeat_next_key(const Workload *w, size_t from) {
  enum { WINDOW = 512 };
  unsigned int keys[WINDOW];
  const size_t count = w->n - from < WINDOW ? w->n - from : WINDOW;
  CUDA_CHECK(cudaMemcpy(keys, w->snapshot + from, count * sizeof *keys, cudaMemcpyDeviceToHost));
  size_t i = 0;
  while (i + 1 < count && keys[i] == keys[i + 1]) i++;
  if (i + 1 >= count) return;
  CUDA_CHECK(
      cudaMemcpy(w->snapshot + from + i, &keys[i + 1], sizeof *keys, cudaMemcpyHostToDevice));
  w->changes->place[w->changes->count++] = from + i;
}

void workload_vary(const Workload *w, uint64_t index) {
  const uint64_t seed = index == 0 ? w->seed : mix64(mix64(w->series) + index);
  if (w->kind < 0)
    restore_loaded(w);
  else
    input_keys(w->kind, seed, w->snapshot, w->n);
  w->changes->count = 0;
  for (uint64_t i = 0; i < CHANGES && index > 0 && w->n > 1; i++)
    repeat_next_key(w, mix64(seed + i) % (w->n - 1));
}

void workload_replace(const Workload *w) {
  input_keys(input_find("uniform"), mix64(w->series), w->snapshot, w->n);
  w->changes->all = true;
}

void workload_poison(const Workload *w, uint64_t index) {
  const unsigned char byte = (unsigned char)(0xa5 + 0x3b * index);
  w->changes->poison = byte;
  CUDA_CHECK(cudaMemset(w->keys_out, byte, w->n * sizeof(unsigned int)));
  if (w->pairs) CUDA_CHECK(cudaMemset(w->positions_out, byte, w->n * sizeof(unsigned int)));
}

static void fetch(uint32_t *to, const unsigned int *d_from, size_t n) {
  CUDA_CHECK(cudaMemcpy(to, d_from, n * sizeof *to, cudaMemcpyDeviceToHost));
}

Trial workload_trial(const Workload *w) {
  Trial trial = trial_create(w->n, 0, 0);
  trial.filled = true;
  trial.filling = w->changes->poison;
  trial.bare_keys = !w->pairs;
  fetch(trial.keys, w->snapshot, w->n);
  fetch(trial.after[KEYS_IN], w->keys_in, w->n);
  fetch(trial.after[KEYS_OUT], w->keys_out, w->n);
  if (w->pairs) {
    for (size_t i = 0; i < w->n; i++) trial.positions[i] = (uint32_t)i;
    fetch(trial.after[POSITIONS_IN], w->positions_in, w->n);
    fetch(trial.after[POSITIONS_OUT], w->positions_out, w->n);
  } else {
    memcpy(trial.positions, trial.keys, w->n * sizeof *trial.keys);
    memcpy(trial.after[POSITIONS_IN], trial.after[KEYS_IN], w->n * sizeof *trial.keys);
    memcpy(trial.after[POSITIONS_OUT], trial.after[KEYS_OUT], w->n * sizeof *trial.keys);
  }
  return trial;
}

static bool whole(const unsigned int *d_array, const char *name, size_t n, Message *reason) {
  unsigned int guard[GUARD == 0 ? 1 : GUARD];
  for (int behind = 0; behind < 2 && GUARD > 0; behind++) {
    CUDA_CHECK(cudaMemcpy(guard, behind ? d_array + n : d_array - GUARD, sizeof guard,
                          cudaMemcpyDeviceToHost));
    for (int i = 0; i < GUARD; i++)
      if (guard[i] != GUARD_BYTE * 0x01010101u)
        return message_fail(reason, "wrote outside its arrays: %s[%lld] of %zu", name,
                            behind ? (long long)n + i : (long long)i - GUARD, n);
  }
  return true;
}

void workload_guard(const Workload *w) {
  unsigned int *const arrays[] = {w->keys_in, w->keys_out, w->positions_in, w->positions_out};
  const size_t bytes = GUARD * sizeof(unsigned int);
  for (int i = 0; i < (w->pairs ? 4 : 2) && GUARD > 0; i++) {
    CUDA_CHECK(cudaMemset(arrays[i] - GUARD, GUARD_BYTE, bytes));
    CUDA_CHECK(cudaMemset(arrays[i] + w->n, GUARD_BYTE, bytes));
  }
}

bool workload_whole(const Workload *w, Message *reason) {
  return whole(w->keys_in, "d_inputVals", w->n, reason) &&
         whole(w->keys_out, "d_outputVals", w->n, reason) &&
         (!w->pairs || (whole(w->positions_in, "d_inputPos", w->n, reason) &&
                        whole(w->positions_out, "d_outputPos", w->n, reason)));
}
