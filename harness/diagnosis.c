#include "harness/diagnosis.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/clock.h"

// A student waits for this: better a shorter answer than a late one.
static const double MOST_SECONDS = 10.0;

static const struct {
  const char *name, *hint;
} classes[MISTAKES] = {
    [MISTAKE_NONE] = {"none", ""},
    [MISTAKE_OUTSIDE] = {"wrote outside its arrays", "see radix_v2/README.md, \"Kernels\""},
    [MISTAKE_NOTHING_WRITTEN] = {"nothing written", "see seq/README.md, \"By hand\""},
    [MISTAKE_LEFT_IN_INPUTS] = {"result left in the inputs", "see seq/README.md, \"By hand\""},
    [MISTAKE_LAST_PASS] = {"last pass not copied back", "see seq/README.md, \"By hand\""},
    [MISTAKE_UNSORTED] = {"not sorted at all", "see seq/README.md, \"The idea\""},
    [MISTAKE_LOW_BITS] = {"sorted only up to a bit", "see seq/README.md, \"The idea\""},
    [MISTAKE_BIT_31] = {"bit 31 forgotten", "see seq/README.md, \"The idea\""},
    [MISTAKE_HIGH_BITS] = {"sorted only from a bit up", "see seq/README.md, \"The idea\""},
    [MISTAKE_DESCENDING] = {"descending", "see seq/README.md, \"By hand\""},
    [MISTAKE_SIGNED] = {"sorted as signed", "see seq/README.md, \"The idea\""},
    [MISTAKE_TAIL] = {"last elements lost", "see radix_v2/README.md, \"Kernels\""},
    [MISTAKE_ABOVE_BLOCK] = {"wrong above a size", "see radix_v2/README.md, \"By hand\""},
    [MISTAKE_LOST] = {"elements lost", "see radix_v2/README.md, \"By hand\""},
    [MISTAKE_DOUBLED] = {"elements doubled", "see radix_v2/README.md, \"By hand\""},
    [MISTAKE_INVENTED] = {"elements invented", "see radix_v2/README.md, \"By hand\""},
    [MISTAKE_POSITIONS_UNMOVED] = {"positions not moved", "see seq/README.md, \"By hand\""},
    [MISTAKE_POSITIONS_APART] = {"positions without their keys", "see seq/README.md, \"By hand\""},
    [MISTAKE_UNSTABLE] = {"not stable", "see seq/README.md, \"The idea\""},
    [MISTAKE_RACE] = {"right at times", "see radix_v2/README.md, \"Kernels\""},
    [MISTAKE_LATER_CALLS] = {"right at the first call only", "see radix_v2/README.md, \"Kernels\""},
    [MISTAKE_UNWRITTEN_READ] = {"reads memory that it never wrote",
                                "see radix_v2/README.md, \"Kernels\""},
    [MISTAKE_OTHER] = {"out of order", "see radix_v2/README.md, \"By hand\""},
};

const char *mistake_name(Mistake mistake) { return classes[mistake].name; }

const char *mistake_hint(Mistake mistake) { return classes[mistake].hint; }

// ---- running the sort again ---------------------------------------------------------------------

typedef struct Case {
  const Trial *trial;
  const TrialReference *reference;
  TrialKind kind;
  bool stable;
  const Rerun *rerun;
  double deadline;
} Case;

typedef enum Answer { RIGHT, WRONG, UNKNOWN } Answer;

static bool run(const Case *c, Trial *trial) {
  return seconds_now() < c->deadline && c->rerun->sort(c->rerun->context, trial);
}

// A copy of the trial, to be run again.
static Trial copy_of(const Trial *trial, uint64_t seed) {
  Trial copy = trial_create(trial->n, trial->guard, seed);
  memcpy(copy.keys, trial->keys, trial->n * sizeof *copy.keys);
  memcpy(copy.positions, trial->positions, trial->n * sizeof *copy.positions);
  return copy;
}

