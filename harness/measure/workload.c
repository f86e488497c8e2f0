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
  const size_t words =
      pairs ? 4 * key_words(version) + 2 * value_words(version) : 3 * key_words(version);
  const double arrays = (double)(words * sizeof(unsigned int));
  const double scratch = pairs ? version->scratch_per_pair : version->scratch_per_key;
  const double fixed = 64e6, verdict = pairs ? 0.0 : verdict_multiset_bytes(version->key, n);
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

// Of n words.
static unsigned int *device_array(size_t n, size_t offset) {
  void *memory = NULL;
  const size_t words = offset + n + 2 * GUARD + (GUARD == 0 && n == 0);
  CUDA_CHECK(cudaMalloc(&memory, words * sizeof(unsigned int)));
  return (unsigned int *)memory + GUARD + offset;
}

static void device_array_free(unsigned int *array, size_t offset) {
  if (array != NULL) CUDA_CHECK(cudaFree(array - offset - GUARD));
}

static size_t key_bytes(const Workload *w) { return sizeof(unsigned int) * key_words(w->version); }
static size_t value_bytes(const Workload *w) {
  return sizeof(unsigned int) * value_words(w->version);
}

Workload workload_create(const SortVersion *version, size_t n, bool pairs, const Offsets offsets) {
  static const Offsets none = {0};
  if (offsets == NULL) offsets = none;
  const size_t key = key_words(version), value = value_words(version);
  return (Workload){
      .n = n,
      .pairs = pairs,
      .version = version,
      .offsets = {offsets[0], offsets[1], offsets[2], offsets[3]},
      .snapshot = device_array(n * key, 0),
      .keys_in = device_array(n * key, offsets[0] * key),
      .positions_in = pairs ? device_array(n * value, offsets[1] * value) : NULL,
      .keys_out = device_array(n * key, offsets[2] * key),
      .positions_out = pairs ? device_array(n * value, offsets[3] * value) : NULL,
      .kind = -1,
      .changes = MEMORY_CHECK(calloc(1, sizeof(WorkloadChanges))),
  };
}

void workload_destroy(Workload *w) {
  unsigned int *const arrays[] = {w->keys_in, w->positions_in, w->keys_out, w->positions_out};
  const size_t words[] = {key_words(w->version), value_words(w->version)};
  device_array_free(w->snapshot, 0);
  for (size_t i = 0; i < ARRAYS; i++) device_array_free(arrays[i], w->offsets[i] * words[i % 2]);
  free(w->changes);
  *w = (Workload){0};
}

void workload_draw(Workload *w, int kind, uint64_t seed) {
  w->kind = kind;
  w->seed = seed;
  input_typed(w->version->key, kind, seed, w->snapshot, w->n);
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
  CUDA_CHECK(cudaMemcpy(w->keys_in, w->snapshot, w->n * key_bytes(w), cudaMemcpyDeviceToDevice));
  if (w->pairs && w->version->values64)
    input_positions64((uint64_t *)w->positions_in, w->n);
  else if (w->pairs)
    input_positions(w->positions_in, w->n);
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
  enum { WINDOW = 512, MOST_BYTES = 8 };
  char keys[WINDOW * MOST_BYTES];
  const size_t size = key_bytes(w), count = w->n - from < WINDOW ? w->n - from : WINDOW;
  char *const there = (char *)w->snapshot + from * size;
  CUDA_CHECK(cudaMemcpy(keys, there, count * size, cudaMemcpyDeviceToHost));
  size_t i = 0;
  while (i + 1 < count && memcmp(keys + i * size, keys + (i + 1) * size, size) == 0) i++;
  if (i + 1 >= count) return;
  CUDA_CHECK(cudaMemcpy(there + i * size, keys + (i + 1) * size, size, cudaMemcpyHostToDevice));
  w->changes->place[w->changes->count++] = from + i;
}

void workload_vary(const Workload *w, uint64_t index) {
  const uint64_t seed = index == 0 ? w->seed : mix64(mix64(w->seed) + index);
  if (w->kind < 0)
    restore_loaded(w);
  else
    input_typed(w->version->key, w->kind, seed, w->snapshot, w->n);
  w->changes->count = 0;
  for (uint64_t i = 0; i < CHANGES && index > 0 && w->n > 1; i++)
    repeat_next_key(w, mix64(seed + i) % (w->n - 1));
}

void workload_replace(const Workload *w) {
  input_keys(input_find("uniform"), mix64(w->seed), w->snapshot, w->n);
  w->changes->all = true;
}

void workload_poison(const Workload *w, uint64_t index) {
  const unsigned char byte = (unsigned char)(0xa5 + 0x3b * index);
  w->changes->poison = byte;
  CUDA_CHECK(cudaMemset(w->keys_out, byte, w->n * key_bytes(w)));
  if (w->pairs) CUDA_CHECK(cudaMemset(w->positions_out, byte, w->n * value_bytes(w)));
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

// `words`: of an element.
static bool whole(const unsigned int *d_array, const char *name, size_t n, size_t words,
                  Message *reason) {
  unsigned int guard[GUARD == 0 ? 1 : GUARD];
  for (int behind = 0; behind < 2 && GUARD > 0; behind++) {
    CUDA_CHECK(cudaMemcpy(guard, behind ? d_array + n * words : d_array - GUARD, sizeof guard,
                          cudaMemcpyDeviceToHost));
    for (int i = 0; i < GUARD; i++) {
      const int element = (behind ? i : i - GUARD) / (int)words;
      if (guard[i] != GUARD_BYTE * 0x01010101u)
        return message_fail(reason, "wrote outside its arrays: %s[%lld] of %zu", name,
                            (long long)(behind ? n : 0) + element, n);
    }
  }
  return true;
}

// Fills the memory around an array of n words.
static void guard(unsigned int *d_array, size_t n) {
  if (d_array == NULL || GUARD == 0) return;
  CUDA_CHECK(cudaMemset(d_array - GUARD, GUARD_BYTE, GUARD * sizeof *d_array));
  CUDA_CHECK(cudaMemset(d_array + n, GUARD_BYTE, GUARD * sizeof *d_array));
}

void workload_guard(const Workload *w) {
  const size_t keys = w->n * key_words(w->version), values = w->n * value_words(w->version);
  guard(w->keys_in, keys);
  guard(w->keys_out, keys);
  guard(w->positions_in, values);
  guard(w->positions_out, values);
}

bool workload_whole(const Workload *w, Message *reason) {
  const size_t key = key_words(w->version), value = value_words(w->version);
  return whole(w->keys_in, "d_inputVals", w->n, key, reason) &&
         whole(w->keys_out, "d_outputVals", w->n, key, reason) &&
         (!w->pairs || (whole(w->positions_in, "d_inputPos", w->n, value, reason) &&
                        whole(w->positions_out, "d_outputPos", w->n, value, reason)));
}
