#include "harness/judge/process.h"

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
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/check.h"
#include "harness/measure/clock.h"
#include "harness/process/descendants.h"
#include "harness/process/message.h"

// ---- start --------------------------------------------------------------------------------------

static volatile sig_atomic_t running;  // process group to take along; 0: none

static void interrupt(int signal_number) {
  if (running > 0) kill(-(pid_t)running, SIGKILL);
  raise(signal_number);  // SA_RESETHAND: the default action now
}

static volatile sig_atomic_t continued;  // times that this process was stopped and continued

static void count_continue(int signal_number) {
  (void)signal_number;
  continued++;
}

unsigned int process_stops(void) { return (unsigned int)continued; }

static void prepare_once(void) {
  static bool prepared;
  if (prepared) return;
  prepared = true;
  descendants_begin();
#ifndef __SANITIZE_ADDRESS__  // LeakSanitizer attaches to its own process
  // The version must not write into this process through ptrace or /proc.
  prctl(PR_SET_DUMPABLE, 0);
#endif
  const struct sigaction action = {.sa_handler = interrupt,
                                   .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
  const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    sigaction(signals[i], &action, NULL);
  // Runs before any other instruction of a process that was stopped.
  const struct sigaction noting = {.sa_handler = count_continue, .sa_flags = SA_RESTART};
  sigaction(SIGCONT, &noting, NULL);
}

void process_start(Sorter *sorter) {
  prepare_once();
  int control[2], words[2];
  const int image = sorter_program();
  *sorter = (Sorter){0};
  // Memory that ends with the last process that has it, whatever ends them.
  sorter->memory_file = memfd_create("arrays", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (sorter->memory_file < 0 ||
      socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) != 0 ||
      pipe2(words, O_CLOEXEC) != 0)
    quit(EXIT_DEVICE, "no pipe to the sort: %s", strerror(errno));
  fflush(NULL);
  sorter->process = fork();
  if (sorter->process < 0) quit(EXIT_DEVICE, "no process for the sort: %s", strerror(errno));
  if (sorter->process == 0) process_become_sorter(image, control[1], sorter->memory_file, words[1]);
  setpgid(sorter->process, sorter->process);  // here too: whoever comes first
  running = sorter->process;
  close(control[1]);
  close(words[1]);
  sorter->control = control[0];
  sorter->words = words[0];
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

// Makes control characters harmless: one could hide the verdict on a terminal. U+0080 to U+009F may
// come as two pieces.
static void make_printable(Sorter *sorter, char *text, size_t length) {
  const unsigned char first = (unsigned char)text[0], last = (unsigned char)text[length - 1];
  if (sorter->last_byte == 0xc2 && first >= 0x80 && first < 0xa0) text[0] = '?';
  printable_text(text, length);
  sorter->last_byte = last;
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
  make_printable(sorter, text, (size_t)length);
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

// Stops a sorter that does not come back. The cpu backend then names the kernel that still runs.
static void explain_hang(Sorter *sorter, double seconds, const char *doing) {
  enum { SECONDS_TO_EXPLAIN = 5 };
  sorter->hung = true;
  kill(sorter->process, SIGQUIT);
  (void)process_finish(sorter, SECONDS_TO_EXPLAIN);
  int length = 0;
  const char *const found = process_finding(sorter, &length);
  message_fail(&sorter->failure,
               "%s was stopped after %.3g s %s: it did not come back. %.*s; --seed N shuffles the "
               "threads, --time-limit S waits longer",
               process_name(sorter), seconds, doing, found != NULL ? length : INT_MAX,
               found != NULL ? found
                             : "Usual causes are a barrier that some threads of a block never "
                               "reach, a loop that waits for another thread or block, and more "
                               "work than fits into that time");
}

double process_cpu_seconds(const Sorter *sorter) {
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
  const double cpu = sorter->patient && cpu_start >= 0.0 ? process_cpu_seconds(sorter) : -1.0;
  return cpu < 0.0 ? passed : fmax(fmin(passed, cpu - cpu_start), 0.25 * passed);
}

bool process_listen(Sorter *sorter, uint64_t secret, AnswerKind expected, double limit,
                    const char *doing, Answer *answer) {
  const double start = seconds_now(), cpu_start = process_cpu_seconds(sorter);
  int got = 0;
  while (got == 0) {
    const double left = limit - seconds_used(sorter, start, cpu_start);
    if (left <= 0.0) {
      explain_hang(sorter, seconds_now() - start, doing);
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
                        process_name(sorter), doing, SORTER_CONTROL);
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
  if (sorter->memory != NULL) munmap(sorter->memory, sorter->memory_bytes);
  sorter->memory = NULL;
  close(sorter->memory_file);
  sorter->process = 0;
  return over ? status : -1;
}
