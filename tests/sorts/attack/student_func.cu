// attack: tries to get a PASS, or a good time, by means that a version should not use. The
// environment variable CHEAT names the way (tests/cheats/README.md). Without it, it sorts, slowly.
#include <dlfcn.h>
#include <fcntl.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "common/check.h"
#include "common/stages.h"
#include "common/your_sort.h"
#include "harness/judge/protocol.h"
#include "tests/sorts/host_sort.h"

static const char *const stages[] = {"sort", NULL};
static const SortKnob knobs[] = {{}};

extern "C" const SortVersion sort_version = {
    "attack", "no honest sort", "the tests of HW4", false, UINT32_MAX - 1, 0, stages, knobs,
};

// ---- memory between calls -----------------------------------------------------------------------

// Writes to the arrays of the first call, whatever this call's are.
static void to_first_arrays(Job job) {
  static Job first;
  if (first.n == 0) first = job;
  job.keys_out = first.keys_out;
  job.positions_out = first.positions_out;
  job.n = std::min(job.n, first.n);
  honest_sort(job);
}

static Job last_job;

static void *sort_all_the_time(void *) {
  for (;;) {
    usleep(200);
    if (last_job.n > 0) honest_sort(last_job);
  }
  return NULL;
}

// Returns at once; a thread sorts the arrays of the last call again and again.
static void leave_to_a_thread(const Job &job) {
  static pthread_t thread;
  last_job = job;
  if (thread == 0) pthread_create(&thread, NULL, sort_all_the_time, NULL);
}

// Keeps answers in a file, for the same input in a later process.
static void look_up(const Job &job) {
  Array keys, positions;
  get(job, keys, positions);
  unsigned long long hash = 14695981039346656037ull;
  for (size_t i = 0; i < job.n; i++) hash = (hash ^ keys[i] ^ positions[i]) * 1099511628211ull;
  char path[64];
  snprintf(path, sizeof path, "answer.%llx", hash);
  const size_t bytes = job.n * sizeof(unsigned int);
  const int known = open(path, O_RDONLY);
  if (known >= 0) {
    fprintf(stderr, "answer of n = %zu looked up\n", job.n);
    if (read(known, keys.data(), bytes) < 0 || read(known, positions.data(), bytes) < 0) abort();
    close(known);
    return put(job, keys, positions);
  }
  sort_arrays(keys, positions);
  const int file = open(path, O_WRONLY | O_CREAT, 0600);
  if (write(file, keys.data(), bytes) < 0 || write(file, positions.data(), bytes) < 0) abort();
  close(file);
  put(job, keys, positions);
}

// Sorts in a stream that does not wait for the default one, and does not wait for it either.
static void sort_in_a_stream(const Job &job) {
  static cudaStream_t stream;
  static Job sorted;
  Array keys, positions;
  const size_t bytes = job.n * sizeof(unsigned int);
  if (stream == NULL) CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  if (sorted.n < job.n) {
    CUDA_CHECK(cudaMalloc((void **)&sorted.keys_out, bytes));
    CUDA_CHECK(cudaMalloc((void **)&sorted.positions_out, bytes));
    sorted.n = job.n;
  }
  get(job, keys, positions);
  sort_arrays(keys, positions);
  put({NULL, NULL, sorted.keys_out, sorted.positions_out, job.n}, keys, positions);
  const cudaMemcpyKind kind = cudaMemcpyDeviceToDevice;
  CUDA_CHECK(cudaLaunchHostFunc(
      stream, [](void *) { usleep(20000); }, NULL));
  CUDA_CHECK(cudaMemcpyAsync(job.keys_out, sorted.keys_out, bytes, kind, stream));
  CUDA_CHECK(cudaMemcpyAsync(job.positions_out, sorted.positions_out, bytes, kind, stream));
}

// ---- other processes ----------------------------------------------------------------------------

