#!/usr/bin/env bash
# scripts/new_version.sh in a copy of what it needs. Prints TAP, as scripts/run_tests.sh counts it.
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r scripts radix_v2 radix_v6 "$work"
cd "$work" || exit 1

number=0
check() { # check NAME CONDITION ...: the condition's exit code decides
  local name=$1
  shift
  number=$((number + 1))
  if "$@"; then echo "ok $number - $name"; else echo "not ok $number - $name"; fi
}
refuses() { # refuses SENTENCE ARGUMENT ...: exit code 2, the sentence, and no file more
  local sentence=$1 before after code=0
  shift
  before=$(find . | sort)
  said=$(scripts/new_version.sh "$@" 2>&1) || code=$?
  after=$(find . | sort)
  [ "$code" = 2 ] && [[ $said == *"$sentence"* ]] && [ "$before" = "$after" ]
}
copies() { # copies NAME FROM: all code files are there, and none speaks of FROM as itself
  scripts/new_version.sh "$1" "$2" >/dev/null &&
    [ "$(cd "$1" && ls ./*.cu*)" = "$(cd "$2" && ls ./*.cu*)" ] && grep -q "^    \"$1\",$" "$1/student_func.cu" &&
    ! grep -q "\"$2\|include \"$2/\|${2^^}_" "$1"/*.cu* && grep -q "^# $1" "$1/README.md"
}

echo 1..7
check 'a version of one file' copies my_sort radix_v2
check 'a version of several files' copies my_sweep radix_v6
check 'a name that is taken' refuses 'there is a my_sort already' my_sort
check 'a name that is none' refuses "'My-Sort' is no name" My-Sort
check 'a name that leaves the folder' refuses "'../my' is no name" ../my
check 'a version that is not there' refuses 'there is no version radix_v9' other radix_v9
check 'no name at all' refuses 'usage: '
