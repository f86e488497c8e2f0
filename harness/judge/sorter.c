#include "harness/judge/sorter.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/check.h"
#include "harness/measure/clock.h"

// ---- start of the process -----------------------------------------------------------------------

static volatile sig_atomic_t running;  // process group to take along; 0: none

static void interrupt(int signal_number) {
  if (running > 0) kill(-(pid_t)running, SIGKILL);
  raise(signal_number);  // SA_RESETHAND: the default action now
}

static void prepare_for_signals(void) {
  const struct sigaction action = {.sa_handler = interrupt,
                                   .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
  const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    sigaction(signals[i], &action, NULL);
}

// Between fork and exec: only calls that are safe there. The descriptors are first moved out of the
// way of those that they replace.
__attribute__((noreturn)) static void become_sorter(int image, int control, int memory, int words) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // if the judge is killed
  const int nothing = open("/dev/null", O_RDONLY);
  const int high = 20, moved[] = {fcntl(nothing, F_DUPFD, high), fcntl(words, F_DUPFD, high),
                                  fcntl(control, F_DUPFD, high), fcntl(memory, F_DUPFD, high)};
  const int program = fcntl(image, F_DUPFD_CLOEXEC, high);
  dup2(moved[0], STDIN_FILENO);
  dup2(moved[1], STDOUT_FILENO);
  dup2(moved[1], STDERR_FILENO);
  dup2(moved[2], SORTER_CONTROL);
  dup2(moved[3], SORTER_MEMORY);
  for (int i = SORTER_MEMORY + 1; i < 64; i++)
    if (i != program) close(i);
  char *const arguments[] = {program_invocation_name, NULL};
  fexecve(program, arguments, environ);
  _exit(126);
}

// Starts the sorter in a new process group, with nothing on stdin and with stdout and stderr
// led to the judge. Ends the program with exit code 3 if the system has no process to give.
static void process_start(Sorter *sorter) {
  prepare_for_signals();
  int control[2], words[2];
  const int image = sorter_program();
  *sorter = (Sorter){0};
  // Memory that ends with the last process that has it, whatever ends them.
  sorter->memory_file = memfd_create("arrays", MFD_CLOEXEC);
  if (sorter->memory_file < 0 ||
      socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) != 0 ||
      pipe2(words, O_CLOEXEC) != 0)
    quit(EXIT_DEVICE, "no pipe to the sort: %s", strerror(errno));
  fflush(NULL);
  sorter->process = fork();
  if (sorter->process < 0) quit(EXIT_DEVICE, "no process for the sort: %s", strerror(errno));
  if (sorter->process == 0) become_sorter(image, control[1], sorter->memory_file, words[1]);
  setpgid(sorter->process, sorter->process);  // here too: whoever comes first
  running = sorter->process;
  close(control[1]);
  close(words[1]);
  sorter->control = control[0];
  sorter->words = words[0];
}

// ---- listening ----------------------------------------------------------------------------------

static void remember(Sorter *sorter, const char *text, size_t length) {
  const size_t capacity = sizeof sorter->heard - 1;
  if (length > capacity) {
    text += length - capacity;
    length = capacity;
  }
  if (sorter->heard_length + length > capacity) {
    const size_t drop = sorter->heard_length + length - capacity;
    memmove(sorter->heard, sorter->heard + drop, sorter->heard_length - drop);
    sorter->heard_length -= drop;
  }
  memcpy(sorter->heard + sorter->heard_length, text, length);
  sorter->heard_length += length;
  sorter->heard[sorter->heard_length] = '\0';
}

// Passes on what the sorter has printed: to stderr, so that no line of it can be taken for the
// verdict. Returns false if there is no more for now.
static bool hear(Sorter *sorter) {
  char text[4096];
  struct pollfd end = {sorter->words, POLLIN, 0};
  if (sorter->words < 0 || poll(&end, 1, 0) <= 0) return false;
  const ssize_t length = read(sorter->words, text, sizeof text);
  if (length < 0 && errno == EINTR) return true;
  if (length <= 0) {
    close(sorter->words);
    sorter->words = -1;
    return false;
  }
  printable_text(text, (size_t)length);  // a control character could hide the verdict
  if (!sorter->quiet) fwrite(text, 1, (size_t)length, stderr);
  sorter->spoke = true;
  remember(sorter, text, (size_t)length);
  return true;
}

