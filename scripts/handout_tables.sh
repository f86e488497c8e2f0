#!/usr/bin/env bash
# Rewrites the section "Measured" of every version's README.md from report/results/hw4_size_*.json,
# between the marker lines <!-- measured: ... --> and <!-- /measured -->. Needs jq.
#   scripts/handout_tables.sh
set -eu
cd "$(dirname "$0")/.."
command -v jq >/dev/null || { echo "handout_tables: jq is not installed" >&2; exit 2; }

# The table of one version: a row for each record and kind, beside Thrust and CUB from the same run.
table() {
  local version=$1 record
  echo "220,480 elements, uniform; milliseconds, median; stages timed apart from the total, with their"
  echo "own events. Thrust and CUB: the same input in the same process."
  echo
  echo "| device | what | total | stages | Thrust | Thrust's time / ours | CUB |"
  echo "|---|---|---|---|---|---|---|"
  for record in report/results/hw4_size_*.json; do
    jq -r --arg v "$version" '
      . as $r | def ms: . * 10000 | round / 10000;
      def total($name; $what): first($r.rows[] | select(.version == $name and .what == $what) | .median_ms) // null;
      $r.rows[] | select(.version == $v and .verdict == "PASS") |
      "| \($r.device.name) | \(.what), \(.repetitions) runs | \(.median_ms | ms) | " +
      ([.stages_ms | to_entries[] | "\(.key) \(.value | ms)"] | join(", ")) +
      " | \(total("thrust_ref"; .what) | ms) | \(total("thrust_ref"; .what) / .median_ms * 1000 | round / 1000)" +
      " | \(total("cub_ref"; .what) | ms) |"' "$record"
  done
  for record in report/results/hw4_size_*.json; do
    jq -r '"\nRecord: `\($file)`, \(.date | .[:10]), commit \(.commit)."' --arg file "$record" "$record"
  done
}

for readme in */README.md; do
  version=${readme%%/*}
  grep -q '^<!-- measured' "$readme" || continue
  grep -q "\"version\": \"$version\"" report/results/hw4_size_*.json || continue
  table "$version" >"$readme.table"
  awk -v table="$readme.table" '
    /^<!-- measured/ { print; while ((getline line < table) > 0) print line; print "<!-- /measured -->"; inside = 1; next }
    /^<!-- \/measured -->/ { inside = 0; next }
    inside && /^#/ { inside = 0; print "" }
    !inside { print }' "$readme" >"$readme.new"
  mv "$readme.new" "$readme"
  rm "$readme.table"
done
