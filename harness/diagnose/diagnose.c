#include "harness/diagnose/diagnosis.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "harness/measure/clock.h"
#include "harness/diagnose/diagnosis_parts.h"

// A student waits for this: better a shorter answer than a late one. But a slow sort of a large
// input was waited for already: about five more such sorts explain it, and on a busy machine they
// take longer than the known one.
static const double MOST_SECONDS = 10.0, MOST_LARGE_SECONDS = 100.0;
static const double LARGE_SORTS = 16.0;

static const struct {
  const char *name, *hint;
} classes[MISTAKES] = {
    [MISTAKE_NONE] = {"none", ""},
    [MISTAKE_OUTSIDE] = {"wrote outside its arrays", "see radix_v2/README.md, \"Kernels\""},
    [MISTAKE_NOTHING_WRITTEN] = {"nothing written", "see seq/README.md, \"By hand\""},
    [MISTAKE_LEFT_IN_INPUTS] = {"result left in the inputs", "see seq/README.md, \"By hand\""},
    [MISTAKE_LAST_PASS] = {"last pass not copied back", "see seq/README.md, \"By hand\""},
    [MISTAKE_EXCHANGED] = {"keys and positions exchanged", "see seq/README.md, \"By hand\""},
    [MISTAKE_UNSORTED] = {"not sorted at all", "see seq/README.md, \"The idea\""},
    [MISTAKE_LOW_BITS] = {"sorted only up to a bit", "see seq/README.md, \"The idea\""},
    [MISTAKE_BIT_31] = {"bit 31 forgotten", "see seq/README.md, \"The idea\""},
    [MISTAKE_HIGH_BITS] = {"sorted only from a bit up", "see seq/README.md, \"The idea\""},
    [MISTAKE_DESCENDING] = {"descending", "see seq/README.md, \"By hand\""},
    [MISTAKE_SIGNED] = {"sorted as signed", "see seq/README.md, \"The idea\""},
    [MISTAKE_TAIL] = {"wrong where n is not round", "see radix_v2/README.md, \"Kernels\""},
    [MISTAKE_ABOVE_BLOCK] = {"wrong above a size", "see radix_v2/README.md, \"By hand\""},
    [MISTAKE_LOST] = {"elements lost", "see radix_v2/README.md, \"By hand\""},
    [MISTAKE_DOUBLED] = {"elements doubled", "see radix_v2/README.md, \"By hand\""},
    [MISTAKE_INVENTED] = {"elements invented", "see radix_v2/README.md, \"By hand\""},
    [MISTAKE_POSITIONS_UNMOVED] = {"positions not moved", "see seq/README.md, \"By hand\""},
    [MISTAKE_POSITIONS_APART] = {"positions without their keys", "see seq/README.md, \"By hand\""},
    [MISTAKE_UNSTABLE] = {"not stable", "see seq/README.md, \"The idea\""},
    [MISTAKE_RACE] = {"right at times", "see radix_v2/README.md, \"Kernels\""},
    [MISTAKE_LATER_CALLS] = {"right at the first call only", "see radix_v2/README.md, \"Kernels\""},
    [MISTAKE_FIRST_CALL] = {"wrong at the first call only", "see radix_v2/README.md, \"Kernels\""},
    [MISTAKE_UNWRITTEN_READ] = {"reads memory that it never wrote",
                                "see radix_v2/README.md, \"Kernels\""},
    [MISTAKE_OTHER] = {"out of order", "see radix_v2/README.md, \"By hand\""},
};

const char *mistake_name(Mistake mistake) { return classes[mistake].name; }

const char *mistake_hint(Mistake mistake) { return classes[mistake].hint; }

bool mistake_is_symptom(Mistake mistake) {
  return mistake == MISTAKE_LOST || mistake == MISTAKE_DOUBLED || mistake == MISTAKE_INVENTED ||
         mistake == MISTAKE_RACE || mistake == MISTAKE_UNWRITTEN_READ || mistake == MISTAKE_OTHER;
}

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
static bool keys_right(const Trial *trial, const TrialReference *reference) {
  return memcmp(trial->after[KEYS_OUT], reference->keys, trial->n * sizeof *reference->keys) == 0;
}