// An input of a kind, with n elements; keys from the trial's own if that was not drawn.
static Trial draw(const Case *c, TrialKind kind, size_t n) {
  Trial trial = trial_create(n, c->trial->guard, mix64(c->trial->seed + n));
  const bool drawn = kind < TRIAL_KINDS;
  trial_draw(&trial, drawn ? kind : TRIAL_RANDOM, mix64(n));
  for (size_t i = 0; i < n && !drawn && c->trial->n > 0; i++) {
    trial.keys[i] = c->trial->keys[mix64(i) % c->trial->n];
    trial.positions[i] = (uint32_t)i;
  }
  return trial;
}

static Answer judge(const Case *c, Trial *trial) {
  if (!run(c, trial)) return UNKNOWN;
  TrialReference reference = trial_reference(trial);
  const bool right = trial_right(trial, &reference, c->stable);
  trial_reference_free(&reference);
  return right ? RIGHT : WRONG;
}

static Answer judge_size(const Case *c, size_t n) {
  if (n > c->rerun->max_n) return UNKNOWN;
  Trial trial = draw(c, c->kind, n);
  const Answer answer = judge(c, &trial);
  trial_free(&trial);
  return answer;
}

// Is this place of an output as it was before the sort?
static bool unwritten(const Trial *trial, TrialArray array, size_t i) {
  return trial->after[array][i] == trial_before(trial, array, (int64_t)i);
}

// Where two outputs of one input differ: the values there and what is expected. Places that neither
// of them wrote do not differ. i is n if there is none.
typedef struct Change {
  size_t i;
  const char *what;
  uint32_t expected, first, then;
} Change;

static Change first_change(const Case *c, const Trial *again) {
  const Trial *const a = c->trial;
  for (size_t i = 0; i < a->n; i++)
    for (TrialArray array = KEYS_OUT; array <= POSITIONS_OUT; array++) {
      const bool keys = array == KEYS_OUT;
      if (a->after[array][i] != again->after[array][i] &&
          !(unwritten(a, array, i) && unwritten(again, array, i)))
        return (Change){i, keys ? "key" : "position",
                        (keys ? c->reference->keys : c->reference->positions)[i],
                        a->after[array][i], again->after[array][i]};
    }
  return (Change){.i = a->n};
}

// The first index at which an output is wrong.
static size_t first_wrong(const Trial *trial, const TrialReference *reference) {
  size_t i = 0;
  while (i < trial->n && trial->after[KEYS_OUT][i] == reference->keys[i] &&
         trial->after[POSITIONS_OUT][i] == reference->positions[i])
    i++;
  return i;
}

// "index 7: expected key 3, found 5": what is wrong there, keys before positions.
static const char *place(const Case *c, size_t i) {
  static char text[128];
  const Trial *const t = c->trial;
  const bool keys = i < t->n && t->after[KEYS_OUT][i] != c->reference->keys[i];
  const TrialArray array = keys ? KEYS_OUT : POSITIONS_OUT;
  const uint32_t *const expected = keys ? c->reference->keys : c->reference->positions;
  if (i >= t->n) return "no element";
  snprintf(text, sizeof text, "index %zu: expected %s %" PRIu32 ", found %" PRIu32, i,
           keys ? "key" : "position", expected[i], t->after[array][i]);
  return text;
}

#define NAME(diagnosis, which, ...) \
  (message_fail(&(diagnosis)->sentence, __VA_ARGS__), (diagnosis)->mistake = (which), true)

// ---- the same input again -----------------------------------------------------------------------

enum { REPEATS = 8 };  // fresh processes, two runs in each

typedef struct Repeats {
  int runs, right;        // how often it was run again; how often right
  bool right_when_fresh;  // every first run of a fresh process was right, every other one wrong
  Change change;          // where outputs differ
} Repeats;

// One more run. False if it could not be had.
static bool repeat_once(const Case *c, bool fresh, Repeats *r) {
  if (fresh && !c->rerun->restart(c->rerun->context)) return false;
  Trial again = copy_of(c->trial, c->trial->seed);
  const Answer answer = judge(c, &again);
  if (answer != UNKNOWN) {
    const Change change = first_change(c, &again);
    if (change.i < r->change.i) r->change = change;
    r->runs++;
    r->right += answer == RIGHT;
    if ((answer == RIGHT) != fresh) r->right_when_fresh = false;
  }
  trial_free(&again);
  return answer != UNKNOWN;
}

