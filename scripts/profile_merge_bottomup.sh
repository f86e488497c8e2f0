#!/usr/bin/env bash
# Profiles both tests of the bottom-up merge slides, for the report (experiment 4). Optional: it needs a
# GPU, a C compiler, ./compare and ncu (Nsight Compute), and leaves beside the device's records
#   api_merge_bottomup_testN.csv   calls of the CUDA runtime in one sort of 100M keys (scripts/api_times.c)
#   ncu_merge_bottomup_testN.csv   occupancy, throughputs and L1 hit rate of each parent kernel
#   scripts/profile_merge_bottomup.sh report/results/DEVICE
# A profile that cannot be measured is one line "# reason" in its file, which the page shows. Nsight Compute
# does not profile kernels that launch kernels on every GPU; so in its runs childFrom is at its maximum, and
# the parents launch nothing. Exit code: 0, or 2 usage, 3 compare failed.
set -euo pipefail
if [ $# -ne 1 ] || [ ! -d "$1" ]; then
  echo "profile_merge_bottomup: name a folder of records, report/results/DEVICE" >&2
  exit 2
fi
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
. scripts/replace_file.sh
compare=${COMPARE:-./compare} n=${N:-100M}
[ -x "$compare" ] || { echo "profile_merge_bottomup: there is no $compare; make compare builds it" >&2; exit 2; }
case $("$compare" --list | head -n 1) in
  *'cuda backend'*) ;;
  *) echo "profile_merge_bottomup: $compare is of the cpu backend; this needs a GPU" >&2; exit 2 ;;
esac
mkdir -p build
part=$(mktemp)
trap 'rm -f "$part" "$part.log"' EXIT

run=(merge_bottomup --n "$n" --keys --reps 1 --stages off --baseline none --no-fork --time-limit 60)
tests=("1 32 1024" "2 16 256")

"${CC:-cc}" -D_GNU_SOURCE -O2 -shared -fPIC scripts/api_times.c -o build/api_times.so -ldl
for test in "${tests[@]}"; do
  read -r number parent child <<<"$test"
  rm -f "$part"
  echo "profile_merge_bottomup: test $number, API calls"
  API_TIMES=$part LD_PRELOAD=$PWD/build/api_times.so "$compare" "${run[@]}" \
    --set parentBlock="$parent" --set childBlock="$child" >"$part.log" || { cat "$part.log" >&2; exit 3; }
  [ -s "$part" ] || echo "# no call was seen: the CUDA runtime is linked statically" >"$part"
  replace_file "$folder/api_merge_bottomup_test$number.csv" <"$part"
done

metrics=gpu__time_duration.sum
metrics+=,sm__throughput.avg.pct_of_peak_sustained_elapsed
metrics+=,gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed
metrics+=,dram__throughput.avg.pct_of_peak_sustained_elapsed
metrics+=,l1tex__throughput.avg.pct_of_peak_sustained_active
metrics+=,lts__t_sectors.avg.pct_of_peak_sustained_elapsed
metrics+=,sm__maximum_warps_per_active_cycle_pct
metrics+=,sm__warps_active.avg.pct_of_peak_sustained_active
metrics+=,l1tex__t_sector_hit_rate.pct
for test in "${tests[@]}"; do
  read -r number parent child <<<"$test"
  out=$folder/ncu_merge_bottomup_test$number.csv
  if ! command -v ncu >/dev/null; then
    echo "# ncu is not installed there" | replace_file "$out"
    continue
  fi
  echo "profile_merge_bottomup: test $number, Nsight Compute"
  # The first 15 launches are the passes that the parents merge themselves anyway (childFrom is 32,768).
  # Then the program is ended: in the last passes a handful of threads would merge for minutes.
  ncu --csv --metrics "$metrics" --kernel-name coordinate_merges --launch-count 15 --kill yes \
    "$compare" "${run[@]}" --set parentBlock="$parent" --set childBlock="$child" --set childFrom=1073741824 \
    >"$part" 2>"$part.log" || true
  if grep -q 'gpu__time_duration' "$part"; then
    # Only the table: ncu and compare write other lines before it.
    sed -n '/^"ID",/,$p' "$part" | grep '^"' | replace_file "$out"
  else
    { printf '# ncu refused: '; cat "$part" "$part.log" | grep -m 1 -E '==ERROR==|not supported|denied' || echo 'no kernel was profiled'; } | replace_file "$out"
  fi
done
echo "profile_merge_bottomup: $folder/{api,ncu}_merge_bottomup_test{1,2}.csv; make report shows them"
