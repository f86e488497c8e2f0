// CUDA_CPU_* variables: what they do, and that a bad one ends the program with a sentence.
#include "device_test.h"

#include <omp.h>
#include <sys/resource.h>
#include <unistd.h>

#include <string>

// Prints the size of device memory; with a launch first, which reads the settings too.
MISTAKE(memory) {
  size_t available = 0, total = 0;
  cudaMemGetInfo(&available, &total);
  printf("%zu\n", total);
}
static __global__ void nothing() {}
MISTAKE(launch) { nothing<<<100, 100>>>(); }

static void expect_refusal(const char *variable, const char *value, const std::string &sentence) {
  for (const char *first_call : {"memory", "launch"}) {
    const Child child = run_mistake(first_call, variable, value);
    assert_string_equal(child.errors, (sentence + "\n").c_str());
    assert_string_equal(child.output, "");
    assert_int_equal(child.exit_code, 2);
  }
}

TEST(good_values) {
  expect_output("memory", "1000000\n", "CUDA_CPU_MEMORY", "1000000");
  const std::string usual = run_mistake("memory").output;
  expect_output("memory", usual.c_str(), "CUDA_CPU_MEMORY", "");
  for (const char *seed : {"", "0", "18446744073709551615"})
    assert_int_equal(run_mistake("launch", "CUDA_CPU_RACECHECK", seed).exit_code, 0);
}

TEST(bad_values) {
  const std::string numbers = " to 18446744073709551615, not ";
  for (const char *value : {"x", "7x", "-1", "+1", " 1", "1.5", "18446744073709551616"}) {
    const std::string quoted = "'" + std::string(value) + "'";
    expect_refusal("CUDA_CPU_RACECHECK", value,
                   "CUDA_CPU_RACECHECK takes a whole number from 0" + numbers + quoted);
    expect_refusal("CUDA_CPU_MEMORY", value,
                   "CUDA_CPU_MEMORY takes a whole number from 1" + numbers + quoted);
  }
  expect_refusal("CUDA_CPU_MEMORY", "0",
                 "CUDA_CPU_MEMORY takes a whole number from 1" + numbers + "'0'");
  for (const char *value : {"yes", "key", "1"})
    expect_refusal("CUDA_CPU_PROTECT", value,
                   "CUDA_CPU_PROTECT takes keys, pages or off, not '" + std::string(value) + "'");
}

TEST(unknown_names) {
  expect_refusal(
      "CUDA_CPU_RACECHEK", "1",
      "CUDA_CPU_RACECHEK is not a setting; there are CUDA_CPU_RACECHECK, CUDA_CPU_MEMORY, "
      "CUDA_CPU_PROTECT and, in COUNT builds, CUDA_CPU_COUNT");
}

// ---- waiting ------------------------------------------------------------------------------------
//
// OpenMP threads that wait must sleep, not spin, in every program linked with cuda_cpu,
// unless OMP_WAIT_POLICY or GOMP_SPINCOUNT asks for something else.

enum { kRounds = 10, kMicroseconds = 20000 };

static __global__ void first_block_sleeps() {
  if (blockIdx.x == 0 && threadIdx.x == 0) usleep(kMicroseconds);
}

static double cpu_milliseconds(void) {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const timeval &user = usage.ru_utime, &system = usage.ru_stime;
  return static_cast<double>(user.tv_sec + system.tv_sec) * 1e3 +
         static_cast<double>(user.tv_usec + system.tv_usec) / 1e3;
}

// Two threads, of which one waits 20 ms for the other, ten times. Prints the CPU time of the wait.
MISTAKE(launches) {
  const double start = cpu_milliseconds();
  for (int round = 0; round < kRounds; round++) first_block_sleeps<<<100, 64>>>();
  printf("%.1f\n", cpu_milliseconds() - start);
}
MISTAKE(openmp) {
  const double start = cpu_milliseconds();
  for (int round = 0; round < kRounds; round++) {
#pragma omp parallel
    if (omp_get_thread_num() == 0) usleep(kMicroseconds);
  }
  printf("%.1f\n", cpu_milliseconds() - start);
}
MISTAKE(thread_count) { printf("%d\n", omp_get_max_threads()); }

// For the children, which inherit it. This program itself was started with a choice made.
static void make_no_choice(void) {
  unsetenv("OMP_WAIT_POLICY");
  unsetenv("GOMP_SPINCOUNT");
  setenv("OMP_NUM_THREADS", "2", 1);
}

static double waiting_costs(const char *mistake, const char *variable, const char *value) {
  make_no_choice();
  const Child child = run_mistake(mistake, variable, value);
  assert_int_equal(child.exit_code, 0);
  return atof(child.output);
}

TEST(waiting_is_passive) {
  assert_true(waiting_costs("launches", NULL, NULL) < 20);
  assert_true(waiting_costs("openmp", NULL, NULL) < 20);
}

// Shows, too, that this test can tell spinning from sleeping.
TEST(the_users_choice_holds) {
  if (omp_get_num_procs() < 2) skip();  // OpenMP does not spin where it would wait for itself
  assert_true(waiting_costs("launches", "OMP_WAIT_POLICY", "active") > 40);
  assert_true(waiting_costs("openmp", "OMP_WAIT_POLICY", "active") > 40);
  assert_true(waiting_costs("openmp", "GOMP_SPINCOUNT", "infinite") > 40);
}

TEST(the_number_of_threads_holds) {
  make_no_choice();
  expect_output("thread_count", "3\n", "OMP_NUM_THREADS", "3");
}
