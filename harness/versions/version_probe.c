#include "harness/versions/version_probe.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOADING_MS = 20000 };  // far more than any version takes

static _Noreturn void load_in_child(const char *path, int loaded) {
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int i = 0; i < 3 && nowhere >= 0; i++) dup2(nowhere, i);
  setpgid(0, 0);
  (void)dlopen(path, RTLD_NOW | RTLD_LOCAL);
  // A byte, because an exit code could be the version's.
  _exit(write(loaded, "", 1) == 1 ? 0 : 1);
}

bool version_loads(const char *path, Message *message) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return message_fail(message, "no pipe: %s", strerror(errno));
  const pid_t child = fork();
  if (child == 0) load_in_child(path, ends[1]);
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return message_fail(message, "no process: %s", strerror(errno));
  }
  struct pollfd end = {.fd = ends[0], .events = POLLIN};
  int ready = 0;
  while ((ready = poll(&end, 1, LOADING_MS)) < 0 && errno == EINTR) continue;
  char byte = 0;
  const bool good = ready > 0 && read(ends[0], &byte, 1) == 1;
  close(ends[0]);
  if (ready == 0) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (good) return true;
  if (ready == 0)
    return message_fail(message, "%s takes more than %d s to load", path, LOADING_MS / 1000);
  if (WIFSIGNALED(status))
    return message_fail(message, "%s crashes while it is loaded: %s (signal %d)", path,
                        strsignal(WTERMSIG(status)), WTERMSIG(status));
  return message_fail(message, "%s ends the program while it is loaded, with exit code %d", path,
                      WEXITSTATUS(status));
}
