// What more runs show: of the same input, and of other sizes.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/diagnose/diagnosis_parts.h"
#include "harness/measure/clock.h"

// ---- running the sort again ---------------------------------------------------------------------

static bool run(const Case *c, Trial *trial) {
  return seconds_now() < c->deadline && c->rerun->sort(c->rerun->context, trial);
}

// A copy of the trial, to be run again.
static Trial copy_of(const Case *c, uint64_t seed) {
  const Trial *const trial = c->trial;
  Trial copy = trial_create(trial->n, trial->guard, seed);
  memcpy(copy.keys, trial->keys, trial->n * sizeof *copy.keys);
  memcpy(copy.positions, trial->positions, trial->n * sizeof *copy.positions);
  return copy;
}

// An input of a kind, with n elements; keys from the trial's own if that was not drawn.
Trial case_draw(const Case *c, TrialKind kind, size_t n) {
  Trial trial = trial_create(n, c->trial->guard, mix64(c->trial->seed + n));
  const bool drawn = kind < TRIAL_KINDS;
  trial_draw(&trial, drawn ? kind : TRIAL_RANDOM, mix64(n));
  for (size_t i = 0; i < n && !drawn && c->trial->n > 0; i++) {
    trial.keys[i] = c->trial->keys[mix64(i) % c->trial->n];
    trial.positions[i] = (uint32_t)i;
  }
  return trial;
}

Answer case_judge(const Case *c, Trial *trial) {
  if (!run(c, trial)) return UNKNOWN;
  return trial_right(trial, c->stable) ? RIGHT : WRONG;
}

// Where two outputs of one input differ: the values there and what is expected. Places that neither
// of them wrote do not differ. i is n if there is none.
typedef struct Change {
  size_t i;
  const char *what;
  uint32_t expected, first, then;
} Change;

static Change first_change(const Case *c, const Trial *a, const Trial *again) {
  for (size_t i = 0; i < a->n; i++)
    for (TrialArray array = KEYS_OUT; array <= POSITIONS_OUT; array++) {
      const bool keys = array == KEYS_OUT;
      if (a->after[array][i] != again->after[array][i] &&
          !(is_untouched(a, array, i) && is_untouched(again, array, i)))
        return (Change){i, keys ? "key" : "position",
                        (keys ? c->reference->keys : c->reference->positions)[i],
                        a->after[array][i], again->after[array][i]};
    }
  return (Change){.i = a->n};
}

// "index 7: expected key 3, found 5": the first place that is wrong, keys before positions.
static const char *place_of(const Case *c) {
  static char text[128];
  const uint32_t *const keys = c->trial->after[KEYS_OUT], *const expected = c->reference->keys;
  const uint32_t *const positions = c->trial->after[POSITIONS_OUT];
  size_t i = 0;
  while (i + 1 < c->trial->n && keys[i] == expected[i] &&
         positions[i] == c->reference->positions[i])
    i++;
  const bool key = keys[i] != expected[i];
  snprintf(text, sizeof text, "index %zu: expected %s %" PRIu32 ", found %" PRIu32, i,
           key ? "key" : "position", key ? expected[i] : c->reference->positions[i],
           key ? keys[i] : positions[i]);
  return text;
}

// ---- the same input again -----------------------------------------------------------------------

typedef struct Repeats {
  int runs, right;        // how often it was run again; how often right
  bool right_when_fresh;  // every first run of a fresh process was right, every other one wrong
  bool wrong_when_fresh;  // the other way round
  Trial first;            // the first one, of memory as in the others; not so the case's own trial
  Change change;          // where its output differs from the others
} Repeats;

// One more run. False if it could not be had.
static bool repeat_once(const Case *c, bool fresh, Repeats *r) {
  if (fresh && !c->rerun->restart(c->rerun->context)) return false;
  Trial again = copy_of(c, c->trial->seed);
  const Answer answer = case_judge(c, &again);
  if (answer != UNKNOWN) {
    const Change change = first_change(c, r->runs == 0 ? &again : &r->first, &again);
    if (change.i < r->change.i) r->change = change;
    r->runs++;
    r->right += answer == RIGHT;
    if ((answer == RIGHT) != fresh) r->right_when_fresh = false;
    if ((answer == WRONG) != fresh) r->wrong_when_fresh = false;
  }
  if (r->runs == 1 && answer != UNKNOWN)
    r->first = again;
  else
    trial_free(&again);
  return answer != UNKNOWN;
}

static Repeats repeat(const Case *c, int processes) {
  Repeats r = {.right_when_fresh = true, .wrong_when_fresh = true, .change = {.i = c->trial->n}};
  bool good = repeat_once(c, false, &r);
  for (int i = 0; i < processes && good; i++)
    good = repeat_once(c, true, &r) && repeat_once(c, false, &r);
  r.right_when_fresh = r.right_when_fresh && r.runs >= 3;
  r.wrong_when_fresh = r.wrong_when_fresh && r.runs >= 3;
  trial_free(&r.first);
  return r;
}

