#!/usr/bin/env bash
# scripts/check_includes.sh: nothing to find in the repository, and everything in made-up ones.
# Prints TAP, as scripts/run_tests.sh counts it.
set -u
cd "$(dirname "$0")/../.." || exit 1
check_includes=$PWD/scripts/check_includes.sh
. tests/tap.sh
says() { grep -qxF -- "check_includes: $1" "$work/out"; }
run() { "$check_includes" "$@" >"$work/out" 2>&1; code=$?; }

run
check "the repository: nothing to find" is "$code" 0
check "... and hundreds of includes were read" is "$(grep -cE '^check_includes: [1-9][0-9]{2,} includes' "$work/out")" 1

# fresh: a small repository in which every kind of include is right.
tree=$work/tree
put() { # put FILE LINE ...
  mkdir -p "$tree/$(dirname "$1")"
  printf '%s\n' "${@:2}" >"$tree/$1"
}
include() { printf '#include "%s"' "$1"; }
fresh() {
  rm -rf "$tree"
  put cuda_cpu/cpuinfo.h ''
  put cuda_cpu/src/launch/grid.h ''
  put cuda_cpu/src/launch/grid.cpp "$(include grid.h)" "$(include ../../cpuinfo.h)"
  put cuda_cpu/src/graphs/graph.cpp "$(include ../launch/grid.h)"
  put gsort/block/scan.cuh ''
  put common/check.h "$(include gsort/block/scan.cuh)"
  put common/knobs.c "$(include common/check.h)" "$(include cuda_cpu/cpuinfo.h)"
  put harness/measure/measure.h "$(include common/check.h)"
  put harness/measure/measure.c "$(include harness/measure/measure.h)"
  put harness/hw4/main.c "$(include harness/measure/measure.h)"
  put harness/compare/rows.h "$(include harness/measure/measure.h)"
  put harness/compare/rows.c "$(include harness/compare/rows.h)" "$(include common/check.h)"
  put harness/compare/plan.h "$(include harness/compare/rows.h)"
  put radix_v6/sweep.cuh "$(include common/check.h)" "$(include gsort/block/scan.cuh)"
  put radix_v6/student_func.cu "$(include sweep.cuh)" "$(include generated_elsewhere.h)"
  put radix_v7/student_func.cu '// Builds on: radix_v6, whose sweeps it uses.' "$(include radix_v6/sweep.cuh)"
  put tests/test_rows.c "$(include harness/compare/rows.h)" "$(include radix_v6/sweep.cuh)"
  put build/cpu/old.c "$(include harness/hw4/main.c)"
}
finds() { # finds NAME SENTENCE: exactly this, in the tree as it is
  run "$tree"
  check "$1" is "$code $(cat "$work/out")" "1 check_includes: $2"
}

fresh
run "$tree"
check "downward includes: exit code 0" is "$code" 0
check "... all counted but the build" says '19 includes, all downward, no ring'