static Repeats repeat(const Case *c, int processes) {
  Repeats r = {.right_when_fresh = true, .change = {.i = c->trial->n}};
  bool good = repeat_once(c, false, &r);
  for (int i = 0; i < processes && good; i++)
    good = repeat_once(c, true, &r) && repeat_once(c, false, &r);
  r.right_when_fresh = r.right_when_fresh && r.runs >= 3;
  return r;
}

static bool find_changes(const Case *c, int processes, Diagnosis *found) {
  const Repeats r = repeat(c, processes);
  const size_t i = first_wrong(c->trial, c->reference);
  if (r.runs == 0) return false;
  if (r.right_when_fresh)
    return NAME(
        found, MISTAKE_LATER_CALLS,
        "right at the first call of a process, wrong at later calls: something is kept from "
        "one call to the next, such as a counter that is not reset (%s)",
        place(c, i));
  if (r.right > 0)
    return NAME(
        found, MISTAKE_RACE,
        "right at times: the same input was sorted right in %d of %d runs, so threads race, "
        "or something is kept from call to call (%s)",
        r.right, r.runs + 1, place(c, i));
  if (r.change.i < c->trial->n)
    return NAME(found, MISTAKE_RACE,
                "the output differs from run to run of the same input, so threads race (index %zu: "
                "expected %s %" PRIu32 ", found %" PRIu32 ", then %" PRIu32 ")",
                r.change.i, r.change.what, r.change.expected, r.change.first, r.change.then);
  return false;
}

static bool find_other_order(const Case *c, Diagnosis *found) {
  if (c->rerun->other_order == NULL || !c->rerun->other_order(c->rerun->context)) return false;
  Trial again = copy_of(c->trial, c->trial->seed);
  const Answer answer = judge(c, &again);
  trial_free(&again);
  if (answer != RIGHT) return false;
  const size_t i = first_wrong(c->trial, c->reference);
  return NAME(found, MISTAKE_RACE,
              "right at times: it depends on the order in which the threads of a block run, so a "
              "barrier is missing (%s)",
              place(c, i));
}

// The same input, with other values in all memory that the sort has not written.
static bool find_unwritten_read(const Case *c, Diagnosis *found) {
  for (uint64_t k = 1; k <= 2; k++) {
    Trial again = copy_of(c->trial, c->trial->seed + k);
    const Answer answer = judge(c, &again);
    const Change change = answer == UNKNOWN ? (Change){.i = c->trial->n} : first_change(c, &again);
    trial_free(&again);
    if (change.i < c->trial->n)
      return NAME(
          found, MISTAKE_UNWRITTEN_READ,
          "reads memory that it never wrote: the output changes with what was in the "
          "outputs, in new memory or beyond the arrays before the sort (index %zu: expected "
          "%s %" PRIu32 ", found %" PRIu32 ", then %" PRIu32 ")",
          change.i, change.what, change.expected, change.first, change.then);
  }
  return false;
}

// ---- other sizes --------------------------------------------------------------------------------

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
  const size_t i = first_wrong(c->trial, c->reference);
  return NAME(found, MISTAKE_TAIL,
              "wrong only where n is no multiple of %zu: right at n = %zu, wrong at n = %zu; the "
              "last n %% %zu elements, here %zu, are lost or left where they were (%s)",
              block, 2 * block, 2 * block + 1, block, n % block, place(c, i));
}

// The largest n up to which it is right, found between powers of two; 0 if unknown.
static size_t find_limit(const Case *c) {
  size_t right = 16;
  if (judge_size(c, right) != RIGHT) return 0;
  size_t wrong = 2 * right;
  Answer answer = judge_size(c, wrong);
  for (; answer == RIGHT && wrong < ROUND_N; answer = judge_size(c, wrong)) {
    right = wrong;
    wrong *= 2;
  }
  if (answer != WRONG) return 0;
  while (wrong - right > 1) {
    const size_t middle = right + (wrong - right) / 2;
    answer = judge_size(c, middle);
    if (answer == UNKNOWN) return 0;
    *(answer == RIGHT ? &right : &wrong) = middle;
  }
  return right;
}