#define USUAL_CHANGES                                                                            \
  "threads race, or place elements in the order in which they come, or it depends on something " \
  "else than its input, such as what an earlier call left behind"

bool find_changes(const Case *c, int processes, bool any, Diagnosis *found) {
  const Repeats r = repeat(c, processes);
  if (r.runs == 0) return false;
  if (r.right_when_fresh)
    return NAME(
        found, MISTAKE_LATER_CALLS,
        "right at the first call of a process, wrong at later calls: something is kept from "
        "one call to the next, such as a counter that is not reset (%s)",
        place_of(c));
  if (r.wrong_when_fresh)
    return NAME(
        found, MISTAKE_FIRST_CALL,
        "wrong at the first call of a process, right at later calls: the first call sets up "
        "something too late, such as a device variable that only its end sets (%s)",
        place_of(c));
  if (r.right > 0)
    return NAME(
        found, MISTAKE_RACE,
        "right at times: the same input was sorted right in %d of %d runs, so " USUAL_CHANGES
        " (%s)",
        r.right, r.runs + 1, place_of(c));
  if (any && r.change.i < c->trial->n)
    return NAME(found, MISTAKE_RACE,
                "the output differs from run to run of the same input, so " USUAL_CHANGES
                " (index %zu: "
                "expected %s %" PRIu32 ", found %" PRIu32 ", then %" PRIu32 ")",
                r.change.i, r.change.what, r.change.expected, r.change.first, r.change.then);
  return false;
}

// Two runs that differ in the order of threads alone: the case's trial may have found other values
// in memory that it did not write.
bool find_other_order(const Case *c, bool any, Diagnosis *found) {
  if (c->rerun->other_order == NULL) return false;
  Trial usual = copy_of(c, c->trial->seed), other = copy_of(c, c->trial->seed);
  Answer answer = case_judge(c, &usual);
  Change change = {.i = c->trial->n};
  if (answer != UNKNOWN && c->rerun->other_order(c->rerun->context)) {
    answer = case_judge(c, &other);
    if (answer == WRONG) change = first_change(c, &usual, &other);
    (void)c->rerun->other_order(c->rerun->context);  // back
  } else {
    answer = UNKNOWN;
  }
  trial_free(&usual);
  trial_free(&other);
  if (answer == RIGHT)
    return NAME(found, MISTAKE_RACE,
                "right at times: it depends on the order in which the threads of a block run, so a "
                "barrier, or a __syncwarp() in a warp, is missing (%s)",
                place_of(c));
  if (!any || change.i >= c->trial->n) return false;
  return NAME(found, MISTAKE_RACE,
              "the output depends on the order in which threads run, so they race: a barrier, or "
              "a __syncwarp() in a warp, is missing, or one block relies on another (index %zu: "
              "expected %s %" PRIu32 ", found %" PRIu32 ", then %" PRIu32 ")",
              change.i, change.what, change.expected, change.first, change.then);
}

static Answer judge_again(const Case *c, bool zero_memory) {
  Trial again = copy_of(c, c->trial->seed);
  again.zero_memory = zero_memory;
  const Answer answer = case_judge(c, &again);
  trial_free(&again);
  return answer;
}

// Sorts the input again, with zeros in memory that the sort allocates, and each once more: a race
// may be right by chance.
bool find_zeros_relied_on(const Case *c, Diagnosis *found) {
  if (judge_again(c, true) != RIGHT || judge_again(c, false) != WRONG ||
      judge_again(c, true) != RIGHT)
    return false;
  return NAME(found, MISTAKE_UNWRITTEN_READ,
              "reads memory that it never wrote: right where new memory holds zeros, wrong where "
              "it holds anything else, so a cudaMemset() is missing (%s)",
              place_of(c));
}

// Sorts the input again, with other values in all memory that the sort has not written.
bool find_unwritten_read(const Case *c, Diagnosis *found) {
  for (uint64_t k = 1; k <= 2; k++) {
    Trial again = copy_of(c, c->trial->seed + k);
    const Answer answer = case_judge(c, &again);
    Change change = {.i = c->trial->n};
    if (answer != UNKNOWN) change = first_change(c, c->trial, &again);
    trial_free(&again);
    if (change.i < c->trial->n)
      return NAME(
          found, MISTAKE_UNWRITTEN_READ,
          "reads memory that it never wrote, such as places that a pass left out: the output "
          "changes with what was in the outputs, in new memory or beyond the arrays before "
          "the sort (index %zu: expected %s %" PRIu32 ", found %" PRIu32 ", then %" PRIu32 ")",
          change.i, change.what, change.expected, change.first, change.then);
  }
  return false;
}

// ---- other sizes --------------------------------------------------------------------------------

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
              right[0], right[1], right[2], wrong[0], wrong[1], place_of(c));
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
              block, 2 * block, 2 * block + 1, block, n % block, place_of(c));
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
// there are more equal keys? Or is a larger size right? Tries random keys. Skips large sizes
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
              place_of(c));
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
