#!/usr/bin/env bash
# Runs test programs one after another and ends with "N passed, N failed". A program that crashes
# or is cut off counts as one failure more. Exit code 1 if anything failed.
#   scripts/run_tests.sh build/cpu/tests/test_image build/cpu/seq/test ...
set -u
passed=0 failed=0 skipped=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for program in "$@"; do
  start=$(date +%s%N)
  # passive: on a busy machine a thread that spins at a barrier keeps others from getting there.
  OMP_WAIT_POLICY=passive CMOCKA_MESSAGE_OUTPUT=TAP timeout "${TEST_TIMEOUT:-600}" "$program" >"$log" 2>&1
  code=$?
  good=$(grep -c '^ok ' "$log")
  skip=$(grep -c '^not ok .*# SKIP' "$log") # cmocka's way to write a skipped test
  bad=$(($(grep -c '^not ok ' "$log") - skip))
  planned=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$log" | awk '{ sum += $1 } END { print sum + 0 }')
  # A failing test is counted by its own line; a crash, a leak report or missing tests are not.
  if { [ "$code" -ne 0 ] && [ "$bad" -eq 0 ]; } || [ "$((good + bad + skip))" -lt "$planned" ] || [ "$planned" -eq 0 ]; then
    bad=$((bad + 1))
  fi
  passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + skip))
  printf '%-44s %4d passed %3d failed %7.1f s\n' "$program" "$good" "$bad" \
    "$(awk -v t="$(($(date +%s%N) - start))" 'BEGIN { print t / 1e9 }')"
  if [ "$bad" -gt 0 ]; then
    printf 'exit code %s; the end of its output:\n' "$code"
    tail -n 40 "$log"
  fi
done
[ "$skipped" -eq 0 ] || echo "$skipped skipped"
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
