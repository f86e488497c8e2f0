# scripts/run_tests.sh: the counts of good, failing, skipped and broken test programs.
bats_require_minimum_version 1.5.0

setup() { cd "$BATS_TEST_DIRNAME/../.." || return; }

# program NAME CODE LINE ...: a test program that prints these lines and ends with that exit code.
program() {
  local file=$BATS_TEST_TMPDIR/$1 code=$2
  shift 2
  { echo '#!/bin/sh'; printf 'echo "%s"\n' "$@"; echo "exit $code"; } >"$file"
  chmod +x "$file"
}
tests() { (cd "$BATS_TEST_TMPDIR" && "$OLDPWD/scripts/run_tests.sh" "$@"); }
line() { grep -qE -- "$1" <<<"$output"; }

@test "all good" {
  program ./good 0 '1..2' 'ok 1 - a' 'ok 2 - b'
  run -0 tests ./good
  line '^\./good +2 passed +0 failed +[0-9.]+ s$'
  [ "${lines[-1]}" = '2 passed, 0 failed' ]
}

@test "a failing test is counted, and the output shown" {
  program ./bad 1 '1..2' 'ok 1 - a' 'not ok 2 - b' '# the reason'
  run -1 tests ./bad
  line '^\./bad +1 passed +1 failed'
  line '^# the reason$'
  # Again at the end, where a long log is cut off last.
  [ "${lines[-3]}" = 'failed: ./bad: 2 - b' ]
  [ "${lines[-2]}" = 'failed: ./bad: # the reason' ]
  [ "${lines[-1]}" = '1 passed, 1 failed' ]
}

@test "a crash, a missing test and a program without tests are a failure each" {
  program ./crash 139 '1..1' 'ok 1 - a'
  program ./short 0 '1..3' 'ok 1 - a' 'ok 2 - b'
  program ./empty 0 ''
  run -1 tests ./crash ./short ./empty ./absent
  line '^failed: \./crash: exit code 139 after 1 of 1 tests$'
  [ "${lines[-1]}" = '3 passed, 4 failed' ]
}

@test "a file whose tests are all skipped says skipped and why" {
  program ./tap 0 '1..1' 'ok 1 - a # skip no GPU here'
  program ./cmocka 0 '1..1' 'not ok 1 - a # SKIP'
  program ./some 0 '1..2' 'ok 1 - a' 'ok 2 - b # skip no GPU here'
  run -0 tests ./tap ./cmocka ./some
  line '^\./tap +skipped: no GPU here$'
  line '^\./cmocka +skipped: $'
  line '^\./some +1 passed +0 failed +[0-9.]+ s, 1 skipped$'
  [ "${lines[-2]}" = '3 skipped' ]
  [ "${lines[-1]}" = '1 passed, 0 failed' ]
}

@test "only skipped tests are no success" {
  program ./tap 0 '1..1' 'ok 1 - a # skip no GPU here'
  run -1 tests ./tap
}

@test "a bats file" {
  printf '@test "a" { true; }\n@test "b" { false; }\n@test "c" { skip "later"; }\n' >"$BATS_TEST_TMPDIR/x.bats"
  run -1 tests ./x.bats
  line '^\./x.bats +1 passed +1 failed .*, 1 skipped$'
}

# noting NAME ...: programs that note when they begin and end, and leave a file where they run.
noting() {
  local name
  for name in "$@"; do
    printf '#!/bin/sh\necho "begin %s" >>%s/log\n: >left_by_%s\nsleep 0.3\necho "end %s" >>%s/log\necho 1..1\necho ok 1 - a\n' "$name" "$BATS_TEST_TMPDIR" "$name" "$name" "$BATS_TEST_TMPDIR" >"$BATS_TEST_TMPDIR/$name"
    chmod +x "$BATS_TEST_TMPDIR/$name"
  done
}

@test "several at once, but those that change the tree one at a time and in a copy" {
  noting here1 here2 here3 here4 copy1 copy2
  run -0 tests --jobs 3 ./here1 ./here2 ./here3 ./here4 --copy ./copy1 ./copy2
  [ "${lines[-1]}" = '6 passed, 0 failed' ]
  awk '{ kind = $2; sub(/[0-9]/, "", kind); now[kind] += $1 == "begin" ? 1 : -1 }
    now["here"] + now["copy"] > 3 || now["copy"] > 1 { print "line " NR; bad = 1 }
    now["copy"] && now["here"] == 2 { together = 1 }
    END { exit bad || !together }' "$BATS_TEST_TMPDIR/log"
  [ "$(cd "$BATS_TEST_TMPDIR" && echo left_by_*)" = "left_by_here1 left_by_here2 left_by_here3 left_by_here4" ]
}

@test "one at a time unless asked" {
  noting a b
  run -0 tests ./a --copy ./b
  [ "$(sed -n 2p "$BATS_TEST_TMPDIR/log")" = 'end b' ]
}

@test "Ctrl-C ends the programs that a test starts, and the tests themselves" {
  printf "#!/bin/sh\nsh -c 'kill -INT \$\$'\n[ \$? -eq 130 ] && echo ok 1 - a\necho 1..1\n" >"$BATS_TEST_TMPDIR/interrupts"
  printf '#!/bin/sh\necho $$ >pid\nexec sleep 100\n' >"$BATS_TEST_TMPDIR/sleeps"
  chmod +x "$BATS_TEST_TMPDIR/interrupts" "$BATS_TEST_TMPDIR/sleeps"
  run -0 tests ./interrupts
  (cd "$BATS_TEST_TMPDIR" && exec "$OLDPWD/scripts/run_tests.sh" ./sleeps) &
  for _ in $(seq 100); do [ ! -s "$BATS_TEST_TMPDIR/pid" ] || break; sleep 0.1; done
  kill "$!"
  local code=0
  wait "$!" || code=$?
  [ "$code" -eq 130 ]
  for _ in $(seq 100); do kill -0 "$(cat "$BATS_TEST_TMPDIR/pid")" 2>/dev/null || return 0; sleep 0.1; done
  return 1
}
