#!/usr/bin/env bash
# Writes the tables of gsort/WIDE.md, between <!-- wide:begin --> and <!-- wide:end -->, from the records wide_*.json of
# one GPU (scripts/reproduce.sh --only wide): how many times as fast as the best of CUB's sorts gsort is, by input and n.
#   scripts/wide_table.sh [--page FILE] FOLDER
# Needs jq. Exit code 2: usage, or FOLDER has no such record.
set -euo pipefail
# shellcheck source=scripts/replace_file.sh
. "$(dirname "$0")/replace_file.sh"
page=$(dirname "$0")/../gsort/WIDE.md
quit() { echo "wide_table: $1" >&2; exit 2; }
if [ "${1:-}" = --page ] && [ $# -gt 1 ]; then page=$2; shift 2; fi
[ $# = 1 ] || quit 'usage: scripts/wide_table.sh [--page FILE] FOLDER'
command -v jq >/dev/null || quit 'needs jq, which is not installed'
records=("$1"/wide_*.json)
[ -f "${records[0]}" ] || quit "there is no $1/wide_*.json"
jq -es 'all(.baseline == "cub")' "${records[@]}" >/dev/null || quit "the baseline of a record in $1 is not CUB"
# A table for each type: a row for each input; a cell has a ratio for each n.
tables=$(jq -rs '
  def two: . * 100 | round | "\(. / 100 | floor).\(. % 100 | tostring | if length == 1 then "0" + . else . end)";
  def of($field): [.[][$field]] | unique | join(", ");
  ([.[].rows[].n] | unique) as $sizes
  | (map(.device) | of("name")) as $device | (map(.device) | of("driver")) as $driver
  | "\($device), driver \($driver), \(map(.date |= .[:10]) | of("date")), commit \(of("commit")), medians of up to \(of("repetitions")) runs; "
    + "CUB: the fastest of DeviceRadixSort with num_items an int or a size_t and DeviceMergeSort, in the same process; every result verified. "
    + "A cell has the ratios for n = \($sizes | map(tostring) | join(", ")).",
    (group_by(.rows[0].what[:3]) | reverse[]
     | [.[].rows[] | select(.version == "gsort")] as $rows
     | ($rows | map(.what) | unique | sort_by(length, .)) as $kinds
     | "", "| input | \($kinds | join(" | ")) |", "|---|" + ($kinds | map("---|") | join("")),
       ($rows | reduce .[].input as $i ([]; if index([$i]) then . else . + [$i] end))[] as $input
     | "| \($input) | " + ([$kinds[] as $kind | [$sizes[] as $n
         | first($rows[] | select(.input == $input and .what == $kind and .n == $n)) // {}
         | .ratio_to_baseline | if . then two else "-" end] | join(" ")] | join(" | ")) + " |")
' "${records[@]}")
replace_between '<!-- wide:begin -->' '<!-- wide:end -->' "$page" <<<"$tables"
