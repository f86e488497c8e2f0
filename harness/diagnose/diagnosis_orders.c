// All keys are there, in another order: which one?
#include <inttypes.h>
#include <stdlib.h>

#include "harness/diagnose/diagnosis_parts.h"

// Otherwise keys may be in the order of low bits and of signed numbers, descending, or sorted after
// any pass, all at once.
bool is_varied(const View *v) {
  enum { FEW_STEPS = 3 };
  size_t steps = 0;
  for (size_t i = 1; i < v->n; i++) steps += v->sorted_keys[i - 1] != v->sorted_keys[i];
  return steps >= FEW_STEPS;
}

static bool ascending_under(const uint32_t *keys, size_t n, uint32_t flip, uint32_t mask) {
  for (size_t i = 1; i < n; i++)
    if (((keys[i - 1] ^ flip) & mask) > ((keys[i] ^ flip) & mask)) return false;
  return true;
}

static bool varies_under(const uint32_t *keys, size_t n, uint32_t mask) {
  for (size_t i = 1; i < n; i++)
    if (((keys[i] ^ keys[0]) & mask) != 0) return true;
  return false;
}

// The largest number of neighbours that are equal under the mask.
static size_t longest_run(const uint32_t *keys, size_t n, uint32_t mask) {
  size_t longest = 1, run = 1;
  for (size_t i = 1; i < n; i++) {
    run = ((keys[i] ^ keys[i - 1]) & mask) == 0 ? run + 1 : 1;
    if (run > longest) longest = run;
  }
  return longest;
}

static bool low_groups_in_input_order(const View *v, uint32_t mask) {
  uint32_t *const index_of = view_input_indices(v);
  bool in_order = true;
  for (size_t i = 1; i < v->n; i++)
    if (((v->keys_out[i - 1] ^ v->keys_out[i]) & mask) == 0 && index_of[i - 1] > index_of[i])
      in_order = false;
  free(index_of);
  return in_order;
}

// Where nearly all keys have the same low bits, any output may be in the order of these.
static bool find_low_bits(const View *v, Shape *shape) {
  enum { FEW = 8 };
  int bits = 31;
  while (bits > 0 && !ascending_under(v->keys_out, v->n, 0, (1u << bits) - 1)) bits--;
  if (bits == 0 || v->n - longest_run(v->keys_out, v->n, (1u << bits) - 1) < FEW) return false;
  const size_t i = first_descent(v->keys_out, v->n);
  if (bits == 31)
    return FOUND(shape, true, MISTAKE_BIT_31,
                 "bit 31 was forgotten: the keys are in the order of bits 0 to 30 (index %zu: key "
                 "0x%08" PRIx32 " follows the larger 0x%08" PRIx32 ")",
                 i, v->keys_out[i], v->keys_out[i - 1]);
  if (!low_groups_in_input_order(v, (1u << bits) - 1))
    return FOUND(shape, true, MISTAKE_LOW_BITS,
                 "in the order of bits 0 to %d only, and not in input order where these are equal, "
                 "as after passes from the highest digit to the lowest (index %zu: key 0x%08" PRIx32
                 " follows the larger 0x%08" PRIx32 ")",
                 bits - 1, i, v->keys_out[i], v->keys_out[i - 1]);
  return FOUND(shape, true, MISTAKE_LOW_BITS,
               "sorted only up to bit %d: the keys are in the order of their %d lowest bits (index "
               "%zu: key 0x%08" PRIx32 " follows the larger 0x%08" PRIx32 ")",
               bits - 1, bits, i, v->keys_out[i], v->keys_out[i - 1]);
}

// The order inside groups of equal high bits: how many groups and neighbours in one group there
// are, how many of these have a smaller key behind a larger one, how many groups are large, how
// many of the large ones are sorted, and whether all groups are in input order.
typedef struct Groups {
  size_t count, neighbours, descents, large, large_sorted;
  bool input_order;
} Groups;

// index_of[i]: where the element at output index i stood in the input.
static Groups look_at_groups(const View *v, int shift, const uint32_t *index_of) {
  Groups groups = {.input_order = true};
  for (size_t begin = 0, end; begin < v->n; begin = end) {
    size_t descents = 0;
    for (end = begin + 1; end < v->n && v->keys_out[end] >> shift == v->keys_out[begin] >> shift;) {
      descents += v->keys_out[end - 1] > v->keys_out[end];
      groups.input_order = groups.input_order && index_of[end - 1] < index_of[end];
      end++;
    }
    groups.count++;
    groups.neighbours += end - begin - 1;
    groups.descents += descents;
    groups.large += end - begin >= ENOUGH;
    groups.large_sorted += end - begin >= ENOUGH && descents == 0;
  }
  return groups;
}

