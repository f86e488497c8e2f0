#include "common/stages.h"

#include <stdlib.h>
#include <string.h>

#include "common/check.h"

// One bracket: two events and the stage that they time. Events are created once and reused, because
// creating one inside a timed region would be timed as well.
typedef struct Bracket {
  cudaEvent_t start, stop;
  int stage;
  float elapsed;  // milliseconds; valid after stages_end
} Bracket;

static struct {
  const SortVersion *version;
  bool enabled;
  bool open;          // between stage_start and stage_stop
  Bracket *brackets;  // `created` of them have events, the first `used` are of this run
  size_t used, created;
} stages;

__attribute__((noreturn)) static void misuse(const char *mistake, const char *stage) {
  check_fail("stages: %s (stage '%s' of %s)", mistake, stage, stages.version->name);
}

static int stage_index(const char *name) {
  for (int i = 0; stages.version->stages[i] != NULL; i++)
    if (strcmp(stages.version->stages[i], name) == 0) return i;
  misuse("not among the version's stages", name);
}

static Bracket *next_bracket(void) {
  if (stages.used == stages.created) {
    const size_t grown = stages.created == 0 ? 64 : 2 * stages.created;
    Bracket *const brackets = MEMORY_CHECK(realloc(stages.brackets, grown * sizeof *brackets));
    stages.brackets = brackets;
    for (; stages.created < grown; stages.created++) {
      CUDA_CHECK(cudaEventCreate(&brackets[stages.created].start));
      CUDA_CHECK(cudaEventCreate(&brackets[stages.created].stop));
    }
  }
  return &stages.brackets[stages.used++];
}

void stage_start(const char *name) {
  if (stages.version == NULL) return;  // no harness: nothing to time
  const int stage = stage_index(name);
  if (stages.open) misuse("started inside another stage", name);
  stages.open = true;
  if (!stages.enabled) return;
  Bracket *const bracket = next_bracket();
  bracket->stage = stage;
  CUDA_CHECK(cudaEventRecord(bracket->start, 0));
}

void stage_stop(void) {
  if (stages.version == NULL) return;
  if (!stages.open) misuse("stopped without a start", "?");
  stages.open = false;
  if (stages.enabled) CUDA_CHECK(cudaEventRecord(stages.brackets[stages.used - 1].stop, 0));
}

void stages_begin(const SortVersion *version, bool enabled) {
  stages.version = version;
  stages.enabled = enabled;
  stages.open = false;
  stages.used = 0;
}

int stages_end(double milliseconds[MAX_STAGES]) {
  if (stages.open) misuse("never stopped", "the last one");
  CUDA_CHECK(cudaDeviceSynchronize());
  int count = 0;
  while (stages.version->stages[count] != NULL) milliseconds[count++] = 0.0;
  for (size_t i = 0; i < stages.used; i++) {
    Bracket *const bracket = &stages.brackets[i];
    CUDA_CHECK(cudaEventElapsedTime(&bracket->elapsed, bracket->start, bracket->stop));
    milliseconds[bracket->stage] += (double)bracket->elapsed;
  }
  return count;
}

size_t stages_passes(int stage, double *milliseconds, size_t most) {
  size_t count = 0;
  for (size_t i = 0; i < stages.used; i++) {
    if (stages.brackets[i].stage != stage) continue;
    if (count < most) milliseconds[count] = (double)stages.brackets[i].elapsed;
    count++;
  }
  return count;
}
