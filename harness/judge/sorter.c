#include "harness/judge/sorter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/check.h"
#include "harness/measure/clock.h"
#include "harness/judge/process.h"
#include "harness/process/message.h"

// If the sorter has ended, waiting for the answer reports it.
static void ask(Sorter *sorter, const Command *command) {
  sorter->spoke = false;
  (void)send(sorter->control, command, sizeof *command, MSG_NOSIGNAL);
}

bool sorter_start(Sorter *sorter, Description *description, double limit) {
  process_start(sorter);
  const Command command = {.kind = COMMAND_DESCRIBE};
  ask(sorter, &command);
  Answer answer;
  if (!process_listen(sorter, ANSWER_DESCRIPTION, limit, "before main()", &answer)) return false;
  *description = answer.description;
  snprintf(sorter->name, sizeof sorter->name, "%.63s", description->name);
  printable_line(sorter->name);
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

bool sorter_open(Sorter *sorter, const int *knobs, size_t max_elements) {
  share_memory(sorter, max_elements);
  Command command = {.kind = COMMAND_OPEN, .memory_bytes = sorter->memory_bytes};
  memcpy(command.knobs, knobs, sizeof command.knobs);
  const char *const order = getenv("CUDA_CPU_RACECHECK");
  snprintf(command.thread_order, sizeof command.thread_order, "%s", order != NULL ? order : "");
  ask(sorter, &command);
  return true;
}

bool sorter_opened(Sorter *sorter, char device[256], double limit) {
  Answer answer;
  if (!process_listen(sorter, ANSWER_OPEN, limit, "while it took the device", &answer))
    return false;
  snprintf(device, 256, "%.255s", answer.device);
  printable_line(device);
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
