#!/usr/bin/env bash
# Counts what the kernels of one sort of N pairs ask of memory, on the cpu backend (cuda_cpu/count), and prints it as
# tables. Called by make count V="NAME [OTHERS]" [N=262144] [COUNT_EXPORT=FILE.json] [LINE=84 [PICTURE=1]].
#   scripts/count.sh "NAME [OTHERS]" N [FILE] [LINE] [PICTURE]
#     OTHERS: versions that NAME is compared with; of NAME_v3, if none is named, NAME_v2
#     FILE: where the counts of NAME are written as JSON, too
#     LINE: 84, of NAME/student_func.cu, or pairs.cuh:19, in place of the lines that cost most
#     PICTURE: not empty: draws its warps, lanes x addresses, build/count/NAME_LINE.svg
# Exit code: compare's, if the sort is wrong; 2: usage or no build.
set -euo pipefail
cd "$(dirname "$0")/.."
quit() { echo "count: $1" >&2; exit 2; }
read -ra versions <<<"${1-}"
n=${2-} line=${4-}
[ ${#versions[@]} -gt 0 ] || quit 'usage: make count V=NAME [N=262144] [COUNT_EXPORT=FILE.json] [LINE=84 [PICTURE=1]]'
if [[ ${#versions[@]} = 1 && $1 =~ ^(.*_v)([0-9]+)$ ]]; then
  before=${BASH_REMATCH[1]}$((BASH_REMATCH[2] - 1))
  [ ! -f "$before/student_func.cu" ] || versions+=("$before")
fi
for version in "${versions[@]}"; do
  [ -f "$version/student_func.cu" ] || quit "there is no $version/student_func.cu"
done
[[ ! $line =~ ^[0-9]+$ ]] || line=${versions[0]}/student_func.cu:$line
[ -n "$line" ] || [ -z "${5-}" ] || quit 'PICTURE=1 goes with LINE='
# V=: this version, for make count, would mean verbose here.
build=$(make -s --no-print-directory V= BACKEND=cpu COUNT=1 print-B)
goals=("$build/compare")
for version in "${versions[@]}"; do goals+=("$build/$version/version.so"); done
make -s V= BACKEND=cpu COUNT=1 "${goals[@]}" || quit 'the build failed'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for version in "${versions[@]}"; do
  CUDA_CPU_COUNT=$work/$version.json "$build/compare" "$version" --n "$n" --pairs --reps 1 --noise 0 --stages off --baseline none \
    --no-fork --seed 1 >"$work/output" 2>&1 || { code=$?; cat "$work/output" >&2; exit "$code"; }
  [ -s "$work/$version.json" ] || quit "$version has launched no kernel"
done
[ -z "${3-}" ] || cp "$work/${versions[0]}.json" "$3"
files=("${versions[@]/%/.json}")
cd "$work"
echo "${versions[0]}, one sort of $n uniform pairs"
"$OLDPWD/cuda_cpu/count/table.py" "${files[@]}" --elements "$n" ${line:+--line "$line"}
cd "$OLDPWD"
[ -z "${5-}" ] || cuda_cpu/count/picture.py "$work/${versions[0]}.json" "$line" "build/count/${versions[0]}_${line##*[/:]}.svg"
