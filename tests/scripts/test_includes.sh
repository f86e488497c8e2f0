#!/usr/bin/env bash
# scripts/check_includes.sh: nothing to find in the repository, and everything in made-up ones.
set -u
cd "$(dirname "$0")/../.." || exit 1
check_includes=$PWD/scripts/check_includes.sh
. tests/tap.sh
reads() { run "$check_includes" "$@"; }

reads
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
finds() { # finds NAME CODE SENTENCE: exactly this, in the tree as it is
  reads "$tree"
  check "$1" is "$code $(cat "$work/out" "$work/err")" "$2 check_includes: $3"
}
forbids() { # forbids FILE INCLUDED [FOLDER]: a FILE that includes this; the name of its folder in the sentence, if it is another
  put "$2" ''
  put "$1" "$(include "$2")"
  finds "$1 includes $2" 1 "$1 includes $2: ${3:-${1%/*}} may not include ${2%/*}"
  fresh
}

fresh
finds "downward includes, all counted but the build" 0 '19 includes, all downward, no ring'

forbids common/stages.h harness/measure/measure.h
forbids cuda_cpu/bench/bench.cu common/check.h cuda_cpu
forbids gsort/block/rank.cuh common/check.h gsort
forbids harness/process/message.h harness/measure/measure.h # a lower room, a higher one
forbids multi/main.c harness/compare/rows.h
forbids multi/world/world.h multi/split/count.h
forbids multi/host/pipeline.h multi/device/shard.h # rooms beside each other
forbids cuda_cpu/src/launch/launch.cpp cuda_cpu/src/graphs/graph.h
forbids radix_v6/rank.cuh harness/measure/measure.h
forbids radix_v7/student_func.cu radix_v6/sweep.cuh # without a word about it
forbids radix_v6/rank.cuh radix_v7/pairs.cuh        # the one that builds on it
forbids harness/verdict/verdict.h radix_v6/sweep.cuh
forbids harness/verdict/verdict.h tests/reference.h
put harness/measure/clock.h '  #  include "harness/compare/rows.h" // in another style'
finds "another style" 1 "harness/measure/clock.h includes harness/compare/rows.h: harness/measure may not include harness/compare"
fresh; put harness/hw4/image.h ''; put harness/compare/scores.c "$(include ../hw4/image.h)"
finds "a relative path" 1 "harness/compare/scores.c includes harness/hw4/image.h: harness/compare may not include harness/hw4"
fresh; put multi/move/scatter.cu '// Builds on: radix_v6' "$(include radix_v6/sweep.cuh)"; put multi/move/runs.cu "$(include radix_v6/sweep.cuh)"
finds "a file of multi includes a version without a word about it" 1 "multi/move/runs.cu includes radix_v6/sweep.cuh: multi/move may not include radix_v6"
fresh; put multi/main.c "$(include multi/host/pipeline.h)" "$(include common/check.h)"; put multi/host/pipeline.h "$(include multi/world/world.h)"; put multi/world/world.h ''
finds "multi includes its rooms, and what these may include" 0 '22 includes, all downward, no ring'

fresh
put common/a.h "$(include common/b.h)"; put common/b.h "$(include common/c.h)"; put common/c.h "$(include common/a.h)"
put common/leads_there.c "$(include common/a.h)"
finds "a ring of three" 1 "a ring: common/a -> common/b -> common/c -> common/a"
fresh
put common/a.h "$(include a.h)"
finds "a file that includes itself" 1 "common/a.h includes itself"
for folder in harness/compare multi/move common cuda_cpu/src/launch; do
  fresh
  put "$folder/a.h" ''; put "$folder/b.h" ''
  put "$folder/a.c" "$(include "$folder/a.h")" "$(include "$folder/b.h")"
  put "$folder/b.c" "$(include "$folder/b.h")" "$(include "$folder/a.h")"
  finds "two parts of $folder that call each other" 1 "a ring: $folder/a -> $folder/b -> $folder/a"
done
fresh
put common/a.h "$(include common/b.h)"; put common/b.h "$(include common/a.h)"
put radix_v6/a.h "$(include b.h)"; put radix_v6/b.h "$(include a.h)"
put common/up.h "$(include harness/measure/measure.h)"
reads "$tree"
check "three findings at once" is "$code $(wc -l <"$work/err")" "1 3"

reads "$work/nowhere"
check "no such folder: exit code 2" is "$code" 2
reads "$tree" more
check "an argument too many: exit code 2" is "$code" 2
plan
