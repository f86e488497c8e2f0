#!/usr/bin/env bash
# The sort of tests/sorts/cheat in compare, with few and with more repetitions: what the row says
# (README.md). HW4_DIR names the build folder.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${HW4_DIR:-build/cpu}
. tests/tap.sh

cheats() { # cheats CHEAT OPTION...: the row is in $work/out
  CHEAT=$1 "$build/compare" "$build/tests/sorts/cheat/version.so" --n 10000 --baseline none "${@:2}" \
    2>"$work/err" | grep '^cheat' >"$work/out"
  code=${PIPESTATUS[0]}
}
row_is() { [ "$code" = "$1" ] && grep -qF -- "$2" "$work/out"; } # row_is CODE PART

# says CHEAT CODE PART [OPTION...]: compare's exit code, and a part of its row
says() {
  local repetitions options=("${@:4}")
  [ $# -gt 3 ] || options=(--pairs)
  for repetitions in 1 2 5; do
    cheats "$1" --reps "$repetitions" "${options[@]}"
    row_is "$2" "$3" || break
  done
  check "$1 ${options[*]}" row_is "$2" "$3"
}

# The cpu backend ends a crashed worker itself, after naming the line.
case $build in
  *sanitize*) crash_code=3 crash_text='failed: SUMMARY: AddressSanitizer: SEGV' ;;
  *cuda*) crash_code=1 crash_text='Segmentation fault' ;;
  *) crash_code=3 crash_text='Segmentation fault' ;;
esac

says none 0 PASS
says works_once 1 'FAIL: multiset'
says third_call 1 'FAIL: multiset'
says remember 1 'FAIL: pairing'
says zero 1 'FAIL: multiset'
says background 1 'FAIL: '
says exit 1 'ended without a result, exit code 0'
says print_and_exit 1 'exit code 0; its last line was "PASS"'
says segfault "$crash_code" "$crash_text"
says print 0 PASS

# Inputs whose order or keys a seed does not change: the answer of one run is not that of another.
"$build/compare" --n 10000 --dist uniform --save-input "$work/keys.u32" >/dev/null
"$build/compare" --n 10000 --dist all-equal --save-input "$work/equal.u32" >/dev/null
for input in "--input $work/keys.u32" "--input $work/equal.u32" "--dist sorted"; do
  # shellcheck disable=SC2086 # an option and its argument
  says none 0 PASS --pairs $input
  # shellcheck disable=SC2086
  says remember 1 FAIL --pairs $input
done
says none 0 PASS --keys --input "$work/keys.u32"
says remember 1 'FAIL: multiset' --keys --input "$work/keys.u32"

# Started by a program that ignores the ends of its children.
(trap '' CHLD; CHEAT=segfault exec "$build/compare" "$build/tests/sorts/cheat/version.so" --n 10000 --reps 1 --baseline none) >"$work/out" 2>"$work/err"
code=$?
check 'SIGCHLD ignored' row_is "$crash_code" "$crash_text"
(trap '' CHLD; CHEAT="kill" exec "$build/tests/sorts/cheat/HW4" samples/portrait.ppm samples/template.ppm "$work/out.ppm") >"$work/out" 2>&1
code=$?
check 'SIGCHLD ignored, HW4' row_is 3 'Killed (signal 9)'

# Times.
# On the cpu backend, work in such a stream is late only in shuffled order.
case $build in *cuda*) ;; *) export CUDA_CPU_RACECHECK=1 ;; esac
says stream 1 'FAIL: the sort returned before it was done' --pairs --time-limit 0.3
unset CUDA_CPU_RACECHECK
plan
