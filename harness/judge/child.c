// From the judge's forked child to the sorter.
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/judge/process.h"

extern char **environ;

// Root may write into any process, unless it lacks this capability. Without privileges the calls
// fail, and nothing is lost.
static void give_up_ptrace(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct sets[2] = {{0}};  // of capabilities 0 to 31 and 32 to 63
  const unsigned int ptrace = 1u << CAP_SYS_PTRACE;
  prctl(PR_CAPBSET_DROP, CAP_SYS_PTRACE, 0, 0, 0);
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_LOWER, CAP_SYS_PTRACE, 0, 0);
  if (syscall(SYS_capget, &header, sets) != 0) return;
  sets[0].effective &= ~ptrace;
  sets[0].permitted &= ~ptrace;
  sets[0].inheritable &= ~ptrace;
  (void)syscall(SYS_capset, &header, sets);
}

// Between fork and exec: only calls that are safe there. The descriptors are first moved out of the
// way of those that they replace.
void process_become_sorter(int image, int control, int memory, int words) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // if the judge is killed
  give_up_ptrace();
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
