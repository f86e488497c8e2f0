#!/usr/bin/env bash
# Each format of compare read back: csv by Python, json by jq, md and table by their columns. All must agree on what was
# measured.
set -u
cd "$(dirname "$0")/../.." || exit 1
compare=${HW4_DIR:-build/cpu}/compare crash=${HW4_DIR:-build/cpu}/tests/sorts/crash_sort/version.so
. tests/tap.sh
measure() { run "$compare" "$@"; }
record() { jq -e "$1" "$work/out" >/dev/null; }

# Sizes x kinds x (thrust_ref, seq twice, crash_sort): 16 rows. Those of crash_sort are wrong.
usual() { measure seq "$crash" --n 50,100 --dist sorted --seed 1 --reps 3 --sweep seq.kBits=4,8 --set crash_sort.way=6 --keys --pairs --format "$1"; }

usual csv
check "csv: exit code 1, for the wrong rows" is "$code" 1
check "csv: each row has all columns, a verdict and, if it is right, times that agree" python3 - "$work/out" <<'P'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline=""), strict=True))
assert len(rows) == 16 and sum(row["best"] == "1" for row in rows) == 4, rows  # one of the two in each sweep
for row in rows:
    wrong = row["version"] == "crash_sort"
    assert None not in row and None not in row.values(), row
    assert row["status"] == ("wrong" if wrong else "ok") and row["verdict"].startswith("FAIL: " if wrong else "PASS"), row
    assert (row["median_ms"] == "") == wrong, row
    if not wrong:
        n, median, least, mean, rate = (float(row[name]) for name in ("n", "median_ms", "min_ms", "mean_ms", "gkeys_per_s"))
        assert 0 < median >= least <= mean and abs(rate * median * 1e6 / n - 1) < 1e-3, row
P

usual json
check "json: what was measured" record '[.schema, .seed, .baseline, .interrupted, (.rows | length)] == [1, 1, "thrust_ref", false, 16]'
check "json: the best of each sweep" record '[.rows[] | select(.best) | .version] == ["seq", "seq", "seq", "seq"]'
check "json: knobs and stages" record '[.rows[] | select(.version == "seq")] | (map(.knobs.kBits) | unique == [4, 8]) and
  (map(.stages_ms | keys) | unique == [["copy", "hist", "scan", "scatter"]])'
check "json: times of the right rows only" record '(.rows | map(select(.status == "ok")) | length == 12 and all(.median_ms > 0 and
  .min_ms <= .median_ms and .repetitions >= 1 and .ratio_to_baseline > 0 and .noisy == (.noise > 0.1))) and
  (.rows | map(select(.status != "ok")) | length == 4 and all(has("median_ms") | not))'
check "json: the baseline's ratio is 1" record '[.rows[] | select(.version == "thrust_ref").ratio_to_baseline] | unique == [1]'
check "json: marks and conditions" record '([.rows[].suspicious] | any | not) and ([.rows[] | select(.cpu_code).version] | unique == ["seq"]) and
  .load_average >= 0 and .device.cache_bytes >= 0'

# Of two runs the median is the greater one, so median and minimum determine the mean.
measure seq --n 3000 --reps 2 --noise 0 --baseline none --format json
check "json: median, mean and minimum of two runs" record '.rows[0] | .median_ms >= .mean_ms and
  (.mean_ms * 2 - .median_ms - .min_ms | fabs) < .mean_ms * 1e-4'
check "json: --noise 0 makes all runs" record '[.noise_limit == 0, .repetitions, .rows[0].repetitions] == [true, 2, 2]'

measure seq "$crash" --n 50 --dist sorted --reps 3 --sweep seq.kBits=4,8 --set way=0 --sweep crash_sort.brackets=1,64,65 --format json
check "json: the passes of each stage" record '[.rows[] | select(.version == "seq") | .passes_ms | map_values(length)] ==
  [{copy: 2, hist: 8, scan: 8, scatter: 8}, {copy: 2, hist: 4, scan: 4, scatter: 4}]'
# shellcheck disable=SC2016 # $stages is for jq
check "json: passes of one run add up to the stage" record '[.rows[] | .stages_ms as $stages | .passes_ms | to_entries[] |
  ((.value | add) / $stages[.key] - 1 | fabs) < 1e-3] | all'
check "json: too many passes are left out" record '[.rows[] | select(.version == "crash_sort") | [(.passes_ms.copy | length), .stages_ms.copy > 0]] ==
  [[1, true], [64, true], [0, true]]'

# compare runs where this process may run.
measure seq --n 10 --reps 1 --baseline none --format json
read -r cpus first < <(python3 -c "import os; cpus = os.sched_getaffinity(0); print(len(cpus), min(cpus))")
check "json: the host's threads" record ".device.host_threads == $cpus"
cpu=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)
check "json: the host's processor" record ".device.host_cpu == \"${cpu:-unknown}\""
check "json: one thread" is "$(taskset -c "$first" "$compare" seq --n 10 --reps 1 --baseline none --format json | jq .device.host_threads)" 1
measure seq --n 10 --reps 1 --baseline none
check "table: the host's processor" grep -qF "${cpu:-unknown}" "$work/out"

usual md
check "md: 16 rows of as many columns" awk -F '|' '/^\|/ { gsub(/\\\|/, ""); if (rows++ == 0) columns = NF; if (NF != columns) code = 1 }
  END { exit code || rows != 18 }' "$work/out"
check "md: what ended the runs of a row" grep -qF ', reps |' "$work/out"

COLUMNS=120 usual table
check "table: at most 120 columns" env LC_ALL=C awk 'length > 120 { exit code = 1 } END { exit code }' "$work/out"
check "table: a head and a sentence for each of 4 groups" is "$(grep -c '^version ' "$work/out") $(grep -c ' is fastest, ' "$work/out")" '4 4'
check "table: 4 rows in each" is "$(grep -v ' is fastest, ' "$work/out" | grep -cE '^(thrust_ref +[0-9.]+ +[0-9.]+|seq .*kBits=|crash_sort) ?')" 16
check "table: the best of a sweep, a mistake, no colours" bash -c "grep -q ' <  ' '$work/out' && grep -q 'FAIL: order: at index 49' '$work/out' && ! grep -q \$'\\033' '$work/out'"
plan
