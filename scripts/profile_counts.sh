#!/usr/bin/env bash
# Nsight Compute's counts beside the cpu backend's (cuda_cpu/count), for each kernel of one sort.
#   scripts/profile_counts.sh ncu FILE.csv [VERSION...]    needs a GPU, ./compare and ncu; writes FILE.csv:
#     version,n,kind,kernel,launches,metric,sum            sums over the launches of a name; kind: pairs or keys
#   scripts/profile_counts.sh table FILE.csv...            needs no GPU: counts the same sorts, prints the table
# The sorts: 262,144 pairs, 2^20 pairs and 2^20 keys, or those of SORTS="262144:pairs 1048576:keys"; without VERSION all
# that launch kernels and end soon. Exit code: 0, 2 usage, 3 a version that could not be profiled; the others are in FILE.csv.
set -euo pipefail
quit() { echo "profile_counts: $1" >&2; exit 2; }
[ $# -ge 2 ] || quit 'usage: scripts/profile_counts.sh ncu FILE.csv [VERSION...], or table FILE.csv...'
what=$1 file=$(realpath "$2")
[ "$what" != table ] || mapfile -t files < <(realpath "${@:2}")
shift 2
cd "$(dirname "$0")/.."
. scripts/ncu_counts.sh
. scripts/replace_file.sh
part=$(mktemp -d)
trap 'rm -rf "$part"' EXIT
one_sort=(--reps 1 --noise 0 --stages off --baseline none --no-fork --seed 1)

if [ "$what" = table ]; then
  build=$(make -s --no-print-directory BACKEND=cpu COUNT=1 print-B)
  mapfile -t sorts < <(tail -qn +2 "${files[@]}" | cut -d , -f 1-3 | sort -u)
  goals=("${sorts[@]%%,*}")
  goals=("${goals[@]/#/$build/}")
  make -s BACKEND=cpu COUNT=1 "$build/compare" "${goals[@]/%//version.so}" || quit 'the build failed'
  for sort in "${sorts[@]}"; do
    IFS=, read -r version n kind <<<"$sort"
    CUDA_CPU_COUNT=$part/$version,$n,$kind.json "$build/compare" "$version" --n "$n" "--$kind" "${one_sort[@]}" >"$part/log" 2>&1 ||
      { cat "$part/log" >&2; exit 3; }
  done
  scripts/counts_beside_ncu.py "$part" "${files[@]}"
  exit
fi
[ "$what" = ncu ] || quit "'$what' is neither ncu nor table"
compare=${COMPARE:-./compare}
[ -x "$compare" ] || quit "there is no $compare; make compare builds it"
[ $# -gt 0 ] || set -- radix_v{1,2,3,4,5,6,7,8,9} radix_level1 radix_level2 merge_bottomup merge_three_step merge_v2 bitonic bitonic_v2 mppsort mppsort_v2
metrics=$(printf 'l1tex__t_%s.sum,' {requests,sectors}_pipe_lsu_mem_global_op_{ld,st,atom,red})
metrics+=$(printf 'l1tex__data_%s.sum,' {pipe_lsu_wavefronts,bank_conflicts_pipe_lsu}_mem_shared_op_{ld,st,atom})dram__bytes.sum
code=0
for sort in ${SORTS:-262144:pairs 1048576:pairs 1048576:keys}; do
  n=${sort%:*} kind=${sort#*:}
  for version in "$@"; do
    echo "profile_counts: $version, $n $kind" >&2
    ncu_counts "$version" "$part/log" --profile-from-start off --metrics "$metrics" \
      "$compare" "$version" --n "$n" "--$kind" "${one_sort[@]}" | sed "s/^/$version,$n,$kind,/" >>"$part/all" || code=3
  done
done
{ echo version,n,kind,kernel,launches,metric,sum; cat "$part/all"; } | replace_file "$file"
exit "$code"
