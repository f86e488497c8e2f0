#include "harness/compare/marks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "common/check.h"

// One record: the first of a run has no claim.
typedef struct Mark {
  unsigned char secret[SECRET_BYTES];
  double claimed;  // milliseconds; BEGINS: the run begins
} Mark;

static const double BEGINS = -1.0;

// ---- the worker's side --------------------------------------------------------------------------

static void send_mark(const MarkSender *sender, double claimed) {
  // A version may have forked, and its child comes back from the sort like the worker.
  if (getpid() != sender->process) _exit(EXIT_DEVICE);
  Mark mark = {.claimed = claimed};
  memcpy(mark.secret, sender->secret, sizeof mark.secret);
  if (send(sender->socket, &mark, sizeof mark, MSG_NOSIGNAL) != (ssize_t)sizeof mark)
    _exit(EXIT_DEVICE);
}

static void begin(void *context) { send_mark(context, BEGINS); }

// A claim is never taken for BEGINS.
static void end(void *context, double claimed) {
  send_mark(context, claimed >= 0.0 ? claimed : 0.0);
}

static bool believes(void *context) {
  const MarkSender *const sender = context;
  char answer = 0;
  ssize_t length;
  do length = recv(sender->socket, &answer, 1, 0);
  while (length < 0 && errno == EINTR);
  if (length != 1) _exit(EXIT_DEVICE);
  return answer != 0;
}

Witness marks_witness(MarkSender *sender) {
  return (Witness){.begin = begin, .end = end, .believes = believes, .context = sender};
}

// ---- the supervisor's side ----------------------------------------------------------------------

bool marks_open(int ends[2]) {
  const int on = 1;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return false;
  (void)setsockopt(ends[0], SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
  return fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
}

// Seconds at which the kernel took the message from its sender. Where it does not stamp messages
// (gVisor), the time at which they are read.
static double stamp_of(struct msghdr *message) {
  struct timespec t;
  for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part != NULL;
       part = CMSG_NXTHDR(message, part))
    if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_TIMESTAMPNS) {
      memcpy(&t, CMSG_DATA(part), sizeof t);
      return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    }
  (void)clock_gettime(CLOCK_REALTIME, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int marks_take(int socket, const unsigned char secret[SECRET_BYTES], double *claimed,
               double *sent) {
  Mark mark;
  char control[CMSG_SPACE(sizeof(struct timespec))];
  struct iovec place = {.iov_base = &mark, .iov_len = sizeof mark};
  struct msghdr message = {
      .msg_iov = &place, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  const ssize_t length = recvmsg(socket, &message, MSG_TRUNC);
  if (length <= 0) return 0;  // if its end is closed, the pipe of the reports shows that too
  *sent = stamp_of(&message);
  if (length != (ssize_t)sizeof mark || memcmp(mark.secret, secret, sizeof mark.secret) != 0)
    return -1;
  *claimed = mark.claimed;
  return 1;
}

static void reply(int socket, bool believed) {
  const char answer = believed;
  (void)send(socket, &answer, 1, MSG_NOSIGNAL);  // a worker that has ended needs none
}

void marks_follow(Watch *watch, int socket, double claimed, double sent, double row_n) {
  const double most_overhead = 1.0;
  if (claimed == BEGINS) {
    watch->running = true;
    watch->begun = sent;
    return;
  }
  const double waited = watch->running ? (sent - watch->begun) * 1e3 : 0.0;
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
             "the operating system's clock",
             watch->claimed, watch->waited);
  return agree;
}
