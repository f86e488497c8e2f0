#!/usr/bin/env bash
# Runs test programs that print TAP, and bats files; ends with the names of the tests that failed and
# "N passed, N failed". A program that crashes, is cut off or runs fewer tests than it planned counts as one more failure. Exit
# code 1 if anything failed, or nothing passed.
#   scripts/run_tests.sh build/cpu/tests/test_image build/cpu/seq/test tests/scripts/bench.bats ...
#   scripts/run_tests.sh --jobs 2 TEST ... --copy TEST ...
# --jobs N runs N at once. Those after --copy change the tree, as a student does who adds a version: they run one at a
# time, in a copy of it that all of them share. Each line is printed when its test ends.
set -u
unset MAKEFLAGS MFLAGS MAKELEVEL  # a test that calls make is not a part of the one that runs the tests
jobs=1 group=here
programs=() groups=()
while [ $# -gt 0 ]; do
  case $1 in
    --jobs) jobs=$2; shift ;;
    --copy) group=copy ;;
    *) programs+=("$1"); groups+=("$group") ;;
  esac
  shift
done
passed=0 failed=0 skipped=0
failures=()
logs=$(mktemp -d)
mkdir "$logs/copy"
[ $group = here ] || cp -a . "$logs/copy"
declare -A waiting=([here]='' [copy]='') test_of=() started=()
copy_is_free=1
trap 'rm -rf "$logs"' EXIT
trap 'kill "${!test_of[@]}" 2>/dev/null; exit 130' INT TERM

# A shell's background processes ignore Ctrl-C; timeout takes that back for what it runs, as tests that interrupt a
# program need it.
start() { # NUMBER
  local program=${programs[$1]} command
  command=("$program")
  [[ $program != *.bats ]] || command=(bats --tap --print-output-on-failure "$program")
  [ "${groups[$1]}" = here ] || command=(env -C "$logs/copy" "${command[@]}")
  CMOCKA_MESSAGE_OUTPUT=TAP timeout "${TEST_TIMEOUT:-600}" "${command[@]}" >"$logs/$1" 2>&1 &
  test_of[$!]=$1 started[$1]=$(date +%s%N)
}

# Starts the next test that may run now; false if there is none.
start_next() {
  local next=here
  [ "$copy_is_free" -eq 0 ] || [ -z "${waiting[copy]}" ] || next=copy copy_is_free=0
  local number=${waiting[$next]%% *}
  [ -n "$number" ] || return
  waiting[$next]=${waiting[$next]#* }
  start "$number"
}

# Counts and prints what test NUMBER did, which ended with CODE.
report() { # NUMBER CODE
  local program=${programs[$1]} log=$logs/$1 code=$2 skip good bad planned seconds line
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
  seconds=$(awk -v t="$(($(date +%s%N) - started[$1]))" 'BEGIN { print t / 1e9 }')
  if [ "$skip" -gt 0 ] && [ "$((good + bad))" -eq 0 ]; then
    printf '%-44s skipped: %s\n' "$program" "$(sed -n 's/^\(not \)\{0,1\}ok .*# *\(skip\|SKIP\) *//p' "$log" | head -n 1)"
  else
    printf '%-44s %4d passed %3d failed %7.1f s%s\n' "$program" "$good" "$bad" "$seconds" "$([ "$skip" -eq 0 ] || echo ", $skip skipped")"
  fi
  if [ "$bad" -gt 0 ]; then
    printf 'exit code %s; the end of its output:\n' "$code"
    tail -n 40 "$log"
  fi
  rm "$log"
}

for number in "${!programs[@]}"; do waiting[${groups[number]}]+="$number "; done
while :; do
  while [ "${#test_of[@]}" -lt "$jobs" ] && start_next; do :; done
  [ "${#test_of[@]}" -gt 0 ] || break
  wait -n -p ended "${!test_of[@]}"
  code=$?
  [ -n "${ended-}" ] || { failures+=("run_tests: lost a test") failed=$((failed + 1)); break; }
  number=${test_of[$ended]}
  unset "test_of[$ended]"
  [ "${groups[number]}" = here ] || copy_is_free=1
  report "$number" "$code"
done
[ "$skipped" -eq 0 ] || echo "$skipped skipped"
[ "$failed" -eq 0 ] || printf 'failed: %s\n' "${failures[@]}"
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
