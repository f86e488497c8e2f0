// Host side: how many levels a sort takes, and the sizes of each.
#ifndef MPPSORT_V2_PLAN_CUH
#define MPPSORT_V2_PLAN_CUH

#include "common/device.h"
#include "mppsort_v2/join.cuh"
#include "mppsort_v2/move_keys.cuh"
#include "mppsort_v2/move_pairs.cuh"
#include "mppsort_v2/sort_group.cuh"
#include "mppsort_v2/split.cuh"

enum {
  FIRST_SAMPLE = 16,
  NEXT_SAMPLE = 8,
  LEAST_CAPACITY = 64,
  FEW_FINE_BITS = 8,
  LARGE_TILES_FROM = 700000,  // pairs of a level
};

// A kernel sort_groups<...> and its blocks.
typedef struct SortShape {
  unsigned int threads, capacity;
  size_t shared_bytes;
  void (*kernel)(Pairs, Pairs, const Group *, const unsigned int *, unsigned int);
} SortShape;

#define SORT_SHAPE(pairs, threads, items, bin_bits, blocks)                       \
  {                                                                               \
    threads, threads *items, sizeof(SortShared<pairs, threads, items, bin_bits>), \
        sort_groups<pairs, threads, items, bin_bits, blocks>                      \
  }

// Smallest first.
static const SortShape key_shapes[] = {SORT_SHAPE(false, 512, 9, 11, 2),
                                       SORT_SHAPE(false, 512, 20, 12, 2)},
                       pair_shapes[] = {SORT_SHAPE(true, 512, 9, 11, 2),
                                        SORT_SHAPE(true, 512, 20, 12, 2)};

// A kernel that moves elements to their groups. `blocks` of them fit on a multiprocessor.
typedef struct Move {
  unsigned int threads, tile, blocks;
  size_t shared_bytes;  // without the tables
  void (*kernel)(Pairs, Pairs, Level);
} Move;

#define KEYS_MOVE(bits) \
  { KEYS_THREADS, KEYS_TILE, 2, sizeof(MoveKeysShared<bits>), move_keys_to_groups<bits> }
#define PAIRS_MOVE(threads, items, bits, blocks)                                    \
  {                                                                                 \
    threads, threads *items, blocks, sizeof(MovePairsShared<threads, items, bits>), \
        move_pairs_to_groups<threads, items, bits, blocks>                          \
  }

// To few groups, or to many. Small tiles where there are few pairs for all multiprocessors, or
// little shared memory.
static const Move key_moves[] = {KEYS_MOVE(FEW_GROUP_BITS), KEYS_MOVE(MANY_GROUP_BITS)},
                  pair_moves[] = {PAIRS_MOVE(256, 16, FEW_GROUP_BITS, 3),
                                  PAIRS_MOVE(256, 16, MANY_GROUP_BITS, 2)},
                  large_pair_moves[] = {PAIRS_MOVE(256, 32, FEW_GROUP_BITS, 2),
                                        PAIRS_MOVE(512, 20, MANY_GROUP_BITS, 1)};

static const Move *choose_move(const Level &level) {
  const Move *const moves = !level.stable       ? key_moves
                            : level.large_tiles ? large_pair_moves
                                                : pair_moves;
  return &moves[level.group_bits == MANY_GROUP_BITS];
}

static size_t move_shared_bytes(const Level &level) {
  return choose_move(level)->shared_bytes + tables_bytes(level);
}

// Plan of a sort of n elements.
typedef struct Plan {
  const SortShape *shape;
  unsigned int capacity;  // at most the shape's
  int fine_bits;          // 0: by n
  int levels;             // that are planned
  bool pairs;
} Plan;

static size_t most_of(size_t a, size_t b) { return a > b ? a : b; }

// Groups that n elements may form, if groups are joined up to `join`.
static size_t likely_groups(size_t n, unsigned int join) { return n / (join - join / 8) + 1; }

static Plan make_plan(size_t n, int fine_bits, unsigned int group_size, bool pairs) {
  const SortShape *const shapes = pairs ? pair_shapes : key_shapes;
  Plan plan = {&shapes[0], 0, fine_bits, 1, pairs};
  const size_t most = (1u << MANY_GROUP_BITS) - 16, limit = dynamic_shared_limit();
  if (likely_groups(n, shapes[0].capacity) > most / 2 && shapes[1].shared_bytes <= limit)
    plan.shape = &shapes[1];
  plan.capacity = plan.shape->capacity;
  if (group_size > 0 && group_size < plan.capacity)
    plan.capacity = group_size < LEAST_CAPACITY ? 0u + LEAST_CAPACITY : group_size;
  if (likely_groups(n, plan.capacity) > most) plan.levels = 2;
  return plan;
}

// Shared memory of the largest block of a level.
static size_t level_shared_bytes(const Level &level) {
  return most_of(most_of(split_shared_bytes(level), count_shared_bytes(level)),
                 most_of(join_shared_bytes(level), move_shared_bytes(level)));
}

static void set_fine_bits(Level *level, int bits) {
  level->fine_bits = bits;
  level->slots = (2u << bits) + 4;
  level->divisions = bits > 3 ? 1u << (bits - 3) : 1;
}

// A level of up to most_parts parts with `length` elements on average.
static Level make_level(const Plan &plan, unsigned int most_parts, size_t length, bool last,
                        int number) {
  Level level = {};
  level.most_parts = most_parts;
  level.stable = plan.pairs;
  level.capacity = level.join = plan.capacity;
  level.copies = number % 2 == 1;
  level.group_bits = FEW_GROUP_BITS;
  if (!last)
    level.join = (unsigned int)(length / ((1u << FEW_GROUP_BITS) - 16) / 7 * 8 + 1);
  else if (likely_groups(length, level.join) > (1u << FEW_GROUP_BITS) - 16)
    level.group_bits = MANY_GROUP_BITS;
  // About 16 fine ranges to a group.
  int bits = plan.fine_bits > 0 ? plan.fine_bits : +FEW_FINE_BITS;
  while (plan.fine_bits == 0 && bits < MOST_FINE_BITS &&
         (size_t)1 << bits < 16 * likely_groups(length, level.join))
    bits++;
  // Older GPUs have less shared memory: fewer groups, or fewer fine ranges.
  const size_t limit = dynamic_shared_limit();
  set_fine_bits(&level, FEW_FINE_BITS);
  if (level_shared_bytes(level) > limit) level.group_bits = FEW_GROUP_BITS;
  set_fine_bits(&level, bits);
  while (bits > 1 && level_shared_bytes(level) > limit) set_fine_bits(&level, --bits);
  level.large_tiles = plan.pairs && (plan.levels > 1 || most_parts * length >= LARGE_TILES_FROM);
  if (level_shared_bytes(level) > limit) level.large_tiles = false;
  level.tile = choose_move(level)->tile;
  return level;
}

#endif
