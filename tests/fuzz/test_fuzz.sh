#!/usr/bin/env bash
# Random sorts, then the fuzz targets on all crashes of the past and on random inputs: the same ones each time,
# so that a result depends on the change under test alone. `make fuzz` draws a new seed. Prints TAP, as
# scripts/run_tests.sh counts it. FUZZ_RUNS: inputs for each target; a sort for every thousand.
set -u
cd "$(dirname "$0")/../.." || exit 1
targets=(netpbm npy rewrite)
echo "1..$((${#targets[@]} + 1))"
runs=${FUZZ_RUNS:-100000} corpus=$(mktemp -d)
trap 'rm -rf "$corpus"' EXIT
export FUZZ_SEED=1 FUZZ_RUNS=$runs FUZZ_SECONDS=120 FUZZ_CORPUS=$corpus

result() { # NUMBER NAME EXIT-CODE TEXT
  if [ "$3" -eq 0 ]; then
    echo "ok $1 - $2: ${4//$'\n'/; }"
  else
    printf 'not ok %s - %s\n# %s\n' "$1" "$2" "${4//$'\n'/$'\n'# }"
  fi
}

text=$("${HW4_DIR:-build/cpu}/random_sorts" --time 120 --cases $((runs / 1000)) --seed $FUZZ_SEED 2>&1)
result 1 "random sorts" $? "$text"
if ! command -v clang >/dev/null || ! ls "$(clang -print-resource-dir)"/lib/*/libclang_rt.fuzzer* >/dev/null 2>&1; then
  for target in "${targets[@]}"; do echo "ok - $target # skip clang or libclang-rt-dev is missing"; done
  exit 0
fi
number=1
for target in "${targets[@]}"; do
  number=$((number + 1))
  text=$(make -s "build/fuzz/$target" 2>&1 && tests/fuzz/fuzz.sh "$target" 2>&1)
  result "$number" "$target" $? "$text"
done
