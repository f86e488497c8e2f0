#!/usr/bin/env bash
# Runs test programs that print TAP and ends with "N passed, N failed". A program that crashes or
# ends early counts as one failure more. Exit code 1 if anything failed.
set -u
passed=0 failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for program in "$@"; do
  CMOCKA_MESSAGE_OUTPUT=TAP timeout "${TEST_TIMEOUT:-300}" "$program" >"$log" 2>&1
  code=$?
  good=$(grep -c '^ok ' "$log")
  bad=$(grep '^not ok ' "$log" | grep -vc '# SKIP') # cmocka's way to write a skipped test
  planned=$(sed -n 's/^1\.\.\([0-9][0-9]*\)$/\1/p' "$log")
  skipped=$(grep -c '^not ok .*# SKIP' "$log")
  if [ "$bad" -eq 0 ] && { [ "$code" -ne 0 ] || [ "$((good + skipped))" -ne "${planned:-0}" ] || [ "${planned:-0}" -eq 0 ]; }; then
    bad=1
  fi
  passed=$((passed + good)) failed=$((failed + bad))
  printf '%-32s %3d passed %2d failed\n' "$(basename "$program")" "$good" "$bad"
  [ "$bad" -eq 0 ] || { echo "exit code $code; the end of its output:" && tail -n 40 "$log"; }
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
