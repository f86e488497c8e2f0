#!/usr/bin/env bash
# Runs fuzz targets (build/fuzz/TARGET), each on its seeds and the crashes that were found before, then on new inputs for
# FUZZ_SECONDS, or FUZZ_RUNS inputs; FUZZ_SEED repeats a run. `make fuzz` builds them. Exit code 1 after a crash.
#   tests/fuzz/fuzz.sh TARGET...
set -u
cd "$(dirname "$0")/../.." || exit 1
for target in "$@"; do
  corpus=${FUZZ_CORPUS:-build/fuzz/corpus}/$target log=build/fuzz/$target.log
  mkdir -p "$corpus"
  options=(-timeout=5 -rss_limit_mb=4096 -malloc_limit_mb=3000)
  if [ -f "tests/fuzz/seeds/$target.dict" ]; then options+=("-dict=tests/fuzz/seeds/$target.dict"); fi
  # The rewriter is a program: it leaves its memory to the system when it refuses a text.
  leaks=1
  if [ "$target" = rewrite ]; then leaks=0 options+=(-detect_leaks=0); fi
  export ASAN_OPTIONS=detect_leaks=$leaks
  known=("tests/fuzz/seeds/$target")
  if [ -d "tests/fuzz/crashes/$target" ]; then known+=("tests/fuzz/crashes/$target"); fi
  if ! "build/fuzz/$target" "${options[@]}" -seed="${FUZZ_SEED:-1}" -max_total_time="${FUZZ_SECONDS:-12}" -runs="${FUZZ_RUNS:--1}" -verbosity=1 \
    -artifact_prefix="build/fuzz/$target-" -print_final_stats=1 "$corpus" "${known[@]}" 2>"$log"; then
    echo "fuzz: $target, FUZZ_SEED=${FUZZ_SEED:-1}"
    grep -v '^#' "$log" | tail -n 40
    exit 1
  fi
  echo "fuzz: $target, FUZZ_SEED=${FUZZ_SEED:-1}: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs"
done
