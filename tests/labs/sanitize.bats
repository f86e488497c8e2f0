# compute-sanitizer's lines of make check-lab on a GPU, with a stand-in for compute-sanitizer: no GPU is needed.
bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_DIRNAME/../.." || return
  mkdir "$BATS_TEST_TMPDIR/bin"
  export PYTHONDONTWRITEBYTECODE=1 PATH="$BATS_TEST_TMPDIR/bin:$PATH" CALLS="$BATS_TEST_TMPDIR/calls"
  cat >"$BATS_TEST_TMPDIR/bin/compute-sanitizer" <<'END'
#!/usr/bin/env bash
echo "$*" >>"$CALLS"
echo "========= COMPUTE-SANITIZER"
case "$2 $FINDS" in
  'memcheck '*memcheck*)
    echo "========= Invalid __global__ write of size 4 bytes"
    echo "=========     at scatter(Pairs, Pairs, const unsigned int *, const unsigned int *, const unsigned int *, unsigned long)+0x150 in /home/me/mine/student_func.cu:60"
    echo "=========     by thread (5,0,0) in block (3,0,0)"
    echo "=========     Address 0x7f1c2e001000 is out of bounds"
    echo "========="
    echo "========= ERROR SUMMARY: 4 errors"
    exit 9 ;;
  'racecheck '*racecheck*)
    echo "========= Error: Race reported between Write access at histogram(const unsigned int *, unsigned int *)+0x90 in /home/me/mine/student_func.cu:52"
    echo "=========     and Read access at histogram(const unsigned int *, unsigned int *)+0xb0 in /home/me/mine/student_func.cu:54 [128 hazards]"
    echo "========="
    echo "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)"
    exit 9 ;;
  'initcheck '*initcheck*)
    echo "========= Uninitialized __global__ memory read of size 4 bytes"
    echo "=========     at rank_digits(const unsigned int *, unsigned int *)+0x40 in /home/me/mine/student_func.cu:57"
    echo "=========     by thread (0,0,0) in block (0,0,0)"
    echo "========= ERROR SUMMARY: 1 error"
    exit 9 ;;
  'synccheck '*nested*) echo "========= Error: Dynamic Parallelism is not supported by this tool"; exit 9 ;;
  'synccheck '*crash*) echo "compare: the device failed"; exit 3 ;;
  *) echo "========= ERROR SUMMARY: 0 errors" ;;
esac
END
  chmod +x "$BATS_TEST_TMPDIR/bin/compute-sanitizer"
}
# check_gpu FINDS: what check-lab prints for a build of a GPU, without building.
check_gpu() {
  FINDS=$1 python3 - <<'END'
import subprocess
from labs.grader import sanitizers
sanitizers.make = lambda goals, **options: subprocess.CompletedProcess(goals, 0)
for name, right, text, state in sanitizers.sanitizers("radix_v1", "build/cuda-sm_90", False, True, ""):
    print(f"{name:<12}{state or ('right' if right else 'WRONG'):<7}{text}")
END
}

@test "nothing found: four lines, each tool over both kinds of element" {
  run -0 check_gpu ''
  [ ${#lines[@]} -eq 4 ]
  for i in 0 1 2 3; do [[ ${lines[i]} == *"right  nothing found" ]]; done
  [ "$(cut -d' ' -f2 "$CALLS" | tr '\n' ' ')" = "memcheck racecheck initcheck synccheck " ]
  grep -q 'build/cuda-sm_90/compare radix_v1 --n 1000,4097 --pairs --keys .*--no-fork' "$CALLS"
}
@test "a finding: its kernel, its line and its thread" {
  run -0 check_gpu 'memcheck racecheck initcheck'
  [ "${lines[0]}" = "memcheck    WRONG  Invalid __global__ write of size 4 bytes at scatter in mine/student_func.cu:60 by thread (5,0,0) in block (3,0,0) (and 3 more)" ]
  [ "${lines[1]}" = "racecheck   WRONG  Race reported between Write access at histogram in mine/student_func.cu:52 and Read access at histogram in mine/student_func.cu:54 [128 hazards]" ]
  [ "${lines[2]}" = "initcheck   WRONG  Uninitialized __global__ memory read of size 4 bytes at rank_digits in mine/student_func.cu:57 by thread (0,0,0) in block (0,0,0)" ]
  [[ ${lines[3]} == "synccheck   right "* ]]
}
@test "a tool that cannot check is no finding, a crash is one" {
  run -0 check_gpu nested
  [ "${lines[3]}" = "synccheck   -      not checked: the tool does not support dynamic parallelism" ]
  run -0 check_gpu crash
  [ "${lines[3]}" = "synccheck   WRONG  ended with exit code 3: compare: the device failed" ]
}
@test "no compute-sanitizer: it says so" {
  rm "$BATS_TEST_TMPDIR/bin/compute-sanitizer"
  [ ! -x /usr/local/cuda/bin/compute-sanitizer ] && ! command -v compute-sanitizer || skip "compute-sanitizer is installed"
  run -0 check_gpu ''
  [ "${lines[0]}" = "memcheck    -      not checked: compute-sanitizer is not installed" ]
}
@test "cpu backend: a race is told with both accesses, and before a read of what it left" {
  python3 - <<'P'
from labs.grader.sanitizers import report_of
race = f"racecheck: error: write at a.cu:1 by thread ({1:0150},0,0) and read at a.cu:2 by thread ({1:0150},0,0) of array 'tile'"
init = "initcheck: error: read at a.cu:3 by thread (0,0,0)"
assert report_of(f"{init}\n  in kernel k\n{race}\n  in kernel merge\n") == race + " in kernel merge"
assert report_of(f"{init}\n  in kernel k\n") == init + " in kernel k" and report_of(init, init=False) == ""
P
}
