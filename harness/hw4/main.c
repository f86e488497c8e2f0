// HW4 IMAGE TEMPLATE [OUTPUT]: removes red eyes from an image (Udacity CS344, Problem Set 4) with
// the sort of one version.
//
// This process judges, and contains no code of the version: see harness/judge/protocol.h.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/check.h"
#include "common/device.h"
#include "harness/diagnose/battery.h"
#include "harness/hw4/image.h"
#include "harness/hw4/red_eye.h"
#include "harness/hw4/session.h"
#include "harness/process/exit_guard.h"

// ---- before the sort ----------------------------------------------------------------------------

static void load(const Options *options, Image *image, Image *eye_template) {
  Message message;
  if (!image_load(options->image, image, &message) ||
      !image_load(options->eye_template, eye_template, &message))
    quit(message_code(&message), "%s", message.text);
  if (image->width < eye_template->width || image->height < eye_template->height)
    quit(EXIT_USAGE, "the image (%d x %d) is smaller than the template (%d x %d)", image->width,
         image->height, eye_template->width, eye_template->height);
  const SortVersion *const version = options->version;
  const uint64_t n = (uint64_t)image->width * (uint64_t)image->height;
  if (n > version->max_n)
    quit(EXIT_USAGE, "the image has %" PRIu64 " pixels, but %s sorts at most %" PRIu64, n,
         version->name, version->max_n);
  if (version->slow_n != 0 && n > version->slow_n && isatty(STDERR_FILENO))
    fprintf(stderr, "HW4: %s is slow above %" PRIu64 " pixels: this takes a while\n", version->name,
            version->slow_n);
}

// The trial of the image: the scores of all pixels as keys, with their positions.
static Trial score(const Image *image, const Image *eye_template) {
  const size_t n = (size_t)image->width * (size_t)image->height;
  Trial trial = trial_create(n, 0, mix64(n));
  red_eye_scores(image, eye_template, trial.keys);
  for (size_t i = 0; i < n; i++) trial.positions[i] = (uint32_t)i;
  return trial;
}

// ---- the image ----------------------------------------------------------------------------------

// `remark`: on the time, or "".
static void print_times(const SortVersion *version, const SortTimes *times, const char *remark) {
  for (int i = 0; i < times->stages && version->stages[i] != NULL; i++)
    printf("%s: %f msecs\n", version->stages[i], times->stage_ms[i]);
  printf("\nYour code ran in: %f msecs.\n", times->milliseconds);
  if (times->by_judge) puts(remark);
}

static void add_finding(const Session *session, Message *mistake) {
  if (session->finding.text[0] == '\0') return;
  const Message wrong = *mistake;
  message_write(mistake, "%.700s; %.300s", wrong.text, session->finding.text);
}

// The sentence of a wrong sort. Of some mistakes it names the symptom only; a build that watches
// each access finds the cause.
static Message describe_wrong(const Session *session, const Diagnosis *diagnosis) {
  Message sentence = diagnosis->sentence;
#ifdef CUDA_CPU
  if (mistake_is_symptom(diagnosis->mistake))
    message_write(&sentence,
                  "%.800s; make %s CHECK=all looks for races (also within a warp, whose lanes need "
                  "__syncwarp()), accesses outside arrays and reads of memory never written",
                  diagnosis->sentence.text, session->options->version->name);
#else
  (void)session;
#endif
  return sentence;
}

