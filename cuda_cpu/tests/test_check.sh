#!/usr/bin/env bash
# CHECK builds find races, reads before any write and accesses outside arrays, and are silent about
# right programs: a copy of this folder is built with CHECK=all. Prints TAP.
set -u
cd "$(dirname "$0")/.." || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL BACKEND SANITIZE CHECK B
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tests=(test_race test_race_silent test_order test_cluster)

echo "1..$((${#tests[@]} + 1))"
# The runtime is not optimised here, which saves more time to build it than it costs.
if make -s -j2 CHECK=all B="$work" CXXFLAGS="-O0 -g1 -Wall -Wextra -Werror" "${tests[@]/#/$work/tests/}" >"$work/log" 2>&1; then
  echo "ok 1 - builds"
else
  echo "not ok 1 - builds"
  sed 's/^/# /' "$work/log" | tail -n 40
fi
for i in "${!tests[@]}"; do
  # A skipped test would show that the build is none with CHECK.
  if "$work/tests/${tests[$i]}" >"$work/log" 2>&1 && ! grep -q SKIP "$work/log"; then
    echo "ok $((i + 2)) - ${tests[$i]}"
  else
    echo "not ok $((i + 2)) - ${tests[$i]}"
    sed 's/^/# /' "$work/log" | tail -n 40
  fi
done
