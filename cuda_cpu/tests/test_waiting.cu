// OpenMP threads that wait must sleep, not spin, in every program linked with cuda_cpu, unless
// OMP_WAIT_POLICY or GOMP_SPINCOUNT asks for something else.
#include "mistakes.h"

#include <omp.h>
#include <sys/resource.h>
#include <unistd.h>

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
static void run_launches(void) {
  const double start = cpu_milliseconds();
  for (int round = 0; round < kRounds; round++) first_block_sleeps<<<100, 64>>>();
  printf("%.1f\n", cpu_milliseconds() - start);
}
static void run_openmp(void) {
  const double start = cpu_milliseconds();
  for (int round = 0; round < kRounds; round++) {
#pragma omp parallel
    if (omp_get_thread_num() == 0) usleep(kMicroseconds);
  }
  printf("%.1f\n", cpu_milliseconds() - start);
}
static void run_thread_count(void) { printf("%d\n", omp_get_max_threads()); }

static double waiting_costs(const char *mistake, const char *variable, const char *value) {
  const Child child = run_mistake(mistake, variable, value);
  assert_int_equal(child.exit_code, 0);
  return atof(child.output);
}

static void test_waiting_is_passive(void **) {
  assert_true(waiting_costs("launches", NULL, NULL) < 20);
  assert_true(waiting_costs("openmp", NULL, NULL) < 20);
}

// Shows, too, that this test can tell spinning from sleeping.
static void test_the_users_choice_holds(void **) {
  if (omp_get_num_procs() < 2) skip();  // OpenMP does not spin where it would wait for itself
  assert_true(waiting_costs("launches", "OMP_WAIT_POLICY", "active") > 40);
  assert_true(waiting_costs("openmp", "OMP_WAIT_POLICY", "active") > 40);
  assert_true(waiting_costs("openmp", "GOMP_SPINCOUNT", "infinite") > 40);
}

static void test_the_number_of_threads_holds(void **) {
  unsetenv("OMP_NUM_THREADS");
  const Child child = run_mistake("thread_count", "OMP_NUM_THREADS", "3");
  assert_string_equal(child.output, "3\n");
  setenv("OMP_NUM_THREADS", "2", 1);
}

int main(int argc, char **argv) {
  make_mistake_if_child(argc, argv, {MISTAKE(launches), MISTAKE(openmp), MISTAKE(thread_count)});
  // For the children, which inherit it. This program itself was started with a choice made.
  unsetenv("OMP_WAIT_POLICY");
  unsetenv("GOMP_SPINCOUNT");
  setenv("OMP_NUM_THREADS", "2", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_waiting_is_passive),
      cmocka_unit_test(test_the_users_choice_holds),
      cmocka_unit_test(test_the_number_of_threads_holds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
