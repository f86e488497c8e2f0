#include "multi/split/splitters.h"

#include <string.h>

uint64_t share_begin(uint64_t n, int r, int ranks) {
  // floor(n r / ranks) without overflow.
  const uint64_t count = (uint64_t)ranks, whole = n / count, rest = n % count;
  return whole * (uint64_t)r + rest * (uint64_t)r / count;
}

uint64_t border_slack(uint64_t n, int ranks) { return n / (uint64_t)ranks / 512; }

uint64_t largest_count(const uint64_t counts[HALF_VALUES]) {
  enum { LANES = 4 };  // that do not wait for each other
  uint64_t largest[LANES] = {0};
  for (int v = 0; v < HALF_VALUES; v += LANES)
    for (int i = 0; i < LANES; i++)
      largest[i] = counts[v + i] > largest[i] ? counts[v + i] : largest[i];
  for (int i = 1; i < LANES; i++)
    if (largest[i] > largest[0]) largest[0] = largest[i];
  return largest[0];
}

// Puts the border before all elements with this prefix.
static void put_before_prefix(Border *border, uint32_t prefix, uint64_t place) {
  border->key = prefix << 16;
  border->equal_before = 0;
  border->place = place;
}

// The number with the most zero bits at its end among first .. last.
static uint32_t roundest(uint32_t first, uint32_t last) {
  if (first == 0) return 0;
  uint32_t kept = ~0u;
  while ((last & kept << 1) >= first) kept <<= 1;
  return last & kept;
}

// A prefix, and the number of elements with smaller ones.
typedef struct PrefixPlace {
  uint32_t prefix;
  uint64_t before;
} PrefixPlace;

// Counts, and their sums by groups of neighbours, with which a search passes a group at a time.
enum { GROUP = 256 };
typedef struct GroupedCounts {
  const uint64_t *counts;
  uint64_t groups[HALF_VALUES / GROUP];
} GroupedCounts;

static void add_groups(GroupedCounts *grouped) {
  for (int g = 0; g < HALF_VALUES / GROUP; g++) {
    grouped->groups[g] = 0;
    for (int v = g * GROUP; v < (g + 1) * GROUP; v++) grouped->groups[g] += grouped->counts[v];
  }
}

// The last prefix, from `from` on, before which there are at most `place` elements.
static PrefixPlace last_from(const GroupedCounts *grouped, PrefixPlace from, uint64_t place) {
  while (from.prefix < HALF_VALUES - 1) {
    const uint64_t group = grouped->groups[from.prefix / GROUP],
                   count = grouped->counts[from.prefix];
    if (from.prefix % GROUP == 0 && from.prefix < HALF_VALUES - GROUP &&
        from.before + group <= place) {
      from.before += group;
      from.prefix += GROUP;
    } else if (from.before + count <= place) {
      from.before += count;
      from.prefix++;
    } else {
      break;
    }
  }
  return from;
}

// The first prefix, from `from` on, before which there are at least `place` elements.
static PrefixPlace first_from(const GroupedCounts *grouped, PrefixPlace from, uint64_t place) {
  if (place <= from.before) return from;
  from = last_from(grouped, from, place - 1);
  if (from.prefix < HALF_VALUES - 1) from.before += grouped->counts[from.prefix++];
  return from;
}

void borders_by_prefix(const uint64_t counts[HALF_VALUES], uint64_t n, int ranks, Border *border) {
  const uint64_t slack = border_slack(n, ranks);
  GroupedCounts grouped = {.counts = counts};
  add_groups(&grouped);
  PrefixPlace at = {0, 0}, low = at, high = at;  // with `wanted`, and less or more by the slack
  for (int b = 1; b < ranks; b++) {
    const uint64_t wanted = share_begin(n, b, ranks);
    at = last_from(&grouped, at, wanted);
    low = first_from(&grouped, low, wanted > slack ? wanted - slack : 0);
    high = last_from(&grouped, high, wanted + slack);
    Border *const one = &border[b - 1];
    *one = (Border){.wanted = wanted, .prefix = at.prefix, .before_prefix = at.before};
    one->refined = low.before + slack < wanted || low.prefix > high.prefix;
    if (one->refined) continue;
    const uint32_t prefix = roundest(low.prefix, high.prefix);
    PrefixPlace chosen = low;
    while (chosen.prefix < prefix) chosen.before += counts[chosen.prefix++];
    put_before_prefix(one, prefix, chosen.before);
  }
}

