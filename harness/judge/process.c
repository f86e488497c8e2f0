#include "harness/judge/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/check.h"
#include "harness/clock.h"
#include "harness/judge/descendants.h"

#ifdef __SANITIZE_ADDRESS__
#define NEXT_STEP "the lines above it may name the place"
#elif defined(CUDA_CPU)
#define NEXT_STEP "build it with SANITIZE=1, which names the line"
#else
#define NEXT_STEP "run it under compute-sanitizer, which names the line"
#endif

// ---- start --------------------------------------------------------------------------------------

static volatile sig_atomic_t running;  // process group to take along; 0: none

static void interrupt(int signal_number) {
  if (running > 0) kill(-(pid_t)running, SIGKILL);
  raise(signal_number);  // SA_RESETHAND: the default action now
}

static void prepare_once(void) {
  static bool prepared;
  if (prepared) return;
  prepared = true;
  // Processes that the version leaves behind become children of this one, so that they are found.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
#ifndef __SANITIZE_ADDRESS__  // LeakSanitizer attaches to its own process
  // The version must not write into this process through ptrace or /proc.
  prctl(PR_SET_DUMPABLE, 0);
#endif
  const struct sigaction action = {.sa_handler = interrupt,
                                   .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
  const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    sigaction(signals[i], &action, NULL);
}

void process_start(Sorter *sorter) {
  prepare_once();
  int control[2], words[2];
  const int image = sorter_program();
  *sorter = (Sorter){0};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) != 0 ||
      pipe2(words, O_CLOEXEC) != 0)
    quit(EXIT_DEVICE, "no pipe to the sort: %s", strerror(errno));
  fflush(NULL);
  sorter->process = fork();
  if (sorter->process < 0) quit(EXIT_DEVICE, "no process for the sort: %s", strerror(errno));
  if (sorter->process == 0) process_become_sorter(image, control[1], words[1]);
  setpgid(sorter->process, sorter->process);  // here too: whoever comes first
  running = sorter->process;
  close(control[1]);
  close(words[1]);
  sorter->control = control[0];
  sorter->words = words[0];
}

// The version's name, once it is known.
static const char *name_of(const Sorter *sorter) {
  return sorter->name[0] != '\0' ? sorter->name : "the version";
}

// ---- listening ----------------------------------------------------------------------------------

static void remember(Sorter *sorter, const char *text, size_t length) {
  const size_t room = sizeof sorter->heard - 1;
  if (length > room) {
    text += length - room;
    length = room;
  }
  if (sorter->heard_length + length > room) {
    const size_t drop = sorter->heard_length + length - room;
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
      if (length != (ssize_t)sizeof *answer) *answer = (Answer){0};  // no answer of the sorter's
      return 1;
    }
    if (length < 0 && (errno == EINTR || errno == EAGAIN)) return 0;
    return -1;
  }
  if (ends[1].revents != 0) (void)hear(sorter);
  return over ? -1 : 0;
}

static const char *summary(const Sorter *sorter, int *length);

// Stops a sorter that does not come back. The cpu backend then names the kernel that still runs.
static void explain_hang(Sorter *sorter, double limit, const char *doing) {
  enum { SECONDS_TO_EXPLAIN = 5 };
  kill(sorter->process, SIGQUIT);
  (void)process_finish(sorter, SECONDS_TO_EXPLAIN);
  int length = 0;
  const char *const found = summary(sorter, &length);
  message_fail(&sorter->failure,
               "%s was stopped after %g s %s: it did not come back. %.*s; --seed N shuffles the "
               "threads, --time-limit S waits longer",
               name_of(sorter), limit, doing, found != NULL ? length : INT_MAX,
               found != NULL ? found
                             : "Usual causes are a barrier that some threads of a block never "
                               "reach, and a loop that waits for another thread or block");
}

bool process_listen(Sorter *sorter, uint64_t secret, AnswerKind expected, double limit,
                    const char *doing, Answer *answer) {
  const double deadline = seconds_now() + limit;
  int got = 0;
  while (got == 0) {
    const double left = deadline - seconds_now();
    if (left <= 0.0) {
      explain_hang(sorter, limit, doing);
      return false;
    }
    got = listen_once(sorter, left, answer);
  }
  if (got > 0 && answer->secret == secret && answer->kind == expected) return true;
  const int status = process_finish(sorter, got > 0 ? 0.0 : 2.0);
  if (got > 0)
    return message_fail(&sorter->failure,
                        "%s answered out of turn %s: something in it writes to descriptor %d, "
                        "which is not its own",
                        name_of(sorter), doing, SORTER_CONTROL);
  process_explain(sorter, status, doing);
  return false;
}

// ---- end ----------------------------------------------------------------------------------------

int process_finish(Sorter *sorter, double limit) {
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
  while (waitpid(sorter->process, &status, 0) < 0 && errno == EINTR) continue;
  kill_descendants();
  while (hear(sorter)) continue;
  if (sorter->words >= 0) close(sorter->words);
  if (sorter->memory != NULL) shmdt(sorter->memory);
  sorter->memory = NULL;
  sorter->process = 0;
  return over ? status : -1;
}

// The line of a failed assert(), which says more than that the program was aborted; or NULL.
static const char *failed_assertion(const char *heard) {
  const char *at = strstr(heard, "crash: Aborted") != NULL ? strstr(heard, ": Assertion `") : NULL;
  while (at != NULL && at > heard && at[-1] != '\n') at--;
  return at;
}

// The line in which a sanitizer or cuda_cpu sums up, from the finding on; or NULL.
static const char *summary(const Sorter *sorter, int *length) {
  static const char *const marks[] = {
      "SUMMARY: ", "runtime error: ", "crash: ", "memcheck: ", "synccheck: "};
  const char *line = failed_assertion(sorter->heard);
  for (size_t i = 0; i < sizeof marks / sizeof *marks && line == NULL; i++)
    line = strstr(sorter->heard, marks[i]);
  if (line == NULL) return NULL;
  *length = (int)strcspn(line, "\n");
  return line;
}

void process_explain(Sorter *sorter, int status, const char *doing) {
  int length = 0;
  const char *const found = summary(sorter, &length);
  const char *const name = name_of(sorter);
  Message *const why = &sorter->failure;
  if (sorter->quiet && sorter->spoke) fputs(sorter->heard, stderr);
  why->text[0] = '\0';
  if (status == -1)
    message_fail(why, "%s closed its connection to the judge %s, and went on", name, doing);
  else if (found != NULL)
    message_fail(why, "%s was stopped %s: %.*s", name, doing, length > 500 ? 500 : length, found);
  else if (WIFSIGNALED(status))
    message_fail(why, "%s crashed %s: %s (signal %d); %s", name, doing, strsignal(WTERMSIG(status)),
                 WTERMSIG(status), NEXT_STEP);
  else if (WEXITSTATUS(status) != EXIT_DEVICE || !sorter->spoke)
    message_fail(why,
                 "%s ended its process with exit code %d %s: a sort must return, and what it did "
                 "not hand back does not count",
                 name, WEXITSTATUS(status), doing);
}