static bool find_elsewhere(const Case *c, TrialKind kind, Diagnosis *found) {
  enum { MORE = 1024 };
  if (c->rerun->max_n < MORE) return false;
  Trial trial = case_draw(c, kind, MORE);
  Shape shape = {0};
  if (case_judge(c, &trial) == WRONG && !trial.outside.found) {
    TrialReference reference = trial_reference(&trial);
    // Right keys with wrong positions there are no explanation of wrong keys here.
    if (keys_right(&trial, &reference) == keys_right(c->trial, c->reference))
      shape = diagnose_shape(&trial, &reference, c->stable);
    trial_reference_free(&reference);
  }
  trial_free(&trial);
  if (!shape.certain) return false;
  return NAME(found, shape.diagnosis.mistake, "%.900s, at n = %d", shape.diagnosis.sentence.text,
              MORE);
}

enum {
  REPEATS = 8,      // fresh processes that try an input again, two runs in each
  LARGE = 1 << 15,  // elements above which there are fewer of them
  LARGE_REPEATS = 2
};

// Elements differ from the input's, as where several are written to the same place: then the
// order of threads decides which stays.
static bool are_changed(Mistake mistake) {
  return mistake == MISTAKE_LOST || mistake == MISTAKE_DOUBLED || mistake == MISTAKE_INVENTED;
}

// An output that several mistakes make.
static bool is_symptom(const Shape *shape) {
  return !shape->certain || are_changed(shape->diagnosis.mistake);
}

// More elements than a launch or a scan can hold: blocks then write to the places of others, so
// that elements are lost or doubled, and the output may change from run to run as in a race. The
// limit says more. For inputs of the battery, whose smaller ones were right.
static bool find_large(const Case *c, const Shape *shape, Diagnosis *found) {
  if (c->trial->n <= LARGE || c->kind == TRIAL_KINDS || !is_symptom(shape)) return false;
  return find_changes(c, 0, false, found) || find_many_blocks(c, found);
}

// From the certain to the uncertain.
static Diagnosis weigh(const Case *c) {
  const Shape shape = diagnose_shape(c->trial, c->reference, c->stable);
  if (c->rerun == NULL) return shape.diagnosis;
  // An unstable pass may order equal digits in another way at every run: no reason to call it a
  // race, unless it is right at times.
  const bool unstable = shape.certain && shape.diagnosis.mistake == MISTAKE_UNSTABLE;
  const int most = c->trial->n > LARGE ? LARGE_REPEATS : REPEATS;
  const int processes = !shape.certain ? most : unstable ? most / 2 : 1;
  Diagnosis found = {0};
  if (find_large(c, &shape, &found)) return found;
  if (find_changes(c, processes, !unstable, &found)) return found;
  if (is_symptom(&shape) && find_zeros_relied_on(c, &found)) return found;
  if (shape.certain) return shape.diagnosis;
  if (c->trial->n < 64 && find_elsewhere(c, c->kind, &found)) return found;
  if (find_elsewhere(c, TRIAL_SPARSE, &found)) return found;
  if (find_sizes(c, &found)) return found;
  if (find_other_order(c, !are_changed(shape.diagnosis.mistake), &found)) return found;
  if (find_unwritten_read(c, &found)) return found;
  return shape.diagnosis;
}

// Seconds after which no more runs are made.
static double most_seconds(const Trial *trial, const Rerun *rerun) {
  if (rerun == NULL || rerun->known_n == 0) return MOST_SECONDS;
  const double sort = rerun->known_seconds * (double)trial->n / (double)rerun->known_n;
  return fmin(fmax(MOST_SECONDS, LARGE_SORTS * sort), MOST_LARGE_SECONDS);
}

Diagnosis diagnose(const Trial *trial, TrialKind kind, bool stable, const Rerun *rerun) {
  TrialReference reference = trial_reference(trial);
  const Case c = {trial,  &reference, kind,
                  stable, rerun,      seconds_now() + most_seconds(trial, rerun)};
  Diagnosis found = {0};
  if (!find_outside(trial, &found)) found = weigh(&c);
  trial_reference_free(&reference);
  const Message text = found.sentence;
  message_fail(&found.sentence, "%.900s; %s", text.text, mistake_hint(found.mistake));
  return found;
}

bool diagnose_output(const Trial *trial, bool stable, Diagnosis *diagnosis) {
  TrialReference reference = trial_reference(trial);
  const Shape shape = diagnose_shape(trial, &reference, stable);
  trial_reference_free(&reference);
  *diagnosis = shape.diagnosis;
  const Mistake mistake = diagnosis->mistake;
  return shape.certain || mistake == MISTAKE_NOTHING_WRITTEN || mistake == MISTAKE_ABOVE_BLOCK ||
         (mistake == MISTAKE_UNSORTED && trial->n >= ENOUGH);
}
