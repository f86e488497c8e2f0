#!/usr/bin/env bash
# The sort of tests/sorts/cheat in compare, with few and with more repetitions: what the row says
# (README.md). HW4_DIR names the build folder. Prints TAP, as scripts/run_tests.sh counts it.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${HW4_DIR:-build/cpu}
number=0

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

# says CHEAT CODE PART [OPTION...]: compare's exit code, and a part of its row
says() {
  local cheat=$1 code=$2 part=$3 repetitions row actual good=1
  shift 3
  [ $# = 0 ] && set -- --pairs
  for repetitions in 1 2 5; do
    row=$(CHEAT=$cheat "$build/compare" "$build/tests/sorts/cheat/version.so" --n 10000 \
      --reps "$repetitions" --baseline none "$@" 2>/dev/null)
    actual=$?
    row=$(grep "^cheat" <<<"$row")
    if [ "$actual" != "$code" ] || [[ $row != *"$part"* ]]; then
      good=0
      echo "# $cheat, $repetitions repetitions: exit code $actual, $row"
    fi
  done
  number=$((number + 1))
  [ "$good" = 1 ] && echo "ok $number - $cheat $*" || echo "not ok $number - $cheat $*"
}

# The cpu backend ends a crashed worker itself, after naming the line.
case $build in
  *sanitize*) crash_code=3 crash_text='failed: SUMMARY: AddressSanitizer: SEGV' ;;
  *cuda*) crash_code=1 crash_text='Segmentation fault' ;;
  *) crash_code=3 crash_text='Segmentation fault' ;;
esac

echo 1..21
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
"$build/compare" --n 10000 --dist uniform --save-input "$folder/keys.u32" >/dev/null
"$build/compare" --n 10000 --dist all-equal --save-input "$folder/equal.u32" >/dev/null
for input in "--input $folder/keys.u32" "--input $folder/equal.u32" "--dist sorted"; do
  # shellcheck disable=SC2086 # an option and its argument
  says none 0 PASS --pairs $input
  # shellcheck disable=SC2086
  says remember 1 FAIL --pairs $input
done
says none 0 PASS --keys --input "$folder/keys.u32"
says remember 1 'FAIL: multiset' --keys --input "$folder/keys.u32"

# Started by a program that ignores the ends of its children.
number=$((number + 1))
row=$(trap '' CHLD; CHEAT=segfault exec "$build/compare" "$build/tests/sorts/cheat/version.so" --n 10000 --reps 1 --baseline none 2>/dev/null)
[[ $? = "$crash_code" && $row == *"$crash_text"* ]] && echo "ok $number - SIGCHLD ignored" || echo "not ok $number - SIGCHLD ignored: $row"
number=$((number + 1))
row=$(trap "" CHLD; CHEAT="kill" exec "$build/tests/sorts/cheat/HW4" samples/portrait.ppm samples/template.ppm "$folder/out.ppm" 2>&1)
[[ $? = 3 && $row == *"Killed (signal 9)"* ]] && echo "ok $number - SIGCHLD ignored, HW4" || echo "not ok $number - SIGCHLD ignored, HW4: $row"

# Times.
# On the cpu backend, work in such a stream is late only in shuffled order.
case $build in *cuda*) ;; *) export CUDA_CPU_RACECHECK=1 ;; esac
says stream 1 'FAIL: the sort returned before it was done' --pairs --time-limit 0.3
unset CUDA_CPU_RACECHECK
