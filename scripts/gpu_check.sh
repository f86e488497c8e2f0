#!/usr/bin/env bash
# All checks that need a real GPU:
#   1. builds every version and test for the GPU in this machine
#   2. runs the tests
#   3. runs compute-sanitizer's four tools over every version at small n
#   4. runs HW4 with every version: PASS, and the same picture from all of them
#   5. sorts more than 2^32 bare keys, as far as memory allows
#   6. measures, and writes the records as JSON
#
#   scripts/gpu_check.sh [--only build,test,sanitize,hw4,beyond,bench] [--versions "radix_v1 seq"]
# make's options (OPENCV=0, ARCH=sm_90) may come from the environment.
# Records go to $OUT (default: report/results). Needs nvcc, cmocka and jansson. Exit code 1 if
# anything failed.
set -u
cd "$(dirname "$0")/.." || exit 1
OUT=${OUT:-report/results}
. scripts/experiments.sh # slow_versions
only=build,test,sanitize,hw4,beyond,bench
versions=
while [ $# -gt 0 ]; do
  case $1 in
    --only | --versions) [ $# -gt 1 ] || { echo "gpu_check: $1 needs a list" >&2; exit 2; } ;;&
    --only) only=$2; shift 2 ;;
    --versions) versions=$2; shift 2 ;;
    *) echo "gpu_check: unknown option '$1'" >&2; exit 2 ;;
  esac
done
for name in ${only//,/ }; do
  case $name in
    build | test | sanitize | hw4 | beyond | bench) ;;
    *) echo "gpu_check: there is no step '$name'" >&2; exit 2 ;;
  esac
done
: "${versions:=$(make -s --no-print-directory BACKEND=cuda print-VERSIONS)}"
mkdir -p "$OUT"
make=(make -s --no-print-directory BACKEND=cuda)
B=$("${make[@]}" print-B)
failures=0

step() { case ",$only," in *",$1,"*) echo "== $1"; return 0 ;; *) return 1 ;; esac }
fail() { failures=$((failures + 1)); echo "FAILED: $*"; }

device=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -n 1 | sed 's/^NVIDIA //; s/[^A-Za-z0-9]\+/_/g')
[ -n "$device" ] || { echo "gpu_check: no GPU" >&2; exit 3; }
echo "device $device, driver $(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)"

if step build; then
  time "${make[@]}" -j"$(nproc)" build_tests compare || fail build
fi

if step test; then
  tests=$(for v in $versions; do echo "$B/$v/test"; done)
  # The scripts that measure, on this build.
  if command -v bats >/dev/null; then tests+=" tests/scripts/reproduce.bats"; else echo "bats is not installed: scripts not tested"; fi
  # shellcheck disable=SC2086,SC2046 # the names have no spaces
  HW4_DIR=$B scripts/run_tests.sh $("${make[@]}" print-TESTS) $tests || fail tests
  # One wrong element among 10^8, in each of the four ways.
  VERDICT_N=100000000 scripts/run_tests.sh "$B/tests/harness/test_verdict" || fail verdict
  # From radix_v5 on, blocks wait for each other (look-back): races between them show rarely.
  for v in $versions; do
    [[ $v != radix_v[5-9] ]] || EVERY_N=20000 REPEATS=200 scripts/run_tests.sh "$B/$v/test" || fail "many sorts"
  done
fi

# One tool over one program: sanitize NAME TOOL PROGRAM ARGUMENTS...
sanitize() {
  local name=$1 tool=$2 log code
  shift 2
  log=$(mktemp)
  # The tool itself crashes now and then at its start, before the program runs: it gets a second try.
  for _ in 1 2; do
    compute-sanitizer --tool "$tool" --error-exitcode 9 "$@" >"$log" 2>&1
    code=$?
    if [ "$code" -ne 139 ] || [ "$(wc -l <"$log")" -gt 1 ]; then break; fi
  done
  if [ "$code" -eq 0 ]; then
    echo "$tool $name: clean"
  elif grep -q 'Dynamic Parallelism is not supported' "$log"; then
    echo "$tool $name: not checked, the tool does not support dynamic parallelism"
  else
    echo "FAILED: $tool $name"
    grep -v '^ *$' "$log" | head -n 30
  fi
  rm -f "$log"
}

# sanitize_version VERSION TOOL OPTION...: at sizes around a tile's and a block's edges.
sanitize_version() {
  local sizes=1000,4097
  ! grep -qx "$1" <<<"$slow" || sizes=1000 # a launch per element: minutes under a tool
  sanitize "$1${3+ $3}" "$2" "$B/compare" "$1" --n "$sizes" --keys --pairs --reps 1 --time-limit 60 --no-fork --baseline none "${@:3}"
}

if step sanitize; then
  slow=$(compare=$B/compare && slow_versions)
  for version in $versions; do
    for tool in memcheck racecheck initcheck synccheck; do
      sanitize_version "$version" "$tool" &
      [ "$tool" != memcheck ] || sanitize_version "$version" "$tool" --offset=3,1,0,2 &
    done
    wait
  done | tee "$OUT/sanitizer_$device.txt"
  ! grep -q '^FAILED' "$OUT/sanitizer_$device.txt" || failures=$((failures + 1))
fi

if step hw4; then
  pictures=$(mktemp -d)
  for version in $versions; do
    echo "-- $version"
    "$B/$version/HW4" samples/portrait.ppm samples/template.ppm "$pictures/$version.ppm" || fail "HW4 $version"
  done | tee "$OUT/hw4_$device.txt"
  ! grep -q '^FAILED' "$OUT/hw4_$device.txt" || failures=$((failures + 1))
  pictures_found=$(find "$pictures" -name '*.ppm' | wc -l)
  different=$(sha256sum "$pictures"/*.ppm | cut -d' ' -f1 | sort -u)
  if [ "$pictures_found" -eq "$(echo "$versions" | wc -w)" ] && [ "$(echo "$different" | wc -l)" -eq 1 ]; then
    echo "the same picture from all $pictures_found: sha256 $different"
  else
    fail "pictures missing or different"
  fi
  rm -rf "$pictures"
fi

# Sizes beyond 32 bits: sort_beyond N OPTION ... An H200 holds all of them, an H100 not the largest.
sort_beyond() {
  local n=$1 log
  shift
  log=$(mktemp)
  NO_COLOR=1 "$B/compare" --n "$n" --reps 5 --time-limit 60 "$@" 2>&1 | tee "$log"
  case ${PIPESTATUS[0]} in
    0) ;;
    3) if grep -q 'failed: ' "$log" || ! grep -q 'refused: .* fit$' "$log"; then echo "FAILED: n = $n"; fi ;;
    *) echo "FAILED: n = $n" ;;
  esac
  rm -f "$log"
}

if step beyond; then
  "${make[@]}" compare || fail build
  {
    for n in 4294967297 6000000000; do sort_beyond "$n" cub_ref radix_v5 --baseline cub_ref --keys; done
    # Pairs whose look-back counts need 64 bits.
    sort_beyond 2147483648 cub_ref radix_v5 --baseline cub_ref --pairs
  } | tee "$OUT/beyond_$device.txt"
  ! grep -q '^FAILED' "$OUT/beyond_$device.txt" || failures=$((failures + 1))
fi

# The report's experiments; records in $OUT/DEVICE/.
if step bench; then
  OUT=$OUT scripts/reproduce.sh || fail bench
fi

echo "$failures failed"
[ "$failures" -eq 0 ]