// Sorts the image's scores, which warms up, and a rotation of them, which is timed; prints the
// times and judges. Returns false and the mistake.
static bool sort_and_judge(Session *session, Trial *trial, Message *mistake) {
  const SortVersion *const version = session->options->version;
  Trial timed = session_rotate(trial);
  SortTimes times;
  session_time(session, trial, &times);
  const double begin = sorter_cpu_seconds(session->sorter);
  session_time(session, &timed, &times);
  session->image_n = trial->n;
  session->image_ms = times.waited;
  const double cpu_ms = 1e3 * (sorter_cpu_seconds(session->sorter) - begin);
  if (begin >= 0.0 && cpu_ms > 0.0 && cpu_ms < times.waited) session->image_ms = cpu_ms;
  const Rerun rerun = session_rerun(session);
  const Trial *wrong = NULL;
  if (!trial_right(&timed, version->stable))
    wrong = &timed;
  else if (!trial_right(trial, version->stable))
    wrong = trial;
  bool right = wrong == NULL && session_check_time(session, trial, &times, mistake);
  print_times(version, &times, mistake->text);
  session_prepare_more(session);
  if (wrong != NULL) {
    const Diagnosis diagnosis = diagnose(wrong, TRIAL_KINDS, version->stable, &rerun);
    *mistake = describe_wrong(session, &diagnosis);
  }
  trial_free(&timed);
  if (!right) (void)session_end(session, 1.0);
  if (wrong != NULL) add_finding(session, mistake);
  if (right && !sorter_end(session->sorter, SESSION_END_SECONDS)) sorter_quit(session->sorter);
  return right;
}

// ---- after the image ----------------------------------------------------------------------------

// The last line of a text that begins with `start`, or NULL.
static const char *last_line(const char *text, const char *start) {
  const char *found = NULL;
  for (const char *line = text; line != NULL && *line != '\0';) {
    if (*line != '\n' && strncmp(line, start, strlen(start)) == 0) found = line;
    line = strchr(line, '\n');
    if (line != NULL) line++;
  }
  return found;
}

// How the sorter failed: the judge's sentence, which has a finding of memcheck or synccheck; or
// else another one of the cpu backend, or the last line that the sorter printed, which names a
// failed CUDA call.
static void describe_end(const Session *session, char text[900]) {
  static const char *const tools[] = {"initcheck: ", "racecheck: ", ""};
  const Sorter *const sorter = session->sorter;
  const char *line = sorter->failure.text[0] != '\0' ? sorter->failure.text : NULL;
  for (size_t i = 0; i < sizeof tools / sizeof *tools && line == NULL; i++)
    line = last_line(sorter->heard, tools[i]);
  if (line == NULL) line = "see the message on stderr";
  snprintf(text, 900, "%.*s%s%s", (int)strcspn(line, "\n"), line,
           session->zeros_relied_on ? "; " : "",
           session->zeros_relied_on ? SESSION_ZEROS_RELIED_ON : "");
}

// Depends on all scores, so that each image has another battery, but always the same.
static uint64_t seed_of(const Trial *trial) {
  uint64_t seed = trial->n;
  for (size_t i = 0; i < trial->n; i++) seed = mix64(seed ^ trial->keys[i]);
  return seed;
}

// On the cpu backend, the battery's largest sort may take far longer than the image's.
static void announce_battery(const Session *session) {
  const double seconds =
      1e-3 * session->image_ms * (double)BATTERY_LARGEST / (double)session->image_n;
  if (seconds > 3.0 && isatty(STDERR_FILENO))
    fprintf(stderr, "HW4: now sorts other inputs, of up to %d pairs: this takes a while\n",
            BATTERY_LARGEST);
}

// A fresh process sorts the battery. Returns false and the mistake. `largest`: elements of the
// largest sort that was right.
static bool pass_battery(Session *session, uint64_t seed, size_t *largest, Message *mistake) {
  announce_battery(session);
  session_prepare_more(session);
  if (!session_restart(session)) sorter_quit(session->sorter);
  const Rerun rerun = session_rerun(session);
  const Battery battery = battery_run(&rerun, session->options->version->stable, seed);
  puts(battery.summary.text);
  const size_t lost = session_blocks_lost(session);
  if (lost > 0)
    printf(
        "Remark: %zu blocks of device memory are lost: sorts allocate them and do not free "
        "them (cudaFree)\n",
        lost);
  *largest = battery.largest;
  char kind[96];
  snprintf(kind, sizeof kind, "%s%s", trial_kind_names[battery.kind],
           battery.other_order ? ", threads in another order" : "");
  if (battery.outcome == BATTERY_RIGHT && sorter_end(session->sorter, SESSION_END_SECONDS))
    return true;
  char end[900];
  describe_end(session, end);
  switch (battery.outcome) {
    case BATTERY_WRONG:
      (void)session_end(session, 1.0);
      message_write(mistake, "right on this image, wrong at n = %zu (%s): %.900s", battery.n, kind,
                    describe_wrong(session, &battery.diagnosis).text);
      add_finding(session, mistake);
      return false;
    case BATTERY_ENDED:
      return message_fail(mistake, "right on this image, fails at n = %zu (%s): %.900s", battery.n,
                          kind, end);
    default: return message_fail(mistake, "right on this image, but: %.900s", end);
  }
}