static bool ended(const Sorter *sorter) {
  siginfo_t info = {0};
  return waitid(P_PID, (id_t)sorter->process, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid != 0;
}

// Waits once: 1 with an answer, 0 without, -1 if no answer can come.
static int listen_once(Sorter *sorter, double left, Answer *answer) {
  const bool over = ended(sorter);  // first: answers that came before are still read
  struct pollfd ends[2] = {{sorter->control, POLLIN, 0}, {sorter->words, POLLIN, 0}};
  const int wait_ms = over ? 0 : left < 0.02 ? 1 : 20;
  if (poll(ends, 2, wait_ms) < 0) return 0;
  if (ends[0].revents != 0) {
    const ssize_t length = recv(sorter->control, answer, sizeof *answer, MSG_DONTWAIT);
    if (length > 0) {
      if (length != (ssize_t)sizeof *answer) answer->kind = ANSWER_NONE;
      return 1;
    }
    if (length < 0 && (errno == EINTR || errno == EAGAIN)) return 0;
    return -1;
  }
  if (ends[1].revents != 0) (void)hear(sorter);
  return over ? -1 : 0;
}

// Waits for the process to end by itself, at most `limit` seconds, then kills its group. Returns
// its status as waitpid() writes it, or -1 if it was still running.
static int process_finish(Sorter *sorter, double limit) {
  if (sorter->process == 0) return -1;
  const double deadline = seconds_now() + limit;
  if (sorter->control >= 0) close(sorter->control);
  sorter->control = -1;
  bool over;
  while (!(over = ended(sorter)) && seconds_now() < deadline) {
    struct pollfd words = {sorter->words, POLLIN, 0};
    if (poll(&words, 1, 1) > 0) (void)hear(sorter);
  }
  kill(-sorter->process, SIGKILL);
  running = 0;
  int status = 0;
  struct rusage used = {0};
  while (wait4(sorter->process, &status, 0, &used) < 0 && errno == EINTR) continue;
  const long microseconds = used.ru_utime.tv_usec + used.ru_stime.tv_usec;
  sorter->used_seconds =
      (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec + (microseconds + 999999) / 1000000);
  while (hear(sorter)) continue;
  if (sorter->words >= 0) close(sorter->words);
  if (sorter->memory != NULL) munmap(sorter->memory, sorter->memory_bytes);
  sorter->memory = NULL;
  close(sorter->memory_file);
  sorter->process = 0;
  return over ? status : -1;
}

// ---- why it failed ------------------------------------------------------------------------------

#ifdef __SANITIZE_ADDRESS__
#define NEXT_STEP "the lines above it may name the place"
#elif defined(CUDA_CPU)
#define NEXT_STEP "build it with SANITIZE=1, which names the line"
#else
#define NEXT_STEP "run it under compute-sanitizer, which names the line"
#endif

static const char *name_of(const Sorter *sorter) {
  return sorter->name[0] != '\0' ? sorter->name : "the version";
}

// The line of a failed assert(), which says more than that the program was aborted; or NULL.
static const char *failed_assertion(const char *heard) {
  const char *at = strstr(heard, "crash: Aborted") != NULL ? strstr(heard, ": Assertion `") : NULL;
  while (at != NULL && at > heard && at[-1] != '\n') at--;
  return at;
}

// The clause about a failed launch in the line of a crash, with its length, if it is not in the
// line that is reported: "; before, the launch of kernel k ... failed".
static const char *failed_launch(const char *heard, const char *line, int length, int *found) {
  const char *const at = line != NULL ? strstr(heard, "; before, the launch of ") : NULL;
  *found = 0;
  if (at == NULL || (at >= line && at < line + length)) return "";
  *found = (int)strcspn(at + 1, ";\n") + 1;
  return at;
}

// The first place of `mark` in the text, or the first one at which a line begins; or NULL.
static const char *find_mark(const char *heard, const char *mark, bool at_line_start) {
  const char *at = strstr(heard, mark);
  while (at_line_start && at != NULL && at > heard && at[-1] != '\n') at = strstr(at + 1, mark);
  return at;
}

// A finding may hold another mark ("on a GPU it would crash: copy with ..."), and what a version
// printed may stand before it in its line: so the beginnings of lines first. A runtime error
// follows its file and line.
const char *sorter_finding(const Sorter *sorter, int *length) {
  enum { RUNTIME_ERROR = 1 };
  static const char *const marks[] = {
      "SUMMARY: ", [RUNTIME_ERROR] = "runtime error: ", "crash: ", "memcheck: ", "synccheck: "};
  const size_t count = sizeof marks / sizeof *marks;
  const char *line = failed_assertion(sorter->heard);
  for (size_t i = 0; i < 2 * count && line == NULL; i++)
    line = find_mark(sorter->heard, marks[i % count], i < count && i != RUNTIME_ERROR);
  if (line == NULL) return NULL;
  *length = (int)strcspn(line, "\n");
  if (*length > 0 && line[*length - 1] == '.') (*length)--;
  return line;
}

static const char written[] = "memcheck: an array of ";                       // beyond its end
static const char released[] = "memcheck: cudaMemcpy is given an array of ";  // by the sort

// Is the array that memcheck found written, or released, one that the sorter allocated for the
// sort? It is reported where the sorter frees or copies it, which helps nobody.
static bool is_of_sorter(const char *line, int length, const char *what) {
  const char *const at = line == NULL ? NULL : strstr(line, "harness/judge/sorter_main.c:");
  return at != NULL && at < line + length && strncmp(line, what, strlen(what)) == 0;
}

enum { FINDING = 500 };

// In one line: the finding and the indented lines below it, which name places.
static void take_finding(const char *line, int length, char text[FINDING]) {
  snprintf(text, FINDING, "%.*s", length, line);
  const char *next = line + strcspn(line, "\n"), *separator = ": ";
  while (strncmp(next, "\n  ", 3) == 0) {
    next += 3;
    const size_t used = strlen(text), part = strcspn(next, "\n");
    snprintf(text + used, FINDING - used, "%s%.*s", separator, (int)part, next);
    separator = "; ";
    next += part;
  }
}

// The user's limit of CPU time says nothing about the sort.
static void quit_at_cpu_limit(const Sorter *sorter, int status, const char *doing) {
  struct rlimit limit;
  const bool killed = status != -1 && WIFSIGNALED(status) &&
                      (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL);
  if (killed && getrlimit(RLIMIT_CPU, &limit) == 0 && sorter->used_seconds >= limit.rlim_cur)
    quit(EXIT_DEVICE, "%s was stopped %s: the limit of CPU time, %ju s, is reached (ulimit -t)",
         name_of(sorter), doing, (uintmax_t)limit.rlim_cur);
}

// Writes sorter->failure from what process_finish() returned.
static void process_explain(Sorter *sorter, int status, const char *doing) {
  quit_at_cpu_limit(sorter, status, doing);
  int length = 0, more_length = 0;
  const char *const found = sorter_finding(sorter, &length);
  const char *const more = failed_launch(sorter->heard, found, length, &more_length);
  const char *const name = name_of(sorter);
  char text[FINDING];
  if (found != NULL) take_finding(found, length, text);
  Message *const why = &sorter->failure;
  if (sorter->quiet && sorter->spoke && !sorter->mute) fputs(sorter->heard, stderr);
  why->text[0] = '\0';
  sorter->refused = !sorter->opened && sorter->spoke && status != -1 && WIFEXITED(status) &&
                    WEXITSTATUS(status) == EXIT_USAGE;
  if (sorter->refused) return;
  if (status == -1)
    message_fail(why, "%s closed its connection to the judge %s, and went on", name, doing);
  else if (is_of_sorter(found, length, released))
    message_fail(why,
                 "%s was stopped %s: memcheck: the sort released one of its four arrays, which are "
                 "its caller's: by cudaFree() or cudaDeviceReset()",
                 name, doing);
  else if (is_of_sorter(found, length, written))
    message_fail(why,
                 "%s was stopped %s: memcheck: one of the sort's four arrays, or a guard of 4096 "
                 "elements around it, was written beyond its end",
                 name, doing);
  else if (found != NULL)
    message_fail(why, "%s was stopped %s: %s%.*s", name, doing, text, more_length, more);
  else if (WIFSIGNALED(status))
    message_fail(why, "%s crashed %s: %s (signal %d); %s", name, doing, strsignal(WTERMSIG(status)),
                 WTERMSIG(status), NEXT_STEP);
  else if (WEXITSTATUS(status) != EXIT_DEVICE || !sorter->spoke)
    message_fail(why,
                 "%s ended its process with exit code %d %s: a sort must return, and what it did "
                 "not hand back does not count",
                 name, WEXITSTATUS(status), doing);
}

// ---- waiting for an answer ----------------------------------------------------------------------

// Stops a sorter that does not come back. The cpu backend then names the kernel that still runs.
static void explain_hang(Sorter *sorter, double seconds, const char *doing) {
  enum { SECONDS_TO_EXPLAIN = 5 };
  sorter->hung = true;
  kill(sorter->process, SIGQUIT);
  (void)process_finish(sorter, SECONDS_TO_EXPLAIN);
  int length = 0;
  const char *const found = sorter_finding(sorter, &length);
  message_fail(&sorter->failure,
               "%s was stopped after %.3g s %s: it did not come back. %.*s; --seed N shuffles the "
               "threads, --time-limit S waits longer",
               name_of(sorter), seconds, doing, found != NULL ? length : INT_MAX,
               found != NULL ? found
                             : "Usual causes are a barrier that some threads of a block never "
                               "reach, a loop that waits for another thread or block, and more "
                               "work than fits into that time");
}

double sorter_cpu_seconds(const Sorter *sorter) {
  clockid_t clock;
  struct timespec t;
  if (sorter->process == 0 || clock_getcpuclockid(sorter->process, &clock) != 0 ||
      clock_gettime(clock, &t) != 0)
    return -1.0;
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Seconds that count towards a limit since `start` and `cpu_start`, the CPU seconds then.
static double seconds_used(const Sorter *sorter, double start, double cpu_start) {
  const double passed = seconds_now() - start;
  const double cpu = sorter->patient && cpu_start >= 0.0 ? sorter_cpu_seconds(sorter) : -1.0;
  return cpu < 0.0 ? passed : fmax(fmin(passed, cpu - cpu_start), 0.25 * passed);
}

// Waits for the next answer and passes on what the sorter prints meanwhile. False, with
// sorter->failure set and the process gone, if it ended, took longer than `limit` seconds, or
// answered out of turn. `doing` completes the sentence: "at n = 1000".
static bool process_listen(Sorter *sorter, AnswerKind expected, double limit, const char *doing,
                           Answer *answer) {
  const double start = seconds_now(), cpu_start = sorter_cpu_seconds(sorter);
  int got = 0;
  while (got == 0) {
    const double left = limit - seconds_used(sorter, start, cpu_start);
    if (left <= 0.0) {
      explain_hang(sorter, seconds_now() - start, doing);
      return false;
    }
    got = listen_once(sorter, left, answer);
  }
  if (got > 0 && answer->kind == expected) return true;
  const int status = process_finish(sorter, got > 0 ? 0.0 : 2.0);
  if (got > 0)
    return message_fail(&sorter->failure,
                        "%s answered out of turn %s: something in it writes to descriptor %d, "
                        "the connection to the judge",
                        name_of(sorter), doing, SORTER_CONTROL);
  process_explain(sorter, status, doing);
  return false;
}

// ---- questions ----------------------------------------------------------------------------------

// If the sorter has ended, waiting for the answer reports it.
static void ask(Sorter *sorter, const Command *command) {
  sorter->spoke = false;
  (void)send(sorter->control, command, sizeof *command, MSG_NOSIGNAL);
}

static void point_at_texts(Description *d) {
  // Whatever the sorter has sent.
  d->stages[MAX_STAGES] = d->knobs[MAX_KNOBS].name = NULL;
  for (int i = 0; i < MAX_STAGES && d->stages[i] != NULL; i++) d->stages[i] = d->stage[i];
  for (int i = 0; i < MAX_KNOBS && d->knobs[i].name != NULL; i++) {
    d->knobs[i].name = d->knob[i].name;
    d->knobs[i].meaning = d->knob[i].meaning;
  }
  d->version.name = d->name;
  d->version.title = d->title;
  d->version.source = d->source;
  d->version.stages = d->stages;
  d->version.knobs = d->knobs;
}

bool sorter_start(Sorter *sorter, Description *description, double limit) {
  process_start(sorter);
  const Command command = {.kind = COMMAND_DESCRIBE};
  ask(sorter, &command);
  Answer answer;
  if (!process_listen(sorter, ANSWER_DESCRIPTION, limit, "before main()", &answer)) return false;
  *description = answer.description;
  point_at_texts(description);
  snprintf(sorter->name, sizeof sorter->name, "%.63s", description->name);
  return true;
}

// ---- opening ------------------------------------------------------------------------------------

static void share_memory(Sorter *sorter, size_t elements) {
  const size_t bytes = TRIAL_ARRAYS * (elements == 0 ? 1 : elements) * sizeof(uint32_t);
  const int file = sorter->memory_file;
  void *memory = MAP_FAILED;
  if (ftruncate(file, (off_t)bytes) == 0)
    memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED)
    quit(EXIT_DEVICE, "no memory to share with the sort: %s", strerror(errno));
  sorter->memory = memory;
  sorter->memory_bytes = bytes;
}

void sorter_open(Sorter *sorter, const int *knobs, size_t max_elements) {
  share_memory(sorter, max_elements);
  Command command = {.kind = COMMAND_OPEN, .memory_bytes = sorter->memory_bytes};
  memcpy(command.knobs, knobs, sizeof command.knobs);
  const char *const order = getenv("CUDA_CPU_RACECHECK");
  snprintf(command.thread_order, sizeof command.thread_order, "%s", order != NULL ? order : "");
  ask(sorter, &command);
}

bool sorter_opened(Sorter *sorter, char device[256], double limit) {
  Answer answer;
  if (!process_listen(sorter, ANSWER_OPEN, limit, "while it took the device", &answer))
    return false;
  snprintf(device, 256, "%.255s", answer.device);
  sorter->opened = true;
  return true;
}

// ---- sorting ------------------------------------------------------------------------------------

static bool collect(Sorter *sorter, double limit, const char *doing, SortTimes *times) {
  Answer answer;
  if (!process_listen(sorter, ANSWER_READY, limit, doing, &answer)) return false;
  const double start = seconds_now();
  if (!process_listen(sorter, ANSWER_DONE, limit, doing, &answer)) return false;
  times->waited = (seconds_now() - start) * 1e3;
  times->milliseconds = answer.milliseconds;
  if (!process_listen(sorter, ANSWER_SORTED, limit, doing, &answer)) return false;
  times->stages = answer.sorted.stages;
  memcpy(times->stage_ms, answer.sorted.stage_ms, sizeof times->stage_ms);
  times->scratch_kept = answer.sorted.scratch_kept;
  times->blocks = answer.sorted.blocks;
  return true;
}

bool sorter_sort(Sorter *sorter, Trial *trial, bool poison_memory, double limit, SortTimes *times) {
  if (sorter->process == 0) return false;
  const size_t elements = trial->n + 2 * trial->guard;
  if (TRIAL_ARRAYS * elements * sizeof(uint32_t) > sorter->memory_bytes)
    quit(EXIT_DEVICE, "a sort of %zu elements is more than was asked for", trial->n);
  for (TrialArray array = 0; array < TRIAL_ARRAYS; array++)
    trial_fill(trial, array, sorter->memory + array * elements);
  const Command command = {
      .kind = COMMAND_SORT,
      .n = trial->n,
      .guard = trial->guard,
      .poison_memory = poison_memory || trial->zero_memory,
      .poison = trial->zero_memory ? 0 : (unsigned char)(mix64(trial->seed) | 1)};
  char doing[64];
  snprintf(doing, sizeof doing, "at n = %zu", trial->n);
  ask(sorter, &command);
  *times = (SortTimes){0};
  if (!collect(sorter, limit, doing, times)) return false;
  for (TrialArray array = 0; array < TRIAL_ARRAYS; array++)
    trial_take(trial, array, sorter->memory + array * elements);
  return true;
}

bool sorter_ping(Sorter *sorter, double *milliseconds) {
  const Command command = {.kind = COMMAND_PING};
  Answer answer;
  const double start = seconds_now(), limit = 10.0;
  ask(sorter, &command);
  if (!process_listen(sorter, ANSWER_PING, limit, "between two sorts", &answer)) return false;
  *milliseconds = (seconds_now() - start) * 1e3;
  return true;
}

// ---- the end ------------------------------------------------------------------------------------

bool sorter_end(Sorter *sorter, double limit) {
  if (sorter->process == 0) return sorter->failure.text[0] == '\0';
  const int status = process_finish(sorter, limit);
  if (status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_RIGHT) return true;
  process_explain(sorter, status, "after its last sort");
  if (status == -1)
    message_fail(&sorter->failure, "%s did not end within %g s after its last sort", sorter->name,
                 limit);
  return false;
}

void sorter_quit(const Sorter *sorter) {
  if (sorter->failure.text[0] != '\0') quit(EXIT_DEVICE, "%s", sorter->failure.text);
  fflush(stdout);
  exit(sorter->refused ? EXIT_USAGE : EXIT_DEVICE);
}