// Are the groups in disorder everywhere, not at some places as after a race?
static bool in_disorder(Groups groups) {
  enum { FEW_GROUPS = 8 };
  return groups.count >= FEW_GROUPS && groups.large_sorted == 0 &&
         (groups.large >= FEW_GROUPS || groups.descents * 4 >= groups.neighbours);
}

// The number of lowest bits by which each group of equal high bits is in order.
static int low_bits_of_groups(const View *v, int shift) {
  int bits = shift - 1;
  for (size_t i = 1; i < v->n; i++) {
    const uint32_t before = v->keys_out[i - 1], key = v->keys_out[i];
    if (before >> shift != key >> shift) continue;
    while (bits > 0 && (before & ((1u << bits) - 1)) > (key & ((1u << bits) - 1))) bits--;
  }
  return bits;
}

// In the order of the highest bits, and the bits below are in disorder, not at one place or two:
// digits were never sorted, or the last pass undid the passes before it. In the order of a few
// groups another sort may be by chance, such as one whose last merges are missing.
static bool find_high_bits(const View *v, Shape *shape) {
  int shift = 1;
  while (shift < 32 && !ascending_under(v->keys_out, v->n, 0, ~0u << shift)) shift++;
  if (shift == 32 || !varies_under(v->keys_out, v->n, ~0u << shift)) return false;
  uint32_t *const index_of = view_input_indices(v);
  const Groups groups = look_at_groups(v, shift, index_of);
  free(index_of);
  if (groups.descents < 4 || groups.descents * 100 < groups.neighbours) return false;
  const size_t i = first_descent(v->keys_out, v->n);
  if (groups.input_order)
    return FOUND(shape, true, MISTAKE_HIGH_BITS,
                 "sorted only from bit %d up: elements that differ in lower bits alone are in "
                 "input order (index %zu: key 0x%08" PRIx32 " follows the larger 0x%08" PRIx32 ")",
                 shift, i, v->keys_out[i], v->keys_out[i - 1]);
  const int low = low_bits_of_groups(v, shift);
  const size_t many = low < 4 ? 64 : 16;  // of one bit, chance orders more of them
  if (low > 0 && groups.neighbours >= many)
    return FOUND(shape, true, MISTAKE_HIGH_BITS,
                 "bits %d to %d were left out: the keys are in the order of bits %d to 31 and, "
                 "where these are equal, of bits 0 to %d (index %zu: key 0x%08" PRIx32
                 " follows the larger 0x%08" PRIx32 ", %zu such places)",
                 low, shift - 1, shift, low - 1, i, v->keys_out[i], v->keys_out[i - 1],
                 groups.descents);
  if (!in_disorder(groups)) return false;
  return FOUND(
      shape, true, MISTAKE_UNSTABLE,
      "in the order of bits %d to 31 only; usual causes: a last pass that is not stable, which "
      "undoes the passes before it, or lower bits that were left out (index %zu: key "
      "0x%08" PRIx32 " follows the larger 0x%08" PRIx32 ", %zu such places)",
      shift, i, v->keys_out[i], v->keys_out[i - 1], groups.descents);
}

// All keys are there, in the wrong order.
bool find_order(const View *v, Shape *shape) {
  const size_t n = v->n, i = first_descent(v->keys_out, n);
  const bool enough = n >= ENOUGH && is_varied(v);
  if (same(v->keys_out, v->keys, v->bytes) && ascending_under(v->keys, n, ~0u, ~0u))
    return FOUND(shape, false, MISTAKE_UNSORTED,
                 "the output is the input, which is in descending order: not sorted, or sorted in "
                 "that order (index %zu: key %" PRIu32 " follows the larger %" PRIu32 ")",
                 i, v->keys_out[i], v->keys_out[i - 1]);
  if (same(v->keys_out, v->keys, v->bytes))
    return FOUND(shape, false, MISTAKE_UNSORTED,
                 "the output is the input, unsorted: all %zu keys are in input order (index %zu: "
                 "key %" PRIu32 " follows the larger %" PRIu32 ")",
                 n, i, v->keys_out[i], v->keys_out[i - 1]);
  if (ascending_under(v->keys_out, n, ~0u, ~0u))
    return FOUND(shape, enough, MISTAKE_DESCENDING,
                 "sorted in descending order (index 0: expected key %" PRIu32 ", found %" PRIu32
                 ", the largest)",
                 v->sorted_keys[0], v->keys_out[0]);
  if (ascending_under(v->keys_out, n, 1u << 31, ~0u))
    return FOUND(
        shape, enough, MISTAKE_SIGNED,
        "in the order of signed numbers: keys with bit 31 come first (index 0: expected key "
        "0x%08" PRIx32 ", found 0x%08" PRIx32 ")",
        v->sorted_keys[0], v->keys_out[0]);
  if (enough && (find_low_bits(v, shape) || find_high_bits(v, shape))) return true;
  return false;
}
