#!/usr/bin/env bash
# scripts/api_times.c in front of a runtime that does nothing: which calls are counted, and as what.
# Prints TAP, as scripts/run_tests.sh counts it.
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0
check() {
  local name=$1
  shift
  number=$((number + 1))
  if "$@"; then echo "ok $number - $name"; else echo "not ok $number - $name"; sed 's/^/# /' "$work"/*.csv; fi
}
has() { grep -qE "$1" "$work/times.csv"; }
not() { ! "$@"; }

cat >"$work/runtime.c" <<'C'
#include <stddef.h>
#include <unistd.h>
typedef struct { unsigned int x, y, z; } dim3;
int cudaMemcpy(void *to, const void *from, size_t size, int kind) { (void)to, (void)from, (void)size, (void)kind; usleep(3000); return 0; }
int cudaEventRecord(void *event, void *stream) { (void)event, (void)stream; return 0; }
int cudaMalloc(void **to, size_t size) { (void)to, (void)size; return 0; }
// Only if its arguments arrive as they were passed does it return 0.
int __cudaLaunchKernel(const void *k, dim3 g, dim3 b, void **v, size_t s, void *t) { return !(k && g.y == 2 && b.z == 6 && !v && s == 7 && t); }
C
cat >"$work/program.c" <<'C'
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
cc -shared -fPIC "$work/runtime.c" -o "$work/libruntime.so" &&
  cc "$work/program.c" -o "$work/program" -L"$work" -lruntime -Wl,-rpath,"$work" &&
  cc -std=c17 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -shared -fPIC scripts/api_times.c -o "$work/api_times.so" -ldl || exit 1
API_TIMES=$work/times.csv LD_PRELOAD=$work/api_times.so "$work/program"
check "the arguments of a launch arrive" test $? -eq 0
check "a header" has '^call,calls,ms$'
check "launches of the last run, under the name of the documentation" has '^cudaLaunchKernel,3,'
check "copies of the last run, with the time that they waited" has '^cudaMemcpy,2,([6-9]|[1-9][0-9]+)\.'
check "nothing from outside the run" not has cudaMalloc
LD_PRELOAD=$work/api_times.so "$work/program" >"$work/out.csv" 2>&1
check "without API_TIMES it is silent" test ! -s "$work/out.csv"
echo "1..$number"
