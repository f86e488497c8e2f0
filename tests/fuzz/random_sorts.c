// random_sorts [--time SECONDS] [--seed N]: sorts random inputs with random versions, sizes, knobs,
// keys or pairs, and judges every result with the verdict, which compares with a library's sort.
// Ends with exit code 1 and the case, as arguments of compare, on a wrong result, a crash, a hang
// or memory that grows. `make fuzz` runs it for seconds, `make fuzz_sorts FUZZ_SECONDS=3600` for an
// hour.
#include <cuda_runtime_api.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/check.h"
#include "common/knobs.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "harness/measure/clock.h"
#include "harness/process/exit_guard.h"
#include "harness/input/input.h"
#include "harness/input/mix.h"
#include "harness/process/message.h"
#include "harness/process/parse.h"
#include "harness/verdict/verdict.h"
#include "harness/versions/version_list.h"
#include "harness/measure/workload.h"

enum {
#ifdef CUDA_CPU
  LARGEST_N = 30000,  // a CPU runs the kernels
#else
  LARGEST_N = 30000000,
#endif
  HANG_SECONDS = 120,   // far longer than any case takes
  WARM_UP_CASES = 300,  // memory may grow until then
  GROWTH_BYTES = 1 << 26,
};

static char present[400];  // the case, as arguments of compare

// ---- random numbers ----------------------------------------------------------------------------

static uint64_t seed_of_run, drawn;

static uint64_t below(uint64_t end) { return end == 0 ? 0 : splitmix(seed_of_run, drawn++) % end; }

// Every magnitude is equally likely; often a power of two or a neighbour of one.
static size_t random_size(uint64_t largest) {
  const double magnitude = (double)below(1000) / 1000.0 * log2((double)largest + 1.0);
  uint64_t n = (uint64_t)exp2(magnitude) - 1;
  if (below(3) == 0)
    n = ((uint64_t)1 << below((uint64_t)log2((double)largest + 1.0) + 1)) + below(3);
  return n > largest ? largest : n;
}

// ---- the end -----------------------------------------------------------------------------------

static void name_case(const char *what) {
  static const char before[] = ": ./compare ";
  (void)!write(STDERR_FILENO, what, strlen(what));
  (void)!write(STDERR_FILENO, before, strlen(before));
  (void)!write(STDERR_FILENO, present, strlen(present));
  (void)!write(STDERR_FILENO, "\n", 1);
}

static void on_signal(int number) {
  name_case(number == SIGALRM ? "random_sorts: hangs" : "random_sorts: crashes");
  _exit(EXIT_WRONG_RESULT);
}

static void on_end(int code, void *context) {
  (void)context;
  if (code != EXIT_RIGHT && present[0] != '\0') name_case("random_sorts: failed");
}

// ---- one case ----------------------------------------------------------------------------------

static const SortVersion *set_random_knobs(const SortVersion *version, size_t *used, size_t size) {
  knobs_begin(version);
  for (int i = 0; version->knobs[i].name != NULL; i++) {
    if (below(2) == 0) continue;
    const SortKnob *const declared = &version->knobs[i];
    const int value =
        declared->min + (int)below((uint64_t)((int64_t)declared->max - declared->min) + 1);
    knob_set(i, value);
    if (*used < size)
      *used +=
          (size_t)snprintf(present + *used, size - *used, " --set %s=%d", declared->name, value);
  }
  return version;
}

