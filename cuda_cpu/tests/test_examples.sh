#!/usr/bin/env bash
# The examples print what their comments promise, and the missing barrier is caught. EXAMPLES names
# the folder of the built programs. Prints TAP.
set -u
count=0
expect() { # EXIT_CODE TEXT NAME COMMAND...
  local code=$1 text=$2 name=$3 got
  shift 3
  got=$("$@" 2>&1)
  local got_code=$?
  count=$((count + 1))
  case $got in
    *"$text"*) [ "$got_code" -eq "$code" ] && { echo "ok $count - $name"; return; } ;;
  esac
  echo "not ok $count - $name"
  echo "# exit code $got_code, output: $got"
}

echo "1..6"
expect 0 "1000 sums, 0 wrong; the last is 2997" "vector addition" "$EXAMPLES/add"
expect 0 "= 704982704 modulo 2^32, expected 704982704" "a reduction" "$EXAMPLES/reduce"
expect 0 "= 704982704 modulo 2^32" "a reduction under racecheck" env CUDA_CPU_RACECHECK=1 "$EXAMPLES/reduce"
expect 0 "0 of 64 sums are wrong" "a missing barrier is right by luck in index order" "$EXAMPLES/missing_barrier"
expect 1 "sums are wrong" "racecheck catches the missing barrier" env CUDA_CPU_RACECHECK=1 "$EXAMPLES/missing_barrier"
first=$(CUDA_CPU_RACECHECK=7 "$EXAMPLES/missing_barrier")
expect 1 "$first" "a seed repeats the run" env CUDA_CPU_RACECHECK=7 "$EXAMPLES/missing_barrier"
