#!/usr/bin/env bash
# compare --export, --sort and --image: files from one measurement, the order of rows, and the
# program red_eye_scores.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${HW4_DIR:-build/cpu}
compare=$build/compare scores=$build/red_eye_scores
. tests/tap.sh
out_has() { grep -q -- "$1" "$work/out"; }

# ---- several formats from one measurement --------------------------------------------------------
ln -s real.csv "$work/link.csv"
run "$compare" seq std_sort_ref --n 1000,2000 --reps 3 --stages off \
  --export json="$work/a.json" --export csv="$work/link.csv" --export md="$work/a.md" --export table="$work/a.txt"
check "four exports: exit code 0" is "$code" 0
check "the table is on standard output all the same" out_has '^seq (CPU) '
check "json: six rows, in the order of measuring" is "$(jq -c '[.rows[].version]' "$work/a.json")" \
  '["thrust_ref","seq","std_sort_ref","thrust_ref","seq","std_sort_ref"]'
check "csv follows a link and leaves it" test -L "$work/link.csv"
times() { jq -r '.rows[] | [.version, .median_ms] | @tsv' "$work/a.json" | awk '{ printf "%s %.4g\n", $1, $2 }'; }
check "csv has the same times" is "$(times)" "$(awk -F, 'NR > 1 { printf "%s %.4g\n", $1, $18 }' "$work/real.csv")"
check "md has a sentence for each input" is "$(grep -c 'uniform: .* is fastest, ' "$work/a.md")" 2
check "md has six rows" is "$(grep -c 'PASS' "$work/a.md")" 6
check "an exported table is standard output's" cmp -s "$work/a.txt" "$work/out"
check "nothing else is left in the folder" is "$(cd "$work" && echo .[!.]* *)" ".[!.]* a.json a.md a.txt err link.csv out real.csv"

run "$compare" seq --n 1000 --reps 1 --format json --export json="$work/a.json"
check "twice the same format" cmp -s "$work/a.json" "$work/out"

# ---- files that cannot be written ----------------------------------------------------------------
run "$compare" seq --n 1000 --reps 1 --export csv=/dev/full --export md="$work/b.md"
ends "a full device" 2 'compare: --export: /dev/full cannot be written: No space left on device'
check "... which is still a device" test -c /dev/full
check "the other export is complete" grep -q PASS "$work/b.md"
echo old >"$work/old.csv"
run "$compare" seq --n 1000 --reps 1 --export csv=/no/such/folder/x --export csv="$work/old.csv"
check "a folder that is not there: exit code 2" is "$code" 2
check "... before anything is measured" test ! -s "$work/out"
check "... and the other file is as it was" is "$(cat "$work/old.csv")" old
run "$compare" --list --save-input "$work/nothing"
check "--list with --save-input: exit code 2" is "$code" 2
run env CUDA_CPU_MEMORY=5000000 "$compare" --n 3000000 --dist zipf --save-input "$work/parts.raw"
check "--save-input takes 4 MB of the device" is "$code $(stat -c %s "$work/parts.raw")" "0 12000000"
run "$compare" --n 1e14 --save-input "$work/nothing"
ends "more than the memory" 3 'compare: 100000000000000 keys do not fit into memory'
run sh -c "'$compare' seq --n 1000 --reps 1 --export csv='$work/c.csv' >/dev/full"
ends "standard output is full" 2 'compare: cannot write to standard output: No space left on device'
check "... and the export is complete" is "$(wc -l <"$work/c.csv")" 3

# Closed descriptors: files must not get their numbers. And files that may not grow.
run sh -c "'$compare' seq --n 1000 --reps 1 --export json='$work/shut.json' >&-"
ends "standard output is closed" 2 'compare: cannot write to standard output: Bad file descriptor'
check "... and the export is a record" jq -e '.rows | length == 2' "$work/shut.json"
run sh -c "'$compare' seq --n 1000 --reps 1 --time-limit 0.001 --export json='$work/shut.json' <&- 2>&-"
check "standard error is closed: the export is a record" jq -e '.rows | length == 2' "$work/shut.json"
limited() { (ulimit -f 0 && exec "$compare" seq --n 1000 --reps 1 --export json="$work/grown.json" 2>&1 >/dev/null) | cat; }
run limited
check "ulimit -f: one sentence" out_has "^compare: --export: $work/grown.json cannot be written: File too large$"
check "... and no file" test ! -e "$work/grown.json"

