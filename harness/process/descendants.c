#include "harness/process/descendants.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t earlier[64];  // children that were there before
static int earlier_count;

static bool is_earlier(pid_t child) {
  for (int i = 0; i < earlier_count; i++)
    if (earlier[i] == child) return true;
  return false;
}

// A process whose parent is this one, but no earlier one, read from /proc; 0 if there is none.
static pid_t any_child(void) {
  DIR *const processes = opendir("/proc");
  pid_t found = 0;
  for (const struct dirent *entry; processes != NULL && (entry = readdir(processes)) != NULL;) {
    const long id = strtol(entry->d_name, NULL, 10);
    char path[64], line[512] = "";
    if (id <= 0) continue;
    snprintf(path, sizeof path, "/proc/%ld/stat", id);
    FILE *const file = fopen(path, "re");
    if (file == NULL) continue;
    const char *const name_end = fgets(line, sizeof line, file) != NULL ? strrchr(line, ')') : NULL;
    fclose(file);
    // After the name: the state, a letter, then the parent.
    if (name_end == NULL || strlen(name_end) < 4) continue;
    if (strtol(name_end + 3, NULL, 10) == (long)getpid() && !is_earlier((pid_t)id)) {
      found = (pid_t)id;
      break;
    }
  }
  if (processes != NULL) closedir(processes);
  return found;
}

void descendants_begin(void) {
  static bool begun;
  if (begun) return;
  begun = true;
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  while (earlier_count < (int)(sizeof earlier / sizeof *earlier)) {
    const pid_t child = any_child();
    if (child == 0) return;
    earlier[earlier_count++] = child;
  }
}

void kill_descendants(void) {
  enum { ENOUGH = 1000 };
  for (int i = 0; i < ENOUGH; i++) {
    const pid_t child = any_child();
    if (child == 0) return;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
  }
}
