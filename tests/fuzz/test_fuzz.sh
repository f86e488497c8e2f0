#!/usr/bin/env bash
# The fuzz targets on all crashes of the past and on the same 20,000 inputs each time, so that a change is
# judged by what it changed; `make fuzz` draws a new seed. Prints TAP, as scripts/run_tests.sh counts it.
set -u
cd "$(dirname "$0")/../.." || exit 1
targets=(netpbm npy options rewrite)
echo "1..${#targets[@]}"
if ! command -v clang >/dev/null || ! ls "$(clang -print-resource-dir)"/lib/*/libclang_rt.fuzzer* >/dev/null 2>&1; then
  for target in "${targets[@]}"; do echo "ok - $target # skip clang or libclang-rt-dev is missing"; done
  exit 0
fi
number=0 corpus=$(mktemp -d)
trap 'rm -rf "$corpus"' EXIT
for target in "${targets[@]}"; do
  number=$((number + 1))
  if text=$(make -s "build/fuzz/$target" 2>&1 && FUZZ_SECONDS=60 FUZZ_RUNS=20000 FUZZ_SEED=1 FUZZ_CORPUS=$corpus tests/fuzz/fuzz.sh "$target" 2>&1); then
    echo "ok $number - $text"
  else
    echo "not ok $number - $target"
    echo "# ${text//$'\n'/$'\n'# }"
  fi
done