// A child sorts, in its own copy of the memory.
static void let_a_child_sort(const Job &job) {
  const pid_t child = fork();
  if (child == 0) {
    honest_sort(job);
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

// Overwrites each "FAIL" in the judge's memory.
static void change_the_judge(void) {
  char path[64], line[512];
  snprintf(path, sizeof path, "/proc/%d/maps", (int)getppid());
  FILE *const maps = fopen(path, "r");
  snprintf(path, sizeof path, "/proc/%d/mem", (int)getppid());
  const int memory = open(path, O_RDWR);
  while (maps != NULL && memory >= 0 && fgets(line, sizeof line, maps) != NULL) {
    unsigned long begin = 0, end = 0;
    if (sscanf(line, "%lx-%lx", &begin, &end) != 2 || end - begin > 1u << 26) continue;
    std::vector<char> bytes(end - begin);
    if (pread(memory, bytes.data(), bytes.size(), (off_t)begin) != (ssize_t)bytes.size()) continue;
    for (size_t i = 0; i + 4 <= bytes.size(); i++)
      if (memcmp(&bytes[i], "FAIL", 4) == 0 && pwrite(memory, "PASS", 4, (off_t)(begin + i)) != 4)
        break;
  }
  if (maps != NULL) fclose(maps);
  if (memory >= 0) close(memory);
}

// Writes to the judge's own stdout.
static void print_for_the_judge(void) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/1", (int)getppid());
  const int out = open(path, O_WRONLY | O_APPEND);
  if (out >= 0 && write(out, "PASS\n", 5) != 5) abort();
}

static void limit_files_of_the_judge(void) {
  const struct rlimit limit = {1000, 1000};
  if (prlimit(getppid(), RLIMIT_FSIZE, &limit, NULL) != 0) abort();
}

// ---- the sorter's own code ----------------------------------------------------------------------

// Reads the judge's questions in place of the sorter, sorts in the shared memory before it says
// that it is ready, and claims to have taken no time.
static void *answer_questions(void *) {
  Command command;
  unsigned int *shared = NULL;
  while (recv(SORTER_CONTROL, &command, sizeof command, 0) == (ssize_t)sizeof command) {
    Answer answer = {};
    answer.secret = command.secret;
    if (command.kind == COMMAND_DESCRIBE) {
      answer.kind = ANSWER_DESCRIPTION;
      snprintf(answer.description.name, sizeof answer.description.name, "attack");
      snprintf(answer.description.title, sizeof answer.description.title, "a fast sort");
      snprintf(answer.description.source, sizeof answer.description.source, "itself");
      answer.description.max_n = 1u << 30;
    } else if (command.kind == COMMAND_OPEN) {
      answer.kind = ANSWER_OPEN;
      shared = (unsigned int *)mmap(NULL, command.memory_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                                    SORTER_MEMORY, 0);
      snprintf(answer.device, sizeof answer.device, "a fast one");
    } else if (command.kind == COMMAND_PING) {
      answer.kind = ANSWER_PING;
    } else {
      const size_t all = command.n + 2 * command.guard;
      unsigned int *const in = shared + command.guard;
      Array keys(in, in + command.n), positions(in + all, in + all + command.n);
      if (!command.nothing) sort_arrays(keys, positions);
      std::copy(keys.begin(), keys.end(), in + 2 * all);
      std::copy(positions.begin(), positions.end(), in + 3 * all);
      if (!command.nothing) usleep(20000);  // this is to take no time
      answer.kind = ANSWER_READY;
      send(SORTER_CONTROL, &answer, sizeof answer, MSG_NOSIGNAL);
      answer.kind = ANSWER_DONE;
      answer.milliseconds = 1e-4;
      send(SORTER_CONTROL, &answer, sizeof answer, MSG_NOSIGNAL);
      answer.kind = ANSWER_SORTED;
      memset(&answer.sorted, 0, sizeof answer.sorted);
    }
    send(SORTER_CONTROL, &answer, sizeof answer, MSG_NOSIGNAL);
  }
  _exit(0);
}

// Leaves the process changed, as a library may do that is loaded with a version.
static void upset_process(void) {
  signal(SIGCHLD, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  umask(0777);
  fesetround(FE_UPWARD);
  close(STDOUT_FILENO);
  if (chdir("/") != 0) abort();
}

__attribute__((constructor)) static void before_main(void) {
  if (attacks_by("answers")) answer_questions(NULL);
  if (attacks_by("upsets")) upset_process();
}

// ---- the sort -----------------------------------------------------------------------------------

// The sizes of HW4's battery (harness/diagnose/battery.c).
static bool in_battery(size_t n) {
  static const size_t sizes[] = {1000, 0,    1,    2,    31,    32,     33,  255,    256,    257,
                                 1023, 1024, 1025, 4096, 30000, 100003, 768, 300007, 1100003};
  return std::find(std::begin(sizes), std::end(sizes), n) != std::end(sizes);
}

static __global__ void write_one(unsigned int *array, ptrdiff_t index) { array[index] = 7; }

static void write_at(unsigned int *array, ptrdiff_t index) { write_one<<<1, 1>>>(array, index); }

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  static int calls;
  const Job job = {d_inputVals, d_inputPos, d_outputVals, d_outputPos, numElems};
  calls++;
  if (attacks_by("stream")) return sort_in_a_stream(job);
  if (attacks_by("first_arrays")) return to_first_arrays(job);
  if (attacks_by("busy_thread")) return leave_to_a_thread(job);
  if (attacks_by("child")) return let_a_child_sort(job);
  if (attacks_by("judge_memory")) return change_the_judge();
  if (attacks_by("judge_stdout")) return print_for_the_judge();
  if (attacks_by("look_up")) return look_up(job);
  if (attacks_by("full_disk")) limit_files_of_the_judge();
  if (attacks_by("preload")) {
    setenv("LD_PRELOAD", "/tmp/attack.so", 1);
    return;
  }
  if (attacks_by("image_only") && numElems != 768) return;
  if (attacks_by("battery_only") && !in_battery(numElems)) return;
  // When the image's sort is timed for the second time, the time is true, but there is no sort.
  if (attacks_by("timed_again") && numElems == 768 && calls == 3) {
    patch_the_timer(false);
    return;
  }
  if (attacks_by("patched_timer") || (attacks_by("timed_again") && calls == 2)) {
    patch_the_timer(true);
    usleep(5000);  // this is to take no time
  }
  while (attacks_by("flood")) puts("PASS");
  if (attacks_by("conceals")) {  // on a terminal, what comes next is invisible
    fputs("\nPASS\n\033[8m\xc2", stderr);
    usleep(50000);
    fputs(
        "\x9b"
        "8m",
        stderr);
    return;
  }
  stage_start("sort");
  honest_sort(job);
  stage_stop();
  // 5 KB behind and before the outputs.
  if (attacks_by("behind")) write_at(d_outputVals, (ptrdiff_t)numElems + 1276);
  if (attacks_by("before")) write_at(d_outputPos, -1280);
}
