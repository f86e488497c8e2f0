#!/usr/bin/env bash
# The standard comparison: all versions, keys and pairs, five sizes, at least five inputs. Its record
# goes to report/results/DEVICE.json.
#   scripts/bench.sh [--n SIZES] [--dist INPUTS] [--append] [--compare PATH] [-- OPTIONS OF compare]
# --append adds the rows to the record that is there (of the same device), so that a long run can be
# made in parts. OUT names another folder than report/results. On the cpu backend the sizes are a
# thousandth to a ten-thousandth, because there a GPU's threads are a loop on a few cores; the record
# says which backend it is from.
set -euo pipefail
cd "$(dirname "$0")/.."
OUT=${OUT:-report/results}
compare=./compare sizes='' inputs=uniform,entropy3,gaussian,zipf,sorted,all-equal append=0
while [ $# -gt 0 ]; do
  case $1 in
    --n) sizes=$2; shift 2 ;;
    --dist) inputs=$2; shift 2 ;;
    --append) append=1; shift ;;
    --compare) compare=$2; shift 2 ;;
    --) shift; break ;;
    *) echo "bench: unknown option '$1'" >&2; exit 2 ;;
  esac
done
for real in scores morton; do # real inputs, where scripts/real_inputs.js has been run
  if [ -f "build/inputs/$real.npy" ] && [[ $inputs == *,* ]]; then inputs+=,$real; fi
done
if [ -z "$sizes" ]; then
  case $("$compare" --list | head -n 1) in
    *'cuda backend'*) sizes=220480,1M,8M,100M,2^28 ;;
    *) sizes=256,1024,4096,16384
       echo "bench: cpu backend: n is scaled down to $sizes" >&2 ;;
  esac
fi
record=$(mktemp)
trap 'rm -f "$record" "$record.all"' EXIT
code=0
"$compare" --n "$sizes" --dist "$inputs" --keys --pairs --reps 30 --time-limit 1 --format json "$@" >"$record" || code=$?
[ -s "$record" ] || exit "$code"
name=$(jq -r '(if .device.backend == "cpu" then "cpu " else "" end) + .device.name' "$record" |
  sed 's/NVIDIA //; s/[^A-Za-z0-9]\+/_/g; s/_$//')
mkdir -p "$OUT"
if [ "$append" = 1 ] && [ -f "$OUT/$name.json" ]; then
  jq -s '.[1].rows as $rows | .[1].left_out as $out | .[0] | .rows += $rows | .left_out += $out' \
    "$OUT/$name.json" "$record" >"$record.all"
  mv "$record.all" "$record"
fi
cp "$record" "$OUT/$name.json"
chmod 644 "$OUT/$name.json"
echo "bench: $OUT/$name.json, $(jq '.rows | length' "$record") rows" >&2
exit "$code"
