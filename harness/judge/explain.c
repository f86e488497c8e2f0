// Why a sorter failed.
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "common/check.h"
#include "harness/judge/process.h"

#ifdef __SANITIZE_ADDRESS__
#define NEXT_STEP "the lines above it may name the place"
#elif defined(CUDA_CPU)
#define NEXT_STEP "build it with SANITIZE=1, which names the line"
#else
#define NEXT_STEP "run it under compute-sanitizer, which names the line"
#endif

const char *process_name(const Sorter *sorter) {
  return sorter->name[0] != '\0' ? sorter->name : "the version";
}

// The line of a failed assert(), which says more than that the program was aborted; or NULL.
static const char *failed_assertion(const char *heard) {
  const char *at = strstr(heard, "crash: Aborted") != NULL ? strstr(heard, ": Assertion `") : NULL;
  while (at != NULL && at > heard && at[-1] != '\n') at--;
  return at;
}

const char *process_finding(const Sorter *sorter, int *length) {
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
  const char *const found = process_finding(sorter, &length);
  const char *const name = process_name(sorter);
  Message *const why = &sorter->failure;
  if (sorter->quiet && sorter->spoke) fputs(sorter->heard, stderr);
  why->text[0] = '\0';
  sorter->refused = !sorter->opened && sorter->spoke && status != -1 && WIFEXITED(status) &&
                    WEXITSTATUS(status) == EXIT_USAGE;
  if (sorter->refused) return;
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
