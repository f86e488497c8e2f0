# scripts/api_times.c in front of a runtime that does nothing: which calls are counted, and as what.
setup_file() {
  cd "$BATS_TEST_DIRNAME/../.." || return
  cat >"$BATS_FILE_TMPDIR/runtime.c" <<'C'
#include <stddef.h>
#include <unistd.h>
typedef struct { unsigned int x, y, z; } dim3;
int cudaMemcpy(void *to, const void *from, size_t size, int kind) { (void)to, (void)from, (void)size, (void)kind; usleep(3000); return 0; }
int cudaEventRecord(void *event, void *stream) { (void)event, (void)stream; return 0; }
int cudaMalloc(void **to, size_t size) { (void)to, (void)size; return 0; }
// Returns 0 only if its arguments arrive as they were passed.
int __cudaLaunchKernel(const void *k, dim3 g, dim3 b, void **v, size_t s, void *t) { return !(k && g.y == 2 && b.z == 6 && !v && s == 7 && t); }
C
  cat >"$BATS_FILE_TMPDIR/program.c" <<'C'
#include <stddef.h>
typedef struct { unsigned int x, y, z; } dim3;
int cudaMemcpy(void *, const void *, size_t, int), cudaEventRecord(void *, void *), cudaMalloc(void **, size_t);
int __cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
int main(void) {
  char c; int bad = 0;
  cudaMalloc(NULL, 1);                                            // before the first run
  cudaEventRecord(0, 0); cudaMemcpy(0, 0, 0, 0); cudaEventRecord(0, 0); // warm-up
  cudaMalloc(NULL, 1);                                            // between the runs
  cudaEventRecord(0, 0);
  for (int i = 0; i < 3; i++) bad |= __cudaLaunchKernel(&c, (dim3){1, 2, 3}, (dim3){4, 5, 6}, NULL, 7, &c);
  cudaMemcpy(0, 0, 0, 0); cudaMemcpy(0, 0, 0, 0);
  cudaEventRecord(0, 0);
  cudaMemcpy(0, 0, 0, 0);                                         // after the last run
  return bad;
}
C
  cd "$BATS_FILE_TMPDIR" || return
  cc -shared -fPIC runtime.c -o libruntime.so
  cc program.c -o program -L. -lruntime -Wl,-rpath,"$PWD"
  cc -std=c17 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -shared -fPIC "$BATS_TEST_DIRNAME/../../scripts/api_times.c" -o api_times.so -ldl
  API_TIMES=$PWD/times.csv LD_PRELOAD=$PWD/api_times.so ./program
  echo $? >code
}

setup() { cd "$BATS_FILE_TMPDIR" || return; }

@test "the arguments of a launch arrive" { [ "$(cat code)" = 0 ]; }
@test "a header" { [ "$(head -n 1 times.csv)" = call,calls,ms ]; }
@test "launches of the last run, under the name of the documentation" { grep '^cudaLaunchKernel,3,' times.csv; }
@test "copies of the last run, with the time that they waited" { grep -E '^cudaMemcpy,2,([6-9]|[1-9][0-9]+)\.' times.csv; }
@test "nothing from outside the run" { [ -s times.csv ] && [ "$(grep -c cudaMalloc times.csv)" = 0 ]; }
@test "without API_TIMES it prints nothing" {
  LD_PRELOAD=$PWD/api_times.so run ./program
  [ -z "$output" ]
}
