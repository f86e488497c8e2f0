# Points by counters: what a sort's kernels ask of memory, beside the bounds of labs/LAB/rubric.json.
# shellcheck disable=SC2030,SC2031 # `run` sets $output in each test
bats_require_minimum_version 1.5.0

setup_file() {
  cd "$BATS_TEST_DIRNAME/../.." || return
  [[ $(make -s --no-print-directory print-B) == build/cpu* ]] || skip "on a GPU a time gives these points"
  export PYTHONDONTWRITEBYTECODE=1
}

setup() {
  cd "$BATS_TEST_DIRNAME/../.." || return
  unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES BACKEND V COUNT # of the make that runs the tests
  rm -rf bats_good bats_slow bats_cheat
  tests/labs/solved.sh radix_v3 bats_good
  tests/labs/solved.sh radix_v2 bats_slow # its scatter writes unsorted tiles
}
teardown() { rm -rf bats_good bats_slow bats_cheat build/*/bats_{good,slow,cheat}; }

@test "a good and a slow submission of lab 4" {
  command -v bwrap >/dev/null || skip "bubblewrap is not installed"
  run -0 scripts/grade.sh radix_v3 bats_good bats_slow --out "$BATS_TEST_TMPDIR/out" --jobs 2
  speed() { jq -r '.tests[] | select(.name | startswith("Speed")) | "\(.score) of \(.max_score): \(.output)"' "$BATS_TEST_TMPDIR/out/$1/results.json"; }
  [ "$(speed bats_good)" = '15 of 15: all right' ]
  # shellcheck disable=SC2026 # the figures differ a little from input to input
  [[ $(speed bats_slow) =~ ^'5 of 15: the whole sort: '7[0-9.]+' bytes for each pair, at most 680; scatter: '6[0-9.]+' bytes for each pair and launch, at most 40'$ ]]
}

# cheat FROM SCRIPT EXPECTED..: what the check says of a submission that sed has changed.
cheat() {
  mkdir -p bats_cheat
  sed -e "s/\"$1\"/\"bats_cheat\"/" -e "$2" "$1/student_func.cu" >bats_cheat/student_func.cu
  run python3 -c '
import json
from labs.grader import counters
with open("labs/radix_v3/rubric.json") as file:
    rubric = json.load(file)
for _, kept, text in counters.results("bats_cheat", rubric):
    print("kept" if kept else "BROKEN", text)'
  echo "$output"
  for text in "${@:3}"; do [[ $output =~ $text ]]; done
}

@test "the work in another kernel than scatter" {
  carry='static __global__ void carry(Pairs from, Pairs to, const unsigned int *digit, const unsigned int *start, const unsigned int *rank, size_t n) {\n  const size_t i = global_index();\n  if (i < n) move_pair(to, start[digit[i] * gridDim.x + blockIdx.x] + rank[i], from, i);\n}\n\n'
  cheat bats_slow "s/^void your_sort/$carry&/; s/^ *scatter<<<.*/    scatter<<<1, 1>>>(from, to, d.digit, d.start, d.rank, 0);\n    carry<<<d.tiles, block_size>>>(from, to, d.digit, d.start, d.rank, n);/" \
    'BROKEN the whole sort: 7' 'BROKEN carry: 6'
}
@test "traffic in cudaMemcpy" {
  copy() { echo "cudaMemcpyAsync(from.$1, to.$1, n * sizeof(unsigned int), cudaMemcpyDeviceToDevice, 0);"; }
  cheat bats_good "s/^ *swap_pairs(&from, &to);/    $(copy keys)\n    if (from.positions) $(copy positions)/" 'BROKEN the whole sort: 7'
}
@test "a scatter on the host" {
  cheat bats_slow 's/^ *scatter<<<.*/    unsigned int *host[7];\n    const void *const device[] = {from.keys, from.positions, d.digit, d.rank, d.start};\n    for (int a = 0; a < 7; a++) host[a] = (unsigned int *)malloc((n + d.table) * 4);\n    for (int a = 0; a < 5; a++)\n      if (device[a]) CUDA_CHECK(cudaMemcpy(host[a], device[a], (a < 4 ? n : d.table) * 4, cudaMemcpyDeviceToHost));\n    for (size_t i = 0; i < n; i++) {\n      const size_t place = host[4][host[2][i] * (size_t)d.tiles + i \/ block_size] + host[3][i];\n      host[5][place] = host[0][i], host[6][place] = host[1][i];\n    }\n    CUDA_CHECK(cudaMemcpy(to.keys, host[5], n * 4, cudaMemcpyHostToDevice));\n    if (to.positions) CUDA_CHECK(cudaMemcpy(to.positions, host[6], n * 4, cudaMemcpyHostToDevice));\n    for (int a = 0; a < 7; a++) free(host[a]);/; s/^#include "common\/check.h"/#include <stdlib.h>\n&/' \
    'BROKEN 19.*go through the host'
}
@test "kernels that are not watched, and a counter that is switched off" {
  cheat bats_slow 's/^static __global__ void rank_by/#define HIDDEN(a, b) __attribute__((a##b))\nHIDDEN(no_sanit, ize_thread) &/' 'BROKEN keeps the compiler from watching its accesses'
  cheat bats_slow 's/^#include "common\/check.h"/#include <cuda_profiler_api.h>\n&/; s/^ *scatter<<</    cudaProfilerStop();\n&/' 'BROKEN calls cudaProfilerStop, which hides accesses'
}
@test "each counter against its bound, and a kernel by name" {
  python3 - <<'P'
from labs.grader import counters
kernel = {f"{space}_{operation}_{unit}": 0 for space in ("global", "shared") for operation in counters.OPERATIONS
          for unit in ("requests", "sectors", "conflicts", "longest_queue")}
kernels = [dict(kernel, kernel="a", launches=2, global_load_requests=100, global_load_sectors=400, global_atomic_longest_queue=16),
           dict(kernel, kernel="b<T>", launches=1, shared_load_requests=10, shared_load_conflicts=5, shared_atomic_longest_queue=17)]
counts = {"kernels": kernels, "copied_bytes": 3200, "host_accesses": 100}
def said(counter, at_most, **more):
    return counters.compare(counts, {"n": 100, "bounds": [{"counter": counter, "at_most": at_most, **more}]})[0]
assert said("bytes", 192) == (True, "the whole sort: 192 bytes for each pair, at most 192"), said("bytes", 192)
assert said("launch_bytes", 63) == (False, "a: 64 bytes for each pair and launch, at most 63")
assert said("sectors", 4)[0] and not said("sectors", 3.9)[0]
assert said("conflicts", 0) == (False, "b<T>: 0.5 bank conflicts for each request of shared memory, at most 0")
assert said("atomics", 16) == (False, "b<T>: 17 atomics of a warp at one address, at most 16")
assert said("atomics", 16, kernel="a")[0] and not said("atomics", 16, kernel="b")[0]
assert said("atomics", 16, kernel="c") == (False, "no kernel c was launched")
P
}

@test "the solution of each lab keeps its bounds" {
  run -0 python3 - <<'P'
import glob, json
from labs.grader import counters
for path in sorted(glob.glob("labs/*/rubric.json")):
    with open(path) as file:
        rubric = json.load(file)
    for _, kept, text in counters.results(rubric["reference"], rubric):
        print(rubric["lab"], "kept" if kept else "BROKEN", text)
P
  echo "$output"
  [[ $output != *BROKEN* ]]
  for lab in radix_v1 radix_v2 radix_v3 radix_v4 bitonic merge_three_step merge_bottomup; do [[ $output == *"$lab kept the whole sort"* ]]; done
}