// Sorts and judges.
static void sort_once(const LoadedVersion *loaded, size_t n, bool pairs, int kind, uint64_t seed) {
  Offsets offsets;
  for (int i = 0; i < ARRAYS; i++) offsets[i] = (unsigned char)(below(2) * below(4));
  Workload w = workload_create(loaded->version, n, pairs, offsets);
  workload_draw(&w, kind, seed);
  workload_poison(&w, 0);
  workload_refresh(&w);
  stages_begin(loaded->version, false);
  alarm(HANG_SECONDS);
  check_blame(loaded->version->name);
  loaded->sort(w.keys_in, w.positions_in, w.keys_out, w.positions_out, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  check_blame(NULL);
  alarm(0);
  if (scratch_outstanding() != 0) quit(EXIT_WRONG_RESULT, "it kept scratch memory");
  const Verdict verdict =
      verdict_judge(loaded->version, w.snapshot, w.keys_out, w.positions_out, n);
  if (!verdict_passes(&verdict)) {
    char text[1024];
    verdict_describe(&verdict, text, sizeof text);
    quit(EXIT_WRONG_RESULT, "%s", text);
  }
  workload_destroy(&w);
}

static void random_case(const VersionList *versions) {
  const LoadedVersion *const loaded = &versions->entries[below(versions->count)];
  const SortVersion *const version = loaded->version;
  uint64_t largest = version->max_n < LARGEST_N ? version->max_n : LARGEST_N;
  if (version->slow_n != 0 && version->slow_n < largest) largest = version->slow_n;
  const size_t n = random_size(largest);
  const bool pairs = version->pairs_only || below(2) == 0;
  int kinds = 0;
  while (input_kinds[kinds].name != NULL) kinds++;
  const int kind = (int)below((uint64_t)kinds);
  const uint64_t seed = below(1000000);
  size_t used = (size_t)snprintf(
      present, sizeof present, "%s --n %zu --dist %s --%s --seed %llu --reps 1 --baseline none",
      version->name, n, input_kinds[kind].name, pairs ? "pairs" : "keys", (unsigned long long)seed);
  set_random_knobs(version, &used, sizeof present);
  sort_once(loaded, n, pairs, kind, seed);
}

// ---- what must not grow with time --------------------------------------------------------------

static size_t resident_bytes(void) {
  long pages = 0;
  FILE *const file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%*s %ld", &pages) != 1) pages = 0;
  if (file != NULL) fclose(file);
  return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

typedef struct Memory {
  size_t host, device;  // bytes in use
} Memory;

static Memory memory_in_use(void) {
  size_t free_bytes = 0, all = 0;
  scratch_trim();
  CUDA_CHECK(cudaMemGetInfo(&free_bytes, &all));
  return (Memory){resident_bytes(), all - free_bytes};
}

static void check_growth(Memory before, Memory after) {
  if (after.host > before.host + GROWTH_BYTES || after.device > before.device + GROWTH_BYTES)
    quit(EXIT_WRONG_RESULT, "memory grew: host %.0f to %.0f MB, device %.0f to %.0f MB",
         (double)before.host / 1e6, (double)after.host / 1e6, (double)before.device / 1e6,
         (double)after.device / 1e6);
}

// ---- the run -----------------------------------------------------------------------------------

// Ends after `seconds` or `most_cases`, whichever comes first. With a number of cases it does not
// depend on the machine's speed.
static void run(const VersionList *versions, double seconds, size_t most_cases) {
  Memory warm = {0, 0};
  size_t cases = 0;
  const double start = seconds_now();
  while (seconds_now() - start < seconds && cases < most_cases) {
    random_case(versions);
    if (++cases == WARM_UP_CASES) warm = memory_in_use();
  }
  present[0] = '\0';
  const Memory end = memory_in_use();
  printf("random_sorts: %zu right sorts by %zu versions in %.0f s; host memory %.0f MB\n", cases,
         versions->count, seconds_now() - start, (double)end.host / 1e6);
  if (cases <= WARM_UP_CASES) return;
  check_growth(warm, end);
  printf("random_sorts: %.0f MB after %d sorts\n", (double)warm.host / 1e6, WARM_UP_CASES);
}

static uint64_t number_of(const char *option, const char *value) {
  uint64_t number = 0;
  if (value == NULL || !parse_number(value, 0, UINT64_MAX, &number))
    quit(EXIT_USAGE, "%s takes a number, not '%s'", option, value == NULL ? "" : value);
  return number;
}

int main(int count, char **arguments) {
  double seconds = 60.0;
  size_t most_cases = SIZE_MAX;
  for (int i = 1; i < count; i += 2) {
    const uint64_t value = number_of(arguments[i], arguments[i + 1]);
    if (strcmp(arguments[i], "--time") == 0)
      seconds = (double)value;
    else if (strcmp(arguments[i], "--cases") == 0)
      most_cases = value;
    else if (strcmp(arguments[i], "--seed") == 0)
      seed_of_run = value;
    else
      quit(EXIT_USAGE, "there are --time, --cases and --seed, not '%s'", arguments[i]);
  }
  VersionList versions;
  Message message;
  if (!version_list_load(&versions, "", &message)) quit(EXIT_USAGE, "%s", message.text);
  const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
  for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) signal(fatal[i], on_signal);
  on_exit(on_end, NULL);
  printf("random_sorts: %g s, --seed %llu\n", seconds, (unsigned long long)seed_of_run);
  fflush(stdout);
  run(&versions, seconds, most_cases);
  version_list_free(&versions);
  return EXIT_RIGHT;
}
