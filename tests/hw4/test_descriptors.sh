#!/usr/bin/env bash
# HW4 with closed standard descriptors, whose numbers its files and channels must not get, and with
# files that may not grow.
set -u
cd "$(dirname "$0")/../.." || exit 1
hw4=${HW4_DIR:-build/cpu}/radix_v2/HW4
. tests/tap.sh
# hw4 BEFORE AFTER: after the shell's commands BEFORE, with the options and redirections AFTER
hw4() { run timeout 300 sh -c "$1 exec '$hw4' samples/portrait.ppm samples/template.ppm '$work/out.ppm' $2"; }

hw4 '' '>&-'
ends "standard output is closed" 2 'HW4: cannot write to standard output: Bad file descriptor'
hw4 '' '<&- 2>&-'
check "standard input and error are closed: exit code 0" is "$code" 0
check "... PASS" grep -qx PASS "$work/out"
check "... and the picture is one" is "$(head -c 15 "$work/out.ppm")" $'P6\n424 520\n255'
rm "$work/out.ppm"
hw4 '(ulimit -f 0;' '2>&1) | cat'
check "ulimit -f: one sentence" grep -q '^HW4: .*: File too large$' "$work/out"
check "... and no file" test ! -e "$work/out.ppm"
# The smallest address space into which its libraries fit has no room for the memory that HW4 shares with its sorter.
segments() { tail -n +2 /proc/sysvipc/shm | wc -l; }
before=$(segments)
code=127
for ((kb = 50000; code == 127 && kb < 1000000; kb += 10000)); do
  hw4 "ulimit -v $kb;" ''
done
check "ulimit -v: exit code 3" is "$code" 3
check "... one sentence" test "$(wc -l <"$work/err")" -eq 1
check "... and no memory that outlives its processes" is "$(segments)" "$before"
# The sort is right, but takes more CPU time than the user allows.
hw4 'ulimit -t 1;' ''
check "ulimit -t: exit code 3" is "$code" 3
check "... it names the limit" grep -q '^HW4: radix_v2 was stopped .*: the limit of CPU time, 1 s, is reached (ulimit -t)$' "$work/err"
check "... and no verdict" not grep -qE 'PASS|FAIL' "$work/out"
# More threads than any system has, and a stack for each that no address space can hold.
hw4 'export OMP_NUM_THREADS=100000;' --image-only
check "OMP_NUM_THREADS=100000: no crash of HW4's own" test "$code" -eq 0 -o "$code" -eq 3
hw4 'export OMP_NUM_THREADS=8 OMP_STACKSIZE=100000G;' ''
check "no threads: exit code 3" is "$code" 3
plan