static bool find_above(const Case *c, Diagnosis *found) {
  const size_t limit = find_limit(c);
  if (limit < 31 || c->trial->n <= limit) return false;
  const size_t i = first_wrong(c->trial, c->reference);
  return NAME(found, MISTAKE_ABOVE_BLOCK,
              "wrong above n = %zu: right at n = %zu, wrong at n = %zu; more elements than one "
              "block or warp holds are not brought together (%s)",
              limit, limit, limit + 1, place(c, i));
}

static Diagnosis find_sizes(const Case *c) {
  Diagnosis found = {0};
  if (c->rerun->max_n <= ROUND_N) return found;
  if (judge_size(c, ROUND_N) == RIGHT)
    (void)find_tail(c, &found);
  else
    (void)find_above(c, &found);
  return found;
}

Diagnosis diagnose_sizes(const Trial *trial, TrialKind kind, bool stable, const Rerun *rerun) {
  TrialReference reference = trial_reference(trial);
  const Case c = {trial, &reference, kind, stable, rerun, seconds_now() + MOST_SECONDS};
  const Diagnosis found = find_sizes(&c);
  trial_reference_free(&reference);
  return found;
}

// ---- all ----------------------------------------------------------------------------------------

static const char *array_name(TrialArray array) {
  static const char *const names[TRIAL_ARRAYS] = {"d_inputVals", "d_inputPos", "d_outputVals",
                                                  "d_outputPos"};
  return names[array];
}

static bool find_outside(const Trial *trial, Diagnosis *found) {
  const TrialOutside *const o = &trial->outside;
  if (!o->found) return false;
  const int64_t beyond = o->index < 0 ? -o->index : o->index - (int64_t)trial->n + 1;
  return NAME(found, MISTAKE_OUTSIDE,
              "wrote outside its arrays: %s[%" PRId64 "], %" PRId64
              " element%s %s an array of %zu, "
              "was %" PRIu32 " and is now %" PRIu32,
              array_name(o->array), o->index, beyond, beyond == 1 ? "" : "s",
              o->index < 0 ? "before" : "behind the end of", trial->n, o->expected, o->actual);
}

// Few elements are in many orders by chance, and keys that differ in high bits hide what happens to
// low ones: the same mistake may show better with another input.
static bool find_elsewhere(const Case *c, TrialKind kind, Diagnosis *found) {
  enum { MORE = 1024 };
  if (c->rerun->max_n < MORE) return false;
  Trial trial = draw(c, kind, MORE);
  Shape shape = {0};
  if (judge(c, &trial) == WRONG && !trial.outside.found) {
    TrialReference reference = trial_reference(&trial);
    shape = diagnose_shape(&trial, &reference, c->stable);
    trial_reference_free(&reference);
  }
  trial_free(&trial);
  if (!shape.certain) return false;
  return NAME(found, shape.diagnosis.mistake, "%.900s, at n = %d", shape.diagnosis.sentence.text,
              MORE);
}

// From the certain to the uncertain.
static Diagnosis weigh(const Case *c) {
  const Shape shape = diagnose_shape(c->trial, c->reference, c->stable);
  const Mistake mistake = shape.diagnosis.mistake;
  if (c->rerun == NULL || (shape.certain && mistake == MISTAKE_UNSTABLE)) return shape.diagnosis;
  Diagnosis found = {0};
  if (find_changes(c, shape.certain ? 1 : REPEATS, &found)) return found;
  if (shape.certain) return shape.diagnosis;
  if (c->trial->n < 64 && find_elsewhere(c, c->kind, &found)) return found;
  if (find_elsewhere(c, TRIAL_SPARSE, &found)) return found;
  found = find_sizes(c);
  if (found.mistake != MISTAKE_NONE || find_unwritten_read(c, &found)) return found;
  if (find_other_order(c, &found)) return found;
  return shape.diagnosis;
}

Diagnosis diagnose(const Trial *trial, TrialKind kind, bool stable, const Rerun *rerun) {
  TrialReference reference = trial_reference(trial);
  const Case c = {trial, &reference, kind, stable, rerun, seconds_now() + MOST_SECONDS};
  Diagnosis found = {0};
  if (!find_outside(trial, &found)) found = weigh(&c);
  trial_reference_free(&reference);
  const Message text = found.sentence;
  message_fail(&found.sentence, "%.900s; %s", text.text, mistake_hint(found.mistake));
  return found;
}