fresh; put common/stages.h "$(include harness/measure/measure.h)"
finds "common includes harness" "common/stages.h includes harness/measure/measure.h: common may not include harness/measure"
fresh; put cuda_cpu/bench/bench.cu "$(include common/check.h)"
finds "cuda_cpu includes common" "cuda_cpu/bench/bench.cu includes common/check.h: cuda_cpu may not include common"
fresh; put gsort/block/rank.cuh "$(include common/check.h)"
finds "gsort includes common" "gsort/block/rank.cuh includes common/check.h: gsort may not include common"
fresh; put harness/measure/clock.h '  #  include "harness/compare/rows.h" // in another style'
finds "harness includes compare" "harness/measure/clock.h includes harness/compare/rows.h: harness/measure may not include harness/compare"
fresh; put harness/process/message.h "$(include harness/measure/measure.h)"
finds "a lower room of harness includes a higher one" "harness/process/message.h includes harness/measure/measure.h: harness/process may not include harness/measure"
fresh; put harness/hw4/image.h ''; put harness/compare/scores.c "$(include ../hw4/image.h)"
finds "compare includes hw4, by a relative path" "harness/compare/scores.c includes harness/hw4/image.h: harness/compare may not include harness/hw4"
fresh; put multi/main.c "$(include harness/compare/rows.h)"
finds "multi includes compare" "multi/main.c includes harness/compare/rows.h: multi may not include harness/compare"
fresh; put multi/world/world.h "$(include multi/split/count.h)"; put multi/split/count.h ''
finds "a room of multi includes a higher one" "multi/world/world.h includes multi/split/count.h: multi/world may not include multi/split"
fresh; put multi/host/pipeline.h "$(include multi/device/shard.h)"; put multi/device/shard.h ''
finds "a room of multi includes one beside it" "multi/host/pipeline.h includes multi/device/shard.h: multi/host may not include multi/device"
fresh; put multi/move/scatter.cu '// Builds on: radix_v6' "$(include radix_v6/sweep.cuh)"; put multi/move/runs.cu "$(include radix_v6/sweep.cuh)"
finds "a file of multi includes a version without a word about it" "multi/move/runs.cu includes radix_v6/sweep.cuh: multi/move may not include radix_v6"
fresh; put multi/main.c "$(include multi/host/pipeline.h)" "$(include common/check.h)"; put multi/host/pipeline.h "$(include multi/world/world.h)"; put multi/world/world.h ''
run "$tree"
check "multi includes its rooms, and what these may include" is "$code" 0
fresh; put cuda_cpu/src/launch/launch.cpp "$(include ../graphs/graph.h)"; put cuda_cpu/src/graphs/graph.h ''
finds "the core of cuda_cpu includes a rarely used room" "cuda_cpu/src/launch/launch.cpp includes cuda_cpu/src/graphs/graph.h: cuda_cpu/src/launch may not include cuda_cpu/src/graphs"
fresh; put radix_v6/rank.cuh "$(include harness/measure/measure.h)"
finds "a version includes harness" "radix_v6/rank.cuh includes harness/measure/measure.h: radix_v6 may not include harness/measure"
fresh; put radix_v7/student_func.cu "$(include radix_v6/sweep.cuh)"
finds "a version includes one without a word about it" "radix_v7/student_func.cu includes radix_v6/sweep.cuh: radix_v7 may not include radix_v6"
fresh; put radix_v6/rank.cuh "$(include radix_v7/pairs.cuh)"; put radix_v7/pairs.cuh ''
finds "a version includes the one that builds on it" "radix_v6/rank.cuh includes radix_v7/pairs.cuh: radix_v6 may not include radix_v7"
fresh; put harness/verdict/verdict.h "$(include radix_v6/sweep.cuh)"
finds "harness includes a version" "harness/verdict/verdict.h includes radix_v6/sweep.cuh: harness/verdict may not include radix_v6"
fresh; put tests/reference.h ''; put harness/verdict/verdict.h "$(include tests/reference.h)"
finds "harness includes a test" "harness/verdict/verdict.h includes tests/reference.h: harness/verdict may not include tests"

fresh
put common/a.h "$(include common/b.h)"; put common/b.h "$(include common/c.h)"; put common/c.h "$(include common/a.h)"
put common/leads_there.c "$(include common/a.h)"
finds "a ring of three" "a ring: common/a -> common/b -> common/c -> common/a"
fresh
put common/a.h "$(include a.h)"
finds "a file that includes itself" "common/a.h includes itself"
for folder in harness/compare multi/move common cuda_cpu/src/launch; do
  fresh
  put "$folder/a.h" ''; put "$folder/b.h" ''
  put "$folder/a.c" "$(include "$folder/a.h")" "$(include "$folder/b.h")"
  put "$folder/b.c" "$(include "$folder/b.h")" "$(include "$folder/a.h")"
  finds "two parts of $folder that call each other" "a ring: $folder/a -> $folder/b -> $folder/a"
done
fresh
put common/a.h "$(include common/b.h)"; put common/b.h "$(include common/a.h)"
put radix_v6/a.h "$(include b.h)"; put radix_v6/b.h "$(include a.h)"
put common/up.h "$(include harness/measure/measure.h)"
run "$tree"
check "three findings at once" is "$code $(wc -l <"$work/out")" "1 3"

run "$work/nowhere"
check "no such folder: exit code 2" is "$code" 2
run "$tree" more
check "an argument too many: exit code 2" is "$code" 2
plan
