#!/usr/bin/env bash
# HW4 with closed standard descriptors, whose numbers its files and channels must not get, and with
# files that may not grow. Prints TAP, as scripts/run_tests.sh counts it.
set -u
cd "$(dirname "$0")/../.." || exit 1
hw4=${HW4_DIR:-build/cpu}/radix_v2/HW4
. tests/tap.sh
run() { timeout 300 sh -c "exec '$hw4' samples/portrait.ppm samples/template.ppm '$work/out.ppm' $1" >"$work/out" 2>"$work/err"; code=$?; }
err_is() { [ "$(cat "$work/err")" = "$1" ]; }

run '>&-'
check "standard output is closed: exit code 2" is "$code" 2
check "... one sentence" err_is 'HW4: cannot write to standard output: Bad file descriptor'
run '<&- 2>&-'
check "standard input and error are closed: exit code 0" is "$code" 0
check "... PASS" grep -qx PASS "$work/out"
check "... and the picture is one" is "$(head -c 15 "$work/out.ppm")" $'P6\n424 520\n255'
rm "$work/out.ppm"
limited() { (ulimit -f 0 && exec "$hw4" samples/portrait.ppm samples/template.ppm "$work/out.ppm" 2>&1) | cat; }
limited >"$work/out"
check "ulimit -f: one sentence" grep -q '^HW4: .*: File too large$' "$work/out"
check "... and no file" test ! -e "$work/out.ppm"
# The smallest address space into which its libraries fit has no room for the memory that HW4 shares with its sorter.
segments() { tail -n +2 /proc/sysvipc/shm | wc -l; }
before=$(segments)
code=127
for ((kb = 50000; code == 127 && kb < 1000000; kb += 10000)); do
  (ulimit -v "$kb" && exec "$hw4" samples/portrait.ppm samples/template.ppm "$work/out.ppm" >"$work/out" 2>&1)
  code=$?
done
check "ulimit -v: exit code 3" is "$code" 3
check "... one sentence" test "$(wc -l <"$work/out")" -eq 1
check "... and no memory that outlives its processes" is "$(segments)" "$before"
# The sort is right, but takes more CPU time than the user allows.
(ulimit -t 1 && exec timeout 300 "$hw4" samples/portrait.ppm samples/template.ppm "$work/out.ppm" >"$work/out" 2>"$work/err")
check "ulimit -t: exit code 3" is "$?" 3
check "... it names the limit" grep -q '^HW4: radix_v2 was stopped .*: the limit of CPU time, 1 s, is reached (ulimit -t)$' "$work/err"
check "... and no verdict" bash -c "! grep -qE 'PASS|FAIL' '$work/out'"
# More threads than any system has, and a stack for each that no address space can hold.
check "OMP_NUM_THREADS=100000: no crash of HW4's own" bash -c "OMP_NUM_THREADS=100000 timeout 300 '$hw4' samples/portrait.ppm samples/template.ppm '$work/out.ppm' --image-only >'$work/out' 2>&1; test \$? -eq 0 -o \$? -eq 3"
check "no threads: exit code 3" bash -c "OMP_NUM_THREADS=8 OMP_STACKSIZE=100000G timeout 300 '$hw4' samples/portrait.ppm samples/template.ppm '$work/out.ppm' >'$work/out' 2>&1; test \$? -eq 3"
plan
