#!/usr/bin/env bash
# A lab's starter with its parts written: the version's code, and the starter's calls that show arrays.
#   tests/labs/solved.sh LAB NAME
set -euo pipefail
cd "$(dirname "$0")/../.."
scripts/starter.sh "$1" "$2" >/dev/null
# In each change the version's lines stand in the place of the TODO and its stubs.
{ diff -d --unchanged-line-format=' %L' --old-line-format='-%L' --new-line-format='+%L' "$1/student_func.cu" "$2/student_func.cu" || [ $? = 1 ]; } |
  awk 'function written() { printf "%s", solution; solution = "" }
    /^-(#include "'"$1"'\/|    \.(name|title) =)/ { next }
    /^-/ { solution = solution substr($0, 2) "\n"; next }
    /^\+ *\/\/ (TODO |      )|^\+.*  \/\/ stub$/ { written(); next }
    /^ / { written() }
    { print substr($0, 2) }' >"$2/solved"
mv "$2/solved" "$2/student_func.cu"
