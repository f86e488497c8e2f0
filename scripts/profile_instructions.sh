#!/usr/bin/env bash
# Counts the instructions of each kernel of the radix path, for the report. Needs a GPU, ./compare and ncu (Nsight
# Compute), and leaves instructions.csv beside the device's records:
#   version,n,kernel,launches,warp_instructions       of one sort of n uniform pairs; one line per kernel
#   scripts/profile_instructions.sh report/results/DEVICE [VERSION...]
# The lines of versions that are not named, or that could not be profiled, stay as they are. N is the number of pairs (2^24). Exit code: 0, or 2 usage, 3 a version that could not be profiled.
set -euo pipefail
if [ $# -lt 1 ] || [ ! -d "$1" ]; then
  echo "profile_instructions: name a folder of records, report/results/DEVICE" >&2
  exit 2
fi
folder=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/.."
. scripts/ncu_counts.sh
. scripts/replace_file.sh
compare=${COMPARE:-./compare} n=${N:-16777216} code=0
[ -x "$compare" ] || { echo "profile_instructions: there is no $compare; make compare builds it" >&2; exit 2; }
[ $# -gt 0 ] || set -- radix_v1 radix_v2 radix_v3 radix_v4 radix_v5 radix_v6 radix_v7
part=$(mktemp)
trap 'rm -f "$part" "$part.log"' EXIT

# A row of one repetition sorts three times: warm-up, the timed run, and the workload's own input.
sorts=3
# Kernels of the harness are left out by these names.
kernels='regex:^(take_digit|histogram|scan_|add_sums|rank_|scatter|sort_|count_(digits|buckets|prefixes)|one_sweep|partition|sweep_|look_at_)'
header=version,n,kernel,launches,warp_instructions
: >"$part"
for version in "$@"; do
  echo "profile_instructions: $version" >&2
  ncu_counts "$version" "$part.log" --metrics smsp__inst_executed.sum --kernel-name "$kernels" \
    "$compare" "$version" --n "$n" --pairs --reps 1 --noise 0 --stages off --baseline none --no-fork --time-limit 60 |
    awk -F , -v version="$version" -v n="$n" -v sorts=$sorts '{ printf "%s,%s,%s,%g,%.0f\n", version, n, $1, $2 / sorts, $4 / sorts }' \
      >>"$part" || code=3
done
if [ -f "$folder/instructions.csv" ]; then
  # Of the versions that were not counted now.
  awk -F , 'FILENAME == ARGV[1] { counted[$1] = 1; next } FNR > 1 && !($1 in counted)' "$part" "$folder/instructions.csv" >"$part.log"
  cat "$part.log" >>"$part"
fi
{ echo "$header"; sort -V "$part"; } | replace_file "$folder/instructions.csv"
echo "profile_instructions: $folder/instructions.csv; make report shows it"
exit "$code"
