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
const char *process_finding(const Sorter *sorter, int *length) {
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

void process_explain(Sorter *sorter, int status, const char *doing) {
  int length = 0, more_length = 0;
  const char *const found = process_finding(sorter, &length);
  const char *const more = failed_launch(sorter->heard, found, length, &more_length);
  const char *const name = process_name(sorter);
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
