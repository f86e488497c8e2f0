#!/usr/bin/env bash
# Rewrites the table between the markers <!-- table:begin --> and <!-- table:end --> of README.md
# from records of compare: median ms, and how many times as fast as the baseline. A device has a
# table for pairs and one for keys, with a column for each input and n. Of several settings of a
# version the fastest counts.
#   scripts/readme_table.sh [--readme FILE] [RECORD.json ...]
# Default: the homework's and the large sort's record of each GPU (report/results/*/hw4.json and
# worklog.json), which are two columns; without a GPU's, report/results/*.json.
set -euo pipefail
cd "$(dirname "$0")/.."
readme=README.md
if [ "${1-}" = --readme ]; then
  [ $# -gt 1 ] || { echo "readme_table: --readme needs a value" >&2; exit 2; }
  readme=$2
  shift 2
fi
if [ $# -eq 0 ]; then
  for record in report/results/*/{hw4,worklog}.json; do
    if jq -e '.schema == 1 and .device.backend == "cuda"' "$record" >/dev/null 2>&1; then set -- "$@" "$record"; fi
  done
fi
if [ $# -eq 0 ]; then
  for record in report/results/*.json; do
    if jq -e '.schema == 1' "$record" >/dev/null 2>&1; then set -- "$@" "$record"; fi
  done
fi
[ $# -gt 0 ] || { echo "readme_table: no records; make bench makes one" >&2; exit 2; }
[ "$(grep -c '^<!-- table:\(begin\|end\) -->$' "$readme")" = 2 ] ||
  { echo "readme_table: $readme lacks the lines <!-- table:begin --> and <!-- table:end -->" >&2; exit 2; }

table=$(mktemp)
trap 'rm -f "$table" "$table.new"' EXIT
jq -rs '
  def grouped: tostring | explode | reverse | [_nwise(3)] | map(reverse | implode) | reverse | join(",");
  def digits(d): . as $x | if $x == 0 then "0" else
    ([0, d - 1 - ($x | fabs | log10 | floor)] | max) as $places | pow(10; $places) as $p
    | ($x * $p | round) / $p | tostring end;
  def cell: if . == null then "" elif .status != "ok" then .status else
    (.median_ms | digits(3)) + (if .ratio_to_baseline == null then ""
                                else " (" + (.ratio_to_baseline | digits(3)) + "x)" end) end;
  def title: (if .input == "scores" then "the homework\u0027s scores" else .input end) + ", " + (.n | grouped);
  group_by(.device.name, .device.backend)[]
  | . as $records
  | "**\(.[0].device.name)**, \(.[0].device.backend) backend, driver \(.[0].device.driver // "n/a"), "
    + "\(map(.date[0:10]) | unique | join(" and ")), commit \(map(.commit) | unique | join(" and ")); "
    + "ms, and how many times as fast as \(map(.baseline) | unique | join(" and "))\n",
  ( ("pairs", "keys") as $what
    # A record of many inputs would make many columns: of those only the uniform ones.
    | [ $records[] | ([.rows[].input] | index("uniform")) as $uniform
        | .rows[] | select(.what == $what and ($uniform == null or .input == "uniform")) ] as $rows
    | [$rows[] | {input, n}] | unique_by([.n, .input]) | . as $columns
    | select(length > 0)
    | "| \($what) | " + ($columns | map(title) | join(" | ")) + " |",
      "|---|" + ($columns | map("--:|") | join("")),
      ( [$rows[].version] | unique
        | map(. as $v | {version: $v, cpu: any($rows[]; .version == $v and .cpu_code),
            cells: ($columns | map(. as $c
              | [$rows[] | select(.version == $v and .n == $c.n and .input == $c.input)]
              | min_by(.median_ms // infinite)))})
        # The fastest first, by the largest n that each has sorted.
        | sort_by([.cells | to_entries[] | select(.value.median_ms) | [-.key, .value.median_ms]] | last // [1, 0])
        | .[] | "| \(.version)\(if .cpu then " (CPU)" else "" end) | " + (.cells | map(cell) | join(" | ")) + " |" ),
      "" )' "$@" >"$table"
awk -v table="$table" '
  /^<!-- table:begin -->$/ { print; while ((getline line < table) > 0) print line; skipping = 1 }
  /^<!-- table:end -->$/ { skipping = 0 }
  !skipping && !/^<!-- table:begin -->$/ { print }' "$readme" >"$table.new"
cat "$table.new" >"$readme"
