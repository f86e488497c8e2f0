#!/usr/bin/env bash
# Fills in the speeds of README.md's tracks: the last two cells of each line that links to a version, and the
# caption, between <!-- speeds:begin --> and <!-- speeds:end -->. Tracks, order and ideas are written by hand, in
# README.md only; the numbers come from records.
#   scripts/readme_table.sh [FOLDER]
# FOLDER has the records hw4.json and worklog.json of one machine (scripts/experiments.sh); default:
# the GPU's folder under report/results that comes last. A version that was measured with several
# settings is shown with its fastest. Needs jq. Exit code 2: usage, or a record is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/replace_file.sh
quit() { echo "readme_table: $1" >&2; exit 2; }
[ $# -le 1 ] || quit "usage: scripts/readme_table.sh [FOLDER]"
folder=${1-}
command -v jq >/dev/null || quit "needs jq, which is not installed"
if [ -z "$folder" ]; then
  for record in report/results/*/hw4.json; do
    ! jq -e '.device.backend == "cuda"' "$record" >/dev/null 2>&1 || folder=$(dirname "$record")
  done
  [ -n "$folder" ] || quit "no record of a GPU in report/results; make reproduce makes one"
fi
for record in "$folder"/hw4.json "$folder"/worklog.json; do
  [ -f "$record" ] || quit "there is no $record"
done
[ "$(grep -c '^<!-- speeds:\(begin\|end\) -->$' README.md)" = 2 ] ||
  quit "README.md lacks the lines <!-- speeds:begin --> and <!-- speeds:end -->"

speeds=$(mktemp)
trap 'rm -f "$speeds" "$speeds.new"' EXIT
# First line: the caption. Then VERSION, cell of the homework's pairs, cell of the large array.
jq -rs '
  def round_to(p): (. * p | round) / p | tostring;
  def digits: if . >= 10 then round_to(1) else (. * 10 | round) as $n | "\($n / 10 | floor).\($n % 10)" end;
  def milliseconds: if . < 1 then round_to(1000) elif . < 100 then round_to(100) else round_to(1) end;
  def fastest($v): [.rows[] | select(.version == $v and .what == "pairs" and .median_ms)] | min_by(.median_ms);
  def cell($v): fastest($v) | if . == null then "-"
    elif .ratio_to_baseline == null or $v == "thrust_ref" then "\(.median_ms | milliseconds) ms"
    elif .ratio_to_baseline > 0.95 and .ratio_to_baseline < 1.05 then "as fast"
    elif .ratio_to_baseline > 1 then "\(.ratio_to_baseline | digits)x faster"
    else "\(1 / .ratio_to_baseline | digits)x slower" end;
  .[0] as $small | .[1] as $large
  | ([$small, $large] | map(.date[0:10]) | unique | join(" and ")) as $dates
  | "Speed compared with Thrust on an \($small.device.name) (CUDA driver \($small.device.driver), \($dates), medians, every result "
    + "verified): the homework\u0027s 220,480 pairs, and 100 million uniform pairs.",
    ([$small.rows[], $large.rows[]] | map(.version) | unique[] | . as $v | "\($v)\t\($small | cell($v))\t\($large | cell($v))")
' "$folder/hw4.json" "$folder/worklog.json" >"$speeds"
awk -v speeds="$speeds" '
  BEGIN {
    FS = "\t"
    getline caption < speeds
    while ((getline line < speeds) > 0) { split(line, f, "\t"); small[f[1]] = f[2]; large[f[1]] = f[3] }
    FS = " *[|] *"; $0 = $0
  }
  /^<!-- speeds:begin -->$/ { print; print caption; print ""; inside = 1; before = 1; next }
  /^<!-- speeds:end -->$/ { inside = 0 }
  inside && before && !/^[|]/ { next }                   # the caption to replace
  inside && /^[|]/ { before = 0 }
  inside && match($0, /\[[a-z0-9_]+\]\([a-z0-9_]+\/README.md\)/) {
    version = substr($0, RSTART + 1); sub(/\].*/, "", version)
    split($0, cell, / *[|] */)
    printf "| %s | %s | %s | %s | %s |\n", cell[2], cell[3], cell[4],
      (version in small ? small[version] : "-"), (version in large ? large[version] : "-")
    next
  }
  { print }' README.md >"$speeds.new"
replace_file README.md <"$speeds.new"
