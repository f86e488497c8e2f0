# scripts/wide_table.sh on made-up records.
bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_DIRNAME/../.." || return
  work=$BATS_TEST_TMPDIR
  printf 'before\n<!-- wide:begin -->\nold\n<!-- wide:end -->\nafter\n' >"$work/page"
}

# record FILE WHAT RATIO BASELINE: two sizes; CUB's own row does not count, and one of gsort's has no time.
record() {
  cat >"$work/$1.json" <<END
{"device": {"name": "GPU 1", "driver": "7"}, "date": "2026-01-02T03:04:05Z", "commit": "c1", "repetitions": 9, "baseline": "$4",
 "rows": [{"version": "cub", "n": 1000, "input": "uniform", "what": "$2", "ratio_to_baseline": 1},
          {"version": "gsort", "n": 1000, "input": "uniform", "what": "$2", "ratio_to_baseline": $3},
          {"version": "gsort", "n": 2000, "input": "uniform", "what": "$2", "status": "wrong"}]}
END
}
table() { scripts/wide_table.sh --page "$work/page" "$work" 2>&1; }

@test "a table for each type, a column for each kind of element, a ratio for each n" {
  record wide_u64_0 'u64 keys' 3.456 cub
  record wide_u64_8 'u64+u64 pairs' 2 cub
  record wide_f64_0 'f64 keys' 0.999 cub
  run -0 table
  grep -qF 'GPU 1, driver 7, 2026-01-02, commit c1, medians of up to 9 runs; ' "$work/page"
  grep -qF '| input | u64 keys | u64+u64 pairs |' "$work/page"
  grep -qF '| uniform | 3.46 - | 2.00 - |' "$work/page"
  grep -qF '| uniform | 1.00 - |' "$work/page"
  [ "$(grep -c 'before\|after\|old' "$work/page")" = 2 ]
}

@test "mistakes: exit code 2, and the page stays" {
  run -2 table
  record wide_u64_0 'u64 keys' 3 thrust
  run -2 table
  run -2 scripts/wide_table.sh
  grep -q old "$work/page"
}
