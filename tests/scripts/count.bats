# make count: the table, the file and what is refused. What is counted is tested in cuda_cpu/tests/test_count.cu.
bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_DIRNAME/../.." || return
  unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES BACKEND V COUNT # of the make that runs the tests
}

@test "one sort of radix_v2: its table, the costliest lines and the file" {
  file=$BATS_TEST_TMPDIR/counts.json
  run -0 make --no-print-directory count V=radix_v2 N=8192 COUNT_EXPORT="$file"
  [ "${lines[0]}" = 'radix_v2, one sort of 8192 uniform pairs' ]
  # 8 passes that read and write 4 bytes of a key, by whole warps.
  [[ $output =~ take_digit\ +8\ +8\.0\ +8\.0\ +4\.0\ +4\.0\ +-\ +0%\ +0 ]]
  [[ $output == *'pairs.cuh:19 (inlined at common/digit_table.cuh:60): global store, 2,048 requests: 32 lanes touch 1'* ]]
  [[ $(<"$file") == *'"kernel": "take_digit", "launches": 8, '*'"global_load_requests": 2048, '* ]]
  [[ $(<"$file") != *check_order* ]] # of the verdict
}

@test "a sort on the host has nothing to count" {
  run -2 make --no-print-directory count V=std_sort_ref N=64
  [[ $output == *'count: std_sort_ref has launched no kernel'* ]]
}

@test "a version that is not there, and COUNT beside CHECK" {
  run -2 make count V=no_such_version
  [[ $output == *'count: there is no no_such_version/student_func.cu'* ]]
  run -2 make COUNT=1 CHECK=race print-B
  [[ $output == *'COUNT is 0 or 1 and goes without CHECK'* ]]
}

@test "beside others: rows that differ, the sums of the sorts, and the same access of the version before" {
  folder=$BATS_TEST_TMPDIR
  line() { # LINE BYTES SECTORS
    echo "{\"line\": \"$1\", \"access\": \"global store\", \"bytes\": 4, \"requests\": 10, \"lanes\": 320, \"sectors\": $2, \"example\": {\"lanes\": [0, 1, 2], \"addresses\": [64, 68, 4096], \"least\": 1, \"most\": 2}}"
  }
  kernel() { # NAME SECTORS LINE
    echo "{\"kernel\": \"$1\", \"launches\": 2, \"distinct_sectors_read\": 0, \"distinct_sectors_written\": 40, \"global_atomics_at_one_address\": 0, \"shared_atomics_at_one_address\": 3,
      \"global_store_requests\": 10, \"global_store_lanes\": 320, \"global_store_sectors\": $2, \"lines\": [$(line "$3" "$2")]}"
  }
  program() { echo "{\"copied_bytes\": $1, \"host_copied_bytes\": 0, \"host_accesses\": 0, \"kernels\": [$2]}"; }
  program 640 "$(kernel scatter 40 'mine.cu:7'), $(kernel same 40 'mine.cu:9')" >"$folder/mine.json"
  program 0 "$(kernel scatter 160 'old.cu:5'), $(kernel same 40 'old.cu:6')" >"$folder/old.json"
  run -0 cuda_cpu/count/table.py "$folder/mine.json" "$folder/old.json" --elements 320
  [[ $output =~ scatter\ +2\ +2\.0\ +2\.0\ +-\ +4\.0\ +-\ +0%\ +3$'\n'\ +in\ old\ +2\ +8\.0\ +2\.0\ +-\ +16\.0 ]]
  [ "$(grep -c '^ *in old' <<<"$output")" = 1 ]              # `same` has the same numbers
  [[ $output =~ all\ of\ mine\ +4\ +10\.0\ +8\.0 ]]          # with 2.0 of the copies
  [[ $output =~ all\ of\ old\ +4\ +20\.0\ +8\.0 ]]
  [[ $output == *'move 2.0 bytes/element'* ]]
  [[ $output == *'mine.cu:7: global store, 10 requests: 32 lanes touch 4 sectors, the least that there can be; in old 16'* ]]
  run -0 cuda_cpu/count/table.py "$folder/mine.json" --line mine.cu:9
  [[ $output != *mine.cu:7* ]]
  # Lanes 0 and 1 side by side, lane 2 in another sector.
  run -0 cuda_cpu/count/picture.py "$folder/mine.json" mine.cu:7 "$folder/warp.svg"
  [ "$(grep -c 'fill="#2b6cb0"' "$folder/warp.svg")" = 3 ]
  [ "$(grep -c 'stroke="#999"' "$folder/warp.svg")" = 2 ]
  run -1 cuda_cpu/count/picture.py "$folder/mine.json" mine.cu:70 "$folder/none.svg"
  [ "$output" = 'picture: no kernel accesses memory at mine.cu:70' ]
  [ ! -e "$folder/none.svg" ]
}

@test "compare --counts: columns of one run each, the same numbers as the file" {
  make -s BACKEND=cpu COUNT=1 build/cpu-count/compare build/cpu-count/radix_{v1,v2}/version.so
  run -0 build/cpu-count/compare radix_v1 radix_v2 --n 8192 --pairs --baseline none --reps 1 --counts
  [[ $output =~ radix_v2\ .*PASS.*\ bytes\ 69[0-9].*sectors/request\ [0-9.]+.*bank\ conflicts\ .*atomics ]]
  run -0 build/cpu-count/compare radix_v1 radix_v2 --n 8192 --pairs --baseline none --reps 1 --counts --format json
  counted=$(jq '.rows[1].counts.sectors' <<<"$output")
  CUDA_CPU_COUNT=$BATS_TEST_TMPDIR/file.json build/cpu-count/compare radix_v2 --n 8192 --pairs --baseline none --reps 1 --no-fork
  jq -e "[.kernels[] | .global_load_sectors + .global_store_sectors + .global_atomic_sectors] | add == $counted" "$BATS_TEST_TMPDIR/file.json"
  make -s BACKEND=cpu build/cpu/compare
  run -2 build/cpu/compare --counts --n 64
  [[ $output == *'--counts: this build does not count; make compare BACKEND=cpu COUNT=1'* ]]
}

@test "a table of versions for the report" {
  run -0 scripts/count_versions.py "$BATS_TEST_TMPDIR/counted.csv" 8192 pairs radix_v2
  [[ $(tail -n 1 "$BATS_TEST_TMPDIR/counted.csv") =~ ^radix_v2,8192,pairs,40,69[0-9.]+,36[0-9.]+,36[0-9.]+,'"cpu backend, counted",' ]]
  run -3 scripts/count_versions.py "$BATS_TEST_TMPDIR/none.csv" 64 pairs std_sort_ref
  [[ $output == *'std_sort_ref: launches no kernel'* ]]
  [ ! -e "$BATS_TEST_TMPDIR/none.csv" ]
}
