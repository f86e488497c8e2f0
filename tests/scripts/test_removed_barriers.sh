#!/usr/bin/env bash
# CHECK=all finds missing barriers: one at a time is removed from a copy of the
# repository, and compare has to report a race near it and to exit with code 3. Each
# takes seconds to build, so by default only two are tried; MUTANTS=all tries every one.
set -u
cd "$(dirname "$0")/../.." || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL SANITIZE CHECK
. tests/tap.sh

# version, file, which of the file's __syncthreads() (or NAME:NUMBER for calls of another name), lines
# that the report may name on either side of it (or a part of the name of the file where the race is),
# and options with which the version needs the call. Not here: the one of mppsort/student_func.cu, which no thread needs.
barriers() {
  cat <<'LIST'
radix_v2 radix_v2/student_func.cu 1 15
radix_v3 radix_v3/student_func.cu 1 15
radix_v3 radix_v3/student_func.cu 2 15
radix_v3 radix_v3/student_func.cu 3 20
radix_v4 radix_v4/student_func.cu 1 15
radix_level2 radix_level2/student_func.cu 1 15
mppsort mppsort/partition.cuh 1 15
mppsort mppsort/partition.cuh 2 15
mppsort mppsort/partition.cuh 3 15
mppsort mppsort/partition.cuh 4 15
mppsort mppsort/partition.cuh 5 15
merge_three_step merge_three_step/student_func.cu 1 15
bitonic common/block_bitonic.cuh 1 40
bitonic common/block_bitonic.cuh 2 40
bitonic bitonic/textbook.cuh 1 20 --set bitonic.textbook=1
bitonic bitonic/textbook.cuh 2 25 --set bitonic.textbook=1
radix_v5 radix_v5/one_sweep.cuh __syncwarp:1 15
radix_v6 gsort/block/rank.cuh __syncwarp:1 15
radix_v1 gsort/block/scan.cuh 1 15
radix_v1 gsort/block/scan.cuh 2 15
radix_v2 common/count_tile.cuh 1 15
radix_v2 common/count_tile.cuh 2 15
radix_v4 common/one_bit_split.cuh 1 25
radix_v4 common/one_bit_split.cuh 2 block_scan --set radix_v4.nBits=8 --set radix_v4.blockSize=64
radix_v4 common/one_bit_split.cuh 3 25
LIST
}
list=$(if [ "${MUTANTS:-}" = all ]; then barriers; else barriers | sed -n '2p;11p'; fi)

git ls-files | grep -v '^report/' | tar -cf - -T - | tar -xf - -C "$work" || exit 1
build=$(make -s --no-print-directory BACKEND=cpu CHECK=all print-B)
[ ! -d "$build" ] || cp -rp --parents "$build" "$work"
cd "$work" || exit 1
while read -r version file which near options; do
  case $which in *:*) call=${which%:*} ;; *) call=__syncthreads ;; esac
  name="$version without $call number ${which#*:} of $file"
  line=$(grep -n "$call(.*);" "$file" | sed -n "${which#*:}s/:.*//p")
  cp "$file" "$work/kept"
  sed -i "${line}s/$call([^;]*);/;/" "$file"
  # shellcheck disable=SC2086 # several words
  make -s BACKEND=cpu CHECK=all "$build/compare" "$build/$version/version.so" >"$work/out" 2>&1 &&
    timeout 250 "$build/compare" "$version" $options --n 3000 --pairs --reps 1 --time-limit 60 >"$work/out" 2>&1
  code=$?
  found=$(grep '^racecheck: error:' "$work/out" | grep -o "$file:[0-9]*" | sed 's/.*://' |
    awk -v at="$line" -v near="$near" '$1 >= at - near && $1 <= at + near' | sort -un | tr '\n' ' ')
  case $near in *[!0-9]*) found=$(grep '^racecheck: error:' "$work/out" | grep -o "[a-z_/]*${near}[^ ]*" | sort -u | tr '\n' ' ') ;; esac
  check "$name: line $line, exit code $code, named: $found" test "$code" -eq 3 -a -n "$found"
  cp "$work/kept" "$file"
done <<<"$list"
plan