# A row that takes no time, then one that hangs. The measured rows are exported after Ctrl-C.
crash=$build/tests/sorts/crash_sort/version.so
interrupted() { # interrupted SIGNAL
  rm -f "$work/d.json"
  setsid "$compare" seq "$crash" --set way=3 --n 50 --keys --time-limit 60 --export json="$work/d.json" \
    --format csv >"$work/out" 2>"$work/err" &
  local running=$!
  for _ in $(seq 200); do grep -q '^seq,' "$work/out" && break; sleep 0.1; done
  sleep 0.5
  kill -"$1" "$running"
  wait "$running" 2>/dev/null
  code=$?
}
interrupted TERM
check "ended in the middle: exit code 143" is "$code" 143
check "the rows so far are in the file" is "$(jq -c '[.interrupted, (.rows | length)]' "$work/d.json")" '[true,2]'
interrupted KILL
check "killed: no file, not even half of one" is "$(find "$work" -name '*d.json*' -o -name '.save*')" ''

# ---- the order of rows ---------------------------------------------------------------------------
names() { "$compare" seq std_sort_ref merge_cpu --n 20000 --keys --reps 5 --stages off "$@" >"$work/out" 2>"$work/err"; }
column() { awk '/ PASS/ { print $1 }' "$work/out" | tr '\n' ' '; }
ascending() { awk '/ PASS/ { sub(/\(CPU\)/, ""); if ($2 < before) exit 1; before = $2; rows++ } END { exit rows != 4 }' "$work/out"; }
names
check "the table is sorted by time" ascending
names --sort name
check "--sort name" is "$(column)" 'merge_cpu seq std_sort_ref thrust_ref '
names --sort given
check "--sort given" is "$(column)" 'thrust_ref seq std_sort_ref merge_cpu '
names --format csv
check "csv is in the order of measuring" is "$(sed '1d; s/,.*//' "$work/out" | tr '\n' ' ')" 'thrust_ref seq std_sort_ref merge_cpu '
names --format csv --sort name
check "unless asked" is "$(sed '1d; s/,.*//' "$work/out" | tr '\n' ' ')" 'merge_cpu seq std_sort_ref thrust_ref '
run "$compare" "$crash" seq --sweep crash_sort.way=6,0 --n 50 --keys --dist sorted --seed 1 --reps 3 --stages off
check "rows without a time come last" is "$(grep '^[a-z_]* .*\(PASS\|FAIL\)' "$work/out" | tail -n 1 | cut -c1-16)" 'crash_sort way=6'

# ---- the scores of an image ----------------------------------------------------------------------
printf 'P6\n4 3\n255\n' >"$work/image.ppm"
head -c 36 /dev/zero | tr '\0' 'a' >>"$work/image.ppm"
printf 'P6\n2 2\n255\nabcdefghijkl' >"$work/template.ppm"
run "$scores" "$work/image.ppm" "$work/template.ppm" "$work/scores.npy"
check "red_eye_scores: exit code 0" is "$code" 0
check "red_eye_scores: a header of 128 bytes and a key for each pixel" is "$(wc -c <"$work/scores.npy")" $((128 + 4 * 12))
run "$compare" --image "$work/image.ppm,$work/template.ppm" --save-input "$work/saved.npy"
check "compare --image has the same keys" cmp -s "$work/scores.npy" "$work/saved.npy"
run "$scores" "$work/template.ppm" "$work/image.ppm" "$work/x.npy"
ends "an image smaller than its template" 2 'red_eye_scores: the image is smaller than the template'
run "$compare" seq --image "$work/template.ppm,$work/image.ppm"
ends "compare --image" 2 'compare: --image: the image is smaller than the template'
run "$scores"
check "red_eye_scores without arguments: exit code 2" is "$code" 2
run "$scores" "$work/image.ppm" "$work/template.ppm" /dev/full
check "red_eye_scores to a full device: exit code 2" is "$code" 2
# A program that links the scoring has the names of its functions.
check "compare knows no images" not grep -q red_eye_settle_ties "$compare"
mkdir "$work/alone"
cp "$compare" "$work/alone/"
run "$work/alone/compare" --image "$work/image.ppm,$work/template.ppm" --save-input "$work/y"
check "without the program: exit code 2 and how to build it" grep -q "needs the program .*red_eye_scores ('make compare' builds it): No such file" "$work/err"
plan
