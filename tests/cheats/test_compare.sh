#!/usr/bin/env bash
# The sorts of tests/sorts/cheat in compare, with few and with more repetitions: what the row says
# (README.md). HW4_DIR names the build folder. Prints TAP, as scripts/run_tests.sh counts it.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${HW4_DIR:-build/cpu}
number=0

says() { # says CHEAT CODE PART: compare's exit code, and what its row holds
  local cheat=$1 code=$2 part=$3 repetitions row actual good=1
  for repetitions in 1 2 5; do
    row=$(CHEAT=$cheat "$build/compare" "$build/tests/sorts/cheat/version.so" --pairs --n 10000 \
      --reps "$repetitions" --baseline none 2>/dev/null)
    actual=$?
    row=$(grep '^cheat' <<<"$row")
    if [ "$actual" != "$code" ] || [[ $row != *"$part"* ]]; then
      good=0
      echo "# $cheat, $repetitions repetitions: exit code $actual, $row"
    fi
  done
  number=$((number + 1))
  [ "$good" = 1 ] && echo "ok $number - $cheat" || echo "not ok $number - $cheat"
}

# The cpu backend ends a crashed worker itself, after naming the line.
case $build in
  *cuda* | *sanitize*) crash_code=1 ;;
  *) crash_code=3 ;;
esac

echo 1..9
says none 0 PASS
says works_once 1 'FAIL: multiset'
says third_call 1 'FAIL: multiset'
says remember 1 'FAIL: pairing'
says zero 1 'FAIL: multiset'
says background 1 'FAIL: '
says exit 1 'ended without a result, exit code 0'
says segfault "$crash_code" 'Segmentation fault'
says own_puts 0 PASS