void border_refine(Border *border, const uint64_t low_counts[HALF_VALUES]) {
  uint64_t before = border->before_prefix;
  uint32_t low = 0;
  while (low < HALF_VALUES - 1 && before + low_counts[low] <= border->wanted)
    before += low_counts[low++];
  border->key = border->prefix << 16 | low;
  border->equal_before = border->wanted - before;
  border->place = border->wanted;
}

uint64_t equal_left(const Border *border, uint64_t earlier, uint64_t equal) {
  if (border->equal_before <= earlier) return 0;
  const uint64_t wanted = border->equal_before - earlier;
  return wanted < equal ? wanted : equal;
}

// ---- sizes of bins ------------------------------------------------------------------------------

void scatter_bin_sizes(const uint64_t *digit, int bits, const uint64_t *cut, int ranks,
                       uint64_t *size) {
  memset(size, 0, (size_t)scatter_bins(ranks, bits) * sizeof *size);
  for (int d = 0; d < ranks; d++)
    for (int g = 0; g < 1 << bits; g++) {
      const uint64_t begin = digit[g] > cut[d] ? digit[g] : cut[d];
      const uint64_t end = digit[g + 1] < cut[d + 1] ? digit[g + 1] : cut[d + 1];
      if (begin < end) size[g + d] = end - begin;
    }
}

// Adds the counts of the prefixes first .. behind - 1, by their digits.
static void add_by_digit(const uint32_t *counts, uint32_t first, uint32_t behind, int shift,
                         uint32_t mask, uint64_t *size) {
  const uint32_t equal = (1u << shift) - 1;  // neighbours with one digit differ in these bits
  for (uint32_t v = first; v < behind;) {
    const uint32_t last = v | (shift > 0 ? equal : mask), end = last < behind ? last + 1 : behind;
    uint64_t *const to = size + (v >> shift & mask);
    const uint32_t *const from = counts + v;
    if (shift > 0) {
      uint64_t sum = 0;
      for (uint32_t i = 0; i < end - v; i++) sum += from[i];
      *to += sum;
    } else {
      for (uint32_t i = 0; i < end - v; i++) to[i] += from[i];
    }
    v = end;
  }
}

void digit_bin_sizes(const uint32_t *counts, const uint64_t *cut, int ranks, int shift, int bits,
                     uint64_t *size) {
  const uint32_t mask = (1u << bits) - 1;
  memset(size, 0, ((size_t)ranks << bits) * sizeof *size);
  uint64_t place = 0;  // of the sorted array: where prefix v begins
  uint32_t v = 0;
  for (int d = 0; d < ranks; d++) {
    uint64_t *const own = size + ((size_t)d << bits);
    // The rest of a prefix that a border has cut.
    if (v < HALF_VALUES && place < cut[d]) {
      const uint64_t behind = place + counts[v], end = behind < cut[d + 1] ? behind : cut[d + 1];
      own[v >> shift & mask] += end - cut[d];
      if (behind > cut[d + 1]) continue;
      place = behind;
      v++;
    }
    const uint32_t first = v;
    for (; v < HALF_VALUES; v++) {  // whole prefixes, by groups if possible
      uint64_t group = 0;
      if (v % GROUP == 0) {
        for (uint32_t i = v; i < v + GROUP; i++) group += counts[i];
        if (place + group <= cut[d + 1]) {
          place += group;
          v += GROUP - 1;
          continue;
        }
      }
      if (place + counts[v] > cut[d + 1]) break;
      place += counts[v];
    }
    add_by_digit(counts, first, v, shift, mask, own);
    if (v < HALF_VALUES && place < cut[d + 1]) own[v >> shift & mask] += cut[d + 1] - place;
  }
}
