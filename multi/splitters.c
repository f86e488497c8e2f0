#include "multi/splitters.h"

uint64_t share_begin(uint64_t n, int r, int ranks) {
  // floor(n r / ranks) without overflow.
  const uint64_t count = (uint64_t)ranks, whole = n / count, rest = n % count;
  return whole * (uint64_t)r + rest * (uint64_t)r / count;
}

uint64_t border_slack(uint64_t n, int ranks) { return n / (uint64_t)ranks / 512; }

// Puts the border before all elements with this prefix.
static void put_before_prefix(Border *border, uint32_t prefix, uint64_t place) {
  border->key = prefix << 16;
  border->equal_before = 0;
  border->place = place;
}

void borders_by_prefix(const uint64_t counts[HALF_VALUES], uint64_t n, int ranks, Border *border) {
  const uint64_t slack = border_slack(n, ranks);
  uint64_t before = 0;  // elements with prefixes below `prefix`
  uint32_t prefix = 0;
  for (int b = 1; b < ranks; b++) {
    const uint64_t wanted = share_begin(n, b, ranks);
    while (prefix < HALF_VALUES - 1 && before + counts[prefix] <= wanted)
      before += counts[prefix++];
    const uint64_t behind = before + counts[prefix];
    Border *const one = &border[b - 1];
    *one = (Border){.wanted = wanted, .prefix = prefix, .before_prefix = before};
    if (wanted - before <= slack)
      put_before_prefix(one, prefix, before);
    else if (behind - wanted <= slack && prefix < HALF_VALUES - 1)
      put_before_prefix(one, prefix + 1, behind);
    else
      one->refined = true;
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

int refined_prefixes(const Border *border, int borders, uint32_t *prefixes) {
  int count = 0;
  for (int b = 0; b < borders; b++) {
    if (!border[b].refined) continue;
    // Borders ascend, so equal prefixes are neighbours.
    if (count == 0 || prefixes[count - 1] != border[b].prefix) prefixes[count++] = border[b].prefix;
  }
  return count;
}

uint64_t equal_left(const Border *border, uint64_t earlier, uint64_t equal) {
  if (border->equal_before <= earlier) return 0;
  const uint64_t wanted = border->equal_before - earlier;
  return wanted < equal ? wanted : equal;
}
