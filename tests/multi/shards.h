// Shards of an input and the exact borders between ranks, by sorting: for tests of what moves
// elements to their ranks.
#ifndef TESTS_MULTI_SHARDS_H
#define TESTS_MULTI_SHARDS_H

#include <algorithm>
#include <vector>

#include "multi/split/splitters.h"

typedef std::vector<uint32_t> Keys;

// Keys of few prefixes, so that few blocks run.
static uint32_t few_prefixes(void) {
  return next_random() % 5 << 24 | next_random() % 3 << 16 | (next_random() & 0xffff);
}

// An element of all shards, in the order that the borders divide.
typedef struct Element {
  uint32_t key;
  int shard;
  uint32_t index;
  bool operator<(const Element &other) const {
    if (key != other.key) return key < other.key;
    return shard != other.shard ? shard < other.shard : index < other.index;
  }
} Element;

static std::vector<Element> sorted_elements(const std::vector<Keys> &shards) {
  std::vector<Element> all;
  for (size_t s = 0; s < shards.size(); s++)
    for (uint32_t i = 0; i < shards[s].size(); i++) all.push_back({shards[s][i], (int)s, i});
  std::sort(all.begin(), all.end());
  return all;
}

// Splitters of shard s for ranks that get elements cut[r] .. cut[r + 1] - 1; own_cut[r + 1] = how
// many of the shard's go to ranks up to r.
static void find_splitters(const std::vector<Element> &all, const Keys &shard, int s,
                           const uint64_t *cut, int ranks, Splitter *splitters, uint64_t *own_cut) {
  const uint32_t length = (uint32_t)shard.size();
  own_cut[0] = 0;
  own_cut[ranks] = length;
  for (int b = 0; b < ranks - 1; b++) {
    const Element border = all[cut[b + 1]];
    const uint32_t index = s < border.shard ? length : s > border.shard ? 0 : border.index;
    splitters[b] = (Splitter)border.key << 32 | index;
    own_cut[b + 1] = 0;
    for (uint32_t i = 0; i < length; i++)
      own_cut[b + 1] += ((Splitter)shard[i] << 32 | i) < splitters[b];
  }
}

#endif
