#!/usr/bin/env bash
# Random sorts, then the fuzz targets on all crashes of the past and on random inputs: the same ones each time,
# so that a result depends on the change under test alone. `make fuzz` draws a new seed.
# FUZZ_RUNS: inputs for each target; a sort for every thousand.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
runs=${FUZZ_RUNS:-100000}
export FUZZ_SEED=1 FUZZ_RUNS=$runs FUZZ_SECONDS=120 FUZZ_CORPUS=$work/corpus
mkdir "$FUZZ_CORPUS"

run "${HW4_DIR:-build/cpu}/random_sorts" --time 120 --cases $((runs / 1000)) --seed $FUZZ_SEED
check "random sorts" is "$code" 0
for target in netpbm npy rewrite; do
  if ! command -v clang >/dev/null || ! ls "$(clang -print-resource-dir)"/lib/*/libclang_rt.fuzzer* >/dev/null 2>&1; then
    skip "$target: clang or libclang-rt-dev is missing"
    continue
  fi
  { make -s "build/fuzz/$target" && tests/fuzz/fuzz.sh "$target"; } >"$work/out" 2>&1
  check "$target" is $? 0
done
plan
