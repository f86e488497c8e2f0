# For tests in shell, to be sourced: a folder $work, removed at the end, and checks that print TAP, as
# scripts/run_tests.sh counts it. `run PROGRAM ...` leaves a program's output in $work/out and $work/err and its
# exit code in $code. A test ends with `plan`.
# shellcheck shell=bash disable=SC2034
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0 code=0

check() { # check NAME CONDITION ...: passes if the command CONDITION does; else prints the output
  local name=$1
  shift
  number=$((number + 1))
  if "$@"; then echo "ok $number - $name"; return; fi
  echo "not ok $number - $name"
  echo "# the output was:"
  cat "$work/out" "$work/err" 2>/dev/null | sed 's/^/# /'
}
run() { "$@" >"$work/out" 2>"$work/err"; code=$?; }
ends() { # ends NAME CODE SENTENCE: the exit code, and this line alone on standard error
  check "$1: exit code $2, one sentence" is "$code $(cat "$work/err")" "$2 $3"
}
skip() { number=$((number + 1)); echo "not ok $number - $1 # SKIP"; }
skip_all() { skip "$1"; plan; exit; }
plan() { echo "1..$number"; }
is() { [ "$1" = "$2" ]; }
not() { ! "$@"; }
