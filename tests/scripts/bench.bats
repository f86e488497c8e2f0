# scripts/bench.sh: the files in the folder of records after a run, a mistake and an interruption.
bats_require_minimum_version 1.5.0

# $D/bin holds every program that the script may call; jq is added by the tests that allow it.
setup() {
  cd "$BATS_TEST_DIRNAME/../.." || return
  build=${HW4_DIR:-build/cpu} D=$BATS_TEST_TMPDIR
  mkdir "$D/bin" "$D/out"
  local tool
  for tool in bash dirname head mktemp rm tail sed chmod mv mkdir wc cat readlink; do ln -s "$(command -v $tool)" "$D/bin/"; done
}
allow_jq() { ln -s "$(command -v jq)" "$D/bin/"; }

bench() { PATH=$D/bin OUT=$D/out bash scripts/bench.sh --compare "${compare:?}" --n 50 --dist sorted "$@"; }
bench_real() { compare=$build/compare && bench "$@"; }

# bench_fake TEXT CODE: a compare that prints this text and ends with this exit code, which is the script's too.
bench_fake() {
  printf '#!/bin/sh\ncat <<"END"\n%s\nEND\nexit %d\n' "$1" "$2" >"$D/compare"
  chmod +x "$D/compare"
  compare=$D/compare bench
}

record='{
 "device": {
  "name": "NVIDIA H100 80GB HBM3 (a)",
  "backend": "cuda"
 },
 "rows": [
  {
   "name": "x",
   "status": "ok"
  }
 ]
}'

# interrupted ARGUMENT ...: Ctrl-C in the middle of the rows. It reaches the script and compare: `set -m` gives
# them a process group of their own, as a shell on a terminal does.
interrupted() {
  local code=0
  set -m
  PATH=$D/bin OUT=$D/out bash scripts/bench.sh --compare "$build/compare" --n 50 --dist sorted "$@" >"$D/text" 2>&1 &
  set +m
  case $build in *cuda*) sleep 10 ;; *) sleep 1.5 ;; esac
  kill -INT -- "-$!"
  wait "$!" || code=$?
  cat "$D/text"
  return "$code"
}

@test "a record without jq: named after the device, with all rows" {
  run -0 bench_real -- seq --reps 1 --baseline none
  [[ $output == *'.json, 2 rows' ]]
  find "$D/out" -name '*.json' -printf '%f\n' | grep '^[A-Za-z0-9_]*[A-Za-z0-9].json$'
  jq -e '.rows | length == 2' "$D"/out/*.json
}

@test "the name of a GPU, and a wrong row, which is a result too" {
  run -1 bench_fake "$record" 1
  [[ $output == *'H100_80GB_HBM3_a.json, 1 rows' ]]
  [ "$(ls -A "$D/out")" = H100_80GB_HBM3_a.json ]
  grep '"backend": "cuda"' "$D"/out/*.json
}

@test "--append without jq is refused" {
  run -2 bench_real --append -- seq --reps 1
  [ "$output" = 'bench: --append needs jq, which is not installed' ]
}

@test "--append adds rows to the record" {
  allow_jq
  bench_real -- seq --reps 1 --baseline none
  run -0 bench_real --append -- seq --reps 1 --baseline none
  [[ $output == *'.json, 4 rows' ]]
  jq -e '(.rows | length) == 4 and (.interrupted | not)' "$D"/out/*.json
}

@test "an unknown option" {
  run -2 bench_real --wrong
  [ "$output" = "bench: unknown option '--wrong'" ]
}

@test "an option without its value" {
  run -2 bench_real --dist
  [ "$output" = 'bench: --dist needs a value' ]
}

@test "a record that breaks off does not replace a whole one" {
  bench_fake "$record" 0
  run -2 bench_fake '{
 "device": {
  "name": "H100",' 2
  [ "$output" = 'bench: the record is incomplete and was dropped' ]
  [ "$(ls -A "$D/out")" = H100_80GB_HBM3_a.json ]
  grep '"status": "ok"' "$D"/out/*.json
}

@test "Ctrl-C: the measured rows are kept, but they do not replace a whole record" {
  local arguments=(-- seq "$build/tests/sorts/crash_sort/version.so" --set way=3 --baseline none --time-limit 60)
  run -130 interrupted "${arguments[@]}" # the first row takes no time, the second hangs
  jq -e '.interrupted and (.rows | length) == 1' "$D"/out/*.json
  cp "$D"/out/*.json "$D/before"
  run -130 interrupted "${arguments[@]}"
  [[ $output == *'bench: interrupted; '* ]]
  cmp "$D/before" "$D"/out/*.json
  [ "$(find "$D/out" -type f | wc -l)" = 1 ]
}
