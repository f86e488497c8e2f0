#!/usr/bin/env bash
# Rewrites the section "Measured" of every version's README.md from report/results/*/hw4*.json,
# between the marker lines <!-- measured: ... --> and <!-- /measured -->. Needs jq.
#   scripts/handout_tables.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/replace_file.sh
command -v jq >/dev/null || { echo "handout_tables: jq is not installed" >&2; exit 2; }

# The GPUs' records that have the version with one setting of its knobs. (hw4_seq.json sweeps them.)
records() {
  local record
  for record in report/results/*/hw4.json report/results/*/hw4_*.json; do
    if [[ $record == */cpu_* ]] || [ ! -f "$record" ]; then continue; fi
    ! jq -e --arg v "$1" '[.rows[] | select(.version == $v) | .knobs] | unique | length == 1' "$record" >/dev/null || echo "$record"
  done
}

# The table of one version: a row for each record and kind, beside Thrust and CUB from the same run.
table() {
  local version=$1 record
  echo "The homework's 220,480 pairs, scores of \`samples/portrait.ppm\`; milliseconds, median. The stages are timed in"
  echo "separate runs. Thrust and CUB sorted the same input in the same run."
  echo
  echo "| device | what | total | stages | Thrust | Thrust's time / ours | CUB |"
  echo "|---|---|---|---|---|---|---|"
  for record in $(records "$version"); do
    jq -r --arg v "$version" '
      . as $r | def ms: if . then . * 10000 | round / 10000 else "-" end;
      def total($name; $what): first($r.rows[] | select(.version == $name and .what == $what) | .median_ms) // null;
      $r.rows[] | select(.version == $v and .verdict == "PASS") |
      "| \($r.device.name) | \(.what), \(.repetitions) runs | \(.median_ms | ms) | " +
      ([.stages_ms | to_entries[] | "\(.key) \(.value | ms)"] | join(", ")) +
      " | \(total("thrust_ref"; .what) | ms) | \(if total("thrust_ref"; .what) then total("thrust_ref"; .what) / .median_ms * 1000 | round / 1000 else "-" end)" +
      " | \(total("cub_ref"; .what) | ms) |"' "$record"
  done
  for record in $(records "$version"); do
    jq -r '"\nRecord: `\($file)`, \(.date | .[:10]), commit \(.commit)."' --arg file "$record" "$record"
  done
}

for readme in */README.md; do
  version=${readme%%/*}
  grep -q '^<!-- measured' "$readme" || continue
  [ -n "$(records "$version")" ] || continue
  measured=$(table "$version")
  replace_between '<!-- measured' '<!-- /measured -->' "$readme" <<<"$measured"
done
