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
