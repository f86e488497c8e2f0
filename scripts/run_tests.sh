#!/usr/bin/env bash
# Runs test programs that print TAP, and bats files, one after another; ends with the names of the tests that
# failed and "N passed, N failed". A program that crashes, is cut off or runs fewer tests than it planned counts as one more failure. Exit
# code 1 if anything failed, or nothing passed.
#   scripts/run_tests.sh build/cpu/tests/test_image build/cpu/seq/test tests/scripts/bench.bats ...
set -u
unset MAKEFLAGS MFLAGS MAKELEVEL  # a test that calls make is not a part of the one that runs the tests
passed=0 failed=0 skipped=0
log=$(mktemp)
failures=()
trap 'rm -f "$log"' EXIT
for program in "$@"; do
  start=$(date +%s%N)
  command=("$program")
  [[ $program != *.bats ]] || command=(bats --tap --print-output-on-failure "$program")
  CMOCKA_MESSAGE_OUTPUT=TAP timeout "${TEST_TIMEOUT:-600}" "${command[@]}" >"$log" 2>&1
  code=$?
  # A skipped test is "ok .. # skip" in TAP, and "not ok .. # SKIP" from cmocka.
  skip=$(grep -cE '^(not )?ok .*# (skip|SKIP)' "$log")
  good=$(grep -E '^ok ' "$log" | grep -cvE '# (skip|SKIP)')
  bad=$(grep -E '^not ok ' "$log" | grep -cvE '# (skip|SKIP)')
  planned=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$log" | awk '{ sum += $1 } END { print sum + 0 }')
  # A failing test is counted by its own line; a crash, a leak report or missing tests are not.
  if { [ "$code" -ne 0 ] && [ "$bad" -eq 0 ]; } || [ "$((good + bad + skip))" -lt "$planned" ] || [ "$planned" -eq 0 ]; then
    bad=$((bad + 1))
    failures+=("$program: exit code $code after $good of $planned tests")
  fi
  # With the two comment lines that give the location and the reason.
  while IFS= read -r line; do failures+=("$program: $line"); done < <(awk '/^(not )?ok / { shown = 3 * (/^not/ && !/# (skip|SKIP)/); sub(/^not ok /, "") } /^#|^[0-9]/ && shown-- > 0' "$log")
  passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + skip))
  seconds=$(awk -v t="$(($(date +%s%N) - start))" 'BEGIN { print t / 1e9 }')
  if [ "$skip" -gt 0 ] && [ "$((good + bad))" -eq 0 ]; then
    printf '%-44s skipped: %s\n' "$program" "$(sed -n 's/^\(not \)\{0,1\}ok .*# *\(skip\|SKIP\) *//p' "$log" | head -n 1)"
  else
    printf '%-44s %4d passed %3d failed %7.1f s%s\n' "$program" "$good" "$bad" "$seconds" "$([ "$skip" -eq 0 ] || echo ", $skip skipped")"
  fi
  if [ "$bad" -gt 0 ]; then
    printf 'exit code %s; the end of its output:\n' "$code"
    tail -n 40 "$log"
  fi
done
[ "$skipped" -eq 0 ] || echo "$skipped skipped"
[ "$failed" -eq 0 ] || printf 'failed: %s\n' "${failures[@]}"
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
