// Other sizes: which n go wrong?
#include "harness/diagnose/diagnosis_parts.h"

static Answer judge_kind(const Case *c, TrialKind kind, size_t n) {
  if (n < c->rerun->min_n || n > c->rerun->max_n) return UNKNOWN;
  Trial trial = case_draw(c, kind, n);
  const Answer answer = case_judge(c, &trial);
  trial_free(&trial);
  return answer;
}

static Answer judge_size(const Case *c, size_t n) { return judge_kind(c, c->kind, n); }

// Right at powers of two only, as a bitonic sort that does not pad its input? With keys that are
// mostly different: it may be unstable, too.
static bool find_powers(const Case *c, Diagnosis *found) {
  static const size_t right[] = {64, 4096, 16384}, wrong[] = {65, 3072};
  const size_t n = c->trial->n;
  bool powers = (n & (n - 1)) != 0;
  for (int i = 0; i < 3 && powers; i++) powers = judge_kind(c, TRIAL_RANDOM, right[i]) == RIGHT;
  for (int i = 0; i < 2 && powers; i++) powers = judge_kind(c, TRIAL_RANDOM, wrong[i]) == WRONG;
  if (!powers) return false;
  return NAME(found, MISTAKE_TAIL,
              "wrong where n is no power of two: right at n = %zu, %zu and %zu, wrong at n = %zu "
              "and %zu (%s)",
              right[0], right[1], right[2], wrong[0], wrong[1], case_place(c));
}

enum { ROUND_N = 12288 };  // 3 x 2^12: a multiple of all usual block sizes

// The smallest B = 2^j or 3 x 2^j for which n = ROUND_N - B is right; 0 if there is none, 1 if
// every n may be right.
static size_t find_block(const Case *c) {
  if (judge_size(c, ROUND_N - 1) != WRONG) return 1;
  for (size_t block = 2; block <= 4096; block *= 2) {
    const Answer answer = judge_size(c, ROUND_N - block);
    if (answer == RIGHT) return block;
    if (answer == UNKNOWN) return 0;
    if (block >= 4 && judge_size(c, ROUND_N - block / 2 * 3) == RIGHT) return block / 2 * 3;
  }
  return 0;
}

static bool find_tail(const Case *c, Diagnosis *found) {
  const size_t n = c->trial->n, block = find_block(c);
  if (block < 2 || n % block == 0 || judge_size(c, 2 * block) != RIGHT ||
      judge_size(c, 2 * block + 1) != WRONG)
    return false;
  return NAME(found, MISTAKE_TAIL,
              "wrong only where n is no multiple of %zu: right at n = %zu, wrong at n = %zu; usual "
              "causes: the last n %% %zu elements, here %zu, are left out, or threads beyond the "
              "last one count or write too (%s)",
              block, 2 * block, 2 * block + 1, block, n % block, case_place(c));
}

// The largest n up to which it is right, if that is a power of two above ROUND_N, or one less, as
// of n / B + 1 blocks; 0 if not. Downwards, so that three sorts are enough for the usual limits.
static size_t find_power(const Case *c) {
  size_t power = (size_t)1 << 31;
  while (power >= c->trial->n) power /= 2;
  while (power > ROUND_N && judge_size(c, power - 1) == WRONG) power /= 2;
  if (power <= ROUND_N) return 0;
  if (judge_size(c, power) == WRONG) return power - 1;
  return judge_size(c, power + 1) == WRONG ? power : 0;
}

// The largest n up to which it is right, from `begin` on; 0 if unknown.
static size_t find_limit(const Case *c, size_t begin) {
  size_t right = 0, wrong = begin;
  Answer answer = RIGHT;
  while (right < c->trial->n && (answer = judge_size(c, wrong)) == RIGHT) {
    right = wrong;
    wrong = 2 * right < c->trial->n ? 2 * right : c->trial->n;
  }
  if (right == 0) return 0;
  // Most limits are powers of two.
  if (answer == WRONG && wrong > right + 1 && judge_size(c, right + 1) == WRONG) return right;
  if (answer != WRONG) return 0;
  while (wrong - right > 1) {
    const size_t middle = right + (wrong - right) / 2;
    answer = judge_size(c, middle);
    if (answer == UNKNOWN) return 0;
    *(answer == RIGHT ? &right : &wrong) = middle;
  }
  return right;
}

// Is it not the size that matters, but the keys, as where equal ones get lost: with more elements
// there are more of these? Or is a larger size right? By random keys. Not asked about large sizes
// of the battery, which take long: there, smaller ones with other keys were right.
static bool is_no_limit(const Case *c, size_t limit) {
  if (limit > ROUND_N && c->kind != TRIAL_KINDS) return false;
  if (judge_kind(c, TRIAL_RANDOM, limit) == WRONG) return true;
  for (size_t n = limit + 1; n <= limit + 2; n++)
    if (judge_kind(c, TRIAL_RANDOM, n) == RIGHT) return true;
  return 2 * limit <= c->trial->n && judge_kind(c, TRIAL_RANDOM, 2 * limit) == RIGHT;
}

static bool name_limit(const Case *c, size_t limit, Diagnosis *found) {
  if (limit < 31 || c->trial->n <= limit || is_no_limit(c, limit)) return false;
  enum { ONE_BLOCK = 4096 };
  return NAME(found, MISTAKE_ABOVE_BLOCK,
              "wrong above n = %zu: right at n = %zu, wrong at n = %zu; usual causes: %s (%s)",
              limit, limit, limit + 1,
              limit <= ONE_BLOCK ? "the elements of several blocks or warps are not brought "
                                   "together, or arrays have a fixed size"
                                 : "more blocks than a launch, or the block that scans their sums, "
                                   "can hold, counters of 16 bits, or arrays of a fixed size",
              case_place(c));
}

bool find_many_blocks(const Case *c, Diagnosis *found) {
  return c->rerun->max_n > ROUND_N && name_limit(c, find_power(c), found);
}

bool find_sizes(const Case *c, Diagnosis *found) {
  if (c->rerun->max_n <= ROUND_N) return false;
  if (find_powers(c, found)) return true;
  if (judge_size(c, ROUND_N) != RIGHT) return name_limit(c, find_limit(c, 16), found);
  return find_tail(c, found) ||
         (c->trial->n > ROUND_N && name_limit(c, find_limit(c, 1 << 13), found));
}
