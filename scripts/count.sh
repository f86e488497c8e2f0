#!/usr/bin/env bash
# Counts what the kernels of one sort of N pairs ask of memory, on the cpu backend (cuda_cpu/count), and prints it as
# tables. Called by make count V=NAME [N=262144] [COUNT_EXPORT=FILE.json].
#   scripts/count.sh NAME N [FILE]      FILE: where the counts are written as JSON, too
# Exit code: compare's, if the sort is wrong; 2: usage or no build.
set -euo pipefail
cd "$(dirname "$0")/.."
quit() { echo "count: $1" >&2; exit 2; }
version=${1-} n=${2-}
[ -n "$version" ] || quit 'usage: make count V=NAME [N=262144] [COUNT_EXPORT=FILE.json]'
[ -f "$version/student_func.cu" ] || quit "there is no $version/student_func.cu"
# V=: this version, for make count, would mean verbose here.
build=$(make -s --no-print-directory V= BACKEND=cpu COUNT=1 print-B)
make -s V= BACKEND=cpu COUNT=1 "$build/compare" "$build/$version/version.so" || quit 'the build failed'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
counts=$work/counts.json
CUDA_CPU_COUNT=$counts "$build/compare" "$version" --n "$n" --pairs --reps 1 --noise 0 --stages off --baseline none \
  --no-fork --seed 1 >"$work/output" 2>&1 || { code=$?; cat "$work/output" >&2; exit "$code"; }
[ -s "$counts" ] || quit "$version has launched no kernel"
[ -z "${3-}" ] || cp "$counts" "$3"
echo "$version, one sort of $n uniform pairs"
cuda_cpu/count/table.py "$counts" --elements "$n"
