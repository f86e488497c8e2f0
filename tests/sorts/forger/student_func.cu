// forger: sorts when the judge's clock does not run, or answers from memory. The environment
// variable CHEAT names the way (tests/cheats/README.md). Without it, it sorts, slowly.
//
// The sorter calls the functions recv() and send() of this file instead of the C library's.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/stages.h"
#include "common/your_sort.h"
#include "harness/judge/protocol.h"
#include "tests/sorts/host_sort.h"

static const char *const stages[] = {"sort", NULL};
static const SortKnob knobs[] = {{}};

extern "C" const SortVersion sort_version = {
    "forger", "no honest sort", "the tests of HW4", false, UINT32_MAX - 1, 0, stages, knobs,
};

// ---- sorting in the memory that is shared with the judge ----------------------------------------

static volatile unsigned int *shared;  // keys and positions in, keys and positions out
static Command command;                // the judge's last question
static volatile size_t image_n;        // 0: this process sorts no image, but the battery
static Array answer_keys, answer_positions;
static volatile bool answered;  // these hold the answer

static void read_shared(size_t n, bool positions_too) {
  const size_t all = command.n + 2 * command.guard;
  answer_keys.assign(shared + command.guard, shared + command.guard + n);
  answer_positions.resize(n);
  for (size_t i = 0; i < n; i++)
    answer_positions[i] =
        positions_too ? shared[all + command.guard + i] : (unsigned int)i;  // as in each image
}

static void write_shared(void) {
  const size_t n = answer_keys.size(), all = command.n + 2 * command.guard;
  for (size_t i = 0; i < n; i++) {
    shared[2 * all + command.guard + i] = answer_keys[i];
    shared[3 * all + command.guard + i] = answer_positions[i];
  }
}

static void take_long(void) { usleep(20000); }  // this is to take no time

// Sorts as soon as the judge has written the last key, and stops the judge in the meantime.
static void *stop_the_judge(void *) {
  for (unsigned int last = 0;;) {
    if (shared == NULL || image_n == 0 || shared[image_n - 1] == last) continue;
    kill(getppid(), SIGSTOP);
    read_shared(image_n, false);
    sort_arrays(answer_keys, answer_positions);
    take_long();
    last = shared[image_n - 1];
    answered = true;
    kill(getppid(), SIGCONT);
  }
}

static void start_thread(void) {
  static pthread_t thread;
  if (thread == 0) pthread_create(&thread, NULL, stop_the_judge, NULL);
}

// ---- in place of the C library's ----------------------------------------------------------------

extern "C" ssize_t recv(int file, void *buffer, size_t size, int flags) {
  const ssize_t length = syscall(SYS_recvfrom, file, buffer, size, flags, NULL, NULL);
  if (length == (ssize_t)sizeof command) command = *(const Command *)buffer;
  if (command.kind == COMMAND_OPEN && shared == NULL)
    shared = (unsigned int *)mmap(NULL, command.memory_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                                  SORTER_MEMORY, 0);
  return length;
}

// Is the judge's question about the image?
static bool is_image(void) {
  return command.kind == COMMAND_SORT && image_n > 0 && command.n == image_n;
}
static bool is_image_sort(void) { return is_image() && !command.nothing; }

extern "C" ssize_t send(int file, const void *buffer, size_t size, int flags) {
  Answer answer = *(const Answer *)buffer;
  const bool slow = attacks_by("slow_device"), stops = attacks_by("stops_judge");
  const bool late = attacks_by("late_sort") || slow;
  if (answer.kind == ANSWER_SORTED && is_image() && command.nothing && slow) take_long();
  if (answer.kind == ANSWER_DONE && is_image_sort() && (late || stops)) answer.milliseconds = 1e-4;
  if (answer.kind == ANSWER_SORTED && is_image_sort() && late) {
    take_long();
    read_shared(command.n, true);
    sort_arrays(answer_keys, answer_positions);
    write_shared();
  }
  if (answer.kind == ANSWER_SORTED && is_image() && stops) {
    while (!answered) usleep(100);
    answered = false;
    write_shared();
  }
  return syscall(SYS_sendto, file, &answer, size, flags, NULL, 0);
}

// ---- memory -------------------------------------------------------------------------------------

static Array first_keys, first_sorted, first_places;

// Answers a rotation of the first call's keys from memory.
static bool answer_rotation(const Job &job) {
  Array keys, positions;
  get(job, keys, positions);
  const size_t n = job.n;
  if (first_keys.size() != n) {
    first_keys = keys;
    first_places = positions;
    sort_arrays(keys, first_places);
    first_sorted = keys;
    return false;
  }
  size_t shift = 0, same = 0;
  for (; shift < n && same < n; shift++)
    for (same = 0; same < n && keys[same] == first_keys[(shift + same) % n];) same++;
  if (same < n) return false;
  Array places(n);
  for (size_t i = 0; i < n; i++) places[i] = positions[(first_places[i] + n - shift + 1) % n];
  put(job, first_sorted, places);
  fputs("rotation answered from memory\n", stderr);
  return true;
}

// ---- the sort -----------------------------------------------------------------------------------

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  const Job job = {d_inputVals, d_inputPos, d_outputVals, d_outputPos, numElems};
  if (image_n == 0 && command.guard == 0) image_n = numElems;
  if (attacks_by("stops_judge") && is_image()) {
    start_thread();
    return;
  }
  if ((attacks_by("late_sort") || attacks_by("slow_device")) && is_image()) return;
  if (attacks_by("rotation") && numElems > 1 && answer_rotation(job)) return;
  stage_start("sort");
  honest_sort(job);
  stage_stop();
}