static void save_mended(const char *path, Image *image, Trial *sorted) {
  const size_t n = sorted->n, best = n < RED_EYE_PIXELS ? n : RED_EYE_PIXELS;
  uint32_t *const positions = sorted->after[POSITIONS_OUT];
  red_eye_settle_ties(sorted->after[KEYS_OUT], positions, n, best);
  red_eye_remove(image, positions + (n - best), best);
  Message message;
  if (!image_save(path, image, &message)) quit(message_code(&message), "%s", message.text);
}

// A PASS says if sizes that the version is for, of up to BATTERY_LARGEST, were not tried.
// `largest`: elements of the battery's largest sort.
static void print_pass(const Options *options, size_t image_n, size_t largest) {
  if (image_n > largest) largest = image_n;
  if (options->image_only || largest >= BATTERY_LARGEST || largest >= options->version->max_n)
    puts("PASS");
  else
    printf("PASS, up to n = %zu\n", largest);
}

// Loads the images, scores the pixels, lets the sorter sort the scores, and prints the times, what
// the battery did, and the verdict. Saves the mended picture only if the image was sorted right;
// returns whether everything was. The sorter is gone afterwards.
static bool run(const Options *options, Sorter *sorter) {
  Message message;
  if (!image_can_save(options->output, &message)) quit(message_code(&message), "%s", message.text);
  Image image = {0}, eye_template = {0};
  load(options, &image, &eye_template);

  const size_t n = (size_t)image.width * (size_t)image.height;
  Session session = {
      .options = options,
      .sorter = sorter,
      .max_elements = (n > BATTERY_LARGEST ? n : BATTERY_LARGEST) + 2 * BATTERY_GUARD,
      .limit = options->time_limit};
  session_open(&session);  // the device starts up while the scores are computed
  Trial trial = score(&image, &eye_template);
  char device[256];
  if (!sorter_opened(sorter, device, SESSION_END_SECONDS)) sorter_quit(sorter);
  printf("%s, %s backend, %s, n = %zu pairs\n", options->version->name, device_backend(), device,
         n);
  fflush(stdout);

  const bool image_right = sort_and_judge(&session, &trial, &message);
  size_t largest = 0;
  const bool right = image_right && (options->image_only ||
                                     pass_battery(&session, seed_of(&trial), &largest, &message));
  if (right)
    print_pass(options, n, largest);
  else
    printf("FAIL: %s\n", message.text);
  if (image_right) save_mended(options->output, &image, &trial);

  trial_free(&trial);
  image_free(&image);
  image_free(&eye_template);
  return right;
}

// ---- the program --------------------------------------------------------------------------------

static bool judged;

// Exit code 1 means a wrong result. OpenMP's runtime ends a program with it, too, where the
// system has no thread for it.
static void check_code(int code, void *context) {
  (void)context;
  if (code != EXIT_WRONG_RESULT || judged) return;
  fflush(NULL);
  _exit(EXIT_DEVICE);
}

int main(int argument_count, char **arguments) {
  exit_guard_descriptors();
  on_exit(check_code, NULL);
  Sorter sorter;
  Description description;
  const double limit = 30.0;
  if (!sorter_start(&sorter, &description, limit)) sorter_quit(&sorter);
  const Options options = hw4_options(argument_count, arguments, &description.version);
  const bool right = run(&options, &sorter);
  if (fflush(stdout) != 0 || ferror(stdout))
    quit(EXIT_USAGE, "cannot write to standard output: %s", strerror(errno));
  judged = true;
  return right ? EXIT_RIGHT : EXIT_WRONG_RESULT;
}
