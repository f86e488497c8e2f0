#!/usr/bin/env bash
# The fuzz targets for FUZZ_SECONDS each (3), on a new seed or on FUZZ_SEED, and on all crashes of the past;
# then random sorts. Prints TAP, as scripts/run_tests.sh counts it.
set -u
cd "$(dirname "$0")/../.." || exit 1
targets=(netpbm npy options rewrite)
echo "1..$((${#targets[@]} + 1))"
seed=${FUZZ_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')} seconds=${FUZZ_SECONDS:-3}

result() { # NUMBER NAME EXIT-CODE TEXT
  if [ "$3" -eq 0 ]; then
    echo "ok $1 - $2: ${4//$'\n'/; }"
  else
    printf 'not ok %s - %s, FUZZ_SEED=%s\n# %s\n' "$1" "$2" "$seed" "${4//$'\n'/$'\n'# }"
  fi
}

text=$("${HW4_DIR:-build/cpu}/random_sorts" --time "$seconds" --seed "$seed" 2>&1)
result 1 "random sorts" $? "$text"
if ! command -v clang >/dev/null || ! ls "$(clang -print-resource-dir)"/lib/*/libclang_rt.fuzzer* >/dev/null 2>&1; then
  for target in "${targets[@]}"; do echo "ok - $target # skip clang or libclang-rt-dev is missing"; done
  exit 0
fi
number=1
for target in "${targets[@]}"; do
  number=$((number + 1))
  text=$(make -s "build/fuzz/$target" 2>&1 && FUZZ_SECONDS=$seconds FUZZ_SEED=$seed tests/fuzz/fuzz.sh "$target" 2>&1)
  result "$number" "$target" $? "$text"
done
