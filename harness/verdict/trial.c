#include "harness/verdict/trial.h"

#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "harness/process/message.h"

const char *const trial_kind_names[TRIAL_KINDS] = {
    [TRIAL_RANDOM] = "random keys",
    [TRIAL_SPARSE] = "keys with few bits set",
    [TRIAL_FEW] = "16 different keys",
    [TRIAL_EQUAL] = "equal keys",
    [TRIAL_SORTED] = "sorted keys",
    [TRIAL_REVERSED] = "keys in descending order",
    [TRIAL_MIXED] = "runs of random, equal and sorted keys",
};

void *host_memory(size_t count, size_t size) {
  void *const memory = calloc(count == 0 ? 1 : count, size);
  if (memory == NULL) quit(EXIT_DEVICE, "%zu elements do not fit into memory", count);
  return memory;
}

static uint32_t *words(size_t n) { return host_memory(n, sizeof(uint32_t)); }

Trial trial_create(size_t n, size_t guard, uint64_t seed) {
  Trial trial = {.n = n, .guard = guard, .seed = seed, .keys = words(n), .positions = words(n)};
  for (int array = 0; array < TRIAL_ARRAYS; array++) trial.after[array] = words(n);
  return trial;
}

void trial_free(Trial *trial) {
  free(trial->keys);
  free(trial->positions);
  for (int array = 0; array < TRIAL_ARRAYS; array++) free(trial->after[array]);
  *trial = (Trial){0};
}

static uint32_t draw_key(TrialKind kind, uint64_t seed, size_t i, size_t n) {
  static const TrialKind runs[] = {TRIAL_RANDOM, TRIAL_EQUAL,  TRIAL_RANDOM, TRIAL_FEW,
                                   TRIAL_SORTED, TRIAL_RANDOM, TRIAL_SPARSE, TRIAL_REVERSED};
  if (kind == TRIAL_MIXED) kind = runs[i * (sizeof runs / sizeof *runs) / n];
  const uint64_t random = mix64(seed ^ mix64(i));
  const uint64_t step = UINT32_MAX / (n == 0 ? 1 : n);
  switch (kind) {
    case TRIAL_SPARSE: {
      const uint64_t two = random & mix64(random);
      return (uint32_t)(two & two >> 32);
    }
    case TRIAL_FEW: return (uint32_t)mix64(seed + random % 16);
    case TRIAL_EQUAL: return (uint32_t)mix64(seed);
    case TRIAL_SORTED: return (uint32_t)(i * step);
    case TRIAL_REVERSED: return (uint32_t)((n - i) * step);
    default: return (uint32_t)(random >> 32);
  }
}

void trial_draw(Trial *trial, TrialKind kind, uint64_t seed) {
  const uint64_t offset = 1 + mix64(seed) % (1u << 20);
  const uint64_t step = (UINT32_MAX - offset) / (trial->n == 0 ? 1 : trial->n);
  for (size_t i = 0; i < trial->n; i++) {
    trial->keys[i] = draw_key(kind, seed, i, trial->n);
    trial->positions[i] = (uint32_t)(offset + i * step);
  }
}

// ---- before and after ---------------------------------------------------------------------------

// A constant would be harder to tell from a key, and would seem sorted.
static uint32_t poison(uint64_t seed, TrialArray array, int64_t i) {
  return (uint32_t)(mix64(seed + ((uint64_t)array << 60) + (uint64_t)i) >> 32);
}

uint32_t trial_before(const Trial *trial, TrialArray array, int64_t i) {
  if (i >= 0 && (size_t)i < trial->n) {
    if (array == KEYS_IN) return trial->keys[i];
    if (array == POSITIONS_IN) return trial->positions[i];
    if (trial->filled) return trial->filling * 0x01010101u;
  }
  return poison(trial->seed, array, i);
}

void trial_fill(const Trial *trial, TrialArray array, uint32_t *elements) {
  const int64_t guard = (int64_t)trial->guard, end = (int64_t)trial->n + guard;
  for (int64_t i = -guard; i < end; i++) elements[i + guard] = trial_before(trial, array, i);
}

static void take_guard(Trial *trial, TrialArray array, const uint32_t *elements, int64_t begin) {
  const int64_t guard = (int64_t)trial->guard;
  for (int64_t i = begin; i < begin + guard && !trial->outside.found; i++) {
    const uint32_t expected = trial_before(trial, array, i), actual = elements[i + guard];
    if (actual != expected) trial->outside = (TrialOutside){true, array, i, expected, actual};
  }
}

void trial_take(Trial *trial, TrialArray array, const uint32_t *elements) {
  if (array == KEYS_IN) trial->outside = (TrialOutside){0};
  memcpy(trial->after[array], elements + trial->guard, trial->n * sizeof *elements);
  take_guard(trial, array, elements, (int64_t)trial->n);
  take_guard(trial, array, elements, -(int64_t)trial->guard);
}

// ---- the verdict --------------------------------------------------------------------------------

// One pass of a radix sort by 8 bits, on the host. It shares no code with the versions.
static void reference_pass(const TrialReference *from, const TrialReference *to, size_t n,
                           int shift) {
  size_t start[257] = {0};
  for (size_t i = 0; i < n; i++) start[(from->keys[i] >> shift & 255u) + 1]++;
  for (int bin = 0; bin < 256; bin++) start[bin + 1] += start[bin];
  for (size_t i = 0; i < n; i++) {
    const size_t place = start[from->keys[i] >> shift & 255u]++;
    to->keys[place] = from->keys[i];
    to->positions[place] = from->positions[i];
  }
}

TrialReference trial_reference(const Trial *trial) {
  const size_t n = trial->n;
  TrialReference sorted = {words(n), words(n)}, other = {words(n), words(n)};
  memcpy(sorted.keys, trial->keys, n * sizeof *sorted.keys);
  memcpy(sorted.positions, trial->positions, n * sizeof *sorted.positions);
  for (int shift = 0; shift < 32; shift += 16) {
    reference_pass(&sorted, &other, n, shift);
    reference_pass(&other, &sorted, n, shift + 8);
  }
  trial_reference_free(&other);
  return sorted;
}

void trial_reference_free(TrialReference *reference) {
  free(reference->keys);
  free(reference->positions);
}

static int ascending(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

// The same positions, in any order?
static bool same_set(const uint32_t *a, const uint32_t *b, size_t count) {
  if (memcmp(a, b, count * sizeof *a) == 0) return true;
  uint32_t *const both = words(2 * count);
  memcpy(both, a, count * sizeof *a);
  memcpy(both + count, b, count * sizeof *b);
  qsort(both, count, sizeof *both, ascending);
  qsort(both + count, count, sizeof *both, ascending);
  const bool same = memcmp(both, both + count, count * sizeof *a) == 0;
  free(both);
  return same;
}

static bool is_as_in(const Trial *trial, const TrialReference *reference, bool stable) {
  const size_t n = trial->n, bytes = n * sizeof(uint32_t);
  const uint32_t *const positions = trial->after[POSITIONS_OUT];
  if (trial->outside.found || memcmp(trial->after[KEYS_OUT], reference->keys, bytes) != 0)
    return false;
  if (memcmp(positions, reference->positions, bytes) == 0) return true;
  if (stable) return false;
  for (size_t i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && reference->keys[end] == reference->keys[i];) end++;
    if (!same_set(positions + i, reference->positions + i, end - i)) return false;
  }
  return true;
}

bool trial_right(const Trial *trial, bool stable) {
  TrialReference reference = trial_reference(trial);
  const bool right = is_as_in(trial, &reference, stable);
  trial_reference_free(&reference);
  return right;
}
