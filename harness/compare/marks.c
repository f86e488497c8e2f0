#include "harness/compare/marks.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/check.h"
#include "harness/clock.h"

// One record: the first of a run has no claim.
typedef struct Mark {
  unsigned char secret[SECRET_BYTES];
  double claimed;  // milliseconds; BEGINS: the run begins
} Mark;

static const double BEGINS = -1.0;

// ---- the worker's side --------------------------------------------------------------------------

// Waits without sleeping for a while, so that the run after it starts on a core that is awake.
static char answer_to(const MarkSender *sender, double claimed) {
  // A version may have forked, and its child comes back from the sort like the worker.
  if (getpid() != sender->process) _exit(EXIT_DEVICE);
  Mark mark = {.claimed = claimed};
  memcpy(mark.secret, sender->secret, sizeof mark.secret);
  if (send(sender->socket, &mark, sizeof mark, MSG_NOSIGNAL) != (ssize_t)sizeof mark)
    _exit(EXIT_DEVICE);
  const double begin = seconds_now(), awake = 0.002;
  for (char answer = 0;;) {
    const int flags = seconds_now() - begin < awake ? MSG_DONTWAIT : 0;
    const ssize_t length = recv(sender->socket, &answer, 1, flags);
    if (length == 1) return answer;
    if (length == 0 || (errno != EAGAIN && errno != EINTR)) _exit(EXIT_DEVICE);
    sched_yield();
  }
}

static void begin(void *context) { (void)answer_to(context, BEGINS); }

// A claim is never taken for BEGINS.
static bool end(void *context, double claimed) {
  return answer_to(context, claimed >= 0.0 ? claimed : 0.0) != 0;
}

Witness marks_witness(MarkSender *sender) {
  return (Witness){.begin = begin, .end = end, .context = sender};
}

// ---- the supervisor's side ----------------------------------------------------------------------

bool marks_open(int ends[2]) {
  return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0 &&
         fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
}

int marks_take(int socket, const unsigned char secret[SECRET_BYTES], double *claimed) {
  Mark mark;
  const ssize_t length = recv(socket, &mark, sizeof mark, MSG_TRUNC);
  if (length < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  if (length <= 0) return 0;  // its end is closed: the pipe of the reports shows that too
  if (length != (ssize_t)sizeof mark || memcmp(mark.secret, secret, sizeof mark.secret) != 0)
    return -1;
  *claimed = mark.claimed;
  return 1;
}

static void reply(int socket, bool believed) {
  const char answer = believed;
  (void)send(socket, &answer, 1, MSG_NOSIGNAL);  // a worker that has ended needs none
}

void marks_follow(Watch *watch, int socket, double claimed, double now, double row_n) {
  const double most_overhead = 1.0;
  if (claimed == BEGINS) {
    watch->running = true;
    watch->begun = seconds_now();
    reply(socket, true);
    return;
  }
  const double waited = watch->running ? (now - watch->begun) * 1e3 : 0.0;
  bool believed = watch->running;
  watch->running = false;
  if (row_n < 0.0) {
    if (watch->overhead == 0.0 || waited < watch->overhead) watch->overhead = waited;
    if (watch->overhead > most_overhead) watch->overhead = most_overhead;
  } else {
    // Events may show no time where nothing is sorted.
    believed = believed && (row_n < 2.0 || witness_believes(claimed, waited, watch->overhead));
    if (believed && (watch->believed == 0 || claimed < watch->least)) watch->least = claimed;
    watch->believed += believed;
    if (!believed) {
      watch->claimed = claimed;
      watch->waited = waited;
    }
  }
  reply(socket, believed);
}

void marks_new_row(Watch *watch) { *watch = (Watch){.overhead = watch->overhead}; }

bool marks_agree(const Watch *watch, const Measurement *measured, char *text, size_t size) {
  const bool agree = !measured->contradicted && watch->believed >= measured->repetitions &&
                     measured->repetitions > 0 && measured->min_ms >= watch->least;
  if (!agree)
    snprintf(text, size,
             "FAIL: the time cannot be true: a run says that it took %.4f ms, and took %.4f ms by "
             "the clock of another process",
             watch->claimed, watch->waited);
  return agree;
}
